import { test } from "node:test";
import assert from "node:assert/strict";
import fc from "fast-check";
import { type QueueClass, RequestQueue, score, type Waiting } from "../../lib/router/queue.ts";

const kind = (name: string, more: Partial<QueueClass> = {}): QueueClass => ({
  name,
  quantum: 1,
  policy: "fcfs",
  busyTokens: 0,
  busyFraction: null,
  requestLimit: null,
  inputTokenLimit: null,
  cachedTokenLimit: null,
  ...more,
});

const waiting = (request: number, more: Partial<Waiting> = {}): Waiting => ({
  request,
  inputTokens: 16,
  cachedTokens: 0,
  strictPriority: 0,
  score: -request,
  overlaps: new Int32Array(0),
  order: 0,
  ...more,
});

const any = () => true;

/** Requests of one drain that releases at most `most`. */
function drain(queue: RequestQueue, most = Infinity, hasRoom: (kind: QueueClass) => boolean = any): number[] {
  const released: number[] = [];
  for (;;) {
    const next = queue.pop((of) => released.length < most && hasRoom(of));
    if (next === null) return released;
    released.push(next.request);
  }
}

test("score follows the policy; negative priorities count as 0", () => {
  assert.equal(score("fcfs", 2, 0.5, 100), 1.5);
  assert.equal(score("lcfs", 2, 0.5, 100), 2.5);
  assert.equal(score("wspt", 2, 0.5, 100), 0.03);
  assert.equal(score("wspt", 0, 0.5, 0), 1);
  assert.equal(score("fcfs", -3, 0.5, 100), -0.5);
});

test("RequestQueue orders a class by strict priority, score and turn", () => {
  fc.assert(fc.property(
    fc.array(fc.record({ strictPriority: fc.nat(2), score: fc.nat(3) }), { maxLength: 50 }),
    (items) => {
      const queue = new RequestQueue([kind("default")]);
      items.forEach((item, request) => queue.push(0, waiting(request, item), 1));
      const expected = items.map((item, request) => ({ ...item, request }))
        .sort((a, b) => b.strictPriority - a.strictPriority || b.score - a.score || a.request - b.request);
      assert.deepEqual(drain(queue), expected.map(({ request }) => request));
      assert.equal(queue.waits(0), false);
    },
  ));
});

test("RequestQueue serves classes by deficit round robin, as the reference does", () => {
  // Odd numbers belong to the class with the larger quantum; the ninth and later ones come after the first drain.
  const queue = new RequestQueue([kind("d", { quantum: 32 }), kind("q", { quantum: 16 })]);
  const come = (from: number, to: number) => {
    for (let r = from; r <= to; r++) queue.push(r % 2 === 1 ? 0 : 1, waiting(r), 1);
  };
  come(1, 9);
  const order = drain(queue, 3);
  come(10, 14);
  while (queue.waits(0) || queue.waits(1)) order.push(...drain(queue, 1));
  assert.deepEqual(order, [1, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 14]);
});

test("RequestQueue skips classes without room", () => {
  const queue = new RequestQueue([kind("d"), kind("q")]);
  for (let r = 0; r < 4; r++) queue.push(r % 2, waiting(r), 1);
  assert.deepEqual(drain(queue, Infinity, ({ name }) => name === "q"), [1, 3]);
  assert.deepEqual(drain(queue), [0, 2]);
});

test("RequestQueue gives every class its share and loses nobody", () => {
  fc.assert(fc.property(
    fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 4 }),
    fc.array(fc.record({ lane: fc.nat(), inputTokens: fc.nat(5000) }), { maxLength: 60 }),
    fc.integer({ min: 1, max: 5 }),
    (quanta, items, most) => {
      const queue = new RequestQueue(quanta.map((quantum, i) => kind(`${i}`, { quantum })));
      items.forEach(({ lane, inputTokens }, r) => queue.push(lane % quanta.length, waiting(r, { inputTokens }), 1));
      const released: number[] = [];
      for (let part = drain(queue, most); part.length > 0; part = drain(queue, most)) released.push(...part);
      assert.deepEqual(released.toSorted((a, b) => a - b), items.map((_, r) => r));
      for (const lane of quanta.keys()) {
        const own = released.filter((r) => items[r].lane % quanta.length === lane);
        assert.deepEqual(own, own.toSorted((a, b) => a - b));
      }
    },
  ));
});

test("RequestQueue refuses what is over a class's limits, counted per rank", () => {
  const full = (limits: Partial<QueueClass>, count: number, ranks = 1) => {
    const queue = new RequestQueue([kind("q", limits)]);
    for (let r = 0; r < count; r++) assert.equal(queue.push(0, waiting(r, { cachedTokens: 4 }), ranks), null);
    return queue.push(0, waiting(count), ranks);
  };
  assert.equal(full({ requestLimit: 0 }, 0), "requests limit reached (current=0, limit=0)");
  assert.equal(full({ requestLimit: 2 }, 4, 2), "requests limit reached (current=4, limit=4)");
  assert.equal(full({ inputTokenLimit: 20 }, 2), "raw_isl_tokens limit reached (current=32, limit=20)");
  assert.equal(full({ cachedTokenLimit: 8 }, 2), "cached_tokens limit reached (current=8, limit=8)");
  assert.equal(full({ requestLimit: 3, inputTokenLimit: 100, cachedTokenLimit: 100 }, 2), null);
});
