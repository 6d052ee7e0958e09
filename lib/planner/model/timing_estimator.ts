/**
 * A timing model of the simulated engines as an estimator of whole passes.
 *
 * @module
 */
import type { Timing } from "../../timing/timing.ts";
import type { PassEstimator } from "./pass.ts";

/**
 * Estimates passes the way an engine with this timing runs them: the prefill batch and the decode batch one after the
 * other.
 *
 * @param capacityTokens tokens the rank's KV pool holds
 *
 * @example
 * ```ts
 * import { fixed, timingEstimator } from "dynosim";
 *
 * const estimator = timingEstimator(fixed({ prefillMs: 10, decodeMs: 2 }), 65_536);
 * const pass = { prefillRequests: 1, prefillTokens: 512, prefillKvTokens: 0, decodeRequests: 3, decodeKvTokens: 900 };
 * console.log(estimator.estimateMs(pass)); // 12
 * ```
 */
export function timingEstimator(timing: Timing, capacityTokens: number): PassEstimator {
  return {
    estimateMs({ prefillRequests, prefillTokens, prefillKvTokens, decodeRequests, decodeKvTokens }) {
      let ms = 0;
      if (prefillTokens > 0) {
        const requests = Math.max(1, prefillRequests);
        const [tokens, prefix] = [prefillTokens, prefillKvTokens].map((sum) => Math.floor(sum / requests));
        if (tokens > 0) ms += timing.prefillMs(requests, tokens, prefix);
      }
      if (decodeRequests > 0) ms += timing.decodeMs(decodeRequests, decodeKvTokens, capacityTokens);
      return ms;
    },
  };
}
