import assert from "node:assert/strict";
import { test } from "node:test";
import { tickReason } from "../../lib/analysis/planner_tables.ts";
import { describeScaling } from "../../lib/analysis/replica_facts.ts";
import type { ReplicaSource } from "../../lib/analysis/replicas.ts";
import type { PlannerTick } from "../../lib/report/planner_section.ts";

test("describeScaling names who decided, and counts one as one", () => {
  const run = (autoscaler?: string) =>
    ({
      summary: { gpu_hours: 0.5286 },
      planner: {
        metadata: { autoscaler },
        total_ticks: 42,
        scaling_events: [{ reason: "scale_up" }, { reason: "scale_up" }, { reason: "scale_down" }],
      },
      evaluation: { cost: { total: 1.586, currency: "$" } },
    }) as unknown as ReplicaSource;
  assert.equal(describeScaling(run()), "2 scale-ups, 1 scale-down in 42 ticks of the Planner; 0.529 GPU hours ($1.59)");
  assert.match(describeScaling(run("keda")), / in 42 ticks of KEDA; /);
  assert.match(describeScaling(run("hpa")), / in 42 ticks of HorizontalPodAutoscaler; /);
});

test("tickReason names loops of the Planner, and none of another autoscaler's only loop", () => {
  const tick = (diagnostics: object, autoscaler?: object) =>
    ({ effects: { diagnostics }, autoscaler }) as unknown as PlannerTick;
  assert.equal(tickReason(tick({ load_decision_reason: "scale_up" })), "load: scale_up");
  assert.equal(tickReason(tick({ load_decision_reason: "activated" }, {})), "activated");
  assert.equal(
    tickReason(tick({ load_decision_reason_prefill: "a", load_decision_reason_decode: "b" }, {})),
    "prefill: a; decode: b",
  );
});
