import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { type Capacity, capacity } from "../../lib/capacity/capacity.ts";
import { withLoad } from "../../lib/capacity/load_axis.ts";
import { loadPrediction } from "../../lib/config/load.ts";
import { ConfigError } from "../../lib/errors.ts";
import { threads } from "../../lib/jobs/threads.ts";
import { predict } from "../../lib/replay/predict.ts";
import { capacityPlot } from "../../lib/analysis/capacity_plot.ts";
import { figureSvg } from "../../lib/analysis/figure.ts";
import { explainCapacity } from "../../lib/analysis/capacity_story.ts";
import { readCapacity } from "../../lib/analysis/read_capacity.ts";
import { inFolder, start } from "../cli/support.ts";
import { capacityCommand, capacityText } from "../../cli/capacity.ts";

const TEXT = `
traffic:
  source: {type: trace, paths: [fixtures/traces/chat.jsonl]}
  load: {type: trace_timestamps}
engine:
  model: Qwen/Qwen3-32B
  hardware: h200_sxm
  context_length: 32768
  workers:
    aggregated:
      parallelism: {replicas: 2}
      kv_cache: {capacity: {type: fixed, blocks: 4096}}
      timing: {type: polynomial}
evaluation: {sla: {ttft_ms: 1500, itl_ms: 50}}
`;
const planOf = async (set: string[] = [], stack = "engine") => (await loadPrediction(TEXT, { set, stack })).plan;
const AGGREGATED = "engine.workers.aggregated";

test("capacity is confirmed by predict just below and just above, in threads as here", async () => {
  const plan = await planOf();
  const found = await capacity(plan, { attainment: 0.95, precision: 0.1, executor: threads(2) });
  const { largest, beyond, over, points } = found;
  assert.equal(over, "speedup");
  for (const [value, carried] of [[largest!, true], [beyond!, false]] as const) {
    const { summary } = await predict(withLoad(plan, value));
    const share = summary.goodput_completed_requests! / summary.num_requests;
    assert.equal(share >= 0.95, carried, `${value}: ${share}`);
    assert.equal(points.find((point) => point.value === value)!.attainment, share);
  }
  assert.ok(beyond! / largest! <= 1.1001);
  assert.match(capacityText(found), /\n *largest .*\n *too much .*\n[^]*carries .* × this traffic/);
  assert.match(figureSvg(capacityPlot(found)), /^<svg [^]*Load that is carried/);
});

test("capacity says when the load is only a burst that the queues swallow", async () => {
  const burst =
    "{source: {type: synthetic, input_tokens: 1000, output_tokens: 20}, load: {type: constant_rate, requests_per_second: 8}, stop: {requests: 50}}";
  const set = [`traffic=${burst}`, `${AGGREGATED}.timing={type: fixed, prefill_ms: 20, decode_ms: 5}`];
  const short = await capacity(await planOf([...set, "evaluation.sla={ttft_ms: 500}"]), { precision: 0.1 });
  assert.ok(short.points.find(({ value }) => value === short.largest)!.queues_growing);
  assert.match(explainCapacity(short).join("\n"), /a longer load of this size would be served worse/);
  const calm = await capacity(await planOf(), { attainment: 0.95, precision: 0.1 });
  assert.doesNotMatch(capacityText(calm), /longer load/);
});

test("capacity leaves a directory that report and explain read", () =>
  inFolder(async (folder) => {
    const config = join(folder, "config.yaml"), results = join(folder, "capacity"), html = join(folder, "page.html");
    writeFileSync(config, TEXT.replace("fixtures/", `${resolve("fixtures")}/`));
    const line = ["capacity", "-c", config, "--attainment", "0.95", "--output-dir", results];
    const { code, stdout, stderr } = await start("cli/main.ts", line);
    assert.equal(code, 0, stderr);
    assert.equal(capacityText(await readCapacity(results) as Capacity), stdout);
    assert.equal((await start("cli/main.ts", line)).code, 2, "the directory is taken");
    assert.equal((await start("cli/main.ts", ["report", results, "-o", html])).code, 0);
    const page = readFileSync(html, "utf8");
    for (const text of ["What runs out there", "Load that is carried", "Time to first token", "too much"]) {
      assert.ok(page.includes(text), text);
    }
    assert.match((await start("cli/main.ts", ["explain", results])).stdout, /^It carries .* × this traffic/);
    writeFileSync(join(results, "capacity.json"), "{}");
    await assert.rejects(readCapacity(results), /cannot read a capacity from .*largest/);
  }));

test("capacity with a price says what good requests cost at the edge", async () => {
  const found = await capacity(await planOf(["evaluation.price_per_gpu_hour=3"]), { attainment: 0.95, precision: 0.5 });
  const cost = found.points.find(({ value }) => value === found.largest)!.cost!;
  const { summary } = await predict(withLoad(await planOf(), found.largest!));
  assert.ok(
    Math.abs(cost.per_thousand_good_requests! - 3000 * summary.gpu_hours / summary.goodput_completed_requests!) < 1e-9,
  );
  const text = capacityText(found);
  assert.match(text, /TPOT p95 \(ms\) +cost of 1,000 good\n/);
  assert.match(text.replace(/\n +/g, " "), /95\.00 % within the SLA, at \$[\d.]+ a thousand of those requests/);
  assert.doesNotMatch(capacityText(await capacity(await planOf(), { precision: 0.5 })), /\$|cost/);
});

test("capacity tells what the replay at its edge warned of", async () => {
  const set = [`${AGGREGATED}.timing={type: default}`, `${AGGREGATED}.parallelism.tensor=2`];
  const { warnings } = await capacity(await planOf([...set, "evaluation.sla={ttft_ms: 100}"]), {
    attainment: 0.5,
    precision: 0.5,
  });
  assert.match(warnings.join("\n"), /ttft_ms 100 is out of reach/);
  assert.deepEqual((await capacity(await planOf(), { attainment: 0.95, precision: 0.5 })).warnings, []);
});

test("capacity tells what runs out", async () => {
  const bottleneck = async (...set: string[]) =>
    (await capacity(await planOf(set), { attainment: 0.9, precision: 0.1 })).saturation!.bottleneck;
  assert.equal(await bottleneck(`${AGGREGATED}.scheduler.max_sequences=4`), "sequence_limit");
  const long =
    "{source: {type: synthetic, input_tokens: 1000, output_tokens: 500}, load: {concurrency: 4}, stop: {requests: 200}}";
  assert.equal(await bottleneck(`traffic=${long}`, `${AGGREGATED}.kv_cache.capacity.blocks=300`), "kv_blocks");
  const roomy = `${AGGREGATED}.kv_cache.capacity.blocks=100000`;
  const many = `${AGGREGATED}.scheduler.max_sequences=100000`;
  const slow = `${AGGREGATED}.timing={type: fixed, prefill_ms: 400, decode_ms: 1}`;
  assert.equal(await bottleneck(slow, roomy, many, "evaluation.sla={ttft_ms: 1500}"), "prefill_compute");
  const steps = `${AGGREGATED}.timing={type: fixed, prefill_ms: 1, decode_ms: 40}`;
  assert.equal(await bottleneck(steps, roomy, many, "evaluation.sla={ttft_ms: 100, itl_ms: 39}"), "decode_compute");
});

test("capacity tells steps that are long from prompts between them", async () => {
  const set = [
    "traffic={source: {type: synthetic, input_tokens: 1000, output_tokens: 20}, load: {type: poisson, " +
    "requests_per_second: 1, seed: 1}, stop: {requests: 200}}",
    `${AGGREGATED}.timing={type: fixed, prefill_ms: 400, decode_ms: 1}`,
    `${AGGREGATED}.kv_cache.capacity.blocks=100000`,
    "evaluation.sla={ttft_ms: 5000, itl_ms: 30}",
  ];
  const found = await capacity(await planOf(set), { attainment: 0.9, precision: 0.1 });
  assert.equal(found.saturation!.bottleneck, "prefill_compute");
  assert.ok(found.saturation!.missed_itl > found.saturation!.missed_ttft);
  assert.match(explainCapacity(found).join("\n"), /prompts that are computed between decode steps hold tokens up/);
});

test("capacity names the router's queue where requests wait there", () =>
  inFolder(async (folder) => {
    const file = join(folder, "policy.yaml");
    writeFileSync(
      file,
      `default_policy_family: a
uncached_isl_buckets: [{min_tokens: 0, bucket: b}]
policy_classes: [{name: c, quantum: 1, policy_family: a, cache_bucket: b, prefill_busy_threshold: 0}]
`,
    );
    const set = [
      "traffic={source: {type: synthetic, input_tokens: 4000, output_tokens: 4}, load: {type: poisson, " +
      "requests_per_second: 2, seed: 1}, stop: {requests: 100}}",
      `router={policy: kv_router, policy_file: ${file}}`,
      "evaluation.sla={ttft_ms: 3000}",
    ];
    const { saturation } = await capacity(await planOf(set, "dynamo"), { attainment: 0.9, precision: 0.2 });
    assert.equal(saturation!.bottleneck, "router_queue");
    assert.ok(saturation!.router_queue > saturation!.waiting_requests);
  }));

test("capacity refuses what has no answer, with its place", async () => {
  const refusal = async (set: string[], options: Parameters<typeof capacity>[1] = {}) => {
    try {
      await capacity(await planOf(set), options);
    } catch (error) {
      assert.ok(error instanceof ConfigError, String(error));
      return error.message;
    }
    return assert.fail("no error");
  };
  assert.match(await refusal(["evaluation={}"]), /^evaluation\.sla: a capacity needs bounds/);
  assert.match(
    await refusal([], { over: "rate" }),
    /^traffic\.load\.type: the load is trace_timestamps, which has no rate/,
  );
  for (const attainment of [0, 1.5, NaN]) {
    assert.match(await refusal([], { attainment }), /attainment must be above 0 and at most 1/);
  }
  assert.equal(await capacityCommand("1").run(["-c", "x.yaml", "--attainment", "0"]), 2);
  assert.equal(await capacityCommand("1").run(["-c", "x.yaml", "--over", "speed"]), 2);
});

test("capacity without an edge within reach says so", async () => {
  const hopeless = await capacity(await planOf(["evaluation.sla={ttft_ms: 0.001}"]), { precision: 0.5 });
  assert.equal(hopeless.largest, null);
  assert.match(capacityText(hopeless), /does not keep 99.00 % within the SLA at any load down to speedup/);
});
