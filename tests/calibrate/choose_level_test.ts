import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fitPasses } from "../../lib/calibrate/fit_passes.ts";
import { chooseLevel } from "../../lib/calibrate/choose_level.ts";
import { passSamples } from "../../lib/calibrate/pass_samples.ts";
import { deploy } from "../../lib/timing/aic/operator_timing.ts";
import { USUAL_UNEVEN } from "../../lib/timing/calibration/uneven.ts";
import { mulberry32 } from "../../lib/random/mulberry32.ts";
import { hiddenPasses, loads } from "./hidden.ts";

const model = deploy({ model: "Qwen/Qwen3-32B", hardware: "h200_sxm", tensor: 2 }).forwardPassModel();
const near = (found: number, wanted: number, what: string) =>
  assert.ok(Math.abs(found / wanted - 1) < 0.02, `${what}: ${found} is not ${wanted} within 2 %`);

for (const noise of [0, 0.002]) {
  test(`chooseLevel finds prefill × 1.3, decode × 0.9 and 2 ms a pass, each within 2 %, with ${noise * 100} % of noise`, () => {
    const passes = hiddenPasses(model, loads(6000), { prefill: 1.3, decode: 0.9, constantMs: 2, noise });
    const { corrections: { phases: { prefill, decode } } } = chooseLevel(passSamples(passes, model));
    near(prefill!.ratio, 1.3, "prefill");
    near(decode!.ratio, 0.9, "decode");
    near(prefill!.constant_ms, 2, "constant of prefill passes");
    near(decode!.constant_ms, 2, "constant of decode passes");
  });
}

test("chooseLevel takes one scale where nothing more is in the passes", () => {
  const passes = hiddenPasses(model, loads(300), { prefill: 1.2, decode: 1.2, noise: 0.02 })
    .filter(({ prompts, decodes }) => prompts === 0 || decodes === 0);
  const { level, corrections: { phases: { prefill, decode } } } = chooseLevel(passSamples(passes, model));
  assert.equal(level, "scale");
  assert.equal(prefill!.ratio, decode!.ratio);
  near(decode!.ratio, 1.2, "scale");
});

test("chooseLevel leaves estimates alone that are right", () => {
  const passes = hiddenPasses(model, loads(300), { noise: 0.02 })
    .filter(({ prompts, decodes }) => prompts === 0 || decodes === 0);
  const { level, corrections } = chooseLevel(passSamples(passes, model));
  assert.equal(level, "none");
  assert.equal(corrections.phases.decode!.ratio, 1);
});

test("chooseLevel fits a curve where the ratio depends on the decode batch, and judges it by passes it did not see", () => {
  const given = loads(3000).filter(({ prompts }) => prompts === 0);
  const passes = hiddenPasses(model, given, {}).map((pass) => ({ ...pass, ms: pass.ms * (1 + pass.decodes / 100) }));
  const { level, tried, corrections } = chooseLevel(passSamples(passes, model));
  assert.equal(level, "curves");
  assert.ok(tried.findLast(({ accepted }) => accepted)!.error < 2);
  assert.ok(corrections.phases.decode!.curve.length > 5);
  assert.equal(corrections.phases.prefill, null);
});

test("chooseLevel keeps what few passes of one size agree on, and not what is noise", () => {
  const noise = mulberry32(5);
  const prompts = (tokens: number, ratio: number, spread: number, count: number) =>
    Array.from({ length: count }, () => {
      const load = { prompts: 1, promptTokens: tokens, priorTokens: 0, decodes: 0, decodeTokens: 0 };
      return { ...load, ms: model.sumsMs(1, tokens, 0, 0, 0) * ratio * (1 + spread * (2 * noise() - 1)) };
    });
  const mixed = (lists: ReturnType<typeof prompts>[]) => lists[0].flatMap((_, i) => lists.map((list) => list[i]));
  const agreed = mixed([prompts(128, 3, 0.01, 8), prompts(1024, 2, 0.01, 8), prompts(4096, 1.2, 0.01, 8)]);
  const found = chooseLevel(passSamples(agreed, model));
  assert.equal(found.level, "curves");
  assert.ok(found.tried.findLast(({ accepted }) => accepted)!.error < 4);
  const noisy = mixed([prompts(128, 1.5, 0.4, 8), prompts(1024, 1.5, 0.4, 8), prompts(4096, 1.5, 0.4, 8)]);
  assert.notEqual(chooseLevel(passSamples(noisy, model)).level, "curves");
});

test("chooseLevel finds passes of two regimes: launches of graphs up to 512 tokens, kernels one by one beyond", () => {
  const given = loads(900).filter(({ prompts, decodes }) => prompts > 0 && decodes === 0);
  const passes = hiddenPasses(model, given, { noise: 0.01 }).map((pass) => {
    return { ...pass, ms: pass.promptTokens <= 512 ? Math.max(pass.ms, 40) : Math.max(1.2 * pass.ms, 90) };
  });
  const { level, tried, corrections: { phases: { prefill } } } = chooseLevel(passSamples(passes, model));
  assert.equal(level, "regimes");
  assert.ok(tried.findLast(({ accepted }) => accepted)!.error < 1);
  assert.equal(prefill!.beyond!.tokens, 512);
  near(prefill!.least_ms!, 40, "least time up to 512 tokens");
  near(prefill!.beyond!.least_ms!, 90, "least time beyond");
  near(prefill!.beyond!.ratio, 1.2, "ratio beyond");
});

test("chooseLevel finds a ratio of decode steps that depends on batch and context together", () => {
  const given = loads(4000).filter(({ prompts }) => prompts === 0);
  const passes = hiddenPasses(model, given, { noise: 0.005 }).map((pass) => {
    const context = pass.decodeTokens / pass.decodes, third = context < 724 ? 0 : context < 1448 ? 1 : 2;
    const ratio = (pass.decodes > 8 ? [0.9, 1.1, 1.4] : [1.5, 1.2, 0.9])[third];
    return { ...pass, ms: ratio * pass.ms };
  });
  const { level, tried, corrections: { phases: { decode } } } = chooseLevel(passSamples(passes, model));
  assert.equal(level, "tables");
  assert.deepEqual(decode!.tables!.map(({ over }) => over), ["context_tokens"]);
  const error = (wanted: string) => tried.findLast(({ level }) => level === wanted)!.error;
  assert.ok(error("tables") < 2 && error("curves") > 8, `${error("tables")} ${error("curves")}`);
});

for (const hidden of [0, 2.8]) {
  test(`chooseLevel finds that uneven lengths count ${hidden} of the time of attention, not the usual`, () => {
    const random = mulberry32(3);
    const given = loads(1500).filter(({ prompts }) => prompts === 0).map((load) => {
      const spread = load.decodes > 1 ? 2 * random() : 0;
      return {
        ...load,
        decodeTokens: 8 * load.decodeTokens,
        decodeVariance: (spread * 8 * load.decodeTokens / load.decodes) ** 2,
      };
    });
    const even = passSamples(given.map((load) => ({ ...load, ms: 1 })), model);
    const passes = given.map((load, row) => ({ ...load, ms: even.estimateMs[row] + hidden * even.unevenMs[row] }));
    assert.equal(chooseLevel(passSamples(passes, model)).corrections.phases.decode!.uneven ?? 0, hidden);
  });
}

test("chooseLevel takes what uneven lengths usually count where even ones were recorded, and nothing where none is told", () => {
  const given = loads(600).filter(({ prompts }) => prompts === 0);
  const passes = hiddenPasses(model, given, { decode: 1.3, noise: 0.01 });
  assert.equal(chooseLevel(passSamples(passes, model)).corrections.phases.decode!.uneven, undefined);
  // a hundredth of the mean: too little to tell what it counts
  const told = passes.map((pass) => ({ ...pass, decodeVariance: (0.01 * pass.decodeTokens / pass.decodes) ** 2 }));
  assert.equal(chooseLevel(passSamples(told, model)).corrections.phases.decode!.uneven, USUAL_UNEVEN);
});

test("chooseLevel finds what mixed passes cost the decode steps before them, and tells it apart from these", () => {
  const step = { prompts: 0, promptTokens: 0, priorTokens: 0, decodes: 8, decodeTokens: 16_000 };
  const decodeMs = model.sumsMs(0, 0, 0, 8, 16_000), mixedMs = model.sumsMs(1, 700, 0, 8, 16_000);
  const passes = Array.from(
    { length: 1000 },
    (_, i) =>
      i % 20 === 19
        ? { ...step, prompts: 1, promptTokens: 700, ms: mixedMs * 1.2 }
        : { ...step, ms: decodeMs * 1.1 + (i % 20 === 18 ? 15 : 0) },
  );
  const { corrections: { phases: { decode, mixed } } } = chooseLevel(passSamples(passes, model));
  near(decode!.ratio, 1.1, "decode");
  near(mixed!.ratio, 1.2, "mixed");
  near(mixed!.beside_ms!, 15, "beside");
  const calm = passes.map((pass) =>
    pass.ms > decodeMs * 1.1 && pass.prompts === 0 ? { ...pass, ms: decodeMs * 1.1 } : pass
  );
  assert.equal(chooseLevel(passSamples(calm, model)).corrections.phases.mixed!.beside_ms, undefined);
});

test("fitPasses makes curves whose knots rise, whatever batches are frequent", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 14 })), { minLength: 1 }),
      (list) => {
        const passes = list.flatMap(([decodes, count]) =>
          Array.from({ length: count }, (_, i) => {
            const load = { prompts: 0, promptTokens: 0, priorTokens: 0, decodes, decodeTokens: decodes * 500 };
            return { ...load, ms: 5 + decodes / 7 + i % 3 };
          })
        );
        const samples = passSamples(passes, model), all = Int32Array.from({ length: samples.count }, (_, row) => row);
        const { curve } = fitPasses(samples, all, { level: "curves" }).phases.decode!;
        assert.ok(curve.every(([x], i) => i === 0 || x > curve[i - 1][0]), JSON.stringify(curve));
      },
    ),
    { numRuns: 50 },
  );
});

test("passSamples shares out the time of two chunks that was recorded with the first of them", () => {
  const chunk = (promptTokens: number, priorTokens: number, ms: number) => ({
    prompts: 1,
    promptTokens,
    priorTokens,
    decodes: 0,
    decodeTokens: 0,
    ms,
  });
  const first = model.sumsMs(1, 3168, 0, 0, 0), second = model.sumsMs(1, 928, 3168, 0, 0);
  const step = { prompts: 0, promptTokens: 0, priorTokens: 0, decodes: 1, decodeTokens: 4096 };
  const decode = { ...step, ms: model.sumsMs(0, 0, 0, 1, 4096) };
  const right = [chunk(3168, 0, first * 1.5), chunk(928, 3168, second * 1.5)];
  const split = [chunk(3168, 0, (first + second) * 1.5 - 0.4), chunk(928, 3168, 0.4)];
  const { measuredMs, split: pairs } = passSamples([...right, decode, ...split, decode, ...right], model);
  assert.equal(pairs, 1);
  const wanted = [first * 1.5, second * 1.5, decode.ms, first * 1.5, second * 1.5];
  wanted.forEach((ms, i) => near(measuredMs[i], ms, `pass ${i}`));
  // a short pass after a decode step is left alone: nothing tells with what it was timed
  assert.equal(passSamples([...right, decode, chunk(928, 3168, 0.4), ...right], model).split, 0);
});
