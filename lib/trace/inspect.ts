/**
 * What a trace is like, from one pass in bounded memory, and what looks wrong with it.
 *
 * @module
 */
import { checkNumber, checkOptions, type OptionNames } from "../errors.ts";
import { BlockFit } from "./block_fit.ts";
import { Histogram } from "../collections/histogram.ts";
import type { TraceRequest } from "./request.ts";
import { ReuseMeter } from "./reuse.ts";
import { type Batches, batchesOf } from "./batches.ts";
import { timeDoubt } from "./time_doubt.ts";
import { Timeline } from "./timeline.ts";

/** Figures of a set of lengths, in tokens. */
export interface LengthFigures {
  /** Smallest. */
  min: number;
  /** Arithmetic mean. */
  mean: number;
  /** Median. */
  p50: number;
  /** 90th percentile. */
  p90: number;
  /** 99th percentile. */
  p99: number;
  /** Largest. */
  max: number;
  /** Sum. */
  total: number;
}

/** What {@linkcode inspect} finds. Keys are those of its JSON. */
export interface TraceFigures {
  /** Requests. */
  rows: number;
  /** Tokens a block id stands for. */
  block_tokens: number;
  /** When they arrive, in milliseconds and seconds. */
  time: {
    /** Null when no row has a time. */
    first_ms: number | null;
    last_ms: number | null;
    span_s: number;
    rows_without_time: number;
    inversions: number;
    /** Rows at exactly the time of the row before. */
    equal_neighbours: number;
    requests_per_second: number;
    /** Requests of the busiest bucket against the mean of all. */
    peak_to_mean: number;
    /** Deviation of the gaps between arrivals against their mean: 1 is random, more comes in bursts. */
    gap_variation: number;
  };
  /** Prompt lengths. */
  input: LengthFigures;
  /** Output lengths. */
  output: LengthFigures;
  /** Content of the prompts. */
  blocks: {
    total: number;
    distinct: number;
    /** Share of prompt tokens in blocks that an earlier row used. */
    reusable_token_share: number;
    reusable_block_share: number;
    /** Blocks of the trace between two uses of the same one. */
    reuse_distance: { p50: number | null; p90: number | null };
    /** Share of ids the block figures were taken from. */
    followed_share: number;
  };
  /** Rows that name a session. */
  sessions: {
    count: number;
    rows: number;
    mean_turns: number;
    /** True when there were more sessions than could be counted. */
    more: boolean;
  };
  /** Requests without output tokens. */
  zero_outputs: number;
  /** Requests without a prompt. */
  zero_inputs: number;
  /** Requests and prompt tokens in equal pieces of time. */
  timeline: { bucket_s: number; requests: number[]; input_tokens: number[] };
  /** What looks wrong, in words. */
  warnings: string[];
}

const MOST_SESSIONS = 1_000_000;
const BUCKETS = 60;

/** Options of {@linkcode inspect}. */
export interface InspectOptions {
  /** Tokens of a block, asked for at the first request. Default 512. */
  blockTokens?: number | (() => number);
}

/**
 * Measures a trace.
 *
 * @example
 * ```ts
 * import { inspect, readTrace } from "dynosim";
 *
 * const rows = [
 *   '{"timestamp":0,"input_length":1000,"output_length":4,"hash_ids":[1,2]}',
 *   '{"timestamp":500,"input_length":600,"output_length":3,"hash_ids":[1,7]}',
 * ];
 * const figures = await inspect(readTrace(new Blob([rows.join("\n")]).stream()));
 * console.log(figures.blocks.reusable_token_share); // 0.32: 512 of 1600 tokens
 * ```
 */
export async function inspect(
  requests: AsyncIterable<TraceRequest>,
  options: InspectOptions = {},
): Promise<TraceFigures> {
  checkOptions("inspect()", options, { blockTokens: true } satisfies OptionNames<InspectOptions>);
  if (typeof options.blockTokens !== "function") {
    checkNumber("inspect(): blockTokens", options.blockTokens, { least: 1, whole: true });
  }
  return await inspectBatches(batchesOf(requests), options);
}

async function inspectBatches(batches: Batches<TraceRequest>, options: InspectOptions): Promise<TraceFigures> {
  let measures: Measures | undefined;
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    const { blockTokens = 512 } = options;
    measures ??= new Measures(typeof blockTokens === "number" ? blockTokens : blockTokens());
    for (const request of batch) measures.add(request);
  }
  return (measures ?? new Measures(typeof options.blockTokens === "number" ? options.blockTokens : 512)).figures();
}

class Measures {
  readonly #blockTokens: number;
  #rows = 0;
  #firstMs = NaN;
  #lastMs = NaN;
  #previousMs = NaN;
  #withoutTime = 0;
  #wholeTimes = 0;
  #inversions = 0;
  #equal = 0;
  /** Gaps: number, mean and sum of squared deviations. */
  #gaps = 0;
  #gapMean = 0;
  #gapSquares = 0;
  readonly #timeline = new Timeline();
  readonly #input = new Histogram();
  readonly #output = new Histogram();
  readonly #reuse: ReuseMeter;
  readonly #fit: BlockFit;
  readonly #sessions = new Set<string>();
  #moreSessions = false;
  #sessionRows = 0;
  #zeroOutputs = 0;
  #zeroInputs = 0;

  constructor(blockTokens: number) {
    this.#blockTokens = blockTokens;
    this.#reuse = new ReuseMeter(blockTokens);
    this.#fit = new BlockFit(blockTokens);
  }

  add(request: TraceRequest): void {
    const { inputTokens, outputTokens, hashIds, sessionId, timestampMs } = request;
    this.#rows++;
    this.#input.add(inputTokens);
    this.#output.add(outputTokens);
    if (inputTokens === 0) this.#zeroInputs++;
    if (outputTokens === 0) this.#zeroOutputs++;
    this.#reuse.add(inputTokens, hashIds);
    this.#fit.add(inputTokens, hashIds.length);
    if (sessionId !== undefined) {
      this.#sessionRows++;
      if (this.#sessions.size < MOST_SESSIONS) this.#sessions.add(sessionId);
      else if (!this.#sessions.has(sessionId)) this.#moreSessions = true;
    }
    if (timestampMs === undefined) this.#withoutTime++;
    else this.#addTime(timestampMs, inputTokens);
  }

  #addTime(timeMs: number, inputTokens: number): void {
    this.#timeline.add(timeMs, inputTokens);
    if (Number.isInteger(timeMs)) this.#wholeTimes++;
    if (!(timeMs >= this.#firstMs)) this.#firstMs = timeMs;
    if (!(timeMs <= this.#lastMs)) this.#lastMs = timeMs;
    const gap = timeMs - this.#previousMs;
    this.#previousMs = timeMs;
    if (Number.isNaN(gap)) return;
    if (gap < 0) this.#inversions++;
    if (gap === 0) this.#equal++;
    const size = Math.max(gap, 0), off = size - this.#gapMean;
    this.#gapMean += off / ++this.#gaps;
    this.#gapSquares += off * (size - this.#gapMean);
  }

  figures(): TraceFigures {
    const spanS = Number.isNaN(this.#firstMs) ? 0 : (this.#lastMs - this.#firstMs) / 1000;
    const timed = this.#rows - this.#withoutTime;
    const { widthMs, counts, weights } = this.#timeline.buckets(BUCKETS);
    const reuse = this.#reuse, { distance } = reuse;
    const sessions = this.#sessions.size;
    const figures: TraceFigures = {
      rows: this.#rows,
      block_tokens: this.#blockTokens,
      time: {
        first_ms: Number.isNaN(this.#firstMs) ? null : this.#firstMs,
        last_ms: Number.isNaN(this.#lastMs) ? null : this.#lastMs,
        span_s: spanS,
        rows_without_time: this.#withoutTime,
        inversions: this.#inversions,
        equal_neighbours: this.#equal,
        requests_per_second: spanS > 0 ? timed / spanS : 0,
        peak_to_mean: timed > 0 ? Math.max(...counts) * counts.length / timed : 0,
        gap_variation: this.#gapMean > 0 ? Math.sqrt(this.#gapSquares / this.#gaps) / this.#gapMean : 0,
      },
      input: lengths(this.#input),
      output: lengths(this.#output),
      blocks: {
        total: reuse.blocks,
        distinct: reuse.distinct,
        reusable_token_share: reuse.reusableShare,
        reusable_block_share: reuse.reusableBlocks,
        reuse_distance: distance.count === 0
          ? { p50: null, p90: null }
          : { p50: distance.percentile(50), p90: distance.percentile(90) },
        followed_share: reuse.followedShare,
      },
      sessions: {
        count: sessions,
        rows: this.#sessionRows,
        mean_turns: sessions > 0 ? this.#sessionRows / sessions : 0,
        more: this.#moreSessions,
      },
      zero_outputs: this.#zeroOutputs,
      zero_inputs: this.#zeroInputs,
      timeline: { bucket_s: widthMs / 1000, requests: counts, input_tokens: weights },
      warnings: [],
    };
    figures.warnings.push(...this.#warnings(figures));
    return figures;
  }

  *#warnings({ time, rows }: TraceFigures): Generator<string> {
    const share = (count: number) => `${count} of ${rows} rows`;
    if (rows === 0) yield "no requests";
    const fit = this.#fit.warning();
    if (fit !== undefined) yield fit;
    if (this.#zeroInputs > 0) yield `no input tokens in ${share(this.#zeroInputs)}: such a trace cannot be replayed`;
    if (this.#zeroOutputs > 0) yield `no output tokens in ${share(this.#zeroOutputs)}: failures, probably`;
    if (this.#reuse.repeats > 0) yield `the same block id twice in one prompt in ${share(this.#reuse.repeats)}`;
    if (time.inversions > 0) yield `times go back ${time.inversions} times; a replay sorts them`;
    if (this.#withoutTime > 0 && this.#withoutTime < rows && this.#sessionRows === 0) {
      yield `no time in ${share(this.#withoutTime)}: only a replay with a fixed concurrency takes them`;
    } else if (this.#withoutTime === rows && rows > 0) {
      yield "no times at all: only a replay with a fixed concurrency takes this trace";
    }
    const doubt = timeDoubt(rows - this.#withoutTime, time.span_s * 1000);
    if (doubt !== undefined) yield doubt;
    const batched = time.equal_neighbours / Math.max(1, rows - 1);
    if (batched > 0.5 && time.span_s > 0) {
      yield `${
        Math.round(batched * 100)
      } % of the rows arrive at the time of the row before: times seem to be rounded, ` +
        "so first-token times follow the batches";
    }
  }
}

function lengths(histogram: Histogram): LengthFigures {
  const none = histogram.count === 0;
  return {
    min: none ? 0 : histogram.min,
    mean: none ? 0 : histogram.mean,
    p50: none ? 0 : histogram.percentile(50),
    p90: none ? 0 : histogram.percentile(90),
    p99: none ? 0 : histogram.percentile(99),
    max: none ? 0 : histogram.max,
    total: histogram.sum,
  };
}
