/**
 * What a change must pass: format, lint, types, import directions, bundled packages and commands, documentation, tests.
 * All are run, and those that failed are named.
 *
 * Run: `deno task ok [--without CHECK]…`, for example `--without test` when the tests have just run.
 */
import { spawnSync } from "node:child_process";
import process from "node:process";
import { parseArgs } from "node:util";
import { nearName } from "../lib/errors.ts";

const CHECKS: Record<string, string[]> = {
  "fmt": ["fmt", "--check"],
  "lint": ["lint"],
  "check": ["task", "check"],
  "check-imports": ["task", "check-imports"],
  "check-vendor": ["task", "check-vendor"],
  "check-bundle": ["task", "check-bundle"],
  "check-docs": ["task", "check-docs"],
  "test": ["task", "test"],
};

const without = leftOut();

function leftOut(): string[] {
  try {
    const { without } = parseArgs({ options: { without: { type: "string", multiple: true, default: [] } } }).values;
    for (const name of without) {
      if (Object.hasOwn(CHECKS, name)) continue;
      const near = nearName(name, Object.keys(CHECKS));
      throw new Error(`there is no check '${name}'${near ? `; did you mean '${near}'?` : ""}`);
    }
    return without;
  } catch (problem) {
    console.error(`dynosim ok: error: ${(problem as Error).message}`);
    process.exit(2);
  }
}

const failed: string[] = [];
for (const [name, args] of Object.entries(CHECKS)) {
  if (without.includes(name)) continue;
  const { status, error } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (error) throw error;
  if (status !== 0) failed.push(name);
}
console.log(failed.length === 0 ? "ok" : `not ok: ${failed.join(", ")}`);
process.exit(failed.length === 0 ? 0 : 1);
