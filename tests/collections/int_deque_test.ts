import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { IntDeque } from "../../lib/collections/int_deque.ts";

const step = fc.record({
  kind: fc.constantFrom("pushBack", "pushBack", "pushFront", "popFront", "insert", "remove", "set"),
  at: fc.nat(1000),
  slot: fc.nat(1000),
});

test("IntDeque does what an array does", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: "max" }), (steps) => {
      const queue = new IntDeque(), expected: number[] = [];
      for (const { kind, at, slot } of steps) {
        const size = expected.length;
        if (kind === "pushBack") {
          queue.pushBack(slot);
          expected.push(slot);
        } else if (kind === "pushFront") {
          queue.pushFront(slot);
          expected.unshift(slot);
        } else if (kind === "insert") {
          queue.insert(at % (size + 1), slot);
          expected.splice(at % (size + 1), 0, slot);
        } else if (size > 0 && kind === "popFront") {
          assert.equal(queue.popFront(), expected.shift());
        } else if (size > 0 && kind === "remove") {
          assert.equal(queue.remove(at % size), expected.splice(at % size, 1)[0]);
        } else if (size > 0 && kind === "set") {
          queue.set(at % size, slot);
          expected[at % size] = slot;
        }
        assert.equal(queue.size, expected.length);
        assert.deepEqual(expected.map((_, i) => queue.at(i)), expected);
      }
    }),
    { seed: 3, numRuns: 200 },
  );
});
