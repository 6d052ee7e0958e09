/**
 * `execution.resources`: how much of the host a run may use, whether it can start at all, and what it did use. The run
 * is one process, so memory is looked at from inside: at every progress report and while files are written.
 *
 * @module
 */
import type { PredictionPlan, ResourceLimits } from "../lib/config/plan.ts";
import { ResourceLimitError } from "../lib/errors.ts";
import { PLAIN_BLOCK_TOKENS } from "../lib/traffic/plain_blocks.ts";
import type { TraceSize } from "../lib/trace/trace_size.ts";
import { containerBytes, cpuCount, heapShare, hostMemory, residentBytes } from "../lib/io/process.ts";

/** What a run may use. */
export interface Budget {
  /** Resident memory of the process; `Infinity` when the host does not tell what it has. */
  memoryBytes: number;
  cpus: number;
  /** Memory that must stay available on the host. */
  reservedBytes: number;
}

/** A host as the budget sees it. */
export interface HostFacts {
  memory: { totalBytes: number; availableBytes: number } | undefined;
  cpus: number;
  /** What the container of this process may take in all, `Infinity` without one; asked only where it may matter. */
  containerBytes(): number;
}

/** The host this process runs on. */
export const hostFacts = (): HostFacts => ({ memory: hostMemory(), cpus: cpuCount(), containerBytes });

/** What a process may take before anybody asks what its container allows. */
const UNASKED_BYTES = 256e6;

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(2)} GB`;

/**
 * What the limits mean on this host; a text when they cannot be met.
 *
 * @param neededBytes what the run may come to, if that is known; little of it is not compared with the container's limit
 */
export function budgetOf(limits: ResourceLimits, host: HostFacts, neededBytes = 0): Budget | string {
  const { memory, cpus } = host;
  if (limits.cpu_limit !== "auto" && limits.cpu_limit > cpus) {
    return "requested CPU budget exceeds the host/container CPU allowance";
  }
  const budget = { cpus: limits.cpu_limit === "auto" ? Math.max(1, cpus - 1) : limits.cpu_limit };
  const asked = limits.memory_limit_gb === "auto" ? Infinity : Math.trunc(limits.memory_limit_gb * 1e9);
  const contained = neededBytes > UNASKED_BYTES ? containerBudget(limits, host.containerBytes()) : Infinity;
  if (memory === undefined) return { ...budget, memoryBytes: Math.min(asked, contained), reservedBytes: 0 };
  const reservedBytes = Math.max(
    Math.trunc(limits.reserve_memory_gb * 1e9),
    Math.trunc(limits.reserve_memory_fraction * memory.totalBytes),
  );
  const headroom = Math.max(0, memory.availableBytes - reservedBytes);
  if (asked !== Infinity) {
    if (asked <= headroom) return { ...budget, memoryBytes: Math.min(asked, contained), reservedBytes };
    return `requested host memory budget ${gigabytes(asked)} exceeds available headroom ${gigabytes(headroom)}`;
  }
  const share = Math.trunc(limits.available_memory_fraction * memory.availableBytes);
  const memoryBytes = Math.min(share, headroom, contained);
  if (memoryBytes === 0) return "no host memory remains for an execution process";
  return { ...budget, memoryBytes, reservedBytes };
}

/** The same share of a container as of a host; a reserve is the host's affair. */
const containerBudget = (limits: ResourceLimits, bytes: number): number =>
  bytes === Infinity ? bytes : Math.trunc(limits.available_memory_fraction * bytes);

/** What a run is expected to need. */
export interface Estimate {
  allocationModel: string;
  requests: number | null;
  /** Less than this cannot do. */
  leastBytes: number;
  peakBytes: number;
}

/** Memory of the process before it runs anything. */
const RUNTIME_BYTES = 48 * 2 ** 20;
/** What a run of few requests comes to, code and garbage included. */
const SMALL_RUN_BYTES = 136 * 2 ** 20;
/** Share by which the first lines of a trace may be wrong about all of it. */
const DOUBT = 0.2;
/** Columns of a request of which no record is kept: its place in the load and four latencies, and copies of them. */
const REQUEST_BYTES = 60;
/** What else its record takes: stamps, placements and admissions. */
const RECORD_BYTES = 300;
/** An id of a prompt's block: itself, and its place in the tree of prompts. */
const ID_BYTES = 8;
/** The most that an id of a generated prompt takes while its load is made. */
const MADE_ID_BYTES = 30;
/** A token of an output that the session's next prompts repeat, and the most that the rest of such a turn takes. */
const REPEATED_TOKEN_BYTES = 4, REPEATED_TURN_BYTES = 2000;

/**
 * Memory of a run, from the size of its load. Of a trace, that is an estimate by its first lines.
 *
 * @param size what the trace holds; nothing of synthetic loads
 * @param perRequest whether a record of every request is kept
 */
export function estimateOf(
  { traffic: { source }, roles, stack }: PredictionPlan,
  size: TraceSize,
  perRequest: boolean,
): Estimate {
  const each = REQUEST_BYTES + (perRequest ? RECORD_BYTES : 0);
  if (source.type === "trace") {
    const bytes = size.rows * each + size.listed * ID_BYTES, requests = size.rows || null;
    return estimate("dynosim-trace-v2", requests, bytes - bytes * DOUBT, bytes + bytes * DOUBT);
  }
  const requests = source.count * (source.type === "synthetic" ? 1 : source.turns);
  const plain = source.type === "synthetic" && !source.cachedPrefixTokens;
  const blockTokens = plain ? PLAIN_BLOCK_TOKENS : roles[0].estimator.kv_block_size;
  const ids = Math.ceil(source.inputTokens / blockTokens), { outputTokens, count } = source;
  // of each session all turns but the last
  const repeated = source.type === "synthetic-session" && stack === "engine" ? requests - count : 0;
  const least = requests * (each + ids * ID_BYTES) + repeated * outputTokens * REPEATED_TOKEN_BYTES;
  const most = requests * (each + ids * MADE_ID_BYTES) +
    repeated * (2 * outputTokens * REPEATED_TOKEN_BYTES + REPEATED_TURN_BYTES);
  return estimate("dynosim-synthetic-v2", requests, least, most);
}

const estimate = (allocationModel: string, requests: number | null, least: number, most: number): Estimate => ({
  allocationModel,
  requests,
  leastBytes: Math.round(RUNTIME_BYTES + least),
  peakBytes: Math.round(SMALL_RUN_BYTES + most),
});

/** A refusal: the error, and what `resource-plan.json` says. */
export interface Refusal {
  error: ResourceLimitError;
  plan: Record<string, unknown>;
}

/** A permission: the budget, and what `execution-events.jsonl` says of it. */
export interface Admission {
  budget: Budget;
  plan: Record<string, unknown>;
}

/**
 * Whether a run may start: its budget, or why it must not.
 *
 * @param size what its trace holds
 * @param perRequest whether a record of every request is kept
 */
export function admit(
  plan: PredictionPlan,
  host: HostFacts,
  size: TraceSize,
  perRequest: boolean,
): Admission | Refusal {
  const estimate = estimateOf(plan, size, perRequest);
  const budget = budgetOf(plan.resources, host, estimate.peakBytes);
  const reason = typeof budget === "string"
    ? budget
    : estimate.leastBytes > budget.memoryBytes
    ? "the workload needs more memory than the budget"
    : undefined;
  const limit = typeof budget === "string" ? undefined : budget;
  const parallel = plan.retune?.max_parallel ?? 1;
  const facts = {
    schema_version: 1,
    status: reason === undefined ? "admitted" : "resource_limited",
    stack: plan.stack,
    host: {
      total_memory_bytes: host.memory?.totalBytes ?? null,
      available_memory_bytes: host.memory?.availableBytes ?? null,
      cpu_count: host.cpus,
      process_memory_bytes: residentBytes(),
    },
    budget: limit ? budgetFields(limit) : null,
    estimate: {
      allocation_model: estimate.allocationModel,
      request_count: estimate.requests,
      input_token_bytes: null,
      lower_bound_bytes: estimate.leastBytes,
      estimated_peak_bytes: estimate.peakBytes,
      reason: null,
      api_version: 1,
    },
    requested_parallelism: parallel,
    effective_parallelism: Math.min(parallel, limit?.cpus ?? 1),
    reason: reason ?? null,
  };
  if (reason === undefined) return { budget: budget as Budget, plan: facts };
  const message =
    `${reason}; allocation model=${estimate.allocationModel}, requests=${estimate.requests ?? "unknown"}, ` +
    `estimated peak=${gigabytes(estimate.peakBytes)}, lower bound=${gigabytes(estimate.leastBytes)}, ` +
    `host budget=${gigabytes(limit?.memoryBytes ?? 0)}. ` +
    "Choose an explicit smaller workload or an execution host with sufficient resources.";
  return { error: new ResourceLimitError(message), plan: facts };
}

const finite = (value: number): number | null => Number.isFinite(value) ? value : null;

const budgetFields = ({ memoryBytes, cpus, reservedBytes }: Budget) => ({
  memory_limit_bytes: finite(memoryBytes),
  cpu_limit: cpus,
  reserved_host_memory_bytes: reservedBytes,
  coordinator_memory_bytes: 0,
});

/** How a run ended, or that it has not. */
export type RunStatus = "running" | "completed" | "resource_limited" | "timed_out" | "cancelled" | "failed";

/** Watches memory while a run goes on. */
export class ResourceWatch {
  #started = performance.now();
  #looked = -Infinity;
  #peakBytes = 0;
  #containerBudget?: number;

  /** @param containerBytes what the container of this process may take in all */
  constructor(
    readonly budget: Budget,
    readonly requested: ResourceLimits,
    private readonly containerBytes: () => number,
  ) {}

  /**
   * Looks at the memory in use, at most every 50 ms.
   *
   * @throws {ResourceLimitError} when a limit is passed
   */
  look(): void {
    const now = performance.now();
    if (now - this.#looked < 50) return;
    this.#looked = now;
    const used = residentBytes();
    this.#peakBytes = Math.max(this.#peakBytes, used);
    const most = Math.min(this.budget.memoryBytes, used > UNASKED_BYTES ? this.#contained() : Infinity);
    if (used > most) {
      const figures = `${gigabytes(used)} of ${gigabytes(most)}`;
      throw new ResourceLimitError(`owned process tree exceeded the memory budget (${figures})`);
    }
    if (heapShare() > 0.95) throw new ResourceLimitError("the runtime's memory for objects is nearly full");
    if (this.budget.reservedBytes === 0) return;
    const available = hostMemory()?.availableBytes ?? Infinity;
    if (available < this.budget.reservedBytes) {
      throw new ResourceLimitError("available host memory fell below reserved headroom");
    }
  }

  #contained(): number {
    return this.#containerBudget ??= containerBudget(this.requested, this.containerBytes());
  }

  /** What `resource-runtime.json` says. */
  record(status: RunStatus, reason: string | null, exitCode: number | null): Record<string, unknown> {
    return {
      schema_version: 1,
      status,
      reason,
      exit_code: exitCode,
      budget: budgetFields(this.budget),
      requested_resources: { ...this.requested },
      peak_observed_rss_bytes: Math.max(this.#peakBytes, residentBytes()),
      wall_seconds: (performance.now() - this.#started) / 1000,
      thread_limit_per_runtime: 1,
      termination_complete: status !== "running",
    };
  }
}
