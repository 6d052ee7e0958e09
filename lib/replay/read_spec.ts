/**
 * Descriptions of runs that come from outside (a queue, a file): checked before anything is made of them. What values
 * mean (a router's name, a launch mapping, bounds between fields) is checked where a run is put together.
 *
 * @module
 */
import * as v from "valibot";
import type { CapacityPlan, EstimatorConfig } from "../config/plan.ts";
import { BACKENDS, type Role } from "../engine/settings.ts";
import { ConfigError, type ConfigIssue, nearName } from "../errors.ts";
import type { Price } from "../report/price.ts";
import type { Sla } from "../report/sla.ts";
import { OBJECTIVES, type RetuneConfig } from "../retune/config.ts";
import type { RouterSettings, RouterSpec } from "../router/spec.ts";
import type { SyntheticTrafficSpec, TraceTrafficSpec, TrafficSpec } from "../traffic/spec.ts";
import type { AutoscalerSpec, CaptureSpec, PassTimingSpec, ReplaySpec, RoleSpec } from "./spec.ts";

/** A schema for every field of `T`, so that none is forgotten. */
type Fields<T> = { [Key in keyof T]-?: v.GenericSchema<unknown, T[Key]> };

/** An object with these fields and no others. */
const exactly = <F extends v.ObjectEntries>(fields: F) =>
  v.strictObject(fields, (issue) => {
    const key = issue.expected === "never" ? String(issue.path?.at(-1)?.key) : null;
    if (key === null) return `expected ${issue.expected}, found ${issue.received}`;
    const near = nearName(key, Object.keys(fields));
    return `unknown key '${key}'` +
      (near === undefined ? ` (known: ${Object.keys(fields).join(", ")})` : `; did you mean '${near}'?`);
  });

/** Beyond this, a number that went through JSON need not be the one that was written. */
const WHOLE = `expected a whole number of at most ${Number.MAX_SAFE_INTEGER}`;
const found = (what: string) => (issue: v.BaseIssue<unknown>) => `expected ${what}, found ${issue.received}`;
const text = v.string(found("text"));
const bool = v.boolean(found("true or false"));
const number = v.pipe(v.number(found("a number")), v.finite("expected a finite number"));
const whole = v.pipe(
  v.number(found("a whole number")),
  v.safeInteger((issue) => `${WHOLE}, found ${issue.received}`),
  v.minValue(0, (issue) => `expected 0 or more, found ${issue.received}`),
);
const count = v.pipe(whole, v.minValue(1, (issue) => `expected 1 or more, found ${issue.received}`));
const maybe = <S extends v.GenericSchema>(schema: S) => v.optional(schema);
const orNull = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);
const named = <const Names extends readonly string[]>(names: Names) =>
  v.picklist(names, (issue) => `expected one of ${names.join(", ")}, found ${issue.received}`);
const mapping = v.record(v.string(), v.unknown(), found("a mapping"));

const trace: Fields<TraceTrafficSpec> = {
  type: v.literal("trace"),
  paths: v.pipe(v.array(text, found("a list of paths")), v.minLength(1, "expected at least one path")),
  format: maybe(text),
  blockTokens: maybe(count),
  concurrency: maybe(count),
  speedup: maybe(number),
  lanes: maybe(count),
  model: maybe(text),
  sharedPrefixRatio: maybe(number),
  prefixGroups: maybe(whole),
  keepZeroOutput: maybe(bool),
  sessions: maybe(bool),
  lengthsFolder: maybe(text),
};

const synthetic: Fields<SyntheticTrafficSpec> = {
  type: v.literal("synthetic"),
  inputTokens: count,
  outputTokens: count,
  count,
  concurrency: maybe(count),
  requestsPerSecond: maybe(number),
  arrivalIntervalMs: maybe(number),
  seed: maybe(whole),
  speedup: maybe(number),
  turns: maybe(count),
  sharedPrefixRatio: maybe(number),
  prefixGroups: maybe(whole),
  interTurnDelayMs: maybe(number),
  growingPrompts: maybe(bool),
  cachedPrefixTokens: maybe(whole),
  blockTokens: maybe(count),
};

/** Schema of a load. */
export const trafficSchema: v.GenericSchema<unknown, TrafficSpec> = v.lazy((value) =>
  (value as { type?: unknown } | null)?.type === "synthetic" ? exactly(synthetic) : exactly(trace)
);

const ROLES = ["aggregated", "prefill", "decode"] as const satisfies readonly Role[];

const estimator: Fields<EstimatorConfig> = {
  model: text,
  system: text,
  backend: named(BACKENDS),
  backend_version: orNull(text),
  worker_type: named(ROLES),
  tp: count,
  pp: count,
  attention_dp: count,
  moe_tp: maybe(count),
  moe_ep: maybe(count),
  kv_block_size: count,
  nextn: whole,
  gemm_quant_mode: orNull(text),
  moe_quant_mode: orNull(text),
  kvcache_quant_mode: orNull(text),
  fmha_quant_mode: orNull(text),
  comm_quant_mode: orNull(text),
  database_mode: text,
  transfer_policy: orNull(v.union([text, v.array(text)], "expected a name or a list of names")),
  data_release: maybe(text),
};

const capacity: v.GenericSchema<unknown, CapacityPlan> = v.lazy((value): v.GenericSchema<unknown, CapacityPlan> =>
  (value as { type?: unknown } | null)?.type === "fixed"
    ? exactly({ type: v.literal("fixed"), blocks: count })
    : exactly({ type: v.literal("default"), memoryFraction: number, cudaGraphReservedBytes: number })
);

/** A launch mapping; its seed may be text, as {@linkcode replaySpecText} writes one beyond the numbers of JSON. */
const launch = v.pipe(
  mapping,
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const { engine } = dataset.value as { engine?: unknown };
    if (typeof engine !== "object" || engine === null || !Object.hasOwn(engine, SEED)) return dataset.value;
    const seed = (engine as Record<string, unknown>)[SEED];
    const path = [
      { type: "object", origin: "value", input: dataset.value, key: "engine", value: engine },
      { type: "object", origin: "value", input: engine as Record<string, unknown>, key: SEED, value: seed },
    ] as any;
    if (typeof seed === "number" && Number.isInteger(seed) && !Number.isSafeInteger(seed)) {
      addIssue({ message: `${WHOLE}, or its digits as text, found ${seed}`, path });
      return NEVER;
    }
    if (typeof seed !== "string") return dataset.value;
    if (/^\d{1,20}$/.test(seed)) return { ...dataset.value, engine: { ...engine, [SEED]: BigInt(seed) } };
    addIssue({ message: `expected digits, found ${JSON.stringify(seed)}`, path });
    return NEVER;
  }),
);
const SEED = "aic_mtp_seed";

const role: Fields<RoleSpec> = {
  role: named(ROLES),
  replicas: count,
  launch,
  estimator: v.nullish(exactly(estimator)),
  passTiming: v.nullish(exactly({
    calibration: v.nullish(v.union([text, mapping], "expected the path of a calibration, or its content")),
    forced: maybe(bool),
    mixed: v.nullish(named(["sum", "fused"])),
  }) as v.GenericSchema<unknown, PassTimingSpec>),
  open: v.nullish(exactly({
    capacity,
    contextTokens: orNull(v.union([count, v.literal("max")], "expected a number of tokens or 'max'")),
    transferBytesPerToken: orNull(v.union([number, v.literal("auto")], "expected a number of bytes or 'auto'")),
  })),
};

const routerSettings: Fields<RouterSettings> = {
  overlapScoreCredit: maybe(number),
  overlapScoreCreditDecay: maybe(number),
  prefillLoadScale: maybe(number),
  decodeActiveRequestWeight: maybe(number),
  temperature: maybe(number),
  trackActiveBlocks: maybe(bool),
  assumeKvReuse: maybe(bool),
  trackPrefillTokens: maybe(bool),
  prefillLoadModel: maybe(named(["none", "aic"])),
  queueThreshold: v.nullish(number) as v.GenericSchema<unknown, number | null | undefined>,
  queuePolicy: maybe(named(["fcfs", "lcfs", "wspt"])),
  kvEventLagMs: maybe(number),
  seed: maybe(whole),
};

const router: Fields<RouterSpec> = {
  policy: maybe(text),
  settings: maybe(exactly(routerSettings)),
  policyFile: v.nullish(v.union([text, mapping], "expected a path or the content of a policy file")),
};

const autoscaler: Fields<AutoscalerSpec> = { kind: text, config: mapping, written: v.nullish(mapping) };

const numbers = v.array(number, found("a list of numbers"));
const retune: Fields<RetuneConfig> = {
  interval_seconds: number,
  grace_seconds: number,
  router: orNull(exactly({ overlap_score_credit: numbers, prefill_load_scale: numbers, temperature: numbers })),
  planner: orNull(exactly({
    load_scaling_down_sensitivity: orNull(numbers),
    load_predictor: orNull(v.array(text, found("a list of names"))),
  })),
  objective: named(OBJECTIVES),
  sla_ttft_ms: number,
  sla_itl_ms: number,
  min_improvement_percentage: number,
  decision_latency_seconds: v.union([number, v.literal("measured")], "expected a number of seconds or 'measured'"),
  decision_latency_scale: number,
  timeout_seconds: number,
  max_parallel: count,
  history_seconds: number,
};

const price: Fields<Price> = { perGpuHour: number, currency: v.nullish(v.string()) };
const sla: Fields<Sla> = { ttftMs: v.nullish(number), itlMs: v.nullish(number), e2eMs: v.nullish(number) };

const capture: Fields<CaptureSpec> = {
  perRequest: maybe(bool),
  telemetryIntervalMs: v.nullish(number),
  plannerDetails: maybe(bool),
  diagnostics: maybe(bool),
};

const spec: Fields<ReplaySpec> = {
  traffic: v.nullish(trafficSchema),
  roles: v.pipe(
    v.array(exactly(role), found("a list of roles")),
    v.check(({ length }) => length === 1 || length === 2, "expected one role, or prefill and decode"),
  ),
  router: v.nullish(exactly(router)),
  autoscaler: v.nullish(exactly(autoscaler)),
  retune: v.nullish(exactly(retune)),
  stack: maybe(named(["engine", "dynamo"])),
  sla: v.nullish(exactly(sla)),
  price: v.nullish(exactly(price)),
  maxVirtualMs: v.nullish(number),
  cutoff: maybe(named(["soft", "hard"])),
  capture: maybe(exactly(capture)),
};
/** Schema of a description of a run. */
export const replaySpecSchema: v.GenericSchema<unknown, ReplaySpec> = exactly(spec);

/**
 * Checks a description of a run that comes from outside: its shape, its names and that no number lost digits. What the
 * values mean is checked by {@linkcode run}.
 *
 * @param value parsed JSON, or a structured clone
 * @throws {ConfigError} with an issue for each thing that is wrong: its place, what was found and what was expected
 *
 * @example
 * ```ts
 * import { readReplaySpec, replaySpecText, run, traceReplaySpec } from "dynosim";
 *
 * const text = replaySpecText(await traceReplaySpec(["fixtures/traces/chat.jsonl"], { numWorkers: 2 }));
 * const spec = readReplaySpec(JSON.parse(text)); // on another machine
 * console.log(spec.roles[0].replicas, (await run(spec).report).summary.completed_requests > 0); // 2 true
 * ```
 */
export function readReplaySpec(value: unknown): ReplaySpec {
  const result = v.safeParse(replaySpecSchema, value);
  if (result.success) return result.output;
  const issues = result.issues.map((issue): ConfigIssue => ({ path: placeOf(issue), message: issue.message }));
  throw new ConfigError(issues.map(({ path, message }) => path ? `${path}: ${message}` : message).join("\n"), issues);
}

/** A path as `roles[0].launch`; of an unknown key that of the object around it. */
function placeOf(issue: v.BaseIssue<unknown>): string {
  const keys = (issue.path ?? []).map(({ key }) => key);
  if (issue.expected === "never") keys.pop();
  return keys.map((key, at) => typeof key === "number" ? `[${key}]` : `${at ? "." : ""}${key}`).join("");
}

/**
 * A description of a run as JSON. Whole numbers that JSON cannot keep (a seed of multi-token prediction beyond 2^53) are
 * written as text, which {@linkcode readReplaySpec} reads.
 *
 * @example
 * ```ts
 * import { readReplaySpec, replaySpecText } from "dynosim";
 *
 * const launch = { engine: { aic_mtp_seed: 2n ** 60n } };
 * const text = replaySpecText({ roles: [{ role: "aggregated", replicas: 1, launch }] });
 * console.log(readReplaySpec(JSON.parse(text)).roles[0].launch.engine); // { aic_mtp_seed: 1152921504606846976n }
 * ```
 */
export function replaySpecText(spec: ReplaySpec): string {
  return JSON.stringify(spec, (_, value) => typeof value === "bigint" ? String(value) : value);
}
