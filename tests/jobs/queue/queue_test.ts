import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { sha256 } from "../../../lib/io/digest.ts";
import type { JobRunner, Outcome } from "../../../lib/jobs/job.ts";
import { brokerAddress } from "../../../lib/jobs/queue/address.ts";
import { queueExecutor, type QueueExecutorOptions } from "../../../lib/jobs/queue/executor.ts";
import { skip, TestRedis } from "./redis.ts";
import { type Sample, SAMPLE_KIND, type Setup } from "./sample_jobs.ts";

interface WorkerOptions {
  version?: string;
  folder?: string;
  leaseSeconds?: number;
}

const MORTAL: WorkerOptions = { leaseSeconds: 3 };

/** A Redis, a folder, and workers in processes of their own. */
class Place {
  readonly folder = mkdtempSync(join(tmpdir(), "dynosim-queue-"));
  readonly workers: { process: ChildProcess; log: string; gone: Promise<unknown> }[] = [];

  constructor(readonly redis: TestRedis) {}

  /** Starts a worker. Where it is killed, it must not take long until that is noticed. */
  worker(concurrency = 1, { version = "1", folder, leaseSeconds = 30 }: WorkerOptions = {}) {
    const bun = "Bun" in globalThis;
    const config = fileURLToPath(new URL("../../../deno.json", import.meta.url));
    const child = spawn(process.execPath, [
      ...bun ? ["run"] : ["run", "-A", "--no-check", "--quiet", "--config", config],
      fileURLToPath(new URL("./sample_worker.ts", import.meta.url)),
      this.redis.url,
      String(concurrency),
      version,
      String(leaseSeconds),
      ...folder === undefined ? [] : [folder],
    ], { stdio: ["ignore", "ignore", "pipe"] });
    const worker = { process: child, log: "", gone: new Promise((resolve) => child.on("close", resolve)) };
    child.stderr!.on("data", (piece) => worker.log += piece);
    this.workers.push(worker);
    return worker;
  }

  executor(options: Partial<QueueExecutorOptions> = {}) {
    return queueExecutor(brokerAddress(this.redis.url), {
      kinds: [SAMPLE_KIND],
      version: "1",
      needs: [],
      files: [],
      name: "test",
      ...options,
    });
  }
}

async function inPlace(use: (place: Place) => Promise<void>): Promise<void> {
  const place = new Place(await TestRedis.start());
  try {
    await use(place);
  } finally {
    for (const { process } of place.workers) process.kill("SIGKILL");
    await Promise.all(place.workers.map(({ gone }) => gone));
    await place.redis.stop();
    rmSync(place.folder, { recursive: true, force: true });
  }
}

type Runner = JobRunner<Sample, number>;

async function withRunner<T>(
  place: Place,
  use: (runner: Runner) => Promise<T>,
  options: Partial<QueueExecutorOptions> = {},
): Promise<T> {
  const executor = await place.executor(options);
  try {
    return await use(executor.open<Setup, Sample, number>(SAMPLE_KIND, { offset: 100 }));
  } finally {
    await executor.end();
  }
}

const all = (runner: Runner, jobs: readonly Sample[], timeoutSeconds = 60) =>
  Promise.all(jobs.map((data) => runner.do({ id: sha256(JSON.stringify(data)), data }, { timeoutSeconds })));

const samples = (count: number, rest: Omit<Sample, "value"> = {}): Sample[] =>
  Array.from({ length: count }, (_, value) => ({ value, ...rest }));

const squares = (count: number): Outcome<number>[] =>
  samples(count).map(({ value }) => ({ status: "done", result: value ** 2 + 100 }));

const until = async (what: () => boolean) => {
  while (!what()) await new Promise((resume) => setTimeout(resume, 20));
};

const linesOf = (path: string): string[] => {
  try {
    return readFileSync(path, "utf8").split("\n").slice(0, -1);
  } catch {
    return [];
  }
};

test(
  "queueExecutor has jobs done by workers, each once, and leaves nothing in Redis",
  { skip },
  () =>
    inPlace(async (place) => {
      place.worker(2);
      place.worker(1);
      const note = join(place.folder, "notes");
      const outcomes = await withRunner(place, (runner) => all(runner, samples(120, { note })));
      assert.deepEqual(outcomes, squares(120));
      assert.equal(new Set(linesOf(note)).size, 120);
      assert.equal(linesOf(note).length, 120);
      assert.deepEqual(await place.redis.keys(), []);
    }),
);

test(
  "queueExecutor answers what was done for an earlier coordinator of the same run without a worker",
  { skip },
  () =>
    inPlace(async (place) => {
      const note = join(place.folder, "notes");
      place.worker();
      // the first coordinator is gone without a word
      const first = await place.executor();
      await all(first.open(SAMPLE_KIND, { offset: 100 }), samples(30, { note }));
      const outcomes = await withRunner(place, (runner) => all(runner, samples(40, { note })));
      assert.deepEqual(outcomes, squares(40));
      assert.equal(linesOf(note).length, 40);
      await first.end();
      assert.deepEqual(await place.redis.keys(), []);
    }),
);

test("queueExecutor tells what a job failed of, and that it took too long", { skip }, () =>
  inPlace(async (place) => {
    place.worker(2);
    const jobs: Sample[] = [{ value: 1, end: "throw" }, { value: 2, end: "thread" }, { value: 3 }];
    const outcomes = await withRunner(place, (runner) =>
      Promise.all([
        all(runner, jobs),
        runner.do({ id: null, data: { value: 4, end: "never" } }, { timeoutSeconds: 1 }),
      ]));
    assert.deepEqual(outcomes, [
      [
        { status: "failed", reason: "1 is no good" },
        { status: "failed", reason: "a worker ended with exit code 7" },
        { status: "done", result: 109 },
      ],
      { status: "timeout" },
    ]);
  }));

test("queueExecutor gives the jobs of a worker that was killed to another", { skip }, () =>
  inPlace(async (place) => {
    const note = join(place.folder, "notes");
    const first = place.worker(1, MORTAL);
    await withRunner(place, async (runner) => {
      const jobs: Sample[] = samples(30, { note });
      jobs[6].lines = 8; // the first worker is at it until it is killed
      const outcomes = all(runner, jobs);
      await until(() => linesOf(note).length === 7);
      first.process.kill("SIGKILL");
      place.worker(1, MORTAL);
      assert.deepEqual(await outcomes, squares(30));
    });
    assert.deepEqual(await place.redis.keys(), []);
    assert.equal(linesOf(note).length, 31, "only what ran when it was killed runs again");
  }));

test("queueExecutor sets aside what kills its workers, and nothing else", { skip }, () =>
  inPlace(async (place) => {
    const workers = [1, 2, 3].map(() => place.worker(2, MORTAL));
    const jobs: Sample[] = [...samples(20, { waitMs: 5 }), { value: 20, end: "process" }, { value: 21, waitMs: 5 }];
    const outcomes = await withRunner(place, (runner) => all(runner, jobs));
    assert.deepEqual(outcomes[20], { status: "failed", reason: "set aside: 2 workers died while they were at it" });
    assert.deepEqual(outcomes.toSpliced(20, 1), squares(22).toSpliced(20, 1));
    assert.equal(workers.filter(({ process }) => process.signalCode === "SIGKILL").length, 2);
    assert.deepEqual(await place.redis.keys(), []);
  }));

test(
  "queueExecutor does not set aside what waited for its turn while a worker was killed",
  { skip },
  () =>
    inPlace(async (place) => {
      const note = join(place.folder, "notes");
      // one ends its worker when all have been begun; the others go on when any is begun again
      const jobs: Sample[] = samples(8, { note, lines: 9 });
      jobs[3] = { value: 3, note, lines: 8, end: "process" };
      const outcomes = await withRunner(place, async (runner) => {
        const outcomes = all(runner, jobs);
        // the first dies with all of them, the next one while it tries them one by one, the last does what is left
        for (let i = 0; i < 3; i++) {
          const worker = place.worker(8, MORTAL);
          if (i < 2) await worker.gone;
        }
        return await outcomes;
      });
      assert.equal(new Set(linesOf(note).slice(0, 8)).size, 8, "all were begun by the worker that died first");
      assert.deepEqual(outcomes[3], { status: "failed", reason: "set aside: 2 workers died while they were at it" });
      assert.deepEqual(outcomes.toSpliced(3, 1), squares(8).toSpliced(3, 1));
    }),
);

test("queueExecutor goes on when Redis was killed and started again", { skip }, () =>
  inPlace(async (place) => {
    const note = join(place.folder, "notes");
    place.worker();
    await withRunner(place, async (runner) => {
      const outcomes = all(runner, samples(60, { note, waitMs: 20 }));
      await until(() => linesOf(note).length > 10);
      await place.redis.kill();
      await place.redis.start();
      assert.deepEqual(await outcomes, squares(60));
    });
    assert.deepEqual(await place.redis.keys(), []);
  }));

test("queueExecutor goes on when Redis has forgotten everything", { skip }, () =>
  inPlace(async (place) => {
    const note = join(place.folder, "notes");
    place.worker();
    await withRunner(place, async (runner) => {
      const outcomes = all(runner, samples(60, { note, waitMs: 20 }));
      await until(() => linesOf(note).length > 10);
      await place.redis.use((redis) => redis.flushall());
      assert.deepEqual(await outcomes, squares(60));
    });
  }));

test("a worker that is told to stop hands its job back", { skip }, () =>
  inPlace(async (place) => {
    const note = join(place.folder, "notes");
    const first = place.worker();
    await withRunner(place, async (runner) => {
      const jobs: Sample[] = samples(30, { note });
      jobs[6].lines = 8;
      const outcomes = all(runner, jobs);
      await until(() => linesOf(note).length === 7);
      first.process.kill("SIGINT");
      await until(() => first.log.includes("told to stop"));
      appendFileSync(note, "go on\n");
      await first.gone;
      assert.match(first.log, /handed back/);
      place.worker();
      assert.deepEqual(await outcomes, squares(30));
    });
    assert.equal(linesOf(note).length, 30 + 1, "nothing runs twice");
    assert.deepEqual(await place.redis.keys(), []);
  }));

test("queueExecutor tells why no worker can do its jobs", { skip }, () =>
  inPlace(async (place) => {
    place.worker(1, { version: "2" });
    place.worker(1, { version: "3" });
    await until(() => place.workers.every(({ log }) => log.includes("is at")));
    await assert.rejects(withRunner(place, (runner) => all(runner, samples(3))), (problem: Error) => {
      assert.match(problem.message, /none of the \d worker\(s\) at redis:\/\/127.0.0.1:\d+ can do this:/);
      assert.match(problem.message, /it is dynosim [23], and the run wants 1/);
      return true;
    });
    assert.deepEqual(await place.redis.keys(), []);
    const lacking = withRunner(place, (runner) => all(runner, samples(3)), {
      version: "2",
      needs: [{ type: "stone", name: "granite", sha256: "2".repeat(64) }],
    });
    await assert.rejects(lacking, /stone granite: not the coordinator's/);
  }));

test("queueExecutor finds the worker that can among those that cannot", { skip }, () =>
  inPlace(async (place) => {
    place.worker(1, { version: "2" });
    place.worker();
    assert.deepEqual(await withRunner(place, (runner) => all(runner, samples(5))), squares(5));
  }));

test("queueExecutor gives up when no worker comes", { skip }, () =>
  inPlace(async (place) => {
    const alone = withRunner(place, (runner) => all(runner, samples(1)), { patienceSeconds: 0.5 });
    await assert.rejects(alone, /no worker has come to redis:.* for 0.5 s; start one: deno task worker redis:/);
  }));

test(
  "a worker takes a file by its digest: from its folder, else through Redis",
  { skip },
  () =>
    inPlace(async (place) => {
      const given = join(place.folder, "given"), theirs = join(place.folder, "theirs");
      mkdirSync(given);
      mkdirSync(theirs);
      const bytes = new Uint8Array(2_500_000).map((_, i) => i % 251);
      writeFileSync(join(given, "a"), bytes);
      writeFileSync(join(given, "b"), bytes.subarray(7));
      writeFileSync(join(theirs, "another name"), bytes.subarray(7));
      const file = (name: string) => {
        const path = join(given, name), content = readFileSync(path);
        return { path, sha256: sha256(content), bytes: content.length };
      };
      const files = [file("a"), file("b")];
      place.worker(1, { folder: theirs });
      const jobs = files.map(({ path }, value): Sample => ({ value, file: path }));
      assert.deepEqual(await withRunner(place, (runner) => all(runner, jobs), { files }), [
        { status: "done", result: 2_500_000 },
        { status: "done", result: 2_499_993 },
      ]);
      assert.deepEqual(await place.redis.keys(), []);
      // what is in the coordinator's file by now is not what it said
      writeFileSync(join(given, "a"), bytes.map((byte) => byte ^ 1));
      const changed = [{ ...files[0], sha256: sha256("something else") }];
      await assert.rejects(
        withRunner(place, (runner) => all(runner, jobs), { files: changed }),
        /what is in Redis is another file: its digest is wrong/,
      );
    }),
);

test("a worker survives everything that somebody may put into Redis", { skip }, () =>
  inPlace(async (place) => {
    const worker = place.worker();
    await until(() => worker.log.includes("is at"));
    const run = `run-${"0".repeat(24)}`;
    const cards = ["", "null", "{", `{"protocol":2}`, "[".repeat(100_000), `{"$dynosim":"x"}`];
    for (const [i, card] of cards.entries()) {
      const name = run.slice(0, -1) + i;
      await place.redis.use(async (redis) => {
        await redis.set(`dynosim:${name}:card`, card);
        await redis.sadd("dynosim:runs", name, `../${name}`, "x".repeat(100_000));
      });
      await until(() => worker.log.split("its announcement cannot be read").length > i + 1);
    }
    await withRunner(place, async (runner) => {
      await all(runner, samples(1));
      const [card] = (await place.redis.keys()).filter((key) =>
        key.endsWith(":card") && !key.includes(run.slice(0, -1))
      );
      const queue = card.slice("dynosim:".length, -":card".length);
      const { Queue } = await import("bullmq");
      await place.redis.use(async (redis) => {
        const jobs = new Queue(queue, { connection: redis as any, prefix: "dynosim" });
        const task = (data: unknown) => ({ id: "0".repeat(64), data: JSON.stringify(data), timeoutSeconds: null });
        for (
          const data of [
            null,
            { tasks: [] },
            { tasks: [{ id: "x", data: "{}", timeoutSeconds: null }] },
            { tasks: [task({ value: "1" })] },
            { tasks: [task({ value: 1, module: "file:///etc/passwd" })] },
            { tasks: Array.from({ length: 26 }, () => task({ value: 1 })) },
          ]
        ) await jobs.add("sample", data, { removeOnComplete: true, removeOnFail: true });
      });
      assert.deepEqual(await all(runner, samples(60)), squares(60));
    });
    assert.equal(worker.process.exitCode, null);
  }));

test("queueExecutor tells why a Redis cannot be used, without its password", { skip }, async () => {
  const redis = await TestRedis.start(["--requirepass", "sesame%open"]);
  const connect = (url: string) =>
    queueExecutor(brokerAddress(url, () => undefined), {
      kinds: [],
      version: "1",
      needs: [],
      files: [],
      name: "test",
    });
  try {
    const { port } = redis;
    await assert.rejects(connect(`redis://127.0.0.1:${port}`), /cannot use the Redis .*: it wants a password/);
    for (const secret of ["wr%25ong", "user:wr%25ong"]) {
      const given = secret.includes(":") ? secret : `:${secret}`;
      await assert.rejects(connect(`redis://${given}@127.0.0.1:${port}`), (problem: Error) => {
        assert.equal(
          problem.message,
          `cannot use the Redis at redis://127.0.0.1:${port}: it does not take this user and password`,
        );
        return true;
      });
    }
    await (await connect(`redis://:sesame%25open@127.0.0.1:${port}`)).end();
  } finally {
    await redis.stop();
  }
  await assert.rejects(connect("redis://127.0.0.1:1"), /nobody listens there/);
});
