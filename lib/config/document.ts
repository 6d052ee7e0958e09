/**
 * A configuration file as a document: its values, and for every path where it was written, in the file or in a `--set`
 * argument. YAML 1.2 core, duplicate keys refused, `<<` merges.
 *
 * @module
 */
import { isAlias, isMap, isScalar, LineCounter, type Node, type Pair, parseDocument, type Scalar } from "@std/yaml";
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
  let twice: [Scalar, Scalar] | null = null;
  const document = parseDocument(text, {
    version: "1.2",
    schema: "core",
    merge: true,
    lineCounter: lines,
    prettyErrors: false,
    logLevel: "error",
    uniqueKeys: (a, b) => {
      const same = a === b || (isScalar(a) && isScalar(b) && a.value === b.value);
      if (same && twice === null && isScalar(a) && isScalar(b)) twice = [a, b];
      return same;
    },
  });
  const source = { name, lines, text, document };
  const found = document.errors[0] ?? document.warnings[0];
  if (found === undefined) return { source, problem: null };
  if (found.code === "DUPLICATE_KEY" && twice !== null) {
    const [first, second] = (twice as [Scalar, Scalar]).toSorted((a, b) => a.range![0] - b.range![0]);
    const line = lines.linePos(first.range![0]).line;
    const message = `duplicate mapping key ${quote(String(first.value))} (first on line ${line})`;
    return { source, problem: { message, offset: second.range![0] } };
  }
  return { source, problem: { message: found.message, offset: found.pos[0] } };
}

/** Plain values without shared parts, so that an override changes one place only. */
function toValue(document: YamlDocument): unknown {
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item)]));
  };
  return copy(document.toJS({ maxAliasCount: 100 }));
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
    let value: unknown;
    try {
      if (problem === null) value = toValue(source.document);
    } catch (error) {
      throw this.#malformed({ message: (error as Error).message, offset: 0 });
    }
    if (problem !== null) throw this.#malformed(problem);
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
    const { source, problem } = parseYaml(`--set ${dotted}`, argument.slice(equals + 1));
    if (problem !== null) refuse(`invalid YAML value for --set ${quote(dotted)}: ${problem.message}`);
    let at = this.value;
    for (const part of path.slice(0, -1)) {
      if (!Object.hasOwn(at, part)) at[part] = {};
      const next = at[part];
      if (typeof next !== "object" || next === null || Array.isArray(next)) {
        refuse(`--set path ${quote(dotted)} crosses a non-mapping value`);
      }
      at = next as Record<string, unknown>;
    }
    at[path.at(-1)!] = toValue(source.document) ?? null;
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
    const whole = text.slice(start).split(/\r?\n/, 1)[0];
    return { text: whole, column: col, length: Math.max(1, Math.min(length, whole.length - col + 1)) };
  }
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
      const next = node.items.find(({ key }) => isScalar(key) && String(key.value) === part);
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
