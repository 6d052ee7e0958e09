/**
 * The routers that a configuration can name. A new one is a file with a factory, its name in `names.ts` and a line here; a
 * script may also hand a factory of its own to the cluster.
 *
 * @module
 */
import { kvRouter, type KvRouterOptions } from "./kv_factory.ts";
import { leastLoaded } from "./least_loaded.ts";
import { type RouterName, unknownRouter } from "./names.ts";
import { roundRobin } from "./round_robin.ts";
import type { RouterFactory } from "./router.ts";

/** Makes the routers of a cluster from the settings of a configuration; those without settings ignore them. */
export const ROUTERS = {
  round_robin: roundRobin,
  kv_router: kvRouter,
  least_loaded: leastLoaded,
} as const satisfies Record<RouterName, (options: KvRouterOptions) => RouterFactory>;

/**
 * Makes the routers that a configuration names.
 *
 * @param options settings of the kv_router, see {@linkcode kvRouter}; other routers have none
 * @throws {ConfigError} for a name that is not known, or settings out of bounds
 */
export function routerByName(name: string, options: KvRouterOptions = {}): RouterFactory {
  if (!Object.hasOwn(ROUTERS, name)) throw unknownRouter(name);
  return ROUTERS[name as RouterName](options);
}
