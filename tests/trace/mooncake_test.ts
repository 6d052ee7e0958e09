import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { TraceError } from "../../lib/errors.ts";
import { mooncakeRow } from "../../lib/trace/mooncake.ts";
import { readTrace } from "../../lib/trace/read_trace.ts";
import type { TraceRequest } from "../../lib/trace/request.ts";

const A = '{"timestamp":0,"input_length":1000,"output_length":4,"hash_ids":[1,2]}';
const B = '{"timestamp":500,"input_length":600,"output_length":3,"hash_ids":[1,7]}';

async function* pieces(text: string | Uint8Array, size = 1 << 16): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

async function read(text: string | Uint8Array, size?: number): Promise<TraceRequest[]> {
  const requests: TraceRequest[] = [];
  for await (const request of readTrace(pieces(text, size), { format: "mooncake" })) requests.push(request);
  return requests;
}

async function failure(text: string | Uint8Array): Promise<TraceError> {
  try {
    await read(text);
  } catch (problem) {
    return problem as TraceError;
  }
  throw new Error("nothing was thrown");
}

const facts = (requests: TraceRequest[]) =>
  requests.map((r) => [r.timestampMs, r.inputTokens, r.outputTokens, r.hashIds, r.line]);

test("readTrace reads rows with CRLF, a byte order mark, blank lines and no final line feed", async () => {
  const expected = [[0, 1000, 4, [1, 2], 1], [500, 600, 3, [1, 7], 2]];
  assert.deepEqual(facts(await read(`${A}\n${B}\n`)), expected);
  assert.deepEqual(facts(await read(`${A}\r\n${B}\r\n`)), expected);
  assert.deepEqual(facts(await read(`\ufeff${A}\n${B}`)), expected);
  assert.deepEqual(facts(await read(gzipSync(`${A}\n${B}`))), expected);
  assert.deepEqual(facts(await read(`${A}\n  \t\n\n${B}\n\n`)), [expected[0], [500, 600, 3, [1, 7], 4]]);
});

test("readTrace keeps 64-bit ids apart", async () => {
  const ids = [9007199254740991n, 9007199254740992n, 9007199254740993n, 18446744073709551615n, 4294967297n];
  const row = `{"timestamp":0,"output_length":1,"hash_ids":[${ids.join(",")}]}`;
  const [request] = await read(row);
  assert.deepEqual(request.hashIds.map(BigInt), ids);
  assert.equal(request.inputTokens, 5 * 512);
  assert.equal(typeof request.hashIds[0], "number");
});

test("readTrace takes aliases, nulls, unknown keys and every optional field", async () => {
  const row =
    '{"created_time":1.5,"input_tokens":3,"output_tokens":2,"hash_ids":[5],"session_id":"s\\u00e9","delay_ms":2.5,' +
    '"output_token_ids":[1,4294967295],"request_id":"r","priority":-3,"strict_priority":4,"policy_class":"gold",' +
    '"text_input":{"a":[1,{"b":"}"}],"c":true},"extra":null}';
  const [request] = await read(row);
  assert.deepEqual({ ...request }, {
    timestampMs: 1.5,
    inputTokens: 3,
    outputTokens: 2,
    hashIds: [5],
    sessionId: "sé",
    delayMs: 2.5,
    outputTokenIds: [1, 4294967295],
    requestId: "r",
    priority: -3,
    strictPriority: 4,
    policyClass: "gold",
    durationMs: undefined,
    agent: undefined,
    line: 1,
  });
  const [bare] = await read('{"timestamp":null,"input_length":null,"output_length":2,"hash_ids":[5]}');
  assert.equal(bare.timestampMs, undefined);
  assert.equal(bare.inputTokens, 512);
  const [first, second] = await read(`${row}\n${B}`);
  assert.equal(first.sessionId, "sé");
  assert.equal(second.sessionId, undefined);
});

for (
  const [name, text, message, column] of [
    ["a number pair", `${A.replace("4,", "9 4,")}\n${B}`, 'output_length: expected "," or "}", found 4', 54],
    ["id -1", A.replace("[1", "[-1"), "hash_ids: expected a non-negative integer, found -1", 66],
    ["id 1.0", A.replace("[1", "[1.0"), "hash_ids: expected a non-negative integer, found 1.0", 66],
    [
      "id 2^64",
      A.replace("[1", "[18446744073709551616"),
      "expected an integer of at most 64 bits, found 18446744073709551616",
      66,
    ],
    ["float length", A.replace("1000", "1000.0"), "input_length: expected a non-negative integer, found 1000.0", 31],
    ["text length", A.replace("1000", '"1000"'), 'input_length: expected a non-negative integer, found "1000"', 31],
    ["text time", A.replace("0,", '"0",'), 'timestamp: expected a number, found "0"', 14],
    ["NaN time", A.replace("0,", "NaN,"), "timestamp: expected a number, found NaN", 14],
    ["leading zero", A.replace("1000", "01000"), "without leading zeros", 31],
    ["twice the same", A.replace("{", '{"timestamp":0,'), "timestamp: expected each field once", 28],
    ["alias beside it", A.replace("{", '{"created_time":0,'), "but timestamp is given again", 31],
    ["array row", `[${A}]`, "expected an object, found [ (column 1); the file seems to be one JSON array", 1],
    ["comment", `# comment\n${A}`, "comments are not allowed", 1],
    ["two objects", `${A} ${B}`, "two objects on one line?", 72],
    ["CR only", `${A}\r${B}\r`, "lines seem to end in CR alone", 72],
    ["cut", A.slice(0, 30), "the file ends inside a record", 31],
    ["trailing comma", A.replace("2]", "2,]"), "hash_ids: expected a non-negative integer, found ]", 70],
    ["priority", A.replace("}", ',"priority":2147483648}'), "priority: expected an integer of at most 2147483647", 82],
    ["control character", A.replace("}", ',"x":"\t"}'), "no control character inside a string", 76],
  ] as const
) {
  test(`readTrace says what is wrong: ${name}`, async () => {
    const problem = await failure(text);
    assert.equal(problem.name, "TraceError");
    assert.ok(problem.message.startsWith("failed to parse line 1 from <stream> as JSON: "), problem.message);
    assert.ok(problem.message.includes(message), problem.message);
    assert.deepEqual({ line: problem.place.line, column: problem.place.column }, { line: 1, column });
  });
}

test("readTrace names the line that is cut off, after the good ones", async () => {
  const seen: number[] = [];
  await assert.rejects(async () => {
    for await (const request of readTrace(pieces(`${A}\n\n{"timestamp": 500, "input_len`))) seen.push(request.line);
  }, { message: /^failed to parse line 3 from <stream> as JSON: .*the file ends inside a record$/ });
  assert.deepEqual(seen, [1]);
});

test("readTrace refuses bytes that are no UTF-8, also in fields it does not use", async () => {
  const bytes = new TextEncoder().encode(`${A}\n${B.replace("{", '{"x":"?",')}`);
  bytes[bytes.indexOf(63)] = 0xff;
  assert.match((await failure(bytes)).message, /^failed to read line 2 from <stream>: /);
});

test("readTrace checks a row in the order of the specification", async () => {
  const cases: [string, string][] = [
    ['{"timestamp":0,"input_length":1000,"output_length":4}', "trace line 1 is missing hash_ids"],
    [
      '{"timestamp":0,"input_length":3000,"hash_ids":[1,2]}',
      "trace line 1 input_length 3000 exceeds hash_ids capacity 1024",
    ],
    [
      '{"timestamp":0,"input_length":1000,"output_length":null,"hash_ids":[1,2]}',
      "trace line 1 is missing output_length",
    ],
    [
      '{"timestamp":0,"output_length":2,"hash_ids":[1],"output_token_ids":[5]}',
      "trace line 1 output_length 2 does not match output_token_ids length 1",
    ],
  ];
  for (const [text, message] of cases) assert.equal((await failure(text)).message, message);
});

const anyId = fc.oneof(
  fc.nat(50),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((id) => id > 9007199254740991n ? id : Number(id)),
);
const anyRequest = fc.record({
  timestampMs: fc.option(fc.oneof(fc.nat(), fc.integer({ min: -1000, max: 1000 }).map((n) => n / 8)), {
    nil: undefined,
  }),
  inputTokens: fc.nat(2048),
  outputTokens: fc.nat(1000),
  hashIds: fc.array(anyId, { minLength: 4, maxLength: 9 }),
  sessionId: fc.option(fc.string({ unit: "binary" }), { nil: undefined }),
  delayMs: fc.option(fc.nat(1000), { nil: undefined }),
  outputTokenIds: fc.constant(undefined),
  requestId: fc.option(fc.string(), { nil: undefined }),
  priority: fc.option(fc.integer({ min: -2147483648, max: 2147483647 }), { nil: undefined }),
  strictPriority: fc.option(fc.nat(4294967295), { nil: undefined }),
  policyClass: fc.option(fc.string(), { nil: undefined }),
});

test("mooncakeRow and readTrace are inverse for any chunking and line end", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRequest, { maxLength: 12 }),
      fc.integer({ min: 1, max: 90 }),
      fc.constantFrom("\n", "\r\n"),
      async (requests, size, lineEnd) => {
        const text = requests.map((r) => mooncakeRow({ ...r, line: 0 })).join("").replaceAll("\n", lineEnd);
        const back = await read(text, size);
        assert.deepEqual(
          back.map((r) => ({ ...r })),
          requests.map((r, i) => ({ ...r, durationMs: undefined, agent: undefined, line: i + 1 })),
        );
      },
    ),
    { numRuns: 150 },
  );
});

test("readTrace gives the same requests for every way the bytes are cut", async () => {
  const rows = Array.from(
    { length: 5000 },
    (_, i) => B.replace("500", String(i * 7)).replace("}", ',"session_id":"é"}'),
  );
  const text = rows.join("\r\n");
  const expected = JSON.stringify(await read(text));
  for (const size of [1, 2, 3, 7, 4096, 65536]) assert.equal(JSON.stringify(await read(text, size)), expected);
});

test("readTrace says what a source must be where it is neither a path nor a stream", async () => {
  for (const given of [undefined, null, 7, new Blob(["{}"])]) {
    const reading = (async () => {
      for await (const _ of readTrace(given as unknown as string)) assert.fail();
    })();
    await assert.rejects(reading, {
      name: "ConfigError",
      message: /^a trace must be a path or a stream of bytes .*, got /,
    });
  }
});
