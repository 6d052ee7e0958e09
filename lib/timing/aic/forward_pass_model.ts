/**
 * How long a forward pass of a model takes on a GPU system: the sum of its operators, each from its measurements. One
 * model is shared by all workers of one identity.
 *
 * @module
 */
import { SimulationError } from "../../errors.ts";
import type { OperatorLists, OperatorSpec } from "./operator_spec.ts";
import type { Operator } from "./operators/operator.ts";
import { ATTENTION, PassPlan } from "./pass_plan.ts";
import { type AskedPoint, type PlainRow, plainRows } from "./plain_rows.ts";
import { StepTimes } from "./step_times.ts";

/** What runs in one pass of one rank, by the names of forward-pass metrics. Absent fields count as 0. */
export interface PassLoad {
  /** Prompts of which tokens are computed. */
  num_prefill_requests?: number;
  /** Prompt tokens computed. */
  sum_prefill_tokens?: number;
  /** Tokens of those prompts that were computed before or found in the cache. */
  sum_prefill_kv_tokens?: number;
  /** Sequences that get one token each. */
  num_decode_requests?: number;
  /** Tokens of those sequences, the new ones included. */
  sum_decode_kv_tokens?: number;
}

/** Time of one operator in a pass. */
export interface OperatorTime {
  /** Name of the operator. */
  readonly name: string;
  /** Its time in milliseconds, all layers together. */
  readonly ms: number;
}

/** Turns descriptions of operators into operators that know their time. */
export interface OperatorFactory {
  operators(specs: readonly OperatorSpec[]): Operator[];
}

/** Arguments of an operator, as in {@linkcode Operator.ms}. */
type Point = readonly [tokens: number, batch: number, seq: number, prefix: number];

/**
 * Estimates of one identity (model, hardware, backend, parallelism, quantisation). Every method throws a
 * {@linkcode SimulationError} when the tables have no data for what is asked.
 *
 * @example
 * ```ts
 * import { deploy } from "dynosim";
 *
 * const model = deploy({ model: "meta-llama/Meta-Llama-3.1-8B", hardware: "h200_sxm" }).forwardPassModel();
 * console.log(model.passMs({ num_decode_requests: 4, sum_decode_kv_tokens: 4100 })); // 5.09734674785656
 * const [slowest] = model.generationRows(4, 1025).sort((a, b) => b.ms - a.ms);
 * console.log(slowest.name); // generation_gate_ffn1_gemm
 * ```
 */
export class ForwardPassModel {
  readonly #context: PassPlan;
  readonly #generation: PassPlan;
  /**
   * What its operators were made from.
   *
   * @internal
   */
  readonly lists: OperatorLists;
  readonly #steps: StepTimes = new StepTimes();
  /** Depth of multi-token prediction. */
  readonly nextn: number;

  /**
   * A model of the passes of one worker.
   *
   * @param factory gives operators their times
   */
  constructor(factory: OperatorFactory, lists: OperatorLists, nextn = 0) {
    this.#context = new PassPlan(factory.operators(lists.context), ATTENTION.context, true);
    this.#generation = new PassPlan(factory.operators(lists.generation), ATTENTION.generation, false);
    this.lists = lists;
    this.nextn = nextn;
  }

  /** Milliseconds to compute `seq` new tokens of each of `requests` prompts, after `prefix` tokens of each. */
  contextMs(requests: number, seq: number, prefix: number): number {
    const ms = this.#context.ms(requests * seq, requests, seq, prefix);
    if (ms !== ms) this.#fail(this.#context, [requests * seq, requests, seq, prefix]);
    return ms;
  }

  /** Milliseconds of one token for each of `batch` sequences of `seq` tokens (the new one included). */
  generationMs(batch: number, seq: number, scale = 1): number {
    const page = scale === 1 ? this.#steps.page(batch, seq) : null;
    if (page !== null) {
      const known = page[StepTimes.place(seq)];
      if (known === known) return known;
    }
    const ms = this.#generation.ms(batch, batch, seq, 0, scale);
    if (ms !== ms) this.#fail(this.#generation, [batch, batch, seq, 0]);
    if (page !== null) page[StepTimes.place(seq)] = ms;
    return ms;
  }

  /** Milliseconds of a pass from the sums of its load; the five numbers of {@linkcode PassLoad}, in its order. */
  sumsMs(prompts: number, newTokens: number, priorTokens: number, decodes: number, decodeTokens: number): number {
    if (newTokens === 0) {
      return decodes === 0 ? 0 : this.generationMs(decodes, Math.floor(decodeTokens / decodes));
    }
    if (decodes === 0) {
      return this.contextMs(prompts, Math.floor(newTokens / prompts), Math.floor(priorTokens / prompts));
    }
    const seq = Math.max(Math.floor(newTokens / prompts), 1);
    const prefix = Math.floor(priorTokens / prompts);
    const batch = Math.max(Math.floor((newTokens + seq - 1) / seq), 1);
    let sum = this.#context.withoutAttentionMs(newTokens + decodes, priorTokens);
    sum = this.#context.addAttentionMs(sum, batch, seq, prefix);
    const known = Math.max(Math.floor(decodeTokens / decodes), 1);
    sum = this.#generation.addAttentionMs(sum, decodes, known, 0);
    if (sum !== sum) this.#failMixed(newTokens + decodes, priorTokens, [batch, seq, prefix], [decodes, known]);
    return sum;
  }

  /**
   * Milliseconds of a pass. Several loads are the ranks of one attention-data-parallel worker: the slowest counts.
   *
   * @throws {SimulationError} when tokens are given without the requests they belong to, or no load is given.
   */
  passMs(loads: PassLoad | readonly PassLoad[]): number {
    const ranks = Array.isArray(loads) ? loads as readonly PassLoad[] : [loads as PassLoad];
    if (ranks.length === 0) throw new SimulationError("a forward pass needs the load of at least one rank");
    let slowest = 0;
    for (const load of ranks) slowest = Math.max(slowest, this.sumsMs(...checkedSums(load)));
    return slowest;
  }

  /** The operators of {@linkcode contextMs}, in list order. */
  contextRows(requests: number, seq: number, prefix: number): OperatorTime[] {
    return this.#rows(this.#context, this.#context.operators, [requests * seq, requests, seq, prefix]);
  }

  /** The operators of {@linkcode generationMs}, in list order. */
  generationRows(batch: number, seq: number): OperatorTime[] {
    return this.#rows(this.#generation, this.#generation.operators, [batch, batch, seq, 0]);
  }

  /** The operators of {@linkcode passMs} for one load, in the order in which they add up. */
  passRows(load: PassLoad): OperatorTime[] {
    const [prompts, newTokens, priorTokens, decodes, decodeTokens] = checkedSums(load);
    if (newTokens === 0) {
      return decodes === 0 ? [] : this.generationRows(decodes, Math.floor(decodeTokens / decodes));
    }
    const seq = Math.max(Math.floor(newTokens / prompts), 1);
    const prefix = Math.floor(priorTokens / prompts);
    if (decodes === 0) return this.contextRows(prompts, Math.floor(newTokens / prompts), prefix);
    const batch = Math.max(Math.floor((newTokens + seq - 1) / seq), 1);
    const known = Math.max(Math.floor(decodeTokens / decodes), 1);
    const all = newTokens + decodes;
    const context = this.#context.split();
    return [
      ...this.#rows(this.#context, context.others, [all, 1, all, priorTokens]),
      ...this.#rows(this.#context, context.attention, [batch * seq, batch, seq, prefix]),
      ...this.#rows(this.#generation, this.#generation.split().attention, [decodes, decodes, known, 0]),
    ];
  }

  /**
   * The plain operators that {@linkcode passMs} of one load takes its time from; NaN where measurements have no answer.
   *
   * @internal
   */
  plainRows(load: PassLoad): PlainRow[] {
    const [prompts, newTokens, priorTokens, decodes, decodeTokens] = checkedSums(load);
    const each = (sum: number, count: number) => Math.floor(sum / count);
    const context = (batch: number, seq: number, prefix: number, which?: "attention" | "others") =>
      this.#plainRows("context", { tokens: batch * seq, batch, seq, prefix }, which);
    const generation = (seq: number, which?: "attention") =>
      this.#plainRows("generation", { tokens: decodes, batch: decodes, seq, prefix: 0 }, which);
    if (newTokens === 0) return decodes === 0 ? [] : generation(each(decodeTokens, decodes));
    if (decodes === 0) return context(prompts, each(newTokens, prompts), each(priorTokens, prompts));
    const seq = Math.max(each(newTokens, prompts), 1);
    return [
      ...context(1, newTokens + decodes, priorTokens, "others"),
      ...context(Math.max(each(newTokens + seq - 1, seq), 1), seq, each(priorTokens, prompts), "attention"),
      ...generation(Math.max(each(decodeTokens, decodes), 1), "attention"),
    ];
  }

  #plainRows(list: "context" | "generation", at: AskedPoint, which?: "attention" | "others"): PlainRow[] {
    const plan = list === "context" ? this.#context : this.#generation;
    const tokensOf = (operator: Operator) => plan.tokensOf(operator, at.tokens, at.batch);
    const wanted = plan.operators.map(({ name }) =>
      which === undefined || (name === ATTENTION[list]) === (which === "attention")
    );
    const chosen = <T>(all: readonly T[]) => all.filter((_, i) => wanted[i]);
    return plainRows(chosen(this.lists[list]), chosen(plan.operators), at, tokensOf);
  }

  /** Parts of a mixed step without the sums being one; for {@linkcode mixedStepMs}. */
  mixedParts(
    tokens: number,
    priorTokens: number,
    context: { batch: number; seq: number; prefix: number; scale: number } | null,
    generation: { batch: number; seq: number; scale: number } | null,
  ): { others: number; context: number; generation: number } {
    const parts = {
      others: this.#context.withoutAttentionMs(tokens, priorTokens),
      context: context === null
        ? 0
        : this.#context.addAttentionMs(0, context.batch, context.seq, context.prefix, 1, context.scale),
      generation: generation === null
        ? 0
        : this.#generation.addAttentionMs(0, generation.batch, generation.seq, 0, 1, generation.scale),
    };
    if (Number.isNaN(parts.others + parts.context + parts.generation)) {
      this.#failMixed(
        tokens,
        priorTokens,
        [context?.batch ?? 1, context?.seq ?? 1, context?.prefix ?? 0],
        [generation?.batch ?? 1, generation?.seq ?? 1],
      );
    }
    return parts;
  }

  #rows(plan: PassPlan, operators: readonly Operator[], point: Point): OperatorTime[] {
    const [tokens, batch, seq, prefix] = point;
    return operators.map((operator) => {
      const seen = plan.tokensOf(operator, tokens, batch);
      const ms = operator.ms(seen, batch, seq, prefix, 1);
      if (Number.isNaN(ms)) this.#fail(plan, point);
      return { name: operator.name, ms };
    });
  }

  #fail(plan: PassPlan, point: Point, operators = plan.operators): never {
    const [tokens, batch, seq, prefix] = point;
    for (const operator of operators) {
      const problem = operator.problem(plan.tokensOf(operator, tokens, batch), batch, seq, prefix);
      if (problem !== undefined) throw new SimulationError(`perf database error: ${problem}`);
    }
    throw new SimulationError(`perf database error: no estimate for ${tokens} tokens in ${batch} sequences`);
  }

  #failMixed(
    tokens: number,
    priorTokens: number,
    [batch, seq, prefix]: readonly [number, number, number],
    [decodes, known]: readonly [number, number],
  ): never {
    const context = this.#context.split();
    const generation = this.#generation.split();
    const asks = [
      [this.#context, context.others, [tokens, 1, tokens, priorTokens]],
      [this.#context, context.attention, [batch * seq, batch, seq, prefix]],
      [this.#generation, generation.attention, [decodes, decodes, known, 0]],
    ] as const;
    for (const [plan, operators, point] of asks) {
      for (const operator of operators) {
        const seen = plan.tokensOf(operator, point[0], point[1]);
        if (Number.isNaN(operator.ms(seen, point[1], point[2], point[3], 1))) this.#fail(plan, point, operators);
      }
    }
    throw new SimulationError(`perf database error: no estimate for a mixed pass of ${tokens} tokens`);
  }
}

function checkedSums(load: PassLoad): [number, number, number, number, number] {
  const prompts = load.num_prefill_requests ?? 0;
  const newTokens = load.sum_prefill_tokens ?? 0;
  const priorTokens = load.sum_prefill_kv_tokens ?? 0;
  const decodes = load.num_decode_requests ?? 0;
  const decodeTokens = load.sum_decode_kv_tokens ?? 0;
  if (prompts === 0 && (newTokens > 0 || priorTokens > 0)) {
    throw new SimulationError("prefill tokens are given without num_prefill_requests");
  }
  if (decodes === 0 && decodeTokens > 0) {
    throw new SimulationError("decode tokens are given without num_decode_requests");
  }
  return [prompts, newTokens, priorTokens, decodes, decodeTokens];
}
