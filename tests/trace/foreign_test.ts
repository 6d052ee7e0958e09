import assert from "node:assert/strict";
import fc from "fast-check";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { splitCsv } from "../../lib/trace/csv.ts";
import { secondsToMs } from "../../lib/trace/clock.ts";
import { detectFormat } from "../../lib/trace/detect.ts";
import { Ledger } from "../../lib/trace/ledger.ts";
import { readTrace, type ReadTraceOptions } from "../../lib/trace/read_trace.ts";
import { collect, folder, lines, pieces, read } from "./support.ts";

const AZURE = [
  "TIMESTAMP,ContextTokens,GeneratedTokens",
  "2023-11-16 10:00:00.0010000,1000,2",
  "2023-11-16 10:00:00.0020000,10,2",
  "2023-11-16 10:00:00.009000100,10,2",
  "2023-11-16 10:00:01,10,2",
  "2023-11-16 11:00:02.5+01:00,10,2",
];

/** Reads a text and keeps the account. */
async function booked(text: string, options: ReadTraceOptions = {}) {
  const ledger = new Ledger();
  return { requests: await read(text, { ...options, ledger }), ledger };
}

test("azure: fractions of any length and offsets mix, to 100 ns", async () => {
  for (const lineEnd of ["\n", "\r\n"]) {
    const { requests, ledger } = await booked(AZURE.join(lineEnd));
    assert.deepEqual(requests.map((r) => r.timestampMs), [0, 1, 8.0001, 999, 2499]);
    assert.deepEqual(requests[0].hashIds, [0, 1]);
    assert.deepEqual(requests[1].hashIds, [2]);
    assert.deepEqual([ledger.format, ledger.identity, ledger.read], ["azure", "synthesised unique", 5]);
  }
});

test("azure: bad rows are dropped with their reasons, or fail", async () => {
  const bad = [
    ...AZURE.slice(0, 2),
    "2023-11-16 10:00:00.1,x,2",
    "yesterday,10,2",
    "2023-13-16 10:00:00,10,2",
    "2023-11-16 10:00:00.1,10",
    "2023-11-16 10:00:00.1,0,2",
    "2023-11-16 10:00:00.1,10,0",
    '2023-11-16 10:00:00.1,"10,2',
  ].join("\n");
  const { requests, ledger } = await booked(bad);
  assert.equal(requests.length, 1);
  assert.deepEqual(Object.fromEntries(ledger.dropped), {
    "bad number": 1,
    "bad time": 2,
    "row ends early": 1,
    "zero input": 1,
    "zero output": 1,
    "bad quoting": 1,
  });
  assert.equal(ledger.read, 8);
  assert.equal(ledger.examples[0], '<stream>:3: "x" is no count');
  await assert.rejects(read(bad, { badRows: "fail" }), {
    message: 'failed to parse line 3 from <stream> as CSV: bad number: "x" is no count',
  });
  assert.equal((await read(bad, { keepZeroOutput: true })).length, 2);
});

test("azure: a header without its columns says which are missing", async () => {
  await assert.rejects(read("TIMESTAMP,ContextTokens\n", { format: "azure" }), {
    message:
      'failed to parse line 1 from <stream> as CSV: the header has no column "GeneratedTokens"; it has "TIMESTAMP", ' +
      '"ContextTokens"',
  });
});

test("burstgpt: columns are found by name in all versions", async () => {
  const old =
    "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,Conversation log\n" +
    "45,ChatGPT,1087,0,1087,Conversation log\n";
  const { requests, ledger } = await booked(old);
  assert.deepEqual(requests.map((r) => [r.timestampMs, r.inputTokens, r.outputTokens]), [[5000, 472, 18]]);
  assert.equal(ledger.dropped.get("zero output"), 1);
  const third = "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n" +
    "19440110.125,1722ac82,43,GPT-4,906,446,1352,Conversation log\n19440161.0,,2,ChatGPT,36,29,65,API log\n";
  const [chat, api] = await read(third, { sessions: true });
  assert.deepEqual([chat.timestampMs, chat.sessionId, chat.durationMs], [19440110125, "1722ac82", 43000]);
  assert.equal(api.sessionId, undefined);
  assert.equal((await read(third))[0].sessionId, undefined);
});

test("vidur and splitwise: seconds become milliseconds without losing digits", async () => {
  const timed = await read("arrived_at,num_prefill_tokens,num_decode_tokens\n5.8926549999999995,206,162\n");
  assert.equal(timed[0].timestampMs, 5892.6549999999995);
  const { requests, ledger } = await booked(
    "num_prefill_tokens,num_decode_tokens,num_total_tokens,pd_ratio\n3772,54,3826,69.8\n",
  );
  assert.equal(requests[0].timestampMs, undefined);
  assert.deepEqual([...ledger.notes], [["rows without an arrival time: replay them with a fixed concurrency", 1]]);
  const split = await read(
    "request_id,request_type,application_id,arrival_timestamp,batch_size,prompt_size,token_size\n0,2,0,1.5,1,4096,32\n",
  );
  assert.deepEqual([split[0].timestampMs, split[0].inputTokens, split[0].outputTokens], [1500, 4096, 32]);
});

test("secondsToMs moves the point", () => {
  fc.assert(fc.property(fc.nat(10_000_000), fc.nat(999_999), (whole, micros) => {
    const text = `${whole}.${String(micros).padStart(6, "0")}`;
    assert.equal(secondsToMs(text), (whole * 1_000_000 + micros) / 1000);
  }));
  assert.equal(secondsToMs("1e3"), 1_000_000);
  assert.throws(() => secondsToMs("soon"), { message: '"soon" is no time' });
});

test("qwen_bailian: chats become sessions when asked, ids stay", async () => {
  const rows = lines([
    {
      chat_id: 1,
      parent_chat_id: -1,
      timestamp: 0,
      input_length: 20,
      output_length: 3,
      type: "text",
      turn: 1,
      hash_ids: [7, 8],
    },
    {
      chat_id: 5,
      parent_chat_id: 1,
      timestamp: 61.114,
      input_length: 40,
      output_length: 3,
      turn: 2,
      hash_ids: [7, 9, 10],
    },
    { chat_id: 6, parent_chat_id: 5, timestamp: 62, input_length: 4, output_length: 0, turn: 3, hash_ids: [7] },
    { chat_id: 9, parent_chat_id: 77, timestamp: 63, input_length: 4, output_length: 1, turn: 3, hash_ids: [7] },
  ]);
  const { requests, ledger } = await booked(rows, { sessions: true });
  assert.deepEqual(requests.map((r) => [r.timestampMs, r.sessionId]), [
    [0, "chat-1"],
    [61114, "chat-1"],
    [63000, "chat-77"],
  ]);
  assert.deepEqual(requests[1].hashIds, [7, 9, 10]);
  assert.deepEqual([ledger.format, ledger.identity, ledger.dropped.get("zero output")], [
    "qwen_bailian",
    "recorded",
    1,
  ]);
});

test("ragpulse: blocks are cut out of components and shared as far as components are", async () => {
  const at = folder();
  const side: Record<string, [string, [number, number][]]> = {
    sys_prompt: ["sys_prompt_id", [[1, 512], [2, 100]]],
    passages: ["passage_id", [[0, 500], [3, 40]]],
    history: ["history_id", [[9, 11]]],
    user_input: ["user_input_id", [[5, 9], [6, 9]]],
    web_search: ["web_search_id", []],
  };
  for (const [i, [name, [key, rows]]] of Object.entries(side).entries()) {
    writeFileSync(
      join(at, `${i + 1}_${name}.jsonl`),
      lines(rows.map(([id, length]) => ({ [key]: id, token_length: length }))),
    );
  }
  const row = (seconds: string, sys: number[], passages: number[], user: number, input: number) => ({
    timestamp: seconds,
    input_length: input,
    output_length: 1,
    hash_ids: { sys_prompt: sys, passages_ids: passages, history: [], web_search: [], user_input: [user] },
    session_id: "x",
  });
  const path = join(at, "0_trace.jsonl");
  writeFileSync(
    path,
    lines([
      row("82", [1, 2], [0], 5, 1130),
      row("93", [1, 2], [0], 6, 1130),
      row("94", [1, 2], [3], 5, 670),
      row("95", [1, 4], [3], 5, 670),
    ]) + "\n",
  );
  const ledger = new Ledger();
  const [a, b, c] = await collect(readTrace(path, { ledger }));
  assert.deepEqual([a.timestampMs, a.inputTokens, a.hashIds.length, a.sessionId], [82000, 1130, 3, undefined]);
  assert.deepEqual(a.hashIds.slice(0, 2), b.hashIds.slice(0, 2));
  assert.notEqual(a.hashIds[2], b.hashIds[2]);
  assert.equal(a.hashIds[0], c.hashIds[0]);
  assert.notEqual(a.hashIds[1], c.hashIds[1]);
  assert.equal(ledger.dropped.get("unknown component"), 1);
  const empty = folder();
  await assert.rejects(collect(readTrace(path, { lengthsFolder: empty })), {
    message:
      `RAGPulse needs a file …sys_prompt.jsonl with the lengths of its components in ${empty}, and there is none`,
  });
});

test("llmservingsim: nanoseconds, tokens into blocks, sessions of tool calls", async () => {
  const tokens = (count: number, last: number) => [...Array(count - 1).keys(), last];
  const { requests, ledger } = await booked(
    lines([
      {
        input_toks: 600,
        output_toks: 70,
        arrival_time_ns: 46926808,
        input_tok_ids: tokens(600, 1),
        output_tok_ids: [1],
      },
      { input_toks: 600, output_toks: 70, arrival_time_ns: 46926809, input_tok_ids: tokens(600, 2) },
      { input_toks: 600, output_toks: 70, arrival_time_ns: 46926810 },
      { input_toks: 3, output_toks: 70, arrival_time_ns: 46926810, input_tok_ids: [1] },
      {
        session_id: "agent",
        arrival_time_ns: 5e9,
        sub_requests: [
          { input_toks: 10, output_toks: 2, tool_duration_ns: 1_500_000 },
          { input_toks: 20, output_toks: 2, tool_duration_ns: 0 },
        ],
      },
    ]),
  );
  const [a, b, c, first, second] = requests;
  assert.equal(a.timestampMs, 46.926808);
  assert.equal(a.hashIds![0], b.hashIds![0]);
  assert.notEqual(a.hashIds![1], b.hashIds![1]);
  assert.equal(new Set([...a.hashIds!, ...c.hashIds!]).size, 4);
  assert.deepEqual([first.sessionId, first.timestampMs, first.delayMs], ["agent", 5000, undefined]);
  assert.deepEqual([second.sessionId, second.timestampMs, second.delayMs], ["agent", undefined, 1.5]);
  assert.equal(ledger.dropped.get("bad number"), 1);
  assert.equal(ledger.identity, "recorded");
});

test("splitCsv takes cells apart whatever they hold", () => {
  fc.assert(fc.property(fc.array(fc.string(), { minLength: 1 }), (cells) => {
    const line = cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",");
    assert.deepEqual(splitCsv(line), cells);
  }));
  assert.deepEqual(splitCsv("a,,b,"), ["a", "", "b", ""]);
});

test("rows of quotes are the same for every way the bytes are cut", async () => {
  const header = `${Array.from({ length: 20 }, (_, i) => `c${i}`).join()},TIMESTAMP,ContextTokens,GeneratedTokens\n`;
  const row = (i: number) =>
    `${Array(20).fill('""""').join()},2023-11-16 10:00:00.${String(i).padStart(6, "0")},${i + 1},1`;
  const text = header + Array.from({ length: 10_000 }, (_, i) => row(i)).join("\r\n");
  for (const size of [4093, 65536]) {
    const requests = await read(text, {}, size);
    assert.equal(requests.length, 10_000);
    assert.ok(requests.every((request, i) => request.inputTokens === i + 1 && request.timestampMs === i / 1000));
  }
});

test("detectFormat says what it found and why, and does not eat the stream", async () => {
  const text = `\ufeff\n${AZURE.join("\n")}`;
  const { format, why, source } = await detectFormat(pieces(text, 7));
  assert.equal(format.name, "azure");
  assert.equal(why, "its header has the columns ContextTokens and GeneratedTokens");
  assert.equal((await collect(readTrace(source, { format: "azure" }))).length, 5);
  assert.equal((await read(text, {}, 1)).length, 5);
});

test("detectFormat says what it saw when it knows no format", async () => {
  const failure = (text: string) =>
    assert.rejects(read(text), (problem: Error) => {
      assert.match(problem.message, /^cannot tell the format of <stream>: .*; name it with --from$/);
      return true;
    });
  await failure('{"a":1,"b":2}\n');
  await failure("x,y\n1,2\n");
  await failure("{broken\n");
  await assert.rejects(read('{"timestamp": 0, "input_length" 5}\n'), {
    message: /^failed to parse line 1 from <stream> as JSON/,
  });
  await assert.rejects(read("\n\n"), { message: "trace file <stream> did not contain any requests" });
  await assert.rejects(collect(readTrace(join(folder(), "none"))), { message: /^failed to open trace file .*none: / });
});

test("readTrace names formats it does not know", async () => {
  await assert.rejects(read("", { format: "mooncak" }), {
    message: /^unknown trace format 'mooncak' \(did you mean 'mooncake'\?\)/,
  });
});

/** A few rows of every format that is one file. */
const SAMPLES: Record<string, string> = {
  azure: AZURE.join("\r\n"),
  burstgpt:
    'Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,"a, ""b"""\n6,é,7,8,9,x\n',
  vidur: "arrived_at,num_prefill_tokens,num_decode_tokens\n0.5,206,162\n1.25,7,8",
  splitwise: "request_id,arrival_timestamp,batch_size,prompt_size,token_size\n0,1,1,4096,32\n",
  qwen_bailian: lines([
    { chat_id: 1, parent_chat_id: -1, timestamp: 0, input_length: 20, output_length: 3, type: "té", hash_ids: [7, 8] },
    { chat_id: 2, parent_chat_id: 1, timestamp: 1.5, input_length: 20, output_length: 3, type: "x", hash_ids: [7, 9] },
  ]),
  llmservingsim: lines([{ input_toks: 3, output_toks: 7, arrival_time_ns: 46926808, input_tok_ids: [1, 2, 3] }]),
  applied_compute_agentic: lines([{
    num_turns: 1,
    input_prompt_length: 600,
    assistant_response_length: [5],
    tool_call_output_length: [9],
    tool_call_latency: [0.25],
    final_assistant_response_length: 2,
  }]),
  agentic_mooncake: lines([
    {
      schema: "dynamo.agentic_mooncake",
      version: 2,
      block_size: 4,
      hash_id_scope: "local",
      source: { format: "f", digest: "d" },
    },
    "",
    {
      request_id: "é",
      play_id: "p",
      session_id: "s",
      model: "m",
      not_before_ms: 0,
      input_length: 4,
      output_length: 1,
      hash_ids: [1],
    },
  ]),
};

for (const [name, text] of Object.entries(SAMPLES)) {
  test(`${name} rows are the same for every way the bytes are cut`, async () => {
    const expected = await read(text);
    assert.ok(expected.length > 0);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), async (size) => {
        assert.deepEqual(await read(text, {}, size), expected);
      }),
      { numRuns: 25 },
    );
  });
}
