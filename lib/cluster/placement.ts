/**
 * Writes down where a request was placed.
 *
 * @module
 */
import { SimulationError } from "../errors.ts";
import type { Pool, RequestRecords } from "../engine/records.ts";
import type { Router } from "../router/router.ts";
import type { Worker } from "./worker.ts";

/**
 * Refuses a rank that a router made up.
 *
 * @throws {SimulationError} that names the router and what it answered
 */
export function checkRank(router: Router, rank: number, known: boolean): void {
  if (known) return;
  const name = router.constructor?.name ?? "the router";
  throw new SimulationError(`placement policy error: ${name} answered rank ${String(rank)}, and there is no such rank`);
}

/**
 * Notes a placement in the records and, when it is kept, in the routing history.
 *
 * @param queueEnteredMs when the router began to keep the request, `NaN` for an immediate placement
 * @param releasedMs when it let go of it; only read for queued ones
 */
export function notePlacement(
  records: RequestRecords,
  router: Router,
  pool: Pool,
  request: number,
  worker: Worker,
  rankId: number,
  queueEnteredMs: number,
  releasedMs = NaN,
): void {
  const view = router.placement;
  records.route(request, pool, view.overlapTokens);
  if (records.routing === null) return;
  records.routing.add({
    request,
    pool,
    queueEnteredMs,
    releasedMs: Number.isNaN(queueEnteredMs) ? NaN : releasedMs,
    worker: worker.id,
    scheduler: rankId,
    dpRank: rankId - worker.firstRank,
    overlapTokens: view.overlapTokens,
    overlapBlocks: view.overlapBlocks,
    bestOverlapBlocks: view.bestOverlapBlocks,
  });
}
