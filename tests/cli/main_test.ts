import assert from "node:assert/strict";
import { test } from "node:test";
import { start } from "./support.ts";

test("main lists its commands", async () => {
  const { code, stdout, stderr } = await start("cli/main.ts", ["--help"]);
  assert.deepEqual([code, stderr], [0, ""]);
  for (const command of ["predict", "compare"]) assert.match(stdout, new RegExp(`^  ${command} +\\w`, "m"));
});

test("main tells its version", async () => {
  const { code, stdout } = await start("cli/main.ts", ["--version"]);
  assert.equal(code, 0);
  assert.match(stdout, /^dynosim \d+\.\d+\.\d+\n$/);
});

test("main wants a command and knows near names", async () => {
  const none = await start("cli/main.ts", []);
  assert.equal(none.code, 2);
  assert.match(none.stderr, /dynosim: error: the following arguments are required: command\n$/);
  const wrong = await start("cli/main.ts", ["predcit"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /error: argument command: invalid choice: 'predcit' \(.*\); did you mean 'predict'\?\n$/);
});

test("every command of main has help made from its table", async () => {
  const { stdout } = await start("cli/main.ts", ["--help"]);
  const names = [...stdout.matchAll(/^ {2}([a-z-]+) {2}/gm)].map(([, name]) => name);
  assert.ok(names.length >= 2);
  for (const name of names) {
    const help = await start("cli/main.ts", [name, "--help"]);
    assert.equal(help.code, 0, name);
    assert.match(help.stdout, new RegExp(`^usage: dynosim ${name}\\s`));
    assert.ok(help.stdout.split("\n").every((line) => line.length <= 80), help.stdout);
    assert.match(help.stdout, /-h, --help +show this and exit/);
    assert.match(
      help.stdout.replace(/\n(?!Exit)/g, " "),
      /\nExit codes: 0 done, 1 [^.]+, 2 command line or configuration, 3 [^.]+, 130 Ctrl-C\. $/,
    );
  }
});
