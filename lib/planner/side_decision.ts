/**
 * What one side (prompts or tokens) of the load loop wants.
 *
 * @module
 */

/** Why a side wants nothing. */
export type SideReason =
  | "no_change"
  | "insufficient_data"
  | "missing_engine_metadata"
  | "scale_down_refused_consolidation";

/** A side's wish. */
export interface SideDecision {
  /** Replicas wanted; null for no opinion. */
  desired: number | null;
  reason: SideReason;
  /** Whether fewer replicas were considered and found too few. */
  refused: boolean;
  /** Largest estimated latency of its ranks in milliseconds; null where none was estimated. */
  estimateMs: number | null;
  /** Whether the limits of its engines are known; null where nobody looked. */
  limitsKnown: boolean | null;
}
