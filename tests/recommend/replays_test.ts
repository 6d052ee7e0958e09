import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import "../without_user_cache.ts";
import { inline } from "../../lib/jobs/inline.ts";
import type { Executor, Job, JobKind, JobOptions, JobRunner, Outcome } from "../../lib/jobs/job.ts";
import { ledgerOf } from "../../lib/recommend/ledger.ts";
import { loadRecommendation } from "../../lib/recommend/load.ts";
import { recommend } from "../../lib/recommend/recommend.ts";
import { ledgerTable, ledgerText } from "../../lib/recommend/result_files.ts";

/** Counts replays; answers several at once when asked to, the last ones first; may hide what spares replays. */
class Watched implements Executor {
  readonly parallel: number;
  readonly #hide: boolean;
  replays = 0;

  constructor({ parallel = 1, hide = false } = {}) {
    this.parallel = parallel;
    this.#hide = hide;
  }

  open<Setup, Data, Result>(kind: JobKind, setup: Setup): JobRunner<Data, Result> {
    const runner = inline().open<Setup, Data, Result>(kind, setup);
    const waiting: (() => void)[] = [];
    return {
      parallel: this.parallel,
      do: async (job: Job<Data>, options?: JobOptions): Promise<Outcome<Result>> => {
        const replay = (job.data as { ask: string }).ask === "replay";
        if (replay) this.replays++;
        let outcome = await runner.do(job, options);
        if (replay && this.parallel > 1) {
          setTimeout(() => waiting.pop()?.());
          await new Promise<void>((resolve) => waiting.push(resolve));
        }
        if (this.#hide && outcome.status === "done") {
          const { sequences: _, ...result } = outcome.result as Record<string, unknown>;
          outcome = { status: "done", result: result as Result };
        }
        return outcome;
      },
      close: () => runner.close(),
    };
  }
}

interface Space {
  backend: string;
  split: boolean;
  limits: number[];
  prefill: number[];
  blocks: number;
  concurrency: number;
  router: string;
  algorithm: string;
  timing: string;
}

function searchOf({ backend, split, limits, prefill, blocks, concurrency, router, algorithm, timing }: Space) {
  const worker = (sequences: number[]) => ({
    parallelism: { preset: false, replicas: { choices: [1, 2] }, tensor: { choices: [1] } },
    scheduler: { max_batched_tokens: { choices: [256, 2048] }, max_sequences: { choices: sequences } },
    kv_cache: { block_size: 16, capacity: { type: "fixed", blocks } },
    timing: { type: timing, ...(timing === "fixed" ? { prefill_ms: 12, decode_ms: 7 } : {}) },
  });
  const document = {
    traffic: {
      source: { type: "synthetic", input_tokens: 200, output_tokens: 24 },
      load: { type: "concurrency", concurrency },
      stop: { requests: 40 },
    },
    engine: {
      mode: split ? "disaggregated" : "aggregated",
      model: "Qwen/Qwen3-32B",
      hardware: "h200_sxm",
      backend,
      context_length: 256,
      workers: split ? { prefill: worker(prefill), decode: worker(limits) } : { aggregated: worker(limits) },
      ...(split ? { kv_transfer: {} } : {}),
    },
    optimization: { target: "throughput_per_gpu", constraints: { max_candidate_gpus: 3 } },
    optimizer: { algorithm, max_trials: 200, parallelism: 3, seed: 5 },
    router: {
      policy: router,
      ...(router === "kv_router" ? { overlap_score_credit: 1, prefill_load_scale: 1, temperature: 0 } : {}),
      prefill_load_model: { type: "none" },
    },
  };
  return loadRecommendation(JSON.stringify(document), { stack: "dynamo" });
}

async function ledger(space: Space, executor: Executor): Promise<string> {
  const { ledger } = ledgerOf(await recommend(searchOf(space), { executor }).result, "test");
  return [...ledgerText(ledger), ...ledgerTable(ledger)].join("");
}

const limits = fc.uniqueArray(fc.integer({ min: 1, max: 24 }), { minLength: 2, maxLength: 4 });
const space: fc.Arbitrary<Space> = fc.record({
  backend: fc.constantFrom("vllm", "sglang", "trtllm"),
  split: fc.boolean(),
  limits,
  prefill: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 2 }),
  blocks: fc.integer({ min: 40, max: 400 }),
  concurrency: fc.integer({ min: 2, max: 24 }),
  router: fc.constantFrom("round_robin", "kv_router"),
  algorithm: fc.constantFrom("random", "exhaustive"),
  timing: fc.constantFrom("fixed", "polynomial"),
});

test("recommend finds the same whether replays that must be equal are done or not, in any order", async () => {
  let done = 0, spared = 0;
  await fc.assert(
    fc.asyncProperty(space, async (space) => {
      const all = new Watched({ hide: true }), few = new Watched(), many = new Watched({ parallel: 3 });
      const expected = await ledger(space, all);
      assert.equal(await ledger(space, few), expected);
      assert.equal(await ledger(space, many), expected);
      assert.ok(few.replays <= all.replays);
      done += all.replays;
      spared += all.replays - few.replays;
    }),
    { numRuns: 10, seed: 15 },
  );
  assert.ok(spared > done / 5, `${spared} of ${done} replays were spared`);
});

const SPACE: Space = {
  backend: "vllm",
  split: false,
  limits: [4, 12, 16, 256],
  prefill: [],
  blocks: 2000,
  concurrency: 8,
  router: "round_robin",
  algorithm: "exhaustive",
  timing: "polynomial",
};

test("recommend replays deployments once whose limit of sequences is never met", async () => {
  // three numbers of replicas, two token budgets; a limit of 4 is met by one worker, and by two, and not by three
  const executor = new Watched();
  const { evaluated } = await recommend(searchOf(SPACE), { executor }).result;
  assert.equal(evaluated.length, 2 * 2 * 4);
  assert.ok(executor.replays < evaluated.length, `${executor.replays} replays`);
});

test("recommend keeps all workers busy over the ends of rounds, and tries what it tried without that", async () => {
  let running = 0, most = 0, idle = 0;
  const alone = new Watched();
  const inner = alone.open.bind(alone);
  const executor: Executor = {
    parallel: 2,
    open<Setup, Data, Result>(kind: JobKind, setup: Setup): JobRunner<Data, Result> {
      const runner = inner<Setup, Data, Result>(kind, setup);
      return {
        parallel: 2,
        async do(job, options) {
          most = Math.max(most, ++running);
          try {
            return await runner.do(job, options);
          } finally {
            if (--running === 0) idle++;
          }
        },
        close: () => runner.close(),
      };
    },
  };
  const space = { ...SPACE, limits: [1, 2, 3, 4], algorithm: "random" };
  const tried = async (executor: Executor) => {
    const { evaluated } = await recommend(searchOf(space), { executor }).result;
    return evaluated.map(({ job }) => job);
  };
  const expected = await tried(inline());
  assert.deepEqual(await tried(executor), expected);
  assert.ok(most >= 2);
  assert.ok(idle <= 1, `nothing was running ${idle} times`);
});
