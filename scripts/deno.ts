/** Runs this Deno for the tasks that make files. */
import { spawnSync } from "node:child_process";
import process from "node:process";

/**
 * What a command of Deno prints.
 *
 * @throws {Error} with what it complained of when it failed
 */
export function denoOutput(args: readonly string[], cwd?: string | URL): string {
  const { stdout, stderr, status, error } = spawnSync(process.execPath, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`deno ${args[0]} failed: ${stderr.trim()}`);
  return stdout;
}
