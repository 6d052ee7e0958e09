/**
 * What a programmatic replay must be for retune to run (a prediction config's rules stand with its other rules).
 *
 * @module
 */
import type { ConfigIssue } from "../errors.ts";

/** The options of a programmatic replay that retune depends on. */
export interface ReplayFacts {
  /** Null for the synthetic entry point. */
  traceFormat: string | null;
  replayConcurrency: boolean;
  /** Names of the `agentic_*` options that are set. */
  agenticOptions: readonly string[];
  maxSimTime: boolean;
  routerMode: string;
  /** A router configuration was given. */
  routerConfig: boolean;
  searchesRouter: boolean;
}

/** Everything in the options of a programmatic replay that retune cannot live with. */
export function replayIssues(facts: ReplayFacts): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const fail = (path: string, message: string) => issues.push({ path, message });
  if (facts.traceFormat !== "dynamo") {
    fail("trace_format", "planner_config.retune requires trace_format='dynamo'");
  }
  if (facts.replayConcurrency) {
    fail("replay_concurrency", "planner_config.retune does not support replay_concurrency");
  }
  for (const name of facts.agenticOptions) fail(name, `planner_config.retune does not support ${name}`);
  if (facts.maxSimTime) fail("max_sim_time_ms", "planner_config.retune does not support max_sim_time_ms");
  if (facts.searchesRouter && !(facts.routerMode === "kv_router" && facts.routerConfig)) {
    fail("router_mode", "planner_config.retune.router requires router_mode='kv_router' and a router configuration");
  }
  return issues;
}
