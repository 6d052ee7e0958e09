/** Numbers of the documentation of Kubernetes, "Horizontal Pod Autoscaling" and its walkthrough. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { HorizontalPodAutoscaler } from "../../lib/autoscaler/hpa.ts";
import type { Sample } from "../../lib/autoscaler/metrics.ts";
import type { RoleState } from "../../lib/autoscaler/role_scaler.ts";
import { hpaSettings } from "../../lib/config/autoscaler_section.ts";

const settingsOf = (object: Record<string, unknown>) =>
  hpaSettings({ type: "hpa", workers: { aggregated: { max_replicas: 100, ...object } } }).roles.aggregated!;
const PODS = { name: "running_requests", target: { average_value: 100 } };

/** A role whose workers report values; other metrics are unknown unless they are given. */
function role(nowS: number, byWorker: number[], others: Partial<RoleState> & { unknown?: boolean } = {}): RoleState {
  const total = byWorker.reduce((sum, value) => sum + value, 0);
  const known: Sample = { byWorker, missing: 0, notReady: 0, total, mean: total / Math.max(byWorker.length, 1) };
  return {
    nowS,
    active: byWorker.length,
    starting: 0,
    draining: 0,
    sample: (name) =>
      name === "kv_usage" && others.unknown ? { ...known, byWorker: [], total: null, mean: null } : known,
    ...others,
  };
}

test("HorizontalPodAutoscaler has the documentation's default behaviour", () => {
  const { min_replicas, behavior, tolerance } = settingsOf({ metrics: [PODS] });
  assert.equal(min_replicas, 1);
  assert.deepEqual(tolerance, { up: 0.1, down: 0.1 });
  const none = { select_policy: "Max", tolerance: null };
  assert.deepEqual(behavior, {
    scale_down: {
      ...none,
      stabilization_window_seconds: 300,
      policies: [{ type: "Percent", value: 100, period_seconds: 15 }],
    },
    scale_up: {
      ...none,
      stabilization_window_seconds: 0,
      policies: [
        { type: "Percent", value: 100, period_seconds: 15 },
        { type: "Pods", value: 4, period_seconds: 15 },
      ],
    },
  });
  // fields that are given are merged with the rest of the defaults
  const custom = settingsOf({ metrics: [PODS], behavior: { scale_down: { stabilization_window_seconds: 60 } } });
  assert.deepEqual(custom.behavior.scale_up, behavior.scale_up);
  assert.deepEqual(custom.behavior.scale_down.policies, behavior.scale_down.policies);
});

test("HorizontalPodAutoscaler makes 60 of 50 replicas at 90 of 75, and nothing within the tolerance", () => {
  const scaler = () =>
    new HorizontalPodAutoscaler(settingsOf({ metrics: [{ ...PODS, target: { average_value: 75 } }] }));
  const fifty = (value: number) => role(15, new Array(50).fill(value));
  assert.equal(scaler().decide(fifty(90)).replicas, 60);
  assert.equal(scaler().decide(fifty(82)).reason, "within_target");
});

test("HorizontalPodAutoscaler with a tolerance of 5 % for scaling up acts above 105 of 100 only", () => {
  const scaler = () =>
    new HorizontalPodAutoscaler(settingsOf({ metrics: [PODS], behavior: { scale_up: { tolerance: 0.05 } } }));
  assert.equal(scaler().decide(role(15, [105])).replicas, 1);
  assert.equal(scaler().decide(role(15, [105.1])).replicas, 2);
  assert.equal(scaler().decide(role(15, [91, 91])).replicas, 2); // downwards the tolerance of the cluster holds
});

test("HorizontalPodAutoscaler takes 10 % a minute away, or 5 at most with select_policy Min", () => {
  const tenth = [{ type: "Percent", value: 10, period_seconds: 60 }];
  const path = (scale_down: object) => {
    const scaler = new HorizontalPodAutoscaler(
      settingsOf({ metrics: [PODS], behavior: { scale_down: { stabilization_window_seconds: 0, ...scale_down } } }),
    );
    const counts = [100];
    for (let minute = 1; minute <= 3; minute++) {
      counts.push(scaler.decide(role(minute * 60, new Array(counts.at(-1)!).fill(1))).replicas);
    }
    return counts;
  };
  assert.deepEqual(path({ policies: tenth }), [100, 90, 81, 72]); // 8.1 of 81 are rounded up to 9
  const both = [...tenth, { type: "Pods", value: 5, period_seconds: 60 }];
  assert.deepEqual(path({ policies: both, select_policy: "Min" }), [100, 95, 90, 85]);
  assert.deepEqual(path({ select_policy: "Disabled" }), [100, 100, 100, 100]);
});

test("HorizontalPodAutoscaler makes a worker for every 30 outstanding tasks of an external metric", () => {
  const tasks = { type: "External", name: "queue_depth", target: { average_value: 30 } };
  const wants = (total: number, current: number) =>
    new HorizontalPodAutoscaler(settingsOf({ metrics: [tasks] }))
      .decide(role(15, new Array(current).fill(total / current))).wanted;
  assert.deepEqual([wants(60, 1), wants(90, 1), wants(120, 3), wants(92, 3)], [2, 3, 4, 3]);
});

test("HorizontalPodAutoscaler counts workers that are being removed for the ratio of a whole as long as they are ready", () => {
  const whole = { type: "External", name: "queue_depth", target: { value: 20 } };
  const decide = (draining: number) =>
    new HorizontalPodAutoscaler(settingsOf({ metrics: [whole] })).decide(role(15, [20, 20], { draining })).wanted;
  assert.deepEqual([decide(0), decide(1)], [4, 6]); // twice the target: of 2, of 3 workers
});

test("HorizontalPodAutoscaler takes the most that a metric wants, and takes nothing away while one is unknown", () => {
  const two = settingsOf({
    metrics: [PODS, { name: "kv_usage", target: { average_value: 100 } }],
    behavior: { scale_down: { stabilization_window_seconds: 0 } },
  });
  const decide = (values: number[], unknown: boolean) =>
    new HorizontalPodAutoscaler(two).decide(role(15, values, { unknown }));
  assert.equal(decide([200, 200], true).replicas, 4);
  assert.deepEqual([decide([20, 20], true).replicas, decide([20, 20], true).reason], [2, "no_metrics"]);
  assert.equal(decide([20, 20], false).replicas, 1);
});

test("HorizontalPodAutoscaler keeps the highest of what was wanted in the last 5 minutes", () => {
  const scaler = new HorizontalPodAutoscaler(settingsOf({ metrics: [PODS] }));
  const ten = (value: number) => new Array(10).fill(value);
  assert.equal(scaler.decide(role(15, ten(100))).replicas, 10);
  for (const nowS of [30, 150, 300, 314]) {
    const { replicas, wanted, reason } = scaler.decide(role(nowS, ten(20)));
    assert.deepEqual([replicas, wanted, reason], [10, 2, "stabilizing"]);
  }
  assert.equal(scaler.decide(role(315, ten(20))).replicas, 2);
});
