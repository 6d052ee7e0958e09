/**
 * The list of what the bundle was made of and consists of, by which `start/current.ts` tells whether it is current.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { type Loads, reached } from "./graph.ts";
import { ENTRIES, MAIN, partName } from "./names.ts";

/** What {@linkcode sourcesText} lists. */
export interface Listed {
  /** The sources that one loads with it. */
  graph: ReadonlyMap<string, Loads>;
  /** The parts that one may load later. */
  partsOf: ReadonlyMap<string, readonly string[]>;
  /** The files of the bundle by name. */
  texts: ReadonlyMap<string, string>;
  /** The bundle's folder. */
  folder: string;
  /** Sources that all count on beside those they load. */
  others: readonly string[];
}

/**
 * The text of `sources.json`: groups of files that the same commands, or scripts, may load, each with the files' sizes and a digest of
 * their contents. Two branches that both made the bundle anew differ in these digests, so merging them ends in a
 * conflict, never in a mixture.
 */
export function sourcesText({ graph, partsOf, texts, folder, others }: Listed): string {
  const always = reached(graph, [MAIN]), users = usersOf(graph, partsOf);
  const parts = new Set([...partsOf.values()].flat().concat(ENTRIES).filter((part) => part !== MAIN));
  const groups = new Map<string, string[]>();
  const add = (file: string, by: readonly string[]) => {
    const key = by.join(" ");
    groups.set(key, [...groups.get(key) ?? [], file]);
  };
  for (const file of new Set([...always, ...users.keys(), ...others])) {
    if (existsSync(file)) add(file, always.has(file) || others.includes(file) ? [] : users.get(file)!);
  }
  const own = new Map([...parts].map((part) => [`${partName(part)}.js`, users.get(part) ?? []]));
  for (const name of texts.keys()) add(`${folder}/${name}`, own.get(name) ?? []);
  const listed = [...groups].sort(([a], [b]) => a < b ? -1 : 1).map(([key, files]) => {
    const hash = createHash("sha256"), sizes: Record<string, number> = {};
    for (const file of files.sort()) {
      const text = file.startsWith(`${folder}/`) ? texts.get(file.slice(folder.length + 1)) : undefined;
      const bytes = text === undefined ? readFileSync(file) : new TextEncoder().encode(text);
      sizes[file] = bytes.length;
      hash.update(bytes);
    }
    return { users: key === "" ? null : key.split(" "), sha256: hash.digest("hex"), files: sizes };
  });
  return `${JSON.stringify(listed, null, 2)}\n`;
}

/** The commands that may load a source, and `scripts` where these may, by source. */
function usersOf(
  graph: ReadonlyMap<string, Loads>,
  partsOf: ReadonlyMap<string, readonly string[]>,
): Map<string, string[]> {
  const loads = new Map([...graph].map(([file, { always }]) => [
    file,
    { always, later: file === MAIN ? [] : [...partsOf.get(file) ?? []] },
  ]));
  const names = [...readFileSync(MAIN, "utf8").matchAll(/^ {2}"?([\w-]+)"?: \{\n {4}about:/gm)].map(([, name]) => name);
  if (names.length === 0) throw new Error(`scripts/bundle finds no commands in ${MAIN}`);
  const users = new Map<string, string[]>();
  const add = (name: string, first: readonly string[]) => {
    for (const file of reached(loads, first, true)) users.set(file, [...users.get(file) ?? [], name]);
  };
  for (const name of names) {
    // a script for the shell is made of the tables of all commands
    const first = name === "completion" ? partsOf.get(MAIN) ?? [] : [`cli/${name.replaceAll("-", "_")}.ts`];
    add(name, first);
  }
  // one group for both entries: what one of them runs, the other does
  add("scripts", ENTRIES);
  return users;
}
