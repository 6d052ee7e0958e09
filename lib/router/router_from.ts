/**
 * The one way from a router in plain data to a router: its policy file is read, its load model loaded, and what of it
 * has no effect is said.
 *
 * @module
 */
import { checkOptions, type OptionNames } from "../errors.ts";
import type { EstimatorIdentity } from "../timing/aic/estimator_identity.ts";
import type { CalibrationProfile } from "../timing/calibration/profile.ts";
import type { Deployments } from "../timing/deployments.ts";
import { unknownRouter } from "./names.ts";
import { PLAIN_ROUTERS } from "./plain_routers.ts";
import type { PolicyFileOptions } from "./policy_file.ts";
import type { RouterFactory } from "./router.ts";
import type { RouterSpec } from "./spec.ts";

/** What a router may have to know of the cluster it is made for. */
export interface RouterSurroundings {
  /** Launch mapping of the workers that compute prompts; its `dynamo.router_queue_policy` wins over the settings. */
  launch?: unknown;
  /** Their identity in the operator database, for `prefillLoadModel: "aic"`; null when unknown. */
  estimator?: EstimatorIdentity | null;
  /** What corrects its times: the calibration of those workers. Default nothing. */
  calibration?: CalibrationProfile | null;
  /** Where that model comes from. */
  deployments?: Pick<Deployments, "of">;
  /** Roles of the pools. Default all. */
  roles?: PolicyFileOptions["roles"];
}

const SURROUNDINGS: OptionNames<RouterSurroundings> = {
  launch: true,
  estimator: true,
  calibration: true,
  deployments: true,
  roles: true,
};

/** A router and what was asked of it for nothing. */
export interface MadeRouter {
  /** Makes the router of each pool. */
  router: RouterFactory;
  /** One sentence for each setting without effect. */
  warnings: readonly string[];
}

/**
 * Makes a router.
 *
 * @throws {ConfigError} for a name that is not known, a setting out of bounds, a policy file that cannot be read or
 * understood, and a load model without the identity of the workers
 *
 * @example
 * ```ts
 * import { routerFrom } from "dynosim";
 *
 * const { router, warnings } = await routerFrom({
 *   policy: "kv_router",
 *   settings: { queueThreshold: 0.5 },
 *   policyFile: { router: { router_event_threads: 2 } },
 * });
 * console.log(typeof router); // "function"
 * console.log(warnings[0]); // "policy file: router.router_event_threads has no effect: it concerns the live router only"
 * ```
 */
export async function routerFrom(spec: RouterSpec, about: RouterSurroundings = {}): Promise<MadeRouter> {
  checkOptions(
    "routerFrom()",
    spec,
    { policy: true, settings: true, policyFile: true } satisfies OptionNames<RouterSpec>,
  );
  checkOptions("routerFrom(): surroundings", about, SURROUNDINGS);
  const { policy = "round_robin", settings = {}, policyFile = null } = spec;
  if (policy === "kv_router") {
    const { kvRouterFrom }: typeof import("./kv_router_from.ts") = await import(
      import.meta.resolve("./kv_router_from.ts")
    );
    return await kvRouterFrom(spec, about);
  }
  if (!Object.hasOwn(PLAIN_ROUTERS, policy)) throw unknownRouter(policy);
  const vain = [...Object.keys(settings), ...policyFile === null ? [] : ["policyFile"]];
  return {
    router: PLAIN_ROUTERS[policy as keyof typeof PLAIN_ROUTERS](),
    warnings: vain.map((name) => `the router's ${name} has no effect: its policy is ${policy}`),
  };
}
