/**
 * What a rank is given besides its settings: the load, the places it writes to, and who listens.
 *
 * @module
 */
import type { Workload } from "../traffic/workload.ts";
import type { WordSource } from "./acceptance.ts";
import type { GapSink } from "./gap_sink.ts";
import type { PromptIndex } from "./prompt_index.ts";
import type { CacheListener, RankObserver } from "./rank.ts";
import type { RequestRecords } from "./records.ts";
import type { SequenceLimit } from "./sequence_limit.ts";

/** Shared by all ranks of a pool. */
export interface RankContext {
  readonly workload: Workload;
  readonly prompts: PromptIndex;
  readonly records: RequestRecords;
  readonly sink: GapSink;
  readonly observer: RankObserver;
  readonly cache: CacheListener | null;
  /** Asked before one more sequence runs. */
  readonly sequences: SequenceLimit;
  /** Random words for multi-token prediction of scheduler `id`. */
  words(id: number): WordSource;
}
