/**
 * What the summary of an agentic load says of its plays.
 *
 * @module
 */
import type { AgentOutcome } from "../traffic/workload.ts";
import { describe } from "./distribution.ts";

/** Keys that only the summary of an agentic load has. A trajectory is a play from its first arrival to its end. */
export interface AgenticSummary {
  /** Plays. */
  total_trajectories: number;
  /** Plays that came to their end. */
  completed_trajectories: number;
  /** Plays that failed or were cut off. */
  incomplete_trajectories: number;
  /** What was replayed. */
  agentic_graph: {
    source: { format: string; digest: string };
    block_size: number;
    node_count: number;
    play_count: number;
    source_models: readonly string[];
  };
  /** One entry a play. */
  agentic_play_outcomes: {
    play_id: string;
    status: "completed" | "failed" | "incomplete";
    causal_terminal_ms?: number;
    settled_at_ms?: number;
    failure_request_id?: string;
    failure_status?: string;
  }[];
  /** Statistics of the time from a trajectory's first arrival to its end. */
  [statistic: `${string}_trajectory_e2e_latency_ms`]: number;
}

/** Summarises the plays; only those that completed have a latency. */
export function agenticSummary({ plays, source, models, blockTokens, nodes }: AgentOutcome): AgenticSummary {
  const completed = plays.filter((play) => play.status === "completed");
  const { count: _, ...latency } = describe(
    Float64Array.from(completed, (play) => play.causalTerminalMs - play.startMs),
  );
  return {
    total_trajectories: plays.length,
    completed_trajectories: completed.length,
    incomplete_trajectories: plays.length - completed.length,
    ...Object.fromEntries(
      Object.entries({ ...latency, p50: latency.median }).map(([name, value]) => [
        `${name}_trajectory_e2e_latency_ms`,
        value,
      ]),
    ),
    agentic_graph: {
      source,
      block_size: blockTokens,
      node_count: nodes,
      play_count: plays.length,
      source_models: models,
    },
    agentic_play_outcomes: plays.map(({ playId, status, causalTerminalMs, settledMs, failure }) => ({
      play_id: playId,
      // what it came to is known, and counted above; the play is over with its last request and its last hand-off
      status: Number.isNaN(settledMs) ? "incomplete" as const : status,
      ...(Number.isNaN(causalTerminalMs) ? {} : { causal_terminal_ms: causalTerminalMs }),
      ...(Number.isNaN(settledMs) ? {} : { settled_at_ms: settledMs }),
      ...(failure ? { failure_request_id: failure.requestId, failure_status: failure.status } : {}),
    })),
  };
}
