/**
 * What runs out first when a load grows, told from the telemetry and the requests of one run beyond the edge.
 *
 * @module
 */
import type { Report } from "../report/report.ts";
import type { Bottleneck, Saturation } from "../report/saturation.ts";
import type { Sla } from "../report/sla.ts";
import type { TelemetrySample } from "../report/telemetry.ts";

const ROWS = ["prefill_scheduler_metrics", "decode_scheduler_metrics"] as const;
const FULL = 0.95;

/** What counts as often: a tenth of the requests that wait, or of those that miss. */
const OFTEN = 0.1;

/**
 * Requests that miss by their first token waited for a queue, or for prompts to be computed; those that miss by the time
 * between tokens gave up their KV blocks, had long steps, or prompts computed between their steps.
 *
 * @param pools most sequences of a rank of the prefill pool (undefined where there is none) and of the decode or only
 * pool; null without a limit
 */
export function saturationOf(
  value: number,
  report: Report,
  sla: Sla,
  pools: { prefill?: number | null; decode: number | null },
): Saturation {
  const samples = report.telemetry?.samples ?? [];
  let rows = 0, usage = 0, full = 0, limited = 0, atLimit = 0, waiting = 0, queued = 0, preempted = 0;
  for (const sample of samples) {
    queued += sample.router_pending_prefill_requests + sample.router_pending_decode_requests;
    preempted += sample.prefill_interval_metrics.preemptions + sample.decode_interval_metrics.preemptions;
    for (const key of ROWS) {
      const limit = key === "prefill_scheduler_metrics" ? pools.prefill ?? null : pools.decode;
      for (const row of sample[key] as TelemetrySample["decode_scheduler_metrics"]) {
        waiting += row.waiting_requests;
        if (row.waiting_requests === 0) continue;
        rows++;
        usage += row.active_cache_usage;
        if (limit !== null && row.running_requests >= limit) {
          atLimit++;
          limited += row.waiting_requests;
        } else if (row.active_cache_usage >= FULL) full += row.waiting_requests;
      }
    }
  }
  const each = (sum: number, of: number) => of > 0 ? sum / of : 0;
  const { ttft, itl, slowMs } = missesOf(report, sla);
  const minutes = report.summary.duration_ms / 60_000;
  const gaveUp = preempted > 0 && preempted >= OFTEN * (ttft + itl);
  const waits = (): Bottleneck =>
    queued > waiting
      ? "router_queue"
      : each(limited, waiting) >= OFTEN
      ? "sequence_limit"
      : gaveUp || each(full, waiting) >= OFTEN
      ? "kv_blocks"
      : "prefill_compute";
  // where most steps are shorter than half of what a slow request's tokens take, prompts between them take the rest
  const between = pools.prefill === undefined && report.summary.median_itl_ms < slowMs / 2;
  const bottleneck = ttft >= itl ? waits() : gaveUp ? "kv_blocks" : between ? "prefill_compute" : "decode_compute";
  return {
    value,
    bottleneck,
    kv_usage: each(usage, rows),
    preemptions_per_minute: each(preempted, minutes),
    at_sequence_limit: each(atLimit, rows),
    waiting_requests: each(waiting, samples.length),
    router_queue: each(queued, samples.length),
    missed_ttft: ttft,
    missed_itl: itl,
  };
}

/** Requests that miss by their first token and by what follows, and the mean time between tokens of the latter. */
function missesOf(
  { per_request }: Report,
  { ttftMs, itlMs, e2eMs }: Sla,
): { ttft: number; itl: number; slowMs: number } {
  let ttft = 0, itl = 0, slowMs = 0;
  for (const { ttft_ms, itl_ms, e2e_latency_ms } of per_request ?? []) {
    const late = ttftMs != null && ttft_ms !== null && ttft_ms > ttftMs;
    let slow = itlMs != null && itl_ms !== null && itl_ms > itlMs;
    if (late) ttft++;
    if (e2eMs != null && e2e_latency_ms !== null && e2e_latency_ms > e2eMs) {
      // half of the time is the place to look at
      if (ttft_ms !== null && ttft_ms > e2e_latency_ms / 2) ttft++;
      else slow = true;
    }
    if (!slow) continue;
    itl++;
    slowMs += itl_ms ?? 0;
  }
  return { ttft, itl, slowMs: itl > 0 ? slowMs / itl : 0 };
}
