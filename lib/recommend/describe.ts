/**
 * A candidate in words and figures, as tables show it.
 *
 * @module
 */
import type { Candidate } from "./candidate.ts";
import type { Document } from "./candidate_document.ts";
import { shapeText } from "./pool.ts";
import { workerGpus } from "./shapes.ts";

const BACKEND_NAMES: Readonly<Record<string, string>> = { vllm: "vLLM", sglang: "SGLang", trtllm: "TensorRT-LLM" };

const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

/** Workers of a candidate: `3 × vLLM tensor 2`, `2 × prefill tensor 1 + 3 × decode tensor 2`. */
function deploymentText({ suggestion: { mode, backend, roles } }: Candidate): string {
  const name = BACKEND_NAMES[backend] ?? backend;
  const shapes = roles.map((one) => workerGpus(one) === 1 ? "tensor 1" : shapeText(one));
  if (mode === "agg") return `${roles[0].replicas} × ${name} ${shapes[0]}`;
  return `${name} ${roles[0].replicas} × prefill ${shapes[0]} + ${roles[1].replicas} × decode ${shapes[1]}`;
}

/** A candidate in words: its workers, router, Planner and limits. */
export function candidateText(candidate: Candidate): string {
  const { config } = candidate;
  const adapters = (config.adapters ?? {}) as Record<string, Record<string, unknown>>;
  const router = adapters["dynamo.router"], planner = adapters["dynamo.planner"];
  const limit = (role: string, what: string) => {
    const value = config[`${role}_${what}`];
    return typeof value === "number" ? grouped(value) : undefined;
  };
  const roles = candidate.suggestion.mode === "agg" ? ["agg"] : ["prefill", "decode"];
  const both = (what: string) =>
    [...new Set(roles.map((role) => limit(role, what)).filter((value) => value !== undefined))].join("/");
  const load = config.concurrency ?? config.replay_concurrency;
  return [
    deploymentText(candidate),
    router && routerText(router),
    planner?.policy === "enabled" ? plannerText(planner) : undefined,
    candidate.document?.autoscaler && autoscalerText(candidate.document.autoscaler),
    `${both("max_num_batched_tokens")} batched tokens`,
    `${both("max_num_seqs")} sequences`,
    config.traffic_load === undefined
      ? undefined
      : typeof load === "number"
      ? `${grouped(load)} at a time`
      : config.request_rate !== undefined
      ? `${config.request_rate} requests/s`
      : `speedup ${config.arrival_speedup_ratio}`,
  ].filter((part) => part !== undefined).join(", ");
}

function routerText(
  { policy, overlap_score_credit: credit, prefill_load_scale: scale, temperature }: Record<string, unknown>,
): string {
  if (policy !== "kv_router") return String(policy);
  return `kv_router (credit ${credit}, load scale ${short(scale)}, temperature ${short(temperature)})`;
}

const short = (value: unknown) => typeof value === "number" ? String(Number(value.toPrecision(3))) : String(value);

function autoscalerText({ type, workers }: Document): string {
  const most = Object.values(workers as Record<string, Document>)
    .map(({ max_replicas, max_replica_count = 100 }) => max_replicas ?? max_replica_count);
  return `${String(type).toUpperCase()} up to ${most.join(" + ")} workers`;
}

function plannerText(planner: Record<string, unknown>): string {
  const loops = [planner.enable_throughput_scaling ? "throughput" : "", planner.enable_load_scaling ? "load" : ""];
  return `Planner on ${loops.filter((loop) => loop !== "").join(" and ")}, up to ${planner.max_num_gpus} GPUs`;
}
