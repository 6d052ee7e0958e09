/**
 * A trace of one format into a trace of another, with an account of its rows. The stages it is made of are public: a script can put
 * them together in any other way.
 *
 * @module
 */
import { checkOptions, ConfigError, type OptionNames } from "../errors.ts";
import { MOST_TIME_MS } from "./clock.ts";
import type { ByteSource } from "./feed.ts";
import { Ledger } from "./ledger.ts";
import { limit } from "./limit.ts";
import { type OpenedTrace, READ_OPTIONS, readTrace, type ReadTraceOptions } from "./read_trace.ts";
import { regroup } from "./regroup.ts";
import type { TraceRequest } from "./request.ts";
import { scale } from "./scale.ts";
import { slice, type Span } from "./slice.ts";
import { sortByTime } from "./sort.ts";
import { spread } from "./spread.ts";
import { batchStage, type Flow, type Stage } from "./stage.ts";
import { splitSink } from "./split.ts";
import { tally } from "./tally.ts";
import { rowSink, type RowWriter, rowWriter } from "./write_trace.ts";

/** Options of {@linkcode convert}. */
export interface ConvertOptions extends Omit<ReadTraceOptions, "format" | "ledger" | "onOpen"> {
  /** Format of the input, or `auto`. Default `auto`. */
  from?: string;
  /** Format of the output: `mooncake` or `dynamo`. Default `dynamo`. */
  to?: string;
  /** Part of the trace to keep, counted from its first request. Default all. */
  slice?: { from?: Span; to?: Span };
  /** How many times faster requests arrive. Default 1. */
  speedup?: number;
  /** Order by time, with the whole trace in memory. Default false. */
  sort?: boolean;
  /** Put requests that were recorded at one time anywhere up to the next time, with this seed. Default: leave them. */
  spreadSeed?: number;
  /** Keep so many requests at most. Default all. */
  limit?: number;
  /** Write what begins before this many seconds to `…-history`, the rest to `…-replay`. Default: one file. */
  splitSeconds?: number;
  /** dynamo: what the times count from, in milliseconds since 1970. Default: 2025, or 0 for times that are a clock. */
  epochMs?: number;
}

const { format: _format, ledger: _ledger, onOpen: _onOpen, ...READING } = READ_OPTIONS;
const OPTIONS: OptionNames<ConvertOptions> = {
  ...READING,
  from: true,
  to: true,
  slice: true,
  speedup: true,
  sort: true,
  spreadSeed: true,
  limit: true,
  splitSeconds: true,
  epochMs: true,
};

/**
 * Converts a trace. Returns the account: what was read, passed on and dropped, and why.
 *
 * @example
 * ```ts ignore
 * const ledger = await convert("azure.csv", "azure.jsonl.gz", { to: "dynamo", slice: { to: "2h" }, speedup: 2 });
 * console.log(ledger.read, ledger.emitted, ledger.dropped);
 * ```
 *
 * @throws {TraceError} when the trace cannot be read or the row counts do not add up; nothing is then written.
 */
export async function convert(
  input: ByteSource | readonly string[],
  output: string,
  options: ConvertOptions = {},
): Promise<Ledger> {
  checkOptions("convert()", options, OPTIONS);
  const ledger = new Ledger();
  const {
    from,
    to = "dynamo",
    slice: part,
    speedup,
    sort,
    spreadSeed,
    limit: count,
    splitSeconds,
    epochMs,
    ...reading
  } = options;
  let opened: OpenedTrace | undefined;
  let requests: Flow<TraceRequest> = readTrace(input, {
    ...reading,
    order: sort ? "file" : reading.order,
    format: from,
    ledger,
    onOpen(trace) {
      opened = trace;
      if (trace.format.shape === "graph") {
        throw new ConfigError(
          `${trace.format.name} traces are not converted: their requests wait for each other, which ${to} rows cannot say`,
        );
      }
    },
  });
  const through = (stage: Stage<TraceRequest, TraceRequest>) => {
    requests = requests.pipeThrough(stage) as Flow<TraceRequest>;
  };
  const asked = options.blockTokens;
  const blockTokens = () => {
    const own = opened!.blockTokens();
    return asked !== undefined && asked !== own && opened!.format.joinsBlocks ? asked : own;
  };
  if (sort) through(sortByTime());
  if (spreadSeed !== undefined) through(spread({ seed: spreadSeed }));
  if (part) through(slice({ ...part, ledger }));
  if (speedup !== undefined) through(scale({ speedup }));
  if (count !== undefined) through(limit(count, { ledger }));
  through(joined(() => ({ from: opened!.blockTokens(), to: blockTokens() })));
  if (to === "mooncake") through(fromZero(ledger));
  through(tally(ledger, blockTokens));

  let writer: RowWriter | undefined;
  const write = async () =>
    writer ??= await rowWriter({
      format: to,
      blockTokens: blockTokens(),
      epochMs,
      keepIds: opened!.format.name === "dynamo",
      identity: ledger.identity,
    });
  await rowWriter({ format: to }); // an unknown format is told before anything is read
  if (splitSeconds !== undefined && !(splitSeconds > 0)) {
    throw new ConfigError(`a split must be at a positive number of seconds, got ${splitSeconds}`);
  }
  const sink = splitSeconds === undefined ? rowSink(output, write) : splitSink(
    rowSink(splitName(output, "history"), write),
    rowSink(splitName(output, "replay"), write),
    splitSeconds,
  );
  await requests.pipeTo(sink);
  writer?.remarks?.(ledger);
  return ledger;
}

/** `a/b.jsonl.gz` and `history` give `a/b-history.jsonl.gz`. */
export function splitName(path: string, part: string): string {
  if (path === "-") throw new ConfigError("a split trace needs a file name, not standard output");
  const match = /^(.*?)((?:\.jsonl?|\.ndjson)?(?:\.gz)?)$/.exec(path)!;
  return `${match[1]}-${part}${match[2]}`;
}

/** Joins blocks when the sizes, known with the first request, differ. */
function joined(sizes: () => { from: number; to: number }): Stage<TraceRequest, TraceRequest> {
  return batchStage(async function* (batches) {
    const iterator = batches[Symbol.asyncIterator]();
    const first = await iterator.next();
    const all = {
      async *[Symbol.asyncIterator]() {
        try {
          if (!first.done) yield first.value;
          yield* { [Symbol.asyncIterator]: () => iterator };
        } finally {
          await iterator.return?.();
        }
      },
    };
    if (first.done) return;
    const { from, to } = sizes();
    yield* from === to ? all : regroup({ from, to }).run(all);
  });
}

/** A wall clock becomes a trace's own clock, which begins with the first request. */
function fromZero(ledger: Ledger): Stage<TraceRequest, TraceRequest> {
  return batchStage(async function* (batches) {
    let originMs = NaN;
    for await (const batch of batches) {
      yield batch.map((request) => {
        const { timestampMs } = request;
        if (timestampMs === undefined) return request;
        if (Number.isNaN(originMs)) {
          // what is no date any more is refused by the tally
          originMs = timestampMs >= 1e11 && timestampMs <= MOST_TIME_MS ? timestampMs : 0;
          if (originMs > 0) ledger.note(`clock begins at 0 instead of ${new Date(originMs).toISOString()}`);
        }
        return originMs === 0 ? request : { ...request, timestampMs: timestampMs - originMs };
      });
    }
  });
}
