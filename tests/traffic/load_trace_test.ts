import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadTrace, type LoadTraceOptions } from "../../lib/traffic/load_trace.ts";
import type { AdmissionSource, Traffic } from "../../lib/traffic/workload.ts";

const bytes = async function* (rows: readonly (object | string)[]) {
  const text = rows.map((row) => typeof row === "string" ? row : JSON.stringify(row)).join("\n");
  yield await Promise.resolve(new TextEncoder().encode(text));
};

interface Case {
  description: string;
  options: Record<string, unknown>;
  trace?: (object | string)[];
  error: string | null;
}

const errors = JSON.parse(
  readFileSync(new URL("../../fixtures/goldens/loadgen/31-errors.json", import.meta.url), "utf8"),
).cases as Case[];

/** Options that other parts check. */
const ELSEWHERE = ["max_sim_time_ms", "router_mode", "num_workers"];

for (const { description, options, trace, error } of errors) {
  if (trace === undefined || ELSEWHERE.some((key) => key in options)) continue;
  // reading the goldens as JSON has turned 4.0 into 4
  const rows = description === "float length" ? [JSON.stringify(trace[0]).replace("4", "4.0")] : trace;
  test(`loadTrace says what the reference says: ${description}`, async () => {
    const load: LoadTraceOptions = {
      format: options.trace_format as string,
      blockTokens: options.trace_block_size as number,
      concurrency: options.replay_concurrency as number,
      speedup: options.arrival_speedup_ratio as number,
      lanes: options.agentic_lanes as number,
      model: options.execution_model as string,
      sharedPrefixRatio: options.trace_shared_prefix_ratio as number,
    };
    await assert.rejects(loadTrace(bytes(rows), load), (problem: Error) => {
      const expected = error!.replace("{path}", "<stream>");
      assert.ok(problem.message === expected || problem.message.startsWith(`${expected}: `), problem.message);
      return true;
    });
  });
}

/** Arrivals when every request takes `ms` and nothing ever waits. */
function arrivals(traffic: Traffic, ms: number): [number, number][] {
  const source: AdmissionSource = traffic.start();
  const result: [number, number][] = [];
  const running: { at: number; request: number }[] = [];
  for (;;) {
    running.sort((a, b) => a.at - b.at);
    const now = Math.min(source.nextReadyMs(), running[0]?.at ?? Infinity);
    if (now === Infinity) break;
    while (running.length > 0 && running[0].at <= now) {
      const { request } = running.shift()!;
      source.ended(request, now, "completed", traffic.workload.outputTokens[request]);
    }
    for (let request; (request = source.admit(now)) >= 0;) {
      result.push([request, source.arrivalMs]);
      running.push({ at: now + ms, request });
    }
  }
  assert.equal(source.exhausted(), true);
  return result;
}

const row = (timestamp: number | undefined, more: object = {}) => ({
  timestamp,
  input_length: 8,
  output_length: 2,
  hash_ids: [1, 2],
  ...more,
});

test("loadTrace orders by time with ties in file order, shifts and divides", async () => {
  const rows = [row(5300), "", row(5000), row(5120.5), row(5120.5)];
  const options = { blockTokens: 4 };
  assert.deepEqual(arrivals(await loadTrace(bytes(rows), options), 1), [[1, 0], [2, 120.5], [3, 120.5], [0, 300]]);
  assert.deepEqual(
    arrivals(await loadTrace(bytes(rows), { ...options, speedup: 4 }), 1),
    [[1, 0], [2, 30.125], [3, 30.125], [0, 75]],
  );
});

test("loadTrace shifts clocks that do not start at 0", async () => {
  const gaps = async (a: number, b: number) => arrivals(await loadTrace(bytes([row(a), row(b)])), 1).map(([, t]) => t);
  assert.deepEqual(await gaps(1757476916095, 1757476916595), [0, 500]);
  assert.deepEqual(await gaps(-5, 500), [0, 505]);
  assert.deepEqual(await gaps(0.25, 1.5), [0, 1.25]);
  assert.deepEqual(
    (await loadTrace(
      bytes([
        '{"timestamp":9007199254740992,"output_length":1,"hash_ids":[1]}',
        '{"timestamp":9007199254740995,"output_length":1,"hash_ids":[1]}',
      ]),
    )).start().nextReadyMs(),
    0,
  );
  assert.deepEqual(await gaps(1e3, 500), [0, 500]);
});

test("loadTrace lets a turn wait for the one before it", async () => {
  const s = (timestamp: number | undefined, more: object = {}) => row(timestamp, { session_id: "s", ...more });
  const rows = [s(100), s(150), s(undefined, { delay: 7 }), s(undefined), row(120), s(400, { delay: 3 }), s(410)];
  const traffic = await loadTrace(bytes(rows), { blockTokens: 4 });
  assert.deepEqual(arrivals(traffic, 12), [[0, 0], [6, 20], [1, 62], [2, 81], [3, 93], [4, 108], [5, 130]]);
  const { workload } = traffic;
  assert.deepEqual([...workload.session!], [0, 0, 0, 0, 0, 0, 1]);
  assert.deepEqual([...workload.turn!], [0, 1, 2, 3, 4, 5, 0]);
  assert.equal(workload.sessionName(0), "s");
  assert.equal(workload.sessionName(1), "request_5");
  assert.deepEqual([...workload.sessionMadeUp!], [0, 1]);
});

test("loadTrace with concurrency opens sessions in file order and keeps their places", async () => {
  const rows = [
    row(undefined, { session_id: "a" }),
    row(undefined, {}),
    row(undefined, { session_id: "a", delay: 40 }),
    row(undefined, {}),
    row(undefined, {}),
  ];
  const traffic = await loadTrace(bytes(rows), { concurrency: 2 });
  assert.deepEqual(arrivals(traffic, 10), [[0, 0], [2, 0], [3, 10], [4, 20], [1, 50]]);
  assert.equal(traffic.workload.sessionName(1), "request_2");
});

test("loadTrace with concurrency does not need times but checks them", async () => {
  await assert.rejects(loadTrace(bytes([row(-5)]), { concurrency: 2 }), {
    message: "session request_1 has invalid first_arrival_timestamp_ms -5",
  });
});

test("loadTrace numbers ids in order of appearance and keeps what the prompt needs", async () => {
  const rows = [
    { timestamp: 1, input_length: 5, output_length: 1, hash_ids: ["18446744073709551615", 7, 9, 9] },
    { timestamp: 0, input_length: 9, output_length: 1, hash_ids: [7, 8, "18446744073709551614"] },
  ].map((r) => JSON.stringify(r).replaceAll(/"(\d+)"/g, "$1"));
  const { workload } = await loadTrace(bytes(rows), { blockTokens: 4 });
  assert.deepEqual([...workload.blockIds], [0, 1, 1, 3, 4]);
  assert.deepEqual([...workload.blockStart], [0, 2, 5]);
});

test("loadTrace with growing prompts puts the conversation before the turn", async () => {
  const s = (length: number, ids: number[], out: number) => ({
    session_id: "s",
    timestamp: 0,
    input_length: length,
    output_length: out,
    hash_ids: ids,
  });
  const traffic = await loadTrace(bytes([s(8, [1, 2], 4), s(4, [3], 2), s(6, [4, 5], 2)]), {
    format: "mooncake-delta",
    blockTokens: 4,
  });
  const source = traffic.start();
  assert.equal(source.admit(0), 0);
  assert.deepEqual([...source.promptRuns(0)!.tokens], [0, 1]);
  source.ended(0, 10, "completed", 4);
  assert.equal(source.admit(10), 1);
  const second = source.promptRuns(1)!;
  assert.equal(second.inputTokens, 16);
  assert.deepEqual([...second.tokens], [0, 1, 952584220, 694593853, 2967053780, 2932165014, 2]);
  assert.deepEqual([...second.lengths], [4, 4, 1, 1, 1, 1, 4]);
  source.ended(1, 20, "rejected", 0);
  assert.equal(source.admit(20), 2);
  assert.equal(source.promptRuns(2)!.inputTokens, 22);
});
