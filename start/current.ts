/**
 * Whether the bundle in `bundle/` is what the sources make, which tells what commands (`cli/dynosim.ts`) and scripts
 * (`entry.ts`) run: the bundle, or the sources when they are not those that it was made of, so that an edit always counts.
 * Loading the bundle saves most of a start; see docs/speed.md.
 *
 * The bundle is current when every source that its user may load has the content it had when the bundle was made, and so
 * has the bundle itself. That is found by reading all of them, once; after that, by their sizes and times, which are kept
 * in `bundle/.checked.json` where that may be written. `DYNOSIM_SOURCES=1` asks for the sources in any case. This file
 * imports nothing, so nothing is loaded twice.
 *
 * @module
 */

/** What is needed of Deno. */
interface DenoLike {
  env: { get(name: string): string | undefined };
  permissions: {
    querySync(descriptor: { name: "read" | "write" | "env"; path?: URL; variable?: string }): { state: string };
  };
  readFileSync(file: URL): Uint8Array<ArrayBuffer>;
  readTextFileSync(file: URL): string;
  renameSync(from: URL, to: URL): void;
  statSync(file: string): { size: number; mtime: Date | null; ctime: Date | null };
  writeTextFileSync(file: URL, text: string): void;
}

/** Files that the same commands, or scripts, may load, sources or the bundle's own, as `bundle/sources.json` lists them. */
interface Group {
  /** Null for those that all need unchanged. */
  users: string[] | null;
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

/** A file changed later than this before it was read may change again without another time. */
const SETTLED_MS = 2000;

async function isCurrent(deno: DenoLike, user: string, entry: string): Promise<boolean> {
  const groups: Group[] = JSON.parse(deno.readTextFileSync(new URL("bundle/sources.json", root)));
  if (!groups.some(({ users, files }) => (users === null || users.includes(user)) && entry in files)) return false;
  const path = decodeURIComponent(root.pathname).replace(/^\/(?=[A-Za-z]:)/, "");
  const checked = checkedBefore(deno), now: Checked = {}, open: Group[] = [];
  let newest = 0;
  for (const group of groups) {
    const before = checked[group.sha256] ?? {};
    if (group.users !== null && !group.users.includes(user)) {
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

/**
 * Whether a file of the bundle is what the sources make. False as well where that may not be looked up without asking.
 *
 * @param user the command that runs, or `scripts`
 * @param entry the file that it would load, as a path from the root of the project
 */
export async function bundleIsCurrent(user: string, entry: string): Promise<boolean> {
  const { Deno: deno } = globalThis as unknown as { Deno?: DenoLike };
  try {
    if (!deno || deno.permissions.querySync({ name: "read", path: root }).state !== "granted") return false;
    return !wantsSources(deno) && await isCurrent(deno, user, entry);
  } catch {
    // no bundle, or a source that is gone or may not be read
    return false;
  }
}
