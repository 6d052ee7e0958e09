/**
 * The `traffic` section of a search: a prediction's, but the load may be a domain or a share of the KV cache. Everything
 * but the load's own field is checked by the prediction's schema, with a value of the domain in its place.
 *
 * @module
 */
import * as v from "valibot";
import { anything, literal } from "../config/schema_parts.ts";
import { section } from "../config/schema_sections.ts";
import { DEFAULT_TRAFFIC, trafficSection } from "../config/traffic_section.ts";
import { type Domain, intDomain, numberDomain, pinned, representative } from "./domains.ts";

const LOAD_TYPES = ["concurrency", "poisson", "constant_rate", "trace_timestamps", "kv_capacity_fraction"] as const;
/** Fields of a load that may be domains. */
export type LoadField = "concurrency" | "requests_per_second" | "sessions_per_second" | "fraction" | "speedup";

/** Traffic of a search. */
export interface TrafficSearch {
  /** The section as a prediction has it, with a value of the domain in the load. */
  prediction: Record<string, any>;
  /** The load's field. */
  field: LoadField;
  /** Its domain; one pinned value when the file has no domain. */
  domain: Domain;
  /** Prompt and output tokens of a request; null for traces. */
  lengths: { input: number; output: number } | null;
}

const above0 = (field: LoadField) => `traffic.load.${field} range requires min > 0`;

const load = section("LoadDomain", {
  type: v.optional(literal(LOAD_TYPES), "concurrency"),
  concurrency: v.nullish(intDomain({ gt: 0 }, above0("concurrency"))),
  requests_per_second: v.nullish(numberDomain({ gt: 0 }, above0("requests_per_second"))),
  sessions_per_second: v.nullish(numberDomain({ gt: 0 }, above0("sessions_per_second"))),
  fraction: v.nullish(numberDomain({ gt: 0 }, above0("fraction"))),
  speedup: v.nullish(numberDomain({ gt: 0 }, above0("speedup"))),
  seed: anything(),
  agentic_lanes: anything(),
  agentic_snapshot: anything(),
  agentic_warmup: anything(),
  agentic_profile: anything(),
}, [
  ({ type, fraction, concurrency, requests_per_second, sessions_per_second, speedup }) => {
    if (type !== "kv_capacity_fraction") {
      return fraction == null ? undefined : `traffic.load.type='${type}' does not accept ['fraction']`;
    }
    if (fraction == null) return "traffic.load.type='kv_capacity_fraction' requires fraction";
    const others = { concurrency, requests_per_second, sessions_per_second, speedup };
    const surplus = Object.entries(others).filter(([, value]) => value != null).map(([name]) => `'${name}'`);
    return surplus.length > 0 ? `traffic.load.type='${type}' does not accept [${surplus.join(", ")}]` : undefined;
  },
]);

const shell = section("TrafficDomain", {
  source: anything(),
  load: v.optional(load),
  stop: anything(),
});

/** What is wrong with a section, as a schema tells it. */
export type SchemaIssues = readonly v.GenericIssue[];

/** Reads the section; `issues` are those of a document's `traffic`. */
export function readTraffic(value: unknown): { traffic: TrafficSearch } | { issues: SchemaIssues } {
  if (value === undefined) return { traffic: trafficOf(structuredClone(DEFAULT_TRAFFIC), "concurrency", pinned(10)) };
  const read = v.safeParse(shell, value);
  if (!read.success) return { issues: read.issues };
  const given = read.output.load as Record<string, any> | undefined;
  const type = given?.type ?? "concurrency";
  const unit = (value as { source?: { type?: string } }).source?.type === "synthetic-session" ? "sessions" : "requests";
  const field: LoadField = type === "trace_timestamps"
    ? "speedup"
    : type === "kv_capacity_fraction"
    ? "fraction"
    : type === "concurrency"
    ? "concurrency"
    : `${unit}_per_second`;
  const domain: Domain | undefined = given?.[field] ?? undefined;
  const prediction = structuredClone(value) as Record<string, any>;
  if (given !== undefined) {
    if (type === "kv_capacity_fraction") {
      const { fraction: _, type: _type, ...rest } = prediction.load;
      prediction.load = { ...rest, type: "concurrency", concurrency: 1 };
    }
    for (const name of ["concurrency", "requests_per_second", "sessions_per_second", "speedup"]) {
      if (given[name] != null) prediction.load[name] = representative(given[name]);
    }
  }
  const checked = v.safeParse(trafficSection, prediction);
  if (!checked.success) return { issues: checked.issues };
  if (type === "kv_capacity_fraction" && checked.output.source.type === "trace") {
    return {
      issues: issue(
        "Value error, trace traffic requires trace_timestamps or concurrency load: kv_capacity_fraction needs lengths to fill the cache with",
      ),
    };
  }
  return { traffic: trafficOf(prediction, field, domain ?? pinned(field === "concurrency" ? 10 : 1)) };
}

function issue(message: string): SchemaIssues {
  return v.safeParse(v.custom(() => false, message), null).issues!;
}

function trafficOf(prediction: Record<string, any>, field: LoadField, domain: Domain): TrafficSearch {
  const { source } = prediction;
  const lengths = source.type === "trace"
    ? null
    : source.type === "synthetic"
    ? { input: source.input_tokens ?? 1024, output: source.output_tokens ?? 128 }
    : { input: source.new_input_tokens_per_turn ?? 1024, output: source.output_tokens_per_turn ?? 128 };
  // a concurrency drawn from a log range is drawn as a number and rounded
  const drawn: Domain = domain.kind === "integers"
    ? { kind: "continuous", min: domain.min, max: domain.max, log: true }
    : domain;
  return { prediction, field, domain: drawn, lengths };
}
