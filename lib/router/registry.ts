/**
 * The factories of all routers, for scripts. A configuration takes {@linkcode routerFrom} to them.
 *
 * @module
 */
import { kvRouter, type KvRouterOptions } from "./kv_factory.ts";
import type { RouterName } from "./names.ts";
import { PLAIN_ROUTERS } from "./plain_routers.ts";
import type { RouterFactory } from "./router.ts";

/** Makes the routers of a cluster from the settings of a configuration; those without settings ignore them. */
export const ROUTERS = {
  ...PLAIN_ROUTERS,
  kv_router: kvRouter,
} as const satisfies Record<RouterName, (options: KvRouterOptions) => RouterFactory>;
