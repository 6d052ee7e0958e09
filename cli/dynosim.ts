/**
 * What `deno task` and the installed command run: the bundle of all commands, or the sources (`main.ts`) when they are
 * not those that the bundle was made of, so that an edit always counts. Loading the bundle saves most of a command's
 * start; see docs/speed.md. This file imports nothing but a type, so nothing is loaded twice; what the commands need is
 * found by `deno install` through that.
 *
 * The bundle runs when every source that the command may load has the content it had when the bundle was made, and so
 * has the bundle itself. That is found by reading all of them, once; after that, by their sizes and times, which are kept
 * in `bundle/.checked.json` where that may be written. `DYNOSIM_SOURCES=1` runs the sources in any case.
 *
 * @module
 */

// `deno install` looks up the packages of what is named here, and locks them; nothing is loaded for it.
import type {} from "./main.ts";

/** What is needed of Deno. */
interface DenoLike {
  args: string[];
  env: { get(name: string): string | undefined };
  permissions: { querySync(descriptor: { name: "write" | "env"; path?: URL; variable?: string }): { state: string } };
  readFileSync(file: URL): Uint8Array<ArrayBuffer>;
  readTextFileSync(file: URL): string;
  renameSync(from: URL, to: URL): void;
  statSync(file: string): { size: number; mtime: Date | null; ctime: Date | null };
  writeTextFileSync(file: URL, text: string): void;
}

/** Files that the same commands may load, sources or the bundle's own, as `bundle/sources.json` lists them. */
interface Group {
  /** Null for those that every command needs unchanged. */
  commands: string[] | null;
  /** Of their contents, one after the other. */
  sha256: string;
  /** Size in bytes by path from the root of the project. */
  files: Record<string, number>;
}

/**
 * Times of the last change by path, in milliseconds, of files that were read and found to be those of a group, by the
 * digest of the group: with another bundle, they are read again.
 */
type Checked = Record<string, Record<string, number>>;

const root = new URL("../", import.meta.url);
const CHECKED = new URL("bundle/.checked.json", root);
const MAIN = "bundle/cli.main.js";

/** A file changed later than this before it was read may change again without another time. */
const SETTLED_MS = 2000;

/** Whether the bundle is what the sources of the command make. */
async function bundleIsCurrent(deno: DenoLike): Promise<boolean> {
  const groups: Group[] = JSON.parse(deno.readTextFileSync(new URL("bundle/sources.json", root)));
  if (!groups.some(({ commands, files }) => commands === null && MAIN in files)) return false;
  const path = decodeURIComponent(root.pathname).replace(/^\/(?=[A-Za-z]:)/, "");
  const checked = checkedBefore(deno), now: Checked = {}, open: Group[] = [];
  let newest = 0;
  for (const group of groups) {
    const before = checked[group.sha256] ?? {};
    if (group.commands !== null && !group.commands.includes(deno.args[0])) {
      now[group.sha256] = before;
      continue;
    }
    const times: Record<string, number> = now[group.sha256] = {};
    let changed = false;
    for (const file in group.files) {
      const { size, mtime, ctime } = deno.statSync(path + file);
      if (size !== group.files[file]) return false;
      // the time of the last write can be set back, that of the last change cannot
      const time = (ctime ?? mtime)?.getTime() ?? 0;
      times[file] = time;
      if (before[file] !== time) changed = true;
      if (time > newest) newest = time;
    }
    if (changed) open.push(group);
  }
  for (const { files, sha256 } of open) if (await digest(deno, Object.keys(files)) !== sha256) return false;
  if (open.length > 0 && newest < Date.now() - SETTLED_MS) remember(deno, now);
  return true;
}

async function digest(deno: DenoLike, files: readonly string[]): Promise<string> {
  const contents = files.map((file) => deno.readFileSync(new URL(file, root)));
  const bytes = new Uint8Array(contents.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const content of contents) {
    bytes.set(content, at);
    at += content.length;
  }
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function checkedBefore(deno: DenoLike): Checked {
  try {
    return JSON.parse(deno.readTextFileSync(CHECKED)) ?? {};
  } catch {
    return {};
  }
}

/** Keeps what was checked where that may be done without asking. */
function remember(deno: DenoLike, checked: Checked): void {
  try {
    if (deno.permissions.querySync({ name: "write", path: CHECKED }).state !== "granted") return;
    const part = new URL(`bundle/.checked.${crypto.randomUUID()}.json`, root);
    deno.writeTextFileSync(part, JSON.stringify(checked));
    deno.renameSync(part, CHECKED);
  } catch {
    // it is read again next time
  }
}

const wantsSources = (deno: DenoLike) => {
  const granted = deno.permissions.querySync({ name: "env", variable: "DYNOSIM_SOURCES" }).state === "granted";
  return granted && Boolean(deno.env.get("DYNOSIM_SOURCES"));
};

async function file(): Promise<string> {
  const { Deno: deno } = globalThis as unknown as { Deno?: DenoLike };
  try {
    if (deno && !wantsSources(deno) && await bundleIsCurrent(deno)) return `../${MAIN}`;
  } catch {
    // no bundle, or a source that is gone or may not be read
  }
  return "./main.ts";
}

await import(import.meta.resolve(await file()));
