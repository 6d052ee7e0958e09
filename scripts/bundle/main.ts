/**
 * Makes `bundle/`, the commands as a few files of JavaScript, which is what `cli/dynosim.ts` runs as long as the sources
 * are those it was made of: loading 300 modules takes longer than a small prediction. The files are never edited.
 *
 * - `core.js` holds what a plain `predict` needs, `planner.js`, `analysis.js`, `search.js` and `shared.js` what several
 *   parts need beyond that, and each part that is imported by name (docs/speed.md) is a file of its own. All of them
 *   share their modules, so that a class is the same class everywhere.
 * - `sources.json` lists the sources with their sizes and digests, by the commands that may load them.
 *
 * `deno bundle` does the work on a copy of the sources (see `prepared.ts`). Its files are kept as it writes them but for
 * names of files, so they can be read, and merged line by line.
 *
 * Run: `deno task bundle`, or `deno task check-bundle`, which compares the folder with the sources and writes nothing.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { type Loads, moduleGraph, reached } from "./graph.ts";
import { entryFile, MAIN } from "./names.ts";
import { prepared } from "./prepared.ts";

/** The folder that is made. The file that runs it is no part of it. */
const FOLDER = "bundle", STARTER = "cli/dynosim.ts";

/** What a plain `predict` loads, beside the entry point; with all that these import it becomes `core.js`. */
const CORE = [
  "cli/predict.ts",
  "lib/replay/predict.ts",
  "lib/replay/run_evidence.ts",
  "lib/timing/aic/run_parts.ts",
  "lib/traffic/load_trace.ts",
];

/** A module that several parts need, or its folder → the file it goes to; others go to `shared.js`. */
const SHARED: Readonly<Record<string, string>> = {
  "cli/convert.ts": "traces",
  "cli/reports.ts": "analysis",
  "lib/analysis": "analysis",
  "lib/autoscaler": "planner",
  "lib/capacity": "search",
  "lib/planner": "planner",
  "lib/recommend": "search",
  "lib/replay": "planner",
  "lib/report": "planner",
  "lib/report/check_report.ts": "analysis",
  "lib/report/saturation.ts": "shared",
  "lib/retune": "planner",
  "lib/trace": "traces",
  "lib/traffic": "traces",
};

/** Packages that become part of the bundle; all others are loaded when a part that needs them is. */
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
  for (const folder of ["cli", "lib"]) {
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const file = `${folder}/${name.replaceAll("\\", "/")}`;
      if (!file.endsWith(".ts") || file === STARTER) continue;
      const { text, parts } = prepared(file, CORE);
      if (parts.length > 0) partsOf.set(file, parts);
      mkdirSync(join(copy, dirname(file)), { recursive: true });
      writeFileSync(join(copy, file), text);
    }
  }
  mkdirSync(join(copy, "vendor"));
  for (const file of [...OTHERS, "deno.lock", "package.json"]) copyFileSync(file, join(copy, file));
  writeFileSync(join(copy, "core.ts"), imports(CORE));
  return partsOf;
}

const imports = (files: Iterable<string>) => [...files].map((file) => `import "./${file}";\n`).join("");

/** Writes the files that say what the parts consist of, so that modules of several parts end up in few files. */
function writeEntries(copy: string, parts: readonly string[], graph: ReadonlyMap<string, Loads>): void {
  const core = reached(graph, [MAIN, "core.ts"]);
  const reach = new Map(parts.map((part) => [part, reached(graph, [part])]));
  const users = new Map<string, number>();
  for (const files of reach.values()) {
    for (const file of files) if (!core.has(file)) users.set(file, (users.get(file) ?? 0) + 1);
  }
  const groups = new Map<string, string[]>();
  for (const [file, count] of [...users].sort()) {
    if (count < 2) continue;
    const name = sharedName(file);
    groups.set(name, [...groups.get(name) ?? [], file]);
  }
  for (const [name, files] of groups) writeFileSync(join(copy, `${name}.ts`), imports(files));
  for (const [part, files] of reach) {
    const needed = new Set<string>();
    // a group brings what its modules import, and with it other groups
    for (let before = -1; before < needed.size;) {
      before = needed.size;
      for (const [name, members] of groups) {
        if (members.some((file) => files.has(file))) {
          needed.add(name);
          for (const file of reached(graph, members)) files.add(file);
        }
      }
    }
    const first = imports(["core.ts", ...[...needed].sort().map((name) => `${name}.ts`)]);
    writeFileSync(join(copy, entryFile(part)), `${first}export * from "./${part}";\n`);
  }
}

const sharedName = (file: string) => SHARED[file] ?? SHARED[file.split("/").slice(0, 2).join("/")] ?? "shared";

/** Bundles the copy; returns the text of each file of the bundle. */
function bundled(copy: string, parts: readonly string[]): Map<string, string> {
  const { imports } = JSON.parse(readFileSync("deno.json", "utf8")) as { imports: Record<string, string> };
  const outside = Object.keys(imports).filter((name) => !INSIDE.includes(name) && name !== "dynosim");
  const { stderr, status, error } = spawnSync(process.execPath, [
    ...["bundle", "--quiet", "--code-splitting", "--outdir", "out"],
    ...outside.map((name) => `--external=${name}`),
    ...parts.map(entryFile),
  ], { cwd: copy, encoding: "utf8" });
  if (error) throw error;
  if (status !== 0) throw new Error(`deno bundle failed: ${stderr.trim()}`);
  const out = join(copy, "out"), names = new Map<string, string>(), texts = new Map<string, string>();
  for (const file of readdirSync(out).sort()) {
    const text = readFileSync(join(out, file), "utf8");
    const name = file.startsWith("chunk-") ? chunkName(text) : file.replace(".entry.js", ".js");
    if (texts.has(name)) throw new Error(`${file}: there are two files ${name}; see SHARED in scripts/bundle/main.ts`);
    names.set(file, name);
    texts.set(name, text);
  }
  for (const [name, text] of texts) texts.set(name, finished(text, names));
  texts.set("core.js", BANNER + texts.get("core.js"));
  return texts;
}

/** The file that modules of several parts go to, by the first module of the file that tells. */
function chunkName(text: string): string {
  const files = [...text.matchAll(/^\/\/ ((?:cli|lib)\/\S+\.ts)$/gm)].map(([, file]) => file);
  if (files.includes(CORE[0])) return "core.js";
  const names = new Set(files.map(sharedName));
  for (const name of Object.values(SHARED)) if (names.has(name)) return `${name}.js`;
  return "shared.js";
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

/** The text of `sources.json`: groups of sources that the same commands may load. */
function sourcesText(graph: ReadonlyMap<string, Loads>, partsOf: ReadonlyMap<string, string[]>): string {
  const commands = [...readFileSync(MAIN, "utf8").matchAll(/^ {2}"?([\w-]+)"?: \{\n {4}about:/gm)].map(([, name]) =>
    name
  );
  const all = new Map<string, Loads>();
  for (const [file, { always }] of graph) {
    all.set(file, { always, later: file === MAIN ? [] : partsOf.get(file) ?? [] });
  }
  const core = reached(all, [MAIN, ...CORE]);
  const users = new Map<string, string[]>();
  for (const name of commands) {
    const first = name === "completion" ? partsOf.get(MAIN) ?? [] : [`cli/${name.replace("-", "_")}.ts`];
    for (const file of reached(all, first, true)) users.set(file, [...users.get(file) ?? [], name]);
  }
  const groups = new Map<string, string[]>([["", [...OTHERS]]]);
  for (const file of new Set([...core, ...users.keys()])) {
    if (!existsSync(file)) continue;
    const key = core.has(file) ? "" : users.get(file)!.join(" ");
    groups.set(key, [...groups.get(key) ?? [], file]);
  }
  const listed = [...groups].sort().map(([key, files]) => {
    const hash = createHash("sha256"), sizes: Record<string, number> = {};
    for (const file of [...new Set(files)].sort()) {
      const bytes = readFileSync(file);
      sizes[file] = bytes.length;
      hash.update(bytes);
    }
    return { commands: key === "" ? null : key.split(" "), sha256: hash.digest("hex"), files: sizes };
  });
  return `${JSON.stringify(listed, null, 2)}\n`;
}

function made(): Map<string, string> {
  const copy = mkdtempSync(join(tmpdir(), "dynosim-bundle-"));
  try {
    const partsOf = writeCopy(copy);
    const parts = [...new Set([MAIN, ...[...partsOf.values()].flat()])].sort();
    writeFileSync(join(copy, "all.ts"), imports(["core.ts", ...parts]));
    const graph = moduleGraph(pathToFileURL(`${copy}/`), "all.ts");
    writeEntries(copy, parts, graph);
    const texts = bundled(copy, parts);
    texts.set("sources.json", sourcesText(graph, partsOf));
    return texts;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

const { check } = parseArgs({ options: { check: { type: "boolean", default: false } } }).values;
const texts = made();
const present = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => !name.startsWith(".")) : [];
const stale = [...new Set([...texts.keys(), ...present])].filter((name) => {
  const path = join(FOLDER, name);
  return !texts.has(name) || !existsSync(path) || readFileSync(path, "utf8") !== texts.get(name);
});
if (!check) {
  mkdirSync(FOLDER, { recursive: true });
  for (const name of stale) {
    const text = texts.get(name);
    if (text === undefined) rmSync(join(FOLDER, name));
    else writeFileSync(join(FOLDER, name), text);
  }
} else if (stale.length > 0) {
  console.error(
    `${FOLDER}/ is not what the sources make (${stale.slice(0, 3).join(", ")} …); run \`deno task bundle\``,
  );
  process.exit(1);
} else console.log(`${FOLDER}/: ${texts.size} files, as the sources make them`);
