/**
 * The routers without settings. A new one is a file with a factory, its name in `names.ts` and a line here; a script may
 * also hand a factory of its own to the cluster.
 *
 * @module
 */
import { leastLoaded } from "./least_loaded.ts";
import type { RouterName } from "./names.ts";
import { roundRobin } from "./round_robin.ts";
import type { RouterFactory } from "./router.ts";

/** Their factories by name. The kv_router is apart: it is loaded when it is asked for. */
export const PLAIN_ROUTERS = {
  round_robin: roundRobin,
  least_loaded: leastLoaded,
} as const satisfies Record<Exclude<RouterName, "kv_router">, () => RouterFactory>;
