/**
 * Replays one trace in this process and prints what that took: processor time, requests a second of it, and the peak of
 * resident memory.
 *
 * Usage: deno run -A scripts/bench/large.ts TRACE ['{"numWorkers":8}']
 */
import process from "node:process";
import { runTraceReplay } from "../../lib/replay/run_trace_replay.ts";

const [trace, options = "{}"] = process.argv.slice(2);
const { summary } = await runTraceReplay([trace], JSON.parse(options));
const { userCPUTime, maxRSS } = process.resourceUsage();
const seconds = userCPUTime / 1e6, requests = summary.num_requests;
console.log(JSON.stringify({
  requests,
  user_s: Number(seconds.toFixed(2)),
  requests_per_s: Math.round(requests / seconds),
  // Linux counts in kB
  peak_mb: Math.round(maxRSS * 1024 / 1e6),
}));
