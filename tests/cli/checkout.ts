/** A copy of the project with a bundle of its own that tells when it runs. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import assert from "node:assert/strict";
import { type Ended, start, type StartOptions } from "./support.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Where the bundle is what runs. */
export const skip = "Bun" in globalThis && "Bun runs the sources";

const MARK = "the bundle runs";

const COPIED = ["cli", "lib", "start", "vendor", "mod.ts", "replay.ts", "deno.json", "deno.lock", "package.json"];

/** Such a copy, in a folder of its own. */
export class Checkout {
  readonly folder = mkdtempSync(join(tmpdir(), "dynosim-"));

  constructor() {
    for (const name of COPIED) {
      cpSync(join(root, name), this.at(name), { recursive: true });
    }
    for (const name of ["data", "fixtures"]) symlinkSync(join(root, name), this.at(name));
    const make = ["run", "-A", "--config", join(root, "deno.json"), join(root, "scripts/bundle/main.ts")];
    execFileSync(process.execPath, make, { cwd: this.folder });
    // all that runs the bundle loads this file
    this.edit("bundle/base.js", (text) => `console.error("${MARK}");\n${text}`);
    this.#listAgain();
  }

  /** The bundle's own files as they are now become those that its list names. */
  #listAgain(): void {
    this.edit("bundle/sources.json", (text) => {
      const groups: { sha256: string; files: Record<string, number> }[] = JSON.parse(text);
      const group = groups.find(({ files }) => "bundle/base.js" in files)!, hash = createHash("sha256");
      for (const name in group.files) {
        const bytes = readFileSync(this.at(name));
        group.files[name] = bytes.length;
        hash.update(bytes);
      }
      group.sha256 = hash.digest("hex");
      return JSON.stringify(groups);
    });
  }

  at(...names: string[]): string {
    return join(this.folder, ...names);
  }

  edit(name: string, by: (text: string) => string): void {
    const before = readFileSync(this.at(name), "utf8"), text = by(before);
    assert.notEqual(text, before);
    writeFileSync(this.at(name), text);
  }

  run(args: readonly string[], { script = "cli/dynosim.ts", ...options }: StartOptions & { script?: string } = {}) {
    const config = ["--config", this.at("deno.json")];
    // as if called from there, however the tests were called
    const env = { INIT_CWD: options.cwd ?? this.folder, ...options.env };
    return start(this.at(script), args, {
      cwd: this.folder,
      ...options,
      env,
      flags: [...config, ...options.flags ?? []],
    });
  }

  /** Removes it. */
  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What ran. */
export const ran = ({ stderr }: Ended): "bundle" | "sources" => stderr.includes(MARK) ? "bundle" : "sources";

/** What was printed without saying what ran. */
export const unmarked = (stderr: string): string => stderr.replaceAll(`${MARK}\n`, "");
