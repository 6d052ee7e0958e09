/**
 * Puts damaged, forged and odd messages into a Redis between coordinators and workers: outcomes, cards, jobs, and the
 * names that BullMQ keeps. Nobody may say "mistake in dynosim" or show a stack trace, open what was not announced, wait
 * for ever, or come to another ledger than one thread because of what was damaged.
 *
 * Run: `deno run -A scripts/attack/queue_messages.ts [PART] [COUNT] [SEED]`, PART one of outcomes, cards, jobs, names or
 * all (prints what it found; exit code 1 when anything)
 */
import process from "node:process";
import type { Redis } from "ioredis";
import { brokerAddress } from "../../lib/jobs/queue/address.ts";
import { Broker } from "../../lib/jobs/queue/broker.ts";
import { queueExecutor } from "../../lib/jobs/queue/executor.ts";
import { outcomeSeal, readOutcome, runOf, sealed, taskSeal } from "../../lib/jobs/queue/messages.ts";
import { plainText } from "../../lib/jobs/queue/plain_text.ts";
import { FakeWorker } from "../../tests/jobs/queue/fake_worker.ts";
import { skip, TestRedis } from "../../tests/jobs/queue/redis.ts";
import { NEVER } from "./commands.ts";
import { changedJson, damagedName, damagedText, forgedText, lots, oddValues, oneOf, pathsBeyond } from "./damage.ts";
import { Answers, RealWorker, type Sender, senders, tidy, trap, VERSION } from "./queue_bench.ts";

const [part = "all", count = "60", seed = "1"] = process.argv.slice(2);
if (skip) {
  console.error(skip);
  process.exit(1);
}
const redis = await TestRedis.start();
const lot = lots(Number(seed)), odd = oddValues(trap), most = Number(count);
const address = brokerAddress(redis.url, () => undefined);
/** What a command would tell in a sentence. */
const EXPECTED = /^(Config|Queue|Simulation|Trace|File|ResourceLimit)Error$/;
const pause = (ms: number) => new Promise<void>((resume) => setTimeout(resume, ms));
const tally: Record<string, number> = {};
let found = 0, slowestMs = 0;
const tell = (text: string) => {
  found++;
  console.log(`FOUND ${text}`);
};
const tallied = (what: string) => tally[what] = (tally[what] ?? 0) + 1;
process.on("unhandledRejection", (problem) => {
  tell(`nobody hears: ${(problem as Error)?.stack}`);
});
const all = await senders(), kinds = Object.keys(all) as (keyof typeof all)[];
const known = {} as Record<keyof typeof all, { answers: Answers; whole: string }>;
for (const name of kinds) {
  const answers = new Answers();
  known[name] = { answers, whole: await all[name].run(answers.recording()) };
}

/** Whether something within its time; null when it is late. */
const within = <T>(work: Promise<T>, ms: number): Promise<T | null> => Promise.race([work, pause(ms).then(() => null)]);

/** A sender's run through the queue: its words, or how it failed. */
async function sent({ kind, needs, run }: Sender, name: string): Promise<{ text?: string; failure?: string }> {
  const { needs: things, files } = needs;
  const executor = await queueExecutor(address, { kinds: [kind], version: VERSION, needs: things, files, name });
  try {
    return { text: await run(executor) };
  } catch (problem) {
    const { name, message, stack } = problem as Error;
    return { failure: EXPECTED.test(name) ? `${name}: ${message}` : `a mistake in dynosim: ${stack}` };
  } finally {
    await executor.end();
  }
}

/** A run whose words must be those of one thread, or that must fail with a sentence. */
async function judged(name: keyof typeof all, what: string, honest: boolean): Promise<void> {
  const started = performance.now();
  const ended = await within(sent(all[name], what), 150_000);
  const tookMs = performance.now() - started;
  slowestMs = Math.max(slowestMs, tookMs);
  const of = `${name}, ${what}`;
  if (ended === null) return tell(`${of}: does not end`);
  const { text, failure } = ended;
  if (NEVER.test(failure ?? text!)) tell(`${of}: ${(failure ?? text!).slice(0, 500)}`);
  if (text !== undefined && honest && text !== known[name].whole) {
    tell(`${of}: another ledger: ${differing(text, known[name].whole)}`);
  }
  tallied(`${name}: ${text === undefined ? "failed" : text === known[name].whole ? "equal" : "as forged"}`);
  if (failure !== undefined && process.env.SHOW) console.log(`${of}: ${failure}`);
}

function differing(a: string, b: string): string {
  let at = 0;
  while (a[at] === b[at]) at++;
  return `${a.slice(Math.max(0, at - 80), at + 80)} … ${b.slice(Math.max(0, at - 80), at + 80)}`;
}

/** Outcomes: damaged once (the ledger must be right), damaged always, forged; and junk in all that workers write. */
async function outcomes(): Promise<void> {
  await redis.use(async (connection) => {
    const ways = new Map<string, { left: number; make: (task: string, text: string) => string }>();
    const worker = new FakeWorker(connection, (name, task) => {
      const text = kinds.map((kind) => known[kind].answers.outcomes.get(task)).find((text) => text !== undefined);
      if (text === undefined) return null; // a task that follows from a forged answer
      const way = ways.get(name);
      if (way === undefined || way.left <= 0) return text;
      way.left--;
      return way.make(task, text);
    }, async (_name, run) => {
      const key = (part: string) => `dynosim:${run}:${part}`, junk = oneOf(lot, ["x", "../../etc/passwd", "__proto__"]);
      await connection.pipeline().rpush(key("news"), junk, "", "x".repeat(100_000), ...Array(2000).fill("0".repeat(64)))
        .hset(key("declined"), junk, "\u001b[2J".repeat(20_000)).sadd(key("members"), junk, "")
        .sadd(key("wanted"), junk, "0".repeat(64), "../../etc/passwd").hset(key("starts"), junk, "[[").exec();
    }, VERSION);
    const next = Array.from({ length: most }, (_, i) => i);
    await Promise.all(Array.from({ length: 12 }, async () => {
      for (let i = next.shift(); i !== undefined; i = next.shift()) {
        const name = oneOf(lot, ["search", "search", "capacity", "retune"] as const), forged = lot() < 0.4;
        const own = lots(Number(seed) * 1000 + i);
        const one = forged
          ? (task: string, text: string) => forgedText(outcomeSeal(task), text, own, odd)
          : (_: string, text: string) => damagedText(text, own);
        let said = "";
        const make = (task: string, text: string) => {
          const { text: made, what } = one(task, text);
          said += `${what}, `;
          return made;
        };
        const way = { left: forged ? 1 : oneOf(lot, [1, 2, Infinity]), make };
        const what = `outcomes ${i}: ${forged ? "forged" : `damaged ${way.left} times`}`;
        ways.set(what, way);
        const honest = !forged && way.left !== Infinity, before = found;
        await judged(name, what, honest);
        if (found > before) console.log(`  it was: ${said}`);
      }
    }));
    await worker.end();
  });
}

/** Whether a worker is well. */
let read = 0;
function look(worker: RealWorker, after: string): void {
  const said = worker.log.slice(read);
  read = worker.log.length;
  if (NEVER.test(said)) tell(`${after}: the worker says ${said.slice(0, 600)}`);
  if (/root:.*:0:0:/.test(said)) tell(`${after}: the worker tells what is in a file: ${said.slice(0, 300)}`);
  if (worker.child.exitCode !== null) throw new Error(`${after}: the worker ended: ${worker.log.slice(-2000)}`);
}

/** The card of a kind's run as a coordinator would write it. */
async function cardOf(name: keyof typeof all, run: string, change: (card: any) => void = () => {}): Promise<string> {
  const { kind, needs } = all[name];
  let setup: unknown = null;
  await all[name].run({ // asked for with the first job
    parallel: 1,
    open: (_kind, given) => {
      setup = given;
      throw new Error("enough");
    },
  }).catch(() => {});
  const card = {
    protocol: 2,
    name: run,
    kind: kind.name,
    version: VERSION,
    setup,
    needs: needs.needs,
    files: needs.files,
  };
  change(card);
  return plainText(card);
}

/** Announces cards and waits for the worker to say what it makes of them. */
async function cards(worker: RealWorker): Promise<void> {
  const id = await worker.id();
  await redis.use(async (connection) => {
    for (let from = 0; from < most; from += 20) {
      const runs = await Promise.all(Array.from({ length: Math.min(20, most - from) }, async (_, i) => {
        const card = await cardOf(oneOf(lot, kinds), `cards ${from + i}`);
        const { text, what } = lot() < 0.25 ? damagedText(card, lot) : changedJson(card, lot, odd);
        const run = lot() < 0.9 ? runOf(text) : runOf(card);
        await connection.set(`dynosim:${run}:card`, text);
        await connection.sadd("dynosim:runs", run);
        return { run, what };
      }));
      const waiting = new Set(runs.map(({ run }) => run)), started = performance.now();
      while (waiting.size > 0 && performance.now() - started < 90_000) {
        await pause(100);
        for (const run of waiting) {
          // files are asked for: what comes is another file
          for (const file of await connection.smembers(`dynosim:${run}:wanted`)) {
            await connection.hset(`dynosim:${run}:file-${file}`, {
              0: "something else",
              pieces: oneOf(lot, ["1", "2", "1e9", "-1", "x"]),
            });
            await connection.hset(`dynosim:${run}:withheld`, file, "\u001b[2J no");
          }
          const why = await connection.hget(`dynosim:${run}:declined`, id);
          const joined = await connection.sismember(`dynosim:${run}:members`, id) === 1;
          if (why === null && !joined) continue;
          waiting.delete(run);
          tallied(joined ? "cards: joined" : "cards: declined");
          if (why !== null && (NEVER.test(why) || /root:/.test(why))) tell(`card ${run}: ${why.slice(0, 500)}`);
        }
      }
      for (const { run, what } of runs) {
        if (waiting.has(run)) tell(`card with ${what}: no answer`);
        await connection.del(`dynosim:${run}:card`);
        await connection.srem("dynosim:runs", run);
      }
      look(worker, `cards from ${from}`);
    }
  });
}

/** Jobs of a run that the worker has joined: forged and damaged tasks, other shapes, damaged books of BullMQ. */
async function jobs(worker: RealWorker): Promise<void> {
  const id = await worker.id(), paths = pathsBeyond(trap);
  await redis.use(async (connection) => {
    for (const name of kinds) {
      const card = await cardOf(name, `jobs ${seed}`),
        run = runOf(card),
        key = (part: string) => `dynosim:${run}:${part}`;
      await connection.set(key("card"), card);
      await connection.sadd("dynosim:runs", run);
      while (await connection.sismember(key("members"), id) === 0) {
        const why = await connection.hget(key("declined"), id);
        if (why !== null) throw new Error(why);
        await pause(50);
      }
      const broker = await Broker.connect(address), queue = broker.queue(run);
      const texts = [...known[name].answers.data.values()];
      for (let from = 0; from < most; from += 25) {
        const sentTasks = new Map<string, string>();
        for (let i = from; i < Math.min(most, from + 25); i++) {
          const head = { id: runOf(`${name} ${seed} ${i}`).slice(4).padEnd(64, "0"), timeoutSeconds: 10 };
          const text = oneOf(lot, texts), way = lot();
          if (way < 0.65) {
            const { text: changed, what } = changedJson(text, lot, lot() < 0.4 ? paths : odd);
            sentTasks.set(head.id, what);
            await add(queue, { tasks: [{ ...head, data: sealed(taskSeal(head), changed) }] });
          } else if (way < 0.8) {
            const { text: data } = damagedText(sealed(taskSeal(head), text), lot);
            await add(queue, { tasks: [{ ...head, data }] });
          } else if (way < 0.9) {
            const batch = JSON.stringify({ tasks: [{ ...head, data: sealed(taskSeal(head), text) }] });
            await add(queue, JSON.parse(changedJson(batch, lot, odd).text));
          } else await rawJob(connection, key, `job-raw${i}`);
        }
        const started = performance.now();
        let left = sentTasks.size;
        while (left > 0 && performance.now() - started < 90_000) {
          await pause(100);
          left = sentTasks.size - await connection.hlen(key("results"));
        }
        for (const [task, text] of Object.entries(await connection.hgetall(key("results")))) {
          const outcome = readOutcome(task, text, all[name].kind.result), what = sentTasks.get(task);
          sentTasks.delete(task);
          tallied(`jobs of ${name}: ${typeof outcome === "string" ? "unreadable" : outcome.status}`);
          const said = `job with ${what}: ${text.slice(64, 600)}`;
          if (process.env.SHOW) console.log(said);
          if (typeof outcome === "string") tell(`${said}: ${outcome}`);
          else if (outcome.status === "timeout" && !/1e\+?\d|1000000000|9007199254740992/.test(what ?? "")) {
            tell(`${said}: too long`);
          }
          if (NEVER.test(text) || /root:.*:0:0:|PATH=/.test(text)) tell(said);
        }
        for (const what of sentTasks.values()) tell(`job with ${what}: no answer`);
        await connection.del(key("results"));
        look(worker, `jobs of ${name} from ${from}`);
      }
      await connection.del(key("card"));
      await connection.srem("dynosim:runs", run);
      await queue.close();
      broker.close();
    }
  });
}

const add = (queue: ReturnType<Broker["queue"]>, data: unknown) =>
  queue.add("x", data, { removeOnComplete: true, removeOnFail: true });

/** A job that is not as BullMQ would write it. */
async function rawJob(connection: Redis, key: (part: string) => string, job: string): Promise<void> {
  const junk = () =>
    oneOf(lot, [
      "",
      "{",
      "null",
      "[]",
      "x",
      "-1",
      "1e99",
      "9".repeat(400),
      '{"__proto__":{"a":1}}',
      "x".repeat(1_000_000),
    ]);
  const fields = [
    "name",
    "data",
    "opts",
    "timestamp",
    "delay",
    "priority",
    "atm",
    "ats",
    "stc",
    "parentKey",
    "parent",
    "pb",
    "rjk",
    "deid",
    "tm",
  ];
  const hash = Object.fromEntries(fields.filter(() => lot() < 0.5).map((field) => [field, junk()]));
  const at = connection.pipeline();
  if (lot() < 0.1) at.set(key(job), junk());
  else if (Object.keys(hash).length > 0) at.hset(key(job), hash);
  at.rpush(key(oneOf(lot, ["wait", "wait", "wait", "active", "paused"])), job);
  if (lot() < 0.3) at.zadd(key(oneOf(lot, ["delayed", "prioritized"])), lot() * 1e13, job);
  if (lot() < 0.2) at.sadd(key("stalled"), job);
  at.zadd(key("marker"), 0, "0");
  await at.exec();
  tallied("jobs: raw");
}

/** Names are damaged at random while a coordinator and a worker are at it. */
async function names(worker: RealWorker): Promise<void> {
  await redis.use(async (connection) => {
    for (let i = 0; i < most; i++) {
      let over = false;
      const what = `names ${i}`, said: string[] = [], before = found;
      const run = judged(oneOf(lot, kinds), what, true).then(() => over = true);
      await pause(600 + lot() * 1500);
      for (let left = oneOf(lot, [1, 2, 5]); left > 0 && !over; left--) {
        const there = (await connection.keys("dynosim*")).sort();
        if (there.length > 0) said.push(await damagedName(connection, oneOf(lot, there), lot));
        await pause(lot() * 800);
      }
      await run;
      if (found > before || process.env.SHOW) console.log(`  it was: ${said.join("; ")}`);
      look(worker, `${what} (${said.join("; ")})`);
      await connection.flushall(); // whatever was damaged for good
      await pause(1200);
    }
  });
}

const parts: Record<string, (worker: RealWorker) => Promise<void>> = { cards, jobs, names };
const started = performance.now();
try {
  if (part === "outcomes" || part === "all") await outcomes();
  const own = Object.keys(parts).filter((name) => part === name || part === "all");
  if (own.length > 0) {
    const worker = new RealWorker(redis.url);
    await worker.id();
    try {
      for (const name of own) await parts[name](worker);
      await pause(4000);
      for (const name of kinds) await judged(name, "after all", true);
      look(worker, "after all");
    } finally {
      worker.child.kill("SIGTERM");
      await within(worker.gone, 10_000);
      worker.child.kill("SIGKILL");
    }
  }
} finally {
  await redis.stop();
  tidy();
}
const seconds = Math.round((performance.now() - started) / 1000);
console.log(`${seconds} s, slowest run ${Math.round(slowestMs)} ms: ${JSON.stringify(tally)}, ${found} found`);
process.exit(found > 0 ? 1 : 0);
