import assert from "node:assert/strict";
import fc from "fast-check";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { convert, type ConvertOptions, splitName } from "../../lib/trace/convert.ts";
import { limit } from "../../lib/trace/limit.ts";
import { readTrace } from "../../lib/trace/read_trace.ts";
import { regroup } from "../../lib/trace/regroup.ts";
import type { TraceRequest } from "../../lib/trace/request.ts";
import { slice, spanMs } from "../../lib/trace/slice.ts";
import { spread } from "../../lib/trace/spread.ts";
import { sortByTime } from "../../lib/trace/sort.ts";
import { Flow } from "../../lib/trace/stage.ts";
import { collect, folder, lines, pieces, present } from "./support.ts";

const row = (timestamp: number | undefined, more: object = {}) => ({
  timestamp,
  input_length: 1000,
  output_length: 4,
  hash_ids: [1, 2],
  ...more,
});

/** Converts rows and returns the account and what was written. */
async function converted(rows: readonly (object | string)[], options: ConvertOptions = {}, name = "out.jsonl") {
  const path = join(folder(), name);
  const ledger = await convert(pieces(lines(rows)), path, options);
  const text = (file: string) =>
    (file.endsWith(".gz") ? gunzipSync(readFileSync(file)) : readFileSync(file)).toString();
  return { ledger, path, text };
}

const times = (text: string) =>
  text.trim().split("\n").filter(Boolean).map((line) => JSON.parse(line)).map((row) =>
    row.timestamp ?? row.request.request_received_ms - 1_735_689_600_000
  );

test("convert writes dynamo rows and counts that add up", async () => {
  const { ledger, path, text } = await converted(
    [row(0), row(500, { hash_ids: [1, 7] }), row(400)],
    {},
    "out.jsonl.gz",
  );
  assert.deepEqual(times(text(path)), [0, 500, 400]);
  assert.deepEqual(
    [ledger.read, ledger.emitted, ledger.droppedTotal, ledger.inversions, ledger.firstMs, ledger.lastMs],
    [3, 3, 0, 1, 0, 500],
  );
  assert.deepEqual([ledger.format, ledger.identity, ledger.blockTokens], ["mooncake", "recorded", 512]);
});

test("convert cuts, re-times, sorts and limits", async () => {
  const rows = [row(0), row(90_000), row(60_000), row(119_999), row(120_000)];
  const { ledger, path, text } = await converted(rows, {
    to: "mooncake",
    sort: true,
    slice: { from: "1m", to: "2m" },
    speedup: 2,
    limit: 2,
  });
  assert.deepEqual(times(text(path)), [60_000, 75_000]);
  assert.deepEqual(Object.fromEntries(ledger.dropped), { "outside the slice": 2, "beyond the limit": 1 });
  assert.deepEqual([ledger.read, ledger.emitted], [5, 2]);
});

test("convert splits by time into history and replay on one clock", async () => {
  const { path, text } = await converted([row(0), row(1_199_999), row(1_200_000), row(1_300_000)], {
    splitSeconds: 1200,
  });
  assert.equal(existsSync(path), false);
  assert.deepEqual(times(text(splitName(path, "history"))), [0, 1_199_999]);
  assert.deepEqual(times(text(splitName(path, "replay"))), [1_200_000, 1_300_000]);
  const ids = ["history", "replay"].flatMap((part) =>
    text(splitName(path, part)).trim().split("\n").map((line) => JSON.parse(line).request.request_id)
  );
  assert.equal(new Set(ids).size, 4);
});

test("splitName puts the part before the ending", () => {
  assert.equal(splitName("a/b.jsonl.gz", "history"), "a/b-history.jsonl.gz");
  assert.equal(splitName("a.b/c", "replay"), "a.b/c-replay");
  assert.throws(() => splitName("-", "replay"), /needs a file name/);
});

test("convert keeps every fact of a Mooncake trace, and converting again changes nothing", async () => {
  const rows = [
    row(100, { session_id: "s", priority: 3, strict_priority: 1, policy_class: "gold" }),
    '{"timestamp":150.25,"input_length":8,"output_length":2,"hash_ids":[18446744073709551615],"session_id":"s",' +
    '"output_token_ids":[1,2],"request_id":"é"}',
    row(undefined, { session_id: "s", delay: 7.5 }),
  ];
  const first = await converted(rows, { to: "mooncake" });
  const second = join(folder(), "again.jsonl");
  await convert(first.path, second, { to: "mooncake" });
  assert.equal(readFileSync(second, "utf8"), readFileSync(first.path, "utf8"));
  const before = (await collect(readTrace(pieces(lines(rows))))).map(present);
  const after = (await collect(readTrace(second))).map(present);
  assert.deepEqual(after, before);
});

test("convert to dynamo and back keeps times and ids", async () => {
  const rows = [row(0), row(12.6, { hash_ids: [3, 4] }), row(12.6, { hash_ids: [5, 6] })];
  const dynamo = await converted(rows);
  assert.equal(dynamo.ledger.notes.get("times rounded to whole milliseconds"), 2);
  const back = join(folder(), "back.jsonl");
  const ledger = await convert(dynamo.path, back, { to: "mooncake" });
  assert.deepEqual(times(readFileSync(back, "utf8")), [0, 13, 13]);
  assert.equal([...ledger.notes.keys()][0], "clock begins at 0 instead of 2025-01-01T00:00:00.000Z");
  const requests = await collect(readTrace(back));
  assert.deepEqual(requests.map((request) => request.hashIds[0]), [1, 3, 5]);
});

test("convert warns of surplus ids and names the block size that fits", async () => {
  const short = Array.from(
    { length: 20 },
    (_, i) => row(i, { input_length: 300 + i, hash_ids: Array(20).keys().toArray() }),
  );
  const { ledger } = await converted(
    short.map((r) => ({ ...r, hash_ids: r.hash_ids.slice(0, Math.ceil(r.input_length / 16)) })),
  );
  const warning = [...ledger.notes.keys()][0];
  assert.match(warning, /^\d+ surplus block ids in 20 of 20 rows: blocks of 16 tokens fit, blocks of 512 do not$/);
  const one = await converted([row(0, { hash_ids: [1, 2, 3] }), row(1), row(2)]);
  assert.deepEqual([...one.ledger.notes.keys()], ["1 surplus block ids in 1 of 3 rows"]);
});

test("convert drops unreadable rows only when told to", async () => {
  const rows = [row(0), row(1, { output_length: "9 4" }), row(2)];
  const path = join(folder(), "out.jsonl");
  await assert.rejects(convert(pieces(lines(rows)), path), /^TraceError: failed to parse line 2/);
  assert.equal(existsSync(path), false);
  const { ledger } = await converted(rows, { badRows: "drop" });
  assert.deepEqual([ledger.read, ledger.emitted, ledger.dropped.get("unreadable row")], [3, 2, 1]);
  assert.match(ledger.examples[0], /failed to parse line 2/);
});

test("convert says what it cannot do before it reads", async () => {
  const none = join(folder(), "none");
  await assert.rejects(
    convert(none, "x", { to: "azure" }),
    /cannot write trace format 'azure': expected mooncake or dynamo/,
  );
  await assert.rejects(convert(none, "x", { speedup: 0 }), /speedup must be a finite positive number/);
  await assert.rejects(convert(none, "x", { slice: { from: "2m", to: "1m" } }), /must end after it begins/);
  await assert.rejects(convert(none, "x", { slice: { from: "soon" } }), /'soon' is no time span/);
  await assert.rejects(convert(none, "x", { splitSeconds: 0 }), /must be at a positive number of seconds/);
  await assert.rejects(convert(none, "x"), /^TraceError: failed to open trace file/);
});

test("convert refuses graphs and says what it loses of agents", async () => {
  const header = {
    schema: "dynamo.agentic_mooncake",
    version: 2,
    block_size: 4,
    hash_id_scope: "local",
    source: { format: "f", digest: "d" },
  };
  await assert.rejects(converted([header]), {
    name: "ConfigError",
    message:
      "agentic_mooncake traces are not converted: their requests wait for each other, which dynamo rows cannot say",
  });
  const agent = (id: string, start: number) =>
    `{"schema":"dynamo.request.trace.v1","event_type":"request_end","event_time_unix_ms":${
      start + 5
    },"agent_context":` +
    `{"session_id":"s"},"request":{"request_id":"${id}","request_received_ms":${start},"output_tokens":1,"total_time_ms":5,` +
    '"replay":{"trace_block_size":4,"input_length":4,"input_sequence_hashes":[1]}}}';
  const { ledger, path, text } = await converted([agent("a", 100), agent("b", 117)], { to: "mooncake" });
  assert.deepEqual(text(path).trim().split("\n").map((line) => [JSON.parse(line).session_id, JSON.parse(line).delay]), [
    ["s", undefined],
    ["s", 12],
  ]);
  assert.equal(ledger.notes.get("rows of agents, of which only sessions are kept, not who spawned or joined whom"), 2);
});

test("convert joins the small blocks of qwen_bailian when larger ones are asked for", async () => {
  const chat = (time: number, ids: number[], input = ids.length * 16) => ({
    chat_id: time,
    parent_chat_id: -1,
    timestamp: time,
    input_length: input,
    output_length: 1,
    turn: 1,
    hash_ids: ids,
  });
  const first = Array.from({ length: 70 }, (_, i) => i);
  const rows = [chat(0, first), chat(1, [...first.slice(0, 64), 900, 901]), chat(2, first.slice(0, 32), 500)];
  const kept = await converted(rows, { to: "mooncake" });
  assert.equal(kept.ledger.blockTokens, 16);
  const joined = await converted(rows, { to: "mooncake", blockTokens: 512 });
  assert.equal(joined.ledger.blockTokens, 512);
  const [a, b, c] = await collect(readTrace(joined.path));
  assert.deepEqual([a.hashIds.length, b.hashIds.length, c.hashIds.length], [3, 3, 1]);
  assert.deepEqual(a.hashIds.slice(0, 2), b.hashIds.slice(0, 2));
  assert.notEqual(a.hashIds[2], b.hashIds[2]);
  assert.equal(a.hashIds[0], c.hashIds[0]);
});

test("regroup keeps shared prefixes of whole new blocks", async () => {
  const ids = fc.array(fc.nat(3), { minLength: 1, maxLength: 24 });
  await fc.assert(fc.asyncProperty(ids, ids, async (x, y) => {
    const request = (hashIds: number[]): TraceRequest => ({
      inputTokens: hashIds.length * 4,
      outputTokens: 1,
      hashIds,
      line: 1,
    });
    const flow = new Flow((async function* () {
      yield await Promise.resolve([request(x), request(y)]);
    })());
    const [a, b] = await collect(flow.pipeThrough(regroup({ from: 4, to: 16 })));
    for (let block = 0; block * 4 < Math.min(x.length, y.length); block++) {
      const same = x.slice(block * 4, block * 4 + 4).join() === y.slice(block * 4, block * 4 + 4).join();
      assert.equal(a.hashIds[block] === b.hashIds[block], same);
    }
  }));
});

test("slice counts from the first request, and sessions stay whole", async () => {
  const rows = [
    row(1000, { session_id: "a" }),
    row(61_000, { session_id: "b" }),
    row(undefined, { session_id: "a", delay: 5 }),
    row(undefined, { session_id: "b", delay: 5 }),
  ];
  const kept = await collect(readTrace(pieces(lines(rows))).pipeThrough(slice({ from: "30s" })));
  assert.deepEqual(kept.map((request) => request.sessionId), ["b", "b"]);
  assert.deepEqual(["250ms", "90s", "20m", "1.5h", "2d", "7"].map(spanMs), [
    250,
    90_000,
    1_200_000,
    5_400_000,
    172_800_000,
    7000,
  ]);
});

test("sortByTime is stable and keeps turns behind their first", async () => {
  const rows = [
    row(5, { request_id: "a" }),
    row(1, { session_id: "s" }),
    row(undefined, { session_id: "s" }),
    row(5),
    row(0),
  ];
  const sorted = await collect(readTrace(pieces(lines(rows))).pipeThrough(sortByTime()));
  assert.deepEqual(sorted.map((request) => request.line), [5, 2, 3, 1, 4]);
});

test("spread puts batches apart, in order and between their times", async () => {
  const at = fc.array(fc.nat(5).map((n) => n * 3000), { minLength: 1, maxLength: 30 });
  await fc.assert(fc.asyncProperty(at, fc.nat(), fc.integer({ min: 30, max: 400 }), async (stamps, seed, size) => {
    const text = lines(stamps.sort((a, b) => a - b).map((time, i) => row(time, { request_id: String(i) })));
    const apart = async () =>
      await collect(readTrace(pieces(text, size), { format: "mooncake" }).pipeThrough(spread({ seed })));
    const requests = await apart();
    assert.deepEqual(requests.map((request) => request.requestId), stamps.map((_, i) => String(i)));
    requests.forEach((request, i) => {
      const next = stamps.find((time) => time > stamps[i]) ?? stamps[i];
      assert.ok(request.timestampMs! >= stamps[i] && request.timestampMs! <= next);
      if (i > 0) assert.ok(request.timestampMs! >= requests[i - 1].timestampMs!);
      if (stamps.indexOf(stamps[i]) === stamps.lastIndexOf(stamps[i])) assert.equal(request.timestampMs, stamps[i]);
    });
    assert.deepEqual(await apart(), requests);
  }));
});

test("limit stops reading", async () => {
  let read = 0;
  async function* endless() {
    for (;;) {
      read++;
      yield await Promise.resolve(new TextEncoder().encode(lines([row(read)])));
    }
  }
  const kept = await collect(readTrace(endless(), { format: "mooncake" }).pipeThrough(limit(7)));
  assert.equal(kept.length, 7);
  assert.ok(read <= 9, String(read));
});

test("convert writes nothing when the input breaks off", async () => {
  const path = join(folder(), "out.jsonl.gz");
  writeFileSync(`${path}.in`, `${lines([row(0)])}{"timestamp": 500, "input_len`);
  await assert.rejects(convert(`${path}.in`, path), /the file ends inside a record/);
  assert.equal(existsSync(path), false);
});
