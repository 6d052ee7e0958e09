/** Comparisons of the Planner. */
import { BACKENDS, type Case, document, dynamo, type Fields } from "./case_documents.ts";

/** Every target, with and without prefill and decode apart. */
export function* planners(): Generator<Case> {
  const sla = { evaluation: { sla: { ttft_ms: 300, itl_ms: 16 } } };
  const targets: [name: string, planner: Fields, rest: Fields][] = [
    ["throughput", { target: "throughput" }, {}],
    ["latency", { target: "latency" }, {}],
    ["load", { target: "load" }, {}],
    ["sla", { target: "sla", throughput_adjustment_interval_seconds: 30 }, sla],
    ["sla-load", { target: "sla", enable_load_scaling: true, enable_throughput_scaling: false }, sla],
    [
      "sla-both",
      {
        target: "sla",
        enable_load_scaling: true,
        throughput_adjustment_interval_seconds: 20,
        load_predictor: "constant",
      },
      sla,
    ],
  ];
  for (const [target, planner, rest] of targets) {
    for (const backend of BACKENDS) {
      for (const traffic of ["chat400", "gap"]) {
        const section = { policy: "enabled", max_num_gpus: 8, ...planner };
        const startup = traffic === "gap" ? 0 : 12;
        yield {
          name: `planner-${target}-${backend}-${traffic}`,
          args: dynamo,
          config: document({
            model: "qwen32",
            backend,
            traffic,
            worker: { startup_seconds: startup },
            rest: { ...rest, planner: section },
          }),
        };
        if (backend === "trtllm" && traffic === "gap") continue;
        yield {
          name: `planner-${target}-${backend}-${traffic}-split`,
          args: dynamo,
          config: document({
            model: "qwen8",
            backend,
            traffic,
            worker: { startup_seconds: startup },
            split: { prefill: {}, decode: {} },
            rest: { ...rest, planner: section },
          }),
        };
      }
    }
  }
  const fields: [string, Fields][] = [
    ["min", { target: "throughput", min_workers: 2, min_num_gpus: 2 }],
    ["sensitive", { target: "load", load_scaling_down_sensitivity: 100, load_adjustment_interval_seconds: 3 }],
    ["tight", { target: "latency", max_num_gpus: 2 }],
    ["zero-min", { target: "throughput", min_workers: 0 }],
    ["cold-kalman", { target: "sla", load_predictor: "kalman", throughput_adjustment_interval_seconds: 20 }],
    [
      "log1p",
      {
        target: "sla",
        load_predictor_log1p: true,
        load_predictor: "constant",
        throughput_adjustment_interval_seconds: 15,
      },
    ],
    ["unlimited", { target: "latency", max_num_gpus: -1 }],
  ];
  for (const [name, planner] of fields) {
    yield {
      name: `planner-field-${name}`,
      args: dynamo,
      config: document({ traffic: "gap", rest: { ...sla, planner: { policy: "enabled", ...planner } } }),
    };
  }
}
