import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { choice, flag, list, text } from "../../cli/arguments.ts";
import { bashCompletion, fishCompletion, type ListedCommand, zshCompletion } from "../../cli/completion_scripts.ts";
import { inFolder, start } from "./support.ts";

const finds = (program: string) => spawnSync(program, ["--version"]).status === 0;
const skip = (program: string) => finds(program) ? false : `no ${program} on this machine`;
/** Shells complain of a language that a machine was told of and does not have. */
const env = { ...process.env, LC_ALL: "C" };

const COMMANDS: ListedCommand[] = [{
  about: "tries what's there: all of it",
  line: {
    command: "try",
    summary: "Tries.",
    options: {
      config: text("the file [YAML]", { value: "FILE", short: "c", required: true }),
      format: choice("what's printed", ["table", "json"], { fallback: "table" }),
      set: list("changes: one", { value: "PATH=YAML" }),
      dryRun: flag("do nothing"),
    },
    operands: { name: "DIR…", help: "directories", least: 0, most: 2 },
  },
}, {
  about: "does things",
  line: {
    command: "do",
    summary: "Does.",
    options: {},
    operands: { name: "ACTION", help: "which", least: 1, most: 9, choices: ["start", "stop"] },
  },
}];

/** What bash offers for a line whose last word is being typed. */
function offered(script: string, ...words: string[]): string[] {
  const code = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dynosim; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", code, script, "dynosim", ...words], {
    encoding: "utf8",
    env,
    cwd: join(script, ".."),
  });
  assert.equal(stderr, "");
  return stdout.split("\n").filter((word) => word !== "").toSorted();
}

test("bash completes commands, options, their words and files", { skip: skip("bash") }, () =>
  inFolder((folder) => {
    const script = join(folder, "script");
    writeFileSync(script, bashCompletion(COMMANDS));
    const of = (...words: string[]) => offered(script, ...words);
    assert.deepEqual(of(""), ["--help", "--version", "do", "try"]);
    assert.deepEqual(of("t"), ["try"]);
    assert.deepEqual(of("try", "-"), ["--config", "--dry-run", "--format", "--help", "--set"]);
    assert.deepEqual(of("try", "--format", ""), ["json", "table"]);
    assert.deepEqual(of("try", "--format", "=", "j"), ["json"]);
    assert.deepEqual(of("try", "--format", "="), ["json", "table"]);
    assert.deepEqual(of("try", "-c", ""), ["script"]);
    assert.deepEqual(of("try", "--set", ""), []);
    assert.deepEqual(of("try", "s"), ["script"]);
    assert.deepEqual(of("do", "st"), ["start", "stop"]);
    assert.deepEqual(of("do", "start", ""), []);
    return Promise.resolve();
  }));

test("the script for zsh names every option with its help and its value", () => {
  const script = zshCompletion(COMMANDS);
  assert.ok(script.startsWith("#compdef dynosim\n"));
  assert.ok(script.includes(`'try:tries what'\\''s there: all of it'`));
  assert.ok(script.includes(`'--config[the file \\[YAML\\]]:value:_files' '-c[the file \\[YAML\\]]:value:_files'`));
  assert.ok(script.includes(`'--format[what'\\''s printed]:value:(table json)'`));
  assert.ok(script.includes(`'*--set[changes\\: one]:value: '`));
  assert.ok(script.includes(`'--dry-run[do nothing]'`));
  assert.ok(script.includes(`'1:value:(start stop)'`));
});

test("the script for fish names every option with its help and its value", () => {
  const script = fishCompletion(COMMANDS);
  const at = "complete -c dynosim -n '__fish_seen_subcommand_from try'";
  for (
    const line of [
      `complete -c dynosim -n __fish_use_subcommand -a try -d 'tries what\\'s there: all of it'`,
      `${at} -l config -s c -r -F -d 'the file [YAML]'`,
      `${at} -l format -x -a 'table json' -d 'what\\'s printed'`,
      `${at} -l dry-run -d 'do nothing'`,
      `complete -c dynosim -n '__fish_seen_subcommand_from do' -a 'start stop'`,
    ]
  ) assert.ok(script.split("\n").includes(line), line);
});

test("completion prints scripts that their shells can read, made of all commands", async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout, stderr } = await start("cli/main.ts", ["completion", shell]);
    assert.deepEqual([code, stderr], [0, ""]);
    for (const word of ["predict", "capture-per-request", "perf-data", "completion"]) {
      assert.ok(stdout.includes(word), `${shell}: ${word}`);
    }
    if (!finds(shell)) continue;
    const read = spawnSync(shell, ["-n"], { input: stdout, encoding: "utf8", env });
    assert.deepEqual([read.status, read.stderr], [0, ""], shell);
  }
  const wrong = await start("cli/main.ts", ["completion", "fisch"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /argument SHELL: invalid choice: 'fisch' .*did you mean 'fish'\?\n$/);
});
