/**
 * The passes that a worker is measured with before the Planner trusts its own observations: lone prompts of growing
 * length, decode steps of growing batches at a few context lengths. Imports the timing interface.
 *
 * @module
 */

/** What a rank is configured to take. */
export interface BenchmarkLimits {
  /** Token budget of a pass; 0 or less stands for 8192. */
  readonly maxBatchedTokens: number;
  /** Sequences at once; 0 or less stands for 256. */
  readonly maxSequences: number;
  /** Tokens of the KV pool; 0 or less stands for 262,144. */
  readonly kvTokens: number;
  /** Points per axis. Default 8. */
  readonly granularity?: number;
}

/** How long the passes of a benchmark take, in milliseconds. */
export interface BenchmarkEstimates {
  /** One prompt of `tokens` tokens, nothing cached. */
  prefillMs(tokens: number): number;
  /** One decode step of `sequences` that have `kvTokens` in all, the new ones included. */
  decodeMs(sequences: number, kvTokens: number): number;
}

/** One measured pass: `requests` with `tokens` in all (computed by a prefill, known to a decode step). */
export interface BenchmarkSample {
  readonly requests: number;
  readonly tokens: number;
  readonly seconds: number;
}

const FIRST_PROMPT = 100;
const CONTEXTS = [500, 2000, 4000, 8000];
const DEFAULTS = { maxBatchedTokens: 8192, maxSequences: 256, kvTokens: 262_144, granularity: 8 };

const orDefault = (value: number, fallback: number) => value > 0 ? value : fallback;

/** Lone prompts from 100 tokens to the budget of a pass. Passes that take no time are left out. */
export function prefillSamples(limits: BenchmarkLimits, estimates: BenchmarkEstimates): BenchmarkSample[] {
  const longest = orDefault(limits.maxBatchedTokens, DEFAULTS.maxBatchedTokens);
  const granularity = limits.granularity ?? DEFAULTS.granularity;
  const step = Math.max(1, Math.floor((longest - FIRST_PROMPT) / granularity));
  const samples: BenchmarkSample[] = [];
  for (let tokens = FIRST_PROMPT; tokens <= longest; tokens += step) {
    samples.push({ requests: 1, tokens, seconds: estimates.prefillMs(tokens) / 1000 });
  }
  return samples.filter((sample) => sample.seconds > 0);
}

/**
 * Decode steps at four context lengths, as long as the batch fits the pool. The estimate counts the tokens that the
 * step adds; the sample does not.
 */
export function decodeSamples(limits: BenchmarkLimits, estimates: BenchmarkEstimates): BenchmarkSample[] {
  const most = orDefault(limits.maxSequences, DEFAULTS.maxSequences);
  const pool = orDefault(limits.kvTokens, DEFAULTS.kvTokens);
  const step = Math.max(1, Math.floor(most / (limits.granularity ?? DEFAULTS.granularity)));
  const samples: BenchmarkSample[] = [];
  for (const context of CONTEXTS) {
    for (let batch = 1; batch <= most && batch * context <= pool; batch += step) {
      const seconds = estimates.decodeMs(batch, batch * (context + 1)) / 1000;
      samples.push({ requests: batch, tokens: batch * context, seconds });
    }
  }
  return samples.filter((sample) => sample.seconds > 0);
}
