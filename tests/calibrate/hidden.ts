/** Passes that follow the estimates with a known correction, for the tests of what finds it. */
import type { MeasuredPass } from "../../lib/calibrate/measured.ts";
import type { ForwardPassModel } from "../../lib/timing/aic/forward_pass_model.ts";
import { mulberry32 } from "../../lib/random/mulberry32.ts";

/** Loads of a server: prompts alone, decode steps, both. */
export function loads(count: number, seed = 7): Omit<MeasuredPass, "ms">[] {
  const random = mulberry32(seed);
  const upTo = (least: number, most: number) => Math.floor(least * (most / least) ** random());
  return Array.from({ length: count }, (_, i) => {
    const prompts = i % 3 === 1 ? 0 : upTo(1, 4), decodes = i % 3 === 0 ? 0 : upTo(1, 64);
    const promptTokens = prompts * upTo(64, 2048);
    return {
      prompts,
      promptTokens,
      priorTokens: 0,
      decodes,
      decodeTokens: decodes * upTo(256, 4096),
    };
  });
}

/** Passes of those loads: prefill and decode times scaled, a constant on every pass, a share of noise. */
export function hiddenPasses(
  model: ForwardPassModel,
  given: readonly Omit<MeasuredPass, "ms">[],
  { prefill = 1, decode = 1, constantMs = 0, noise = 0 },
): MeasuredPass[] {
  const random = mulberry32(11);
  return given.map((load) => {
    const { prompts, promptTokens, priorTokens, decodes, decodeTokens } = load;
    const ms = prefill * model.sumsMs(prompts, promptTokens, priorTokens, 0, 0) +
      decode * model.sumsMs(0, 0, 0, decodes, decodeTokens) + constantMs;
    return { ...load, ms: ms * (1 + noise * (2 * random() - 1)) };
  });
}
