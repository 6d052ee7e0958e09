import assert from "node:assert/strict";
import { test } from "node:test";
import { saturationOf } from "../../lib/capacity/saturation.ts";
import type { Report } from "../../lib/report/report.ts";

/** What one rank's samples and the requests of a run show. */
interface Seen {
  waiting?: number;
  running?: number;
  usage?: number;
  queued?: number;
  preemptions?: number;
  medianGapMs?: number;
  /** Requests of each kind, in numbers. */
  late?: number;
  slow?: number;
}

const SLA = { ttftMs: 100, itlMs: 20 };

function bottleneckOf(seen: Seen, pools: { prefill?: number | null; decode: number | null } = { decode: 8 }) {
  const { waiting = 4, running = 4, usage = 0.5, queued = 0, preemptions = 0, medianGapMs = 15, late = 0, slow = 0 } =
    seen;
  const sample = {
    router_pending_prefill_requests: 0,
    router_pending_decode_requests: queued,
    prefill_interval_metrics: { preemptions: 0 },
    decode_interval_metrics: { preemptions },
    prefill_scheduler_metrics: [],
    decode_scheduler_metrics: [{ waiting_requests: waiting, running_requests: running, active_cache_usage: usage }],
  };
  const per_request = [
    ...Array.from({ length: late }, () => ({ ttft_ms: 500, itl_ms: 10, e2e_latency_ms: 900 })),
    ...Array.from({ length: slow }, () => ({ ttft_ms: 50, itl_ms: 40, e2e_latency_ms: 900 })),
  ];
  const report = {
    telemetry: { samples: [sample, sample] },
    per_request,
    summary: { duration_ms: 60_000, median_itl_ms: medianGapMs },
  };
  return saturationOf(1, report as unknown as Report, SLA, pools).bottleneck;
}

test("saturationOf names the queue in which late first tokens waited", () => {
  assert.equal(bottleneckOf({ late: 50, queued: 9 }), "router_queue");
  assert.equal(bottleneckOf({ late: 50, running: 8 }), "sequence_limit");
  assert.equal(bottleneckOf({ late: 50, running: 8 }, { decode: null }), "prefill_compute");
  assert.equal(bottleneckOf({ late: 50, usage: 0.97 }), "kv_blocks");
  assert.equal(bottleneckOf({ late: 50 }), "prefill_compute");
});

test("saturationOf blames no queue where only tokens come too slowly", () => {
  for (const queue of [{ queued: 9 }, { running: 8 }, { usage: 0.97 }]) {
    assert.equal(bottleneckOf({ slow: 50, medianGapMs: 30, ...queue }), "decode_compute");
  }
});

test("saturationOf counts requests that gave up their blocks only where they are many of those that miss", () => {
  assert.equal(bottleneckOf({ late: 50, preemptions: 1 }), "prefill_compute");
  assert.equal(bottleneckOf({ late: 50, preemptions: 10 }), "kv_blocks");
  assert.equal(bottleneckOf({ slow: 50, preemptions: 10 }), "kv_blocks");
});

test("saturationOf tells long steps from prompts computed between short ones, which a decode pool does not have", () => {
  assert.equal(bottleneckOf({ slow: 50, medianGapMs: 30 }), "decode_compute");
  assert.equal(bottleneckOf({ slow: 50, medianGapMs: 15 }), "prefill_compute");
  assert.equal(bottleneckOf({ slow: 50, medianGapMs: 15 }, { prefill: null, decode: 8 }), "decode_compute");
});
