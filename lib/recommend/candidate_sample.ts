/**
 * A suggestion in the names of ledgers.
 *
 * @module
 */
import type { Suggestion } from "./branch.ts";
import type { RoleSearch } from "./engine_domain.ts";
import type { Recommendation } from "./recommendation.ts";
import type { RoleKnobs } from "./role_knobs.ts";
import { routerOf } from "./router_domain.ts";
import { type Replicas, strategyOf } from "./shapes.ts";
import type { SearchSpace } from "./space.ts";

/** The suggestion as ledgers list it. */
export function sampleOf(
  { mode, backend, values }: Suggestion,
  knobs: readonly RoleKnobs[],
  search: Recommendation,
  space: SearchSpace,
): Record<string, unknown> {
  const { engine, optimization, router, planner, autoscaler } = search;
  const own = Object.entries(values).filter(([name]) => !name.startsWith("adapter::"));
  const sample: Record<string, unknown> = {
    deployment_mode: mode,
    backend,
    backend_version: knobs[0].version,
    model_name: engine.model,
    hardware_sku: engine.hardware,
    gpu_budget: optimization.constraints.max_candidate_gpus,
    context_length: space.contextTokens,
    ...Object.fromEntries(own),
  };
  if (optimization.constraints.min_candidate_gpus !== null) {
    sample.min_gpu_budget = optimization.constraints.min_candidate_gpus;
  }
  for (const { role, shape } of knobs) describeRole(sample, role, shape);
  const transfer = engine.written.kv_transfer;
  if (mode === "disagg") sample.kv_transfer_timing_mode = transfer?.timing_mode ?? "destination_missing";
  if (mode === "disagg" && transfer) {
    sample.kv_transfer_bytes_per_token = transfer.bytes_per_token ?? "auto";
    if (transfer.bandwidth_gb_per_second != null) sample.kv_transfer_bandwidth = transfer.bandwidth_gb_per_second;
  }
  if (autoscaler) sample.autoscaler = autoscaler.type;
  const adapters: Record<string, unknown> = {};
  if (router) adapters["dynamo.router"] = routerOf(values);
  if (planner) adapters["dynamo.planner"] = space.planner!.planner(values);
  return Object.keys(adapters).length > 0 ? { ...sample, adapters } : sample;
}

function describeRole(sample: Record<string, unknown>, role: RoleSearch, shape: Replicas): void {
  const { key, written, fixedBlocks } = role;
  const prefix = key === "agg" ? "" : `${key}_`;
  const sizes = {
    tp: shape.tensor,
    pp: shape.pipeline,
    attention_dp: shape.attentionData,
    moe_tp: shape.moeTensor,
    moe_ep: shape.moeExpert,
    replicas: shape.replicas,
    strategy: strategyOf(shape),
  };
  for (const [name, size] of Object.entries(sizes)) sample[prefix + name] = size;
  const cache = written.kv_cache ?? {}, timing = written.timing ?? {};
  const details: Record<string, unknown> = {
    block_size: role.blockSize?.kind === "choices" && role.blockSize.pinned ? role.blockSize.values[0] : undefined,
    gpu_memory_utilization: role.memoryFraction?.kind === "choices" && role.memoryFraction.pinned
      ? role.memoryFraction.values[0]
      : undefined,
    num_gpu_blocks: fixedBlocks ?? undefined,
    enable_prefix_caching: cache.prefix_caching ?? true,
    kv_bytes_per_token: cache.bytes_per_token ?? "auto",
    startup_time: written.startup_seconds ?? 0,
    timing_model: timing.type === undefined || timing.type === "default" ? undefined : timing,
    hardware_sku: key === "agg" ? undefined : role.hardware,
    context_length: role.contextLength ?? undefined,
  };
  for (const [name, value] of Object.entries(details)) if (value !== undefined) sample[`${key}_${name}`] = value;
}
