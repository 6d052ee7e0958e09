/**
 * What was measured on a real system, whatever the file: forward passes and requests.
 *
 * @module
 */

/** One forward pass of one rank; sums as in `PassLoad`. */
export interface MeasuredPass {
  /** Prompts of which it computed tokens. */
  readonly prompts: number;
  /** Tokens of them that it computed. */
  readonly promptTokens: number;
  /** Tokens of them that were known before. */
  readonly priorTokens: number;
  /** Sequences that it decoded. */
  readonly decodes: number;
  /** Tokens that these knew. */
  readonly decodeTokens: number;
  /** Population variance of their numbers, where the file says it. */
  readonly decodeVariance?: number;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** Which part of a recording it is of, where the file says it. */
  readonly segment?: string;
}

/** One request that was served to its end. Times in milliseconds; null where the file does not say. */
export interface MeasuredRequest {
  /** Arrival on the file's own clock. */
  readonly arrivalMs: number | null;
  /** Tokens of its prompt. */
  readonly inputTokens: number;
  /** Tokens that it was given. */
  readonly outputTokens: number;
  /** Content of the prompt, where the file tells it: one id per `blockTokens` tokens. */
  readonly hashIds: readonly number[] | null;
  /** Time to its first token. */
  readonly ttftMs: number | null;
  /** Mean time per output token after the first. */
  readonly tpotMs: number | null;
  /** Time to its last token. */
  readonly e2eMs: number | null;
}

/**
 * What one or several files hold. Starts empty; passes and requests may be added from anywhere.
 *
 * @example
 * ```ts
 * import { Measured } from "dynosim";
 *
 * const measured = new Measured();
 * measured.passes.push({ prompts: 0, promptTokens: 0, priorTokens: 0, decodes: 8, decodeTokens: 8000, ms: 12.5 });
 * measured.skip("no duration");
 * console.log(measured.passes.length, measured.skipped.get("no duration")); // 1 1
 * ```
 */
export class Measured {
  /** Forward passes, in the order in which they were measured. */
  readonly passes: MeasuredPass[] = [];
  /** Requests that were served to their end. */
  readonly requests: MeasuredRequest[] = [];
  /** Rows that were left out, by reason. */
  readonly skipped: Map<string, number> = new Map();
  /** Names of the formats that were read. */
  readonly formats: Set<string> = new Set();
  /** Requests that were open at a time, where the benchmark says it held that number. */
  concurrency: number | null = null;
  /** Tokens of a prompt that an id stands for. */
  blockTokens: number | null = null;

  /** What the files do not say and is assumed, as sentences. */
  readonly assumed: Set<string> = new Set();

  /** Counts a row that is left out. */
  skip(reason: string): void {
    this.skipped.set(reason, (this.skipped.get(reason) ?? 0) + 1);
  }
}
