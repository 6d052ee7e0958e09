/**
 * What was measured on a real system, whatever the file: forward passes and requests.
 *
 * @module
 */

/** One forward pass of one rank; sums as in `PassLoad`. */
export interface MeasuredPass {
  readonly prompts: number;
  readonly promptTokens: number;
  readonly priorTokens: number;
  readonly decodes: number;
  readonly decodeTokens: number;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** Which part of a recording it is of, where the file says it. */
  readonly segment?: string;
}

/** One request that was served to its end. Times in milliseconds; null where the file does not say. */
export interface MeasuredRequest {
  /** Arrival on the file's own clock. */
  readonly arrivalMs: number | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Content of the prompt, where the file tells it: one id per `blockTokens` tokens. */
  readonly hashIds: readonly number[] | null;
  readonly ttftMs: number | null;
  /** Mean time per output token after the first. */
  readonly tpotMs: number | null;
  readonly e2eMs: number | null;
}

/** What one or several files hold. */
export class Measured {
  readonly passes: MeasuredPass[] = [];
  readonly requests: MeasuredRequest[] = [];
  /** Rows that were left out, by reason. */
  readonly skipped: Map<string, number> = new Map();
  /** Names of the formats that were read. */
  readonly formats: Set<string> = new Set();
  /** Requests that were open at a time, where the benchmark says it held that number. */
  concurrency: number | null = null;
  /** Tokens of a prompt that an id stands for. */
  blockTokens: number | null = null;

  /** Counts a row that is left out. */
  skip(reason: string): void {
    this.skipped.set(reason, (this.skipped.get(reason) ?? 0) + 1);
  }
}
