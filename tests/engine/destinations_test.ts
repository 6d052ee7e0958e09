import assert from "node:assert/strict";
import { test } from "node:test";
import { Destinations } from "../../lib/engine/destinations.ts";

test("Destinations grants in the order of the offers and tries a head again only after something was freed", () => {
  const destinations = new Destinations();
  assert.equal(destinations.tryNext(), -1, "nobody is pending");
  destinations.offer(100, 0);
  destinations.offer(101, 1);
  assert.equal(destinations.tryNext(), 0);
  assert.equal(destinations.tryNext(), -1, "nothing has changed since");
  destinations.freed();
  assert.equal(destinations.tryNext(), 0);
  destinations.granted();
  assert.equal(destinations.tryNext(), 1, "the next one has not been tried");
  assert.deepEqual([destinations.pending, destinations.size], [1, 2]);
});

test("Destinations tries the first offer after a time without any", () => {
  const destinations = new Destinations();
  destinations.offer(100, 0);
  destinations.tryNext();
  destinations.remove(100);
  assert.deepEqual([destinations.pending, destinations.size], [0, 0]);
  destinations.offer(101, 3);
  assert.equal(destinations.tryNext(), 3);
});

test("Destinations forgets reserved requests when they are activated or removed", () => {
  const destinations = new Destinations();
  for (const request of [100, 101, 102]) destinations.offer(request, request - 100);
  destinations.tryNext();
  destinations.granted();
  destinations.tryNext();
  destinations.granted();
  assert.deepEqual([0, 1, 2].map((slot) => destinations.isPending(slot)), [false, false, true]);
  assert.equal(destinations.activate(101), 1);
  assert.equal(destinations.slotOf(101), -1);
  destinations.remove(100);
  assert.equal(destinations.slotOf(100), -1);
  assert.deepEqual([destinations.pending, destinations.size], [1, 1]);
});

test("Destinations does not try an untouched head again when another pending one is removed", () => {
  const destinations = new Destinations();
  for (const request of [100, 101, 102]) destinations.offer(request, request - 100);
  assert.equal(destinations.tryNext(), 0);
  destinations.remove(101);
  assert.equal(destinations.tryNext(), -1);
  destinations.remove(100);
  assert.equal(destinations.tryNext(), 2, "a new head");
});
