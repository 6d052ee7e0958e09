import assert from "node:assert/strict";
import { test } from "node:test";
import { TickClock } from "../../lib/cluster/tick_clock.ts";
import type { RouterKnobs, RouterState, TrafficWindow } from "../../lib/planner/policy.ts";
import { SimpleRouter } from "../../lib/router/router.ts";

class Adjustable extends SimpleRouter {
  #knobs: RouterKnobs = { overlap_score_credit: 1, prefill_load_scale: 1, temperature: 1 };
  #revision = 0;
  override get knobs(): RouterKnobs {
    return this.#knobs;
  }
  override get revision(): number {
    return this.#revision;
  }
  join(): void {}
  leave(): void {}
  place(): number {
    return 0;
  }
  override update(knobs: RouterKnobs): void {
    this.#knobs = knobs;
    this.#revision++;
  }
}

test("TickClock changes routers when the wanted knobs differ, after it has shown them as they were", () => {
  const router = new Adjustable();
  const cool = { overlap_score_credit: 1, prefill_load_scale: 1, temperature: 0 };
  const seen: (RouterState | undefined)[] = [];
  const clock = new TickClock({
    initialTickMs: () => 5000,
    onTick({ nowMs, routers }) {
      seen.push(routers?.decode);
      const routerKnobs = nowMs < 10_000 ? { decode: { ...router.knobs } } : { decode: cool };
      return { targetPrefill: null, targetDecode: null, nextTickMs: nowMs + 5000, routerKnobs };
    },
  });
  clock.arm(0);
  const nobody = { active: [0], starting: [], draining: [], passes: [] };
  for (let nowMs = clock.nextMs; nowMs <= 20_000; nowMs = clock.nextMs) {
    clock.decide({
      nowMs,
      prefill: null,
      decode: nobody,
      traffic: {} as TrafficWindow,
      routers: { prefill: null, decode: router },
    });
  }
  assert.deepEqual(seen.map((state) => [state!.revision, state!.parameters.temperature]), [[0, 1], [0, 1], [1, 0], [
    1,
    0,
  ]]);
});

test("TickClock hands on what a policy leaves to the driver", () => {
  const pending = { work: "sweep", resume() {} };
  const clock = new TickClock({
    initialTickMs: () => 0,
    onTick: () => ({ targetPrefill: null, targetDecode: 2, nextTickMs: null, pending }),
  });
  const nobody = { active: [], starting: [], draining: [], passes: [] };
  const answer = clock.decide({
    nowMs: 0,
    prefill: null,
    decode: nobody,
    traffic: {} as TrafficWindow,
    routers: { prefill: null, decode: new Adjustable() },
  });
  assert.equal(answer.pending, pending);
  assert.equal(answer.armed, false);
});
