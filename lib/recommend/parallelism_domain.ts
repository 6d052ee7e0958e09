/**
 * `engine.workers.<role>.parallelism` of a search: every legal shape, a list of shapes, or filters over the legal ones.
 *
 * @module
 */
import * as v from "valibot";
import { quoteList } from "../config/python_text.ts";
import { anything, Problem, type Reads, reads } from "../config/schema_parts.ts";
import { section } from "../config/schema_sections.ts";
import { type Domain, intDomain } from "./domains.ts";
import { PARALLELISM_KEYS, type Replicas, sameReplicas } from "./shapes.ts";

/** The sizes a search may filter by, in the order in which files list them. */
const KNOBS = ["replicas", "tensor", "pipeline", "attention_data", "moe_tensor", "moe_expert"] as const;
/** A key of `parallelism`. */
export type ParallelismKnob = typeof KNOBS[number];

/** Which shapes of a role are searched. */
export type ParallelismSearch =
  | { kind: "default" }
  | { kind: "listed"; configs: readonly Replicas[] }
  | { kind: "filtered"; knobs: Readonly<Partial<Record<ParallelismKnob, Domain>>> };

type Preset = "default" | false | readonly Replicas[];

const CONTEXT_KEYS = ["prefill_context", "decode_context"];

function readEntry(entry: unknown, index: number): Replicas | Problem {
  const label = String(index);
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    return new Problem("Input should be a valid dictionary", undefined, label);
  }
  const given = entry as Record<string, unknown>;
  for (const key of CONTEXT_KEYS) {
    if (given[key] == null || given[key] === 1) continue;
    return new Problem(
      `Value error, ${key}=${given[key]} is not supported by recommend; context parallelism is a predict-only knob ` +
        "(use predict with a fixed parallelism)",
      undefined,
      label,
    );
  }
  const missing = KNOBS.filter((key) => given[key] == null).toSorted();
  const unknown = Object.keys(given).filter((key) => ![...KNOBS, ...CONTEXT_KEYS].includes(key)).toSorted();
  if (missing.length > 0 || unknown.length > 0) {
    return new Problem(
      "Value error, parallelism preset entries must cover exactly all knobs; " +
        `missing=${quoteList(missing)}, unknown=${quoteList(unknown)}`,
      undefined,
      label,
    );
  }
  const odd = KNOBS.find((key) => !Number.isInteger(given[key]) || (given[key] as number) < 1);
  if (odd !== undefined) {
    const what = Number.isInteger(given[odd]) ? "greater than 0" : "a valid integer";
    return new Problem(`Input should be ${what}`, undefined, `${label}.${odd}`);
  }
  return Object.fromEntries(PARALLELISM_KEYS.map(([key, name]) => [name, given[key]])) as unknown as Replicas;
}

const preset: Reads<Preset> = reads<Preset>((value) => {
  if (value === "default" || value === false) return value;
  if (Array.isArray(value)) {
    if (value.length === 0) return new Problem("Value error, parallelism preset list must be nonempty");
    const entries = value.map(readEntry);
    const problems = entries.filter((entry) => entry instanceof Problem);
    if (problems.length > 0) return problems;
    const configs = entries as Replicas[];
    for (const [i, config] of configs.entries()) {
      const first = configs.findIndex((other) => sameReplicas(other, config));
      if (first < i) {
        return new Problem(
          `Value error, parallelism preset entries must differ; it repeats entry ${first}`,
          undefined,
          String(i),
        );
      }
    }
    return configs;
  }
  if (typeof value === "object" && value !== null) {
    if (Object.keys(value).length === 0) return false;
    return new Problem("Value error, parallelism preset mapping must be empty to disable it");
  }
  return new Problem("Input should be 'default', false or a list of shapes");
});

const fields = {
  preset: v.optional(preset, "default"),
  ...Object.fromEntries(KNOBS.map((key) => [key, v.optional(v.nullable(intDomain({ gt: 0 })))])),
  prefill_context: anything(),
  decode_context: anything(),
};

/** Schema of `parallelism`. */
export const parallelismSearch: Reads<ParallelismSearch> = v.pipe(
  section("ParallelismDomain", fields, [
    (value) => {
      const { preset, prefill_context, decode_context, ...knobs } = value as unknown as Record<string, unknown>;
      const given = Object.keys(knobs).filter((key) => knobs[key] != null);
      if (preset !== false && given.length > 0) {
        return `parallelism cannot combine preset with independent knobs ${quoteList(given)}; ` +
          "write preset: false to filter the shapes by them";
      }
      for (const [key, size] of Object.entries({ prefill_context, decode_context })) {
        if (size != null && size !== 1) {
          return `${key}=${size} is not supported by recommend; context parallelism is a predict-only knob`;
        }
      }
    },
  ]),
  v.transform((value): ParallelismSearch => {
    const { preset, ...knobs } = value as unknown as { preset: Preset } & Record<string, Domain | null>;
    if (preset === "default") return { kind: "default" };
    if (preset !== false) return { kind: "listed", configs: preset };
    return {
      kind: "filtered",
      knobs: Object.fromEntries(KNOBS.filter((key) => knobs[key]).map((key) => [key, knobs[key]!])),
    };
  }),
) as unknown as Reads<ParallelismSearch>;
