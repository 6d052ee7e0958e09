/**
 * The predict command with a stand-in for the simulation, which does what the name of the trace says: tests of the
 * command itself start this instead of `cli/main.ts`.
 */
import { type Predict, predictCommand } from "../../cli/predict.ts";
import { SimulationError, TraceError } from "../../lib/errors.ts";
import { commandArguments, exit } from "../../lib/io/process.ts";

const STATISTICS = ["mean", "min", "max", "median", "p75", "p90", "p95", "p99", "std"];
const METRICS = ["ttft_ms", "ttst_ms", "e2e_latency_ms", "itl_ms", "output_token_throughput_per_user"];

function summary(changes: Record<string, unknown>): any {
  const values = METRICS.flatMap((metric) => STATISTICS.map((name) => [`${name}_${metric}`, 1.5]));
  return {
    ...Object.fromEntries(values),
    completed_requests: 3,
    num_requests: 3,
    output_throughput_tok_s: 12345.675,
    request_throughput_rps: 2,
    wall_time_ms: 4,
    prefix_cache_reused_ratio: 0.25,
    ...changes,
  };
}

const predict: Predict = async (plan, { capturePerRequest, onProgress, signal }) => {
  const name = plan.traffic.source.type === "trace" ? plan.traffic.source.paths[0] : "";
  const done = (changes: Record<string, unknown> = {}): any => {
    const records = capturePerRequest ? [{ uuid: "1", a: 1 }, { uuid: "2", a: 2 }] : null;
    return {
      summary: summary(changes),
      per_request: records,
      coverage: { capture_per_request: capturePerRequest, capture_planner_details: false, per_request_records: 0 },
      planner: null,
    };
  };
  const forever = () =>
    new Promise<never>((_, reject) => {
      const timer = setInterval(() => {}, 1000);
      signal!.addEventListener("abort", () => {
        clearInterval(timer);
        reject(signal!.reason);
      });
    });
  onProgress?.({ requestsDone: 0, requestsTotal: 3, virtualMs: 0 });
  if (name.startsWith("missing")) throw new TraceError(`failed to open trace file ${name}`);
  if (name.startsWith("dead")) throw new SimulationError("replay invariant violated: dead end");
  if (name.startsWith("bug")) (null as any).oops();
  if (name.startsWith("rejected")) {
    return done({ completed_requests: 0, rejected_requests: 3, largest_prompt_tokens: 1048576 });
  }
  if (name.startsWith("some")) {
    return done({ completed_requests: 2, rejected_requests: 1, largest_prompt_tokens: 640 });
  }
  if (name.startsWith("endless")) {
    console.error("running");
    await forever();
  }
  if (name.startsWith("greedy")) {
    const hoard = [];
    for (;;) {
      hoard.push(new Uint8Array(1 << 24).fill(1));
      await new Promise((resolve) => setTimeout(resolve, 20));
      onProgress?.({ requestsDone: hoard.length, requestsTotal: 1e6, virtualMs: 0 });
    }
  }
  return done();
};

const never: Predict = (_plan, { signal }) =>
  new Promise((_, reject) => {
    const timer = setInterval(() => {}, 1000);
    signal!.addEventListener("abort", () => {
      clearInterval(timer);
      reject(signal!.reason);
    });
  });

const args = commandArguments();
const slow = args.includes("traffic.source.paths=[slow]");
exit(await predictCommand(() => Promise.resolve(slow ? never : predict)).run(args));
