/** Small clusters put together by hand. */
import { AggregatedCluster } from "../../lib/cluster/aggregated.ts";
import { DisaggregatedCluster } from "../../lib/cluster/disaggregated.ts";
import { type ClusterOutcome, type ClusterSpec, isPending, type PoolSpec } from "../../lib/cluster/spec.ts";
import { parseLaunch } from "../../lib/engine/launch/launch.ts";
import { RequestRecords } from "../../lib/engine/records.ts";
import type { ScalingPolicy, Snapshot } from "../../lib/planner/policy.ts";
import { GapStatistics } from "../../lib/report/gap_statistics.ts";
import { roundRobin } from "../../lib/router/round_robin.ts";
import type { RouterFactory } from "../../lib/router/router.ts";
import { fixed } from "../../lib/timing/fixed.ts";
import { syntheticTraffic } from "../../lib/traffic/synthetic.ts";

/** A pool whose prompts take 10 ms and whose decode steps take 2 ms. */
export function pool(
  role: "aggregated" | "prefill" | "decode",
  { replicas = 1, startupSeconds = 0, backend = "vllm", blocks = 1024, router = roundRobin() }: {
    replicas?: number;
    startupSeconds?: number;
    backend?: string;
    blocks?: number;
    router?: RouterFactory;
  } = {},
): PoolSpec {
  const engine = { backend, worker_type: role, num_gpu_blocks: blocks, block_size: 16 };
  const settings = parseLaunch({ engine, startup_time: startupSeconds });
  return { settings, replicas, timing: fixed({ prefillMs: 10, decodeMs: 2 }), router };
}

/** What a run did. */
export interface Played {
  outcome: ClusterOutcome;
  records: RequestRecords;
  /** Pieces of work that the policy left to the driver. */
  pending: number;
}

/** Plays `count` requests of 32 prompt and 4 output tokens that arrive at a distance. */
export function play(
  pools: readonly PoolSpec[],
  { count = 3, intervalMs = 100, policy = null, ...more }: {
    count?: number;
    intervalMs?: number;
    policy?: ScalingPolicy | null;
  } & Partial<Pick<ClusterSpec, "maxVirtualMs" | "telemetry">> = {},
): Played {
  const traffic = syntheticTraffic({ inputTokens: 32, outputTokens: 4, count, arrivalIntervalMs: intervalMs });
  const records = new RequestRecords({ capacity: count, disaggregated: pools.length > 1 });
  const spec = { source: traffic.start(), records, sink: new GapStatistics(), policy, ...more };
  const cluster = pools.length === 1
    ? new AggregatedCluster(spec, pools[0])
    : new DisaggregatedCluster(spec, pools[0], pools[1]);
  const run = cluster.run();
  let pending = 0;
  for (;;) {
    const step = run.next();
    if (step.done) return { outcome: step.value, records, pending };
    if (!isPending(step.value)) continue;
    pending++;
    step.value.resume(null);
  }
}

/** A policy that ticks at the given times with the given targets, and what it saw. */
export function scripted(
  ticks: readonly { atMs: number; prefill?: number; decode?: number }[],
): { policy: ScalingPolicy; seen: Snapshot[] } {
  const seen: Snapshot[] = [];
  const policy: ScalingPolicy = {
    initialTickMs: () => ticks[0]?.atMs ?? Infinity,
    onTick(snapshot) {
      const { prefill = null, decode = null } = ticks[seen.length];
      seen.push(snapshot);
      return { targetPrefill: prefill, targetDecode: decode, nextTickMs: ticks[seen.length]?.atMs ?? null };
    },
  };
  return { policy, seen };
}
