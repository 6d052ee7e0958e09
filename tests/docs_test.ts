/**
 * Documentation as a contract: every snippet of a docstring runs, and what it prints is what it states (`// 40` behind a
 * `console.log`). Types of snippets are checked by `deno task check`, fields without a docstring by `deno task check-docs`.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inFolder } from "./cli/support.ts";
import { instrumented, type Said, states } from "./stated.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/** What scripts import → its file. */
const ENTRIES: Record<string, string> = { "dynosim": "mod.ts", "dynosim/replay": "replay.ts" };

/** A snippet, and where it begins. */
interface Snippet {
  place: string;
  /** Its imports are addresses. */
  text: string;
}

function snippetsOf(path: string): Snippet[] {
  const text = readFileSync(path, "utf8");
  const address = (name: string) =>
    pathToFileURL(ENTRIES[name] ? join(root, ENTRIES[name]) : join(dirname(path), name));
  return [...text.matchAll(/^( *) \* ```ts\n([^]*?)^ *\* ```$/gm)].map(({ 2: body, index }) => ({
    place: `${relative(root, path)}:${text.slice(0, index).split("\n").length}`,
    text: body.replaceAll(/^ *\* ?/gm, "").replaceAll(
      / from "(dynosim(?:\/replay)?|\..*)"/g,
      (_, name) => ` from "${address(name)}"`,
    ),
  }));
}

const paths = readdirSync(join(root, "lib"), { recursive: true, encoding: "utf8" }).filter((path) =>
  /\.ts$/.test(path)
);
const snippets = ["mod.ts", "replay.ts", ...paths.toSorted().map((path) => join("lib", path))]
  .flatMap((path) => snippetsOf(join(root, path)));

test("docstrings' snippets run and print what they state", () =>
  inFolder(async (folder) => {
    assert.ok(snippets.length > 150);
    const log = console.log;
    const wrong: string[] = [];
    let compared = 0;
    for (const [i, { place, text }] of snippets.entries()) {
      const said: Said[] = [];
      const { code, stated } = instrumented(text, `said_${i}`);
      const path = join(folder, `snippet_${i}.ts`);
      writeFileSync(path, code);
      Object.assign(globalThis, { [`said_${i}`]: said });
      console.log = () => {};
      try {
        await import(pathToFileURL(path).href);
      } catch (problem) {
        wrong.push(`${place}: ${problem}`);
        continue;
      } finally {
        console.log = log;
      }
      for (const [at, statement] of stated.entries()) {
        const printed = said.filter((one) => one.at === at).map(({ text }) => text).join(", ");
        if (!states(statement, printed)) wrong.push(`${place}: prints ${printed}, states ${statement}`);
        compared++;
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(compared > 100, `${compared} values are stated`);
  }));
