import { test } from "node:test";
import assert from "node:assert/strict";
import { replayIssues } from "../../lib/retune/requirements.ts";

const GOOD = {
  traceFormat: "dynamo",
  replayConcurrency: false,
  agenticOptions: [],
  maxSimTime: false,
  routerMode: "kv_router",
  routerConfig: true,
  searchesRouter: true,
};
const texts = (facts: Partial<Parameters<typeof replayIssues>[0]>) =>
  replayIssues({ ...GOOD, ...facts }).map(({ message }) => message);

test("replayIssues accepts an open-loop Dynamo trace behind a kv router", () => {
  assert.deepEqual(texts({}), []);
  assert.deepEqual(texts({ searchesRouter: false, routerMode: "round_robin", routerConfig: false }), []);
});

for (
  const [facts, text] of [
    [{ traceFormat: "mooncake" }, "planner_config.retune requires trace_format='dynamo'"],
    [{ traceFormat: null }, "planner_config.retune requires trace_format='dynamo'"],
    [{ replayConcurrency: true }, "planner_config.retune does not support replay_concurrency"],
    [{ agenticOptions: ["agentic_lanes"] }, "planner_config.retune does not support agentic_lanes"],
    [{ maxSimTime: true }, "planner_config.retune does not support max_sim_time_ms"],
    [
      { routerMode: "round_robin" },
      "planner_config.retune.router requires router_mode='kv_router' and a router configuration",
    ],
    [
      { routerConfig: false },
      "planner_config.retune.router requires router_mode='kv_router' and a router configuration",
    ],
  ] as const
) {
  test(`replayIssues refuses ${JSON.stringify(facts)}`, () => assert.deepEqual(texts(facts), [text]));
}

test("replayIssues tells everything at once", () => {
  assert.equal(texts({ traceFormat: "weka", replayConcurrency: true, maxSimTime: true }).length, 3);
});
