/** The README as its reader meets it: every snippet and every command runs, in its order, in one folder. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { type CommandLine, parseArguments } from "../cli/arguments.ts";
import { loadPrediction } from "../lib/config/load.ts";
import { inFolder, start } from "./cli/support.ts";
import { instrumented, states } from "./stated.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");
const { tasks } = JSON.parse(readFileSync(join(root, "deno.json"), "utf8")) as { tasks: Record<string, string> };

/** Fenced blocks of a language. */
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp("^```" + language + "\\n([^]*?)^```$", "gm"))].map(([, text]) => text);

/** A command of the README: what it reads, the task and its arguments. */
interface Call {
  shown: string;
  stdin?: string;
  task: string;
  args: string[];
}

/** Words of a shell command, quotes taken away. */
const words = (text: string) =>
  [...text.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"));

function callOf(line: string): Call {
  const [, piped, rest] = /^(?:echo (.*) \| )?(.*)$/.exec(line)!;
  const [program, ...args] = words(rest.replace(/^(\w+=\S+ )+/, ""));
  const task = program === "npx"
    ? args.indexOf("task")
    : program === "deno" && args[0] === "task"
    ? 0
    : assert.fail(`what is this? ${line}`);
  return { shown: line, stdin: piped && words(piped)[0], task: args[task + 1], args: args.slice(task + 2) };
}

const calls = blocks("sh").flatMap((block) => block.trim().split("\n")).map(callOf);

/** Tasks that are not commands of `cli/main.ts`: run elsewhere, or not in a test (measuring, downloading, these tests). */
const OTHER_TASKS = ["test", "bench", "perf-data"];

test("README's commands exist, with the options they are given", async () => {
  assert.ok(calls.length > 20);
  for (const { shown, task, args } of calls) {
    assert.ok(task in tasks, `${shown}: deno.json has no task ${task}`);
    if (OTHER_TASKS.includes(task)) continue;
    assert.match(tasks[task], new RegExp(` cli/main\\.ts ${task}$`), shown);
    const { line } = await commandOf(task);
    assert.doesNotThrow(() => parseArguments(line, args), shown);
  }
  const tabled = [...readme.matchAll(/^\| `([a-z-]+)` +\| /gm)].map(([, name]) => name).filter((name) => name in tasks);
  const commands = Object.keys(tasks).filter((name) => / cli\/main\.ts [a-z-]+$/.test(tasks[name]));
  assert.deepEqual(tabled.toSorted(), commands.toSorted(), "the table of commands");
});

async function commandOf(task: string): Promise<{ line: CommandLine }> {
  const exported = await import(`../cli/${task}.ts`);
  if (task === "recommend") return exported.recommendCommand("test");
  return task === "predict" ? exported.predictCommand(() => assert.fail()) : exported[`${task}Command`];
}

test("README's snippets and commands run as they stand, one after the other in one folder", () =>
  inFolder(async (folder) => {
    symlinkSync(join(root, "fixtures"), join(folder, "fixtures"));
    const paths = { dynosim: [join(root, "mod.ts")] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { paths } })); // for Bun
    for (const [i, snippet] of blocks("ts").entries()) {
      const path = join(folder, `snippet_${i + 1}.ts`);
      writeFileSync(path, snippet);
      const { code, stdout, stderr } = await start(path, [], { cwd: folder });
      assert.deepEqual([code, stderr], [0, ""], snippet);
      for (const value of instrumented(snippet, "").stated) {
        assert.ok(stdout.split("\n").some((line) => states(value, line)), `states ${value}, prints ${stdout}`);
      }
    }
    for (const { shown, stdin, task, args } of calls) {
      if (OTHER_TASKS.includes(task)) continue;
      const { code, stderr } = await start("cli/main.ts", [task, ...args], { cwd: folder, stdin });
      // a search says on standard error what it looks at and what it came to
      const told = task === "recommend"
        ? []
        : stderr.split("\n").filter((line) =>
          line !== "" && !line.startsWith(`dynosim ${task}: warning: `) && !line.startsWith("Assumed: ")
        );
      assert.deepEqual([code, told], [0, []], `${shown}\n${stderr}`);
    }
    for (const name of ["report.html", "planner.html", "traces/chat-replay.jsonl", "busy.jsonl.gz", "short.jsonl.gz"]) {
      assert.ok(existsSync(join(folder, name)), name);
    }
  }));

test("README's configurations are valid", async () => {
  const configurations = blocks("yaml");
  assert.ok(configurations.length > 0);
  for (const text of configurations) {
    const { warnings } = await loadPrediction(text, { name: "README.md", stack: "dynamo" });
    assert.deepEqual(warnings, []);
  }
});

test("README links only to files that exist", () => {
  for (const [, target] of readme.matchAll(/\]\(([^)#:]+)\)/g)) assert.ok(existsSync(join(root, target)), target);
});
