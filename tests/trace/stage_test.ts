import assert from "node:assert/strict";
import { test } from "node:test";
import { batchesOf } from "../../lib/trace/batches.ts";
import { batchStage, Flow, Sink, stage } from "../../lib/trace/stage.ts";
import { collect } from "./support.ts";

const nothing = () => {};

/** Batches of three numbers; `closed` is called when they are given up or at their end. */
async function* numbers(until: number, closed: () => void = nothing): AsyncGenerator<readonly number[]> {
  try {
    for (let i = 0; i < until; i += 3) yield await Promise.resolve([i, i + 1, i + 2]);
  } finally {
    closed();
  }
}

const doubled = (closed: () => void = nothing) =>
  batchStage<number, number>(async function* (batches) {
    try {
      for await (const batch of batches) yield batch.map((x) => 2 * x);
    } finally {
      closed();
    }
  });

const plusOne = () =>
  stage<number, number>(async function* (items) {
    for await (const item of items) yield item + 1;
  });

function sink(): { sink: Sink<number>; got: number[]; log: string[] } {
  const got: number[] = [], log: string[] = [];
  const parts = {
    write: (batch: readonly number[]) => {
      got.push(...batch);
      return Promise.resolve();
    },
    close: () => {
      log.push("closed");
      return Promise.resolve();
    },
    abort: (reason?: unknown) => {
      log.push(`aborted: ${(reason as Error).message}`);
    },
  };
  return { sink: new Sink(parts), got, log };
}

test("Flow gives its items to for await and to readers", async () => {
  assert.deepEqual(await collect(new Flow(numbers(6))), [0, 1, 2, 3, 4, 5]);
  const reader = new Flow(numbers(6)).getReader();
  assert.deepEqual(await reader.read(), { value: 0, done: false });
  assert.deepEqual(await reader.read(), { value: 1, done: false });
});

test("Flow.pipeThrough runs stages of both kinds, and foreign ones", async () => {
  assert.deepEqual(await collect(new Flow(numbers(6)).pipeThrough(doubled()).pipeThrough(plusOne())), [
    1,
    3,
    5,
    7,
    9,
    11,
  ]);
  const foreign = new TransformStream<number, number>({ transform: (x, controller) => controller.enqueue(x + 100) });
  const mixed = new Flow(numbers(3)).pipeThrough(doubled()).pipeThrough(foreign).pipeThrough(plusOne());
  assert.deepEqual(await collect(mixed), [101, 103, 105]);
});

test("Stage works behind a plain ReadableStream and cancels it", async () => {
  let cancelled = false;
  const endless = new ReadableStream<number>({
    pull: (controller) => controller.enqueue(1),
    cancel: () => {
      cancelled = true;
    },
  }, { highWaterMark: 0 });
  for await (const item of endless.pipeThrough(doubled())) {
    assert.equal(item, 2);
    break;
  }
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(cancelled, true);
});

test("leaving a loop closes every generator behind it", async () => {
  const closed: string[] = [];
  const flow = new Flow(numbers(1e9, () => closed.push("source")));
  for await (const item of flow.pipeThrough(doubled(() => closed.push("stage")))) if (item > 20) break;
  assert.deepEqual(closed.sort(), ["source", "stage"]);
});

test("cancelling a reader closes every generator behind it", async () => {
  const closed: string[] = [];
  const reader = new Flow(numbers(1e9, () => closed.push("source"))).pipeThrough(doubled()).getReader();
  await reader.read();
  await reader.cancel();
  assert.deepEqual(closed, ["source"]);
});

test("Flow does not read ahead of a slow reader", async () => {
  let made = 0;
  async function* source() {
    for (;;) {
      made++;
      yield await Promise.resolve([made]);
    }
  }
  const reader = new Flow(source()).pipeThrough(doubled()).getReader();
  for (let i = 0; i < 5; i++) await reader.read();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(made <= 6, `${made} made for 5 read`);
  await reader.cancel();
});

test("Flow goes on for a second reader where the first one stopped", async () => {
  const flow = new Flow(numbers(9));
  const reader = flow.getReader();
  await reader.read();
  reader.releaseLock();
  assert.deepEqual(await collect(flow.pipeThrough(doubled())), [2, 4, 6, 8, 10, 12, 14, 16]);
});

test("Flow is locked by what reads it", () => {
  const flow = new Flow(numbers(3));
  batchesOf(flow);
  assert.equal(flow.locked, true);
  assert.throws(() => flow.getReader(), TypeError);
});

test("Stage is good for one use", () => {
  const once = doubled();
  new Flow(numbers(3)).pipeThrough(once);
  assert.throws(() => new Flow(numbers(3)).pipeThrough(once), /one use/);
});

test("Sink takes from flows and from plain streams", async () => {
  const first = sink();
  await new Flow(numbers(3)).pipeTo(first.sink);
  assert.deepEqual([first.got, first.log], [[0, 1, 2], ["closed"]]);
  const second = sink();
  await ReadableStream.from([7, 8]).pipeTo(second.sink);
  assert.deepEqual([second.got, second.log], [[7, 8], ["closed"]]);
});

test("a mistake anywhere in the pipe reaches the sink and the caller", async () => {
  async function* broken(): AsyncGenerator<readonly number[]> {
    yield [1];
    await Promise.reject(new Error("boom"));
  }
  for (const pipe of [() => new Flow(broken()), () => new Flow(broken()).pipeThrough(new TransformStream())]) {
    const { sink: target, got, log } = sink();
    await assert.rejects(pipe().pipeThrough(doubled()).pipeTo(target), /boom/);
    assert.deepEqual(log, ["aborted: boom"]);
    assert.ok(got.length <= 1);
  }
});
