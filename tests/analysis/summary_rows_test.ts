import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "../../lib/analysis/run.ts";
import { headlines } from "../../lib/analysis/summary_rows.ts";

/** Whatever else the headlines show. */
const SUMMARY = {
  num_requests: 1000,
  completed_requests: 1000,
  goodput_output_throughput_tok_s: 1,
  median_ttft_ms: 1,
  p95_ttft_ms: 1,
  p95_tpot_ms: 1,
  mean_itl_ms: 1,
  p95_itl_ms: 1,
  output_throughput_tok_s: 1,
  prefix_cache_reused_ratio: 0,
};

test("headlines tell differences of shares in points and of other figures as a share", () => {
  const run = (good: number, gpu_hours: number) =>
    ({
      summary: { ...SUMMARY, goodput_completed_requests: good, gpu_hours },
      planner: null,
    }) as unknown as Run;
  const [share, hours] = headlines([run(999, 1), run(748, 0.5), run(999, 1)]);
  assert.deepEqual([share.label, hours.label], ["Within the SLA", "GPU hours"]);
  const told = ({ values }: typeof share) => values.map(({ text, difference, verdict }) => [text, difference, verdict]);
  assert.deepEqual(told(share), [
    ["99.9 %", null, "same"],
    ["74.8 %", "−25.1 points", "worse"],
    ["99.9 %", "same", "same"],
  ]);
  assert.deepEqual(told(hours)[1], ["0.5", "−50 %", "better"]);
});
