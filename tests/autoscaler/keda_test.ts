import assert from "node:assert/strict";
import { test } from "node:test";
import { ScaledObject } from "../../lib/autoscaler/keda.ts";
import { hpaSettings, kedaSettings } from "../../lib/config/autoscaler_section.ts";
import { HorizontalPodAutoscaler } from "../../lib/autoscaler/hpa.ts";
import type { RoleState } from "../../lib/autoscaler/role_scaler.ts";

const settingsOf = (object: Record<string, unknown>) =>
  kedaSettings({ type: "keda", workers: { aggregated: object } }).roles.aggregated!;

/** A role with so many messages in its queue. */
const role = (nowS: number, active: number, queue: number): RoleState => ({
  nowS,
  active,
  starting: 0,
  draining: 0,
  sample: () => ({ byWorker: [], missing: active, notReady: 0, total: queue, mean: null }),
});

const QUEUE = { metric: "queue_depth", threshold: 10 };

test("ScaledObject follows KEDA's documentation: below its activation threshold a trigger ends in zero replicas", () => {
  const object = new ScaledObject(settingsOf({ triggers: [{ ...QUEUE, activation_threshold: 50 }] }));
  assert.equal(object.scaler.decide(role(15, 1, 40)).wanted, 4); // what the HorizontalPodAutoscaler would want
  assert.equal(object.poll(role(30, 4, 40))?.replicas, 0);
  assert.equal(object.poll(role(60, 0, 50))?.reason, "idle"); // above, not at
  assert.deepEqual(object.poll(role(90, 0, 51))?.replicas, 1);
});

test("ScaledObject ignores activation where at least one replica always stays", () => {
  const object = new ScaledObject(
    settingsOf({ min_replica_count: 1, triggers: [{ ...QUEUE, activation_threshold: 50 }] }),
  );
  assert.equal(object.poll(role(600, 4, 0)), null);
  assert.equal(object.scaler.decide(role(615, 4, 80)).replicas, 8);
});

test("ScaledObject waits for the cooldown period after the last active poll", () => {
  const object = new ScaledObject(settingsOf({ triggers: [QUEUE] }));
  assert.equal(object.poll(role(30, 1, 5)), null);
  assert.equal(object.poll(role(300, 1, 0)), null);
  assert.equal(object.poll(role(329, 1, 0)), null);
  assert.deepEqual(object.poll(role(330, 1, 0))?.reason, "scale_to_zero");
});

test("ScaledObject keeps replicas through the initial cooldown period when nothing ever was active", () => {
  const object = new ScaledObject(settingsOf({ initial_cooldown_period: 120, triggers: [QUEUE] }));
  assert.equal(object.poll(role(90, 1, 0)), null);
  assert.equal(object.poll(role(120, 1, 0))?.replicas, 0);
  // without one the cooldown does not apply before a trigger was active
  assert.equal(new ScaledObject(settingsOf({ triggers: [QUEUE] })).poll(role(30, 1, 0))?.replicas, 0);
});

test("ScaledObject keeps replicas through the initial cooldown period whatever its triggers did", () => {
  const object = new ScaledObject(
    settingsOf({ initial_cooldown_period: 120, cooldown_period: 30, triggers: [QUEUE] }),
  );
  assert.equal(object.poll(role(30, 1, 5)), null);
  assert.equal(object.poll(role(90, 1, 0)), null);
  assert.equal(object.poll(role(120, 1, 0))?.replicas, 0);
});

test("ScaledObject has the defaults of KEDA's specification", () => {
  const { polling_interval, cooldown_period, initial_cooldown_period, idle_replica_count, ...bounds } = settingsOf({
    triggers: [QUEUE],
  });
  assert.deepEqual([polling_interval, cooldown_period, initial_cooldown_period, idle_replica_count], [
    30,
    300,
    0,
    null,
  ]);
  assert.deepEqual([bounds.min_replica_count, bounds.max_replica_count], [0, 100]);
  assert.deepEqual(bounds.triggers, [{ ...QUEUE, activation_threshold: 0, metric_type: "AverageValue" }]);
  assert.throws(
    () => settingsOf({ min_replica_count: 0, idle_replica_count: 0, triggers: [QUEUE] }),
    /idle_replica_count must be less than min_replica_count/,
  );
});

test("ScaledObject compares the whole with the threshold of a trigger of metric_type Value", () => {
  const { scaler } = new ScaledObject(settingsOf({ triggers: [{ ...QUEUE, metric_type: "Value" }] }));
  assert.equal(scaler.decide(role(15, 3, 20)).wanted, 6);
});

test("ScaledObject goes from idle_replica_count to min_replica_count at once, as in the documentation's 0, 10 and 100", () => {
  const object = new ScaledObject(settingsOf({
    idle_replica_count: 0,
    min_replica_count: 10,
    max_replica_count: 100,
    triggers: [QUEUE],
  }));
  assert.equal(object.poll(role(30, 10, 0))?.replicas, 0);
  assert.equal(object.poll(role(60, 0, 1))?.replicas, 10);
  assert.equal(object.scaler.decide(role(75, 10, 5000)).wanted, 500);
  assert.equal(object.scaler.decide(role(75, 0, 0)).reason, "paused");
});

test("HorizontalPodAutoscaler comes back into its bounds whatever the metrics say", () => {
  const { aggregated } = hpaSettings({
    type: "hpa",
    workers: {
      aggregated: {
        min_replicas: 2,
        max_replicas: 4,
        metrics: [{ name: "queue_depth", target: { average_value: 10 } }],
      },
    },
  }).roles;
  const scaler = new HorizontalPodAutoscaler(aggregated!);
  assert.deepEqual([scaler.decide(role(15, 1, 0)).replicas, scaler.decide(role(30, 9, 0)).replicas], [2, 4]);
  assert.equal(scaler.decide(role(45, 3, 0)).reason, "no_metrics"); // no worker has reported
});
