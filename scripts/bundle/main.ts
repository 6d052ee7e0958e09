/**
 * Makes `bundle/`, the commands and what scripts import as a few files of JavaScript, which is what runs as long as the
 * sources are those it was made of (`start/current.ts`): loading 300 modules takes longer than a small prediction. Also
 * makes `start/mod.js` and `start/replay.js`, which scripts import. The files are never edited.
 *
 * - `base.js`, `config.js`, `timing.js` and `core.js` hold what a plain `predict` needs, `planner.js` what one with a
 *   Planner needs beyond that, `analysis.js`, `calibrate.js`, `drawing.js`, `retune.js`, `router.js`, `search.js`,
 *   `traces.js` and `shared.js` what several other parts need, `scripts.js`, `replay.js` and `mod.js` what only scripts
 *   do, and each part that is imported by name (docs/speed.md) is a file of its own. All of them share their modules, so
 *   that a class is the same class everywhere.
 * - `sources.json` lists the sources and these files, by the commands that may load them, with sizes and digests.
 *
 * `deno bundle` does the work on a copy of the sources (see `prepared.ts`). Its files are kept as it writes them but for
 * names of files, so they can be read, and merged line by line.
 *
 * Run: `deno task bundle`, or `deno task check-bundle`, which compares the folder with the sources and writes nothing.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { denoOutput } from "../deno.ts";
import { type Loads, moduleGraph, reached } from "./graph.ts";
import { startText } from "./entries.ts";
import { ENTRIES, entryFile, MAIN, partName } from "./names.ts";
import { prepared } from "./prepared.ts";
import { sourcesText } from "./sources.ts";

/** The folder that is made. The file that runs commands is no part of it. */
const FOLDER = "bundle", LIST = `${FOLDER}/sources.json`, STARTER = "cli/dynosim.ts";

/**
 * File → what it holds, with all that these import and no file before it holds. A plain `predict` loads the first four,
 * one with a Planner all of them, `predict --help` two, `estimate` two. `base` also holds what both `config` and
 * `timing` need.
 */
const CORE: Readonly<Record<string, string[]>> = {
  base: [MAIN],
  config: ["cli/predict.ts"],
  timing: ["cli/estimate.ts", "lib/timing/aic/run_parts.ts"],
  core: [
    "lib/replay/predict.ts",
    "lib/replay/run_evidence.ts",
    "lib/traffic/load_trace.ts",
    "lib/traffic/synthetic.ts",
  ],
  planner: ["lib/replay/planner_autoscaler.ts", "lib/config/planner_source.ts"],
};

/** What is imported by name in the sources and always loaded in the bundle where it may be needed. */
const AT_ONCE = [
  "lib/timing/aic/run_parts.ts",
  "lib/replay/run_evidence.ts",
  "lib/traffic/load_trace.ts",
  "lib/traffic/synthetic.ts",
];

/**
 * A module that several parts need, or its folder → the file it goes to; others go to `shared.js`, and what only scripts
 * need to `scripts.js`.
 */
const SHARED: Readonly<Record<string, string>> = {
  "cli/convert.ts": "traces",
  "cli/reports.ts": "analysis",
  "lib/analysis": "analysis",
  "lib/autoscaler": "retune",
  "lib/calibrate": "calibrate",
  "lib/capacity": "search",
  "lib/config/retune_mapping.ts": "retune",
  "lib/io/text_digest.ts": "analysis",
  "lib/planner": "retune",
  "lib/recommend": "search",
  "lib/replay": "retune",
  "lib/report": "retune",
  "lib/report/check_report.ts": "analysis",
  "lib/report/saturation.ts": "shared",
  "lib/report/story": "shared",
  "lib/retune": "retune",
  "lib/router": "router",
  "lib/trace": "traces",
  "lib/traffic": "traces",
};

/** Packages that become part of the bundle, the first of `base.js`; all others are loaded when a part that needs them is. */
const INSIDE = ["valibot", "@std/yaml", "@noble/hashes/"];

/** Sources that are not ours to prepare. */
const OTHERS = ["deno.json", "vendor/yaml.js"];

const BANNER = `/*!
 * Made by \`deno task bundle\`, not to be edited; see scripts/bundle/main.ts.
 *
 * It holds three packages: yaml (ISC, Eemeli Aro, license in vendor/yaml.js), valibot (MIT, Fabian Hiller) and
 * @noble/hashes (MIT, Paul Miller), whose license is:
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
 * documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
 * rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
 * persons to whom the Software is furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
 * Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
 * WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
 * COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
 * OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 */
`;

/** Writes the copy that is bundled; returns the parts of each source that has any. */
function writeCopy(copy: string): Map<string, string[]> {
  const partsOf = new Map<string, string[]>();
  const inside = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name.replaceAll("\\", "/")}`);
  for (const file of [...ENTRIES, ...inside("cli"), ...inside("lib")]) {
    if (!file.endsWith(".ts") || file === STARTER) continue;
    const { text, parts } = prepared(file, AT_ONCE);
    if (parts.length > 0) partsOf.set(file, parts);
    mkdirSync(join(copy, dirname(file)), { recursive: true });
    writeFileSync(join(copy, file), text);
  }
  mkdirSync(join(copy, "vendor"));
  for (const file of [...OTHERS, "deno.lock", "package.json"]) copyFileSync(file, join(copy, file));
  return partsOf;
}

const imports = (files: Iterable<string>) => [...files].map((file) => `import "./${file}";\n`).join("");

/** The files that modules of several parts go to, each with its modules. */
function sharedFiles(parts: readonly string[], graph: ReadonlyMap<string, Loads>): Map<string, string[]> {
  const files = new Map<string, string[]>(), placed = new Set<string>();
  const timing = reached(graph, CORE.timing),
    both = [...reached(graph, CORE.config)].filter((path) => timing.has(path));
  for (const [name, roots] of Object.entries({ ...CORE, base: [...CORE.base, ...both] })) {
    const modules = [...reached(graph, roots)].filter((module) => !placed.has(module));
    files.set(name, modules.filter((module) => !module.startsWith("cli/") || !parts.includes(module)));
    for (const module of modules) placed.add(module);
  }
  const users = new Map<string, string[]>(), forScripts = reached(graph, ENTRIES);
  for (const part of parts) {
    for (const module of reached(graph, [part])) users.set(module, [...users.get(module) ?? [], part]);
  }
  for (const [module, by] of users) {
    if (by.length < 2 || placed.has(module)) continue;
    let name = by.every((part) => ENTRIES.includes(part)) ? "scripts" : sharedName(module);
    // the libraries that draw are loaded with the first figure
    if (name === "analysis" && !forScripts.has(module)) name = "drawing";
    files.set(name, [...files.get(name) ?? [], module]);
  }
  return files;
}

/** Writes what the bundler reads as the parts: what a part is made of, and the shared files that it needs as a whole. */
function writeEntries(
  copy: string,
  parts: readonly string[],
  graph: ReadonlyMap<string, Loads>,
  shared: ReadonlyMap<string, string[]>,
): void {
  for (const [name, modules] of shared) {
    const packages = name === "base" ? `import ${JSON.stringify(INSIDE[0])};\n` : "";
    writeFileSync(join(copy, `${name}.ts`), packages + imports(modules.sort()));
  }
  for (const part of parts) {
    const modules = reached(graph, [part]), needed = new Set(["base"]);
    for (const module of reached(graph, shared.get("base")!)) modules.add(module);
    // a shared file brings what its modules import, and with it others
    for (let before = -1; before < needed.size;) {
      before = needed.size;
      for (const [name, members] of shared) {
        if (!needed.has(name) && members.some((module) => modules.has(module))) {
          needed.add(name);
          for (const module of reached(graph, members)) modules.add(module);
        }
      }
    }
    const first = imports([...shared.keys()].filter((name) => needed.has(name)).map((name) => `${name}.ts`));
    writeFileSync(join(copy, entryFile(part)), `${first}export * from "./${part}";\n`);
  }
}

/** By the file itself, else the innermost of its folders that has an entry. */
function sharedName(file: string): string {
  for (let path = file; path !== "."; path = dirname(path)) if (path in SHARED) return SHARED[path];
  return "shared";
}

/** Bundles the copy; returns the text of each file of the bundle. */
function bundled(
  copy: string,
  parts: readonly string[],
  shared: ReadonlyMap<string, string[]>,
): Map<string, string> {
  const { imports } = JSON.parse(readFileSync("deno.json", "utf8")) as { imports: Record<string, string> };
  const outside = Object.keys(imports).filter((name) => !INSIDE.includes(name) && name !== "dynosim");
  denoOutput([
    ...["bundle", "--quiet", "--code-splitting", "--outdir", "out"],
    ...outside.map((name) => `--external=${name}`),
    ...parts.map(entryFile),
  ], copy);
  const out = join(copy, "out"), names = new Map<string, string>(), texts = new Map<string, string>();
  for (const file of readdirSync(out).sort()) {
    const text = readFileSync(join(out, file), "utf8");
    const name = file.startsWith("chunk-") ? sharedFile(text, shared) : file.replace(".entry.js", ".js");
    if (texts.has(name)) throw new Error(`${file}: there are two files ${name}; see SHARED in scripts/bundle/main.ts`);
    names.set(file, name);
    texts.set(name, text);
  }
  for (const [name, text] of texts) {
    const [node] = text.match(/^import .*"node:.*/m) ?? [];
    if (node && shared.has(name.slice(0, -".js".length))) {
      throw new Error(`${name}: ${node} loads Node's libraries with what needs none of them; see lib/io/digest.ts`);
    }
    texts.set(name, finished(text, names));
  }
  for (const [name, text] of texts) if (/^\/\/ (valibot|vendor|@noble)\//m.test(text)) texts.set(name, BANNER + text);
  return texts;
}

/** The shared file whose modules a file of the bundler holds. */
function sharedFile(text: string, shared: ReadonlyMap<string, string[]>): string {
  const modules = new Set([...text.matchAll(/^\/\/ (\S+)$/gm)].map(([, path]) => path));
  for (const [name, members] of shared) if (members.some((module) => modules.has(module))) return `${name}.js`;
  throw new Error(`there is a file for ${[...modules].join(", ")}; see scripts/bundle/main.ts`);
}

/** A file of the bundler as it is kept: the same on every machine, with names of ours. */
function finished(text: string, names: ReadonlyMap<string, string>): string {
  return text
    .replace(/(\bfrom |\bimport )"\.\/([^"/]+\.js)"/g, (_, how, file) => `${how}"./${names.get(file)}"`)
    // looked up when it is called, not when this file is loaded
    .replace(/\bimport\("\.\/([^"/]+\.js)"\)/g, (_, file) => `import(import.meta.resolve("./${names.get(file)}"))`)
    .replace(/^\/\/ \S*\/registry[^/]*\/(\S+)$/gm, "// $1")
    .replace(/^\/\/ (?:\.\.\/)+\S*?\/npm\/[^/]+\/(\S+)$/gm, "// $1")
    // text of one byte a character, as V8 stores it then too
    .replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** All that is made, by path. */
function made(): Map<string, string> {
  // the bundler tells where modules are without symbolic links
  const copy = realpathSync(mkdtempSync(join(tmpdir(), "dynosim-bundle-")));
  try {
    const partsOf = writeCopy(copy);
    const parts = [...new Set([MAIN, ...ENTRIES, ...[...partsOf.values()].flat()])].sort();
    writeFileSync(join(copy, "all.ts"), imports(parts));
    const graph = moduleGraph(pathToFileURL(`${copy}/`), "all.ts");
    const shared = sharedFiles(parts, graph);
    writeEntries(copy, parts, graph, shared);
    const texts = bundled(copy, parts, shared);
    const files = new Map([...texts].map(([name, text]) => [`${FOLDER}/${name}`, text]));
    files.set(LIST, sourcesText({ graph, partsOf, texts, others: OTHERS, folder: FOLDER }));
    for (const entry of ENTRIES) {
      const name = `${partName(entry)}.js`;
      files.set(`start/${name}`, startText(entry, texts.get(name)!));
    }
    return files;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

const { check } = parseArgs({ options: { check: { type: "boolean", default: false } } }).values;
const files = made();
const present = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => !name.startsWith(".")) : [];
const stale = [...new Set([...files.keys(), ...present.map((name) => `${FOLDER}/${name}`)])].filter((path) =>
  !files.has(path) || !existsSync(path) || readFileSync(path, "utf8") !== files.get(path)
);
if (!check) {
  // written last: without it, nothing runs a bundle of which only some files are new
  if (stale.length > 0) rmSync(LIST, { force: true });
  for (const path of stale) {
    const text = files.get(path);
    if (text === undefined) rmSync(path);
    else if (path !== LIST) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
  }
  if (stale.length > 0) writeFileSync(LIST, files.get(LIST)!);
} else if (stale.length > 0) {
  console.error(
    `${FOLDER}/ is not what the sources make (${stale.slice(0, 3).join(", ")} …); run \`deno task bundle\``,
  );
  process.exit(1);
} else console.log(`${FOLDER}/: ${files.size} files, as the sources make them`);
