/** Comparisons of what is refused. */
import { type Case, document, dynamo, type Fields, TRACES, TRAFFIC } from "./case_documents.ts";

/** Documents that cannot be run. */
export function* mistakes(): Generator<Case> {
  const base = document({});
  const engine = base.engine as Fields;
  const wrong: [string, string[], Fields][] = [
    ["planner-on-engine", [], { ...base, planner: { policy: "enabled" } }],
    ["router-on-engine", [], { ...base, router: { policy: "round_robin" } }],
    ["unknown-section", dynamo, { ...base, output: {} }],
    ["unknown-hardware", dynamo, { ...base, engine: { ...engine, hardware: "h2000_sxm" } }],
    ["unknown-model", dynamo, { ...base, engine: { ...engine, model: "no/such-model" } }],
    ["unknown-backend", dynamo, { ...base, engine: { ...engine, backend: "tgi" } }],
    ["unknown-version", dynamo, { ...base, engine: { ...engine, backend_version: "0.0.1" } }],
    ["widths", dynamo, document({ model: "qwen30moe", parallelism: { tensor: 2, moe_expert: 1, moe_tensor: 1 } })],
    ["no-room", dynamo, document({ model: "deepseek", parallelism: { tensor: 1, moe_expert: 1 } })],
    ["missing-trace", dynamo, {
      ...base,
      traffic: { source: { type: "trace", paths: ["nowhere.jsonl"] }, load: { type: "trace_timestamps" } },
    }],
    ["bad-trace", dynamo, {
      ...base,
      traffic: { source: { type: "trace", paths: [`${TRACES}/bad.jsonl`] }, load: { type: "trace_timestamps" } },
    }],
    ["no-timestamps", dynamo, {
      ...base,
      traffic: { source: { type: "trace", paths: [`${TRACES}/nots.jsonl`] }, load: { type: "trace_timestamps" } },
    }],
    ["negative-budget", dynamo, { ...base, planner: { policy: "enabled", max_num_gpus: -2 } }],
    ["bucket-size", dynamo, { ...base, planner: { policy: "enabled", fpm_sample_bucket_size: 15 } }],
    ["kalman-negative", dynamo, {
      ...base,
      planner: { policy: "enabled", target: "sla", kalman_r: -1 },
      evaluation: { sla: { ttft_ms: 1, itl_ms: 1 } },
    }],
    ["sla-without-bounds", dynamo, { ...base, planner: { policy: "enabled", target: "sla" } }],
    ["planner-e2e", dynamo, {
      ...base,
      planner: { policy: "enabled", target: "sla" },
      evaluation: { sla: { e2e_ms: 900 } },
    }],
    ["both-loops-off", dynamo, {
      ...base,
      planner: { policy: "enabled", target: "sla", enable_load_scaling: false, enable_throughput_scaling: false },
      evaluation: { sla: { ttft_ms: 1, itl_ms: 1 } },
    }],
    ["negative-sla", dynamo, { ...base, evaluation: { sla: { ttft_ms: -1, itl_ms: 10 } } }],
    ["sla-mixed", dynamo, { ...base, evaluation: { sla: { ttft_ms: 1, itl_ms: 10, e2e_ms: 5 } } }],
    ["no-stop", dynamo, { ...base, traffic: { source: { type: "synthetic" }, load: { type: "concurrency" } } }],
    ["role-minimum", dynamo, { ...base, planner: { policy: "enabled", decode_min_workers: 1 } }],
    ["unknown-key", dynamo, { ...base, planner: { policy: "enabled", foo: 1 } }],
    ["unknown-stack", ["--stack", "other"], base],
    ["online", [...dynamo, "--online"], base],
    ["fixed-without-values", dynamo, document({ worker: { timing: { type: "fixed" } } })],
    ["prefix-too-long", [], {
      ...base,
      traffic: { ...TRAFFIC.concurrency, source: { type: "synthetic", input_tokens: 10, cached_prefix_tokens: 20 } },
    }],
    ["transfer-aggregated", dynamo, document({ engine: { kv_transfer: {} } })],
  ];
  for (const [name, args, config] of wrong) yield { name: `mistake-${name}`, args, config };
}
