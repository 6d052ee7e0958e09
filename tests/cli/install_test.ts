/** One installed command: what `deno task install` and `bun link` make, called from another folder. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { inFolder } from "./support.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const deno = "Deno" in globalThis ? process.execPath : "deno";
const finds = (program: string) => spawnSync(program, ["--version"]).status === 0;
const skip = (program: string) => finds(program) ? false : `no ${program} on this machine`;

function run(program: string, args: string[], cwd: string, env: Record<string, string>): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env: { ...process.env, NO_COLOR: "1", ...env },
    encoding: "utf8",
  });
  assert.equal(status, 0, `${program} ${args.join(" ")}: ${error ?? ""}${stderr}`);
  return stdout;
}

/** Works in a folder of its own with relative paths: files are read and written there. */
function works(program: string, folder: string, env: Record<string, string> = {}): void {
  const work = join(folder, "work");
  mkdirSync(work);
  writeFileSync(join(work, "load.yaml"), readFileSync(join(root, "fixtures/configs/quickstart.yaml")));
  mkdirSync(join(work, "fixtures/traces"), { recursive: true });
  const rows = readFileSync(join(root, "fixtures/traces/chat.jsonl"), "utf8").split("\n").slice(0, 50);
  writeFileSync(join(work, "fixtures/traces/chat.jsonl"), `${rows.join("\n")}\n`);
  assert.match(run(program, ["--version"], work, env), /^dynosim \d/);
  run(program, ["predict", "-c", "load.yaml", "--output-dir", "out"], work, env);
  assert.equal(JSON.parse(readFileSync(join(work, "out/prediction.json"), "utf8")).completed_requests, 50);
  assert.match(run(program, ["compare", "out", "out", "--format", "csv"], work, env), /^name,.*\bgpu_hours,/);
}

test("deno task install gives a command that works in any folder", { skip: skip(deno) }, () =>
  inFolder((folder) => {
    // the installed command calls the deno of the path
    const path = `${dirname(deno)}:${process.env.PATH}`;
    run(deno, ["task", "--quiet", "--config", join(root, "deno.json"), "install"], folder, {
      DENO_INSTALL_ROOT: folder,
    });
    works(join(folder, "bin", "dynosim"), folder, { PATH: path });
    return Promise.resolve();
  }));

test("bun link gives a command that works in any folder", { skip: skip("bun") }, () =>
  inFolder((folder) => {
    // the checkout itself is not to be changed: a copy is linked
    const checkout = join(folder, "checkout");
    for (const name of ["cli", "lib", "deno.json", "package.json"]) {
      cpSync(join(root, name), join(checkout, name), { recursive: true });
    }
    symlinkSync(join(root, "data"), join(checkout, "data"));
    run("bun", ["link", "--silent"], checkout, { BUN_INSTALL: folder });
    works(join(folder, "bin", "dynosim"), folder, { BUN_INSTALL: folder });
    return Promise.resolve();
  }));
