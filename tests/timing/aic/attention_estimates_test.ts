import "../../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { PerfCatalog } from "../../../lib/timing/aic/catalog.ts";
import { deploy } from "../../../lib/timing/aic/operator_timing.ts";

/** Prompts, new tokens, earlier tokens, decodes, their tokens. */
const LOADS = [[1, 1000, 0, 0, 0], [1, 1000, 1000, 0, 0], [2, 600, 3000, 0, 0], [3, 60000, 30000, 0, 0], [
  0,
  0,
  0,
  8,
  32776,
]] as const;

/** What the reference reports on b200_sxm under SGLang 0.5.14, in milliseconds, by mode. */
const REPORTED = {
  "deepseek-ai/DeepSeek-V3.2": {
    EMPIRICAL: [84.53082488034289, 88.77980090758099, 97.82519080341007, 3729.142374888449, 13.394162667897419],
    SOL: [18.39383291733333, 19.337733361777776, 15.956852892703031, 1009.569715136277, 3.26089233962482],
  },
  "sgl-project/DeepSeek-V4-Flash-FP8": {
    EMPIRICAL: [36.34759378921759, 37.31919942779391, 30.497356541850902, 1299.7954585019195, 11.41003061148094],
    SOL: [13.304338370072568, 13.569393319862304, 11.86203558312395, 334.52313734674783, 2.0670050725541125],
  },
  // most of its layers take over the tokens that another one picked
  "zai-org/GLM-5.2-FP8": {
    EMPIRICAL: [73.57722182426598, 74.73301688711962, 72.37776768685498, 2622.5657100048224, 13.152156154083201],
    SOL: [21.635709000588747, 22.239186333922085, 18.12878425167792, 778.132359970909, 4.05020977038961],
  },
} as const;

test("sparse and compressed attention is estimated from its bound and from measurements like it", () => {
  const catalog = new PerfCatalog();
  for (const [model, modes] of Object.entries(REPORTED)) {
    for (const [databaseMode, reported] of Object.entries(modes)) {
      const tensor = model.includes("V4") ? 4 : 8;
      const options = { model, hardware: "b200_sxm", backend: "sglang", tensor, moeExpert: tensor, databaseMode };
      const passes = deploy(options, catalog).forwardPassModel();
      LOADS.forEach(([prompts, fresh, prior, decodes, known], i) => {
        const got = passes.sumsMs(prompts, fresh, prior, decodes, known);
        const want = reported[i];
        assert.ok(Math.abs(got - want) <= 1e-12 * want, `${model} ${databaseMode} ${LOADS[i]}: ${got} is not ${want}`);
      });
    }
  }
});

test("what SGLang's blocks of compressed attention took too long is read by batch, then by new tokens, then by prefix", () => {
  const options = { model: "sgl-project/DeepSeek-V4-Flash-FP8", hardware: "b200_sxm", backend: "sglang" };
  const passes = deploy({ ...options, tensor: 4, moeExpert: 4 }, new PerfCatalog()).forwardPassModel();
  // batches 2 and 4 were measured up to other lengths than 3 would be; what the reference reports
  for (
    const [prompts, fresh, prior, want] of [
      [3, 60000, 30000, 1290.2878080127282],
      [2, 40000, 20000, 841.0261885894372],
      [3, 30000, 0, 584.5286183676753],
      [4, 65536, 40000, 1382.768546132921],
    ] as const
  ) {
    const got = passes.sumsMs(prompts, fresh, prior, 0, 0);
    assert.ok(Math.abs(got - want) <= 1e-12 * want, `${prompts} prompts: ${got} is not ${want}`);
  }
});

test("MiniMax sparse attention that was not measured is timed after DeepSeek's in HYBRID alone", () => {
  const options = { model: "MiniMaxAI/MiniMax-M3", hardware: "b200_sxm", backend: "sglang", tensor: 8, moeExpert: 8 };
  const load = [1, 1000, 0, 0, 0] as const;
  const silicon = deploy(options).forwardPassModel();
  assert.throws(() => silicon.sumsMs(...load), { message: /no MSA module rows of sglang 0\.5\.14 on b200_sxm/ });
  const hybrid = deploy({ ...options, databaseMode: "HYBRID" }).forwardPassModel().sumsMs(...load);
  assert.ok(Math.abs(hybrid - 54.30140789592932) <= 1e-12 * hybrid, `${hybrid}`);
});
