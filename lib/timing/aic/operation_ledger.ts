/**
 * What every operator took of the passes of a run, and what it would have taken at the hardware's bound.
 *
 * @module
 */
import type { Timing } from "../timing.ts";
import type { Deployment } from "./deployment.ts";
import type { ForwardPassModel, PassLoad } from "./forward_pass_model.ts";
import type { OperatorSpec } from "./operator_spec.ts";
import { type AskingStack, DECODE_QUESTION } from "./operator_timing.ts";
import { plainSpecs } from "./plain_rows.ts";

/** Where the times of an operator come from: measurements, formulas and scaled measurements, both, or bounds. */
export type OperationSource = "silicon" | "empirical" | "mixed" | "sol";

/** One operator over all passes. */
export interface OperationTotal {
  /** Its name in the operator list of the model. */
  readonly name: string;
  /** Milliseconds of all passes. */
  readonly ms: number;
  /** What the arithmetic and the memory bandwidth of the hardware would allow; null where no bound is known. */
  readonly boundMs: number | null;
  /** Where its times come from. */
  readonly source: OperationSource;
}

/** Operators of passes over prompts, and of decode steps, by name. */
export interface OperationTotals {
  /** Of passes over prompts, and of passes that do both as one. */
  readonly prefill: readonly OperationTotal[];
  /** Of decode steps. */
  readonly decode: readonly OperationTotal[];
}

interface Sum {
  ms: number;
  boundMs: number;
  readonly sources: Set<"silicon" | "empirical">;
}

/** A timing model that answers as another one and counts the passes, to add up their operators at the end. */
export class OperationLedger implements Timing {
  readonly #base: Timing;
  readonly #deployment: Deployment;
  readonly #model: ForwardPassModel;
  readonly #bound: ForwardPassModel;
  /** Measurements alone, where gaps in them are estimated; else null. */
  readonly #measured: ForwardPassModel | null;
  readonly #beyond: number;
  readonly #overlaps = new Map<string, Set<"silicon" | "empirical">>();
  /** How often each pass was asked for, by its load. */
  readonly #prefill = new Map<string, number>();
  readonly #decode = new Map<string, number>();
  readonly ranks: Timing["ranks"];
  readonly mixedMs: Timing["mixedMs"];

  /** @param base the timing model of `deployment` as the engines of `stack` ask it */
  constructor(base: Timing, deployment: Deployment, stack: AskingStack) {
    this.#base = base;
    this.#deployment = deployment;
    this.#model = deployment.forwardPassModel();
    this.#bound = deployment.inMode("SOL").forwardPassModel();
    this.#measured = deployment.databaseMode === "HYBRID" ? deployment.inMode("SILICON").forwardPassModel() : null;
    const { context, generation } = this.#model.lists;
    for (const spec of [...context, ...generation]) {
      if (spec.kind === "overlap") this.#overlaps.set(spec.name, new Set(plainSpecs([spec]).flatMap(sourcesOf)));
    }
    this.#beyond = DECODE_QUESTION[stack].beyond;
    this.ranks = base.ranks;
    if (base.mixedMs !== undefined) this.mixedMs = this.#mixedMs;
  }

  prefillMs(requests: number, newTokens: number, prefixTokens: number): number {
    count(this.#prefill, requests, requests * newTokens, requests * prefixTokens);
    return this.#base.prefillMs(requests, newTokens, prefixTokens);
  }

  decodeMs(requests: number, contextTokens: number, capacityTokens: number): number {
    const batch = requests * (this.#model.nextn + 1), length = Math.floor(contextTokens / requests) + this.#beyond;
    count(this.#decode, 0, 0, 0, batch, batch * length);
    return this.#base.decodeMs(requests, contextTokens, capacityTokens);
  }

  #mixedMs(prompts: number, newTokens: number, priorTokens: number, decodes: number, contextTokens: number): number {
    const width = this.#model.nextn + 1;
    count(this.#prefill, prompts, newTokens, priorTokens, decodes * width, (contextTokens + decodes) * width);
    return this.#base.mixedMs!(prompts, newTokens, priorTokens, decodes, contextTokens);
  }

  /** What was added up. */
  totals(): OperationTotals {
    return { prefill: this.#totals(this.#prefill), decode: this.#totals(this.#decode) };
  }

  #totals(passes: ReadonlyMap<string, number>): OperationTotal[] {
    const sums = new Map<string, Sum>();
    for (const [key, times] of passes) this.#add(sums, loadOf(key), times);
    const of = ([name, { ms, boundMs, sources }]: [string, Sum]): OperationTotal => ({
      name,
      ms,
      boundMs: Number.isNaN(boundMs) ? null : boundMs,
      source: this.#deployment.databaseMode === "SOL" ? "sol" : sources.size > 1 ? "mixed" : [...sources][0],
    });
    return [...sums].map(of).sort((a, b) => a.name < b.name ? -1 : 1);
  }

  #add(sums: Map<string, Sum>, load: PassLoad, times: number): void {
    const measured = this.#measured?.plainRows(load) ?? [];
    const gaps = new Set(measured.filter(({ ms }) => Number.isNaN(ms)).map(({ top }) => top));
    for (const { top, ms, spec } of this.#model.plainRows(load)) {
      let sum = sums.get(top);
      if (sum === undefined) sums.set(top, sum = { ms: 0, boundMs: 0, sources: new Set() });
      sum.ms += ms * times;
      for (const source of gaps.has(top) ? ["empirical"] as const : this.#sourcesOf(top, spec)) sum.sources.add(source);
    }
    for (const { top, ms } of this.#bound.plainRows(load)) {
      const sum = sums.get(top);
      if (sum !== undefined) sum.boundMs += ms * times;
    }
  }

  /** Of operators that run side by side both lists count, whichever takes longer. */
  #sourcesOf(top: string, spec: OperatorSpec): Iterable<"silicon" | "empirical"> {
    if (this.#deployment.databaseMode === "EMPIRICAL") return ["empirical"];
    return this.#overlaps.get(top) ?? sourcesOf(spec);
  }
}

function count(passes: Map<string, number>, ...sums: readonly number[]): void {
  const key = sums.join();
  passes.set(key, (passes.get(key) ?? 0) + 1);
}

function loadOf(key: string): PassLoad {
  const [prompts, fresh, prior, decodes, known] = key.split(",").map(Number);
  return {
    num_prefill_requests: prompts,
    sum_prefill_tokens: fresh,
    sum_prefill_kv_tokens: prior,
    num_decode_requests: decodes,
    sum_decode_kv_tokens: known,
  };
}

/** What a plain operator of measurements is made of: attention carries a norm and a rotation that are formulas. */
function sourcesOf(spec: OperatorSpec): readonly ("silicon" | "empirical")[] {
  switch (spec.kind) {
    case "embedding":
    case "elementwise":
      return ["empirical"];
    case "context_attention":
    case "generation_attention":
      return ["silicon", "empirical"];
    case "all_reduce":
      return spec.ranks > 1 ? ["silicon"] : ["empirical"];
    default:
      return ["silicon"];
  }
}
