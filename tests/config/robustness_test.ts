import fc from "fast-check";
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPrediction } from "../../lib/config/load.ts";
import { parseLaunch } from "../../lib/engine/launch/launch.ts";
import { ConfigError } from "../../lib/errors.ts";
import { BASE, DISAGGREGATED } from "./support.ts";

const A = "engine.workers.aggregated";
const PATHS = [
  "traffic",
  "traffic.source",
  "traffic.source.type",
  "traffic.source.paths",
  "traffic.load.type",
  "traffic.load.speedup",
  "traffic.stop",
  "engine",
  "engine.mode",
  "engine.model",
  "engine.context_length",
  "engine.nextn",
  "engine.speculation",
  "engine.workers",
  A,
  `${A}.parallelism.replicas`,
  `${A}.scheduler`,
  `${A}.kv_cache.capacity`,
  `${A}.kv_cache.block_size`,
  `${A}.timing.type`,
  `${A}.startup_seconds`,
  "engine.kv_transfer",
  "router",
  "router.policy",
  "router.temperature",
  "planner",
  "planner.policy",
  "planner.target",
  "planner.retune",
  "planner.retune.router",
  "planner.retune.planner",
  "planner.max_num_gpus",
  "evaluation.sla",
  "execution.resources",
  "unknown",
];
const WORDS = [
  "enabled",
  "sla",
  "load",
  "kv_router",
  "default",
  "fixed",
  "disaggregated",
  "sglang",
  "trace",
  "auto",
  "max",
  "-1",
  "1e400",
];

const value = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.jsonValue({ maxDepth: 3 }).map((json) => JSON.stringify(json)),
  fc.integer({ min: -3, max: 1000 }).map(String),
);
const override = fc.tuple(fc.constantFrom(...PATHS), value).map(([path, text]) => `${path}=${text}`);

test("loadPrediction answers anything with a plan or a ConfigError that has issues", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(BASE, DISAGGREGATED),
      fc.array(override, { minLength: 1, maxLength: 5 }),
      async (text, set) => {
        try {
          const { plan } = await loadPrediction(text, { stack: "dynamo", set });
          assert.ok(plan.roles.length > 0);
        } catch (error) {
          assert.ok(error instanceof ConfigError, String((error as Error).stack));
          assert.ok(error.issues.length > 0 && error.issues.every(({ message }) => message.length > 0));
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("a value set last is the value of the document", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1e6 }),
      fc.array(override, { maxLength: 3 }),
      async (replicas, before) => {
        const safe = before.filter((argument) => argument.startsWith("evaluation") || argument.startsWith("execution"));
        const path = `${A}.parallelism.replicas`;
        try {
          const { plan } = await loadPrediction(BASE, { set: [...safe, `${path}=7`, `${path}=${replicas}`] });
          assert.equal(plan.roles[0].replicas, replicas);
        } catch (error) {
          assert.ok(error instanceof ConfigError && safe.length > 0);
        }
      },
    ),
    { numRuns: 100 },
  );
});

test("parseLaunch answers anything with settings or a ConfigError", () => {
  const field = fc.constantFrom("backend", "block_size", "num_gpu_blocks", "aic_nextn", "timing_model", "sglang", "x");
  const engine = fc.dictionary(
    field,
    fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom("sglang", "trtllm", 1, 64)),
  );
  fc.assert(
    fc.property(engine, fc.jsonValue({ maxDepth: 1 }), (engine, dpSize) => {
      try {
        const { rank } = parseLaunch({ engine, dp_size: dpSize });
        assert.ok(rank.blocks > 0 && rank.blockTokens > 0);
      } catch (error) {
        assert.ok(error instanceof ConfigError, String((error as Error).stack));
      }
    }),
    { numRuns: 1000 },
  );
});
