/** The counters of steadily decoding requests against the requests themselves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SteadySet } from "../../lib/engine/steady_set.ts";

interface Member {
  length: number;
  stop: number;
  order: number;
}

const step = fc.record({
  kind: fc.constantFrom("add", "add", "pass", "pass", "pass", "skip", "remove", "clear"),
  slot: fc.nat(90),
  length: fc.integer({ min: 2, max: 60 }),
  more: fc.integer({ min: 1, max: 25 }),
  order: fc.nat(1000),
});

test("SteadySet counts what its requests need, one by one", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(1, 2, 4, 16),
      fc.nat(50),
      fc.array(step, { maxLength: 250, size: "max" }),
      (block, firstPass, steps) => {
        const set = new SteadySet(block), members = new Map<number, Member>();
        let pass = firstPass, orders = 0;
        /** Everybody whose last token is due in this pass, in admission order. */
        const ending = () =>
          [...members].filter(([, { length, stop }]) => length === stop - 1).sort(([, a], [, b]) => a.order - b.order)
            .map(([slot]) => slot);
        const emit = () => {
          for (const slot of ending()) {
            assert.equal(set.popEnding(pass), slot);
            members.delete(slot);
          }
          assert.equal(set.popEnding(pass), -1);
          set.advance();
          for (const member of members.values()) member.length++;
          pass++;
        };
        for (const { kind, slot, length, more, order } of steps) {
          if (kind === "add") {
            if (members.has(slot)) continue;
            const member = { length, stop: length + more, order: order * 1000 + orders++ };
            set.reserve(slot + 1);
            set.add(slot, length, member.stop, member.order, pass);
            members.set(slot, member);
          } else if (kind === "pass") {
            emit();
          } else if (kind === "skip") {
            // Several passes at once, as long as nobody ends in them.
            const passes = Math.min(more, ...[...members.values()].map(({ length, stop }) => stop - 1 - length));
            set.advance(passes);
            for (const member of members.values()) member.length += passes;
            pass += passes;
          } else if (kind === "remove") {
            if (!members.delete(slot)) continue;
            set.remove(slot, pass);
          } else if (slot < 10) {
            set.clear();
            members.clear();
          }
          const lengths = [...members.values()].map((member) => member.length);
          assert.equal(set.count, lengths.length);
          assert.equal(set.tokens, lengths.reduce((sum, length) => sum + length, 0));
          assert.equal(set.tokensSquared, lengths.reduce((sum, length) => sum + length * length, 0));
          assert.equal(
            set.nextEnd,
            Math.min(Infinity, ...[...members.values()].map(({ length, stop }) => pass + stop - 1 - length)),
          );
          for (let ahead = 0; ahead < block; ahead++) {
            const starting = lengths.filter((length) => (length + ahead - 1) % block === 0).length;
            assert.equal(set.growthAt(pass + ahead), starting, "blocks that are started in a pass");
            const completes = lengths.some((length) => (length + ahead) % block === 0);
            assert.equal(set.completesIn(pass + ahead), completes, "blocks that are completed in a pass");
          }
          for (const [slot, member] of members) assert.equal(set.length(slot, pass), member.length);
        }
      },
    ),
    { seed: 4, numRuns: 200 },
  );
});
