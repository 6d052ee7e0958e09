/**
 * The `traffic` section: where requests come from, when they arrive and when the replay stops.
 *
 * @module
 */
import * as v from "valibot";
import { quoteList } from "./python_text.ts";
import { anything, literal, orNull, Problem, reads, strictInt, strictNumber, withDefault } from "./schema_parts.ts";
import { type Rule, section, tagged } from "./schema_sections.ts";

/** Formats a trace may have. */
export const TRACE_FORMATS = [
  "mooncake",
  "mooncake-delta",
  "agentic_mooncake",
  "applied_compute_agentic",
  "dynamo",
  "weka",
] as const;

const synthetic = section("SyntheticSource", {
  type: literal(["synthetic"]),
  input_tokens: withDefault(strictInt({ gt: 0 }), 1024),
  output_tokens: withDefault(strictInt({ gt: 0 }), 128),
  images: orNull(section("SyntheticImages", {
    height: strictInt({ gt: 0 }),
    width: strictInt({ gt: 0 }),
    count: withDefault(strictInt({ gt: 0 }), 1),
  })),
  cached_prefix_tokens: withDefault(strictInt({ ge: 0 }), 0),
}, [
  ({ input_tokens, cached_prefix_tokens }) =>
    cached_prefix_tokens > input_tokens ? "cached_prefix_tokens cannot exceed input_tokens" : undefined,
]);

const syntheticSession = section("SyntheticSessionSource", {
  type: literal(["synthetic-session"]),
  new_input_tokens_per_turn: withDefault(strictInt({ gt: 0 }), 1024),
  output_tokens_per_turn: withDefault(strictInt({ gt: 0 }), 128),
  session: section("SessionShape", {
    turns: withDefault(strictInt({ ge: 2 }), 4),
    shared_prefix_ratio: withDefault(strictNumber({ ge: 0, le: 1 }), 0),
    prefix_groups: withDefault(strictInt({ ge: 0 }), 0),
    inter_turn_delay_ms: withDefault(strictNumber({ ge: 0 }), 0),
  }, [
    ({ shared_prefix_ratio, prefix_groups }) =>
      shared_prefix_ratio > 0 && prefix_groups === 0
        ? "prefix_groups must be positive when shared_prefix_ratio is positive"
        : undefined,
  ]),
});

const paths = reads<string[]>((value) => {
  if (!Array.isArray(value)) return new Problem("Input should be a valid list");
  const odd = value.findIndex((path) => typeof path !== "string");
  if (odd >= 0) return new Problem("Input should be a valid string", undefined, String(odd));
  if (value.length === 0 || value.includes("")) {
    return new Problem("Value error, trace paths must contain at least one nonempty path");
  }
  return value;
});

const trace = section("TraceSource", {
  type: literal(["trace"]),
  paths,
  format: withDefault(literal(TRACE_FORMATS), "mooncake"),
  block_size: orNull(strictInt({ gt: 0, le: 2 ** 20 })),
  nested_timestamp_basis: orNull(literal(["auto", "absolute", "relative"])),
}, [
  ({ paths, format }) =>
    format !== "dynamo" && paths.length !== 1 ? `trace format '${format}' requires exactly one path` : undefined,
  ({ format, nested_timestamp_basis }) =>
    nested_timestamp_basis !== null && format !== "weka"
      ? "nested_timestamp_basis is only valid for trace format 'weka'"
      : undefined,
]);

const LOAD_TYPES = ["concurrency", "poisson", "constant_rate", "trace_timestamps"] as const;

/** Fields of `load` that each type uses. */
const USED_BY: Record<typeof LOAD_TYPES[number], readonly string[]> = {
  concurrency: ["concurrency"],
  poisson: ["requests_per_second", "sessions_per_second", "seed"],
  constant_rate: ["requests_per_second", "sessions_per_second"],
  trace_timestamps: ["speedup", "agentic_lanes", "agentic_snapshot", "agentic_warmup", "agentic_profile"],
};

const load = section("Load", {
  type: withDefault(literal(LOAD_TYPES), "concurrency"),
  concurrency: v.optional(v.nullable(strictInt({ gt: 0 }))),
  requests_per_second: orNull(strictNumber({ gt: 0 })),
  sessions_per_second: orNull(strictNumber({ gt: 0 })),
  seed: orNull(strictInt({ ge: 0 })),
  speedup: orNull(strictNumber({ gt: 0 })),
  agentic_lanes: orNull(strictInt({ gt: 0 })),
  agentic_snapshot: anything(),
  agentic_warmup: anything(),
  agentic_profile: anything(),
}, [
  ({ type, ...fields }) => {
    const surplus = Object.entries(fields).filter(([name, value]) => value != null && !USED_BY[type].includes(name));
    if (surplus.length === 0) return undefined;
    return `traffic.load.type='${type}' does not accept ${quoteList(surplus.map(([name]) => name).toSorted())}`;
  },
  ({ type, concurrency }) =>
    type === "concurrency" && concurrency === null ? "traffic.load.type='concurrency' requires concurrency" : undefined,
]);

const stop = section("Stop", {
  requests: orNull(strictInt({ gt: 0 })),
  requests_per_load_unit: orNull(strictNumber({ gt: 0 })),
  sessions: orNull(strictInt({ gt: 0 })),
  sessions_per_load_unit: orNull(strictNumber({ gt: 0 })),
  max_virtual_time_seconds: orNull(strictNumber({ gt: 0 })),
  cutoff: orNull(literal(["soft", "hard"])),
}, [
  ({ cutoff, max_virtual_time_seconds }) =>
    cutoff !== null && max_virtual_time_seconds === null
      ? "traffic.stop.cutoff has no effect without max_virtual_time_seconds"
      : undefined,
]);

type Source = v.InferOutput<typeof synthetic> | v.InferOutput<typeof syntheticSession> | v.InferOutput<typeof trace>;
/** `traffic` as the file has it, defaults filled. */
export interface TrafficSection {
  source: Source;
  load: v.InferOutput<typeof load>;
  stop: v.InferOutput<typeof stop> | null;
}

const AGENTIC_FORMATS = ["agentic_mooncake", "weka"];
const LANE_FORMATS = [...AGENTIC_FORMATS, "dynamo"];

const traceRules: Rule<TrafficSection> = ({ source, load, stop }) => {
  if (source.type !== "trace") return undefined;
  const { format } = source;
  if (load.type !== "trace_timestamps" && load.type !== "concurrency") {
    return "trace traffic requires trace_timestamps or concurrency load";
  }
  const { max_virtual_time_seconds = null, cutoff: _, ...counts } = stop ?? {};
  if (Object.values(counts).some((value) => value !== null)) {
    return "trace traffic only accepts max_virtual_time_seconds";
  }
  if (AGENTIC_FORMATS.includes(format) && load.type !== "trace_timestamps") {
    return `${format} requires trace_timestamps load`;
  }
  if (format === "applied_compute_agentic" && load.type !== "concurrency") {
    return "applied_compute_agentic requires concurrency load";
  }
  if (AGENTIC_FORMATS.includes(format) && max_virtual_time_seconds !== null) {
    return `${format} does not support max_virtual_time_seconds`;
  }
  if (load.agentic_lanes !== null && !LANE_FORMATS.includes(format)) {
    return "agentic_lanes requires weka, agentic_mooncake, or agentic dynamo input";
  }
};

const syntheticRules: Rule<TrafficSection> = ({ source, load, stop }) => {
  if (source.type === "trace") return undefined;
  const [unit, other] = source.type === "synthetic"
    ? ["requests", "sessions"] as const
    : ["sessions", "requests"] as const;
  if (load.type === "trace_timestamps") return "synthetic traffic does not accept trace_timestamps load";
  if (load.agentic_lanes !== null) return "synthetic traffic does not accept agentic_lanes";
  if (load.type !== "concurrency") {
    if (load[`${unit}_per_second`] === null) {
      return `${load.type} synthetic traffic requires ${unit}_per_second`;
    }
    if (load[`${other}_per_second`] !== null) return "traffic load rate unit does not match source type";
  }
  if (stop === null) return "synthetic traffic requires a stop condition";
  if (stop.max_virtual_time_seconds !== null) return "max_virtual_time_seconds is trace-only";
  const plain = stop[unit], perUnit = stop[`${unit}_per_load_unit`];
  if ((plain === null && perUnit === null) || stop[other] !== null || stop[`${other}_per_load_unit`] !== null) {
    return unit === "requests"
      ? "synthetic request traffic requires a request stop"
      : "synthetic session traffic requires a session stop";
  }
  if (plain !== null && perUnit !== null) return "traffic.stop requires exactly one count condition";
};

/** Schema of `traffic`. */
export const trafficSection = section("TrafficConfig", {
  source: tagged({ synthetic, "synthetic-session": syntheticSession, trace }),
  load,
  stop: orNull(stop),
}, [traceRules, syntheticRules]);

/** What `traffic` is when the document has none. */
export const DEFAULT_TRAFFIC = {
  source: { type: "synthetic" },
  load: { type: "concurrency", concurrency: 10 },
  stop: { requests: 100 },
};
