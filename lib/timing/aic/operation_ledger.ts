/**
 * What every operator took of the passes of a run, what it would have taken at the hardware's bound, and its energy.
 *
 * @module
 */
import type { Timing } from "../timing.ts";
import type { Deployment } from "./deployment.ts";
import { type EnergyModels, energyModels } from "./energy_models.ts";
import type { ForwardPassModel, PassLoad } from "./forward_pass_model.ts";
import type { OperatorSpec } from "./operator_spec.ts";
import { type AskingStack, DECODE_QUESTION } from "./operator_timing.ts";
import { plainSpecs } from "./plain_rows.ts";

/**
 * Where the times of an operator come from: measurements, formulas and scaled measurements, a measurement less the parts
 * that it has and the operator has not, several of these, or bounds.
 */
export type OperationSource = "silicon" | "empirical" | "estimated" | "sol" | "mixed";

type PlainSource = Exclude<OperationSource, "mixed">;

/** One operator over all passes. */
export interface OperationTotal {
  /** Its name in the operator list of the model. */
  readonly name: string;
  /** Milliseconds of all passes. */
  readonly ms: number;
  /** What the arithmetic and the memory bandwidth of the hardware would allow; null where no bound is known. */
  readonly boundMs: number | null;
  /** What the arithmetic alone would allow; null as `boundMs`. Sums over GPUs belong to neither part. */
  readonly arithmeticMs: number | null;
  /** What the memory bandwidth alone would allow; null as `boundMs`. */
  readonly memoryMs: number | null;
  /** Milliseconds of the passes in which its energy is known. */
  readonly coveredMs: number;
  /** Watt-milliseconds of a GPU in those. */
  readonly energy: number;
  /** Where its times come from. */
  readonly source: OperationSource;
}

/** Operators of passes over prompts, and of decode steps, by name. */
export interface OperationTotals {
  /** Whether the times of all roles are measured, so that no passes are missing. */
  readonly complete: boolean;
  /** Of passes over prompts, and of passes that do both as one. */
  readonly prefill: readonly OperationTotal[];
  /** Of decode steps. */
  readonly decode: readonly OperationTotal[];
}

interface Sum {
  ms: number;
  boundMs: number;
  arithmeticMs: number;
  memoryMs: number;
  coveredMs: number;
  energy: number;
  readonly sources: Set<PlainSource>;
}

type Bounds = readonly (readonly ["boundMs" | "arithmeticMs" | "memoryMs", ForwardPassModel])[];

/** A timing model that answers as another one and counts the passes, to add up their operators at the end. */
export class OperationLedger implements Timing {
  readonly #base: Timing;
  readonly #deployment: Deployment;
  readonly #model: ForwardPassModel;
  readonly #bounds: Bounds;
  readonly #energies: EnergyModels | null;
  /** The bound of operators that have no measurements. */
  readonly #leastMs: ForwardPassModel;
  /** Measurements alone, where gaps in them are estimated; else null. */
  readonly #measured: ForwardPassModel | null;
  readonly #beyond: number;
  readonly #overlaps = new Map<string, Set<PlainSource>>();
  /** How often each pass was asked for, by its load. */
  readonly #prefill = new Map<string, number>();
  readonly #decode = new Map<string, number>();
  /** Every question is a pass. */
  readonly inOrder = true;
  readonly ranks: Timing["ranks"];
  readonly mixedMs: Timing["mixedMs"];

  /** @param base the timing model of `deployment` as the engines of `stack` ask it */
  constructor(base: Timing, deployment: Deployment, stack: AskingStack) {
    this.#base = base;
    this.#deployment = deployment;
    this.#model = deployment.forwardPassModel();
    this.#bounds = [
      ["boundMs", deployment.inMode("SOL").forwardPassModel()],
      ["arithmeticMs", deployment.boundModel("arithmetic")],
      ["memoryMs", deployment.boundModel("memory")],
    ];
    this.#leastMs = deployment.boundModel("whole");
    this.#energies = energyModels(deployment);
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

  decodeMs(requests: number, contextTokens: number, capacityTokens: number, squaredTokens = 0): number {
    const batch = requests * (this.#model.nextn + 1), length = Math.floor(contextTokens / requests) + this.#beyond;
    count(this.#decode, 0, 0, 0, batch, batch * length);
    return this.#base.decodeMs(requests, contextTokens, capacityTokens, squaredTokens);
  }

  #mixedMs(prompts: number, newTokens: number, priorTokens: number, decodes: number, contextTokens: number): number {
    const width = this.#model.nextn + 1;
    count(this.#prefill, prompts, newTokens, priorTokens, decodes * width, (contextTokens + decodes) * width);
    return this.#base.mixedMs!(prompts, newTokens, priorTokens, decodes, contextTokens);
  }

  /** What was added up. */
  totals(): OperationTotals {
    return { complete: true, prefill: this.#totals(this.#prefill), decode: this.#totals(this.#decode) };
  }

  #totals(passes: ReadonlyMap<string, number>): OperationTotal[] {
    const sums = new Map<string, Sum>();
    for (const [key, times] of passes) this.#add(sums, loadOf(key), times);
    const known = (bound: number) => Number.isNaN(bound) ? null : bound;
    const of = ([name, { sources, ...sum }]: [string, Sum]): OperationTotal => ({
      name,
      ...sum,
      boundMs: known(sum.boundMs),
      arithmeticMs: known(sum.arithmeticMs),
      memoryMs: known(sum.memoryMs),
      source: sources.size > 1 ? "mixed" : [...sources][0],
    });
    return [...sums].map(of).sort((a, b) => a.name < b.name ? -1 : 1);
  }

  #add(sums: Map<string, Sum>, load: PassLoad, times: number): void {
    const measured = this.#measured?.plainRows(load) ?? [];
    const gaps = new Set(measured.filter(({ ms }) => Number.isNaN(ms)).map(({ top }) => top));
    const least = this.#leastMs.plainRows(load);
    for (const { top, name, ms, spec } of this.#model.plainRows(load)) {
      let sum = sums.get(top);
      if (sum === undefined) sums.set(top, sum = newSum());
      sum.ms += ms * times;
      const atBound = maybeAtBound(spec) && least.some((row) => row.top === top && row.name === name && row.ms === ms);
      const sources = gaps.has(top) ? ["empirical"] as const : atBound ? ["sol"] as const : this.#sourcesOf(top, spec);
      for (const source of sources) sum.sources.add(source);
    }
    for (const [field, model] of this.#bounds) {
      for (const { top, ms } of model.plainRows(load)) {
        const sum = sums.get(top);
        if (sum !== undefined) sum[field] += ms * times;
      }
    }
    for (const { name, ms } of this.#energies?.covered.passRows(load) ?? []) sums.get(name)!.coveredMs += ms * times;
    for (const { name, ms } of this.#energies?.energy.passRows(load) ?? []) sums.get(name)!.energy += ms * times;
  }

  /** Of operators that run side by side both lists count, whichever takes longer. */
  #sourcesOf(top: string, spec: OperatorSpec): Iterable<PlainSource> {
    const mode = this.#deployment.databaseMode;
    // what is handed over between the stages of a pipeline of one is known
    if (mode === "HYBRID" || mode === "SILICON" || spec.kind === "p2p" && spec.stages <= 1) {
      return this.#overlaps.get(top) ?? sourcesOf(spec);
    }
    return [mode === "SOL" ? "sol" : "empirical"];
  }
}

const newSum = (): Sum => ({
  ms: 0,
  boundMs: 0,
  arithmeticMs: 0,
  memoryMs: 0,
  coveredMs: 0,
  energy: 0,
  sources: new Set(),
});

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

/** Whether an operator takes the time of its bound where it has no measurements. */
const maybeAtBound = ({ kind, ...spec }: OperatorSpec) =>
  kind === "gdn" || kind === "kda" || kind === "mamba2" || "belowGrid" in spec && spec.belowGrid === true;

/** What a plain operator of measurements is made of: attention carries norms and a rotation that are formulas. */
function sourcesOf(spec: OperatorSpec): readonly PlainSource[] {
  switch (spec.kind) {
    case "embedding":
    case "elementwise":
      return ["empirical"];
    case "context_attention":
      return ["silicon", "empirical"];
    case "generation_attention":
      return spec.qkNorm ? ["silicon", "empirical"] : ["silicon"];
    case "all_reduce":
      return spec.ranks > 1 ? ["silicon"] : ["empirical"];
    case "p2p":
      return spec.stages > 1 ? ["empirical"] : ["silicon"];
    case "gemm":
      return spec.mode === "fp8_static" ? ["estimated"] : ["silicon"];
    default:
      return ["silicon"];
  }
}
