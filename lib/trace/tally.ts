/**
 * The end of a conversion's counts.
 *
 * @module
 */
import { TraceError } from "../errors.ts";
import { BlockFit } from "./block_fit.ts";
import { MOST_TIME_MS } from "./clock.ts";
import type { Ledger } from "./ledger.ts";
import type { TraceRequest } from "./request.ts";
import { batchStage, type Stage } from "./stage.ts";

/**
 * Counts what passes into the ledger and, at the end, checks that the row counts add up: the last stage before a writer.
 * `blockTokens` is asked for at the first request.
 */
export function tally(ledger: Ledger, blockTokens: () => number): Stage<TraceRequest, TraceRequest> {
  return batchStage(async function* (batches) {
    let last = NaN, fit: BlockFit | undefined;
    for await (const batch of batches) {
      for (const request of batch) {
        fit ??= new BlockFit(ledger.blockTokens = blockTokens());
        fit.add(request.inputTokens, request.hashIds.length);
        const time = request.timestampMs;
        if (time === undefined) continue;
        if (!(Math.abs(time) <= MOST_TIME_MS)) {
          const place = { line: request.line };
          throw new TraceError(`trace line ${request.line}: timestamp ${time} is beyond what a clock tells`, place);
        }
        if (time < last) ledger.inversions++;
        last = time;
        if (!(time >= ledger.firstMs)) ledger.firstMs = time;
        if (!(time <= ledger.lastMs)) ledger.lastMs = time;
      }
      ledger.emitted += batch.length;
      yield batch;
    }
    const warning = fit?.warning();
    if (warning !== undefined) ledger.note(warning);
    ledger.check();
  });
}
