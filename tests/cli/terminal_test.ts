import assert from "node:assert/strict";
import { test } from "node:test";
import { clock, paint, progressLine, readingLine, shareLine } from "../../cli/terminal.ts";

test("progressLine shows share, requests, virtual time and the time left", () => {
  const progress = { requestsDone: 6000, requestsTotal: 12031, virtualMs: 3_723_000 };
  assert.equal(
    progressLine(progress, 500, 120),
    "███████████████░░░░░░░░░░░░░░░  49 %  6,000/12,031 requests  virtual 1:02:03  1 s left",
  );
  assert.match(progressLine(progress, 499, 120), / {2}virtual 1:02:03$/);
  assert.match(
    progressLine({ ...progress, sweep: { done: 3, known: 40 } }, 300_000, 120),
    / {2}retune 3\/40 candidates {2}05:01 left$/,
  );
});

test("readingLine shows which file is read, how much of it, and the time left", () => {
  assert.equal(
    readingLine("day.csv", 3e6, 12e6, 2000, 80),
    "████████░░░░░░░░░░░░░░░░░░░░░░  25 %  reading day.csv  3.0/12.0 MB  6 s left",
  );
  assert.equal(readingLine("standard input", 3e6, 0, 2000, 80), "reading standard input  3.0 MB");
});

test("shareLine shows a share, what is done and the time left", () => {
  assert.equal(
    shareLine(0.25, "drawing", 2000, 80),
    "████████░░░░░░░░░░░░░░░░░░░░░░  25 %  drawing  6 s left",
  );
  assert.equal(shareLine(0, "drawing", 2000, 12), "  0 %  drawi");
});

test("progressLine never is wider than the terminal", () => {
  const progress = { requestsDone: 1e6, requestsTotal: 2e6, virtualMs: 1e9 };
  for (let columns = 0; columns < 130; columns++) assert.ok(progressLine(progress, 1000, columns).length <= columns);
});

test("progressLine holds nothing strange before anything happened", () => {
  const line = progressLine({ requestsDone: 0, requestsTotal: 0, virtualMs: 0 }, 0, 120);
  assert.match(line, / {3}0 % {2}0\/0 requests {2}virtual 00:00$/);
});

test("clock counts hours only when there are some", () => {
  assert.deepEqual([clock(0), clock(61_999), clock(3_600_000), clock(360_000_000)], [
    "00:00",
    "01:01",
    "1:00:00",
    "100:00:00",
  ]);
});

test("paint leaves text alone away from terminals", () => {
  // tests do not run on a terminal, and with NO_COLOR when they do
  if (!globalThis.process?.stderr?.isTTY) assert.equal(paint("red", "text"), "text");
});
