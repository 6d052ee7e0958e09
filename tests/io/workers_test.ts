import { test } from "node:test";
import assert from "node:assert/strict";
import { WorkerPool } from "../../lib/io/workers.ts";
import type { Job } from "./worker_jobs.ts";

const module = new URL("./worker_jobs.ts", import.meta.url);

async function withPool<T>(
  maxParallel: number,
  use: (pool: WorkerPool<{ offset: number; broken?: boolean }, Job, number>) => Promise<T>,
  setup: { offset: number; broken?: boolean } = { offset: 100 },
): Promise<T> {
  const pool = new WorkerPool<typeof setup, Job, number>({ module, setup, maxParallel });
  try {
    return await use(pool);
  } finally {
    pool.close();
  }
}

const squares: Job[] = Array.from({ length: 9 }, (_, value) => ({ kind: "square", value }));
const expected = { status: "done", results: squares.map((_, value) => value ** 2 + 100) };

for (const maxParallel of [1, 3]) {
  test(`WorkerPool with ${maxParallel} returns results in the order of the jobs`, async () => {
    assert.deepEqual(await withPool(maxParallel, (pool) => pool.run(squares)), expected);
  });

  test(`WorkerPool with ${maxParallel} does nothing without jobs`, async () => {
    assert.deepEqual(await withPool(maxParallel, (pool) => pool.run([])), { status: "done", results: [] });
  });

  test(`WorkerPool with ${maxParallel} tells the failure of the first job that failed and starts no more`, async () => {
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

  test(`WorkerPool with ${maxParallel} works again after a failure`, async () => {
    await withPool(maxParallel, async (pool) => {
      await pool.run([{ kind: "throw", message: "once" }]);
      assert.deepEqual(await pool.run(squares), expected);
    });
  });

  test(`WorkerPool with ${maxParallel} tells why its jobs cannot be prepared`, async () => {
    const result = await withPool(maxParallel, (pool) => pool.run(squares), { offset: 0, broken: true });
    assert.deepEqual(result, { status: "failed", reason: "the setup is broken" });
  });

  test(`WorkerPool with ${maxParallel} stops at its time limit`, async () => {
    await withPool(maxParallel, async (pool) => {
      const result = await pool.run([{ kind: "spin" }, { kind: "spin" }], { timeoutSeconds: 0.3 });
      assert.deepEqual(result, { status: "timeout" });
      assert.deepEqual(await pool.run(squares), expected);
    });
  });

  test(`WorkerPool with ${maxParallel} takes a time limit of years`, async () => {
    assert.deepEqual(await withPool(maxParallel, (pool) => pool.run(squares, { timeoutSeconds: 1e9 })), expected);
  });

  test(`WorkerPool with ${maxParallel} rejects with the reason of its signal`, async () => {
    const aborted = AbortSignal.abort(new Error("no longer wanted"));
    await assert.rejects(withPool(maxParallel, (pool) => pool.run(squares, { signal: aborted })), /no longer wanted/);
  });
}

test("WorkerPool shares arrays over shared memory with its workers", async () => {
  const cells = new Int32Array(new SharedArrayBuffer(4 * 8));
  const jobs: Job[] = Array.from({ length: 8 }, (_, at) => ({ kind: "mark", cells, at }));
  await withPool(4, (pool) => pool.run(jobs));
  assert.deepEqual([...cells], [1, 1, 1, 1, 1, 1, 1, 1]);
});

test("WorkerPool tells the exit code of a worker that died", async () => {
  await withPool(2, async (pool) => {
    const result = await pool.run([{ kind: "square", value: 1 }, { kind: "exit", code: 7 }]);
    assert.deepEqual(result, { status: "failed", reason: "a worker ended with exit code 7" });
    assert.deepEqual(await pool.run(squares), expected);
  });
});

const limitsHeaps = !("Bun" in globalThis);
test("WorkerPool outlives a worker that runs out of memory", { skip: !limitsHeaps }, async () => {
  const pool = new WorkerPool({ module, setup: { offset: 0 }, maxParallel: 2, heapMegabytes: 64 });
  const result = await pool.run([{ kind: "hoard" }]);
  pool.close();
  assert.equal(result.status, "failed");
  assert.match((result as { reason: string }).reason, /memory/);
});

test("WorkerPool ends busy workers when its signal is aborted", async () => {
  await withPool(2, async (pool) => {
    const control = new AbortController();
    setTimeout(() => control.abort(new Error("interrupted")), 200);
    await assert.rejects(pool.run([{ kind: "spin" }, { kind: "spin" }], { signal: control.signal }), /interrupted/);
  });
});

test("WorkerPool with 1 lets an abort through between jobs", async () => {
  const control = new AbortController();
  setTimeout(() => control.abort(new Error("interrupted")), 20);
  const jobs: Job[] = Array.from({ length: 500 }, () => ({ kind: "square", value: 2 }));
  await assert.rejects(withPool(1, (pool) => pool.run(jobs, { signal: control.signal })), /interrupted/);
});

test("WorkerPool keeps its workers between batches until it is closed", async () => {
  await withPool(2, async (pool) => {
    assert.deepEqual(await pool.run([{ kind: "visits" }]), { status: "done", results: [1] });
    assert.deepEqual(await pool.run([{ kind: "visits" }]), { status: "done", results: [2] });
    pool.close();
    assert.deepEqual(await pool.run([{ kind: "visits" }]), { status: "done", results: [1] });
  });
});

test("WorkerPool tells that its job module is missing", async () => {
  const pool = new WorkerPool({ module: new URL("./no_such_jobs.ts", import.meta.url), setup: null, maxParallel: 2 });
  const result = await pool.run([1]);
  pool.close();
  assert.equal(result.status, "failed");
  assert.match((result as { reason: string }).reason, /no_such_jobs/);
});

test("WorkerPool tells that a job cannot be sent", async () => {
  const result = await withPool(2, (pool) => pool.run([(() => 0) as unknown as Job]));
  assert.equal(result.status, "failed");
});
