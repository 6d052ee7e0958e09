import { test } from "node:test";
import assert from "node:assert/strict";
import { PrefillLoad } from "../../lib/router/prefill_load.ts";

test("PrefillLoad without a model sums what is booked", () => {
  const load = new PrefillLoad();
  load.book(0, 2, 10, 6, 0);
  load.book(1, 2, 5, 0, 1);
  load.book(2, 0, 0, 8, 1);
  assert.deepEqual([load.on(0, 9), load.on(2, 9), load.on(99, 9)], [0, 15, 0]);
  load.remove(0, 2, 2);
  load.remove(0, 2, 3);
  load.remove(2, 0, 3);
  assert.deepEqual([load.on(0, 9), load.on(2, 9)], [0, 5]);
});

test("PrefillLoad shrinks the oldest booking as the model expects, down to nothing", () => {
  const load = new PrefillLoad((tokens) => tokens); // a millisecond a token
  load.book(0, 0, 10, 0, 100);
  load.book(1, 0, 20, 0, 101);
  assert.equal(load.on(0, 100), 30);
  assert.equal(load.on(0, 102.5), 28);
  assert.equal(load.on(0, 110), 20);
  // Nobody told yet that the oldest is done: time goes on at its pace.
  assert.equal(load.on(0, 115), 15);
  assert.equal(load.on(0, 1000), 0);
});

test("PrefillLoad starts the next oldest anew when the oldest is removed", () => {
  const load = new PrefillLoad((tokens) => tokens);
  load.book(0, 0, 10, 0, 0);
  load.book(1, 0, 20, 0, 0);
  load.remove(0, 0, 12);
  assert.equal(load.on(0, 12), 20);
  assert.equal(load.on(0, 17), 15);
});

test("PrefillLoad gives the oldest back the time of a later booking that is removed, at most to now", () => {
  const load = new PrefillLoad((tokens) => tokens);
  load.book(0, 0, 10, 0, 0);
  load.book(1, 0, 3, 0, 0);
  load.remove(1, 0, 5);
  assert.equal(load.on(0, 5), 8);
  load.book(1, 0, 30, 0, 5);
  load.remove(1, 0, 6);
  assert.equal(load.on(0, 6), 10);
});

test("PrefillLoad counts what the model does not know in full", () => {
  const load = new PrefillLoad((tokens) => tokens === 7 ? null : tokens);
  load.book(0, 0, 10, 0, 0);
  load.book(1, 0, 7, 0, 0);
  assert.equal(load.on(0, 2.5), 7 + 8);
  assert.equal(load.on(0, 50), 7);
  load.remove(0, 0, 50);
  assert.equal(load.on(0, 90), 7);
});

test("PrefillLoad takes an expected duration of nothing as done", () => {
  const load = new PrefillLoad(() => 0);
  load.book(0, 0, 10, 0, 0);
  load.book(1, 0, 5, 0, 0);
  assert.equal(load.on(0, 0), 5);
});

test("PrefillLoad multiplies exactly beyond 2^53", () => {
  const load = new PrefillLoad(() => 3_600_000_000 / 1);
  load.book(0, 0, 2_000_000, 0, 0);
  // floor(2e6 * 1.8e15 / 3.6e15) = 1e6
  assert.equal(load.on(0, 1_800_000_000), 1_000_000);
  assert.equal(load.on(0, 1_799_999_999.999), 1_000_001);
});

test("PrefillLoad forgets a rank", () => {
  const load = new PrefillLoad((tokens) => tokens);
  load.book(0, 0, 10, 0, 0);
  load.forget(0);
  assert.equal(load.on(0, 0), 0);
});
