/**
 * A configuration file as a document: its values, and for every path where it was written, in the file or in a `--set`
 * argument. YAML 1.2 core, duplicate keys refused, `<<` merges.
 *
 * @module
 */
import {
  isAlias,
  isMap,
  isScalar,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  visit,
  type YAMLMap,
} from "@std/yaml";
import { ConfigError, type Place } from "../errors.ts";
import { quote } from "./python_text.ts";
import { elsewhere } from "./yaml_dialects.ts";

/** Where a path was written. */
export interface Written extends Place {
  /** The line, and where in it the text stands (from 1), for a pointer under it. */
  excerpt?: { text: string; column: number; length: number };
  /** The text of a plain scalar, as written. */
  scalar?: string;
}

type YamlDocument = ReturnType<typeof parseDocument>;

interface Source {
  name: string;
  lines: LineCounter;
  text: string;
  document: YamlDocument;
}

/** What went wrong while a text was parsed, and where. */
interface ParseProblem {
  message: string;
  offset: number;
}

function parseYaml(name: string, text: string): { source: Source; problem: ParseProblem | null } {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: "1.2",
    schema: "core",
    merge: true,
    lineCounter: lines,
    prettyErrors: false,
    logLevel: "error",
    uniqueKeys: false, // it compares every key with every other one
  });
  const source = { name, lines, text, document };
  const found = document.errors[0] ?? document.warnings[0];
  if (found !== undefined) return { source, problem: { message: found.message, offset: found.pos[0] } };
  const twice = keyGivenTwice(document);
  if (twice === null) return { source, problem: null };
  const [first, second] = twice;
  const line = lines.linePos(first.range![0]).line;
  const message = `duplicate mapping key ${quote(String(first.value))} (first on line ${line})`;
  return { source, problem: { message, offset: second.range![0] } };
}

/** The first key that its mapping has already. */
function keyGivenTwice(document: YamlDocument): [Scalar, Scalar] | null {
  let twice: [Scalar, Scalar] | null = null;
  visit(document, {
    Map(_key, { items }) {
      const seen = new Map<unknown, Scalar>();
      for (const { key } of items) {
        if (!isScalar(key) || key.value === "<<") continue;
        const before = seen.get(key.value);
        if (before !== undefined) {
          twice = [before, key];
          return visit.BREAK;
        }
        seen.set(key.value, key);
      }
    },
  });
  return twice;
}

/** The values of a parsed text, or what is wrong with them. */
function valueOf({ document }: Source): { value?: unknown; problem: ParseProblem | null } {
  const itself = aliasOfItself(document);
  if (itself !== null) return { problem: { message: "an alias stands inside the value it refers to", offset: itself } };
  try {
    return { value: toValue(document), problem: null };
  } catch (error) {
    return { problem: { message: (error as Error).message, offset: 0 } };
  }
}

/** An alias inside what it stands for, as an offset; null when there is none. */
function aliasOfItself(document: YamlDocument): number | null {
  const around = new Set<unknown>();
  const walk = (node: unknown): number | null => {
    if (isAlias(node)) return around.has(node.resolve(document)) ? node.range![0] : null;
    const items = (node as { items?: unknown[] } | null)?.items;
    if (!Array.isArray(items)) return null;
    around.add(node);
    for (const item of items) {
      const found = isMap(node) ? walk((item as Pair).key) ?? walk((item as Pair).value) : walk(item);
      if (found !== null) return found;
    }
    around.delete(node);
    return null;
  };
  return walk(document.contents);
}

/** Values nested deeper than this are a mistake. */
const MOST_LEVELS = 100;

/** Plain values without shared parts, so that an override changes one place only; every key is the object's own. */
function toValue(document: YamlDocument): unknown {
  const copy = (value: unknown, level: number): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (level > MOST_LEVELS) throw new RangeError(`values are nested deeper than ${MOST_LEVELS} levels`);
    if (Array.isArray(value)) return value.map((item) => copy(item, level + 1));
    const mapping: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) setOwn(mapping, key, copy(item, level + 1));
    return mapping;
  };
  return copy(document.toJS({ maxAliasCount: 100 }), 0);
}

/** Sets a key of an object whatever it is called: `__proto__` is a key like any other. */
function setOwn(mapping: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(mapping, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Options of `ConfigDocument.override`. */
export interface OverrideOptions {
  /** Whether the sections of a search may be set too. Default false. */
  search?: boolean;
}

/** A YAML text and the overrides on top of it. */
export class ConfigDocument {
  /** The document as plain values; overrides are in it. */
  readonly value: Record<string, unknown>;
  #file: Source;
  #overrides: { path: string[]; argument: string; source: Source }[] = [];

  /**
   * Parses a configuration text.
   *
   * @param name how errors call the file
   * @throws {ConfigError} for malformed YAML, duplicate keys, and a document that is not one mapping
   */
  constructor(name: string, text: string) {
    const { source, problem } = parseYaml(name, text);
    this.#file = source;
    if (problem !== null) throw this.#malformed(problem);
    const { value, problem: unusable } = valueOf(source);
    if (unusable !== null) throw this.#malformed(unusable);
    if (!isMap(source.document.contents)) {
      const message = `configuration ${name} must contain one YAML mapping`;
      throw new ConfigError(message, [{ path: "", message, file: name }]);
    }
    for (const { key } of source.document.contents.items as Pair<Node>[]) {
      const section = isScalar(key) ? key.value : String(key);
      if (typeof section === "string" && section !== "" && !section.includes(".")) continue;
      const shown = typeof section === "string" ? quote(section) : String(section);
      const message = `top-level configuration keys must be nonempty section names without dots; got ${shown}`;
      throw new ConfigError(`${name}: ${message}`, [{ path: "", message, ...this.#place(source, key) }]);
    }
    this.value = value as Record<string, unknown>;
  }

  /** How errors call the file. */
  get name(): string {
    return this.#file.name;
  }

  #malformed({ message, offset }: ParseProblem): ConfigError {
    const { name, lines } = this.#file;
    const { line, col } = lines.linePos(offset);
    const pointer = excerptText(this.#excerpt(this.#file, offset, 1), line);
    return new ConfigError(`malformed YAML in ${name}: ${message}, at line ${line}, column ${col}:\n${pointer}`, [
      { path: "", message, file: name, line, column: col },
    ]);
  }

  /**
   * Applies one `PATH=YAML_VALUE`. The value replaces what is at the path; missing mappings on the way are made.
   *
   * @throws {ConfigError} for an argument that cannot be applied; unknown fields are found when the document is read
   */
  override(argument: string, { search = false }: OverrideOptions = {}): void {
    const refuse = (message: string): never => {
      throw new ConfigError(message, [{ path: "", message, file: "--set" }]);
    };
    const equals = argument.indexOf("=");
    if (equals < 0) refuse(`invalid --set ${quote(argument)}; expected PATH=YAML_VALUE`);
    const dotted = argument.slice(0, equals);
    const path = dotted.split(".");
    if (path.some((part) => part === "" || /^\p{Nd}+$/u.test(part))) {
      refuse(`invalid --set path ${quote(dotted)}; sequence indexes are unsupported`);
    }
    if (!search && (path[0] === "optimization" || path[0] === "optimizer")) {
      refuse(`--set path ${quote(dotted)} is not in the schema`);
    }
    const invalid = ({ message, offset }: ParseProblem) =>
      `invalid YAML value for --set ${quote(dotted)}: ${message} (at character ${offset + 1} of the value)`;
    const { source, problem } = parseYaml(`--set ${dotted}`, argument.slice(equals + 1));
    if (problem !== null) refuse(invalid(problem));
    const { value, problem: unusable } = valueOf(source);
    if (unusable !== null) refuse(invalid(unusable));
    let at = this.value;
    for (const part of path.slice(0, -1)) {
      if (!Object.hasOwn(at, part)) setOwn(at, part, {});
      const next = at[part];
      if (typeof next !== "object" || next === null || Array.isArray(next)) {
        refuse(`--set path ${quote(dotted)} crosses a non-mapping value`);
      }
      at = next as Record<string, unknown>;
    }
    setOwn(at, path.at(-1)!, value ?? null);
    this.#overrides.push({ path, argument, source });
  }

  /**
   * Where the value at `path` was written, or the nearest mapping around it; `key` asks for its name instead of it.
   */
  locate(path: readonly string[], key = false): Written {
    const last = this.#overrides.findLast(({ path: set }) =>
      set.every((part, index) => path[index] === undefined || path[index] === part)
    );
    if (last && (last.path.length <= path.length || !nodeAt(this.#file.document, path).exact)) {
      const { node, exact } = nodeAt(last.source.document, path.slice(last.path.length));
      return {
        file: `--set ${quote(last.argument)}`,
        ...(exact && isScalar(node) && node.source !== undefined ? { scalar: node.source } : {}),
      };
    }
    const { node, pair, exact } = nodeAt(this.#file.document, path);
    const shown = exact && !key && isScalar(node) ? node : (pair?.key as Node | undefined) ?? node;
    const scalar = exact && isScalar(node) && node.type === "PLAIN" ? node.source : undefined;
    return { ...this.#place(this.#file, shown), ...(scalar === undefined ? {} : { scalar }) };
  }

  /** Numbers of the file that a YAML 1.1 reader takes for others (`012`): where, as written, and both readings. */
  ambiguousNumbers(): { place: Written; text: string; ours: number; theirs: string }[] {
    const found: { place: Written; text: string; ours: number; theirs: string }[] = [];
    const walk = (node: unknown) => {
      if (isMap(node)) node.items.forEach((pair) => walk(pair.value));
      else if (isScalar(node)) {
        const theirs = node.type === "PLAIN" && node.source !== undefined ? elsewhere(node.source) : undefined;
        if (typeof node.value === "number" && theirs !== undefined) {
          found.push({ place: this.#place(this.#file, node), text: node.source!, ours: node.value, theirs });
        }
      } else if (typeof node === "object" && node !== null && "items" in node) (node.items as unknown[]).forEach(walk);
    };
    walk(this.#file.document.contents);
    return found;
  }

  #place(source: Source, node: unknown): Written {
    const range = (node as Node | undefined)?.range;
    if (!range) return { file: source.name };
    const { line, col } = source.lines.linePos(range[0]);
    return { file: source.name, line, column: col, excerpt: this.#excerpt(source, range[0], range[1] - range[0]) };
  }

  #excerpt({ text, lines }: Source, offset: number, length: number): NonNullable<Written["excerpt"]> {
    const { line, col } = lines.linePos(offset);
    const start = lines.lineStarts[line - 1];
    const end = lines.lineStarts[line] ?? text.length;
    const whole = text.slice(start, Math.min(end, start + col + MOST_EXCERPT)).replace(/[\r\n]+$/, "");
    return clipped(whole, col, Math.max(1, Math.min(length, whole.length - col + 1)));
  }
}

/** Most characters of a line that an error shows. */
const MOST_EXCERPT = 160;

/** A long line cut around the place that is meant. */
function clipped(whole: string, column: number, length: number): NonNullable<Written["excerpt"]> {
  const from = column > MOST_EXCERPT / 2 ? column - 1 - MOST_EXCERPT / 4 : 0;
  const shown = whole.slice(from, from + MOST_EXCERPT);
  const [before, after] = [from > 0 ? "…" : "", from + MOST_EXCERPT < whole.length ? "…" : ""];
  const at = column - from + before.length;
  return { text: before + shown + after, column: at, length: Math.max(1, Math.min(length, shown.length - at + 2)) };
}

const pairs = new WeakMap<YAMLMap, Map<string, Pair>>();

/** The entries of a mapping by key. */
function pairsOf(mapping: YAMLMap): Map<string, Pair> {
  let known = pairs.get(mapping);
  if (known === undefined) {
    pairs.set(mapping, known = new Map());
    for (const pair of mapping.items) if (isScalar(pair.key)) known.set(String(pair.key.value), pair);
  }
  return known;
}

/** The node at a path, or the last one found on the way; `pair` is the entry that holds it. */
function nodeAt(
  document: YamlDocument,
  path: readonly string[],
): { node: unknown; pair?: Pair; exact: boolean } {
  let node: unknown = document.contents;
  let pair: Pair | undefined;
  for (const part of path) {
    while (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const next = pairsOf(node).get(part);
      if (next === undefined) return { node, pair, exact: false };
      pair = next;
      node = next.value;
    } else if (typeof node === "object" && node !== null && "items" in node && /^\d+$/.test(part)) {
      const item = (node.items as unknown[])[Number(part)];
      if (item === undefined) return { node, pair, exact: false };
      [node, pair] = [item, undefined];
    } else return { node, pair, exact: false };
  }
  return { node, pair, exact: true };
}

/** Two lines: the text with its number, and carets under what is meant. */
export function excerptText({ text, column, length }: NonNullable<Written["excerpt"]>, line: number): string {
  const margin = ` ${line} | `;
  return `${margin}${text}\n${" ".repeat(margin.length - 2)}| ${" ".repeat(column - 1)}${"^".repeat(length)}`;
}
