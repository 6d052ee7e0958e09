import "../../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { powerOf } from "../../../lib/report/power.ts";
import { EnergyMeter } from "../../../lib/timing/aic/energy_meter.ts";
import { energyModels } from "../../../lib/timing/aic/energy_models.ts";
import { OperationLedger } from "../../../lib/timing/aic/operation_ledger.ts";
import { deploy, operatorTiming } from "../../../lib/timing/aic/operator_timing.ts";
import { PassSampler } from "../../../lib/timing/pass_sampler.ts";

const B200 = { model: "Qwen/Qwen3-32B", hardware: "b200_sxm", backend: "trtllm", tensor: 2 };

test("EnergyMeter answers as its base and adds up what the operators of all passes add up to", () => {
  const deployment = deploy(B200), base = operatorTiming(deployment, { stack: "engine" });
  const ledger = new OperationLedger(base, deployment, "engine");
  const meter = new EnergyMeter(ledger, deployment, energyModels(deployment), "engine");
  assert.equal(meter.prefillMs(2, 500, 64), base.prefillMs(2, 500, 64));
  for (let i = 0; i < 4; i++) assert.equal(meter.decodeMs(8, 8 * (600 + i), 1e6), base.decodeMs(8, 8 * (600 + i), 1e6));
  const { prefill, decode } = ledger.totals(), all = [...prefill, ...decode];
  const sum = (of: (row: typeof all[number]) => number) => all.reduce((total, row) => total + of(row), 0);
  const close = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-9 * b, `${a} for ${b}`);
  close(meter.sums.ms, sum(({ ms }) => ms));
  close(meter.sums.coveredMs, sum(({ coveredMs }) => coveredMs));
  close(meter.sums.energy, sum(({ energy }) => energy));
  const { power_w, power_coverage } = powerOf(meter.sums);
  assert.ok(power_coverage > 0.9 && power_w! > 100 && power_w! < 1200);
});

test("models that count passes are never asked ahead of the run", () => {
  const deployment = deploy(B200), base = operatorTiming(deployment, { stack: "engine" });
  const models = energyModels(deployment);
  assert.equal(new EnergyMeter(base, deployment, models, "engine").inOrder, true);
  assert.equal(new OperationLedger(base, deployment, "engine").inOrder, true);
  assert.equal(new PassSampler(base).inOrder, true);
  assert.ok(!(base.inOrder ?? false), "one that only answers may be");
});

test("EnergyMeter counts only the time of passes whose power was not measured", () => {
  const deployment = deploy({ ...B200, hardware: "h200_sxm" });
  assert.equal(energyModels(deployment), null);
  const meter = new EnergyMeter(operatorTiming(deployment, { stack: "engine" }), deployment, null, "engine");
  const ms = meter.decodeMs(4, 4000, 1e6);
  assert.deepEqual(meter.sums, { ms, coveredMs: 0, energy: 0 });
  assert.deepEqual(powerOf(meter.sums), { power_w: null, power_coverage: 0 });
});

test("nobody may ask an EnergyMeter ahead: every answer counts as a pass", () => {
  const deployment = deploy(B200), base = operatorTiming(deployment, { stack: "engine" });
  assert.ok(!base.inOrder);
  assert.ok(new EnergyMeter(base, deployment, energyModels(deployment), "engine").inOrder);
  assert.ok(new OperationLedger(base, deployment, "engine").inOrder);
});

test("estimates have no energy, whatever was measured", () => {
  for (const databaseMode of ["EMPIRICAL", "SOL"]) {
    assert.equal(energyModels(deploy({ ...B200, databaseMode })), null);
  }
});
