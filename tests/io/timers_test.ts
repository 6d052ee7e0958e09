import assert from "node:assert/strict";
import { test } from "node:test";
import { after, every, LONGEST_ALARM_MS, pause } from "../../lib/io/timers.ts";

test("pause lets timers and messages through that were there before", async () => {
  const heard: string[] = [];
  const { port1, port2 } = new MessageChannel();
  const message = new Promise<void>((resume) =>
    port1.onmessage = () => {
      heard.push("message");
      resume();
    }
  );
  port2.postMessage(0);
  setTimeout(() => heard.push("timer"));
  while (heard.length < 2) await pause();
  await message;
  port1.close();
  assert.deepEqual(heard.sort(), ["message", "timer"]);
});

test("after calls once, and not when it is taken back", async () => {
  let calls = 0;
  const takeBack = after(1, () => calls += 10), fire = after(1, () => calls++);
  takeBack();
  await pause(30);
  fire(); // it is over
  assert.equal(calls, 1);
  after(Infinity, () => calls++)();
  after(10 * LONGEST_ALARM_MS, () => calls += 100)();
  await pause(5);
  assert.equal(calls, 1);
});

test("every calls until it is ended, by itself too", async () => {
  let calls = 0;
  const end = every(1, () => {
    if (++calls === 3) end();
  });
  while (calls < 3) await pause(1);
  await pause(20);
  assert.equal(calls, 3);
});
