/**
 * The routers that a configuration can name. A new one is a file with a factory and a line here; a script may also hand
 * a factory of its own to the cluster.
 *
 * @module
 */
import { ConfigError, nearName } from "../errors.ts";
import { kvRouter, type KvRouterOptions } from "./kv_factory.ts";
import { leastLoaded } from "./least_loaded.ts";
import { roundRobin } from "./round_robin.ts";
import type { RouterFactory } from "./router.ts";

/** Makes the routers of a cluster from the settings of a configuration; those without settings ignore them. */
export const ROUTERS = {
  round_robin: roundRobin,
  kv_router: kvRouter,
  least_loaded: leastLoaded,
} as const satisfies Record<string, (options: KvRouterOptions) => RouterFactory>;

/** Name of a router in a configuration (`router.policy`). */
export type RouterName = keyof typeof ROUTERS;

/** All names, the default first. */
export const ROUTER_NAMES = Object.keys(ROUTERS) as readonly RouterName[];

/**
 * Makes the routers that a configuration names.
 *
 * @param options settings of the kv_router, see {@linkcode kvRouter}; other routers have none
 * @throws {ConfigError} for a name that is not known, or settings out of bounds
 */
export function routerByName(name: string, options: KvRouterOptions = {}): RouterFactory {
  if (Object.hasOwn(ROUTERS, name)) return ROUTERS[name as RouterName](options);
  const near = nearName(name, ROUTER_NAMES), known = ROUTER_NAMES.map((known) => `'${known}'`).join(", ");
  const message = `router ${JSON.stringify(name)} is not known; known routers: ${known}` +
    (near ? ` (did you mean '${near}'?)` : "");
  throw new ConfigError(message, [{ path: "router.policy", message }]);
}
