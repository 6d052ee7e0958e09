/**
 * Workers that stay behind in lock step while nobody hears of them, with requests that wait in the router, samples and
 * scaling: everything comes out as where every pass end is an event.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import "../without_user_cache.ts";
import {
  loadTrace,
  replay,
  type ReplayOptions,
  type Report,
  routerSpecOf,
  type ScalingPolicy,
  SimpleRouter,
} from "dynosim";
import { fixed } from "../../lib/timing/fixed.ts";
import { sglang, trtllm, vllm } from "../../lib/engine/launch/choices.ts";
import { splitmix32 } from "../../lib/random/splitmix32.ts";
import type { Snapshot } from "../../lib/planner/policy.ts";

type Dice = (most: number) => number;

/** Sessions of up to four turns at integer times; outputs of one token end with their prompts. */
function rows(upTo: Dice): string {
  let text = "", atMs = 0;
  for (let session = 0; session < 25; session++) {
    atMs += upTo(20) - 1;
    for (let turn = 0, turns = upTo(4); turn < turns; turn++) {
      const input_length = upTo(400), hash_ids = Array.from({ length: Math.ceil(input_length / 64) }, () => upTo(9));
      const start = turn === 0 ? { timestamp: atMs } : { delay: upTo(3) === 1 ? 10 : 0 };
      const output_length = upTo(4) === 1 ? upTo(2) : upTo(50);
      text += JSON.stringify({ ...start, session_id: `s${session}`, input_length, output_length, hash_ids }) + "\n";
    }
  }
  return text;
}

/**
 * A router that keeps requests and gives some of them back at every end and first token, anywhere. Where they go depends on all
 * that it heard before, so that two ends in another order come out.
 */
class Fickle extends SimpleRouter {
  override readonly mayQueue = true;
  override readonly needsEnds = true;
  override readonly needsPrefillDone = true;
  override placedRank = -1;
  readonly #ranks: number[] = [];
  readonly #kept: number[] = [];
  #heard = 0;
  #inFlight = 0;
  #due = 0;

  override join(worker: number): void {
    this.#ranks.push(worker);
  }

  override leave(worker: number): void {
    this.#ranks.splice(this.#ranks.indexOf(worker), 1);
  }

  override place(request: number): number {
    if (this.#inFlight === 0 || request % 3 === 0) return this.#pick(request);
    this.#kept.push(request);
    return -1;
  }

  override prefillDone(request: number, rank: number): void {
    this.#hear(request, rank);
    this.#due += request % 2;
  }

  override ended(request: number, rank: number): void {
    this.#hear(request, rank);
    this.#inFlight--;
    this.#due += 1 + request % 2;
  }

  override nextReleased(): number {
    if (this.#due === 0) return -1;
    this.#due--;
    const request = this.#kept.shift();
    if (request === undefined) return -1;
    this.placedRank = this.#pick(request);
    return request;
  }

  #hear(request: number, rank: number): void {
    this.#heard = (this.#heard * 31 + request * 7 + rank) % 65521;
  }

  #pick(request: number): number {
    this.#inFlight++;
    return this.#ranks[(this.#heard + request) % this.#ranks.length];
  }
}

/** A policy that wants some number of workers now and then, and everything it was shown. */
function restless(seed: number): { policy: ScalingPolicy; seen: Snapshot[] } {
  const random = splitmix32(seed), upTo: Dice = (most) => 1 + Math.floor(random() * most), seen: Snapshot[] = [];
  const policy: ScalingPolicy = {
    initialTickMs: () => upTo(20),
    onTick(snapshot) {
      seen.push(structuredClone(snapshot));
      const last = seen.length === 30;
      return {
        targetPrefill: null,
        targetDecode: upTo(2) === 1 ? upTo(7) : null,
        nextTickMs: last ? null : snapshot.nowMs + upTo(40),
      };
    },
  };
  return { policy, seen };
}

/** Sums over other stretches of time differ in their last digits. */
function near(own: number, other: number, what: string): void {
  assert.ok(Math.abs(own - other) <= 1e-11 * Math.abs(other), `${what}: ${own}, not ${other}`);
}

function assertSame(own: Report, lockStep: Report, what: string): void {
  assert.deepEqual([...own.per_request!], [...lockStep.per_request!], what);
  assert.equal(own.summary.duration_ms, lockStep.summary.duration_ms, what);
  assert.deepEqual(own.planner?.lifecycle_operations, lockStep.planner?.lifecycle_operations, what);
  assert.equal(own.workers!.length, lockStep.workers!.length, what);
  for (const [i, { kv_use_mean, kv_use_peak }] of own.workers!.entries()) {
    near(kv_use_mean!, lockStep.workers![i].kv_use_mean!, `${what}, mean use of worker ${i}`);
    assert.equal(kv_use_peak, lockStep.workers![i].kv_use_peak, `${what}, worker ${i}`);
  }
}

test("workers that stay behind give the same with router queues, samples and scaling as in lock step", async () => {
  let scaled = 0;
  for (let seed = 0; seed < 100; seed++) {
    const random = splitmix32(seed), upTo: Dice = (most) => 1 + Math.floor(random() * most);
    const engine = [vllm, trtllm, sglang, vllm][upTo(4) - 1];
    const load = {
      blockTokens: 64,
      ...(upTo(2) === 1 ? { concurrency: 2 + upTo(14) } : {}),
    };
    const text = rows(upTo);
    const options: ReplayOptions = {
      cluster: {
        replicas: 2 + upTo(8),
        engine: engine({ blockTokens: 64, blocks: upTo(5) === 1 ? 40 : 2000, maxBatchedTokens: 512 }),
        startupSeconds: [0, 0.013][upTo(2) - 1],
        // Integer times, and passes that take no time, so that many things happen at once.
        ...(upTo(4) > 1 ? { timing: fixed({ prefillMs: [0, 0, 0, 5][upTo(4) - 1], decodeMs: 1 }) } : {}),
      },
      router: upTo(2) === 1 ? () => new Fickle() : routerSpecOf({
        routerMode: "kv_router",
        routerConfig: {
          router_queue_threshold: [0, 0.25, 1][upTo(3) - 1],
          router_queue_policy: ["fcfs", "lcfs", "wspt"][upTo(3) - 1],
        },
      }).spec,
      onWarning: () => {},
    };
    const scales = upTo(2) === 1, telemetryIntervalMs = [3, 7.5, 20, 200][upTo(4) - 1];
    const run = async (more: ReplayOptions) => {
      const { policy, seen } = restless(seed);
      const traffic = await loadTrace(new Blob([text]).stream(), load);
      const report = await replay(traffic, { ...options, ...more, ...(scales ? { planner: policy } : {}) }).report;
      return { report, seen };
    };
    const maxVirtualMs = upTo(5) === 1 ? 150 : undefined;
    const alone = await run({ maxVirtualMs }), sampled = await run({ telemetryIntervalMs, maxVirtualMs });
    // With samples and a limit, every end of a pass is an event.
    const lockStep = await run({ telemetryIntervalMs, maxVirtualMs: maxVirtualMs ?? 1e9 });
    assert.ok(lockStep.report.summary.completed_requests > 0);
    assertSame(alone.report, lockStep.report, `seed ${seed}`);
    assertSame(sampled.report, lockStep.report, `seed ${seed} with samples`);
    assert.deepEqual(alone.seen, lockStep.seen, `seed ${seed}`);
    assert.deepEqual(sampled.seen, lockStep.seen, `seed ${seed} with samples`);
    assert.deepEqual(sampled.report.telemetry, lockStep.report.telemetry, `seed ${seed}`);
    // With a limit too there are samples up to the last event.
    const last = sampled.report.telemetry!.samples.at(-1)!;
    assert.ok(last.sampled_at_ms - last.interval_start_ms <= telemetryIntervalMs + 1e-9, `seed ${seed}`);
    scaled += lockStep.seen.length;
  }
  assert.ok(scaled > 0);
});
