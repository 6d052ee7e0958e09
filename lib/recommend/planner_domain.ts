/**
 * The `planner` section of a search: whether it runs, and which settings of its groups are tried.
 *
 * @module
 */
import * as v from "valibot";
import { quote, quoteList } from "../config/python_text.ts";
import { didYouMean, Problem, type Reads, reads, strictInt } from "../config/schema_parts.ts";
import { section } from "../config/schema_sections.ts";
import { nearName } from "../errors.ts";
import { choicesDomain, type Domain, intDomain, listed, numberDomain, wordDomain } from "./domains.ts";
import { type Group, GROUPS, INDEPENDENT, PRESETS } from "./planner_presets.ts";

/** A named setting, or one written out. */
export type Entry = string | Readonly<Record<string, unknown>>;

/** One group of a search. */
export interface GroupSearch {
  entries: readonly Entry[];
  /** Whether the file lists them itself. */
  explicit: boolean;
  /** The group's keys are parameters of their own; the values of each, and the names drawn log-uniformly. */
  separate: { choices: ReadonlyMap<string, readonly unknown[]>; log: readonly string[] } | null;
}

/** The Planner of a search. */
export interface PlannerSearch {
  policies: readonly ("disabled" | "enabled")[];
  groups: Readonly<Record<Group, GroupSearch>>;
  maxNumGpus: number;
  maxThroughputReplicas: number;
  /** Fewest workers: of any role, of prefill, of decode; null when the file does not say. */
  minWorkers: Domain | null;
  prefillMinWorkers: Domain | null;
  decodeMinWorkers: Domain | null;
}

const strictBoolean = reads<boolean>((value) =>
  typeof value === "boolean" ? value : new Problem("Input should be a valid boolean")
);
const positive = () => v.nullish(intDomain({ gt: 0 }));
const square = (value: number) => Number.isInteger(Math.sqrt(value));

/** What each key of a written-out setting must be. */
const ENTRY_KEYS: Readonly<Record<Group, Readonly<Record<string, (value: unknown) => boolean>>>> = (() => {
  const flag = (value: unknown) => typeof value === "boolean";
  const count = (value: unknown) => Number.isInteger(value) && (value as number) > 0;
  const countOrNull = (value: unknown) => value === null || count(value);
  const number = (value: unknown) => typeof value === "number" && Number.isFinite(value) && value > 0;
  return {
    scaling_policy: {
      enable_throughput_scaling: flag,
      enable_load_scaling: flag,
      throughput_adjustment_interval_seconds: countOrNull,
      load_adjustment_interval_seconds: countOrNull,
    },
    fpm_sampling: {
      max_num_fpm_samples: count,
      fpm_sample_bucket_size: (value) => count(value) && square(value as number),
    },
    load_sensitivity: {
      load_scaling_down_sensitivity: (value) =>
        Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 100,
      load_min_observations: count,
    },
    load_predictor: {
      load_predictor: (value) => INDEPENDENT.load_predictor.load_predictor.includes(value),
      load_predictor_log1p: flag,
      prophet_window_size: count,
      kalman_q_level: number,
      kalman_q_trend: number,
      kalman_r: number,
      kalman_min_points: count,
    },
  };
})();

function entryProblem(group: Group, entry: unknown): Problem | undefined {
  const names = Object.keys(PRESETS[group]);
  if (typeof entry === "string") {
    if (Object.hasOwn(PRESETS[group], entry)) return undefined;
    const allowed = `Value error, ${group}.preset has invalid choice ${quote(entry)}; allowed: ${
      quoteList(names.toSorted())
    }`;
    const near = nearName(entry, names);
    return new Problem(allowed, near && didYouMean(near));
  }
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    return new Problem(`Value error, ${group}.preset entries are names or mappings of all keys of the group`);
  }
  const keys = ENTRY_KEYS[group];
  const given = entry as Record<string, unknown>;
  const unknown = Object.keys(given).filter((key) => !Object.hasOwn(keys, key));
  if (unknown.length > 0) {
    return new Problem(
      `Value error, ${group}.preset mapping has unknown keys ${quoteList(unknown.toSorted())}; allowed: ${
        quoteList(Object.keys(keys).toSorted())
      }`,
    );
  }
  const missing = Object.keys(keys).filter((key) => !Object.hasOwn(given, key));
  if (missing.length > 0) {
    return new Problem(
      `Value error, ${group}.preset mapping is missing required keys ${quoteList(missing.toSorted())}`,
    );
  }
  const odd = Object.keys(keys).find((key) => !keys[key](given[key]));
  if (odd !== undefined) {
    return new Problem(`Value error, ${group}.preset mapping has no usable ${odd}: ${JSON.stringify(given[odd])}`);
  }
  if (
    group === "scaling_policy" && !given.enable_throughput_scaling && !given.enable_load_scaling &&
    (given.throughput_adjustment_interval_seconds !== null || given.load_adjustment_interval_seconds !== null)
  ) {
    return new Problem("Value error, disabled scaling policy requires null adjustment intervals");
  }
}

type Preset = "default" | false | readonly Entry[];

const preset = (group: Group): Reads<Preset> =>
  reads<Preset>((value) => {
    if (value === "default" || value === false) return value;
    if (Array.isArray(value)) {
      if (value.length === 0) return new Problem("Value error, preset list must be nonempty");
      for (const [i, entry] of value.entries()) {
        const problem = entryProblem(group, entry);
        if (problem !== undefined) return new Problem(problem.message, problem.hint, String(i));
        if (value.findIndex((other) => JSON.stringify(other) === JSON.stringify(entry)) < i) {
          return new Problem("Value error, preset entries must differ", undefined, String(i));
        }
      }
      return value;
    }
    if (typeof value === "object" && value !== null) {
      return Object.keys(value).length === 0
        ? false
        : new Problem("Value error, preset mapping must be empty to disable it");
    }
    return new Problem("Input should be 'default', false or a list of presets");
  });

const control = (group: Group) =>
  v.nullish(section("PresetControl", {
    preset: v.optional(preset(group), "default"),
    type: v.nullish(wordDomain(["constant", "arima", "prophet", "kalman"])),
  }, [
    (value) => group !== "load_predictor" && value.type != null ? "type belongs to load_predictor" : undefined,
  ]));

const fields = {
  scaling_policy: control("scaling_policy"),
  fpm_sampling: control("fpm_sampling"),
  load_sensitivity: control("load_sensitivity"),
  load_predictor: control("load_predictor"),
  policy: v.optional(wordDomain(["disabled", "enabled"])),
  enable_throughput_scaling: v.nullish(choicesDomain(strictBoolean)),
  enable_load_scaling: v.nullish(choicesDomain(strictBoolean)),
  throughput_adjustment_interval_seconds: positive(),
  load_adjustment_interval_seconds: positive(),
  max_throughput_scaling_replicas: v.optional(strictInt({ gt: 0 }), 8),
  max_num_fpm_samples: positive(),
  fpm_sample_bucket_size: positive(),
  load_scaling_down_sensitivity: v.nullish(intDomain({ ge: 0 })),
  load_min_observations: positive(),
  load_predictor_log1p: v.nullish(choicesDomain(strictBoolean)),
  prophet_window_size: positive(),
  kalman_q_level: v.nullish(numberDomain({ gt: 0 })),
  kalman_q_trend: v.nullish(numberDomain({ gt: 0 })),
  kalman_r: v.nullish(numberDomain({ gt: 0 })),
  kalman_min_points: positive(),
  max_num_gpus: v.optional(strictInt({ gt: 0 }), 8),
  min_workers: v.nullish(intDomain({ ge: 0 })),
  prefill_min_workers: positive(),
  decode_min_workers: positive(),
};
type Written = Record<string, any>;

const knobsOf = (group: Group) => Object.keys(INDEPENDENT[group]).filter((key) => key !== "load_predictor");

function presetConflicts(written: Written): string | undefined {
  for (const group of GROUPS) {
    const given = knobsOf(group).filter((key) => written[key] != null).toSorted();
    const control = written[group];
    if (control == null) {
      if (given.length === 0) continue;
      return `planner.${group} uses the default preset and cannot be combined with independent knobs ${
        quoteList(given)
      }`;
    }
    if (control.preset === false) continue;
    if (control.type != null) given.push("load_predictor.type");
    if (given.length > 0) {
      return `planner.${group}.preset cannot be combined with independent knobs ${quoteList(given)}`;
    }
  }
}

function valueRules(
  { load_scaling_down_sensitivity: sensitivity, fpm_sample_bucket_size: bucket }: Written,
): string | undefined {
  const values = (domain: Domain) => domain.kind === "choices" ? domain.values : [domain.max];
  if (sensitivity != null && values(sensitivity).some((value) => value > 100)) {
    return "load_scaling_down_sensitivity must be <= 100";
  }
  if (bucket == null) return undefined;
  if (bucket.kind === "choices" && bucket.values.every(square)) return undefined;
  const ranged = bucket.kind !== "choices" || !bucket.pinned;
  if (!ranged || !wholeValues(bucket).some(square)) return "fpm_sample_bucket_size values must be perfect squares";
}

/** All whole numbers of a domain. */
function wholeValues(domain: Domain): readonly number[] {
  if (domain.kind === "choices") return domain.values;
  return Array.from(
    { length: Math.floor(domain.max) - Math.ceil(domain.min) + 1 },
    (_, i) => Math.ceil(domain.min) + i,
  );
}

function groupSearch(group: Group, written: Written): GroupSearch {
  const control = written[group];
  const names = Object.keys(PRESETS[group]);
  if (control == null || control.preset === "default") return { entries: names, explicit: false, separate: null };
  if (control.preset !== false) return { entries: control.preset, explicit: true, separate: null };
  const choices = new Map<string, readonly unknown[]>();
  const log: string[] = [];
  for (const [key, searched] of Object.entries(INDEPENDENT[group])) {
    const domain: Domain | null | undefined = key === "load_predictor" ? control.type : written[key];
    let values: readonly unknown[] = domain == null ? searched : valuesOf(domain);
    if (key === "fpm_sample_bucket_size") values = values.filter((value) => square(value as number));
    if (domain != null && domain.kind !== "choices") log.push(key);
    choices.set(key, values);
  }
  const entries = [...choices].reduce<Record<string, unknown>[]>(
    (all, [key, values]) => all.flatMap((entry) => values.map((value) => ({ ...entry, [key]: value }))),
    [{}],
  );
  return { entries, explicit: false, separate: group === "load_predictor" ? null : { choices, log } };
}

/** Values that are tried of a domain: those of a list, all whole numbers of a log range, the ends of one of numbers. */
function valuesOf(domain: Domain): readonly unknown[] {
  if (domain.kind === "choices") return domain.values;
  return domain.kind === "integers" ? wholeValues(domain) : [domain.min, domain.max];
}

/** Schema of `planner`. A search runs acting Planners only; their target follows from what is searched for. */
export const plannerSearch: Reads<PlannerSearch> = v.pipe(
  section("PlannerDomain", fields, [presetConflicts, valueRules]) as unknown as Reads<Written>,
  v.transform((written: Written): PlannerSearch => ({
    policies: (written.policy ?? listed(["disabled", "enabled"])).values,
    groups: Object.fromEntries(GROUPS.map((group) => [group, groupSearch(group, written)])) as PlannerSearch["groups"],
    maxNumGpus: written.max_num_gpus,
    maxThroughputReplicas: written.max_throughput_scaling_replicas,
    minWorkers: written.min_workers ?? null,
    prefillMinWorkers: written.prefill_min_workers ?? null,
    decodeMinWorkers: written.decode_min_workers ?? null,
  })),
) as unknown as Reads<PlannerSearch>;
