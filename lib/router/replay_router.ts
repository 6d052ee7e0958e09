/**
 * Routers as the reference's replay functions name them: a mode, a `router_config` mapping and what goes with it. May
 * import the registry and the readers of configurations.
 *
 * @module
 */
import { checkOptions, ConfigError, type OptionNames } from "../errors.ts";
import { choices, shown } from "../engine/launch/fields.ts";
import { readKvRouterConfig } from "./kv_config.ts";
import type { KvRouterSettings } from "./kv_settings.ts";
import { type PolicyFileOptions, readPolicyFile } from "./policy_file.ts";
import type { PrefillLoadModel } from "./prefill_load.ts";
import { ROUTER_NAMES, routerByName } from "./registry.ts";
import type { RouterFactory } from "./router.ts";

/** Options of {@linkcode replayRouter}. */
export interface ReplayRouterOptions {
  /** `round_robin` (default), `kv_router`, or one of dynosim's own. */
  routerMode?: string;
  /** `router_config` as its JSON has it; absent means all defaults. */
  routerConfig?: unknown;
  /** Delay of cache events in milliseconds; only for `kv_router`. */
  kvEventLagMs?: number;
  /** Contents of the policy file that `router_config` names, parsed. */
  policyFile?: unknown;
  policyFileOptions?: PolicyFileOptions;
  /** Launch mapping of the (prefill) workers; its `dynamo.router_queue_policy` wins over the configured one. */
  launch?: unknown;
  /** Performance model for `router_prefill_load_model`. */
  prefillLoadMs?: PrefillLoadModel | null;
  /** Seed of the random choices. Default 0xD1A05EED. */
  seed?: bigint | number;
}

/** A router and what was given for nothing. */
export interface ReplayRouter {
  router: RouterFactory;
  /** One sentence for each option without effect. */
  withoutEffect: readonly string[];
}

/**
 * Makes a router from the options of a replay function.
 *
 * @throws {ConfigError} with the reference's text for the first thing wrong
 *
 * @example
 * ```ts
 * import { replayRouter } from "dynosim";
 *
 * const { withoutEffect } = replayRouter({ routerMode: "kv_router", routerConfig: { router_event_threads: 2 } });
 * console.log(withoutEffect[0]); // "router_config.router_event_threads has no effect: it concerns the live router only"
 * ```
 */
export function replayRouter(options: ReplayRouterOptions = {}): ReplayRouter {
  checkOptions(
    "replayRouter()",
    options,
    {
      routerMode: true,
      routerConfig: true,
      kvEventLagMs: true,
      policyFile: true,
      policyFileOptions: true,
      launch: true,
      prefillLoadMs: true,
      seed: true,
    } satisfies OptionNames<ReplayRouterOptions>,
  );
  const { routerMode: mode = "round_robin", kvEventLagMs } = options;
  if (!(ROUTER_NAMES as readonly string[]).includes(mode)) {
    throw wrong("router_mode", `router_mode must be either 'round_robin' or 'kv_router', got '${mode}'`);
  }
  if (mode !== "kv_router") {
    if (kvEventLagMs !== undefined) {
      throw wrong("kv_event_lag_ms", "kv_event_lag_ms only supports router_mode='kv_router'");
    }
    const given = options.routerConfig !== undefined && options.routerConfig !== null;
    const withoutEffect = given ? [`router_config has no effect: router_mode is ${mode}`] : [];
    return { router: routerByName(mode), withoutEffect };
  }
  const { settings, policyFile, withoutEffect } = readKvRouterConfig(options.routerConfig ?? {});
  const merged: Partial<KvRouterSettings> = { ...settings, ...(kvEventLagMs === undefined ? {} : { kvEventLagMs }) };
  const notes = [...withoutEffect];
  const launched = launchPolicy(options.launch);
  if (launched !== null) merged.queuePolicy = launched;
  if (policyFile !== null) {
    if (options.policyFile === undefined) {
      const reason = `failed to read router policy config ${policyFile}: its contents were not handed over`;
      throw wrong("router_policy_config", `router_policy_config: ${reason}`);
    }
    const file = readPolicyFile(options.policyFile, { path: policyFile, ...options.policyFileOptions });
    Object.assign(merged, file.settings, { profile: file.profile });
    notes.push(...file.withoutEffect);
    if (file.profile !== null) {
      for (const name of ["queueThreshold", "queuePolicy"] as const) {
        if ((merged[name] ?? null) === null) continue;
        const field = name === "queueThreshold" ? "router_queue_threshold" : "router_queue_policy";
        notes.push(`${field} has no effect: the policy file's classes have their own`);
      }
    }
  }
  const { prefillLoadMs = null, seed } = options;
  if (merged.prefillLoadModel === "aic" && prefillLoadMs === null) {
    throw wrong("router_prefill_load_model", "router_prefill_load_model='ais' requires ais_perf_config");
  }
  return { router: routerByName(mode, { ...merged, prefillLoadMs, seed }), withoutEffect: notes };
}

const wrong = (path: string, message: string) => new ConfigError(message, [{ path, message }]);

const POLICIES = ["fcfs", "lcfs", "wspt"] as const;

/** The queue policy that a launch mapping asks for, null when it does not. */
function launchPolicy(launch: unknown): (typeof POLICIES)[number] | null {
  const runtime = (launch as { dynamo?: { router_queue_policy?: unknown } } | null | undefined)?.dynamo;
  const policy = runtime?.router_queue_policy ?? null;
  if (policy === null) return null;
  const refuse = (reason: string) => wrong("dynamo.router_queue_policy", `router_queue_policy: ${reason}`);
  if (typeof policy !== "string") throw refuse(`invalid type: ${shown(policy)}, expected string or map`);
  const known = POLICIES.find((name) => name === policy);
  if (known === undefined) throw refuse(`unknown variant \`${policy}\`, expected ${choices(POLICIES)}`);
  return known;
}
