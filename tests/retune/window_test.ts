import { test } from "node:test";
import assert from "node:assert/strict";
import { replayedTrace, windowIndices, windowRequests, windowTraffic } from "../../lib/retune/window.ts";
import { steadyTrace } from "./support.ts";

const bounds = { startMs: 20_000, endMs: 50_000, launchMs: 60_000 };

test("windowIndices takes the half-open window", () => {
  assert.deepEqual(windowIndices(steadyTrace(100), bounds), [2, 3, 4]);
});

test("windowIndices drops requests that had not completed before the launch, where a duration is known", () => {
  const trace = steadyTrace(100, 10, 20_000);
  assert.deepEqual(windowIndices(trace, bounds), [2, 3]);
  trace.totalTimeMs![4] = NaN;
  trace.totalTimeMs![2] = 40_000;
  assert.deepEqual(windowIndices(trace, bounds), [3, 4]);
});

test("windowIndices is empty outside the trace", () => {
  assert.deepEqual(windowIndices(steadyTrace(100), { startMs: 200_000, endMs: 300_000, launchMs: 300_000 }), []);
});

test("windowRequests starts at 0 and renumbers blocks by appearance", () => {
  // Requests 2 and 3 own the blocks 10 and 11, request 4 owns 20 and 21.
  const window = windowRequests(steadyTrace(100), [2, 3, 4]);
  assert.deepEqual([...window.arrivalMs], [0, 10_000, 20_000]);
  assert.deepEqual([...window.inputTokens], [19, 20, 21]);
  assert.deepEqual([...window.outputTokens], [7, 5, 6]);
  assert.deepEqual([...window.blockStart], [0, 2, 4, 6]);
  assert.deepEqual([...window.blockIds], [0, 1, 0, 1, 2, 3]);
  assert.equal(window.blockTokens, 16);
});

test("windowRequests lies in one piece of shared memory", () => {
  const window = windowRequests(steadyTrace(100), [2, 4]);
  const columns = [window.arrivalMs, window.inputTokens, window.outputTokens, window.blockStart, window.blockIds];
  assert.ok(columns.every((column) => column.buffer === window.arrivalMs.buffer));
  assert.ok(window.arrivalMs.buffer instanceof SharedArrayBuffer);
});

test("windowTraffic replays the window, replayedTrace sees it", () => {
  const window = windowRequests(steadyTrace(100), [2, 3, 4]);
  const traffic = windowTraffic(window);
  const trace = replayedTrace({ ...traffic, recording: { originMs: 7, durationMs: Float64Array.of(1, NaN, 3) } });
  assert.deepEqual([...trace.arrivalMs], [0, 10_000, 20_000]);
  assert.deepEqual([...trace.totalTimeMs!], [1, NaN, 3]);
  assert.equal(trace.workload.blockIds, window.blockIds);
  const source = traffic.start();
  assert.deepEqual([source.admit(0), source.admit(0), source.nextReadyMs()], [0, -1, 10_000]);
});
