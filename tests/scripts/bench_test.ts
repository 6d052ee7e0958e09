import assert from "node:assert/strict";
import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { inFolder, start } from "../cli/support.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("the bench names a mistake in its options before it measures anything", async () => {
  for (
    const [args, said] of [
      [["--repeat", "0"], "--repeat takes a whole number from 1, found '0'"],
      [["--repeat", "1.5"], "--repeat takes a whole number from 1, found '1.5'"],
      [["--cold-only", "--warm-only"], "--cold-only and --warm-only leave nothing to measure"],
      [["--json", "no/such/folder/x.json"], "the folder of --json no/such/folder/x.json is not there"],
      [["--only", "plane"], "there is no scenario 'plane'"],
    ] as const
  ) {
    const { code, stdout, stderr } = await start("scripts/bench/main.ts", args);
    assert.deepEqual([code, stdout, stderr.trimEnd().split("\n").at(-1)], [2, "", `dynosim bench: error: ${said}`]);
  }
  const kept = await start("scripts/bench/kept.ts", ["--wirte"]);
  assert.equal(kept.code, 2);
  assert.match(kept.stderr, /^usage: deno task bench-kept [^\n]*\ndynosim bench-kept: error: Unknown option '--wirte'/);
});

test(
  "the bench measures in a folder of any name",
  { skip: "Bun" in globalThis && "it measures Deno" },
  () =>
    inFolder(async (folder) => {
      const copy = join(folder, "a b#ü");
      for (const name of ["cli", "scripts", "deno.json", "deno.lock", "package.json"]) {
        cpSync(join(root, name), join(copy, name), { recursive: true });
      }
      for (const name of ["bundle", "data", "lib", "start", "vendor"]) symlinkSync(join(root, name), join(copy, name));
      const flags = ["--config", join(copy, "deno.json")];
      const args = ["--only", "command", "--repeat", "1"];
      const { code, stdout, stderr } = await start(join(copy, "scripts/bench/main.ts"), args, { cwd: copy, flags });
      assert.equal(code, 0, stderr);
      assert.equal(JSON.parse(stdout).scenario, "command");
    }),
);
