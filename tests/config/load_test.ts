import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPrediction } from "../../lib/config/load.ts";
import { ConfigError } from "../../lib/errors.ts";
import { BASE, DISAGGREGATED, errorOf, issuesOf, read, warningsOf } from "./support.ts";

const AGGREGATED = "engine.workers.aggregated";

test("loadPrediction fills the defaults of a small document", async () => {
  const { plan, warnings } = await loadPrediction(BASE);
  assert.deepEqual(warnings, []);
  assert.equal(plan.stack, "engine");
  assert.deepEqual(plan.traffic, {
    source: { type: "trace", paths: ["chat.jsonl"], format: "mooncake", blockTokens: 512 },
    load: { type: "trace_timestamps", speedup: 1, agenticLanes: null },
    maxVirtualMs: Infinity,
    cutoff: "soft",
  });
  const [role] = plan.roles;
  assert.deepEqual(
    [plan.roles.length, role.role, role.replicas, role.gpusPerWorker, role.timing, role.contextTokens],
    [1, "aggregated", 1, 1, "polynomial", 32768],
  );
  assert.deepEqual(role.capacity, { type: "fixed", blocks: 8192 });
  assert.deepEqual([plan.router, plan.planner, plan.retune, plan.sla], [{ policy: "round_robin" }, null, null, null]);
});

test("loadPrediction reports every issue at once, in the reference's words, with places and near names", async () => {
  const text = BASE.replace("hardware", "hardwear").replace("polynomial", "polinomial") +
    "evaluation: {sla: {ttft_ms: 0}}\n";
  const error = await errorOf(text, [`${AGGREGATED}.parallelism.replicas=1_0`]);
  assert.equal(
    error.message,
    `p.yaml: 5 validation errors
engine.hardware
  Field required
  at p.yaml:4:1
   4 | engine:
     | ^^^^^^
engine.workers.aggregated.parallelism.replicas
  Input should be a valid integer
  at --set 'engine.workers.aggregated.parallelism.replicas=1_0'; YAML 1.2 reads 1_0 as text, a YAML 1.1 reader as 10: write 10
engine.workers.aggregated.timing.type
  Input should be 'default', 'fixed' or 'polynomial'
  at p.yaml:11:22; did you mean \`polynomial\`?
   11 |       timing: {type: polinomial}
      |                      ^^^^^^^^^^
engine.hardwear
  Extra inputs are not permitted
  at p.yaml:6:3; did you mean \`hardware\`?
   6 |   hardwear: h200_sxm
     |   ^^^^^^^^
evaluation.sla.ttft_ms
  Input should be greater than 0
  at p.yaml:12:28
   12 | evaluation: {sla: {ttft_ms: 0}}
      |                             ^`.replace("12:28", "12:29"),
  );
  assert.deepEqual(error.issues[3], {
    path: "engine.hardwear",
    message: "Extra inputs are not permitted",
    hint: "did you mean `hardware`?",
    file: "p.yaml",
    line: 6,
    column: 3,
  });
});

test("loadPrediction takes the stack that the sections are of", async () => {
  const stackOf = async (text: string) => (await loadPrediction(text)).plan.stack;
  assert.equal(await stackOf(BASE), "engine");
  assert.equal(await stackOf(`${BASE}router: {policy: round_robin}\n`), "dynamo");
  assert.equal(await stackOf(`${BASE}planner: {policy: disabled}\n`), "dynamo");
});

test("loadPrediction refuses unknown stacks and sections of another stack", async () => {
  assert.equal(
    (await errorOf(BASE, [], { stack: "dynamoo" })).message,
    "stack 'dynamoo' is unavailable; installed stacks: dynamo, engine. " +
      "Install the distribution that provides the requested stack. (did you mean `dynamo`?)",
  );
  assert.deepEqual(await issuesOf(BASE + "planner: {}\nrouter: {}\n", [], { stack: "engine" }), [
    "planner: unknown top-level section 'planner'; known sections for --stack engine: engine, evaluation, execution, traffic",
    "router: unknown top-level section 'router'; known sections for --stack engine: engine, evaluation, execution, traffic",
  ]);
  assert.deepEqual(await issuesOf(BASE + "planer: {}\noptimizer: {}\noptimization: {}\n"), [
    "optimization: predict does not accept ['optimization', 'optimizer']",
    "planer: unknown top-level section 'planer'; known sections for --stack dynamo: autoscaler, engine, evaluation, execution, planner, router, traffic",
  ]);
  assert.deepEqual(await issuesOf(BASE, ["router=null"]), ["router: adapter section 'router' must be a mapping"]);
  assert.equal((await errorOf(BASE + "planer: {}\n")).issues[0].hint, "did you mean `planner`?");
});

test("loadPrediction wants an engine and mappings for sections", async () => {
  assert.deepEqual(await issuesOf("traffic: 3\n"), [
    "traffic: Input should be a valid dictionary or instance of TrafficConfig",
    "engine: Field required",
  ]);
});

test("loadPrediction warns about options without effect and numbers read in two ways", async () => {
  assert.deepEqual(await warningsOf(BASE.replace("32768", "032768"), [`${AGGREGATED}.startup_seconds=30`]), [
    `${AGGREGATED}.startup_seconds has no effect: without a Planner no worker is added`,
  ]);
  assert.deepEqual(await warningsOf(BASE.replace("32768", "032767")), [
    "p.yaml:7:19: 032767 is 32767 here (YAML 1.2); a YAML 1.1 reader takes it for 13815",
  ]);
  assert.deepEqual(await warningsOf(BASE, ["execution.resources.shutdown_timeout_seconds=9"]), [
    "execution.resources.shutdown_timeout_seconds has no effect: the run is one process that ends when its files are written",
  ]);
  assert.deepEqual(await warningsOf(BASE + "planner: {target: sla}\n"), [
    "planner.policy is disabled unless it is set: the planner section has no effect",
  ]);
});

test("loadPrediction warns when the starting replicas use up the Planner's budget", async () => {
  const planner = ["planner={policy: enabled, target: load, max_num_gpus: 2}"];
  const spent = `planner.max_num_gpus (2) is used up by the starting replicas (2 GPUs): every scale-up will be held`;
  assert.deepEqual(await warningsOf(BASE, [...planner, `${AGGREGATED}.parallelism.replicas=2`]), [spent]);
  assert.deepEqual(await warningsOf(BASE, planner), []);
  assert.deepEqual(await warningsOf(DISAGGREGATED, planner), [spent]);
  const pair = [...planner, `${AGGREGATED}.parallelism.tensor=2`, "planner.max_num_gpus=3"];
  assert.deepEqual(await warningsOf(BASE, pair), [
    "planner.max_num_gpus (3) leaves no room for another replica beside the starting 2 GPUs",
  ]);
  assert.deepEqual(await warningsOf(BASE, [...planner, `${AGGREGATED}.parallelism.replicas=3`]), [
    "the starting replicas take 3 GPUs and planner.max_num_gpus is 2: the first decision removes some",
  ]);
  assert.deepEqual(await warningsOf(BASE, [...planner, "planner.min_workers=3"]), [
    "the minimum replicas need 3 GPUs and planner.max_num_gpus is 2: the Planner will scale to 0",
  ]);
});

test("loadPrediction warns when KEDA may take all workers away and no trigger can bring one back", async () => {
  const keda = (...metrics: string[]) => {
    const triggers = metrics.map((metric) => ({ metric, threshold: 0.5 }));
    return BASE + `autoscaler: {type: keda, workers: {aggregated: {triggers: ${JSON.stringify(triggers)}}}}\n`;
  };
  const [warning, ...rest] = await warningsOf(keda("kv_usage", "running_requests"));
  assert.match(warning, /^autoscaler\.workers\.aggregated may be scaled to zero, and none of its triggers can bring/);
  assert.deepEqual(rest, []);
  assert.deepEqual(await warningsOf(keda("kv_usage", "queue_depth")), []);
  const one = ["autoscaler.workers.aggregated.min_replica_count=1"];
  assert.deepEqual(await warningsOf(keda("kv_usage"), one), []);
});

test("loadPrediction warns about Planner keys that the target leaves without effect", async () => {
  const planner =
    "{policy: enabled, target: throughput, load_scaling_down_sensitivity: 70, load_min_observations: 3, " +
    "max_num_fpm_samples: 9, fpm_sample_bucket_size: 9}";
  const model = "has no effect: target throughput uses no performance model";
  assert.deepEqual(await warningsOf(BASE, [`planner=${planner}`]), [
    "planner.load_scaling_down_sensitivity has no effect: target throughput has thresholds of its own",
    `planner.load_min_observations ${model}`,
    `planner.max_num_fpm_samples ${model}`,
    `planner.fpm_sample_bucket_size ${model}`,
  ]);
  const sla = ["planner={policy: enabled, target: sla, load_scaling_down_sensitivity: 70}"];
  assert.deepEqual(await warningsOf(BASE, [...sla, "evaluation={sla: {ttft_ms: 900, itl_ms: 50}}"]), [
    `${AGGREGATED}.timing is polynomial: the Planner's performance model starts from the operator database and ` +
    "disagrees with these workers until it has seen them run",
    "planner.load_scaling_down_sensitivity has no effect: load scaling is off",
  ]);
});

test("loadPrediction finds contradictions that only the launch mapping knows", async () => {
  const set = ["engine.backend=sglang", `${AGGREGATED}.kv_cache.block_size=3`];
  assert.deepEqual(await issuesOf(BASE, set), [
    `${AGGREGATED}: sglang.chunked_prefill_size must be divisible by block_size`,
  ]);
});

test("place finds what went wrong later in the document, in the engine section if need be", async () => {
  const { place } = await read(BASE);
  const error = place(new ConfigError("unknown hardware", [{ path: "hardware", message: "unknown hardware" }]));
  assert.equal(
    error.message,
    "p.yaml: unknown hardware\n  at p.yaml:6:13\n   6 |   hardware: h200_sxm\n     |             ^^^^^^^^",
  );
  assert.deepEqual([error.issues[0].path, error.issues[0].line], ["engine.hardware", 6]);
  assert.equal(place(new ConfigError("something else")).message, "p.yaml: something else");
});

test("text written as a number is told to be quoted", async () => {
  const { issues: [issue] } = await errorOf(BASE, ["engine.backend_version=0.24"]);
  assert.deepEqual([issue.message, issue.hint], [
    "Input should be a valid string",
    "write it in quotes to make it text",
  ]);
});
