import assert from "node:assert/strict";
import { test } from "node:test";
import "../../without_user_cache.ts";
import { StepTimes } from "../../../lib/timing/aic/step_times.ts";
import { deploy } from "../../../mod.ts";

test("StepTimes keeps what was written and nothing for steps that are not whole or too large", () => {
  const steps = new StepTimes();
  const at = (batch: number, seq: number) => steps.page(batch, seq)?.[StepTimes.place(seq)];
  for (const [batch, seq] of [[1, 0], [1, 255], [1, 256], [3, 1 << 19]]) {
    assert.equal(at(batch, seq), NaN);
    steps.page(batch, seq)![StepTimes.place(seq)] = batch * 1e7 + seq;
  }
  for (const [batch, seq] of [[1, 0], [1, 255], [1, 256], [3, 1 << 19]]) {
    assert.equal(at(batch, seq), batch * 1e7 + seq);
  }
  assert.equal(at(2, 255), NaN);
  for (
    const [batch, seq] of [[1.5, 4], [1, 4.5], [-1, 4], [1, -4], [1 << 12, 4], [1, 1 << 20], [NaN, 4], [1, Infinity]]
  ) {
    assert.equal(steps.page(batch, seq), null);
  }
});

test("StepTimes has an end", () => {
  const steps = new StepTimes();
  let pages = 0;
  for (let batch = 0; batch < 4; batch++) {
    for (let seq = 0; seq < 1 << 20; seq += 256) if (steps.page(batch, seq) !== null) pages++;
  }
  assert.equal(pages, 2048);
  assert.notEqual(steps.page(0, 256), null);
});

test("generationMs answers the same question with the same number, kept or not", () => {
  const options = { model: "Qwen/Qwen3-32B", hardware: "h200_sxm", tensor: 2 } as const;
  const model = deploy(options).forwardPassModel();
  const steps = [[1, 1], [4, 1025], [60, 126527], [4, 1024.5], [5000, 64], [4, 2 ** 20 + 3]];
  const first = steps.map(([batch, seq]) => model.generationMs(batch, seq));
  assert.deepEqual(steps.map(([batch, seq]) => model.generationMs(batch, seq)), first);
  for (const [i, [batch, seq]] of steps.entries()) {
    assert.equal(model.generationRows(batch, seq).reduce((sum, { ms }) => sum + ms, 0), first[i]);
  }
});
