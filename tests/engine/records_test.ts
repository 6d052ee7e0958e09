import assert from "node:assert/strict";
import { test } from "node:test";
import { Outcome, Pool, RequestRecords } from "../../lib/engine/records.ts";

test("RequestRecords grows and leaves what never happened as NaN, 0 or -1", () => {
  const records = new RequestRecords({ capacity: 1 });
  for (let r = 0; r < 700; r++) records.arrive(r, r, 10 + r);
  assert.equal(records.admitted, 700);
  assert.equal(records.arrivalMs[0], 0);
  assert.equal(records.inputTokens[699], 709);
  assert.ok(Number.isNaN(records.firstTokenMs[699]));
  assert.equal(records.decodeRank[699], -1);
  assert.equal(records.status[699], Outcome.none);
});

test("RequestRecords.admit keeps the first admission and the largest reuse", () => {
  const records = new RequestRecords();
  records.arrive(0, 0, 20);
  records.admit(0, 5, 4, Pool.aggregated);
  records.admit(0, 9, 16, Pool.aggregated);
  records.admit(0, 12, 8, Pool.aggregated);
  assert.equal(records.firstAdmitMs[0], 5);
  assert.equal(records.reusedFirst[0], 4);
  assert.equal(records.reusedMax[0], 16);
  assert.equal(records.admissions[0], 3);
});

test("RequestRecords.admit keeps prefill and decode admissions apart", () => {
  const records = new RequestRecords({ disaggregated: true, history: true });
  records.arrive(0, 0, 20);
  records.admit(0, 5, 4, Pool.prefill);
  records.admit(0, 9, 16, Pool.decode);
  records.admit(0, 11, 0, Pool.decode);
  const pools = records.disaggregated!;
  assert.deepEqual(
    [records.firstAdmitMs[0], pools.prefillAdmitMs[0], pools.decodeAdmitMs[0], records.reusedFirst[0]],
    [5, 5, 9, 4],
  );
  assert.deepEqual([pools.prefillAdmissions[0], records.admissions[0]], [1, 2]);
  assert.deepEqual([pools.prefillReused[0], records.reusedMax[0]], [4, 16]);
  assert.deepEqual([...records.admissionLog!.byRequest(1).rows], [0, 1, 2]);
});

test("RequestRecords.finish remembers the completion order", () => {
  const records = new RequestRecords({ capacity: 2 });
  for (const r of [0, 1, 2]) records.arrive(r, r, 1);
  records.finish(2, 5, Outcome.completed);
  records.finish(0, 5, Outcome.rejected);
  assert.deepEqual([...records.completionOrder.subarray(0, records.ended)], [2, 0]);
  assert.equal(records.status[0], Outcome.rejected);
});

test("AdmissionLog.byRequest groups rows by request in order of time", () => {
  const records = new RequestRecords({ history: true });
  const log = records.admissionLog!;
  for (let i = 0; i < 3000; i++) log.add(i % 3, Pool.aggregated, i, 0);
  const { start, rows } = log.byRequest(3);
  assert.deepEqual([...start], [0, 1000, 2000, 3000]);
  assert.deepEqual([...rows.subarray(1000, 1003)], [1, 4, 7]);
  assert.equal(log.atMs[2999], 2999);
});

test("RequestRecords without ended requests uses rows again, and tells its listener before it does", () => {
  const told: number[][] = [];
  const records = new RequestRecords({
    capacity: 1000,
    keepsEnded: false,
    listener: {
      ended: (records, request, row, atMs) =>
        told.push([request, records.outputTokens[row], records.reusedMax[row], atMs]),
    },
  });
  for (let r = 0; r < 1000; r++) {
    records.arrive(r, r, 10);
    records.admit(r, r + 1, r % 3, Pool.aggregated);
    records.emit(r, r % 5, r + 2, NaN, r + 2);
    if (r > 0) records.finish(r - 1, r + 3, Outcome.completed);
  }
  assert.deepEqual(told.slice(0, 3), [[0, 0, 0, 4], [1, 1, 1, 5], [2, 2, 2, 6]]);
  assert.deepEqual([records.ended, told.length, records.rowOf(998)], [999, 999, -1]);
  assert.ok(records.firstTokenMs.length < 1000 && records.terminalMs.length === 0);
  assert.deepEqual([...records.unended()], [999]);
  records.admit(500, 2000, 7, Pool.aggregated);
  const row = records.rowOf(999);
  assert.deepEqual([records.arrivalMs[row], records.firstAdmitMs[row], records.reusedMax[row]], [999, 1000, 0]);
});

test("RequestRecords shares prompt lengths that are known beforehand until one turns out otherwise", () => {
  const inputTokens = Int32Array.of(10, 20, 30);
  const records = new RequestRecords({ capacity: 3, inputTokens });
  records.arrive(0, 0, 10);
  assert.equal(records.inputTokens, inputTokens);
  records.arrive(1, 0, 25);
  assert.deepEqual([[...records.inputTokens], [...inputTokens]], [[10, 25, 30], [10, 20, 30]]);
});
