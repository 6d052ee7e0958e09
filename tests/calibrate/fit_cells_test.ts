import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { chooseLevel } from "../../lib/calibrate/choose_level.ts";
import { fitCells } from "../../lib/calibrate/fit_cells.ts";
import type { MeasuredPass } from "../../lib/calibrate/measured.ts";
import { passSamples } from "../../lib/calibrate/pass_samples.ts";
import { mulberry32 } from "../../lib/random/mulberry32.ts";
import { deploy } from "../../lib/timing/aic/operator_timing.ts";
import { NestedCells } from "../../lib/timing/calibration/nested_cells.ts";
import { hiddenPasses } from "./hidden.ts";

const model = deploy({ model: "Qwen/Qwen3-32B", hardware: "h200_sxm", tensor: 2 }).forwardPassModel();

test("chooseLevel finds ratios of mixed passes that depend on tokens, known tokens, sequences and prompts together", () => {
  const random = mulberry32(9), of = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)];
  const given = Array.from({ length: 600 }, () => {
    const prompts = of([1, 4]), decodes = of([2, 8, 32]);
    const promptTokens = of([700, 2900, 8000]), priorTokens = of([0, 4000]);
    return { prompts, promptTokens, priorTokens, decodes, decodeTokens: decodes * 3000 };
  });
  const ratio = ({ prompts, promptTokens, priorTokens, decodes }: typeof given[number]) =>
    ((prompts === 1) === (decodes > 4) ? 1.5 : 1) * (promptTokens > 1000 && priorTokens > 0 ? 0.8 : 1.1);
  const passes = hiddenPasses(model, given, { noise: 0.005 }).map((pass, row) => {
    const { prompts, promptTokens, priorTokens, decodes, decodeTokens } = pass;
    const ms = model.sumsMs(prompts, promptTokens, priorTokens, decodes, decodeTokens);
    return { ...pass, ms: ms * ratio(given[row]) * (1 + 0.01 * (random() - 0.5)) };
  });
  const { level, tried, corrections: { phases: { mixed } } } = chooseLevel(passSamples(passes, model));
  assert.equal(level, "cells");
  assert.deepEqual(mixed!.cells!.over, ["prior_tokens", "decode_requests", "prompts"]);
  const error = (wanted: string) => tried.findLast(({ level }) => level === wanted)!.error;
  assert.ok(error("cells") < 2 && error("tables") > 8, `${error("cells")} ${error("tables")}`);
});

test("fitCells keeps a load that was seen often by itself, and NestedCells finds each pass in the cells it made", () => {
  const load = fc.record({
    prompts: fc.integer({ min: 1, max: 200 }),
    promptTokens: fc.integer({ min: 1, max: 100_000 }),
    priorTokens: fc.integer({ min: 0, max: 1_000_000 }),
    decodes: fc.integer({ min: 1, max: 2000 }),
    ratio: fc.double({ min: 0.5, max: 2, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(load, { minLength: 1, maxLength: 8 }), (loads) => {
      // far from each other by their prompt tokens, so that cells of half a doubling and less hold one load alone
      const far = loads.map((one, i) => ({ ...one, promptTokens: 8 ** i }));
      const passes = far.flatMap((one) => Array.from({ length: 9 }, () => one));
      const column = (name: keyof typeof passes[number]) => Float64Array.from(passes, (one) => one[name]);
      const samples = {
        ...passSamples([] as MeasuredPass[], model),
        tokens: column("promptTokens"),
        priorTokens: column("priorTokens"),
        decodes: column("decodes"),
        prompts: column("prompts"),
      };
      const rows = Int32Array.from(passes.keys()), over = ["prior_tokens", "decode_requests", "prompts"] as const;
      const cells = new NestedCells(fitCells(samples, rows, (row) => passes[row].ratio, over));
      const bound = 4 * 1.4826 * middle(far.map(({ ratio }) => Math.abs(ratio - 1)));
      for (const { promptTokens, priorTokens, decodes, prompts, ratio } of far) {
        const found = cells.factor(Math.log2(promptTokens), priorTokens, Math.log2(decodes), prompts);
        const wanted = 1 + Math.min(Math.max(ratio - 1, -bound), bound);
        // three steps of half a doubling and less leave a thousandth of what is missing each
        assert.ok(Math.abs(found - wanted) < 0.01, `${found} is not ${wanted}`);
      }
    }),
    { numRuns: 100 },
  );
});

function middle(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}
