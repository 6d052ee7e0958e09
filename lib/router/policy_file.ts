/**
 * Reads a router policy file, already parsed: settings of the router, and classes of requests that queue apart from
 * each other. Texts of errors are the reference's.
 *
 * @module
 */
import { isMapping } from "../collections/mapping.ts";
import { choices, shown } from "../engine/launch/fields.ts";
import { checkOptions, ConfigError, type OptionNames } from "../errors.ts";
import { misshapen, type Shape } from "./field_shapes.ts";
import { FIELDS, settingsOf, withoutEffect } from "./kv_config.ts";
import type { KvRouterSettings, QueueProfile } from "./kv_settings.ts";
import { queueProfile, type RawProfile } from "./policy_profile.ts";

type Mapping = Record<string, unknown>;

const PROFILE_FIELDS = ["default_policy_family", "policy_classes", "uncached_isl_buckets"];
const TOP_FIELDS = ["router", ...PROFILE_FIELDS, "models", "worker_selection", "request_classifier"];
/** Fields of the router that a policy file may set. */
const PROCESS_FIELDS = [
  "host_cache_hit_weight",
  "disk_cache_hit_weight",
  "use_kv_events",
  "router_replica_sync",
  "router_track_active_blocks",
  "router_track_output_blocks",
  "router_assume_kv_reuse",
  "router_track_prefill_tokens",
  "router_tracking_hash",
  "router_tracking_key_file",
  "router_tracking_key_id",
  "router_prefill_load_model",
  "router_ttl_secs",
  "router_event_threads",
  "use_remote_indexer",
  "serve_indexer",
  "enable_session_prefix_index",
  "shared_cache_type",
  "router_predicted_ttl_secs",
];

const usize: Shape = { is: "usize" }, name: Shape = { is: "text" };
const optional = (shape: Shape): Shape => ({ ...shape, nullable: true });
const CLASS_FIELDS: Readonly<Record<string, Shape>> = {
  name,
  policy_family: optional(name),
  cache_bucket: optional(name),
  queue_policy: name,
  quantum: usize,
  prefill_busy_threshold: optional(usize),
  prefill_busy_threshold_frac: optional({ is: "f64" }),
  request_queue_limit_per_worker: optional(usize),
  raw_isl_token_queue_limit_per_worker: optional(usize),
  cached_token_queue_limit_per_worker: optional(usize),
};
const BUCKET_FIELDS: Readonly<Record<string, Shape>> = { min_tokens: usize, bucket: name };

/** What a policy file says. */
export interface PolicyFile {
  /** Settings that override those of the router's configuration. */
  settings: Partial<KvRouterSettings>;
  /** Classes for the model asked for, null when the file has none for it. */
  profile: QueueProfile | null;
  /** Settings given that change nothing in replay, each with its reason, as sentences for the user. */
  withoutEffect: readonly string[];
}

/** Options of {@linkcode readPolicyFile}. */
export interface PolicyFileOptions {
  /** How errors call the file. Default `policy file`. */
  path?: string;
  /** Served model; its own profile replaces the root one. */
  model?: string;
  /** Roles of the pools that will use it; a custom selection for one of them is refused. Default all. */
  roles?: readonly ("aggregated" | "prefill" | "decode")[];
}

const POLICY_FILE_OPTIONS: OptionNames<PolicyFileOptions> = { path: true, model: true, roles: true };

/**
 * Reads a parsed policy file.
 *
 * @throws {ConfigError} with the reference's text for the first thing wrong
 *
 * @example
 * ```ts
 * import { readPolicyFile } from "dynosim";
 *
 * const { settings } = readPolicyFile({ router: { router_track_active_blocks: false } });
 * console.log(settings); // { trackActiveBlocks: false }
 * ```
 */
export function readPolicyFile(file: unknown, options: PolicyFileOptions = {}): PolicyFile {
  checkOptions("readPolicyFile()", options, POLICY_FILE_OPTIONS);
  const unparsed = (where: string, reason: string) =>
    refusal(
      `failed to parse router policy config ${options.path ?? "policy file"}: ${where ? `${where}: ` : ""}${reason}`,
    );
  const top = mapping(file ?? {}, "struct RawRouterPolicyConfig", "", unparsed);
  known(top, TOP_FIELDS, "", unparsed);
  const router = given(top.router) ? mapping(top.router, "a map", "router", unparsed) : null;
  const models = given(top.models) ? mapping(top.models, "a map", "models", unparsed) : {};
  const rootParts = PROFILE_FIELDS.filter((field) => given(top[field]));
  const root = rootParts.length > 0 ? top : null;
  const raw = new Map<string, RawProfile>();
  if (root !== null && rootParts.length === PROFILE_FIELDS.length) raw.set("root", rawProfile(root, "", unparsed));
  for (const [model, value] of Object.entries(models)) {
    const where = `models.${model}`, profile = mapping(value, "struct RawModelPolicyConfig", where, unparsed);
    known(profile, PROFILE_FIELDS, where, unparsed);
    const missing = PROFILE_FIELDS.find((field) => !given(profile[field]));
    if (missing !== undefined) throw unparsed(where, `missing field \`${missing}\``);
    raw.set(`model ${JSON.stringify(model)}`, rawProfile(profile, `${where}.`, unparsed));
  }
  const selections = given(top.worker_selection) ? customSelections(top.worker_selection, unparsed) : null;
  if (given(top.request_classifier)) {
    const classifier = mapping(
      top.request_classifier,
      "struct RawRequestClassifierConfig",
      "request_classifier",
      unparsed,
    );
    known(classifier, ["type", "parameters"], "request_classifier", unparsed);
    if (!given(classifier.type)) throw unparsed("request_classifier", "missing field `type`");
  }
  if (!router && !root && raw.size === 0 && !selections && !given(top.request_classifier)) {
    throw invalid(
      "router policy config must define router settings, a root profile, at least one model profile, " +
        "worker_selection, or request_classifier",
    );
  }
  if (root !== null && rootParts.length < PROFILE_FIELDS.length) {
    throw invalid(
      "root profile must specify default_policy_family, uncached_isl_buckets, and policy_classes when any root " +
        "profile field is present",
    );
  }
  if (Object.hasOwn(models, "")) throw invalid("model profile name must not be empty");
  const settings = router === null ? {} : processSettings(router);
  const profiles = new Map(
    [...raw].map(([owner, profile]) => [owner, queueProfile(profile, (reason) => invalid(`${owner} ${reason}`))]),
  );
  for (const role of options.roles ?? ["aggregated", "prefill", "decode"]) {
    const custom = selections?.get(role);
    if (custom === undefined) continue;
    const text = `custom worker-selection policy ${JSON.stringify(custom)} is not supported by replay`;
    throw refusal(text, "placement policy error: ");
  }
  if (given(top.request_classifier)) {
    throw refusal("offline replay does not support request_classifier plugins", "placement policy error: ");
  }
  const own = options.model === undefined ? undefined : profiles.get(`model ${JSON.stringify(options.model)}`);
  return {
    settings,
    profile: own ?? profiles.get("root") ?? null,
    withoutEffect: router === null ? [] : withoutEffect(router, "policy file: router"),
  };
}

type Refuse = (where: string, reason: string) => ConfigError;

const given = (value: unknown) => value !== undefined && value !== null;

function refusal(reason: string, prefix = "router_policy_config: "): ConfigError {
  const message = prefix + reason;
  return new ConfigError(message, [{ path: "router_policy_config", message }]);
}

const invalid = (reason: string) => refusal(`invalid router policy config: ${reason}`);

function mapping(value: unknown, expected: string, where: string, refuse: Refuse): Mapping {
  if (isMapping(value)) return value as Mapping;
  throw refuse(where, `invalid type: ${shown(value)}, expected ${expected}`);
}

function list(value: unknown, where: string, refuse: Refuse): unknown[] {
  if (Array.isArray(value)) return value;
  throw refuse(where, `invalid type: ${shown(value)}, expected a sequence`);
}

function known(value: Mapping, fields: readonly string[], where: string, refuse: Refuse): void {
  for (const field of Object.keys(value)) {
    if (!fields.includes(field)) throw refuse(where, `unknown field \`${field}\`, expected ${choices(fields)}`);
  }
}

/** A mapping whose fields have the given shapes; those not nullable are required unless listed in `free`. */
function shaped(
  value: unknown,
  shapes: Readonly<Record<string, Shape>>,
  where: string,
  refuse: Refuse,
  free = "",
): Mapping {
  const fields = mapping(value, "a map", where, refuse);
  known(fields, Object.keys(shapes), where, refuse);
  for (const [field, shape] of Object.entries(shapes)) {
    if (fields[field] === undefined) {
      if (!shape.nullable && field !== free) throw refuse(where, `missing field \`${field}\``);
      continue;
    }
    const wrong = misshapen(shape, fields[field]);
    if (wrong !== null) throw refuse(`${where}.${field}`, wrong.replace("invalid value", "invalid type"));
  }
  return fields;
}

function rawProfile(value: Mapping, at: string, refuse: Refuse): RawProfile {
  const wrong = misshapen(name, value.default_policy_family);
  if (wrong !== null) throw refuse(`${at}default_policy_family`, wrong);
  const items = (field: string, shapes: Readonly<Record<string, Shape>>, free = "") =>
    list(value[field], at + field, refuse).map((item, i) => shaped(item, shapes, `${at}${field}[${i}]`, refuse, free));
  return {
    family: value.default_policy_family as string,
    classes: items("policy_classes", CLASS_FIELDS, "queue_policy"),
    buckets: items("uncached_isl_buckets", BUCKET_FIELDS),
  };
}

function processSettings(router: Mapping): Partial<KvRouterSettings> {
  for (const [field, value] of Object.entries(router)) {
    if (!PROCESS_FIELDS.includes(field)) throw invalid(`unknown router setting: ${field}`);
    const wrong = misshapen(FIELDS[field], value);
    if (wrong !== null) throw invalid(`router.${field}: ${wrong}`);
  }
  return settingsOf(router);
}

/** Names of custom selections by role. */
function customSelections(value: unknown, refuse: Refuse): Map<string, string> {
  const roles = ["aggregated", "prefill", "decode", "encode"];
  const selection = mapping(value, "struct RawWorkerSelectionConfig", "worker_selection", refuse);
  known(selection, [...roles, "instances"], "worker_selection", refuse);
  const instances = given(selection.instances)
    ? list(selection.instances, "worker_selection.instances", refuse).map((item, i) => {
      const where = `worker_selection.instances[${i}]`, instance = mapping(item, "a map", where, refuse);
      for (const field of ["name", "type"]) {
        if (!given(instance[field])) throw refuse(where, `missing field \`${field}\``);
      }
      return String(instance.name);
    })
    : [];
  const chosen = new Map(roles.filter((role) => given(selection[role])).map((role) => [role, String(selection[role])]));
  if (chosen.size === 0 && instances.length === 0) {
    throw invalid(
      "worker_selection must define an instance or an aggregated, prefill, decode, or encode selection",
    );
  }
  for (const [role, instance] of chosen) {
    if (instance === "default") chosen.delete(role);
    else if (!instances.includes(instance)) {
      throw invalid(`worker_selection ${role} ${JSON.stringify(instance)} does not name a configured instance`);
    }
  }
  return chosen;
}
