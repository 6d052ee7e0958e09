/**
 * Larger blocks out of smaller ones.
 *
 * @module
 */
import { checkNumber, checkOptions, ConfigError, type OptionNames } from "../errors.ts";
import { IdMixer } from "./fresh_ids.ts";
import type { TraceRequest } from "./request.ts";
import { batchStage, type Stage } from "./stage.ts";

/** Options of {@linkcode regroup}. */
export interface RegroupOptions {
  /** Tokens of a block as it comes. */
  from: number;
  /** Tokens of a block as it goes: a multiple of `from`. */
  to: number;
}

/**
 * Joins every `to / from` blocks into one whose id mixes theirs, so that equal runs of blocks stay equal. What two
 * prompts share beyond the last whole new block is lost.
 *
 * @example
 * ```ts
 * import { readTrace, regroup, writeTrace } from "dynosim";
 *
 * await readTrace("fixtures/traces/chat.jsonl")
 *   .pipeThrough(regroup({ from: 512, to: 2048 }))
 *   .pipeTo(writeTrace("/dev/null", { format: "mooncake", blockTokens: 2048 }));
 * ```
 */
export function regroup(options: RegroupOptions): Stage<TraceRequest, TraceRequest> {
  checkOptions("regroup()", options, { from: true, to: true } satisfies OptionNames<RegroupOptions>);
  const { from, to } = options;
  checkNumber("regroup(): from", from ?? null, { least: 1, whole: true });
  checkNumber("regroup(): to", to ?? null, { least: 1, whole: true });
  if (!(from > 0 && to % from === 0)) {
    throw new ConfigError(`blocks of ${from} tokens cannot be joined to blocks of ${to}: it must be a multiple`);
  }
  const joined = to / from;
  return batchStage(async function* (batches) {
    const mixer = new IdMixer();
    for await (const batch of batches) {
      yield batch.map((request) => {
        const { hashIds } = request;
        const needed = Math.ceil(request.inputTokens / from);
        const ids: number[] = [];
        for (let at = 0; at < needed; at += joined) {
          mixer.start(3);
          for (let i = at; i < Math.min(at + joined, needed, hashIds.length); i++) mixer.add(hashIds[i]);
          ids.push(mixer.id);
        }
        return { ...request, hashIds: ids };
      });
    }
  });
}
