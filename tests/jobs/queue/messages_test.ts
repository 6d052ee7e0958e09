import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import type { Redis } from "ioredis";
import * as v from "valibot";
import { CAPACITY_KIND } from "../../../lib/capacity/capacity_kind.ts";
import { QueueError } from "../../../lib/errors.ts";
import type { Outcome } from "../../../lib/jobs/job.ts";
import { brokerAddress } from "../../../lib/jobs/queue/address.ts";
import { queueExecutor } from "../../../lib/jobs/queue/executor.ts";
import { outcomeSeal, readBatch, readCard, readOutcome, runOf, sealed } from "../../../lib/jobs/queue/messages.ts";
import { plainText } from "../../../lib/jobs/queue/plain_text.ts";
import { CANDIDATE_KIND } from "../../../lib/recommend/candidate_kind.ts";
import { SWEEP_KIND } from "../../../lib/replay/sweep_kind.ts";
import { start } from "../../cli/support.ts";
import { FakeWorker } from "./fake_worker.ts";
import { skip, TestRedis } from "./redis.ts";
import { SAMPLE_KIND } from "./sample_jobs.ts";

const task = "a".repeat(64);
const outcomeText = (id: string, outcome: Outcome<number>) => sealed(outcomeSeal(id), plainText(outcome));
const done = (result: number): Outcome<number> => ({ status: "done", result });

test("readOutcome takes an outcome only as it was written, and only for its task", () => {
  const text = outcomeText(task, done(12));
  assert.deepEqual(readOutcome(task, text, v.number()), done(12));
  const damaged = [text.replace("12", "13"), text.slice(64), text.slice(0, -1), `${text} `, "", "null"];
  for (const other of damaged) assert.match(String(readOutcome(task, other, v.number())), /it was damaged/, other);
  assert.match(String(readOutcome("b".repeat(64), text, v.number())), /that of another task/);
});

test("readBatch takes tasks only as they were written", () => {
  const head = { id: task, timeoutSeconds: 5 };
  const tasks = (more: object) => ({ tasks: [{ ...head, data: sealed(`task ${task} 5`, "{}"), ...more }] });
  assert.deepEqual(readBatch(tasks({})), [{ ...head, data: "{}" }]);
  for (const change of [{ timeoutSeconds: 6 }, { id: "b".repeat(64) }, { data: "{}" }, { data: "" }]) {
    assert.match(String(readBatch(tasks(change))), /was damaged/);
  }
});

test("readCard takes a card only under the name that it gives a run", () => {
  const card = { protocol: 2, name: "n", kind: "k", version: "1", setup: null, needs: [], files: [] };
  const text = JSON.stringify(card);
  assert.deepEqual(readCard(runOf(text), text), card);
  assert.match(String(readCard(runOf(text), text.replace(`"k"`, `"l"`))), /it was damaged/);
});

test("the kinds of jobs take only answers to what was asked, with all their figures", () => {
  const figures = { completed_requests: 1, duration_ms: 1, gpu_hours: 1, output_throughput_tok_s: 1 };
  const replayed = { ok: true as const, metrics: figures };
  assert.ok(v.is(CANDIDATE_KIND.result, replayed));
  assert.ok(!v.is(CANDIDATE_KIND.result, { ok: true, metrics: { ...figures, gpu_hours: null } }));
  const load = { requests: 1, shortestPrompt: 1, shortestOutput: 1, leastNewTokens: 1 };
  const asked = (ask: "replay" | "load" | "idle") => ({ ask, document: {}, stack: "engine", requests: null });
  assert.ok(CANDIDATE_KIND.answers(asked("replay"), replayed));
  assert.ok(!CANDIDATE_KIND.answers(asked("load"), replayed));
  assert.ok(!CANDIDATE_KIND.answers(asked("replay"), { ok: true, load }));
  assert.ok(!CANDIDATE_KIND.answers(asked("idle"), { ok: true, load }));
  assert.ok(!v.is(CANDIDATE_KIND.data, { ...asked("replay"), document: { count: 1n } }));
  assert.ok(!v.is(CAPACITY_KIND.result, { point: { value: 1 }, saturation: null }));
  assert.ok(!v.is(SWEEP_KIND.result, { kind: "replay", metrics: {} }));
});

/** Runs four sample jobs whose worker answers as told. */
async function withAnswers(
  answer: (task: string, times: number) => string,
  spoil: (redis: Redis, job: (part: string) => string, jobs: string[]) => Promise<unknown> = async () => {},
): Promise<Outcome<number>[]> {
  const redis = await TestRedis.start();
  try {
    return await redis.use(async (connection) => {
      const times = new Map<string, number>();
      const worker = new FakeWorker(connection, (_name, task) => {
        times.set(task, (times.get(task) ?? 0) + 1);
        return answer(task, times.get(task)!);
      }, async (_name, run) => {
        const key = (part: string) => `dynosim:${run}:${part}`;
        let jobs: string[] = [];
        while (jobs.length === 0) jobs = await connection.lrange(key("wait"), 0, -1);
        await spoil(connection, key, jobs);
      });
      const address = brokerAddress(redis.url, () => undefined);
      const options = { kinds: [SAMPLE_KIND], version: "1", needs: [], files: [], name: "test" };
      const executor = await queueExecutor(address, options);
      try {
        const runner = executor.open(SAMPLE_KIND, { offset: 0 });
        const ids = ["1", "2", "3", "4"].map((digit) => digit.repeat(64));
        return await Promise.all(
          ids.map((id, value) => runner.do({ id, data: { value } }) as Promise<Outcome<number>>),
        );
      } finally {
        await worker.end();
        await executor.end();
      }
    });
  } finally {
    await redis.stop();
  }
}

const squares = [done(1), done(4), done(9), done(16)];
const right = (task: string) => outcomeText(task, done(Number(task[0]) ** 2));

test("queueExecutor asks again for what was damaged on its way, or answers something else", { skip }, async () => {
  const wrong = (task: string) => task[0] === "2" ? outcomeText(task, done(Infinity)) : right(task).replace("4", "5");
  assert.deepEqual(await withAnswers((task, times) => times < 2 ? wrong(task) : right(task)), squares);
});

test("queueExecutor gives a task up whose answers cannot be read", { skip }, async () => {
  const [, second, ...rest] = await withAnswers((task) => task[0] === "2" ? "x" : right(task));
  assert.deepEqual(second, {
    status: "failed",
    reason: "3 answers of workers could not be read: it was damaged, or is that of another task",
  });
  assert.deepEqual(rest, squares.slice(2));
});

test("queueExecutor sends again what lies in no list, and what was taken and nobody holds", { skip }, async () => {
  const lost = await withAnswers(right, (redis, key) => redis.del(key("wait")));
  assert.deepEqual(lost, squares);
  const taken = await withAnswers(
    right,
    (redis, key, jobs) => redis.pipeline().del(key("wait")).rpush(key("active"), ...jobs).exec(),
  );
  assert.deepEqual(taken, squares);
});

test("queueExecutor names what is of the wrong type in Redis", { skip }, async () => {
  for (const key of ["dynosim:runs", "dynosim:workers"]) {
    const redis = await TestRedis.start();
    try {
      await redis.use((connection) => connection.set(key, "x"));
      const address = brokerAddress(redis.url, () => undefined);
      const options = { kinds: [SAMPLE_KIND], version: "1", needs: [], files: [], name: "test" };
      const executor = await queueExecutor(address, options);
      const answer = executor.open(SAMPLE_KIND, { offset: 0 }).do({ id: null, data: { value: 1 } });
      await assert.rejects(answer, (problem: Error) => {
        assert.ok(problem instanceof QueueError);
        assert.match(problem.message, new RegExp(`^redis://127.0.0.1:\\d+: (SADD|SMEMBERS) ${key}: WRONGTYPE`));
        return true;
      });
      await executor.end();
    } finally {
      await redis.stop();
    }
  }
});

test("a search, a capacity and a retune come to the same whatever is damaged on its way", {
  skip: skip || !("Deno" in globalThis) && "the attack runs on Deno",
}, async () => {
  const { code, stdout, stderr } = await start("scripts/attack/queue_messages.ts", [
    process.env.QUEUE_PART ?? "outcomes",
    process.env.QUEUE_MESSAGES ?? "6",
  ]);
  console.log(stdout.trim());
  assert.equal(code, 0, stdout + stderr);
});
