/**
 * The output tokens of requests whose row does not name any: random ones, the same in every run.
 *
 * @module
 */
import { StdRng } from "../random/chacha.ts";
import type { Workload } from "./workload.ts";

const SEED = 232521115524845;

/**
 * A workload in which later prompts repeat outputs: those outputs are known by their tokens.
 *
 * @param repeated whether some later prompt repeats what a request emits; the others stay without tokens
 */
export function withPlannedOutputs(workload: Workload, repeated: (request: number) => boolean): Workload {
  const random = new StdRng(SEED), outputTokenIds = new Map(workload.outputTokenIds);
  let drawn = 0;
  for (let request = 0; request < workload.count; request++) {
    if (outputTokenIds.has(request)) continue;
    const count = workload.outputTokens[request];
    if (repeated(request)) {
      const tokens = new Uint32Array(count);
      for (let i = 0; i < count; i++) tokens[i] = random.wordAt(drawn + i);
      outputTokenIds.set(request, tokens);
    }
    drawn += count;
  }
  return { ...workload, outputTokenIds };
}
