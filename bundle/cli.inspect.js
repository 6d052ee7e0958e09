import {
  Ledger,
  inputs,
  inspect,
  readTrace
} from "./traces.js";
import {
  traceFormats
} from "./core.js";
import "./shared.js";
import {
  jsonText
} from "./config.js";
import "./timing.js";
import {
  choice,
  command,
  csvText,
  flag,
  grouped,
  moment,
  number2 as number,
  paint,
  showReading,
  sparkline,
  text,
  writeText
} from "./base.js";

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
  inspectCommand
};
