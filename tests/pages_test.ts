/**
 * README and docs, page by page: every snippet and every command runs, in its order, in a folder that holds a copy of the
 * fixtures, with an empty cache.
 */
import "./without_user_cache.ts";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { parseArguments } from "../cli/arguments.ts";
import { loadPrediction } from "../lib/config/load.ts";
import { inFolder, start } from "./cli/support.ts";
import {
  anchor,
  blocks,
  blocksOf,
  callsOf,
  headingsOf,
  leftOut,
  lineOf,
  OTHER_TASKS,
  pages,
  root,
  tasks,
} from "./pages.ts";
import { instrumented, states } from "./stated.ts";

/** A user without anything: no cache of measurements or models. Deno keeps what it has compiled. */
function emptyHome(folder: string): Record<string, string> {
  const home = join(folder, "home");
  mkdirSync(home);
  const env = { HOME: home, XDG_CACHE_HOME: join(home, ".cache"), DYNOSIM_CACHE: "", HF_HOME: "", HF_HUB_CACHE: "" };
  if (!("Deno" in globalThis)) return env;
  const { stdout } = spawnSync(process.execPath, ["info", "--json"], { encoding: "utf8" });
  return { ...env, DENO_DIR: JSON.parse(stdout).denoDir };
}

/** A copy of the fixtures that pages name. */
function copyFixtures(folder: string): void {
  for (const name of ["configs", "traces"]) {
    cpSync(join(root, "fixtures", name), join(folder, "fixtures", name), { recursive: true });
  }
}

for (const page of pages) {
  const calls = callsOf(page);

  test(`${page.path}: its commands exist, with the options they are given`, async () => {
    for (const { shown, task, args } of calls) {
      assert.ok(task in tasks, `${shown}: there is no command ${task}`);
      if (OTHER_TASKS.includes(task)) continue;
      assert.match(tasks[task], new RegExp(` cli/dynosim\\.ts ${task}$`), shown);
      const line = await lineOf(task);
      assert.doesNotThrow(() => parseArguments(line, args), shown);
    }
  });

  test(`${page.path}: its table of contents leads to every section`, () => {
    if (page.path === "README.md" || headingsOf(page).length < 2) return;
    const sections = [...page.text.matchAll(/^## (.+)$/gm)].map(([, heading]) => anchor(heading));
    const listed = [...page.text.matchAll(/^- \[.+\]\(#(.+)\)$/gm)].map(([, address]) => address);
    assert.deepEqual(listed, sections);
  });

  test(`${page.path}: its configurations are valid`, async () => {
    for (const text of blocks(page, "yaml")) {
      const { warnings } = await loadPrediction(text, { name: page.path, stack: "dynamo" });
      assert.deepEqual(warnings, []);
    }
  });

  const snippets = blocks(page, "ts");
  if (snippets.length === 0 && calls.every(leftOut)) continue;
  test(`${page.path}: its snippets and commands run as they stand, one after the other in one folder`, () =>
    inFolder(async (folder) => {
      copyFixtures(folder);
      const env = emptyHome(folder);
      const paths = { dynosim: [join(root, "mod.ts")] };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { paths } })); // for Bun
      for (const { language, text, above } of blocksOf(page)) {
        const [, name] = /`([\w-]+\.yaml)`\):$/.exec(above) ?? [];
        if (language === "yaml" && name !== undefined) writeFileSync(join(folder, name), text);
      }
      for (const [i, snippet] of snippets.entries()) {
        const path = join(folder, `snippet_${i + 1}.ts`);
        writeFileSync(path, snippet);
        const { code, stdout, stderr } = await start(path, [], { cwd: folder, env });
        const problems = stderr.split("\n").filter((line) => line !== "" && !line.startsWith("dynosim: ")); // no warnings
        assert.deepEqual([code, problems], [0, []], snippet);
        for (const value of instrumented(snippet, "").stated) {
          assert.ok(stdout.split("\n").some((line) => states(value, line)), `states ${value}, prints ${stdout}`);
        }
      }
      let printed = "";
      for (const call of calls) {
        if (leftOut(call)) continue;
        const { shown, stdin, task, args } = call;
        const { code, stdout, stderr } = await start("cli/main.ts", [task, ...args], { cwd: folder, stdin, env });
        printed += stdout;
        // a search says on standard error what it looks at and what it came to
        const told = task === "recommend"
          ? []
          : stderr.split("\n").filter((line) =>
            line !== "" && !line.startsWith(`dynosim ${task}: warning: `) && !line.startsWith("Assumed: ")
          );
        assert.deepEqual([code, told], [0, []], `${shown}\n${stderr}`);
        const at = args.findIndex((arg) => arg === "-o" || arg === "--output");
        if (at >= 0 && task !== "convert") assert.ok(statSync(join(folder, args[at + 1])).size > 0, shown);
      }
      // what a page shows of the output of its commands is what they print
      for (const text of blocks(page, "text").filter((text) => /^\d+ % of [\d,]+ requests/.test(text))) {
        for (const line of text.split("\n").filter((line) => line !== "")) {
          assert.ok(printed.split("\n").includes(line), `shows '${line}', but no command prints it:\n${printed}`);
        }
      }
    }));
}

test("the table of commands in docs/command.md has them all", () => {
  const page = pages.find(({ path }) => path === "docs/command.md")!;
  const tabled = [...page.text.matchAll(/^\| `([a-z-]+)` +\| /gm)].map(([, name]) => name).filter((name) =>
    name in tasks
  );
  const commands = Object.keys(tasks).filter((name) => / cli\/dynosim\.ts [a-z-]+$/.test(tasks[name]));
  assert.deepEqual(tabled.toSorted(), commands.toSorted());
});

test("every page is on the list of pages, and README stays on two screens", () => {
  const list = pages.find(({ path }) => path === "docs/README.md")!;
  for (const { path } of pages) {
    if (path !== list.path && path !== "README.md") {
      assert.ok(list.text.includes(`](${path.slice("docs/".length)})`), path);
    }
  }
  const readme = pages.find(({ path }) => path === "README.md")!;
  assert.ok(readme.text.split("\n").length <= 130);
  assert.deepEqual(callsOf(readme).slice(0, 2).map(({ task }) => task), ["predict", "test"], "the two commands");
});
