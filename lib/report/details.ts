/**
 * What `predict --detail` adds to a report: parts of the evidence by name, and why a part is not there.
 *
 * @module
 */
import { ConfigError } from "../errors.ts";
import type { Summary } from "./summary.ts";
import { type EnergyPart, energyPart, energyText } from "./energy_details.ts";
import { alignedRows } from "./text_table.ts";

/** Parts that can be asked for, in the order they appear. */
export const DETAILS = ["summary", "memory", "time", "energy", "source"] as const satisfies readonly Detail[];

/** Name of a part. */
export type Detail = "summary" | "memory" | "time" | "energy" | "source";

/** KV cache of a role's ranks, as a run resolved it. */
export interface RoleMemory {
  /** What its workers are for. */
  role: string;
  /** KV blocks of a rank. */
  blocks: number;
  /** Tokens of a block. */
  blockTokens: number;
  /** Where the number of blocks is from. */
  blocksFrom: string;
  /** Bytes of a token and their format; null where the model was not asked. */
  assumed: { kv_cache: string; kv_bytes_per_token: number } | null;
  /** What the memory model says of a rank's GPU; null where it was not asked. */
  capacity: RankCapacity | null;
}

/** Bytes of a rank's GPU, and the tokens of its KV cache. */
export interface RankCapacity {
  bytes: number;
  tokens: number;
  gpuBytes: number;
  reservedBytes: number;
  memory: { weights: number; activations: number; runtime: number; collectives: number };
}

/**
 * What an operator took of all passes, at the hardware's bound and at those of its arithmetic and memory (null where none
 * is known), and its energy (watt-milliseconds) with the time it is known for.
 */
export interface OperationTime {
  name: string;
  ms: number;
  boundMs: number | null;
  arithmeticMs: number | null;
  memoryMs: number | null;
  coveredMs: number;
  energy: number;
  source: string;
}

/** What details are made of. */
export interface DetailSources {
  /** Summary of the run. */
  summary: Summary;
  /** Its roles. */
  roles: readonly RoleMemory[];
  /** What each operator took, and whether the times of all roles are measured; null where those of none are. */
  operations: {
    readonly prefill: readonly OperationTime[];
    readonly decode: readonly OperationTime[];
    readonly complete: boolean;
  } | null;
}

/** The parts asked for; each is in exactly one of the two. */
export interface Details {
  /** Version of this form. */
  schema_version: "1.0";
  /** Parts with evidence. */
  sections: Partial<Record<Detail, Record<string, unknown>>>;
  /** Parts without, and why. */
  skipped: Partial<Record<Detail, string>>;
}

/**
 * Reads a comma list of parts; `all` means all of them.
 *
 * @throws {ConfigError} for a name that is none
 */
export function detailNames(list: string): Detail[] {
  const words = list.split(",").map((word) => word.trim()).filter((word) => word !== "");
  const unknown = words.find((word) => word !== "all" && !(DETAILS as readonly string[]).includes(word));
  if (unknown !== undefined || words.length === 0) {
    const found = unknown === undefined ? "no section" : `'${unknown}'`;
    throw new ConfigError(`unknown detail section ${found}; known sections: ${DETAILS.join(", ")}, all`);
  }
  return DETAILS.filter((name) => words.includes("all") || words.includes(name));
}

/** Parts that need the operators of a run's passes. */
export const OPERATION_DETAILS: readonly Detail[] = ["time", "energy", "source"];

const SCOPE = "accumulated_active_forward_pass_per_gpu";
const NO_BOUND = "no bound is known of an operation, or nothing was run";
const NO_OPERATIONS = "no passes were timed by operators";

/** The parts of a run. */
export function detailsOf(names: readonly Detail[], { summary, roles, operations }: DetailSources): Details {
  const details: Details = { schema_version: "1.0", sections: {}, skipped: {} };
  const phases = [
    { name: "prefill", operations: operations?.prefill ?? [] },
    { name: "decode", operations: operations?.decode ?? [] },
  ];
  const observed = phases.some(({ operations }) => operations.length > 0)
    ? { status: "available", scope: SCOPE }
    : { status: "not_observed", scope: SCOPE, unavailable_reason: NO_OPERATIONS };
  const known = {
    summary: () => ({ status: "available", scope: "serving_workload", metrics: summary }),
    time: () => ({
      status: "available",
      scope: "serving_workload",
      latency_unit: "ms",
      serving_metrics: Object.fromEntries(
        Object.entries(summary).filter(([key]) => /_(ttft|ttst|tpot|itl|e2e_latency)_ms$/.test(key)),
      ),
      diagnostics: { ...observed, latency_unit: "ms", phases: phases.map(timedPhase) },
    }),
    memory: () => ({
      status: roles.every(({ capacity }) => capacity !== null) ? "available" : "partial",
      scope: "capacity_estimate_per_rank",
      roles: Object.fromEntries(roles.map((role) => [role.role, memoryOf(role)])),
    }),
    energy: () => energyPart(operations?.complete ? phases : null),
    source: () => ({
      ...observed,
      phases: phases.map(({ name, operations }) => ({
        name,
        operations: operations.map(({ name, ms, source }) => ({ name, latency_ms: ms, source, fallbacks: [] })),
      })),
    }),
  } satisfies Record<Detail, () => unknown>;
  for (const name of names) {
    if (name === "memory" && roles.length === 0) details.skipped[name] = "no role tells of its memory";
    else details.sections[name] = known[name]();
  }
  return details;
}

function timedPhase({ name, operations }: { name: string; operations: readonly OperationTime[] }) {
  const sum = (of: (operation: OperationTime) => number) => operations.reduce((all, one) => all + of(one), 0);
  const bound = (boundMs: number | null, math_ms: number | null, memory_ms: number | null) =>
    boundMs === null
      ? { sol: null, sol_unavailable_reason: NO_BOUND }
      : { sol: { latency_ms: boundMs, math_ms, memory_ms }, sol_unavailable_reason: null };
  const bounded = operations.length > 0 && operations.every(({ boundMs }) => boundMs !== null);
  return {
    name,
    latency_ms: sum(({ ms }) => ms),
    ...bound(
      bounded ? sum(({ boundMs }) => boundMs!) : null,
      sum(({ arithmeticMs }) => arithmeticMs ?? 0),
      sum(({ memoryMs }) => memoryMs ?? 0),
    ),
    operations: operations.map(({ name, ms, boundMs, arithmeticMs, memoryMs, source }) => ({
      name,
      latency_ms: ms,
      source,
      // no operator of ours is timed by the measurements of another group of experts
      fallbacks: [],
      ...bound(boundMs, arithmeticMs, memoryMs),
      latency_to_sol_ratio: boundMs === null || !(boundMs > 0) ? null : ms / boundMs,
    })),
  };
}

function memoryOf({ blocks, blockTokens, blocksFrom, assumed, capacity }: RoleMemory) {
  return {
    status: capacity === null ? "unavailable" : "available",
    source: blocksFrom,
    estimated_num_gpu_blocks: blocks,
    scheduler_block_size_tokens: blockTokens,
    total_kv_size_tokens: capacity?.tokens ?? blocks * blockTokens,
    kvcache_quant_mode: assumed?.kv_cache ?? null,
    kv_size_per_token_bytes: assumed?.kv_bytes_per_token ?? null,
    ...(capacity === null ? { unavailable_reason: "the KV blocks were configured" } : {
      total_gpu_capacity_bytes: capacity.gpuBytes,
      total_kv_size_bytes: capacity.bytes,
      memory_breakdown: {
        weights_bytes: Math.floor(capacity.memory.weights),
        activations_bytes: Math.floor(capacity.memory.activations),
        runtime_overhead_bytes: Math.floor(capacity.memory.runtime),
        comm_overhead_bytes: Math.floor(capacity.memory.collectives),
        cuda_graph_reserved_bytes: capacity.reservedBytes,
      },
    }),
  };
}

/** Operations of a phase in the text, unless another number is asked for. */
export const TOP_OPERATIONS = 12;

/**
 * Lines for people: nested names indented by two blanks more.
 *
 * @param top operations of each phase, those that took most
 */
export function detailsText({ sections, skipped }: Details, top: number = TOP_OPERATIONS): string {
  const lines: string[] = [];
  const list = (fields: Record<string, unknown>, indent: string) => {
    for (const [name, value] of Object.entries(fields)) {
      if (name === "phases") continue;
      if (typeof value !== "object" || value === null) lines.push(`${indent}${name}: ${value}`);
      else if (name.endsWith("metrics")) list(value as Record<string, unknown>, indent);
      else {
        lines.push(`${indent}${name}:`);
        list(value as Record<string, unknown>, `${indent}  `);
        if ("phases" in value) lines.push(...phasesText(value.phases as TextPhase[], top, `${indent}  `));
      }
    }
  };
  for (const [name, section] of Object.entries(sections)) {
    lines.push(`Detail: ${name}`);
    if (name === "energy") {
      lines.push(...energyText(section as unknown as EnergyPart, top), "");
      continue;
    }
    list(section, "  ");
    if ("phases" in section) lines.push(...phasesText(section.phases as TextPhase[], top, "  "));
    lines.push("");
  }
  for (const [name, why] of Object.entries(skipped)) lines.push(`Skipped ${name}: ${why}`);
  return lines.join("\n");
}

interface TextPhase {
  name: string;
  operations: { name: string; latency_ms: number; source: string; sol?: { latency_ms: number } | null }[];
}

/** The operations that took most, with their share of the phase, how far they are from their bound, and their source. */
function phasesText(phases: readonly TextPhase[], top: number, indent: string): string[] {
  return phases.flatMap(({ name, operations }) => {
    const total = operations.reduce((sum, { latency_ms }) => sum + latency_ms, 0);
    const most = operations.toSorted((a, b) => b.latency_ms - a.latency_ms || (a.name < b.name ? -1 : 1)).slice(0, top);
    const rows = most.map(({ name, latency_ms: ms, source, sol }) => [
      name,
      ms.toFixed(3),
      `${(total > 0 ? ms / total * 100 : 0).toFixed(1)} %`,
      ...sol === undefined ? [] : [sol === null || sol.latency_ms === 0 ? "-" : (ms / sol.latency_ms).toFixed(2)],
      source,
    ]);
    const ratio = operations.some(({ sol }) => sol !== undefined) ? ["x bound"] : [];
    const left = operations.length - most.length;
    return [
      `${indent}${name}: ${total.toFixed(3)} ms`,
      ...operations.length === 0 ? [] : alignedRows([["operation", "ms", "share", ...ratio, "source"], ...rows])
        .map((line) => `${indent}  ${line}`),
      ...left > 0 ? [`${indent}  … ${left} more in prediction.json`] : [],
    ];
  });
}
