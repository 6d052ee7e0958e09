import "./base.js";

// lib/retune/requirements.ts
function replayIssues(facts) {
  const issues = [];
  const fail = (path, message) => issues.push({
    path,
    message
  });
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
export {
  replayIssues
};
