/**
 * Names of the routers that a configuration can name, apart from the routers themselves, so that reading a
 * configuration loads none of them.
 *
 * @module
 */
import { ConfigError, nearName } from "../errors.ts";

/** Name of a router in a configuration (`router.policy`). */
export type RouterName = "round_robin" | "kv_router" | "least_loaded";

/** All names, the default first. */
export const ROUTER_NAMES: readonly RouterName[] = ["round_robin", "kv_router", "least_loaded"];

/** The error for a name that is none of them. */
export function unknownRouter(name: string): ConfigError {
  const near = nearName(name, ROUTER_NAMES), known = ROUTER_NAMES.map((known) => `'${known}'`).join(", ");
  const message = `router ${JSON.stringify(name)} is not known; known routers: ${known}` +
    (near ? ` (did you mean '${near}'?)` : "");
  return new ConfigError(message, [{ path: "router.policy", message }]);
}
