/** Samples of workers that run on their own: they come to the same as in lock step. */
import assert from "node:assert/strict";
import { test } from "node:test";
import "../without_user_cache.ts";
import {
  type AdmissionSource,
  loadTrace,
  run,
  type Telemetry,
  type TraceReplayOptions,
  traceReplaySpec,
  type Traffic,
} from "../../mod.ts";
import { splitmix32 } from "../../lib/random/splitmix32.ts";

/** A load with bursts and pauses. */
function load(seed: number): Promise<Traffic> {
  const random = splitmix32(seed), upTo = (most: number) => 1 + Math.floor(random() * most);
  let text = "", timestamp = 0;
  for (let i = 0; i < 40; i++) {
    timestamp += i === 0 ? 0 : i % 15 === 14 ? 3000 : upTo(6) === 1 ? 0 : upTo(120);
    const input_length = upTo(1400), hash_ids = Array.from({ length: Math.ceil(input_length / 512) }, () => upTo(9));
    text += JSON.stringify({ timestamp, input_length, output_length: upTo(40), hash_ids }) + "\n";
  }
  return loadTrace(new Blob([text]).stream());
}

/** A source that may depend on what ends, so that workers move in lock step. */
function lockStep(traffic: Traffic): Traffic {
  const start = (): AdmissionSource => {
    const source = traffic.start();
    return {
      workload: source.workload,
      reactive: true,
      get arrivalMs() {
        return source.arrivalMs;
      },
      nextReadyMs: () => source.nextReadyMs(),
      admit: (nowMs) => source.admit(nowMs),
      ended: (...told) => source.ended(...told),
      dispatched: (...told) => source.dispatched(...told),
      exhausted: () => source.exhausted(),
      promptRuns: (request) => source.promptRuns(request),
    };
  };
  return { ...traffic, start };
}

test("telemetry of workers that run on their own is that of lock step", async () => {
  for (let seed = 0; seed < 40; seed++) {
    const traffic = await load(seed);
    const options: TraceReplayOptions = {
      numWorkers: 1 + seed % 3,
      routerMode: seed % 4 === 0 ? "kv_router" : "round_robin",
      extraEngineArgs: {
        engine: {
          backend: ["vllm", "trtllm", "sglang"][seed % 3],
          block_size: 64,
          num_gpu_blocks: seed % 2 ? 60 : 4000,
          // Passes that take no time, as those at 0 ms, before the first sample.
          ...(seed % 4 === 1 ? { timing_model: { type: "fixed", prefill_ms: 0, decode_ms: 5 } } : {}),
        },
        ...(seed % 5 === 0 ? { dp_size: 2 } : {}),
      },
      captureTelemetry: true,
      telemetrySampleIntervalMs: [1, 10, 47.5, 100, 1000][seed % 5],
      ...(seed % 7 === 0 ? { maxSimTimeMs: 1500 } : {}),
    };
    const spec = await traceReplaySpec([], options);
    const told = async (load: Traffic): Promise<[Telemetry, number]> => {
      const { telemetry, summary } = await run(spec, { ready: { traffic: load } }).report;
      return [telemetry!, summary.duration_ms];
    };
    const [own, ownMs] = await told(traffic), [together, togetherMs] = await told(lockStep(traffic));
    assert.equal(ownMs, togetherMs);
    assert.ok(own.samples.length > 1);
    assert.equal(own.samples.length, together.samples.length, `seed ${seed}`);
    for (const [i, sample] of own.samples.entries()) {
      assert.deepEqual(sample, together.samples[i], `seed ${seed}, ${i}`);
    }
  }
});

/** Sessions, so that ends bring about arrivals. */
function inSessions(seed: number): Promise<Traffic> {
  const random = splitmix32(seed), upTo = (most: number) => 1 + Math.floor(random() * most);
  let text = "";
  for (let i = 0; i < 60; i++) {
    const input_length = upTo(1400), hash_ids = Array.from({ length: Math.ceil(input_length / 512) }, () => upTo(9));
    const when = i % 5 === 0 ? { timestamp: 60 * i } : { delay: upTo(3) === 1 ? 0 : upTo(90) };
    const row = { session_id: `s${Math.floor(i / 5)}`, ...when, input_length, output_length: upTo(60), hash_ids };
    text += JSON.stringify(row) + "\n";
  }
  return loadTrace(new Blob([text]).stream());
}

test("what telemetry shows of ranks at a time does not depend on the interval of its samples", async () => {
  for (let seed = 0; seed < 24; seed++) {
    const backend = ["vllm", "vllm", "trtllm", "sglang"][seed % 4];
    const engine = (worker_type: string) => ({
      engine: {
        backend,
        worker_type,
        block_size: 64,
        num_gpu_blocks: seed % 3 ? 60 : 4000,
        kv_transfer_bytes_per_token: 65536,
        kv_transfer_bandwidth: 4,
      },
    });
    const options: TraceReplayOptions = {
      ...(seed % 2
        ? {
          prefillEngineArgs: engine("prefill"),
          decodeEngineArgs: engine("decode"),
          numPrefillWorkers: 2,
          numDecodeWorkers: 2,
        }
        : { extraEngineArgs: engine("aggregated"), numWorkers: 3 }),
      routerMode: seed % 3 === 0 ? "kv_router" : "round_robin",
      captureTelemetry: true,
    };
    const traffic = await inSessions(seed);
    const shown = async (telemetrySampleIntervalMs: number) => {
      const spec = await traceReplaySpec([], { ...options, telemetrySampleIntervalMs });
      const { telemetry } = await run(spec, { ready: { traffic } }).report;
      return new Map(
        telemetry!.samples.filter(({ kind }) => kind !== "final").map((sample) => [
          sample.sampled_at_ms,
          [sample.prefill_scheduler_metrics, sample.decode_scheduler_metrics],
        ]),
      );
    };
    const often = await shown(4), seldom = await shown(28);
    assert.ok(seldom.size > 20);
    for (const [atMs, schedulers] of seldom) assert.deepEqual(schedulers, often.get(atMs), `seed ${seed}, ${atMs} ms`);
  }
});
