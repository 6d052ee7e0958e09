/**
 * How fast must a new worker start? The same load and Planner with start-up delays of 0 to 120 seconds, as a table and
 * as a picture of GPU hours against TTFT.
 *
 * Run: `deno run -A scripts/examples/sweep_startup.ts [PICTURE.svg]`
 */
import { writeFileSync } from "node:fs";
import process from "node:process";
import { compareRuns, planner, readTrace, replay, toRun, tradeOffPlot, vllm } from "dynosim";

const runs = [];
for (const startupSeconds of [0, 15, 30, 60, 120]) {
  const report = await replay(readTrace("fixtures/traces/chat.jsonl"), {
    cluster: { replicas: 1, engine: vllm({ blocks: 3000 }), startupSeconds },
    planner: planner({ target: "latency", maxGpus: 4 }),
    speedup: 4,
  }).report;
  runs.push(toRun(report, { name: `${startupSeconds} s` }));
}
compareRuns(runs).select("name", "gpu_hours", "mean_ttft_ms", "p95_ttft_ms", "added_workers").print();
writeFileSync(process.argv[2] ?? "startup.svg", await tradeOffPlot(runs, { against: "p95_ttft_ms" }));
