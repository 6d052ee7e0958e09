import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RequestRecords } from "../../lib/engine/records.ts";
import { TokenStream } from "../../lib/engine/token_stream.ts";

function makeStream() {
  const gaps: number[] = [];
  const records = new RequestRecords({ capacity: 8 });
  const sink = { add: (gapMs: number, count: number) => void gaps.push(...Array(count).fill(gapMs)) };
  return { stream: new TokenStream(sink, records), gaps, records };
}

test("TokenStream keeps a run that begins between passes as one token and the passes after it", () => {
  const { stream, gaps, records } = makeStream();
  stream.log.push(5);
  stream.beginBetween(0, 7);
  stream.log.push(10);
  stream.log.push(12);
  stream.complete(0, 3, 3);
  stream.log.fold(Infinity);
  assert.deepEqual(gaps.sort(), [2, 3]);
  assert.deepEqual([records.firstTokenMs[3], records.secondTokenMs[3], records.lastTokenMs[3]], [7, 10, 12]);
});

test("TokenStream ends a request with the token that left between passes", () => {
  const { stream, gaps, records } = makeStream();
  stream.beginBetween(0, 7);
  stream.complete(0, 1, 1);
  assert.deepEqual([records.firstTokenMs[1], records.lastTokenMs[1]], [7, 7]);
  assert.ok(Number.isNaN(records.secondTokenMs[1]));
  assert.deepEqual(gaps, []);
});

/** What happens to one request: a token between passes, some passes, or a pause. */
const event = fc.oneof(
  fc.constant("pause" as const),
  fc.record({ between: fc.boolean(), passes: fc.integer({ min: 0, max: 4 }), burst: fc.integer({ min: 0, max: 2 }) }),
);

test("TokenStream tells every gap of a request once, whatever breaks its rhythm", () => {
  fc.assert(fc.property(fc.array(event, { minLength: 1, maxLength: 8 }), (events) => {
    const { stream, gaps, records } = makeStream();
    const tokens: number[] = [];
    let now = 0;
    for (const step of events) {
      now += 1;
      if (step === "pause") {
        stream.pause(0);
        stream.log.push(now);
        continue;
      }
      if (step.between && !stream.running(0)) {
        stream.beginBetween(0, now);
        tokens.push(now);
      }
      for (let pass = 0; pass < step.passes; pass++) {
        now += pass + 1;
        stream.log.push(now);
        if (!stream.running(0)) stream.begin(0);
        stream.burst(0, step.burst);
        tokens.push(...Array(1 + step.burst).fill(now));
      }
    }
    if (!stream.running(0)) {
      stream.log.push(++now);
      stream.begin(0);
      tokens.push(now);
    }
    stream.complete(0, 0, tokens.length);
    stream.log.fold(Infinity);
    const expected = tokens.slice(1).map((at, i) => at - tokens[i]);
    assert.deepEqual(gaps.sort((a, b) => a - b), expected.sort((a, b) => a - b));
    assert.equal(records.firstTokenMs[0], tokens[0]);
    assert.equal(records.lastTokenMs[0], tokens.at(-1));
    if (tokens.length > 1) assert.equal(records.secondTokenMs[0], tokens[1]);
  }));
});
