/**
 * Writes down where a request was placed. May import the records and the router interface.
 *
 * @module
 */
import type { Pool, RequestRecords } from "../engine/records.ts";
import type { Router } from "../router/router.ts";
import type { Worker } from "./worker.ts";

/** Notes a placement in the records and, when it is kept, in the routing history. */
export function notePlacement(
  records: RequestRecords,
  router: Router,
  pool: Pool,
  request: number,
  worker: Worker,
  rankId: number,
  nowMs: number,
  queued: boolean,
): void {
  const view = router.placement;
  records.place(request, pool, rankId, view.overlapTokens);
  if (records.routing === null) return;
  records.routing.add({
    request,
    pool,
    queueEnteredMs: queued ? records.arrivalMs[request] : NaN,
    releasedMs: queued ? nowMs : NaN,
    worker: worker.id,
    scheduler: rankId,
    dpRank: rankId - worker.firstRank,
    overlapTokens: view.overlapTokens,
    overlapBlocks: view.overlapBlocks,
    bestOverlapBlocks: view.bestOverlapBlocks,
  });
}
