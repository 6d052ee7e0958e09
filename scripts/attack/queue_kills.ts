/**
 * Kills a worker, the coordinator or Redis (SIGKILL) at a random moment of a search on a queue. Whatever is killed, the
 * search must come to the bytes of one thread, and leave no key in Redis and no process.
 *
 * Run: `deno run -A scripts/attack/queue_kills.ts [ROUNDS] [SECONDS]` (prints what it found; exit code 1 when anything;
 * no round begins after so many seconds)
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { skip, TestRedis } from "../../tests/jobs/queue/redis.ts";
import { queueSearch } from "./queue_search.ts";

const rounds = Number(process.argv[2] ?? 50), seconds = Number(process.argv[3] ?? Infinity);
if (skip) {
  console.error(skip);
  process.exit(1);
}
const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "dynosim-attack-"));
const SEARCH = queueSearch({
  paths: ["chat.jsonl"],
  speedups: [1, 2, 4],
  replicas: [1, 2],
  batchedTokens: [2048, 4096, 6144, 8192],
  sequences: [64, 256],
  gpus: 4,
});
writeFileSync(join(folder, "search.json"), SEARCH);
const chat = readFileSync(join(root, "fixtures/traces/chat.jsonl"), "utf8").split("\n");
writeFileSync(join(folder, "chat.jsonl"), chat.slice(0, 500).map((line) => `${line}\n`).join(""));

const running = new Set<ChildProcess>();

/** A command in a process of its own; what it said, and when it was gone. */
function run(...args: string[]) {
  const child = spawn(process.execPath, [
    ...["run", "-A", "--no-check", "--quiet", "--config", join(root, "deno.json"), join(root, "cli/main.ts")],
    ...args,
  ], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, NO_COLOR: "1", DYNOSIM_CACHE: folder },
  });
  running.add(child);
  const command = { child, said: "", gone: Promise.resolve(0 as number | null) };
  child.stderr.on("data", (piece) => command.said += piece);
  command.gone = new Promise((resolve) =>
    child.on("close", (code) => {
      running.delete(child);
      resolve(code);
    })
  );
  return command;
}

const redis = await TestRedis.start();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, async () => {
    for (const child of running) child.kill("SIGKILL");
    await redis.stop();
    process.exit(1);
  });
}
const search = (out: string, ...args: string[]) =>
  run("recommend", "-c", "search.json", "--format", "json", "--output-dir", out, ...args);
const worker = () => run("worker", redis.url, "--concurrency", "1", "--lease", "3", "--finish", "1");
const filesOf = (out: string): string => {
  const at = join(folder, out);
  const names = ["recommendation.json", "recommendation.csv", "execution-events.jsonl"];
  const more = readdirSync(join(at, "recommendations")).sort().map((name) => `recommendations/${name}`);
  return [...names, ...more].map((name) => `${name}\n${readFileSync(join(at, name), "utf8")}`).join("\n");
};

let found = 0;
const tell = (text: string) => {
  found++;
  console.log(`FOUND ${text}`);
};
if (await search("here").gone !== 0) tell("the search fails without a queue");
const expected = filesOf("here");
const candidates = JSON.parse(readFileSync(join(folder, "here/recommendation.json"), "utf8")).candidates.length;
const workers = [worker(), worker()];

/** Time that a search takes on warm workers, so that kills fall into it. */
let tookMs = 0;
for (const out of ["cold", "warm"]) {
  const started = performance.now();
  const { gone, child } = search(out, "--executor", redis.url);
  if (await gone !== 0) tell(`the search fails without a kill (${child.pid})`);
  tookMs = performance.now() - started;
}
console.log(`${candidates} candidates, ${Math.round(tookMs)} ms`);

const VICTIMS = ["worker", "coordinator", "redis"] as const;
const tally: Record<string, number> = {};
const begun = performance.now();
const elapsed = () => Math.round((performance.now() - begun) / 1000);
let round = 0;
for (; round < rounds && elapsed() < seconds; round++) {
  const out = `out${round}`, victim = VICTIMS[round % VICTIMS.length], afterMs = Math.random() * tookMs;
  let coordinator = search(out, "--executor", redis.url);
  const over = coordinator.gone.then(() => true);
  const early = await Promise.race([over, new Promise((resume) => setTimeout(() => resume(false), afterMs))]);
  const what = `${victim} killed after ${Math.round(afterMs)} ms`;
  tally[early ? "over before" : victim] = (tally[early ? "over before" : victim] ?? 0) + 1;
  if (!early && victim === "coordinator") {
    coordinator.child.kill("SIGKILL");
    await coordinator.gone;
    coordinator = search(out, "--executor", redis.url);
  } else if (!early && victim === "worker") {
    const [one] = workers.splice(Math.floor(Math.random() * workers.length), 1);
    one.child.kill("SIGKILL");
    workers.push(worker());
  } else if (!early) {
    await redis.kill();
    await new Promise((resume) => setTimeout(resume, Math.random() * 1000));
    await redis.start();
  }
  const limit = new Promise<string>((resume) => setTimeout(() => resume("late"), 120_000));
  const code = await Promise.race([coordinator.gone, limit]);
  if (code !== 0) {
    tell(`${what}: ended with ${code}: ${coordinator.said.slice(-600)}`);
    coordinator.child.kill("SIGKILL");
  } else if (filesOf(out) !== expected) tell(`${what}: the files differ`);
  const left = await redis.keys();
  if (left.length > 0) tell(`${what}: left in Redis: ${left.join(", ")}`);
  if (workers.some(({ child }) => child.exitCode !== null)) tell(`${what}: a worker ended by itself`);
  rmSync(join(folder, out), { recursive: true, force: true });
}
for (const { child } of workers) child.kill("SIGTERM");
await Promise.all(workers.map(({ gone }) => gone));
if (running.size > 0) tell(`${running.size} processes are left`);
await new Promise((resume) => setTimeout(resume, 4000)); // what workers that were killed said of themselves is gone then
const words = await redis.use(async (connection) => {
  await connection.del("dynosim:workers"); // expires; names of workers that were killed
  return await connection.keys("*");
});
if (words.length > 0) tell(`left in Redis at the end: ${words.join(", ")}`);
await redis.stop();
rmSync(folder, { recursive: true, force: true });
console.log(`${round} rounds in ${elapsed()} s: ${JSON.stringify(tally)}, ${found} found`);
process.exit(found > 0 ? 1 : 0);
