/**
 * The end of a pass of an SGLang rank as the outside hears it: tokens, completions, rejections and kept KV, in order.
 *
 * @module
 */
import type { Rank } from "../rank.ts";
import type { RankContext } from "../rank_context.ts";
import { Outcome } from "../records.ts";
import { type PassResults, Signal } from "./pass_results.ts";
import type { Requests } from "./requests.ts";

/** Tells the results of a pass that ends at `endMs` and clears them. */
export function deliver(
  rank: Rank,
  { signals }: PassResults,
  { stream, slots }: Requests,
  { observer, records }: RankContext,
  endMs: number,
  prefills: boolean,
): void {
  for (let i = 0; i < signals.count; i++) {
    const slot = signals.slot[i], request = slots.request[slot], kind = signals.kind[i];
    if (kind === Signal.rejected) {
      records.emit(request, 0, NaN, NaN, NaN);
      slots.close(slot);
      observer.ended(rank, request, endMs, Outcome.rejected);
      continue;
    }
    const first = Number.isNaN(stream.firstMs(slot));
    if (kind === Signal.first || kind === Signal.only) {
      stream.beginBetween(slot, endMs);
    } else if (kind === Signal.token || kind === Signal.last) {
      if (!stream.running(slot)) stream.begin(slot);
      stream.burst(slot, signals.burst[i] - 1);
    }
    if (kind === Signal.first || kind === Signal.token) {
      if (first && rank.tellFirstTokens) observer.firstToken(rank, request, endMs);
    } else if (prefills) {
      stream.drop(slot);
      observer.sourceHeld(rank, request, endMs);
    } else {
      stream.complete(slot, request, slots.length[slot] - slots.prompt[slot]);
      slots.close(slot);
      observer.ended(rank, request, endMs, Outcome.completed);
    }
  }
  signals.clear();
}
