/**
 * What a report tells of requests that ended, taken down as they end: sums, latencies in order of completion, and which
 * bounds of the SLA they missed. Only completed requests that were admitted at least once enter any figure but the
 * numbers of those that were rejected or failed.
 *
 * @module
 */
import { longer } from "../collections/growing.ts";
import { type EndListener, Outcome, type RequestRecords } from "../engine/records.ts";
import { describeInPlace, type Distribution } from "./distribution.ts";
import { Bound, missedBounds, type Sla } from "./sla.ts";
import { type Span, Waits } from "./waits.ts";

/** Fewest samples there is room for. */
const FIRST = 256;
const NOTHING = new Float64Array(0);

/** Samples of one figure in order of completion, kept until they are described. */
export class Samples {
  #count = 0;
  #values: Float64Array;
  #described: Distribution | null = null;

  /** @param expected samples to make room for at once; memory is taken as they come */
  constructor(expected: number) {
    this.#values = new Float64Array(Math.max(expected, FIRST));
  }

  /** Number of samples. */
  get count(): number {
    return this.#count;
  }

  add(value: number): void {
    if (this.#count === this.#values.length) this.#values = longer(this.#values);
    this.#values[this.#count++] = value;
  }

  /** Describes the samples, and lets go of them: none may be added any more. */
  describe(): Distribution {
    this.#described ??= describeInPlace(this.#values.subarray(0, this.#count));
    this.#values = NOTHING;
    return this.#described;
  }
}

/** How many requests kept the SLA, and how many missed which bound. */
export class SlaCounts {
  /** Requests within every bound, and their output tokens. */
  within = 0;
  outputTokens = 0;
  /** Requests that could be held to the bounds. */
  served = 0;
  ttft = 0;
  tpot = 0;
  e2e = 0;

  /** @param missed bits of {@linkcode Bound} */
  add(missed: number, tokens: number): void {
    if (missed === 0) {
      this.within++;
      this.outputTokens += tokens;
    }
    if (missed & Bound.unserved) return;
    this.served++;
    if (missed & Bound.ttft) this.ttft++;
    if (missed & Bound.tpot) this.tpot++;
    if (missed & Bound.e2e) this.e2e++;
  }
}

/** The requests of a run that ended. */
export class ServedRequests implements EndListener {
  rejected = 0;
  failed = 0;
  completed = 0;
  inputTokens = 0;
  outputTokens = 0;
  /** Prompt tokens found in caches, at the best admission of each request and at its first. */
  reusedTokens = 0;
  firstReusedTokens = 0;
  /** Last end of a completed request. */
  lastEndMs = 0;
  /** Time to the first token, of requests with a token. */
  readonly ttft: Samples;
  /** Time between the first and the second token, and mean time per token after the first, of those with two. */
  readonly ttst: Samples;
  readonly tpot: Samples;
  /** Time from the arrival to the last token, of requests with a token. */
  readonly e2e: Samples;
  /** Null without bounds. */
  readonly sla: SlaCounts | null;
  /** Completed requests by the scheduler id they were placed on last, in the prefill pool and in the other. */
  readonly byPrefillRank: number[] = [];
  readonly byDecodeRank: number[] = [];
  /** Waits for schedulers, of all outcomes. */
  readonly waits: Waits;
  readonly #bounds: Sla | null;

  /**
   * @param expected requests to make room for at once
   * @param spanMs first and last arrival, where both are known beforehand
   */
  constructor(sla: Sla | null = null, expected = 0, spanMs: Span | null = null) {
    this.#bounds = sla;
    this.waits = new Waits(spanMs, expected);
    this.sla = sla && new SlaCounts();
    this.ttft = new Samples(expected);
    this.ttst = new Samples(expected);
    this.tpot = new Samples(expected);
    this.e2e = new Samples(expected);
  }

  ended(records: RequestRecords, request: number, row: number, atMs: number, outcome: Outcome): void {
    this.waits.ended(records, row);
    if (outcome === Outcome.rejected) this.rejected++;
    if (outcome === Outcome.failed) this.failed++;
    if (outcome !== Outcome.completed) return;
    const pools = records.disaggregated;
    count(this.byDecodeRank, records.decodeRank[row]);
    if (pools !== null) count(this.byPrefillRank, pools.prefillRank[row]);
    if (records.admissions[row] === 0 && (pools === null || pools.prefillAdmissions[row] === 0)) return;
    const tokens = records.outputTokens[row], reused = records.reusedMax[row];
    this.completed++;
    this.inputTokens += records.inputTokens[request];
    this.outputTokens += tokens;
    this.lastEndMs = Math.max(this.lastEndMs, atMs);
    this.reusedTokens += pools === null ? reused : Math.max(reused, pools.prefillReused[row]);
    this.firstReusedTokens += records.reusedFirst[row];
    const ttft = timeToFirstToken(records, row), e2e = endToEnd(records, row);
    if (tokens > 0) {
      this.ttft.add(ttft);
      this.e2e.add(e2e);
    }
    if (tokens > 1) {
      this.ttst.add(timeToSecondToken(records, row));
      this.tpot.add(timePerOutputToken(records, row));
    }
    if (this.sla !== null) {
      this.sla.add(missedBounds(tokens, ttft, e2e, atMs - records.arrivalMs[row], this.#bounds!), tokens);
    }
  }
}

function count(byRank: number[], rank: number): void {
  if (rank >= 0) byRank[rank] = (byRank[rank] ?? 0) + 1;
}

// Latencies of a request that is about to end, or of any where everything is kept; see `RequestRecords.rowOf`.

/** TTFT in milliseconds; `NaN` without a token. */
export function timeToFirstToken(records: RequestRecords, row: number): number {
  return Math.max(records.firstTokenMs[row] - records.arrivalMs[row], 0);
}

/** Time between the first and the second output token, in milliseconds; `NaN` without a second one. */
export function timeToSecondToken(records: RequestRecords, row: number): number {
  return Math.max(records.secondTokenMs[row] - records.firstTokenMs[row], 0);
}

/** End-to-end latency in milliseconds; `NaN` without a token. */
export function endToEnd(records: RequestRecords, row: number): number {
  return Math.max(records.lastTokenMs[row] - records.arrivalMs[row], 0);
}

/** Mean time per output token after the first, in milliseconds; `NaN` below two tokens. */
export function timePerOutputToken(records: RequestRecords, row: number): number {
  const tokens = records.outputTokens[row];
  return tokens > 1 ? Math.max(records.lastTokenMs[row] - records.firstTokenMs[row], 0) / (tokens - 1) : NaN;
}
