/**
 * Fails when a public name or field is not described: `deno doc --lint mod.ts`.
 *
 * Run: `deno task check-docs`
 */
import { spawnSync } from "node:child_process";
import process from "node:process";

const { status, stdout, stderr, error } = spawnSync(process.execPath, ["doc", "--lint", "mod.ts"], {
  encoding: "utf8",
  maxBuffer: 2 ** 28,
});
if (error) throw error;
if (status !== 0) process.stderr.write(stdout + stderr);
process.exit(status ?? 1);
