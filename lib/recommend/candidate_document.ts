/**
 * The document of the prediction that a candidate stands for.
 *
 * @module
 */
import { CURRENCY } from "../report/price.ts";
import type { Suggestion } from "./branch.ts";
import { ROLE_NAMES } from "./engine_domain.ts";
import type { Recommendation } from "./recommendation.ts";
import type { RoleKnobs } from "./role_knobs.ts";
import { routerOf } from "./router_domain.ts";
import type { SearchSpace } from "./space.ts";
import type { TrafficSearch } from "./traffic_domain.ts";

/** A document of plain values. */
export type Document = Record<string, any>;

/** The prediction that a suggestion stands for. */
export function documentOf(
  { mode, backend, values }: Suggestion,
  knobs: readonly RoleKnobs[],
  load: number,
  search: Recommendation,
  space: SearchSpace,
): Document {
  const { traffic, engine, sla, price, resources, sections, written } = search;
  const planner = space.planner?.planner(values) ?? null;
  const scales = planner?.policy === "enabled" || search.autoscaler !== null;
  const { mode: _mode, backend: _backend, backend_version: _version, kv_transfer, nextn: _nextn, ...rest } =
    engine.written;
  // a KV router between fewer than two ranks has nothing to decide, and a prediction refuses it
  const choice = scales || Math.max(...knobs.map(({ shape }) => shape.replicas * shape.attentionData)) > 1;
  const router = choice ? routerOf(values) : ONE_WORKER_ROUTER;
  const adapters = {
    router: () => router,
    planner: () => planner,
    autoscaler: () => autoscalerOf(knobs, search),
  };
  const bounds = Object.entries(sla ?? {}).filter(([, bound]) => bound !== null);
  const evaluation = {
    ...(bounds.length > 0 ? { sla: Object.fromEntries(bounds) } : {}),
    ...(price === null ? {} : { price_per_gpu_hour: price.perGpuHour, currency: price.currency ?? CURRENCY }),
  };
  return {
    traffic: {
      ...traffic.prediction,
      load: { ...traffic.prediction.load, ...loadFields(load, traffic) },
      ...stopOf(traffic.prediction.stop),
    },
    engine: {
      ...rest,
      mode: mode === "agg" ? "aggregated" : "disaggregated",
      backend,
      backend_version: knobs[0].version,
      context_length: space.contextTokens,
      workers: Object.fromEntries(knobs.map((one) => [ROLE_NAMES[one.role.key], workerOf(one)])),
      ...(mode === "agg" ? {} : { kv_transfer: kv_transfer ?? {} }),
    },
    ...(Object.keys(evaluation).length > 0 ? { evaluation } : {}),
    ...(Object.hasOwn(written, "execution") ? { execution: { resources } } : {}),
    ...Object.fromEntries(
      sections.map((section) => [section, adapters[section]()]),
    ),
  };
}

/** The autoscaler as it is written, of the roles that there are. */
function autoscalerOf(knobs: readonly RoleKnobs[], { written }: Recommendation): Document {
  const autoscaler = written.autoscaler as Document;
  const names = knobs.map(({ role }) => ROLE_NAMES[role.key]).filter((name) => autoscaler.workers[name] != null);
  return { ...autoscaler, workers: Object.fromEntries(names.map((name) => [name, autoscaler.workers[name]])) };
}

function loadFields(load: number, { field, prediction }: TrafficSearch): Record<string, unknown> {
  if (field === "fraction") return { type: "concurrency", concurrency: load };
  if (field === "speedup" && prediction.load.speedup == null) return {};
  return { [field]: load };
}

/** A cutoff ends everything in searches, as in the reference's; predictions let admitted requests finish unless told. */
function stopOf(stop: Document | null | undefined): Document {
  return stop?.max_virtual_time_seconds == null ? {} : { stop: { cutoff: "hard", ...stop } };
}

const ONE_WORKER_ROUTER = { policy: "round_robin", prefill_load_model: { type: "none" } };

/** A role of the document, its defaults written out. */
function workerOf({ role, shape, tokens, sequences, blockTokens, memoryFraction }: RoleKnobs): Document {
  const { written, fixedBlocks } = role;
  const { block_size: _size, capacity, ...cache } = written.kv_cache ?? {};
  return {
    parallelism: {
      replicas: shape.replicas,
      tensor: shape.tensor,
      pipeline: shape.pipeline,
      attention_data: shape.attentionData,
      moe_tensor: shape.moeTensor,
      moe_expert: shape.moeExpert,
    },
    scheduler: { max_batched_tokens: tokens, max_sequences: sequences },
    kv_cache: {
      block_size: blockTokens,
      prefix_caching: true,
      bytes_per_token: "auto",
      ...cache,
      capacity: fixedBlocks !== null ? { type: "fixed", blocks: fixedBlocks } : {
        type: "default",
        memory_fraction: memoryFraction,
        ...(capacity?.cuda_graph_reserved_bytes == null
          ? {}
          : { cuda_graph_reserved_bytes: capacity.cuda_graph_reserved_bytes }),
      },
    },
    timing: written.timing ?? { type: "default" },
    startup_seconds: written.startup_seconds ?? 0,
    ...(role.key === "agg" || written.hardware == null ? {} : { hardware: written.hardware }),
    ...(role.contextLength === null ? {} : { context_length: role.contextLength }),
  };
}
