/**
 * Adds up the operators of one list for a pass. What depends on the number of tokens alone is computed once per token
 * count and kept, so that an estimate is about a dozen additions and the attention. Additions keep the list's order,
 * because it decides the last bits.
 *
 * @module
 */
import type { Operator } from "./operators/operator.ts";

/** Token counts whose operators are kept. */
const ROWS_LIMIT = 1 << 16;
/** Numbers that are kept: lists of many unlike layers keep fewer token counts. */
const CELLS_LIMIT = 1 << 22;
const LOGITS = -1;

/** The product that is charged per sequence instead of per token. */
const isLogits = (name: string): boolean => name.includes("logits_gemm");

/** Names of the attention of each list, which mixed passes ask apart. */
export const ATTENTION = { context: "context_attention", generation: "generation_attention" } as const;

/** Which operators of the list count. */
export type Part = "all" | "without_attention";

/** One list of operators, ready to be asked. */
export class PassPlan {
  readonly operators: readonly Operator[];
  /** Operators named so are attention; a mixed pass asks them separately. */
  readonly #attentionName: string;
  readonly #attention: readonly Operator[];
  readonly #logits: Operator | null;
  readonly #leading: readonly Operator[];
  readonly #perToken: readonly Operator[];
  readonly #perSequence: readonly Operator[];
  /** What follows the leading operators: a column of the row, `LOGITS`, or `-2 - i` for the i-th of `#perSequence`. */
  readonly #steps: Int32Array;
  readonly #stepsWithoutAttention: Int32Array;
  readonly #dependsOnTokensAlone: boolean;
  /** By token count: the sum of the leading operators, then the others. Row 0 is scratch for counts beyond the limit. */
  #rows = new Float64Array(0);
  readonly #stride: number;
  /** Token counts below this are kept. */
  readonly #rowsLimit: number;
  #logitsMs = new Float64Array(0);
  #withoutAttentionMs = new Float64Array(0);

  /** @param perSequenceLogits whether the LM head sees one token per sequence (prompts) or every token (decode) */
  constructor(operators: readonly Operator[], attentionName: string, perSequenceLogits: boolean) {
    const logits = (operator: Operator) => perSequenceLogits && isLogits(operator.name);
    const plain = (operator: Operator) => operator.dependence === "tokens" && !logits(operator);
    this.operators = operators;
    this.#attentionName = attentionName;
    this.#attention = operators.filter((operator) => operator.name === attentionName);
    this.#logits = operators.find(logits) ?? null;
    const firstOther = operators.findIndex((operator) => !plain(operator));
    const lead = firstOther < 0 ? operators.length : firstOther;
    this.#leading = operators.slice(0, lead);
    const rest = operators.slice(lead);
    this.#perToken = rest.filter(plain);
    this.#perSequence = rest.filter((operator) => operator.dependence !== "tokens");
    this.#stride = 1 + this.#perToken.length;
    this.#rowsLimit = Math.min(ROWS_LIMIT, Math.floor(CELLS_LIMIT / this.#stride));
    const step = (operator: Operator) =>
      logits(operator)
        ? LOGITS
        : plain(operator)
        ? 1 + this.#perToken.indexOf(operator)
        : -2 - this.#perSequence.indexOf(operator);
    this.#steps = Int32Array.from(rest, step);
    const others = rest.filter((operator) => operator.name !== attentionName);
    this.#stepsWithoutAttention = Int32Array.from(others, step);
    this.#dependsOnTokensAlone = others.every((operator) => operator.dependence !== "sequences");
  }

  /** Milliseconds of the whole list; NaN when data are missing. Arguments as in {@linkcode Operator}. */
  ms(tokens: number, batch: number, seq: number, prefix: number, scale = 1): number {
    return this.#sum(this.#steps, tokens, batch, seq, prefix, batch, scale);
  }

  /** Milliseconds of a single sequence of `tokens` new tokens without its attention. */
  withoutAttentionMs(tokens: number, prefix: number): number {
    if (!this.#dependsOnTokensAlone || tokens >= ROWS_LIMIT) {
      return this.#sum(this.#stepsWithoutAttention, tokens, 1, tokens, prefix, 1, 1);
    }
    if (tokens >= this.#withoutAttentionMs.length) {
      this.#withoutAttentionMs = grown(this.#withoutAttentionMs, tokens, 1);
    }
    const known = this.#withoutAttentionMs[tokens];
    if (known === known) return known;
    return this.#withoutAttentionMs[tokens] = this.#sum(this.#stepsWithoutAttention, tokens, 1, tokens, prefix, 1, 1);
  }

  /** Adds the attention operators to `sum`, each divided by `divisor`. */
  addAttentionMs(sum: number, batch: number, seq: number, prefix: number, divisor = 1, scale = 1): number {
    const attention = this.#attention;
    for (let i = 0; i < attention.length; i++) {
      sum += attention[i].ms(batch * seq, batch, seq, prefix, scale) / divisor;
    }
    return sum;
  }

  /** The operators that count as attention, and the others. */
  split(): { attention: readonly Operator[]; others: readonly Operator[] } {
    const others = this.operators.filter((operator) => operator.name !== this.#attentionName);
    return { attention: this.#attention, others };
  }

  /** Tokens that an operator sees when the pass has `tokens` of them in `batch` sequences. */
  tokensOf(operator: Operator, tokens: number, batch: number): number {
    return operator === this.#logits ? batch : tokens;
  }

  #sum(
    steps: Int32Array,
    tokens: number,
    batch: number,
    seq: number,
    prefix: number,
    logitsTokens: number,
    scale: number,
  ): number {
    const at = this.#row(tokens);
    let sum = this.#rows[at];
    for (let i = 0; i < steps.length; i++) {
      const step = steps[i];
      if (step >= 0) sum += this.#rows[at + step];
      else if (step === LOGITS) sum += this.#logitsAt(logitsTokens);
      else sum += this.#perSequence[-2 - step].ms(tokens, batch, seq, prefix, scale);
    }
    return sum;
  }

  /** Where the row of a token count begins, filled. */
  #row(tokens: number): number {
    const kept = tokens < this.#rowsLimit;
    if (kept && tokens * this.#stride >= this.#rows.length || this.#rows.length === 0) {
      this.#rows = grown(this.#rows, kept ? tokens : 0, this.#stride, this.#rowsLimit);
    }
    const at = kept ? tokens * this.#stride : 0;
    const lead = this.#rows[at];
    if (!kept || lead !== lead) this.#fill(at, tokens);
    return at;
  }

  #fill(at: number, tokens: number): void {
    let lead = 0;
    for (const operator of this.#leading) lead += operator.ms(tokens, tokens, 1, 0, 1);
    this.#rows[at] = lead;
    for (let i = 0; i < this.#perToken.length; i++) {
      this.#rows[at + 1 + i] = this.#perToken[i].ms(tokens, tokens, 1, 0, 1);
    }
  }

  #logitsAt(tokens: number): number {
    if (tokens >= ROWS_LIMIT) return this.#logits!.ms(tokens, tokens, 1, 0, 1);
    if (tokens >= this.#logitsMs.length) this.#logitsMs = grown(this.#logitsMs, tokens, 1);
    const known = this.#logitsMs[tokens];
    if (known === known) return known;
    return this.#logitsMs[tokens] = this.#logits!.ms(tokens, tokens, 1, 0, 1);
  }
}

/** A copy with room for `index`, twice as much as before, NaN where nothing is known yet. */
function grown(
  rows: Float64Array<ArrayBuffer>,
  index: number,
  stride: number,
  limit = ROWS_LIMIT,
): Float64Array<ArrayBuffer> {
  let capacity = Math.max(256, rows.length / stride);
  while (capacity <= index) capacity *= 2;
  const wider = new Float64Array(Math.min(capacity, limit) * stride).fill(NaN);
  wider.set(rows);
  return wider;
}
