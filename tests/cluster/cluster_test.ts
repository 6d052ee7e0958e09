/** What all clusters have in common, on both kinds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PoolSpec } from "../../lib/cluster/spec.ts";
import type { Pending } from "../../lib/planner/policy.ts";
import { SimpleRouter } from "../../lib/router/router.ts";
import { TelemetryCollector } from "../../lib/report/telemetry.ts";
import { near } from "../planner/helpers.ts";
import { play, pool, scripted } from "./support.ts";

type Options = Parameters<typeof pool>[1];

const KINDS: readonly [name: string, pools: (options?: Options) => PoolSpec[]][] = [
  ["an aggregated cluster", (options) => [pool("aggregated", options)]],
  ["a disaggregated cluster", (options) => [pool("prefill", options), pool("decode", options)]],
];

/** A router that keeps every request. */
class Keeper extends SimpleRouter {
  override readonly mayQueue = true;
  override join(): void {}
  override leave(): void {}
  override place(): number {
    return -1;
  }
}

for (const [name, pools] of KINDS) {
  test(`${name} ends when its load has ended, and counts its workers' seconds until then`, () => {
    const { outcome, records } = play(pools({ replicas: 2 }));
    assert.deepEqual([records.admitted, records.ended], [3, 3]);
    // The last request arrives at 200 ms; its prompt takes 10 ms, and its tokens a few steps of 2 ms.
    assert.ok(outcome.endMs > 210 && outcome.endMs < 230, String(outcome.endMs));
    near(outcome.decodeWorkerSeconds, 2 * outcome.endMs / 1000, 1e-12, "worker seconds");
    assert.equal(outcome.prefillWorkerSeconds, pools().length > 1 ? outcome.decodeWorkerSeconds : 0);
  });

  test(`${name} admits nothing after its limit`, () => {
    const { records } = play(pools(), { count: 10, maxVirtualMs: 250 });
    assert.deepEqual([records.admitted, records.ended], [3, 3]);
  });

  test(`${name} asks its policy after everything else that happens at the time of a tick`, () => {
    const { policy, seen } = scripted([{ atMs: 100 }, { atMs: 200 }]);
    const { outcome } = play(pools(), { policy });
    assert.equal(outcome.ticks, 2);
    // The requests of 0 and 100 ms had arrived by the first tick, that of 200 ms by the second.
    assert.deepEqual(seen.map(({ traffic }) => traffic.requests), [2, 1]);
    assert.deepEqual(seen.map(({ traffic }) => traffic.shapeCount), [1, 1]);
  });

  test(`${name} carries out targets: a worker starts, becomes active after its start-up, and leaves when drained`, () => {
    const { policy, seen } = scripted([{ atMs: 20, decode: 2 }, { atMs: 600, decode: 1 }, { atMs: 800 }]);
    const { outcome } = play(pools({ startupSeconds: 0.25 }), { count: 12, policy });
    assert.deepEqual(seen.map(({ decode }) => decode.active.length), [1, 2, 1]);
    assert.deepEqual(outcome.lifecycle.map(({ at_ms, cause }) => [at_ms, cause]).slice(0, 2), [
      [20, "planner_scale"],
      [270, "worker_ready_event"],
    ]);
    const left = outcome.lifecycle.flatMap(({ transitions }) => transitions).at(-1)!;
    assert.deepEqual([left.transition, left.worker_id], ["worker_removed", 1]);
  });

  test(`${name} hands pending work to its driver and waits for it`, () => {
    const { policy } = scripted([{ atMs: 50 }, { atMs: 150 }]);
    const resumed: number[] = [];
    const pending = (atMs: number): Pending => ({ work: null, resume: () => resumed.push(atMs) });
    const working = {
      ...policy,
      onTick: (snapshot: Parameters<typeof policy.onTick>[0]) => ({
        ...policy.onTick(snapshot),
        pending: pending(snapshot.nowMs),
      }),
    };
    assert.equal(play(pools(), { policy: working }).pending, 2);
    assert.deepEqual(resumed, [50, 150]);
  });

  test(`${name} says so when requests are left and nothing can happen any more`, () => {
    const keeping = pools({ router: () => new Keeper() });
    assert.throws(() => play(keeping), /reached a dead end with 3 in-flight requests remaining/);
    // A policy that ticks for ever does not keep it alive.
    const policy = {
      initialTickMs: () => 5,
      onTick: ({ nowMs }: { nowMs: number }) => ({ targetPrefill: null, targetDecode: null, nextTickMs: nowMs + 5 }),
    };
    assert.throws(() => play(keeping, { policy }), /reached a dead end with 3 in-flight requests remaining/);
  });

  test(`${name} is the same run with telemetry, which makes it move from event to event`, () => {
    const plain = play(pools({ replicas: 2 }), { count: 40, intervalMs: 3 });
    const collector = new TelemetryCollector(20);
    const watched = play(pools({ replicas: 2 }), { count: 40, intervalMs: 3, telemetry: collector });
    near(watched.outcome.decodeWorkerSeconds, plain.outcome.decodeWorkerSeconds, 1e-12, "worker seconds");
    assert.equal(watched.outcome.endMs, plain.outcome.endMs);
    watched.outcome.workers.forEach(({ heldBlockMs, peakHeldBlocks }, i) => {
      near(heldBlockMs, plain.outcome.workers[i].heldBlockMs, 1e-12, `held blocks of worker ${i}`);
      assert.equal(peakHeldBlocks, plain.outcome.workers[i].peakHeldBlocks);
    });
    for (let r = 0; r < 40; r++) {
      assert.equal(watched.records.terminalMs[r], plain.records.terminalMs[r], `request ${r}`);
      assert.equal(watched.records.firstTokenMs[r], plain.records.firstTokenMs[r], `request ${r}`);
    }
    assert.ok(collector.telemetry().samples.length > 3);
  });

  test(`${name} tells in quiet stretches what it tells where ticks come between all samples`, () => {
    const policy = {
      initialTickMs: () => 0.25,
      onTick: ({ nowMs }: { nowMs: number }) => ({ targetPrefill: null, targetDecode: null, nextTickMs: nowMs + 0.25 }),
    };
    const samples = [{}, { policy }].map((options) => {
      const telemetry = new TelemetryCollector(0.5);
      play(pools({ replicas: 2 }), { count: 6, intervalMs: 40, telemetry, ...options });
      return telemetry.telemetry().samples;
    });
    assert.ok(samples[0].length > 400);
    assert.deepEqual(samples[0], samples[1]);
  });
}
