/**
 * The `engine` section of a search: a prediction's with domains. What is no domain is checked by the prediction's schema,
 * for every deployment mode, with values of the domains in their places.
 *
 * @module
 */
import { isMapping } from "../collections/mapping.ts";
import * as v from "valibot";
import { engineSection } from "../config/engine_section.ts";
import { quoteList } from "../config/python_text.ts";
import { anything, Problem, type Reads, reads, text } from "../config/schema_parts.ts";
import { section } from "../config/schema_sections.ts";
import { type Backend, BACKENDS } from "../engine/settings.ts";
import { type Domain, intDomain, listed, numberDomain, representative, wordDomain } from "./domains.ts";
import { type ParallelismSearch, parallelismSearch } from "./parallelism_domain.ts";
import type { SchemaIssues } from "./traffic_domain.ts";

/** How ledgers call the deployment modes. */
export type Mode = "agg" | "disagg";
/** How ledgers call the roles. */
export type RoleKey = "agg" | "prefill" | "decode";
/** How files call the roles. */
export type RoleName = "aggregated" | "prefill" | "decode";

/** A role's name in files, by its name in ledgers. */
export const ROLE_NAMES: Readonly<Record<RoleKey, RoleName>> = {
  agg: "aggregated",
  prefill: "prefill",
  decode: "decode",
};

/** Roles of a mode. */
export const rolesOfMode = (mode: Mode): readonly RoleKey[] => mode === "agg" ? ["agg"] : ["prefill", "decode"];

/** One role of a search. */
export interface RoleSearch {
  key: RoleKey;
  parallelism: ParallelismSearch;
  /** Token budget of a pass. */
  tokens: Domain;
  /** Sequences at once. */
  sequences: Domain;
  /** Tokens of a KV block; null for the backend's default. */
  blockSize: Domain | null;
  /** Share of the memory; null for the backend's default, or when the blocks are fixed. */
  memoryFraction: Domain | null;
  fixedBlocks: number | null;
  /** GPU system of the role. */
  hardware: string;
  /** Longest sequence of the role, when it differs from the engine's. */
  contextLength: number | "max" | null;
  /** The role as the file has it. */
  written: Record<string, any>;
}

/** Engines of a search. */
export interface EngineSearch {
  modes: readonly Mode[];
  backends: readonly Backend[];
  /** Version of each backend as written; null for the current one. */
  versions: Readonly<Partial<Record<Backend, string>>>;
  model: string;
  hardware: string;
  contextLength: number | "max";
  roles: Readonly<Partial<Record<RoleKey, RoleSearch>>>;
  /** The section as the file has it, without the roles and the domains. */
  written: Record<string, any>;
}

const SEARCHED_TOKENS = { agg: [8192, 16384, 32768], prefill: [8192, 16384, 32768], decode: [8192] };
const SEARCHED_SEQUENCES = {
  agg: [256, 512, 1024],
  prefill: [1, 2, 4, 8, 16, 32, 64, 128, 256],
  decode: [256, 512, 1024],
};

/** A key that predictions know and searches do not carry. */
const refused = (what: string) =>
  v.optional(reads<null>((value) => value == null ? null : new Problem(`Value error, ${what}`)), null);

const capacity = section("KvCapacityDomain", {
  type: anything(),
  memory_fraction: v.nullish(numberDomain({ gt: 0, le: 1 }, "memory_fraction range must stay within (0, 1]")),
  blocks: anything(),
  bytes: refused("capacity.bytes currently supports prediction only; recommendation is not supported: give blocks"),
  cuda_graph_reserved_bytes: anything(),
});

const worker = section("WorkerDomain", {
  parallelism: v.nullish(parallelismSearch),
  scheduler: v.nullish(section("SchedulerDomain", {
    max_batched_tokens: v.nullish(intDomain({ gt: 0 })),
    max_sequences: v.nullish(intDomain({ gt: 0 })),
  })),
  kv_cache: v.nullish(section("KvCacheDomain", {
    block_size: v.nullish(intDomain({ gt: 0 })),
    prefix_caching: anything(),
    bytes_per_token: anything(),
    capacity: v.nullish(capacity),
    host_offload: refused("host_offload currently supports prediction only; recommendation is not supported"),
    g3_offload: refused("g3_offload currently supports prediction only; recommendation is not supported"),
    state_cache: refused("state_cache currently supports prediction only; recommendation is not supported"),
  })),
  timing: anything(),
  startup_seconds: anything(),
  hardware: anything(),
  context_length: anything(),
}, [
  ({ timing }) => {
    const given = Object.keys((timing ?? {}) as object).filter((key) => key.endsWith("_quant_mode"));
    return given.length > 0
      ? "explicit timing quantization/backend identity is prediction-only; recommendation preflight does not support these overrides"
      : undefined;
  },
]);

const versions = reads<string | Record<string, string>>((value) => {
  if (typeof value === "string") return value;
  const fits = isMapping(value) && Object.values(value).every((version) => typeof version === "string");
  return fits
    ? value as Record<string, string>
    : new Problem("Input should be a version, or a mapping of backend to version");
});

/** Keys of the prediction's section that go into every candidate as they are. */
const CARRIED = [
  "kv_transfer",
  "enable_chunked_prefill",
  "gemm_quant_mode",
  "moe_quant_mode",
  "kvcache_quant_mode",
  "fmha_quant_mode",
  "comm_quant_mode",
  "enable_eplb",
  "wideep_num_slots",
  "moe_backend",
  "moe_kernel_source",
  "attention_backend",
  "database_mode",
  "transfer_policy",
  "systems_paths",
  "systems_path",
  "estimation_mode",
  "fallback_policy",
  "estimator_config",
  "enable_shared_layer",
  "strict_provenance",
  "decoder_replay",
  "fpm_profile",
  "data_release",
  "context_length",
] as const;

const shell = section("EngineDomain", {
  mode: v.optional(wordDomain(["aggregated", "disaggregated"])),
  model: text(),
  hardware: text(),
  backend: v.optional(wordDomain(BACKENDS)),
  backend_version: v.nullish(versions),
  ...Object.fromEntries(CARRIED.map((name) => [name, anything()])),
  nextn: v.optional(
    reads<0>((value) =>
      value == null || value === 0 ? 0 : new Problem(
        "Value error, nextn is prediction-only; give it to predict for the configuration that recommend finds",
      )
    ),
  ),
  nextn_accepted: refused("nextn_accepted is prediction-only"),
  speculation: refused("speculation is prediction-only"),
  afd: refused("afd is not supported"),
  fpm_profile: refused("fpm_profile is not supported"),
  workers: section("WorkersDomain", {
    aggregated: v.nullish(worker),
    prefill: v.nullish(worker),
    decode: v.nullish(worker),
    encoder: refused("encoder workers are not supported"),
  }),
}) as Reads<any>;

/** Reads the section; `autoHardware` is what `hardware: auto` stands for. */
export function readEngine(
  value: unknown,
  autoHardware: string | null,
  lengths: { input: number; output: number } | null,
): { engine: EngineSearch } | { issues: SchemaIssues } {
  const read = v.safeParse(shell, value);
  if (!read.success) return { issues: read.issues };
  const fields = read.output;
  const written = structuredClone(value) as Record<string, any>;
  if (written.hardware === "auto" && autoHardware !== null) written.hardware = autoHardware;
  const modeDomain: Domain<string> = fields.mode ?? listed(["aggregated", "disaggregated"]);
  const modes = (modeDomain as { values: readonly string[] }).values.map((mode) =>
    mode === "aggregated" ? "agg" : "disagg"
  ) as Mode[];
  const backends = (fields.backend ?? listed(["vllm", "sglang"])).values as Backend[];
  const broken = rules(fields, written, modes, backends, lengths);
  if (broken !== undefined) return { issues: told(broken) };
  for (const mode of modes) {
    for (const backend of backends) {
      const checked = v.safeParse(engineSection, plain(fields, written, mode, backend));
      if (!checked.success) return { issues: checked.issues };
    }
  }
  const roles: Partial<Record<RoleKey, RoleSearch>> = {};
  for (const mode of modes) for (const key of rolesOfMode(mode)) roles[key] = roleSearch(key, fields, written);
  const { workers: _, ...rest } = written;
  return {
    engine: {
      modes,
      backends,
      versions: typeof fields.backend_version === "string"
        ? { [backends[0]]: fields.backend_version }
        : fields.backend_version ?? {},
      model: written.model,
      hardware: written.hardware,
      contextLength: written.context_length ?? "max",
      roles,
      written: rest,
    },
  };
}

function told(message: string): SchemaIssues {
  return v.safeParse(v.custom(() => false, `Value error, ${message}`), null).issues!;
}

/** Rules that predictions do not have; the first broken one speaks. */
function rules(
  fields: any,
  written: Record<string, any>,
  modes: readonly Mode[],
  backends: readonly Backend[],
  lengths: { input: number; output: number } | null,
): string | undefined {
  const { workers, backend_version: version, kv_transfer } = fields;
  const aggregated = modes.includes("agg"), disaggregated = modes.includes("disagg");
  if (aggregated && !workers.aggregated) return "aggregated mode requires workers.aggregated";
  if (disaggregated && !(workers.prefill && workers.decode)) {
    return "disaggregated mode requires prefill and decode workers";
  }
  if (!disaggregated && (workers.prefill || workers.decode)) return "aggregated mode rejects prefill/decode workers";
  if (!disaggregated && kv_transfer) return "aggregated mode rejects kv_transfer";
  if (!aggregated && workers.aggregated) return "disaggregated mode rejects aggregated workers";
  if (typeof version === "string" && backends.length > 1) {
    return "a string backend_version requires exactly one configured backend; use a {backend: version} mapping for a multi-backend search";
  }
  const stray = Object.keys(typeof version === "object" && version !== null ? version : {})
    .filter((name) => !backends.includes(name as Backend));
  if (stray.length > 0) return `backend_version contains unconfigured backend(s): ${quoteList(stray.toSorted())}`;
  if (written.workers.aggregated?.context_length != null) {
    return "workers.aggregated.context_length must be set as engine.context_length";
  }
  const { input, output } = lengths ?? { input: 1024, output: 128 };
  for (const [role, needed] of [["prefill", input + 1], ["decode", input + output]] as const) {
    const context = written.workers[role]?.context_length;
    if (typeof context === "number" && context < needed) {
      return `engine.workers.${role}.context_length must be at least ${needed} for the configured workload`;
    }
  }
  if (backends.includes("sglang")) return undefined;
  for (const role of ["aggregated", "prefill", "decode"] as const) {
    const size: Domain | null | undefined = workers[role]?.kv_cache?.block_size;
    const most = size == null ? 2 : size.kind === "choices" ? Math.max(...size.values) : size.max;
    if (most < 2) {
      return `${role} KV block_size has no value supported by vLLM/TensorRT-LLM; those backends require block_size >= 2`;
    }
  }
}

/** The section with values in the places of domains, as a prediction of one mode and backend has it. */
function plain(fields: any, written: Record<string, any>, mode: Mode, backend: Backend): Record<string, any> {
  const { workers: _, backend_version: _version, mode: _mode, nextn: _nextn, ...rest } = written;
  const one = (key: RoleKey) => {
    const name = ROLE_NAMES[key];
    const role = structuredClone(written.workers[name]);
    const { kv_cache } = fields.workers[name];
    delete role.parallelism;
    delete role.scheduler;
    if (kv_cache?.block_size) role.kv_cache.block_size = Math.max(2, representative(kv_cache.block_size));
    if (kv_cache?.capacity?.memory_fraction) {
      role.kv_cache.capacity.memory_fraction = representative(kv_cache.capacity.memory_fraction);
    }
    return [name, role];
  };
  return {
    ...rest,
    mode: mode === "agg" ? "aggregated" : "disaggregated",
    backend,
    workers: Object.fromEntries(rolesOfMode(mode).map(one)),
    kv_transfer: mode === "agg" ? null : written.kv_transfer ?? {},
  };
}

function roleSearch(key: RoleKey, fields: any, written: Record<string, any>): RoleSearch {
  const name = ROLE_NAMES[key];
  const { parallelism, scheduler, kv_cache } = fields.workers[name];
  const own = written.workers[name];
  const fixed = own.kv_cache?.capacity?.type === "fixed";
  return {
    key,
    parallelism: parallelism ?? { kind: "default" },
    tokens: scheduler?.max_batched_tokens ?? listed(SEARCHED_TOKENS[key]),
    sequences: scheduler?.max_sequences ?? listed(SEARCHED_SEQUENCES[key]),
    blockSize: kv_cache?.block_size ?? null,
    memoryFraction: kv_cache?.capacity?.memory_fraction ?? null,
    fixedBlocks: fixed ? own.kv_cache.capacity.blocks : null,
    hardware: own.hardware ?? written.hardware,
    contextLength: own.context_length ?? null,
    written: own,
  };
}
