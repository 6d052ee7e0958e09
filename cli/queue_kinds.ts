/**
 * The jobs that a worker knows.
 *
 * @module
 */
import { CAPACITY_KIND } from "../lib/capacity/capacity_kind.ts";
import type { QueuedKind } from "../lib/jobs/queue/kind.ts";
import { SWEEP_KIND } from "../lib/replay/sweep_kind.ts";
import { CANDIDATE_KIND } from "../lib/recommend/candidate_kind.ts";

/** Every kind of jobs that may be sent. */
export const QUEUED_KINDS: readonly QueuedKind[] = [CANDIDATE_KIND, CAPACITY_KIND, SWEEP_KIND];
