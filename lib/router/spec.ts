/**
 * A router in plain data, and how the options of the reference's replay functions become one.
 *
 * @module
 */
import { checkOptions, ConfigError, type OptionNames } from "../errors.ts";
import { readKvRouterConfig } from "./kv_config.ts";
import type { KvRouterSettings } from "./kv_settings.ts";
import { ROUTER_NAMES } from "./names.ts";

/** Settings of a kv_router in plain data; absent ones have their defaults (see `kvRouter`). */
export interface RouterSettings extends Partial<Omit<KvRouterSettings, "profile" | "seed">> {
  /** Seed of the random choices, a non-negative integer. Default 0xD1A05EED. */
  seed?: number;
}

/** A router in plain data: it survives JSON and a structured clone. {@linkcode routerFrom} makes it. */
export interface RouterSpec {
  /** Name of a router, see `ROUTER_NAMES`. Default `round_robin`. */
  policy?: string;
  /** Settings of a kv_router; other routers have none. */
  settings?: RouterSettings;
  /**
   * Policy file of a kv_router: its path, or its parsed content. Its settings win over `settings`, and its classes of
   * requests queue apart from each other.
   */
  policyFile?: string | Readonly<Record<string, unknown>> | null;
}

/** How the reference's replay functions describe a router. */
export interface ReplayRouterOptions {
  /** `round_robin` (default), `kv_router`, or one of dynosim's own. */
  routerMode?: string;
  /** `router_config` as its JSON has it; absent means all defaults. */
  routerConfig?: unknown;
  /** Delay of cache events in milliseconds; only for `kv_router`. */
  kvEventLagMs?: number;
}

const REPLAY_ROUTER_OPTIONS: OptionNames<ReplayRouterOptions> = {
  routerMode: true,
  routerConfig: true,
  kvEventLagMs: true,
};

/**
 * The router that the options of a replay function ask for.
 *
 * @returns the router in plain data, and a sentence for each option without effect
 * @throws {ConfigError} with the reference's text for the first thing wrong
 *
 * @example
 * ```ts
 * import { routerSpecOf } from "dynosim";
 *
 * const { spec, warnings } = routerSpecOf({
 *   routerMode: "kv_router",
 *   routerConfig: { router_temperature: 0.2, router_event_threads: 2 },
 * });
 * console.log(spec.settings?.temperature); // 0.2
 * console.log(warnings[0]); // "router_config.router_event_threads has no effect: it concerns the live router only"
 * ```
 */
export function routerSpecOf(options: ReplayRouterOptions = {}): { spec: RouterSpec; warnings: readonly string[] } {
  checkOptions("routerSpecOf()", options, REPLAY_ROUTER_OPTIONS);
  const { routerMode: policy = "round_robin", routerConfig, kvEventLagMs } = options;
  if (!(ROUTER_NAMES as readonly string[]).includes(policy)) {
    throw wrong("router_mode", `router_mode must be either 'round_robin' or 'kv_router', got '${policy}'`);
  }
  if (policy !== "kv_router") {
    if (kvEventLagMs !== undefined) {
      throw wrong("kv_event_lag_ms", "kv_event_lag_ms only supports router_mode='kv_router'");
    }
    const given = routerConfig !== undefined && routerConfig !== null;
    return { spec: { policy }, warnings: given ? [`router_config has no effect: router_mode is ${policy}`] : [] };
  }
  const { settings: { profile: _, seed: __, ...settings }, policyFile, withoutEffect } = readKvRouterConfig(
    routerConfig ?? {},
  );
  return {
    spec: {
      policy,
      settings: { ...settings, ...(kvEventLagMs === undefined ? {} : { kvEventLagMs }) },
      ...(policyFile === null ? {} : { policyFile }),
    },
    warnings: withoutEffect,
  };
}

const wrong = (path: string, message: string) => new ConfigError(message, [{ path, message }]);
