/**
 * The engine families: one registration each. Adding an engine is one file that implements `Rank` and one line here.
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

const MAKERS: Partial<Record<Backend, RankMaker>> = {
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
  const make = MAKERS[settings.backend];
  if (make === undefined) throw new RangeError(`no engine is registered for backend '${settings.backend}'`);
  return make(id, settings, timing, context, ranks);
}
