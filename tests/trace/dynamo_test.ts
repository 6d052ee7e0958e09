import assert from "node:assert/strict";
import fc from "fast-check";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { DynamoTrace } from "../../lib/trace/dynamo.ts";
import { dynamoByTime } from "../../lib/trace/dynamo_order.ts";
import { DynamoRowWriter } from "../../lib/trace/dynamo_writer.ts";
import { Ledger } from "../../lib/trace/ledger.ts";
import { readTrace } from "../../lib/trace/read_trace.ts";
import type { TraceRequest } from "../../lib/trace/request.ts";
import { loadTrace } from "../../lib/traffic/load_trace.ts";
import { collect, folder, lines, pieces, read } from "./support.ts";

interface Facts {
  start?: number;
  end?: number;
  duration?: number;
  input?: number;
  ids?: (number | bigint)[];
  session?: string;
}

function row(id: string, { start = 1000, end = start, duration, input = 4, ids = [1], session }: Facts = {}): string {
  const replay = `{"trace_block_size":4,"input_length":${input},"input_sequence_hashes":[${ids}]}`;
  const total = duration === undefined ? "" : `,"total_time_ms":${duration}`;
  const context = session === undefined ? "" : `,"agent_context":{"session_id":"${session}"}`;
  return `{"schema":"dynamo.request.trace.v1","event_type":"request_end","event_time_unix_ms":${end}${context},` +
    `"request":{"request_id":"${id}","request_received_ms":${start},"output_tokens":2${total},"replay":${replay}}}`;
}

const ids = (requests: Partial<TraceRequest>[]) => requests.map((request) => request.requestId);

/** Writes shards and returns their paths. */
function shards(...files: (readonly string[])[]): string[] {
  const at = folder();
  return files.map((rows, i) => {
    const path = join(at, `trace.${String(i).padStart(6, "0")}.jsonl${i % 2 ? ".gz" : ""}`);
    writeFileSync(path, i % 2 ? gzipSync(lines(rows)) : lines(rows));
    return path;
  });
}

test("readTrace merges the shards of a dynamo trace by time, in any order of the files", async () => {
  const paths = shards(
    [row("a", { start: 10, end: 90 }), row("d", { start: 40, end: 95 }), row("b", { start: 20, end: 99 })],
    [row("c", { start: 30, end: 91 }), row("e", { start: 50, end: 92 })],
  );
  assert.deepEqual(ids(await collect(readTrace(paths, { format: "dynamo" }))), ["a", "b", "c", "d", "e"]);
  assert.deepEqual(ids(await collect(readTrace(paths.toReversed()))), ["a", "b", "c", "d", "e"]);
  assert.deepEqual(ids(await collect(readTrace(paths, { order: "file" }))), ["a", "d", "b", "c", "e"]);
});

test("readTrace orders equal times by end, then by the bytes of the id", async () => {
  const text = lines([
    row("\u{1F600}", { start: 5, duration: 0 }),
    row("\uffff", { start: 5, duration: 0 }),
    row("r9", { start: 5, duration: 0 }),
    row("r10", { start: 5, duration: 0 }),
    row("late", { start: 5, duration: 9 }),
  ]);
  assert.deepEqual(ids(await read(text)), ["r10", "r9", "\uffff", "\u{1F600}", "late"]);
});

test("readTrace leaves other events out and unwraps records", async () => {
  const text = lines([
    { event_type: "request_payload", request: 5 },
    "[1,2]",
    { event: JSON.parse(row("a")) },
    { event_type: "tool_start" },
    "",
    row("b", { start: 2000, ids: [18446744073709551615n] }),
  ]);
  const requests = await read(text);
  assert.deepEqual(ids(requests), ["a", "b"]);
  assert.deepEqual(requests[1].hashIds, [18446744073709551615n]);
});

test("readTrace tells agents' sessions and the time since their last turn", async () => {
  const text = lines([
    row("a", { start: 10, duration: 20, session: "s" }),
    row("b", { start: 15, duration: 5, session: "t" }),
    row("c", { start: 45, duration: 1, session: "s" }),
  ]);
  const [a, b, c] = await read(text);
  assert.deepEqual([a.sessionId, a.delayMs, b.sessionId, b.delayMs, c.delayMs], ["s", undefined, "t", undefined, 15]);
});

test("readTrace says when a row is further out of place than it can hold", async () => {
  const rows = [5, 6, 7, 8, 1].map((start) => row(`r${start}`, { start }));
  const trace = new DynamoTrace({});
  const merged = dynamoByTime([pieces(lines(rows), 40)], trace, { windowRows: 2 });
  await assert.rejects(collect(merged), {
    message: /^<stream>:5: request "r1" begins 6 ms before one that was passed on already; .* sort the trace first$/,
  });
  assert.equal(
    (await collect(dynamoByTime([pieces(lines(rows))], new DynamoTrace({}), { windowRows: 5 }))).flat().length,
    5,
  );
});

test("readTrace checks the whole of a dynamo trace", async () => {
  const cases: [string[], string][] = [
    [[], "Dynamo trace contains no request_end records"],
    [[row("a"), row("b", { session: "s" })], "Dynamo request trace cannot mix requests with and without agent_context"],
    [[row("a"), row("b").replace('size":4', 'size":8')], "mixed replay trace_block_size values are not supported"],
    [[row("a"), row("a")], 'duplicate request_id "a"'],
  ];
  for (const [rows, message] of cases) {
    await assert.rejects(read(`\n${lines(rows)}`, { format: "dynamo" }), { message });
  }
});

test("readTrace names file and line of a broken dynamo row", async () => {
  await assert.rejects(read(lines([row("a"), row("b").replace("1000", "1000.5")])), {
    message:
      "failed to parse <stream>:2: event_time_unix_ms: expected a non-negative integer, found 1000.5 (column 85)",
  });
  const packed = gzipSync(lines([row("a"), row("b")]));
  await assert.rejects(read(packed.subarray(0, packed.length - 20), { format: "dynamo" }), {
    message: /^failed to read <stream>:\d: the gzip data is damaged: unexpected end of file$/,
  });
});

test("DynamoRowWriter and the reader are inverse", async () => {
  const request = fc.record({
    timestampMs: fc.nat(1_000_000),
    inputTokens: fc.integer({ min: 1, max: 4096 }),
    outputTokens: fc.nat(1000),
    hashIds: fc.array(
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((id) => id > 9007199254740991n ? id : Number(id)),
      {
        minLength: 8,
        maxLength: 12,
      },
    ),
    durationMs: fc.option(fc.nat(5000).map((n) => n / 4), { nil: undefined }),
  });
  await fc.assert(fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 20 }), async (requests) => {
    requests.sort((a, b) => a.timestampMs - b.timestampMs || (a.durationMs ?? 0) - (b.durationMs ?? 0));
    const writer = new DynamoRowWriter({ epochMs: 5 });
    const text = requests.map((one) => writer.row({ ...one, line: 0 })).join("");
    const back = await read(text);
    const facts = (one: Partial<TraceRequest>, epoch: number) =>
      JSON.stringify([one.timestampMs! + epoch, one.inputTokens, one.outputTokens, one.hashIds!.map(String)]);
    assert.deepEqual(back.map((one) => facts(one, 0)), requests.map((one) => facts(one, 5)));
  }));
});

test("DynamoRowWriter rounds times and counts what has no place", () => {
  const writer = new DynamoRowWriter();
  const base = { inputTokens: 4, outputTokens: 1, hashIds: [1], line: 1 };
  const first = JSON.parse(writer.row({ ...base, timestampMs: 0.4, sessionId: "s" }));
  assert.equal(first.request.request_received_ms, 1_735_689_600_000);
  assert.equal(first.request.request_id, "r000000001");
  assert.equal(JSON.parse(writer.row({ ...base, timestampMs: 7 })).request.request_id, "r000000002");
  assert.throws(() => writer.row(base), { message: "trace line 1 has no timestamp, which a dynamo trace needs" });
  const ledger = new Ledger();
  writer.remarks(ledger);
  assert.deepEqual([...ledger.notes.values()], [1, 1]);
  const clock = new DynamoRowWriter();
  assert.equal(JSON.parse(clock.row({ ...base, timestampMs: 1.7e12 })).event_time_unix_ms, 1.7e12);
});

test("a replay of shards does not depend on their order", async () => {
  const rows = Array.from(
    { length: 60 },
    (_, i) => row(`r${i}`, { start: 1000 + (i * 37) % 50, duration: i % 7, ids: [i % 5] }),
  );
  const arrivals = async (paths: string[]) => {
    const { workload, start } = await loadTrace(paths, { format: "dynamo" });
    const source = start(), seen: unknown[] = [];
    for (let at; (at = source.nextReadyMs()) < Infinity;) {
      const request = source.admit(at);
      seen.push([at, workload.blockIds[workload.blockStart[request]] >= 0]);
    }
    return JSON.stringify(seen);
  };
  const expected = await arrivals(shards(rows));
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(rows, { minLength: 60 }),
      fc.integer({ min: 1, max: 5 }),
      async (mixed, count) => {
        const files = Array.from({ length: count }, (_, k) => mixed.filter((_, i) => i % count === k));
        assert.equal(await arrivals(shards(...files)), expected);
      },
    ),
    { numRuns: 20 },
  );
});
