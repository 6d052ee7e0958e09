/**
 * Reads the reference's router configuration (`router_config`, snake_case, as its JSON has it) into settings. Texts of
 * errors are the reference's.
 *
 * @module
 */
import { choices, shown } from "../engine/launch/fields.ts";
import { ConfigError, nearName } from "../errors.ts";
import { misshapen, type Shape } from "./field_shapes.ts";
import { KV_ROUTER_DEFAULTS, type KvRouterSettings, type QueueProfile } from "./kv_settings.ts";

const PREFIX = "Failed to parse KvRouterConfig JSON: ";

interface Field extends Shape {
  /** Bounds, checked after all types; `text` says what is wrong. */
  least?: number;
  most?: number;
  text?: string;
  /** Set when replay has no use for the field; says why. */
  unused?: string;
}

const LIVE_ONLY = "it concerns the live router only";
const flag: Field = { is: "boolean" };
const liveFlag: Field = { is: "boolean", unused: LIVE_ONLY };
const weight: Field = { is: "f64", least: 0, text: "must be finite and non-negative" };
const share: Field = { is: "f64", least: 0, most: 1, text: "must be between 0 and 1" };
const noTier = "engines in replay have no such cache tier";
const atLeastZero: Field = { is: "f64", least: 0, text: "must be greater than or equal to 0" };

/** Fields in the order in which the reference lists them and checks their bounds. */
export const FIELDS: Readonly<Record<string, Field>> = {
  overlap_score_credit: { ...weight, text: "must be a finite, non-negative number" },
  overlap_score_credit_decay: weight,
  prefill_load_scale: weight,
  decode_active_request_weight: weight,
  overlap_score_weight: { is: "f64", nullable: true },
  host_cache_hit_weight: { ...share, unused: noTier },
  disk_cache_hit_weight: { ...share, unused: noTier },
  router_temperature: weight,
  use_kv_events: { is: "boolean", unused: "replay always has the engines' events" },
  durable_kv_events: liveFlag,
  router_replica_sync: liveFlag,
  router_track_active_blocks: flag,
  router_track_output_blocks: { is: "boolean", unused: "generated tokens are not reported to the router in replay" },
  router_assume_kv_reuse: flag,
  router_track_prefill_tokens: flag,
  router_tracking_hash: { is: ["public-xxh3-v1", "keyed-xxh3-v1"], unused: "only hash values depend on it" },
  router_tracking_key_file: { is: "text", nullable: true, unused: "only hash values depend on it" },
  router_tracking_key_id: { is: "text", nullable: true, unused: "only hash values depend on it" },
  router_prefill_load_model: { is: ["none", "aic", "ais"] },
  router_snapshot_threshold: { is: "u32", nullable: true, unused: LIVE_ONLY },
  router_reset_states: liveFlag,
  router_ttl_secs: { ...atLeastZero, unused: "requests do not expire in replay" },
  router_queue_threshold: { ...atLeastZero, nullable: true },
  router_policy_config: { is: "text", nullable: true },
  router_event_threads: { is: "u32", least: 1, text: "must be at least 1", unused: LIVE_ONLY },
  skip_initial_worker_wait: liveFlag,
  router_queue_policy: { is: ["fcfs", "lcfs", "wspt"] },
  use_remote_indexer: liveFlag,
  serve_indexer: liveFlag,
  enable_session_prefix_index: liveFlag,
  shared_cache_multiplier: { ...share, nullable: true, unused: "replay reports no shared cache hits" },
  shared_cache_type: { is: ["none", "hicache"], unused: "replay reports no shared cache hits" },
  router_predicted_ttl_secs: { ...atLeastZero, nullable: true, unused: "replay always has the engines' events" },
  conditional_disagg_enabled: liveFlag,
  conditional_disagg_policy: { is: ["isl_bounding", "prefill_load", "isl_or_load"], unused: LIVE_ONLY },
  conditional_disagg_eff_isl_threshold: { is: "usize", unused: LIVE_ONLY },
  conditional_disagg_eff_isl_ratio_threshold: { ...share, unused: LIVE_ONLY },
  conditional_disagg_prefill_busy_threshold: { ...atLeastZero, nullable: true, unused: LIVE_ONLY },
  conditional_disagg_decode_busy_threshold: { ...atLeastZero, nullable: true, unused: LIVE_ONLY },
};

const names = Object.keys(FIELDS);

type Values = Record<string, unknown>;

/** Rules between fields: what is wrong when they hold. Absent fields count with their defaults. */
const RULES: readonly [(values: Values) => boolean, string][] = [
  [(f) => f.durable_kv_events === true, "durable_kv_events=true is not supported by this runtime"],
  [
    (f) => f.router_track_output_blocks === true && f.router_track_active_blocks === false,
    "router_track_output_blocks requires router_track_active_blocks=true",
  ],
  [
    (f) => (f.router_prefill_load_model ?? "none") !== "none" && f.router_track_prefill_tokens === false,
    "router_prefill_load_model requires router_track_prefill_tokens=true",
  ],
  [
    (f) => (f.router_predicted_ttl_secs ?? null) !== null && f.use_kv_events === false,
    "router_predicted_ttl_secs requires use_kv_events=true",
  ],
  [
    (f) => f.enable_session_prefix_index === true && f.use_kv_events === false,
    "enable_session_prefix_index requires use_kv_events=true",
  ],
  [
    (f) => f.use_remote_indexer === true && f.serve_indexer === true,
    "use_remote_indexer and serve_indexer are mutually exclusive",
  ],
  [
    (f) =>
      f.router_tracking_hash !== "keyed-xxh3-v1" &&
      ((f.router_tracking_key_file ?? null) !== null || (f.router_tracking_key_id ?? null) !== null),
    "router tracking key options require router_tracking_hash=keyed-xxh3-v1",
  ],
  [
    (f) => f.router_tracking_hash === "keyed-xxh3-v1" && (f.router_tracking_key_file ?? null) === null,
    "keyed-xxh3-v1 requires router_tracking_key_file",
  ],
  [
    (f) => f.router_tracking_hash === "keyed-xxh3-v1" && !f.router_tracking_key_id,
    "keyed-xxh3-v1 requires a nonempty router_tracking_key_id",
  ],
];

/** Settings read from a configuration. */
export interface KvRouterConfig {
  /** Settings that were given; the rest keeps its defaults. */
  settings: Partial<KvRouterSettings>;
  /** Path of a policy file, to be read into `settings.profile`; null when there is none. */
  policyFile: string | null;
  /** Fields given that change nothing in replay, each with its reason, as sentences for the user. */
  withoutEffect: readonly string[];
}

function refuse(path: string, reason: string, hint?: string): ConfigError {
  const message = PREFIX + reason;
  return new ConfigError(message, [{ path, message, ...(hint ? { hint } : {}) }]);
}

/**
 * Reads a `router_config` mapping.
 *
 * @throws {ConfigError} with the reference's text for the first thing wrong, in document order for shapes
 *
 * @example
 * ```ts
 * import { readKvRouterConfig } from "dynosim";
 *
 * const { settings } = readKvRouterConfig({ router_temperature: 0.2 });
 * console.log(settings); // { temperature: 0.2 }
 * ```
 */
export function readKvRouterConfig(config: unknown): KvRouterConfig {
  if (config === null || typeof config !== "object" || Array.isArray(config)) {
    throw refuse("", `invalid type: ${shown(config)}, expected struct KvRouterConfigSerde`);
  }
  const values = config as Values;
  for (const [name, value] of Object.entries(values)) {
    if (!Object.hasOwn(FIELDS, name)) {
      const near = nearName(name, names);
      const hint = near && `did you mean \`${near}\`?`;
      throw refuse(name, `unknown field \`${name}\`, expected ${choices(names)}`, hint);
    }
    const wrong = misshapen(FIELDS[name], value);
    if (wrong !== null) throw refuse(name, wrong);
  }
  // The deprecated weight overrides what it stands for.
  const old = (values.overlap_score_weight ?? null) as number | null;
  const merged: Values = old === null ? values : {
    ...values,
    prefill_load_scale: old,
    ...(old === 0 ? { overlap_score_credit: 0 } : {}),
  };
  for (const name of names) {
    const { least, most, text } = FIELDS[name], value = merged[name];
    if (typeof value !== "number" || text === undefined) continue;
    if (value < (least ?? -Infinity) || value > (most ?? Infinity)) throw refuse(name, `${name} ${text}`);
  }
  for (const [broken, text] of RULES) if (broken(merged)) throw refuse(text.split(" ")[0], text);
  return {
    settings: settingsOf(merged),
    policyFile: (merged.router_policy_config ?? null) as string | null,
    withoutEffect: withoutEffect(values, "router_config"),
  };
}

/** A sentence for each field that replay has no use for. */
export function withoutEffect(values: Readonly<Values>, where: string): string[] {
  return Object.keys(values).filter((name) => FIELDS[name].unused !== undefined)
    .map((name) => `${where}.${name} has no effect: ${FIELDS[name].unused}`);
}

/** Settings among the fields of a configuration; absent ones stay absent. */
export function settingsOf(values: Values): Partial<KvRouterSettings> {
  const all = {
    overlapScoreCredit: values.overlap_score_credit,
    overlapScoreCreditDecay: values.overlap_score_credit_decay,
    prefillLoadScale: values.prefill_load_scale,
    decodeActiveRequestWeight: values.decode_active_request_weight,
    temperature: values.router_temperature,
    trackActiveBlocks: values.router_track_active_blocks,
    assumeKvReuse: values.router_assume_kv_reuse,
    trackPrefillTokens: values.router_track_prefill_tokens,
    prefillLoadModel: values.router_prefill_load_model === "ais" ? "aic" : values.router_prefill_load_model,
    queueThreshold: values.router_queue_threshold,
    queuePolicy: values.router_queue_policy,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Partial<
    KvRouterSettings
  >;
}

/**
 * Completes settings with the defaults and checks them.
 *
 * @param profile classes of a policy file, null for none
 * @throws {ConfigError} for a value out of bounds; texts are those of {@linkcode readKvRouterConfig} without the prefix
 */
export function completeKvSettings(
  given: Partial<KvRouterSettings>,
  profile: QueueProfile | null = given.profile ?? null,
): KvRouterSettings {
  const settings: KvRouterSettings = { ...KV_ROUTER_DEFAULTS, profile };
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) Object.assign(settings, { [name]: value });
  }
  settings.profile = profile;
  const wrong = (path: string, message: string) => new ConfigError(message, [{ path, message }]);
  const checked: [keyof KvRouterSettings, string][] = [
    ["overlapScoreCredit", "overlap_score_credit"],
    ["overlapScoreCreditDecay", "overlap_score_credit_decay"],
    ["prefillLoadScale", "prefill_load_scale"],
    ["decodeActiveRequestWeight", "decode_active_request_weight"],
    ["temperature", "router_temperature"],
    ["queueThreshold", "router_queue_threshold"],
  ];
  for (const [key, name] of checked) {
    const value = settings[key];
    if (value === null && key === "queueThreshold") continue;
    if (!(typeof value === "number" && value >= 0 && value < Infinity)) {
      throw wrong(name, `${name} ${FIELDS[name].text}`);
    }
  }
  const lag = settings.kvEventLagMs;
  if (!(lag >= 0 && lag < Infinity)) {
    throw wrong("kv_event_lag_ms", `kv_event_lag_ms must be finite and non-negative, got ${lag}`);
  }
  if (settings.prefillLoadModel !== "none" && !settings.trackPrefillTokens) {
    throw wrong(
      "router_prefill_load_model",
      "router_prefill_load_model requires router_track_prefill_tokens=true",
    );
  }
  return settings;
}
