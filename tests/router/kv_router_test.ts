import { test } from "node:test";
import assert from "node:assert/strict";
import { Pool } from "../../lib/engine/records.ts";
import { SimulationError } from "../../lib/errors.ts";
import { completeKvSettings } from "../../lib/router/kv_config.ts";
import { kvRouter } from "../../lib/router/kv_factory.ts";
import { KvRouter } from "../../lib/router/kv_router.ts";
import type { KvRouterSettings } from "../../lib/router/kv_settings.ts";
import type { PrefillLoadModel } from "../../lib/router/prefill_load.ts";
import type { RouterContext } from "../../lib/router/router.ts";
import { pathOf } from "../engine/workloads.ts";
import { context, type Prompt, prompt } from "./support.ts";

/** A router whose costs are seen; equal costs go to the lowest rank. */
class Watched {
  readonly router: KvRouter;
  readonly #context: RouterContext;
  costs: number[] = [];

  constructor(
    prompts: readonly Prompt[],
    workers: number,
    settings: Partial<KvRouterSettings> = {},
    options: Parameters<typeof context>[1] = {},
    model: PrefillLoadModel | null = null,
  ) {
    this.#context = context(prompts, options);
    this.router = new KvRouter(this.#context, completeKvSettings(settings), model, {
      choose: (costs, ranks) => {
        this.costs = [...costs.subarray(0, ranks.length)];
        return this.costs.indexOf(Math.min(...this.costs));
      },
    });
    for (let w = 0; w < workers; w++) this.router.join(w, w, 1);
  }

  /** Places a request: `rank@cost (overlap)`. */
  place(request: number, nowMs: number): string {
    const rank = this.router.place(request, nowMs);
    return rank < 0 ? "queued" : this.#told(rank);
  }

  #told(rank: number): string {
    const overlap = this.router.placement.overlapBlocks;
    return `${rank}@${Math.min(...this.costs)}${overlap > 0 ? ` (${overlap})` : ""}`;
  }

  /** The prompt is computed and its whole blocks are resident. */
  prefill(request: number, rank: number, nowMs: number): void {
    this.hold(request, rank, nowMs);
    this.router.prefillDone(request, rank, nowMs);
  }

  hold(request: number, rank: number, nowMs: number, blocks = Infinity): void {
    const { prompts, records } = this.#context;
    const whole = Math.min(blocks, Math.floor(records.inputTokens[request] / prompts.blockTokens));
    for (const part of pathOf(prompts, request)) {
      const held = Math.min(part.blocks, whole - part.first);
      if (held > 0) this.router.cache!.resident(rank, part.edge, held, nowMs);
    }
  }

  /** The request ends with its prompt computed. */
  serve(request: number, rank: number, nowMs: number): void {
    this.prefill(request, rank, nowMs);
    this.router.ended(request, rank, nowMs);
  }

  drain(nowMs: number): string[] {
    const released: string[] = [];
    for (let request = this.router.nextReleased(nowMs); request >= 0; request = this.router.nextReleased(nowMs)) {
      released.push(`${request}→${this.#told(this.router.placedRank)}`);
    }
    return released;
  }
}

const A = 100, B = 200, C = 300;

test("KvRouter goes where the prefix is, with the reference's costs (golden 01)", () => {
  const seen = new Watched([prompt(16, A), prompt(20, B), prompt(17, A), prompt(21, B), prompt(24, A)], 2);
  assert.equal(seen.place(0, 0), "0@8");
  assert.equal(seen.place(1, 1), "1@10");
  seen.serve(0, 0, 10);
  seen.serve(1, 1, 11);
  assert.equal(seen.place(2, 100), "0@4.25 (4)");
  seen.serve(2, 0, 110);
  assert.equal(seen.place(3, 200), "1@5.25 (5)");
  seen.serve(3, 1, 210);
  assert.equal(seen.place(4, 300), "0@8 (4)");
  assert.deepEqual(seen.router.placement, { overlapTokens: 16, overlapBlocks: 4, bestOverlapBlocks: 4 });
});

test("KvRouter weighs load against the cache, and counts uncached tokens only, also without credit", () => {
  // Worker 0 holds 32 of the third prompt's 36 tokens, so that 4 are booked there.
  const prompts = [prompt(32, A), prompt(16, B), prompt(36, A), prompt(16, 900), prompt(24, C)];
  const seen = new Watched(prompts, 2, { overlapScoreCredit: 0 });
  assert.equal(seen.place(0, 0), "0@16");
  assert.equal(seen.place(1, 1), "1@8");
  seen.serve(0, 0, 10);
  seen.serve(1, 1, 11);
  assert.equal(seen.place(2, 20), "0@18 (8)");
  assert.equal(seen.place(3, 21), "1@8");
  seen.place(4, 22);
  // Worker 0: (4 + 24) / 4 + 9 + 6; worker 1: (16 + 24) / 4 + 4 + 6.
  assert.deepEqual(seen.costs, [22, 20]);
});

test("KvRouter counts an unfinished prompt as load and shows no cache of it (golden 02)", () => {
  const seen = new Watched([prompt(64, A), prompt(8, A)], 2);
  assert.equal(seen.place(0, 0), "0@32");
  assert.equal(seen.place(1, 5), "1@4");
  assert.deepEqual(seen.costs, [(64 + 8) / 4 + 16, 4]);
});

test("KvRouter scales prompt work", () => {
  for (const [prefillLoadScale, cost] of [[0, "0@4"], [8, "0@36"]] as const) {
    assert.equal(new Watched([prompt(16, A)], 2, { prefillLoadScale }).place(0, 0), cost);
  }
});

test("KvRouter clamps prompt work at 0, the rest of the credit is lost", () => {
  const seen = new Watched([prompt(16, A), prompt(16, A)], 1, { overlapScoreCredit: 2 });
  seen.place(0, 0);
  seen.serve(0, 0, 10);
  assert.equal(seen.place(1, 20), "0@4 (4)");
});

test("KvRouter adds the weight of active requests", () => {
  const seen = new Watched([prompt(16, A), prompt(16, B)], 1, { decodeActiveRequestWeight: 10 });
  assert.equal(seen.place(0, 0), "0@8");
  assert.equal(seen.place(1, 1), `0@${(16 + 16) / 4 + 8 + 10}`);
});

test("KvRouter fades the credit on ranks with more prompt work than the idlest (golden 10)", () => {
  for (const decay of [8, 0]) {
    const seen = new Watched([prompt(32, A), prompt(8, B), prompt(33, A)], 2, {
      overlapScoreCreditDecay: decay,
      trackActiveBlocks: false,
    });
    seen.hold(0, 0, 0);
    seen.router.leave(1);
    assert.equal(seen.place(1, 11), "0@2");
    seen.router.join(1, 1, 1);
    seen.place(2, 12);
    assert.deepEqual(seen.costs, [(8 + 33) / 4 - 8 / (1 + decay * (8 / 4 / 9)), 33 / 4]);
  }
});

test("KvRouter counts whole blocks of every request when reuse is not assumed", () => {
  const seen = new Watched([prompt(16, A), prompt(17, A)], 1, { assumeKvReuse: false });
  assert.equal(seen.place(0, 0), "0@8");
  assert.equal(seen.place(1, 1), `0@${33 / 4 + 4 + 4}`);
  seen.router.ended(0, 0, 2);
  seen.router.ended(1, 0, 2);
});

test("KvRouter leaves out what is not tracked", () => {
  const blind = new Watched([prompt(16, A), prompt(16, A)], 1, { trackActiveBlocks: false });
  assert.equal(blind.place(0, 0), "0@4");
  assert.equal(blind.place(1, 0), "0@8");
  const noPrompts = new Watched([prompt(16, A), prompt(16, B)], 1, { trackPrefillTokens: false });
  assert.equal(noPrompts.router.needsPrefillDone, false);
  assert.equal(noPrompts.place(0, 0), "0@4");
  assert.equal(noPrompts.place(1, 0), "0@8");
});

test("KvRouter learns of a cache change only after the lag", () => {
  const prompts = [prompt(16, A), prompt(16, A), prompt(16, A)];
  const seen = new Watched(prompts, 1, { kvEventLagMs: 1000 });
  seen.place(0, 0);
  seen.serve(0, 0, 10);
  assert.equal(seen.place(1, 1009.9), "0@8");
  seen.router.ended(1, 0, 1009.95);
  assert.equal(seen.place(2, 1010), "0@4 (4)");
});

test("KvRouter forgets a removed worker's cache and lagged events, and keeps those of a draining one", () => {
  const prompts = [prompt(16, A), prompt(16, A), prompt(16, A)];
  const seen = new Watched(prompts, 2);
  seen.hold(0, 1, 0);
  seen.router.leave(1);
  assert.equal(seen.place(0, 2), "0@8");
  assert.equal(seen.router.placement.bestOverlapBlocks, 0);
  seen.router.forget(1);
  seen.router.ended(0, 0, 3);
  seen.router.join(1, 1, 1);
  seen.place(1, 4);
  assert.deepEqual(seen.costs, [8, 8]);
});

test("KvRouter refuses to place without workers", () => {
  assert.throws(
    () => new Watched([prompt(16, A)], 0).place(0, 0),
    (error) =>
      error instanceof SimulationError &&
      error.message === "placement policy error: no endpoints available to route work",
  );
});

test("KvRouter refuses costs that are not finite", () => {
  assert.throws(
    () => new Watched([prompt(160, A)], 1, { prefillLoadScale: 1e307 }).place(0, 0),
    /^SimulationError: placement policy error: scorer 0 produced a non-finite cost for candidate row 0$/,
  );
});

test("KvRouter of a prefill pool ignores blocks under work; of a decode pool caches and prompts (golden 16)", () => {
  const prefill = new Watched([prompt(16, A), prompt(20, B), prompt(17, A)], 2, {}, { pool: Pool.prefill });
  assert.equal(prefill.place(0, 0), "0@4");
  assert.equal(prefill.place(1, 1), "1@5");
  prefill.serve(0, 0, 10);
  prefill.serve(1, 1, 11);
  assert.equal(prefill.place(2, 60), "0@0.25 (4)");
  const decode = new Watched([prompt(16, A), prompt(20, B), prompt(17, A)], 2, {}, { pool: Pool.decode });
  assert.equal(decode.router.cache, null);
  assert.equal(decode.place(0, 10), "0@4");
  assert.equal(decode.place(1, 11), "1@5");
  assert.equal(decode.place(2, 70), "0@8");
});

/** Golden 11 to 14: two workers, threshold half of 32 tokens; the third request and later ones queue. */
const queued = (policy: KvRouterSettings["queuePolicy"], extra: Partial<Prompt>[] = []) => {
  const lengths = [24, 28, 32, 20, 8, 36];
  const prompts = lengths.map((tokens, r) => prompt(tokens, 100 * (r + 1), extra[r]));
  const seen = new Watched(prompts, 2, { queueThreshold: 0.5, queuePolicy: policy }, { maxBatchedTokens: 32 });
  assert.deepEqual(prompts.map((_, r) => seen.place(r, r)).slice(2), ["queued", "queued", "queued", "queued"]);
  seen.prefill(0, 0, 10);
  const order = seen.drain(10);
  seen.prefill(1, 1, 11);
  order.push(...seen.drain(11));
  seen.router.prefillDone(2, 0, 23);
  seen.router.prefillDone(5, 0, 23);
  seen.router.prefillDone(4, 0, 23);
  seen.router.prefillDone(3, 0, 23);
  return [...order, ...seen.drain(23)].map((text) => text.split("→")[0]).join(" ");
};

test("KvRouter releases by policy and priority", () => {
  assert.equal(queued("fcfs"), "2 3 4 5");
  assert.equal(queued("lcfs"), "5 4 3 2");
  assert.equal(queued("wspt"), "4 3 2 5");
  assert.equal(queued("fcfs", [{}, {}, {}, { priority: 1 }, { strictPriority: 1 }, { priority: -5 }]), "4 3 2 5");
});

test("KvRouter keeps the look-up of a queued request until it is placed", () => {
  const prompts = [prompt(16, A), prompt(16, B), prompt(16, C)];
  const seen = new Watched(prompts, 1, { queueThreshold: 0 });
  seen.hold(1, 0, 0);
  seen.place(0, 1);
  assert.equal(seen.place(1, 2), "queued");
  seen.hold(1, 0, 3, 0);
  seen.router.prefillDone(0, 0, 10);
  assert.deepEqual(seen.drain(10), ["1→0@8 (4)"]);
});

test("KvRouter queues while no worker is routable, when it queues at all", () => {
  const seen = new Watched([prompt(16, A)], 0, { queueThreshold: 0 });
  assert.equal(seen.place(0, 0), "queued");
  assert.deepEqual(seen.drain(1), []);
  seen.router.join(0, 0, 1);
  assert.deepEqual(seen.drain(2), ["0→0@8"]);
});

test("KvRouter.update changes the next selection, also of queued requests, and counts revisions", () => {
  const seen = new Watched([prompt(16, A), prompt(16, B)], 1, { queueThreshold: 0 });
  seen.place(0, 0);
  seen.place(1, 1);
  assert.deepEqual(seen.router.knobs, { overlap_score_credit: 1, prefill_load_scale: 1, temperature: 0 });
  seen.router.update({ overlap_score_credit: 1, prefill_load_scale: 8, temperature: 0 });
  assert.equal(seen.router.revision, 1);
  seen.router.prefillDone(0, 0, 10);
  assert.deepEqual(seen.drain(10), [`1→0@${8 * 4 + 8}`]);
});

test("KvRouter lets booked prompts shrink as the load model expects", () => {
  // 16 tokens in 8 ms: after 2 ms a quarter is done.
  const seen = new Watched(
    [prompt(16, A), prompt(16, B)],
    1,
    { prefillLoadModel: "aic", trackActiveBlocks: false },
    {},
    (newTokens, prefixTokens) => (newTokens + prefixTokens) / 2,
  );
  seen.place(0, 0);
  assert.equal(seen.place(1, 2), `0@${(12 + 16) / 4}`);
});

test("kvRouter draws the same choices from the same seed, others from another", () => {
  const prompts = Array.from({ length: 40 }, (_, r) => prompt(16, 1000 * r));
  const picks = (seed: number | undefined) => {
    const router = kvRouter({ seed, temperature: 0.5 })(context(prompts));
    for (let w = 0; w < 4; w++) router.join(w, w, 1, 0);
    return prompts.map((_, r) => router.place(r, r)).join("");
  };
  assert.equal(picks(undefined), picks(0xd1a05eed));
  assert.equal(picks(7), picks(7));
  assert.notEqual(picks(7), picks(8));
});
