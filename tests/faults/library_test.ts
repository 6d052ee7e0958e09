/** What went wrong once, by the rows of the list of faults (A … E): the right value of each, through the public names. */
import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import {
  convert,
  deploy,
  fixed,
  htmlReport,
  inspect,
  kvRouter,
  Ledger,
  loadPrediction,
  loadTrace,
  modelFacts,
  nearName,
  operatorTiming,
  polynomial,
  predict,
  readRun,
  readTrace,
  replay,
  SimpleRouter,
  slice,
  syntheticTraffic,
  toRun,
  vllm,
} from "../../mod.ts";
import { page } from "../../lib/analysis/page.ts";
import { safe } from "../../lib/analysis/html.ts";
import { LineCutter, MOST_LINE_BYTES } from "../../lib/trace/lines.ts";
import { readWarmupTrace } from "../../lib/trace/read_warmup_trace.ts";
import { BASE } from "../config/support.ts";

const fresh = () => mkdtempSync(join(tmpdir(), "dynosim-faults-"));
const file = (name: string, content: string | Uint8Array) => {
  const path = join(fresh(), name);
  writeFileSync(path, content);
  return path;
};
const set = (...values: string[]) => loadPrediction(BASE, { set: values });
const load = () => syntheticTraffic({ count: 2, inputTokens: 64, outputTokens: 4, concurrency: 1 });
const row = (ms: number | string) => `{"timestamp": ${ms}, "input_length": 100, "output_length": 4, "hash_ids": [1]}\n`;

test("A1 a warm-up trace that is not there or cut is told with its path and line", async () => {
  await assert.rejects(readWarmupTrace("nowhere/nope.jsonl"), {
    name: "TraceError",
    message: "No warmup trace files matched 'nowhere/nope.jsonl'",
  });
  const packed = gzipSync(row(0).repeat(2000));
  const cut = file("cut.jsonl.gz", packed.subarray(0, packed.length - 20));
  await assert.rejects(readWarmupTrace(cut), {
    name: "TraceError",
    message: /cut\.jsonl\.gz:\d+: the gzip data is damaged/,
  });
});

test("A2 an alias that contains itself is refused with its place", async () => {
  await assert.rejects(set("engine.workers=&a [*a]"), {
    name: "ConfigError",
    message: /alias stands inside the value.*character 5/,
  });
  await assert.rejects(loadPrediction("a: &a [1]\nb: &b {c: [*b]}\n"), {
    name: "ConfigError",
    message: /line 2, column 12/,
  });
});

test("A5 times beyond any clock are refused before anything is written", async () => {
  const output = join(fresh(), "out.jsonl");
  await assert.rejects(convert(file("t.jsonl", row("1e300")), output), {
    name: "TraceError",
    message: /line 1: timestamp 1e\+300/,
  });
  await assert.rejects(convert(file("t.jsonl", row(0) + row(5)), output, { speedup: 1e-320 }), {
    name: "TraceError",
    message: /line 2: timestamp 5 with speedup/,
  });
  assert.deepEqual(readdirSync(join(output, "..")), []);
});

test("A6 a router that answers a rank that is none is named with its answer", async () => {
  class Lost extends SimpleRouter {
    override join(): void {}
    override leave(): void {}
    override place(): number {
      return 7;
    }
  }
  await assert.rejects(replay(load(), { cluster: { replicas: 2 }, router: () => new Lost() }).report, {
    name: "SimulationError",
    message: /Lost answered rank 7/,
  });
});

test("A7 what was found is shown as YAML", () => assert.rejects(set("traffic.source.type={}"), /Input tag '{}' found/));

test("B1 names from outside meet own keys only", async () => {
  await assert.rejects(set("engine.__proto__.backend=trtllm"), /engine\.__proto__\n {2}Extra inputs are not permitted/);
  await assert.rejects(set("__proto__.x=1"), { name: "ConfigError" });
  const planner = ["planner={policy: enabled, advisory: constructor}"];
  await assert.rejects(loadPrediction(BASE, { set: planner, stack: "dynamo" }), /planner\.advisory\n.*valid boolean/);
  await assert.rejects(loadTrace("x", { format: "constructor" }), { name: "ConfigError", message: /'constructor'/ });
});

test("B2 wrong facts of a model name the field, what was found and what is needed", () => {
  const good = {
    architectures: ["LlamaForCausalLM"],
    num_hidden_layers: 32,
    hidden_size: 4096,
    num_attention_heads: 32,
    num_key_value_heads: 8,
    intermediate_size: 14336,
    vocab_size: 128256,
  };
  assert.equal(modelFacts(good).problem, null);
  const wrong = { hidden_size: "x", vocab_size: null, num_hidden_layers: -3, head_dim: 0.5 };
  for (const [field, value] of Object.entries(wrong)) {
    const { problem } = modelFacts({ ...good, [field]: value });
    assert.ok(problem?.includes(`'${field}'`) && problem.includes(JSON.stringify(value)), `${field}: ${problem}`);
    const facts = modelFacts({ ...good, [field]: value });
    const model = { name: "m", facts, from: "m" };
    assert.throws(() => deploy({ model, hardware: "h200_sxm" }), { name: "ConfigError", message: new RegExp(field) });
  }
  const folder = fresh();
  writeFileSync(join(folder, "config.json"), "null");
  assert.throws(() => deploy({ model: folder, hardware: "h200_sxm" }), /config\.json: it is not a JSON object/);
});

const BURST = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n";
test("B3 a CSV row that ends early is dropped with its reason, or fails", async () => {
  const path = file("b.csv", `${BURST}5,ChatGPT,472,18,490,Conversation log\n45,ChatGPT,1087,23`);
  const ledger = new Ledger(), requests = [];
  for await (const request of readTrace(path, { ledger })) requests.push(request);
  assert.equal(requests.length, 1);
  assert.deepEqual([...ledger.dropped], [["row ends early", 1]]);
  await assert.rejects(async () => {
    for await (const _ of readTrace(path, { badRows: "fail" }));
  }, { name: "TraceError", message: /row ends early: 4 cells where 6 are due/ });
});

test("B4 a first line of more than a megabyte is recognised and read", async () => {
  const ids = Array.from({ length: 200_000 }, (_, i) => i);
  const line = `{"timestamp": 0, "input_length": 102400000, "output_length": 1, "hash_ids": [${ids.join(", ")}]}\n`;
  const figures = await inspect(readTrace(file("long.jsonl", line)));
  assert.ok(line.length > 2 ** 20);
  assert.equal(figures.rows, 1);
});

const anyway = (options: unknown) => options as never;
test("B6 options that do not exist are refused with the name that was meant", async () => {
  const cases: [() => unknown, string][] = [
    [() => replay(load(), anyway({ speedUp: 2 })), "speedup"],
    [() => replay(load(), anyway({ cluster: { replica: 2 } })), "replicas"],
    [() => vllm(anyway({ block: 3 })), "blocks"],
    [() => kvRouter(anyway({ temprature: 1 })), "temperature"],
    [() => slice(anyway({ form: 1 })), "from"],
    [() => deploy(anyway({ model: "Qwen/Qwen3-32B", hardware: "h200_sxm", tensr: 2 })), "tensor"],
    [() => readTrace("f", anyway({ fromat: "azure" })), "format"],
    [() => syntheticTraffic(anyway({ count: 1, inputTokens: 1, outputTokens: 1, concurency: 1 })), "concurrency"],
  ];
  for (const [call, meant] of cases) {
    assert.throws(
      call,
      (error: Error) => error.name === "ConfigError" && error.message.endsWith(`did you mean '${meant}'?`),
    );
  }
  const { plan } = await set();
  await assert.rejects(predict(plan, anyway({ capturePerRequests: true })), /did you mean 'capturePerRequest'\?/);
});

test("B7 an engine takes its GPUs from the deployment of its timing, and may not contradict it", async () => {
  const timing = operatorTiming(deploy({ model: "Qwen/Qwen3-32B", hardware: "h200_sxm", tensor: 2 }));
  const { summary } = await replay(load(), { cluster: { engine: vllm(), timing } }).report;
  assert.equal(summary.decode_gpus_per_worker, 2);
  assert.throws(() => replay(load(), { cluster: { engine: vllm({ tensor: 4 }), timing } }), /tensor 4.*tensor 2/);
  assert.doesNotThrow(() => replay(load(), { cluster: { engine: vllm({ tensor: 4 }), timing: polynomial() } }));
});

test("C3 more ranks than are simulated are refused by a named limit", async () => {
  for (const sets of [["replicas=1000000"], ["attention_data=60000"]]) {
    const { plan } = await set(...sets.map((text) => `engine.workers.aggregated.parallelism.${text}`));
    await assert.rejects(predict(plan), { name: "ConfigError", message: /at most 20000 are simulated/ });
  }
  const endless = set("engine.workers.aggregated.parallelism.attention_data=1000000000");
  await assert.rejects(endless, /less than or equal to 65536/);
});

test("C4 loads whose time cannot advance are refused", async () => {
  assert.throws(
    () => syntheticTraffic({ count: 10, inputTokens: 1, outputTokens: 1, arrivalIntervalMs: 1e23 }),
    /beyond what a clock/,
  );
  await assert.rejects(loadTrace(file("t.jsonl", row(0) + row(5)), { speedup: 1e-300 }), /beyond what a clock tells/);
  assert.throws(() => fixed({ prefillMs: 1e17, decodeMs: 1e-3 }), /prefillMs must be from 0 to/);
});

test("C5 of many mistakes the first twenty are told; long lines are clipped", async () => {
  const many = BASE + Array.from({ length: 20_000 }, (_, i) => `k${i}: 1\n`).join("");
  const problem: Error = await loadPrediction(many).then(() => assert.fail(), (error) => error);
  assert.match(problem.message, /: 20000 validation errors\n/);
  assert.match(problem.message, /… and 19980 more$/);
  assert.ok(problem.message.length < 10_000);
  const long: Error = await loadPrediction(`${BASE}x: "${"y".repeat(500_000)}"\n`).then(
    () => assert.fail(),
    (error) => error,
  );
  assert.ok(long.message.length < 1000, long.message.slice(0, 500));
});

test("C1 a line has a most length, which is named", () => {
  const cutter = new LineCutter("z.jsonl");
  // a piece that only says how long it is
  const piece = { length: MOST_LINE_BYTES + 1, indexOf: () => -1, subarray: () => piece } as unknown as Uint8Array;
  assert.throws(() => [...cutter.cut(piece)], {
    name: "TraceError",
    message: /line 1 of z\.jsonl has more than 500 MB, the most a line may have/,
  });
  assert.ok(MOST_LINE_BYTES < 2 ** 29 - 24, "V8 cannot make a text of what passes");
});

test("D1 reports from files are checked, and every value on a page is escaped", async () => {
  const report = await replay(load()).report;
  const attack = "<img src=x onerror=alert(1)>";
  const planner = { scaling_events: [{ at_s: 1, component: attack, from_count: 1, to_count: 2, reason: "scale_up" }] };
  const folder = fresh();
  writeFileSync(join(folder, "prediction.json"), JSON.stringify({ ...report, planner }));
  await assert.rejects(readRun(folder), {
    name: "ConfigError",
    message: /prediction\.json is not a report: planner\.scaling_events\.0\.component/,
  });
  const drawn = await htmlReport([toRun(report, { name: attack, config: attack })], { title: attack });
  assert.ok(!drawn.includes("<img"));
  assert.match(drawn, /script-src 'sha256-[\w+/=]+'/);
  assert.ok(!/script-src[^;"]*unsafe-inline/.test(drawn));
  assert.equal(
    String(safe`<b title="${'"><i>'}">${[attack, 1, null]}</b>`),
    '<b title="&quot;&gt;&lt;i&gt;">&lt;img src=x onerror=alert(1)&gt;1</b>',
  );
  assert.ok(!page({ title: attack, facts: attack, main: attack }).includes(attack));
});

test("A4 a report whose number is text is refused with file, field and what was found", async () => {
  const report = await replay(load()).report;
  const folder = fresh();
  writeFileSync(
    join(folder, "prediction.json"),
    JSON.stringify({ ...report, summary: { ...report.summary, gpu_hours: "1" } }),
  );
  await assert.rejects(readRun(folder), {
    name: "ConfigError",
    message: /summary\.gpu_hours should be a number, not "1"/,
  });
});

test("D2 the lock file is frozen", () => {
  const config = JSON.parse(readFileSync(new URL("../../deno.json", import.meta.url), "utf8"));
  assert.equal(config.lock.frozen, true);
});

test("E1 names are suggested by case, by what they begin with or hold, then by distance", () => {
  const systems = ["a100_pcie", "a100_sxm", "b200_sxm", "gb200", "h100_pcie", "h100_sxm", "h200_sxm"];
  const cases = [["b200", "b200_sxm"], ["H100", "h100_sxm"], ["h200", "h200_sxm"], ["a100", "a100_sxm"]];
  for (const [written, meant] of cases) assert.equal(nearName(written, systems), meant);
  assert.equal(nearName("--outdir", ["--config", "--output-dir", "--overwrite"]), "--output-dir");
  assert.equal(nearName("bandwidth_gbps", ["bytes_per_token", "bandwidth_gb_per_second"]), "bandwidth_gb_per_second");
  assert.equal(nearName("nothing", ["alpha", "beta"]), undefined);
});

test("E1 a key at the top is told where it belongs", () =>
  assert.rejects(set("sla.ttft=3"), /did you mean `evaluation\.sla\.ttft_ms`\?/));

const AZURE = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 10:00:00.0010000,100,20\n2023-11-16 10:00:01,10,2\n";
test("E3 a trace of another format is told with what it looks like and what to run", async () => {
  await assert.rejects(
    loadTrace(file("az.csv", AZURE)),
    /looks like azure \(.*\): convert it first: deno task convert .*az\.csv --to dynamo/,
  );
  await assert.rejects(
    loadTrace(file("m.jsonl", row(0)), { format: "dynamo" }),
    /looks like mooncake .*: write format mooncake/,
  );
});

test("E4 rows of lengths alone are read; their prompts are unique and called synthesised", async () => {
  const lengths =
    '{"timestamp":0,"input_length":1000,"output_length":4}\n{"timestamp":50,"input_length":10,"output_length":4}\n';
  const path = file("len.jsonl", lengths), ledger = new Ledger();
  const figures = await inspect(readTrace(path, { ledger }));
  assert.deepEqual([figures.rows, figures.blocks.distinct, ledger.identity], [2, 3, "synthesised unique"]);
  await assert.rejects(loadTrace(path), /missing hash_ids; the file looks like lengths .*convert it first/);
});

test("E5 files that are no lines of text are told for what they are", async () => {
  const cases: [Uint8Array | string, RegExp][] = [
    [Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3), /Zstandard/],
    ["PAR1\u0015xxxx", /Parquet/],
    ["a;b;c\n1;2;3\n", /separated by semicolons/],
    [Uint8Array.of(0xff, 0xfe, 0x41, 0, 0x42, 0), /UTF-16/],
  ];
  for (const [content, cause] of cases) {
    await assert.rejects(async () => {
      for await (const _ of readTrace(file("f", content)));
    }, { name: "TraceError", message: cause });
  }
});

test("E6 a converted trace says how its ids are known", async () => {
  for (const to of ["dynamo", "mooncake"]) {
    const output = join(fresh(), "out.jsonl");
    await convert(file("az.csv", AZURE), output, { to });
    const ledger = new Ledger();
    for await (const _ of readTrace(output, { ledger }));
    assert.equal(ledger.identity, "synthesised unique", to);
  }
});

test("E10 what an override causes points at the override", () =>
  assert.rejects(
    set("engine.workers.aggregated.parallelism.replicas=0"),
    /at --set 'engine\.workers\.aggregated\.parallelism\.replicas=0'/,
  ));
