import { test } from "node:test";
import assert from "node:assert/strict";
import { type BatchOptions, runBatch } from "../../lib/jobs/batch.ts";
import { threads } from "../../lib/jobs/threads.ts";
import type { Job } from "./sample_jobs.ts";

const kind = { name: "sample", module: new URL("./sample_jobs.ts", import.meta.url) };

/** Batches of sample jobs on up to so many threads. */
class Pool {
  readonly #runner;

  constructor({ parallel, setup, heapMegabytes, jobs = kind }: {
    parallel: number;
    setup: unknown;
    heapMegabytes?: number;
    jobs?: typeof kind;
  }) {
    this.#runner = threads(parallel, { heapMegabytes }).open<unknown, Job, number>(jobs, setup);
  }

  run = (jobs: readonly Job[], options?: BatchOptions) => runBatch(this.#runner, jobs, options);
  close = () => this.#runner.close();
}

async function withPool<T>(
  maxParallel: number,
  use: (pool: Pool) => Promise<T>,
  setup: { offset: number; broken?: boolean } = { offset: 100 },
): Promise<T> {
  const pool = new Pool({ parallel: maxParallel, setup });
  try {
    return await use(pool);
  } finally {
    pool.close();
  }
}

const squares: Job[] = Array.from({ length: 9 }, (_, value) => ({ kind: "square", value }));
const expected = { status: "done", results: squares.map((_, value) => value ** 2 + 100) };

for (const maxParallel of [1, 3]) {
  test(`runBatch on ${maxParallel} returns results in the order of the jobs`, async () => {
    assert.deepEqual(await withPool(maxParallel, (pool) => pool.run(squares)), expected);
  });

  test(`runBatch on ${maxParallel} does nothing without jobs`, async () => {
    assert.deepEqual(await withPool(maxParallel, (pool) => pool.run([])), { status: "done", results: [] });
  });

  test(`runBatch on ${maxParallel} tells the failure of the first job that failed and starts no more`, async () => {
    const cells = new Int32Array(new SharedArrayBuffer(4));
    const jobs: Job[] = [
      { kind: "throw", message: "first", afterMs: 50 },
      { kind: "throw", message: "second" },
      { kind: "throw", message: "third" },
      { kind: "mark", cells, at: 0 },
    ];
    assert.deepEqual(await withPool(maxParallel, (pool) => pool.run(jobs)), { status: "failed", reason: "first" });
    assert.equal(cells[0], 0);
  });

  test(`runBatch on ${maxParallel} works again after a failure`, async () => {
    await withPool(maxParallel, async (pool) => {
      await pool.run([{ kind: "throw", message: "once" }]);
      assert.deepEqual(await pool.run(squares), expected);
    });
  });

  test(`runBatch on ${maxParallel} tells why its jobs cannot be prepared`, async () => {
    const result = await withPool(maxParallel, (pool) => pool.run(squares), { offset: 0, broken: true });
    assert.deepEqual(result, { status: "failed", reason: "the setup is broken" });
  });

  test(`runBatch on ${maxParallel} stops at its time limit`, async () => {
    await withPool(maxParallel, async (pool) => {
      const result = await pool.run([{ kind: "spin" }, { kind: "spin" }], { timeoutSeconds: 0.3 });
      assert.deepEqual(result, { status: "timeout" });
      assert.deepEqual(await pool.run(squares), expected);
    });
  });

  test(`runBatch on ${maxParallel} takes a time limit of years`, async () => {
    assert.deepEqual(await withPool(maxParallel, (pool) => pool.run(squares, { timeoutSeconds: 1e9 })), expected);
  });

  test(`runBatch on ${maxParallel} rejects with the reason of its signal`, async () => {
    const aborted = AbortSignal.abort(new Error("no longer wanted"));
    await assert.rejects(withPool(maxParallel, (pool) => pool.run(squares, { signal: aborted })), /no longer wanted/);
  });
}

test("runBatch shares arrays over shared memory with its workers", async () => {
  const cells = new Int32Array(new SharedArrayBuffer(4 * 8));
  const jobs: Job[] = Array.from({ length: 8 }, (_, at) => ({ kind: "mark", cells, at }));
  await withPool(4, (pool) => pool.run(jobs));
  assert.deepEqual([...cells], [1, 1, 1, 1, 1, 1, 1, 1]);
});

test("runBatch tells the exit code of a worker that died", async () => {
  await withPool(2, async (pool) => {
    const result = await pool.run([{ kind: "square", value: 1 }, { kind: "exit", code: 7 }]);
    assert.deepEqual(result, { status: "failed", reason: "a worker ended with exit code 7" });
    assert.deepEqual(await pool.run(squares), expected);
  });
});

const limitsHeaps = !("Bun" in globalThis);
test("runBatch outlives a worker that runs out of memory", { skip: !limitsHeaps }, async () => {
  const pool = new Pool({ parallel: 2, setup: { offset: 0 }, heapMegabytes: 64 });
  const result = await pool.run([{ kind: "hoard" }]);
  pool.close();
  assert.equal(result.status, "failed");
  assert.match((result as { reason: string }).reason, /memory/);
});

test("runBatch ends busy workers when its signal is aborted", async () => {
  await withPool(2, async (pool) => {
    const control = new AbortController();
    setTimeout(() => control.abort(new Error("interrupted")), 200);
    await assert.rejects(pool.run([{ kind: "spin" }, { kind: "spin" }], { signal: control.signal }), /interrupted/);
  });
});

test("runBatch on 1 lets an abort through between jobs", async () => {
  const control = new AbortController();
  setTimeout(() => control.abort(new Error("interrupted")), 20);
  const jobs: Job[] = Array.from({ length: 500 }, () => ({ kind: "square", value: 2 }));
  await assert.rejects(withPool(1, (pool) => pool.run(jobs, { signal: control.signal })), /interrupted/);
});

test("runBatch keeps its workers between batches until it is closed", async () => {
  await withPool(2, async (pool) => {
    assert.deepEqual(await pool.run([{ kind: "visits" }]), { status: "done", results: [1] });
    assert.deepEqual(await pool.run([{ kind: "visits" }]), { status: "done", results: [2] });
    pool.close();
    assert.deepEqual(await pool.run([{ kind: "visits" }]), { status: "done", results: [1] });
  });
});

test("runBatch tells that its job module is missing", async () => {
  const pool = new Pool({
    parallel: 2,
    setup: null,
    jobs: { name: "none", module: new URL("./no_such_jobs.ts", import.meta.url) },
  });
  const result = await pool.run([{ kind: "visits" }]);
  pool.close();
  assert.equal(result.status, "failed");
  assert.match((result as { reason: string }).reason, /no_such_jobs/);
});

test("runBatch tells that a job cannot be sent", async () => {
  const result = await withPool(2, (pool) => pool.run([(() => 0) as unknown as Job]));
  assert.equal(result.status, "failed");
});
