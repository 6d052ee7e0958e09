/** What pages, the READMEs of folders and comments name is there: files, sections, tasks, and every room of `lib`. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { anchor, headingsOf, pages, root, tasks } from "./pages.ts";

/** Files below a folder of the checkout, by their paths from its root. */
const below = (folder: string, ending: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(ending))
    .map((path) => `${folder}/${path}`).toSorted();
const read = (path: string) => ({ path, text: readFileSync(join(root, path), "utf8") });

const readmes = ["data/README.md", ...below("fixtures", "README.md")].map(read);
const code = ["cli", "lib", "scripts", "start"].flatMap((folder) => below(folder, ".ts")).map(read);
const named = [...pages, ...readmes, ...code, ...["mod.ts", "replay.ts"].map(read)];

test("links of pages and of the READMEs of folders lead to files and sections that are there", () => {
  const dead: string[] = [];
  for (const { path, text } of [...pages, ...readmes]) {
    for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [file, part] = target.split("#"), to = file === "" ? path : join(dirname(path), file);
      if (!existsSync(join(root, to))) dead.push(`${path}: ${target}`);
      else if (part !== undefined && to.endsWith(".md") && !headingsOf(read(to)).map(anchor).includes(part)) {
        dead.push(`${path}: ${target} is no section`);
      }
    }
  }
  assert.deepEqual(dead, []);
});

test("files of the checkout that pages and comments name are there", () => {
  const missing: string[] = [];
  for (const { path, text } of named) {
    const paths = /(?<![\w/.-])(?:cli|lib|scripts|start|docs|tests|fixtures|data|vendor|\.ci)\/[\w/-]+(?:\.\w+)*/g;
    for (const [file] of text.matchAll(paths)) if (!existsSync(join(root, file))) missing.push(`${path}: ${file}`);
  }
  assert.deepEqual(missing, []);
});

test("tasks that pages and comments name are those of deno.json", () => {
  const unknown: string[] = [];
  for (const { path, text } of named) {
    for (const [, task] of text.matchAll(/deno task (?:--\w+ )*([a-z][\w-]*)/g)) {
      if (!Object.hasOwn(tasks, task)) unknown.push(`${path}: deno task ${task}`);
    }
  }
  assert.deepEqual(unknown, []);
});

test("the map of the house in docs/adding-a-part.md has every room of lib", () => {
  const { text } = pages.find(({ path }) => path === "docs/adding-a-part.md")!;
  const map = /^lib\/.*\n((?: {2}.*\n)+)/m.exec(text)![1];
  const words = new Set([...map.matchAll(/^ {2}([\w .]+?)(?: {2,}|$)/gm)].flatMap(([, names]) => names.split(" ")));
  assert.deepEqual([...words].toSorted(), readdirSync(join(root, "lib")).toSorted());
});
