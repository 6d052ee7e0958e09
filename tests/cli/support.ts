/** Starts commands in processes of their own, with the runtime that runs the tests. */
import "../without_user_cache.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** How a command ended. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface StartOptions {
  cwd?: string;
  stdin?: string;
  env?: Record<string, string>;
  /** More options of the runtime. */
  flags?: readonly string[];
  /** Called with each piece of standard error. */
  onError?: (text: string, child: ChildProcess) => void;
  /** Called with the process once it runs. */
  onStart?: (child: ChildProcess) => void;
}

/** Runs a script of the project with arguments. */
export function start(script: string, args: readonly string[], options: StartOptions = {}): Promise<Ended> {
  const { cwd, stdin, env, flags: more = [], onError, onStart } = options;
  const bun = "Bun" in globalThis;
  const flags = bun ? ["run"] : ["run", "-A", "--no-check", "--quiet", "--config", join(root, "deno.json"), ...more];
  const child = spawn(process.execPath, [...flags, resolve(root, script), ...args], {
    cwd: cwd ?? root,
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onStart?.(child);
  child.stdin.end(stdin ?? "");
  let stdout = "", stderr = "";
  child.stdout.on("data", (piece) => stdout += piece);
  child.stderr.on("data", (piece) => {
    stderr += piece;
    onError?.(stderr, child);
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}

/** Calls `use` with a folder that is gone afterwards. */
export async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "dynosim-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
