import assert from "node:assert/strict";
import { test } from "node:test";
import { fixed } from "../../lib/timing/fixed.ts";
import { PassSampler } from "../../lib/timing/pass_sampler.ts";
import type { Timing } from "../../lib/timing/timing.ts";

test("PassSampler answers as the timing model behind it", () => {
  const sampler = new PassSampler(fixed({ prefillMs: 7, decodeMs: 3 }));
  assert.equal(sampler.prefillMs(1, 10, 0), 7);
  assert.equal(sampler.decodeMs(4, 400, 1000), 3);
  assert.equal(sampler.mixedMs, undefined);
});

test("PassSampler.passes share time as all passes did, however many there were", () => {
  for (const passes of [3, 50, 20_000]) {
    const sampler = new PassSampler(fixed({ prefillMs: 30, decodeMs: 1 }));
    for (let i = 0; i < passes; i++) {
      sampler.prefillMs(2, 500, 16);
      for (let k = 0; k < 10; k++) sampler.decodeMs(8, 800, 1000);
    }
    const kept = sampler.passes();
    assert.ok(kept.length > 0 && kept.length <= 32, `${kept.length} kept`);
    const share = (wanted: (pass: typeof kept[number]) => boolean) =>
      kept.filter(wanted).reduce((sum, pass) => sum + pass.share, 0);
    assert.ok(Math.abs(share(() => true) - 1) < 1e-12);
    const prefill = share(({ prompts, newTokens, priorTokens }) =>
      prompts === 2 && newTokens === 1000 && priorTokens === 32
    );
    assert.ok(Math.abs(prefill - 0.75) < 0.2, `${prefill} of ${passes}`);
    assert.ok(kept.every(({ decodes, contextTokens }) => decodes === 0 || (decodes === 8 && contextTokens === 800)));
  }
});

test("PassSampler keeps mixed passes of a model that has them, and nothing of a run without passes", () => {
  const mixed: Timing = { prefillMs: () => 1, decodeMs: () => 1, mixedMs: () => 5 };
  const sampler = new PassSampler(mixed);
  assert.deepEqual(sampler.passes(), []);
  assert.equal(sampler.mixedMs!(1, 100, 50, 4, 4000), 5);
  const [pass] = sampler.passes();
  assert.deepEqual(pass, { share: 1, prompts: 1, newTokens: 100, priorTokens: 50, decodes: 4, contextTokens: 4000 });
});
