/**
 * A router of one's own: long prompts go to the first worker, short ones take turns on the others, so that nobody waits
 * behind a long prompt. Compared with round robin.
 *
 * Run: `deno run -A scripts/examples/custom_router.ts`
 */
import { compareRuns, readTrace, replay, roundRobin, type RouterContext, SimpleRouter, toRun } from "dynosim";

class LongPromptsApart extends SimpleRouter {
  #turn = 0;
  readonly #ranks: number[] = [];

  constructor(readonly context: RouterContext) {
    super();
  }

  override join(_worker: number, firstRank: number): void {
    this.#ranks.push(firstRank);
  }

  override leave(worker: number): void {
    throw new Error(`This router is for a fixed number of workers, but worker ${worker} leaves`);
  }

  override place(request: number): number {
    if (this.context.workload.inputTokens[request] > 3500) return this.#ranks[0];
    return this.#ranks[1 + this.#turn++ % (this.#ranks.length - 1)];
  }
}

const routers = {
  "round robin": roundRobin(),
  "long prompts apart": (context: RouterContext) => new LongPromptsApart(context),
};
const runs = [];
for (const [name, router] of Object.entries(routers)) {
  const options = { cluster: { replicas: 3 }, router, speedup: 8 };
  runs.push(toRun(await replay(readTrace("fixtures/traces/chat.jsonl"), options).report, { name }));
}
compareRuns(runs).select("name", "median_ttft_ms", "p95_ttft_ms", "p95_itl_ms", "prefix_cache_reused_ratio").print();
