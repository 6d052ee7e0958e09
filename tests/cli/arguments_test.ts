import assert from "node:assert/strict";
import { test } from "node:test";
import { choice, flag, helpText, list, number, parseArguments, text, UsageError } from "../../cli/arguments.ts";

const LINE = {
  command: "try",
  summary: "Tries.",
  options: {
    config: text("the file", { value: "FILE", short: "c", required: true }),
    outputDir: text("where to", { value: "DIR", fallback: "./out" }),
    set: list("changes", { value: "PATH=YAML" }),
    format: choice("form", ["table", "json"], { fallback: "table" }),
    overwrite: flag("replace"),
    topN: number("how many", { value: "N", fallback: 12, least: 1, integer: true }),
  },
  operands: { name: "DIR…", help: "directories", least: 0, most: 2 },
  notes: ["That is all."],
} as const;

const parse = (...args: string[]) => parseArguments(LINE, args)!;
function problem(...args: string[]): string {
  try {
    parse(...args);
  } catch (error) {
    assert.ok(error instanceof UsageError);
    return error.message;
  }
  throw new assert.AssertionError({ message: `no error for ${args.join(" ")}` });
}

test("parseArguments fills defaults", () => {
  assert.deepEqual(parse("-c", "a").options, {
    config: "a",
    outputDir: "./out",
    set: [],
    format: "table",
    overwrite: false,
    topN: 12,
  });
});

test("parseArguments takes every spelling of an option", () => {
  for (const args of [["--config", "a=b"], ["--config=a=b"], ["-ca=b"], ["-c=a=b"], ["-c", "a=b"], ["--conf", "a=b"]]) {
    assert.equal(parse(...args).options.config, "a=b", args.join(" "));
  }
  const { options } = parse("-ca", "--over", "--set", "x=1", "--set=y=2", "--form", "json", "--top-n", "3");
  assert.deepEqual([options.overwrite, options.set, options.format, options.topN], [true, ["x=1", "y=2"], "json", 3]);
  assert.equal(parse("-ca", "-cb").options.config, "b");
});

test("parseArguments separates operands from options", () => {
  assert.deepEqual(parse("a", "-cx", "b").operands, ["a", "b"]);
  assert.deepEqual(parse("-cx", "--", "--set", "-").operands, ["--set", "-"]);
  assert.deepEqual(parse("-c", "-", "-").operands, ["-"]);
});

test("parseArguments says what is wrong in the usual words, with the near name", () => {
  assert.equal(problem(), "the following arguments are required: -c/--config");
  assert.equal(problem("-c"), "argument -c/--config: expected one argument");
  assert.equal(problem("--config", "--overwrite"), "argument -c/--config: expected one argument");
  assert.equal(
    problem("-ca", "--format", "jason"),
    "argument --format: invalid choice: 'jason' (choose from 'table', 'json'); did you mean 'json'?",
  );
  assert.equal(problem("-ca", "--overwrite=yes"), "argument --overwrite: ignored explicit argument 'yes'");
  assert.equal(problem("-ca", "--o"), "ambiguous option: --o could match --output-dir, --overwrite");
  assert.equal(
    problem("-ca", "--outputdir=x"),
    "unrecognized arguments: --outputdir=x; did you mean --output-dir?",
  );
  assert.equal(
    problem("--hepl", "-x"),
    "the following arguments are required: -c/--config; unrecognized arguments: --hepl -x; did you mean --help?",
  );
  assert.equal(problem("-ca", "-x", "1", "2", "3"), "unrecognized arguments: 3 -x");
  assert.equal(problem("-ca", "--top-n", "0"), "argument --top-n: must be at least 1");
  assert.equal(problem("-ca", "--top-n", "1.5"), "argument --top-n: invalid int value: '1.5'");
  assert.equal(problem("-ca", "--top-n="), "argument --top-n: invalid int value: ''");
});

test("parseArguments wants as many operands as the command needs", () => {
  const line = { ...LINE, options: {}, operands: { name: "RUN…", help: "runs", least: 1, most: Infinity } };
  assert.throws(() => parseArguments(line, []), /the following arguments are required: RUN…/);
  assert.deepEqual(parseArguments(line, ["a", "b", "c"])!.operands, ["a", "b", "c"]);
});

test("helpText is made from the same table", () => {
  assert.equal(parseArguments(LINE, ["--help"]), undefined);
  assert.equal(parseArguments(LINE, ["-h"]), undefined);
  assert.equal(
    helpText(LINE),
    `usage: dynosim try -c FILE [--output-dir DIR] [--set PATH=YAML]…
       [--format {table,json}] [--overwrite] [--top-n N] [DIR…]

Tries.

  DIR…                       directories
  -c, --config FILE          the file
      --output-dir DIR       where to (default ./out)
      --set PATH=YAML        changes
      --format {table,json}  form (default table)
      --overwrite            replace
      --top-n N              how many (default 12)
  -h, --help                 show this and exit

That is all.
`,
  );
});
