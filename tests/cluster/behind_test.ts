/**
 * Workers that stay behind in lock step while nobody hears of them, with requests that wait in the router, samples and
 * scaling: everything comes out as where every pass end is an event.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import "../without_user_cache.ts";
import {
  loadTrace,
  type PoolChoices,
  replay,
  type ReplayOptions,
  type Report,
  routerSpecOf,
  type ScalingPolicy,
  SimpleRouter,
} from "dynosim";
import type { Timing } from "../../lib/timing/timing.ts";
import { type EngineChoices, sglang, trtllm, vllm } from "../../lib/engine/launch/choices.ts";
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
        targetPrefill: upTo(4) === 1 ? upTo(4) : null,
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

function assertSame(own: Report, lockStep: Report, peaks: boolean, what: string): void {
  assert.deepEqual([...own.per_request!], [...lockStep.per_request!], what);
  assert.equal(own.summary.duration_ms, lockStep.summary.duration_ms, what);
  assert.deepEqual(own.planner?.lifecycle_operations, lockStep.planner?.lifecycle_operations, what);
  assert.equal(own.workers!.length, lockStep.workers!.length, what);
  for (const [i, { kv_use_mean, kv_use_peak }] of own.workers!.entries()) {
    near(kv_use_mean!, lockStep.workers![i].kv_use_mean!, `${what}, mean use of worker ${i}`);
    if (peaks) assert.equal(kv_use_peak, lockStep.workers![i].kv_use_peak, `${what}, worker ${i}`);
  }
}

/** Integer times, and passes that take no time, so that many things happen at once. */
function tied(upTo: Dice, uneven: boolean): Timing {
  const prefill = upTo(4) === 1 ? 5 : 0;
  return { prefillMs: () => prefill, decodeMs: (_, tokens) => uneven && tokens % 4 === 0 ? 0 : 1 };
}

/** Workers of one seed: so few blocks, in some, that requests wait for them. */
function workers(upTo: Dice, uneven: boolean, engine: typeof vllm, transfer?: EngineChoices["transfer"]): PoolChoices {
  const blocks = [9, 40, 2000, 2000][upTo(4) - 1];
  return {
    replicas: 2 + upTo(8),
    engine: engine({ blockTokens: 64, blocks, maxBatchedTokens: 512, transfer }),
    startupSeconds: [0, 0.013][upTo(2) - 1],
    ...(upTo(4) > 1 ? { timing: tied(upTo, uneven) } : {}),
  };
}

/** Plays one seed with and without samples, and with every pass end as an event; returns how many ticks there were. */
async function assertSeed(
  seed: number,
  clusterOf: (upTo: Dice, uneven: boolean) => ReplayOptions["cluster"],
): Promise<number> {
  const random = splitmix32(seed), upTo: Dice = (most) => 1 + Math.floor(random() * most), name = `seed ${seed}`;
  const load = { blockTokens: 64, ...(upTo(2) === 1 ? { concurrency: 2 + upTo(14) } : {}) };
  const text = rows(upTo), uneven = upTo(4) === 1;
  const options: ReplayOptions = {
    cluster: clusterOf(upTo, uneven),
    router: upTo(2) === 1 ? () => new Fickle() : routerSpecOf({
      routerMode: "kv_router",
      routerConfig: {
        router_queue_threshold: [0, 0.25, 1][upTo(3) - 1],
        router_queue_policy: ["fcfs", "lcfs", "wspt"][upTo(3) - 1],
      },
    }).spec,
    maxVirtualMs: upTo(5) === 1 ? 150 : undefined,
    onWarning: () => {},
  };
  const scales = upTo(2) === 1, telemetryIntervalMs = [3, 7.5, 20, 200][upTo(4) - 1];
  const run = async (more: ReplayOptions) => {
    const { policy, seen } = restless(seed);
    const traffic = await loadTrace(new Blob([text]).stream(), load);
    const run = replay(traffic, { ...options, ...more, ...(scales ? { planner: policy } : {}) });
    try {
      return { report: await run.report, seen };
    } catch (error) {
      // Requests that take each other's blocks again and again end a run.
      assert.match(String(error), /SimulationError: /);
      return { error: String(error), seen };
    }
  };
  const alone = await run({}), sampled = await run({ telemetryIntervalMs });
  // With samples and a limit, every end of a pass is an event.
  const lockStep = await run({ telemetryIntervalMs, maxVirtualMs: options.maxVirtualMs ?? 1e9 });
  assert.deepEqual([alone.error, sampled.error], [lockStep.error, lockStep.error], name);
  if (!alone.report || !sampled.report || !lockStep.report) return 0;
  // Peaks are those of passes that take time, and others where a sample looks.
  assertSame(alone.report, lockStep.report, !uneven, name);
  assertSame(sampled.report, lockStep.report, !uneven, `${name} with samples`);
  assert.deepEqual(alone.seen, lockStep.seen, name);
  assert.deepEqual(sampled.seen, lockStep.seen, `${name} with samples`);
  assert.deepEqual(sampled.report.telemetry, lockStep.report.telemetry, name);
  // With a limit too there are samples up to the last event.
  const last = sampled.report.telemetry!.samples.at(-1)!;
  assert.ok(last.sampled_at_ms - last.interval_start_ms <= telemetryIntervalMs + 1e-9, name);
  return lockStep.seen.length;
}

const ENGINES = [vllm, trtllm, sglang, vllm];

test("workers that stay behind give the same with router queues, samples and scaling as in lock step", async () => {
  let ticks = 0;
  for (let seed = 0; seed < 100; seed++) {
    ticks += await assertSeed(seed, (upTo, uneven) => workers(upTo, uneven, ENGINES[upTo(4) - 1]));
  }
  assert.ok(ticks > 0);
});

test("decode workers that stay behind give the same with whoever waits for their ends as in lock step", async () => {
  let ticks = 0;
  for (let seed = 0; seed < 100; seed++) {
    ticks += await assertSeed(seed, (upTo, uneven) => {
      const engine = ENGINES[upTo(4) - 1];
      const transfer = upTo(3) === 1
        ? undefined
        : { bytesPerToken: 1000, gigabytesPerSecond: [0.01, 0.1][upTo(2) - 1] };
      return { prefill: workers(upTo, uneven, engine, transfer), decode: workers(upTo, uneven, engine, transfer) };
    });
  }
  assert.ok(ticks > 0);
});
