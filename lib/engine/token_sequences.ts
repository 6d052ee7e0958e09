/**
 * What tokens a request's sequence consists of, prompt and output, without writing them down: prompts are runs of one
 * repeated token (a trace block), output nobody named beforehand is a run that equals only itself. Two sequences are
 * compared run by run, so the common prefix of two prompts of 100,000 tokens costs a few hundred comparisons.
 *
 * @module
 */
import type { PromptRuns, Workload } from "../traffic/workload.ts";
import type { PromptIndex } from "./prompt_index.ts";

/** Sequences of all requests of one workload, addressed by request index and token position. */
export class TokenSequences {
  readonly #inputTokens: Int32Array;
  readonly #blockStart: Int32Array;
  readonly #blockIds: Int32Array;
  readonly #blockTokens: number;
  readonly #outputs: ReadonlyMap<number, Uint32Array>;
  readonly #runs: ReadonlyMap<number, PromptRuns>;
  /** Where each run of an explicit prompt ends; null where every run is one token. */
  readonly #ends = new Map<number, Int32Array | null>();
  /** First position after the run found last. */
  #runEnd = 0;

  constructor(workload: Workload, prompts: Pick<PromptIndex, "runs">) {
    this.#inputTokens = workload.inputTokens;
    this.#blockStart = workload.blockStart;
    this.#blockIds = workload.blockIds;
    this.#blockTokens = workload.blockTokens;
    this.#outputs = workload.outputTokenIds;
    this.#runs = prompts.runs;
  }

  /** True while every prompt is made of whole trace blocks and no output token is known beforehand. */
  get plain(): boolean {
    return this.#outputs.size === 0 && this.#runs.size === 0;
  }

  /**
   * First position in `from .. to` at which the sequences of `a` and `b` differ; `to` when they do not. They are known
   * to agree before `from`, and both to reach `to`.
   */
  common(a: number, b: number, from: number, to: number): number {
    if (a === b) return to;
    return this.plain ? this.#commonBlocks(a, b, from, to) : this.#commonRuns(a, b, from, to);
  }

  /** A number for the token at `position`: equal for equal tokens there, whatever the request. */
  token(request: number, position: number): number {
    return this.#run(request, position);
  }

  #commonBlocks(a: number, b: number, from: number, to: number): number {
    const size = this.#blockTokens, ids = this.#blockIds;
    const end = Math.min(to, this.#inputTokens[a], this.#inputTokens[b]);
    if (from >= end) return from;
    let block = Math.floor(from / size);
    const endBlock = Math.ceil(end / size);
    for (let x = this.#blockStart[a] + block, y = this.#blockStart[b] + block; block < endBlock; block++, x++, y++) {
      if (ids[x] !== ids[y]) return Math.max(from, block * size);
    }
    return end;
  }

  #commonRuns(a: number, b: number, from: number, to: number): number {
    let at = this.#commonTokens(a, b, from, to);
    while (at < to) {
      const tokenA = this.#run(a, at), end = this.#runEnd;
      if (tokenA !== this.#run(b, at)) return at;
      at = Math.min(end, this.#runEnd);
    }
    return to;
  }

  /** As `common`, of the prompts alone and only while both are written token by token. */
  #commonTokens(a: number, b: number, from: number, to: number): number {
    const runsA = this.#runs.get(a), runsB = this.#runs.get(b);
    if (runsA === undefined || runsB === undefined) return from;
    const { tokens } = runsA, { tokens: others } = runsB;
    if (tokens.length < runsA.inputTokens || others.length < runsB.inputTokens) return from;
    const end = Math.min(to, tokens.length, others.length);
    let at = from;
    while (at < end && tokens[at] === others[at]) at++;
    return at;
  }

  /** Token at a position; sets `#runEnd`. */
  #run(request: number, position: number): number {
    const runs = this.#runs.size === 0 ? undefined : this.#runs.get(request);
    const prompt = runs === undefined ? this.#inputTokens[request] : runs.inputTokens;
    if (position < prompt) {
      if (runs === undefined) {
        const block = Math.floor(position / this.#blockTokens);
        this.#runEnd = Math.min((block + 1) * this.#blockTokens, prompt);
        return this.#blockIds[this.#blockStart[request] + block];
      }
      return this.#explicitRun(request, runs, position);
    }
    const named = this.#outputs.size === 0 ? undefined : this.#outputs.get(request);
    this.#runEnd = named === undefined ? Infinity : position + 1;
    return named === undefined ? -1 - request : named[position - prompt];
  }

  #explicitRun(request: number, runs: PromptRuns, position: number): number {
    let ends = this.#ends.get(request);
    if (ends === undefined) this.#ends.set(request, ends = endsOf(runs));
    if (ends === null) {
      this.#runEnd = position + 1;
      return runs.tokens[position];
    }
    let low = 0, high = ends.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle] > position) high = middle;
      else low = middle + 1;
    }
    this.#runEnd = ends[low];
    return runs.tokens[low];
  }
}

function endsOf({ tokens, lengths, inputTokens }: PromptRuns): Int32Array | null {
  if (tokens.length === inputTokens) return null;
  const ends = new Int32Array(tokens.length);
  for (let i = 0, end = 0; i < ends.length; i++) ends[i] = end += lengths[i];
  return ends;
}
