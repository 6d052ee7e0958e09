/**
 * Runs every command on a machine that fails: full disks (small tmpfs, /dev/full), closed pipes, little address space,
 * little memory, a folder that cannot be written. Each must end soon, in one sentence, and leave nothing unfinished.
 *
 * Run as root (it mounts): `deno run -A scripts/attack/machine.ts [ATTACK…]` (prints what it found; exit code 1 when anything)
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { again, CommandBench, type Ended, MOST_MS, NEVER, type RunOptions } from "./commands.ts";

const bench = new CommandBench(8000);
await bench.prepare();
let runs = 0, found = 0;
const codes: Record<string, Record<string, number>> = {};

function judge(attack: string, args: string[], { code, signal, stderr, tookMs }: Ended, out?: string): void {
  runs++;
  const of = codes[attack] ??= {}, end = String(code ?? signal);
  of[end] = (of[end] ?? 0) + 1;
  const tell = (text: string) => console.log(`FOUND ${++found} ${attack}: ${args.join(" ")}: ${text}`);
  if (NEVER.test(stderr)) tell(stderr.slice(0, 600));
  if (tookMs >= MOST_MS) tell(`no end within ${Math.round(tookMs)} ms`);
  if (code === 70) tell(`exit code 70: ${stderr.slice(0, 600)}`);
  if (out === undefined) return;
  const left = readdirSync(out).filter((name) => name.endsWith(".part") || name === ".dynosim.lock");
  if (left.length > 0) tell(`left ${left.join(", ")}`);
  if (attack.startsWith("tmpfs") && code !== 0 && !/no space|ENOSPC|full/i.test(stderr)) {
    tell(`says ${stderr.slice(-300)}`);
  }
}

async function all(attack: string, options: RunOptions, which = bench.commands): Promise<void> {
  for (const { args: of } of which) {
    const out = join(bench.folder, `${attack.replace(/\W/g, "-")}-${runs}`);
    mkdirSync(out);
    const args = of(out);
    const ended = await bench.run(args, options);
    // who is ended from outside may leave what the next run removes
    if (/^SIG(KILL|XCPU|XFSZ)$/.test(String(ended.signal))) {
      judge(`after ${attack}`, args, await bench.run(again(args)), out);
    }
    judge(attack, args, ended, out);
  }
}

const writing = bench.commands.filter(({ writes }) => writes);

/** Every command that writes, into a file system of so many kilobytes. */
async function smallDisk(kilobytes: number): Promise<void> {
  const out = join(bench.folder, `tmpfs${kilobytes}`);
  for (const { args: of } of writing) {
    mkdirSync(out, { recursive: true });
    spawnSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", out]);
    const args = of(out);
    judge(`tmpfs ${kilobytes}k`, args, await bench.run(args), out);
    spawnSync("umount", [out]);
  }
}

const ATTACKS: Record<string, () => Promise<void>> = {
  tmpfs4: () => smallDisk(4),
  tmpfs40: () => smallDisk(40),
  tmpfs400: () => smallDisk(400),
  full: () => all("stdout is full", { stdout: "full" }),
  closed: () => all("stdout is a closed pipe", { stdout: "closed" }),
  async descriptors() {
    await all("standard output is closed", { shell: "exec >&-" });
    await all("standard input is closed", { shell: "exec <&-" });
    await all("few open files", { shell: "ulimit -n 24" });
  },
  async fileSize() {
    for (const blocks of [1, 8, 64]) await all(`ulimit -f ${blocks}`, { shell: `ulimit -f ${blocks}` }, writing);
  },
  async addressSpace() {
    // less than 20 GB does not let the runtime itself start
    for (const gigabytes of [1, 4, 18, 24, 40]) {
      await all(`ulimit -v ${gigabytes} GB`, { shell: `ulimit -v ${gigabytes * 2 ** 20}` });
    }
  },
  async cpuTime() {
    for (const seconds of [1, 2]) await all(`ulimit -t ${seconds}`, { shell: `ulimit -t ${seconds}` }, writing);
    await all("ulimit -S -t 1", { shell: "ulimit -S -t 1" }, writing);
  },
  async readOnly() {
    const out = join(bench.folder, "read-only");
    mkdirSync(out, { recursive: true });
    spawnSync("mount", ["-t", "tmpfs", "-o", "ro,size=100k", "tmpfs", out]);
    for (const { args: of } of writing) judge("read-only folder", of(out), await bench.run(of(out)), out);
    spawnSync("umount", [out]);
  },
  async folders() {
    await all("a cache that is a file", { env: { DYNOSIM_CACHE: "/dev/null" } });
    await all("no home", { env: { HOME: "/nonexistent", XDG_CACHE_HOME: "", DYNOSIM_CACHE: "" } });
    await all("no folder for temporary files", { env: { TMPDIR: "/nonexistent" } });
  },
};

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(ATTACKS);
for (const name of chosen) {
  await ATTACKS[name]();
  console.log(name, `${runs} runs`, JSON.stringify(codes), `${found} found`);
  for (const key of Object.keys(codes)) delete codes[key];
}
bench.close();
process.exit(found > 0 ? 1 : 0);
