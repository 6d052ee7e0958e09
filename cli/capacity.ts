/**
 * `dynosim capacity`: how much load a deployment carries within its SLA, and what runs out then.
 *
 * @module
 */
import { type Capacity, capacity, type CapacityPoint } from "../lib/capacity/capacity.ts";
import { LOAD_AXES } from "../lib/capacity/load_axis.ts";
import type { Bottleneck } from "../lib/capacity/saturation.ts";
import { loadPrediction, STACKS } from "../lib/config/load.ts";
import { ConfigError } from "../lib/errors.ts";
import { writeFileAtomically } from "../lib/io/atomic.ts";
import { writeText } from "../lib/io/process.ts";
import { atMost } from "../lib/jobs/at_most.ts";
import { threads } from "../lib/jobs/threads.ts";
import { csvText } from "../lib/report/csv.ts";
import { choice, list, number, text, UsageError } from "./arguments.ts";
import { type Command, command } from "./command.ts";
import { EXECUTOR, replayers } from "./executor.ts";
import { configText, jsonText } from "./output.ts";
import { warn } from "./terminal.ts";

const LINE = {
  command: "capacity",
  summary: "Finds the largest load that a deployment carries within its SLA, and what runs out beyond it.",
  options: {
    config: text("the prediction, a YAML file (- reads standard input)", { value: "FILE", short: "c", required: true }),
    stack: text(`${STACKS.join(" or ")}; default dynamo with a router, planner or autoscaler section, else engine`, {
      value: "NAME",
    }),
    set: list("replaces one value of the file", { value: "PATH=YAML" }),
    over: text(`what is turned up: ${LOAD_AXES.join(", ")}; what the load has unless it is given`, { value: "AXIS" }),
    attainment: number("share of requests that must be within the SLA", { value: "SHARE", fallback: 0.99 }),
    parallelism: number("replays at a time", { value: "N", fallback: 2, least: 1, integer: true }),
    executor: EXECUTOR,
    figure: text("also draw the share against the load, as SVG", { value: "FILE" }),
    format: choice("a table to read, or the same as JSON or CSV", ["table", "json", "csv"], { fallback: "table" }),
  },
  notes: ["The edge is known to 1 %. A load above one that is too much is taken for too much as well."],
} as const;

/** Time in which an interrupted search takes its jobs back from a queue. */
const END_WITHIN_MS = 10_000;

/** The command. */
export const capacityCommand = (version: string): Command =>
  command(LINE, async (options, _operands, control) => {
    const { over, attainment } = options;
    if (over !== undefined && !(LOAD_AXES as readonly string[]).includes(over)) {
      throw new UsageError(`argument --over: invalid choice: '${over}' (choose from ${LOAD_AXES.join(", ")})`);
    }
    if (!(attainment > 0 && attainment <= 1)) {
      throw new UsageError("argument --attainment: must be above 0 and at most 1");
    }
    const { plan, warnings, place } = await loadPrediction(await configText(options.config), {
      name: options.config,
      stack: options.stack,
      set: options.set,
    });
    for (const warning of warnings) warn("capacity", warning);
    const { executor, end } = await replayers("capacity", options.executor, () =>
      threads(options.parallelism), async () => {
      const [{ needsOf }, { planSpec }, { CAPACITY_KIND }] = await Promise.all([
        import("../lib/replay/needs.ts"),
        import("../lib/replay/predict.ts"),
        import("../lib/capacity/capacity_kind.ts"),
      ]);
      return { kind: CAPACITY_KIND, version, name: "capacity", ...await needsOf(planSpec(plan)) };
    });
    let found: Capacity;
    try {
      found = await capacity(plan, {
        over: over as Capacity["over"] | undefined,
        attainment,
        executor: atMost(options.parallelism, executor),
        signal: control.signal,
      });
    } catch (error) {
      throw error instanceof ConfigError ? place(error) : error;
    } finally {
      await end();
    }
    if (options.figure !== undefined) {
      const { capacityPlot } = await import("../lib/analysis/capacity_plot.ts");
      await writeFileAtomically(options.figure, capacityPlot(found));
    }
    writeText("stdout", TEXTS[options.format](found));
  }, { stopWithinMs: END_WITHIN_MS });

const short = (value: number) => String(Number(value.toPrecision(4)));
const share = (value: number) => `${(value * 100).toFixed(2)} %`;

const COLUMNS: readonly [string, (point: CapacityPoint, found: Capacity) => string][] = [
  ["", ({ value }, { largest, beyond }) => value === largest ? "largest" : value === beyond ? "too much" : ""],
  ["load", ({ value }) => short(value)],
  ["within SLA", ({ attainment }) => share(attainment)],
  ["requests/s", ({ request_throughput_rps }) => short(request_throughput_rps)],
  ["TTFT p95 (ms)", ({ p95_ttft_ms }) => short(p95_ttft_ms)],
  ["TPOT p95 (ms)", ({ p95_tpot_ms }) => short(p95_tpot_ms)],
];

const RUNS_OUT: Readonly<Record<Bottleneck, string>> = {
  prefill_compute: "computing prompts takes too long",
  decode_compute: "decode steps take too long",
  kv_blocks: "KV blocks run out",
  sequence_limit: "the limit of sequences a rank may run is reached",
  router_queue: "requests wait in the router",
};

const TEXTS = {
  table: (found: Capacity) => capacityText(found),
  json: (found: Capacity) => jsonText(found),
  csv: ({ points, largest }: Capacity) =>
    csvText(points.map((point) => ({ ...point, carried: largest !== null && point.value <= largest }))),
};

/** A capacity as people read it. */
export function capacityText(found: Capacity): string {
  const rows = [
    COLUMNS.map(([head]) => head),
    ...found.points.map((point) => COLUMNS.map(([, of]) => of(point, found))),
  ];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const table = rows.map((row) => row.map((cell, column) => cell.padStart(widths[column])).join("  ").trimEnd());
  return [...table, "", verdictOf(found), ""].join("\n");
}

function verdictOf({ largest, over, attainment, written, saturation, points }: Capacity): string {
  const asked = `${share(attainment)} within the SLA`;
  const times = largest === null
    ? ""
    : over === "speedup"
    ? `${short(largest / written)} × this traffic (speedup ${short(largest)})`
    : over === "rate"
    ? `${short(largest)} arrivals a second`
    : `${largest} at a time`;
  const carried = largest === null
    ? `does not keep ${asked} at any load down to ${over} ${short(points[0].value)}`
    : `carries ${times} with ${asked}`;
  if (saturation === null) return `${carried}; no load up to ${short(points.at(-1)!.value)} was too much`;
  const { bottleneck, kv_usage, preemptions_per_minute, missed_ttft, missed_itl } = saturation;
  return `${carried}; at ${short(saturation.value)} ${RUNS_OUT[bottleneck]} (${
    share(kv_usage)
  } of the KV blocks in use ` +
    `while requests wait, ${
      short(preemptions_per_minute)
    } preemptions a minute; ${missed_ttft} requests miss by their ` +
    `first token, ${missed_itl} by the time between tokens)`;
}
