/**
 * Two replays of the chat fixture at three times its speed, made once: two workers all the time, and one to four workers
 * scaled by the Planner.
 */
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { type Run, toRun } from "../../lib/analysis/run.ts";
import { parseLaunch } from "../../lib/engine/launch/launch.ts";
import { capabilitiesOf } from "../../lib/planner/capabilities.ts";
import { parsePlannerConfig } from "../../lib/planner/config.ts";
import { RecordedPlanner } from "../../lib/report/planner_recorder.ts";
import type { Report } from "../../lib/report/report.ts";
import { RoundRobinRouter } from "../../lib/router/round_robin.ts";
import { simulate } from "../../lib/replay/simulate.ts";
import { polynomial } from "../../lib/timing/polynomial.ts";
import { loadTrace } from "../../lib/traffic/load_trace.ts";
import type { Traffic } from "../../lib/traffic/workload.ts";

const SLA = { ttftMs: 400, itlMs: 20 };
const SETTINGS = parseLaunch({
  engine: { backend: "vllm", num_gpu_blocks: 2048, timing_model: { type: "polynomial" } },
  startup_time: 20,
});

let made: Promise<Run[]> | undefined;

/** The two runs, `fixed` and `scaled <1–4>`. */
export function sampleRuns(): Promise<Run[]> {
  return made ??= makeRuns();
}

/** As many runs, the two in turn under other names, one of them long; each costs more than the one before. */
export async function manyRuns(count: number): Promise<Run[]> {
  const runs = await sampleRuns();
  return Array.from({ length: count }, (_, i) => {
    const run = runs[i % 2], { summary } = run;
    const name = i < 2
      ? run.name
      : i === 2
      ? `a run with ${"every-parameter=in_its_name,".repeat(6)}`
      : `run-number-${i}`;
    return { ...run, name, summary: { ...summary, gpu_hours: summary.gpu_hours * (1 + i / 20) } };
  });
}

async function makeRuns(): Promise<Run[]> {
  const path = fileURLToPath(new URL("../../fixtures/traces/chat.jsonl", import.meta.url));
  const traffic = await loadTrace(path, { format: "mooncake", speedup: 3 });
  const planner = new RecordedPlanner({
    config: parsePlannerConfig({
      mode: "agg",
      optimization_target: "load",
      max_gpu_budget: 4,
      decode_scale_up_kv_rate: 12,
      decode_scale_down_kv_rate: 6,
    }),
    engines: { prefill: null, decode: capabilitiesOf(SETTINGS) },
    sha256: (text) => createHash("sha256").update(text).digest("hex"),
  });
  const config = "traffic:\n  source: {type: trace, format: mooncake, paths: [fixtures/traces/chat.jsonl]}\n";
  return [
    toRun(replay(traffic, 2), { name: "fixed", sla: SLA, config }),
    toRun(replay(traffic, 1, planner), { name: "scaled <1–4>", sla: SLA, config: config + "# scaled & drained\n" }),
  ];
}

function replay(traffic: Traffic, replicas: number, planner: RecordedPlanner | null = null): Report {
  const run = simulate({
    traffic,
    pools: [{
      settings: SETTINGS,
      replicas,
      timing: polynomial(),
      router: (context) => new RoundRobinRouter(context),
    }],
    policy: planner,
    plannerSection: planner && (({ lifecycle }) => planner.recorder.section(lifecycle)),
    sla: SLA,
    capturePerRequest: true,
  });
  let step = run.next();
  while (!step.done) step = run.next();
  return step.value;
}
