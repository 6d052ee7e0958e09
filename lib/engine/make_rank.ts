/**
 * The engine families. A new one is a file that implements `Rank`, its name in `BACKENDS` (`settings.ts`) and a line here;
 * the type-checker then names the tables of defaults that want one more entry.
 *
 * @module
 */
import type { Timing } from "../timing/timing.ts";
import type { Rank } from "./rank.ts";
import type { RankContext } from "./rank_context.ts";
import type { Backend, RankSettings } from "./settings.ts";
import { SglangRank } from "./sglang/rank.ts";
import { CompletionPromises } from "./trtllm/completion_promises.ts";
import { VllmRank } from "./vllm/rank.ts";

type RankMaker = (id: number, settings: RankSettings, timing: Timing, context: RankContext, ranks: number) => Rank;

const MAKERS: Record<Backend, RankMaker> = {
  vllm: (id, settings, timing, context) => new VllmRank(id, settings, timing, context),
  sglang: (id, settings, timing, context, ranks) => new SglangRank(id, settings, timing, context, ranks),
  trtllm: (id, settings, timing, context) =>
    new VllmRank(id, settings, timing, context, new CompletionPromises(settings)),
};

/** Makes scheduler `id` of a pool whose workers have `ranks` attention data-parallel ranks. */
export function makeRank(
  id: number,
  settings: RankSettings,
  timing: Timing,
  context: RankContext,
  ranks = 1,
): Rank {
  return MAKERS[settings.backend](id, settings, timing, context, ranks);
}
