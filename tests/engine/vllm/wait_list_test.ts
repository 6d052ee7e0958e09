import assert from "node:assert/strict";
import { test } from "node:test";
import { Slots } from "../../../lib/engine/vllm/slots.ts";
import { WaitList } from "../../../lib/engine/vllm/wait_list.ts";

function opened(prompts: number[]): Slots {
  const slots = new Slots();
  prompts.forEach((prompt, request) => slots.open(request, prompt, 10, 1000));
  return slots;
}

function order(list: WaitList): number[] {
  return Array.from({ length: list.size }, (_, position) => list.at(position));
}

test("WaitList puts preempted requests in front and counts them by what they know", () => {
  const slots = opened([10, 20, 30]), list = new WaitList(slots, false);
  list.add(0);
  list.add(1);
  slots.length[2] = 33;
  slots.preempted[2] = 1;
  list.addPreempted(2);
  assert.deepEqual(order(list), [2, 0, 1]);
  assert.deepEqual([list.fresh.sum, list.begun.sum], [30, 33]);
  list.remove(0);
  list.remove(1);
  assert.deepEqual(order(list), [0]);
  assert.deepEqual([list.fresh.sum, list.fresh.squares, list.begun.sum], [10, 100, 0]);
});

test("WaitList of a decode rank counts destinations by their prompts from the offer to the admission", () => {
  const slots = opened([10, 20, 30]), list = new WaitList(slots, true);
  for (const slot of [0, 1, 2]) list.countDestination(slot);
  assert.deepEqual([list.size, list.begun.count, list.begun.sum], [0, 3, 60]);
  list.forgetDestination(0);
  list.headBlocked = true;
  list.addActivated(2);
  assert.equal(list.headBlocked, false, "there is a head to look at");
  list.addActivated(1);
  assert.deepEqual(order(list), [1, 2], "in the order in which they came");
  assert.deepEqual([list.begun.count, list.begun.sum], [2, 50]);
  slots.length[1] = 25;
  list.remove(0);
  assert.deepEqual([list.begun.count, list.begun.sum], [1, 30]);
});

test("WaitList finds requests, and the first one whose prompt has KV", () => {
  const slots = opened([10, 20, 30]), list = new WaitList(slots, false);
  for (const slot of [0, 1, 2]) list.add(slot);
  assert.equal(list.firstComputed(), 3);
  slots.computed[1] = slots.allocated[1] = 20;
  slots.computed[2] = slots.allocated[2] = 29;
  assert.equal(list.firstComputed(), 1);
  assert.deepEqual([list.find(2), list.find(7)], [2, -1]);
});
