/**
 * An Azure trace (CSV) cut, sped up and written as a Dynamo trace; replayed with a Planner in the loop and watched tick
 * by tick; asked for the TTFT of every minute; and replayed once more with the twin of the Python function.
 *
 * Run: `deno run -A scripts/examples/planner_in_the_loop.ts AZURE.csv [FOLDER]`
 */
import { writeFileSync } from "node:fs";
import process from "node:process";
import { op } from "arquero";
import {
  kvRouter,
  planner,
  polynomial,
  readTrace,
  replay,
  requestsTable,
  runTraceReplay,
  scale,
  slice,
  vllm,
  writeTrace,
} from "dynosim";

const [csv, folder = "."] = process.argv.slice(2);
const trace = `${folder}/azure.jsonl.gz`;

await readTrace(csv)
  .pipeThrough(slice({ from: "0m", to: "120m" }))
  .pipeThrough(scale({ speedup: 2 }))
  .pipeTo(writeTrace(trace, { format: "dynamo", blockSize: 512 }));

const run = replay(readTrace(trace), {
  cluster: { replicas: 2, engine: vllm({ blocks: 16_384 }), timing: polynomial(), startupSeconds: 30 },
  router: kvRouter({ temperature: 0.2, seed: 7 }),
  planner: planner({ target: "sla", ttftMs: 1500, itlMs: 50, maxGpus: 4 }),
  sla: { ttftMs: 1500, itlMs: 50 },
});
for await (const tick of run.ticks) console.log(tick.atMs, tick.targets);
const report = await run.report;

// arquero reads functions as text, in a JavaScript without 60_000.
requestsTable(report)
  .groupby({ minute: (r: any) => op.floor(r.arrival_ms / 60000) })
  .rollup({ p95: (r: any) => op.quantile(r.ttft_ms, 0.95) })
  .print();

const config = `${folder}/planner.yaml`;
writeFileSync(config, "mode: agg\noptimization_target: latency\nmax_gpu_budget: 4\nreport_interval_hours: null\n");
const same = await runTraceReplay([trace], {
  traceFormat: "dynamo",
  numWorkers: 2,
  plannerConfig: config,
  slaTtftMs: 1500,
  slaItlMs: 50,
});
console.log("scaling events with target latency:", same.planner!.scaling_events.length);
