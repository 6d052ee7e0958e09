/** What holds for every engine's rank, whatever the load. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { NumberSet } from "../../lib/collections/number_set.ts";
import { Worker } from "../../lib/cluster/worker.ts";
import { makeRank } from "../../lib/engine/make_rank.ts";
import { parseLaunch } from "../../lib/engine/launch/launch.ts";
import { PromptIndex } from "../../lib/engine/prompt_index.ts";
import type { Rank, RankObserver } from "../../lib/engine/rank.ts";
import { Outcome, RequestRecords } from "../../lib/engine/records.ts";
import { SimulationError } from "../../lib/errors.ts";
import { polynomial } from "../../lib/timing/polynomial.ts";
import { SequenceLimit } from "../../lib/engine/sequence_limit.ts";
import { StdRng } from "../../lib/random/chacha.ts";
import { type Row, workloadOf } from "./workloads.ts";

const BACKENDS = ["vllm", "sglang", "trtllm"] as const;
const DEAD_END = /effect-free zero-duration pass|makes no progress/;

const rows: fc.Arbitrary<Row[]> = fc.array(
  fc.record({
    input: fc.integer({ min: 1, max: 60 }),
    output: fc.integer({ min: 0, max: 25 }),
    ids: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 20, maxLength: 20 }),
  }),
  { minLength: 1, maxLength: 16 },
);

const engine = fc.record({
  block_size: fc.constantFrom(2, 4, 8),
  num_gpu_blocks: fc.integer({ min: 12, max: 60 }),
  max_num_seqs: fc.constantFrom(1, 3, 256),
  enable_prefix_caching: fc.boolean(),
  mtp: fc.boolean(),
});

const options = fc.record({
  gapMs: fc.constantFrom(0, 5, 40),
  ranks: fc.constantFrom(1, 1, 2),
  lpm: fc.boolean(),
  interval: fc.constantFrom(0, 0, 2),
});

type Given = {
  engine: {
    block_size: number;
    num_gpu_blocks: number;
    max_num_seqs: number;
    enable_prefix_caching: boolean;
    mtp: boolean;
  };
  options: { gapMs: number; ranks: number; lpm: boolean; interval: number };
};

class Watch implements RankObserver {
  readonly ends = new Map<number, number>();
  readonly held: number[] = [];
  readonly granted: number[] = [];
  lastMs = 0;

  ended(_rank: Rank, request: number, atMs: number, outcome: Outcome): void {
    assert.ok(!this.ends.has(request), `request ${request} ended twice`);
    this.ends.set(request, outcome);
    this.at(atMs);
  }
  firstToken(_rank: Rank, _request: number, atMs: number): void {
    this.at(atMs);
  }
  sourceHeld(_rank: Rank, request: number, atMs: number): void {
    this.held.push(request);
    this.at(atMs);
  }
  reserved(_rank: Rank, request: number): void {
    this.granted.push(request);
  }
  at(ms: number): void {
    assert.ok(ms >= this.lastMs, "the clock never goes back");
    this.lastMs = ms;
  }
}

function build(backend: string, role: string, rows: Row[], { engine: { mtp, ...engine }, options }: Given) {
  const settings = parseLaunch({
    engine: {
      backend,
      worker_type: role,
      ...engine,
      ...(mtp ? { aic_nextn: 2 } : {}),
      ...(backend === "sglang"
        ? {
          prefill_decode_interval: options.interval,
          sglang: { schedule_policy: options.lpm ? "lpm" : "fifo", chunked_prefill_size: 48 },
        }
        : { max_num_batched_tokens: 48 }),
    },
    dp_size: options.ranks,
  });
  const workload = workloadOf(rows, 4);
  const records = new RequestRecords({ capacity: rows.length, disaggregated: role !== "aggregated" });
  const gaps = { total: 0, add: (_gapMs: number, count: number) => void (gaps.total += count) };
  const watch = new Watch();
  const context = {
    workload,
    prompts: new PromptIndex(workload, settings.rank.blockTokens),
    records,
    sink: gaps,
    observer: watch,
    cache: null,
    sequences: new SequenceLimit(settings.rank.maxSequences),
    words: (id: number) => new StdRng(42 + id),
  };
  const make = (id: number) => makeRank(id, settings.rank, polynomial(), context, options.ranks);
  const makeAll = () => Array.from({ length: options.ranks }, (_, id) => make(id));
  const worker = new Worker(0, options.ranks, makeAll, "active", 0, new NumberSet());
  rows.forEach((row, request) => records.arrive(request, request * options.gapMs, row.input));
  return { worker, ranks: worker.ranks, records, gaps, watch };
}

/** KV blocks that belong to requests: SGLang counts its tree as in use, of which nothing is locked when all is over. */
function assertNothingHeld(rank: Rank): void {
  assert.equal(rank.owned, 0);
  assert.equal(rank.heldBlocks, 0, "no KV block is lost or kept");
  assert.ok(rank.activeBlocks >= 0 && rank.activeBlocks <= rank.totalBlocks);
}

for (const backend of BACKENDS) {
  test(`a ${backend} rank ends every request once and gives all KV back, or says that it cannot go on`, () => {
    fc.assert(
      fc.property(rows, engine, options, (rows, engine, options) => {
        const { worker, ranks, records, gaps, watch } = build(backend, "aggregated", rows, { engine, options });
        try {
          rows.forEach((_, request) => {
            const now = request * options.gapMs;
            worker.advance(now);
            ranks[request % ranks.length].submit(request, now);
            worker.wake(now, worker.firstRank);
          });
          worker.advance(1e9);
        } catch (error) {
          assert.ok(error instanceof SimulationError && DEAD_END.test(error.message), String(error));
          return;
        }
        if (worker.owned > 0) {
          assert.ok(worker.deferred, "nothing more would ever happen");
          return;
        }
        for (const rank of ranks) rank.close();
        assert.equal(watch.ends.size, rows.length);
        let expectedGaps = 0;
        rows.forEach(({ output }, request) => {
          const emitted = records.outputTokens[request];
          if (watch.ends.get(request) === Outcome.rejected) assert.equal(emitted, 0);
          else if (backend === "trtllm") assert.ok(emitted <= output);
          else assert.equal(emitted, output);
          expectedGaps += Math.max(0, emitted - 1);
        });
        assert.equal(gaps.total, expectedGaps, "every pair of neighbouring tokens is one gap");
        ranks.forEach(assertNothingHeld);
      }),
      { numRuns: 300 },
    );
  });

  test(`a ${backend} prefill rank holds finished prompts until they are released`, () => {
    fc.assert(
      fc.property(rows, engine, options, fc.boolean(), (rows, engine, options, cancels) => {
        const { worker, ranks, watch } = build(backend, "prefill", rows, { engine, options: { ...options, ranks: 1 } });
        const [rank] = ranks;
        try {
          rows.forEach((_, request) => {
            worker.advance(request * options.gapMs);
            rank.submit(request, request * options.gapMs);
            worker.wake(request * options.gapMs, worker.firstRank);
          });
          for (let round = 0; round < 2 * rows.length + 2; round++) {
            worker.advance(1e6 + round * 1e6);
            const request = watch.held.shift();
            if (request === undefined) continue;
            if (cancels && round % 2 === 0) rank.cancel(request, 1e6 + round * 1e6);
            else rank.release(request, 1e6 + round * 1e6);
            worker.wake(1e6 + round * 1e6, worker.firstRank);
          }
        } catch (error) {
          assert.ok(error instanceof SimulationError && DEAD_END.test(error.message), String(error));
          return;
        }
        if (worker.owned === 0) assertNothingHeld(rank);
        else assert.ok(worker.deferred || rank.owned > 0);
      }),
      { numRuns: 200 },
    );
  });

  test(`a ${backend} decode rank serves or cancels every destination and gives all KV back`, () => {
    fc.assert(
      fc.property(rows, engine, options, fc.nat(3), (rows, engine, options, cancelEvery) => {
        const { worker, ranks, watch } = build(backend, "decode", rows, { engine, options: { ...options, ranks: 1 } });
        const [rank] = ranks;
        const refused = new Set<number>(), cancelled = new Set<number>();
        let now = 0;
        try {
          rows.forEach((_, request) => {
            if (rank.offer(request, now) !== null) refused.add(request);
          });
          for (let round = 0; round < 1000 && watch.ends.size + cancelled.size + refused.size < rows.length; round++) {
            now += 7;
            worker.advance(now);
            if (worker.inFlight) continue;
            rank.tryReserve(now);
            const request = watch.granted.shift();
            if (request !== undefined) {
              if (cancelEvery > 0 && request % cancelEvery === 0) {
                assert.ok(rank.cancel(request, now));
                cancelled.add(request);
              } else {
                rank.activate(request, now);
              }
            }
            worker.wake(now, worker.firstRank);
          }
        } catch (error) {
          assert.ok(error instanceof SimulationError && DEAD_END.test(error.message), String(error));
          return;
        }
        assert.equal(rank.cancel(rows.length + 5, now), false, "an unknown request cannot be cancelled");
        if (rank.owned > 0 || worker.inFlight) return;
        assert.equal(watch.ends.size + cancelled.size + refused.size, rows.length);
        assertNothingHeld(rank);
      }),
      { numRuns: 200 },
    );
  });
}
