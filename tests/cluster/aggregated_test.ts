import assert from "node:assert/strict";
import { test } from "node:test";
import { kvRouter } from "../../lib/router/kv_factory.ts";
import { near } from "../planner/helpers.ts";
import { play, pool, scripted } from "./support.ts";

test("AggregatedCluster serves a request by itself: its prompt, then its tokens", () => {
  const { records } = play([pool("aggregated")], { count: 1 });
  assert.deepEqual([records.firstTokenMs[0], records.terminalMs[0]], [10, 16]);
});

test("AggregatedCluster gives the same whether its workers run apart or in lock step", () => {
  const options = { count: 60, intervalMs: 1.5 };
  const apart = play([pool("aggregated", { replicas: 3 })], options);
  // A policy that changes nothing makes the cluster bring its workers to every tick.
  const { policy } = scripted(Array.from({ length: 30 }, (_, i) => ({ atMs: 4 * i + 1 })));
  const watched = play([pool("aggregated", { replicas: 3 })], { ...options, policy });
  assert.deepEqual([...watched.records.terminalMs], [...apart.records.terminalMs]);
  near(watched.outcome.decodeWorkerSeconds, apart.outcome.decodeWorkerSeconds, 1e-12, "worker seconds");
});

test("AggregatedCluster releases what its router kept when a prompt is computed", () => {
  const router = kvRouter({ queueThreshold: 0 });
  const { records } = play([pool("aggregated", { router })], { count: 3, intervalMs: 1 });
  assert.equal(records.ended, 3);
  const first = [...records.firstTokenMs].slice(0, 3);
  assert.ok(first[0] < first[1] && first[1] < first[2], String(first));
});
