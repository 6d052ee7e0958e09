/**
 * How a run is judged: the share of requests within the SLA and which bound the others missed, what it cost, and
 * whether it was saturated. The report's `evaluation` section.
 *
 * @module
 */
import type { RequestRecords } from "../engine/records.ts";
import { type Overload, overloadOf } from "./overload.ts";
import { type Cost, costOf, type Price } from "./price.ts";
import type { ServedRequests, SlaCounts } from "./served_requests.ts";
import type { Sla } from "./sla.ts";
import type { Summary } from "./summary.ts";

/** Requests held to the SLA. */
export interface SlaVerdict {
  /** Bounds in milliseconds; null where there is none. `itl_ms` bounds the TPOT, a request's mean. */
  bounds: { ttft_ms: number | null; itl_ms: number | null; e2e_ms: number | null };
  /** All requests of the load, those that a cutoff kept out or left unfinished among them. */
  requests: number;
  /** Requests that completed and kept every bound. */
  within: number;
  /** `within` as a share of `requests`; 0 without requests. */
  attainment: number;
  /** How many requests missed which bound; one may miss several. */
  missed: {
    /** The time to the first token was over its bound. */
    ttft: number;
    /** The mean time between the request's tokens was over the bound `itl_ms`. */
    tpot: number;
    /** The time to the last token was over its bound. */
    e2e: number;
    /** The request was rejected, failed or left unfinished, or completed without a token that a bound could be held to. */
    unserved: number;
  };
}

/** The judgement of a run; parts that nothing was asked about are not there. */
export interface Evaluation {
  /** Only with an SLA. */
  sla?: SlaVerdict;
  /** Only with a price. */
  cost?: Cost;
  /** Only where the run was saturated. */
  overload?: Overload;
}

/** Judges a run; undefined when there is nothing to say. */
export function evaluate(
  records: RequestRecords,
  served: ServedRequests,
  summary: Summary,
  { sla, price }: { sla: Sla | null; price: Price | null },
): Evaluation | undefined {
  const overload = overloadOf(records, served.waits);
  if (sla === null && price === null && overload === null) return undefined;
  return {
    ...(sla === null ? {} : { sla: verdictOf(served.sla!, summary, sla) }),
    ...(price === null ? {} : { cost: costOf(summary, price) }),
    ...(overload === null ? {} : { overload }),
  };
}

function verdictOf({ within, served, ttft, tpot, e2e }: SlaCounts, summary: Summary, sla: Sla): SlaVerdict {
  const requests = requestsOf(summary);
  return {
    bounds: { ttft_ms: sla.ttftMs ?? null, itl_ms: sla.itlMs ?? null, e2e_ms: sla.e2eMs ?? null },
    requests,
    within,
    attainment: attainment(summary) ?? 0,
    missed: { ttft, tpot, e2e, unserved: requests - served },
  };
}

/** Figures of a summary that tell how many of its requests kept the SLA. */
export interface Attained {
  /** Requests that arrived. */
  readonly num_requests?: number | null;
  /** Those within the SLA; absent or null without one. */
  readonly goodput_completed_requests?: number | null;
  /** Those that a cutoff kept out. */
  readonly cutoff_unadmitted_requests?: number | null;
}

/** Requests of a load, those that a cutoff kept out among them. */
const requestsOf = ({ num_requests, cutoff_unadmitted_requests }: Attained): number =>
  (num_requests ?? 0) + (cutoff_unadmitted_requests ?? 0);

/**
 * The share of a load's requests that kept every bound of the SLA; null without an SLA and without requests. Requests
 * that were rejected, failed, left unfinished or kept out by a cutoff did not.
 *
 * @param summary that of a report, or the metrics of a candidate
 *
 * @example
 * ```ts
 * import { attainment } from "dynosim";
 *
 * console.log(attainment({ num_requests: 8, goodput_completed_requests: 6 })); // 0.75
 * console.log(attainment({ num_requests: 8 })); // null
 * ```
 */
export function attainment(summary: Attained): number | null {
  const { goodput_completed_requests: good } = summary, all = requestsOf(summary);
  return good == null || all === 0 ? null : good / all;
}
