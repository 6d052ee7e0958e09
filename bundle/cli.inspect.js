import {
  Ledger,
  inputs,
  readTrace
} from "./traces.js";
import {
  BlockFit,
  IdTable,
  batchesOf,
  timeDoubt,
  traceFormats
} from "./core.js";
import "./shared.js";
import {
  jsonText
} from "./config.js";
import "./timing.js";
import {
  checkNumber,
  checkOptions,
  choice,
  command,
  csvText,
  flag,
  grouped,
  longer,
  moment,
  number2 as number,
  paint,
  showReading,
  sparkline,
  text,
  writeText
} from "./base.js";

// lib/collections/histogram.ts
var EXACT = 65536;
var BINS_PER_OCTAVE = 256;
var Histogram = class {
  count = 0;
  min = Infinity;
  max = -Infinity;
  #sum = 0;
  #exact = new Float64Array(1024);
  #coarse = /* @__PURE__ */ new Map();
  add(value, weight = 1) {
    this.count += weight;
    this.#sum += value * weight;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
    const at = Math.round(value);
    if (at < EXACT) {
      if (at >= this.#exact.length) {
        this.#exact = longer(this.#exact, Math.min(EXACT, Math.max(at + 1, this.#exact.length * 2)));
      }
      this.#exact[at] += weight;
    } else {
      const bin = Math.floor(Math.log2(value) * BINS_PER_OCTAVE);
      this.#coarse.set(bin, (this.#coarse.get(bin) ?? 0) + weight);
    }
  }
  get mean() {
    return this.count === 0 ? NaN : this.#sum / this.count;
  }
  get sum() {
    return this.#sum;
  }
  /** The smallest value that at least `p` percent of the values do not exceed; `NaN` without values. */
  percentile(p) {
    if (this.count === 0) return NaN;
    let left = Math.max(1, Math.ceil(this.count * p / 100));
    for (let value = 0; value < this.#exact.length; value++) {
      left -= this.#exact[value];
      if (left <= 0) return Math.min(Math.max(value, this.min), this.max);
    }
    for (const bin of [
      ...this.#coarse.keys()
    ].sort((a, b) => a - b)) {
      left -= this.#coarse.get(bin);
      if (left <= 0) return Math.min(Math.round(2 ** ((bin + 0.5) / BINS_PER_OCTAVE)), this.max);
    }
    return this.max;
  }
};

// lib/trace/reuse.ts
var MOST_IDS = 1 << 19;
var ReuseMeter = class {
  #blockTokens;
  /** One of `2 ** #halvings` ids is followed. */
  #halvings = 0;
  #table = new IdTable();
  /** Blocks before it when an id was last used, and the row. */
  #lastBlock = new Float64Array(1 << 12);
  #lastRow = new Float64Array(1 << 12);
  #followed = [];
  #one = [
    0
  ];
  #number = new Int32Array(1);
  #blocks = 0;
  #rows = 0;
  /** Tokens of followed blocks, of those that were seen before, and all followed blocks. */
  #tokens = 0;
  #reusedTokens = 0;
  #seenBlocks = 0;
  #reusedBlocks = 0;
  /** Rows with an id twice. */
  repeats = 0;
  /** Blocks between two uses of the same id. */
  distance = new Histogram();
  constructor(blockTokens) {
    this.#blockTokens = blockTokens;
  }
  add(inputTokens, hashIds) {
    const needed = Math.min(hashIds.length, Math.ceil(inputTokens / this.#blockTokens));
    const row = ++this.#rows;
    let repeated = false;
    for (let i = 0; i < needed; i++) {
      this.#blocks++;
      const id = hashIds[i];
      if (this.#halvings > 0 && !this.#isFollowed(id)) continue;
      const tokens = Math.min(this.#blockTokens, inputTokens - i * this.#blockTokens);
      const known = this.#table.count;
      this.#one[0] = id;
      this.#table.intern(this.#one, 1, this.#number, 0);
      const number2 = this.#number[0];
      this.#tokens += tokens;
      this.#seenBlocks++;
      if (number2 < known) {
        if (this.#lastRow[number2] === row) repeated = true;
        else {
          this.#reusedTokens += tokens;
          this.#reusedBlocks++;
          this.distance.add(this.#blocks - this.#lastBlock[number2], 2 ** this.#halvings);
        }
      } else {
        if (number2 === this.#lastBlock.length) this.#grow();
        this.#followed.push(id);
      }
      this.#lastBlock[number2] = this.#blocks;
      this.#lastRow[number2] = row;
      if (this.#table.count > MOST_IDS) this.#thin();
    }
    if (repeated) this.repeats++;
  }
  /** Share of prompt tokens whose block was used by an earlier row, 0 \u2026 1. */
  get reusableShare() {
    return this.#tokens === 0 ? 0 : this.#reusedTokens / this.#tokens;
  }
  /** Share of blocks that were used by an earlier row. */
  get reusableBlocks() {
    return this.#seenBlocks === 0 ? 0 : this.#reusedBlocks / this.#seenBlocks;
  }
  get blocks() {
    return this.#blocks;
  }
  /** Different ids, estimated when not all are followed. */
  get distinct() {
    return this.#table.count * 2 ** this.#halvings;
  }
  /** Share of ids that were followed at the end: 1 means that the figures are exact. */
  get followedShare() {
    return 2 ** -this.#halvings;
  }
  #isFollowed(id) {
    const low = typeof id === "number" ? id >>> 0 : Number(id & 0xffffffffn);
    const high = typeof id === "number" ? Math.floor(id / 4294967296) : Number(id >> 32n);
    let hash = Math.imul(low ^ Math.imul(high, 2654435761), 2246822507);
    hash = Math.imul(hash ^ hash >>> 13, 3266489909);
    hash ^= hash >>> 16;
    return (hash & (1 << this.#halvings) - 1) === 0;
  }
  #grow() {
    this.#lastBlock = longer(this.#lastBlock);
    this.#lastRow = longer(this.#lastRow);
  }
  /** Follows half as many ids from now on. */
  #thin() {
    this.#halvings++;
    const table = new IdTable(), followed = [];
    const lastBlock = new Float64Array(this.#lastBlock.length), lastRow = new Float64Array(this.#lastRow.length);
    this.#followed.forEach((id, number2) => {
      if (!this.#isFollowed(id)) return;
      this.#one[0] = id;
      table.intern(this.#one, 1, this.#number, 0);
      lastBlock[followed.length] = this.#lastBlock[number2];
      lastRow[followed.length] = this.#lastRow[number2];
      followed.push(id);
    });
    this.#table = table;
    this.#followed = followed;
    this.#lastBlock = lastBlock;
    this.#lastRow = lastRow;
  }
};

// lib/trace/timeline.ts
var Timeline = class {
  /** Milliseconds a bucket covers. */
  widthMs;
  #counts;
  #weights;
  #originMs = NaN;
  #used = 0;
  constructor(buckets = 512, widthMs = 1e3) {
    this.widthMs = widthMs;
    this.#counts = new Float64Array(buckets);
    this.#weights = new Float64Array(buckets);
  }
  /** Adds an event. Times before the first one count as the first. */
  add(timeMs, weight) {
    if (Number.isNaN(this.#originMs)) this.#originMs = timeMs;
    let bucket = Math.max(0, Math.floor((timeMs - this.#originMs) / this.widthMs));
    while (bucket >= this.#counts.length) {
      this.#widen();
      bucket = Math.floor((timeMs - this.#originMs) / this.widthMs);
    }
    this.#counts[bucket]++;
    this.#weights[bucket] += weight;
    if (bucket >= this.#used) this.#used = bucket + 1;
  }
  #widen() {
    const half = this.#counts.length / 2;
    for (const column of [
      this.#counts,
      this.#weights
    ]) {
      for (let i = 0; i < half; i++) column[i] = column[2 * i] + column[2 * i + 1];
      column.fill(0, half);
    }
    this.widthMs *= 2;
    this.#used = Math.ceil(this.#used / 2);
  }
  /** Events and weights in at most `most` buckets of equal width. */
  buckets(most) {
    const join = Math.max(1, Math.ceil(this.#used / most));
    const counts = [], weights = [];
    for (let from = 0; from < this.#used; from += join) {
      let count = 0, weight = 0;
      for (let i = from; i < Math.min(from + join, this.#used); i++) {
        count += this.#counts[i];
        weight += this.#weights[i];
      }
      counts.push(count);
      weights.push(weight);
    }
    return {
      widthMs: this.widthMs * join,
      counts,
      weights
    };
  }
};

// lib/trace/inspect.ts
var MOST_SESSIONS = 1e6;
var BUCKETS = 60;
async function inspect(requests, options = {}) {
  checkOptions("inspect()", options, {
    blockTokens: true
  });
  if (typeof options.blockTokens !== "function") {
    checkNumber("inspect(): blockTokens", options.blockTokens, {
      least: 1,
      whole: true
    });
  }
  return await inspectBatches(batchesOf(requests), options);
}
async function inspectBatches(batches, options) {
  let measures;
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    const { blockTokens = 512 } = options;
    measures ??= new Measures(typeof blockTokens === "number" ? blockTokens : blockTokens());
    for (const request of batch) measures.add(request);
  }
  return (measures ?? new Measures(typeof options.blockTokens === "number" ? options.blockTokens : 512)).figures();
}
var Measures = class {
  #blockTokens;
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
  #timeline = new Timeline();
  #input = new Histogram();
  #output = new Histogram();
  #reuse;
  #fit;
  #sessions = /* @__PURE__ */ new Set();
  #moreSessions = false;
  #sessionRows = 0;
  #zeroOutputs = 0;
  #zeroInputs = 0;
  constructor(blockTokens) {
    this.#blockTokens = blockTokens;
    this.#reuse = new ReuseMeter(blockTokens);
    this.#fit = new BlockFit(blockTokens);
  }
  add(request) {
    const { inputTokens, outputTokens, hashIds, sessionId, timestampMs } = request;
    this.#rows++;
    this.#input.add(inputTokens);
    this.#output.add(outputTokens);
    if (inputTokens === 0) this.#zeroInputs++;
    if (outputTokens === 0) this.#zeroOutputs++;
    this.#reuse.add(inputTokens, hashIds);
    this.#fit.add(inputTokens, hashIds.length);
    if (sessionId !== void 0) {
      this.#sessionRows++;
      if (this.#sessions.size < MOST_SESSIONS) this.#sessions.add(sessionId);
      else if (!this.#sessions.has(sessionId)) this.#moreSessions = true;
    }
    if (timestampMs === void 0) this.#withoutTime++;
    else this.#addTime(timestampMs, inputTokens);
  }
  #addTime(timeMs, inputTokens) {
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
  figures() {
    const spanS = Number.isNaN(this.#firstMs) ? 0 : (this.#lastMs - this.#firstMs) / 1e3;
    const timed = this.#rows - this.#withoutTime;
    const { widthMs, counts, weights } = this.#timeline.buckets(BUCKETS);
    const reuse = this.#reuse, { distance } = reuse;
    const sessions = this.#sessions.size;
    const figures = {
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
        gap_variation: this.#gapMean > 0 ? Math.sqrt(this.#gapSquares / this.#gaps) / this.#gapMean : 0
      },
      input: lengths(this.#input),
      output: lengths(this.#output),
      blocks: {
        total: reuse.blocks,
        distinct: reuse.distinct,
        reusable_token_share: reuse.reusableShare,
        reusable_block_share: reuse.reusableBlocks,
        reuse_distance: distance.count === 0 ? {
          p50: null,
          p90: null
        } : {
          p50: distance.percentile(50),
          p90: distance.percentile(90)
        },
        followed_share: reuse.followedShare
      },
      sessions: {
        count: sessions,
        rows: this.#sessionRows,
        mean_turns: sessions > 0 ? this.#sessionRows / sessions : 0,
        more: this.#moreSessions
      },
      zero_outputs: this.#zeroOutputs,
      zero_inputs: this.#zeroInputs,
      timeline: {
        bucket_s: widthMs / 1e3,
        requests: counts,
        input_tokens: weights
      },
      warnings: []
    };
    figures.warnings.push(...this.#warnings(figures));
    return figures;
  }
  *#warnings({ time, rows }) {
    const share = (count) => `${count} of ${rows} rows`;
    if (rows === 0) yield "no requests";
    const fit = this.#fit.warning();
    if (fit !== void 0) yield fit;
    if (this.#zeroInputs > 0) yield `no input tokens in ${share(this.#zeroInputs)}: such a trace cannot be replayed`;
    if (this.#zeroOutputs > 0) yield `no output tokens in ${share(this.#zeroOutputs)}: failures, probably`;
    if (this.#reuse.repeats > 0) yield `the same block id twice in one prompt in ${share(this.#reuse.repeats)}`;
    if (time.inversions > 0) yield `times go back ${time.inversions} times; a replay sorts them`;
    if (this.#withoutTime > 0 && this.#withoutTime < rows && this.#sessionRows === 0) {
      yield `no time in ${share(this.#withoutTime)}: only a replay with a fixed concurrency takes them`;
    } else if (this.#withoutTime === rows && rows > 0) {
      yield "no times at all: only a replay with a fixed concurrency takes this trace";
    }
    const doubt = timeDoubt(rows - this.#withoutTime, time.span_s * 1e3);
    if (doubt !== void 0) yield doubt;
    const batched = time.equal_neighbours / Math.max(1, rows - 1);
    if (batched > 0.5 && time.span_s > 0) {
      yield `${Math.round(batched * 100)} % of the rows arrive at the time of the row before: times seem to be rounded, so first-token times follow the batches`;
    }
  }
};
function lengths(histogram) {
  const none = histogram.count === 0;
  return {
    min: none ? 0 : histogram.min,
    mean: none ? 0 : histogram.mean,
    p50: none ? 0 : histogram.percentile(50),
    p90: none ? 0 : histogram.percentile(90),
    p99: none ? 0 : histogram.percentile(99),
    max: none ? 0 : histogram.max,
    total: histogram.sum
  };
}

// cli/inspect.ts
var LINE = {
  command: "inspect",
  summary: "Measures a trace: rate, lengths, what can be reused, sessions, and what looks wrong.",
  options: {
    from: choice("format of the trace", [
      "auto",
      ...traceFormats
    ], {
      fallback: "auto",
      value: "FORMAT"
    }),
    blockSize: number("tokens a block id stands for", {
      value: "N",
      least: 1,
      integer: true
    }),
    badRows: choice("what to do with rows that cannot be used", [
      "auto",
      "fail",
      "drop"
    ], {
      fallback: "auto"
    }),
    strict: flag("the same as --bad-rows fail"),
    lengthsFolder: text("ragpulse: folder of the files with lengths", {
      value: "DIR"
    }),
    format: choice("figures to read, as JSON, or as CSV (figure, value)", [
      "text",
      "json",
      "csv"
    ], {
      fallback: "text"
    })
  },
  operands: {
    name: "IN",
    help: "trace, shards of one, a folder or glob of shards; - is standard input",
    least: 1,
    most: Infinity
  },
  notes: [
    `formats: ${traceFormats.join(", ")}`
  ]
};
var inspectCommand = command(LINE, async (options, operands) => {
  const ledger = new Ledger();
  let opened;
  const files = inputs(operands);
  const hide = showReading(files);
  const requests = readTrace(files, {
    format: options.from,
    blockTokens: options.blockSize,
    badRows: options.strict ? "fail" : options.badRows === "auto" ? void 0 : options.badRows,
    lengthsFolder: options.lengthsFolder,
    keepZeroOutput: true,
    sessions: true,
    order: "file",
    ledger,
    onOpen: (trace) => opened = trace
  });
  const figures = await inspect(requests, {
    blockTokens: () => opened.blockTokens()
  }).finally(hide);
  for (const [reason, count] of ledger.dropped) figures.warnings.unshift(`${count} rows left out: ${reason}`);
  for (const remark of ledger.notes.keys()) figures.warnings.push(remark);
  const facts = {
    format: ledger.format,
    recognised_by: ledger.why || null,
    prefix_identity: ledger.identity ?? null
  };
  if (options.format === "json") writeText("stdout", jsonText({
    ...facts,
    ...figures
  }));
  else if (options.format === "csv") writeText("stdout", csvText(flattened({
    ...facts,
    ...figures
  })));
  else writeText("stdout", figuresText(figures, ledger));
});
function flattened(value, path = "") {
  return Object.entries(value).flatMap(([key, inner]) => typeof inner === "object" && inner !== null ? flattened(inner, `${path}${key}.`) : [
    {
      figure: path + key,
      value: inner
    }
  ]);
}
var percent = (share) => `${(share * 100).toFixed(1)} %`;
function figuresText(figures, ledger) {
  const { time, blocks, sessions, timeline } = figures;
  const lines = [
    `format     ${ledger.format}${ledger.why ? ` (${ledger.why})` : ""}`,
    `requests   ${grouped(figures.rows)}`
  ];
  if (time.first_ms !== null) {
    lines.push(`time       ${moment(time.first_ms)} to ${moment(time.last_ms)}: ${span(time.span_s)}`, `rate       ${time.requests_per_second.toPrecision(4)} requests/s, peak ${time.peak_to_mean.toFixed(2)} times the mean, gap variation ${time.gap_variation.toFixed(2)}`, `           ${sparkline(timeline.requests)}  requests, ${span(timeline.bucket_s)} each`, `           ${sparkline(timeline.input_tokens)}  input tokens`);
  }
  lines.push("", `${"tokens".padEnd(10)} ${[
    "min",
    "mean",
    "p50",
    "p90",
    "p99",
    "max",
    "total"
  ].map((name) => name.padStart(11)).join(" ")}`, lengthLine("input", figures.input), lengthLine("output", figures.output), "", `reuse      ${percent(blocks.reusable_token_share)} of the prompt tokens lie in blocks that an earlier request used (prefix identity: ${ledger.identity ?? "none"})`, `blocks     ${grouped(blocks.total)} of ${figures.block_tokens} tokens, ${blocks.followed_share < 1 ? "about " : ""}${grouped(Math.round(blocks.distinct))} different`);
  const { p50, p90 } = blocks.reuse_distance;
  if (p50 !== null) {
    lines.push(`distance   ${grouped(p50)} blocks between two uses of the same in the middle, ${grouped(p90)} at 90 %`);
  }
  if (sessions.count > 0) {
    lines.push(`sessions   ${sessions.more ? "more than " : ""}${grouped(sessions.count)}, ${sessions.mean_turns.toFixed(2)} turns each`);
  }
  if (time.first_ms !== null) {
    lines.push(`order      ${grouped(time.inversions)} inversions, ${grouped(time.equal_neighbours)} equal neighbours`);
  }
  for (const warning of figures.warnings) lines.push(paint("yellow", `warning    ${warning}`, "stdout"));
  return `${lines.join("\n")}
`;
}
function lengthLine(name, figures) {
  const { min, mean, p50, p90, p99, max, total } = figures;
  const cells = [
    min,
    Math.round(mean * 10) / 10,
    p50,
    p90,
    p99,
    max,
    total
  ].map((value) => grouped(value).padStart(11));
  return `${name.padEnd(10)} ${cells.join(" ")}`;
}
function span(seconds) {
  if (seconds < 120) return `${Math.round(seconds * 10) / 10} s`;
  if (seconds < 7200) return `${Math.round(seconds / 6) / 10} min`;
  if (seconds < 172800) return `${Math.round(seconds / 360) / 10} h`;
  return `${Math.round(seconds / 8640) / 10} days`;
}
export {
  figuresText,
  inspectCommand
};
