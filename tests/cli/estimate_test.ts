import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { deploy } from "../../lib/timing/aic/operator_timing.ts";
import { calibrationKey } from "../../lib/timing/calibration/key.ts";
import { inFolder, start, type StartOptions } from "./support.ts";

const estimate = (args: string[], options: StartOptions = {}) => start("cli/main.ts", ["estimate", ...args], options);
const LLAMA = ["--model", "meta-llama/Meta-Llama-3.1-8B", "--hardware", "h200_sxm"];

test("estimate answers every line with its latency and keeps what else is in it", async () => {
  const stdin = [
    '{"num_prefill_requests":1,"sum_prefill_tokens":1024,"sum_prefill_kv_tokens":512,"num_decode_requests":16,' +
    '"sum_decode_kv_tokens":24000,"tag":"a"}',
    "",
    '{"version":1,"wall_time":0,"scheduled_requests":{"num_decode_requests":4,"sum_decode_kv_tokens":4100}}',
    '[{"num_decode_requests":4,"sum_decode_kv_tokens":4100},{"num_decode_requests":1,"sum_decode_kv_tokens":10}]',
  ].join("\r\n");
  const { code, stdout, stderr } = await estimate([...LLAMA, "--workloads", "-"], { stdin });
  assert.match(
    stderr,
    /^Assumed: weights bfloat16, attention bfloat16, KV cache bfloat16 \(131072 bytes a token\), .*data version 0\.13/,
  );
  assert.equal(code, 0);
  const [mixed, metrics, ranks] = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.equal(mixed.latency_ms, 24.389608744956643);
  assert.equal(mixed.tag, "a");
  assert.equal(metrics.latency_ms, 5.09734674785656);
  assert.equal(ranks.latency_ms, 5.09734674785656);
  assert.equal(ranks.ranks.length, 2);
});

test("estimate --format csv prints a row for every rank of a workload, and the capacity as one", async () => {
  const stdin = '{"num_decode_requests":4,"sum_decode_kv_tokens":4100}\n\n' +
    '[{"num_decode_requests":4,"sum_decode_kv_tokens":4100},{"num_decode_requests":1,"sum_decode_kv_tokens":10}]\n';
  const { stdout } = await estimate([...LLAMA, "--workloads", "-", "--format", "csv"], { stdin });
  assert.deepEqual(stdout.split("\n"), [
    "line,rank,num_prefill_requests,sum_prefill_tokens,sum_prefill_kv_tokens,num_decode_requests,sum_decode_kv_tokens," +
    "latency_ms",
    "1,0,0,0,0,4,4100,5.09734674785656",
    "3,0,0,0,0,4,4100,5.09734674785656",
    "3,1,0,0,0,1,10,5.09734674785656",
    "",
  ]);
  const [head, row, end] = (await estimate([...LLAMA, "--capacity", "--format", "csv"])).stdout.split("\n");
  assert.match(head, /^num_gpu_blocks,block_size,/);
  assert.match(row, /^\d+,64,/);
  assert.equal(end, "");
});

test("estimate --per-op adds the operators, which sum up to the latency", async () => {
  const stdin = '{"num_prefill_requests":2,"sum_prefill_tokens":100}\n';
  const { stdout } = await estimate([...LLAMA, "--workloads", "-", "--per-op"], { stdin });
  const { operators, latency_ms } = JSON.parse(stdout);
  assert.equal(operators[0].name, "context_embedding");
  assert.equal(operators.reduce((sum: number, row: { ms: number }) => sum + row.ms, 0), latency_ms);
});

test("estimate --capacity prints the blocks of a rank", async () => {
  const { code, stdout } = await estimate([...LLAMA, "--capacity", "--tensor", "2"]);
  assert.equal(code, 0);
  assert.equal(JSON.parse(stdout).num_gpu_blocks, 29486);
  const small = await estimate([...LLAMA, "--capacity", "--block-size", "16", "--memory-fraction", "0.5"]);
  const { num_gpu_blocks, block_size, kv_tokens } = JSON.parse(small.stdout);
  assert.deepEqual([num_gpu_blocks, block_size], [Math.floor(kv_tokens / 16), 16]);
});

test("estimate says what it assumes, and warns where a low precision is slower than bfloat16", async () => {
  const options = [
    "--model",
    "Qwen/Qwen3-235B-A22B-FP8",
    "--hardware",
    "b200_sxm",
    "--tensor",
    "8",
    "--moe-expert",
    "8",
  ];
  const { stdout, stderr } = await estimate([...options, "--capacity", "--workloads", "-"], {
    stdin: '{"num_decode_requests":1,"sum_decode_kv_tokens":2048}',
  });
  const [capacity] = stdout.split("\n").map((line) => line && JSON.parse(line));
  assert.equal(capacity.weights, "fp8_block");
  assert.equal(capacity.kv_cache, "fp8");
  assert.equal(capacity.kv_bytes_per_token, 24064);
  assert.match(capacity.data_version, /^0\.13/);
  assert.match(
    stderr,
    /a decode step of 1 takes 1\.\d\d times as long in fp8_block as in bfloat16 .*gemm_perf \(gemm\/vllm/,
  );
  // only what was asked for is compared
  assert.doesNotMatch(stderr, /a prompt of|a decode step of 32/);
  const lengths = [300, 900, 8000].map((n) => `{"num_prefill_requests":1,"sum_prefill_tokens":${n}}`).join("\n");
  const prompts = await estimate([...options, "--workloads", "-"], { stdin: lengths });
  assert.match(prompts.stderr, /a prompt of 8000 tokens takes 1\.\d\d times as long/);
  assert.doesNotMatch(prompts.stderr, /a prompt of (900|2048)|a decode step/);
});

test("estimate warns when the passes asked for lie far beyond what was measured", async () => {
  const stdin = '{"num_decode_requests":8,"sum_decode_kv_tokens":32000000}\n';
  const { code, stderr } = await estimate([...LLAMA, "--workloads", "-"], { stdin });
  assert.equal(code, 0);
  assert.match(
    stderr,
    /\ndynosim estimate: warning: h200_sxm vllm: \d+ % of the pass is extrapolated .*4,000,000 tokens of a sequence/,
  );
  const usual = await estimate([...LLAMA, "--workloads", "-"], {
    stdin: '{"num_decode_requests":8,"sum_decode_kv_tokens":8000}',
  });
  assert.ok(!usual.stderr.includes("warning"), usual.stderr);
});

test("estimate says what is wrong with a line, after answering those before it", async () => {
  const good = '{"num_decode_requests":1,"sum_decode_kv_tokens":10}';
  const cases: [string, RegExp][] = [
    [
      '{"num_decode_reqests":1}',
      /<standard input>:2: unknown field num_decode_reqests, did you mean num_decode_requests\?/,
    ],
    ['{"num_decode_requests":1', /<standard input>:2: the line is not JSON/],
    ['{"num_decode_requests":-1}', /:2: num_decode_requests must be a whole number from 0 to 4294967295; found -1/],
    ['{"sum_prefill_tokens":5}', /:2: prefill tokens are given without num_prefill_requests/],
    ["[]", /:2: a list of ranks needs one rank at least/],
    ["7", /:2: expected an object with num_prefill_requests/],
    ['{"version":2,"scheduled_requests":{}}', /:2: unsupported version 2/],
  ];
  for (const [line, message] of cases) {
    const { code, stdout, stderr } = await estimate([...LLAMA, "--workloads", "-"], { stdin: `${good}\n${line}\n` });
    assert.equal(code, 1, line);
    assert.match(stderr, message);
    assert.equal(stdout.trimEnd().split("\n").length, 1);
  }
});

test("estimate answers names that are not known with the nearest, exit code 2", async () => {
  const cases: [string[], RegExp][] = [
    [["--model", "meta-llama/Meta-Llama-3.1-8B", "--hardware", "h200sxm"], /did you mean 'h200_sxm'/],
    [["--model", "Qwen/Qwen3-32b", "--hardware", "h200_sxm"], /did you mean 'Qwen\/Qwen3-32B'/],
    [[...LLAMA, "--backend", "vlm"], /invalid choice: 'vlm' .*did you mean 'vllm'/],
    [[...LLAMA, "--backend-version", "0.24.1"], /unknown version '0.24.1' .*did you mean '0.24.0'/],
    [[...LLAMA, "--quant", "gemm=fp9"], /unknown gemm quant mode 'fp9', did you mean 'fp8'/],
    [[...LLAMA, "--quant", "gem"], /argument --quant: invalid value 'gem'/],
    [
      ["--model", "meta-llama/Meta-Llama-3.1-8B", "--hardware", "gb200"],
      /deno task perf-data install gb200 --backend vllm/,
    ],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await estimate([...args, "--workloads", "-"], { env: { HF_HUB_OFFLINE: "1" } });
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, message);
  }
});

test("estimate asks for something to do", async () => {
  const { code, stderr } = await estimate(LLAMA);
  assert.equal(code, 2);
  assert.match(stderr, /one of the arguments --workloads --capacity is required/);
});

test("estimate refuses options without effect, and versions that do not exist for the capacity too", async () => {
  const cases: [string[], RegExp][] = [
    [["--capacity", "--per-op"], /--per-op needs --workloads/],
    [["--workloads", "-", "--per-op", "--format", "csv"], /--per-op needs --format json/],
    [["--workloads", "-", "--capacity", "--format", "csv"], /--format csv prints one table/],
    [["--workloads", "-", "--memory-fraction", "0.5"], /--memory-fraction needs --capacity/],
    [["--workloads", "-", "--block-size", "64"], /--block-size needs --capacity/],
    [["--workloads", "-", "--max-batched-tokens", "8192"], /--max-batched-tokens needs --capacity/],
    [["--capacity", "--backend-version", "9"], /unknown version '9' of backend 'vllm' on 'h200_sxm'/],
  ];
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await estimate([...LLAMA, ...args]);
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
    assert.match(stderr, message);
  }
});

test("estimate --calibration lengthens uneven decode steps, says which it took for even and what it was forced upon", async () => {
  await inFolder(async (folder) => {
    const model = "Qwen/Qwen3-32B", deployment = deploy({ model, hardware: "h200_sxm", tensor: 2 });
    const decode = {
      ratio: 1,
      constant_ms: 0,
      curve: [],
      n: 50,
      seen: { decode_requests: [1, 64], prefill_tokens: null },
      uneven: 2,
    };
    const file = join(folder, "calibration.json");
    writeFileSync(
      file,
      JSON.stringify({
        format: "dynosim.calibration.v1",
        key: calibrationKey(model, deployment),
        level: "scale",
        phases: { prefill: null, decode, mixed: null },
        request_overhead_ms: 0,
        n: { passes: 50, requests: 0 },
        error: { before: {}, after: {} },
      }),
    );
    // two sequences of 1000 and 3000 tokens: a mean of 2000, a standard deviation of 1000
    const sums = { num_decode_requests: 2, sum_decode_kv_tokens: 4000 };
    const loads = [sums, { ...sums, var_decode_kv_tokens: 1e6 }, [{ ...sums, var_decode_kv_tokens: 0 }, sums]];
    const stdin = loads.map((load) => JSON.stringify(load)).join("\n");
    const flags = ["--model", model, "--hardware", "h200_sxm", "--workloads", "-", "--calibration", file];
    const { stdout, stderr, code } = await estimate([...flags, "--tensor", "2"], { stdin });
    assert.equal(code, 0, stderr);
    const [even, uneven, ranks] = stdout.trimEnd().split("\n").map((line) => JSON.parse(line).latency_ms);
    const passes = deployment.forwardPassModel();
    const ms = passes.sumsMs(0, 0, 0, 2, 4000), attentionMs = ms - passes.sumsMs(0, 0, 0, 2, 2);
    assert.equal(even, ms);
    assert.equal(ranks, ms);
    assert.ok(Math.abs(uneven - (ms + 2 * 0.5 * attentionMs)) < 1e-9, `${uneven}`);
    assert.match(stderr, /2 of 4 passes do not say var_decode_kv_tokens and are taken for even/);
    const other = await estimate([...flags, "--tensor", "4"], { stdin });
    assert.equal(other.code, 2);
    assert.match(other.stderr, /--calibration: the calibration is of another deployment: tensor 2, not 4/);
    const forced = await estimate([...flags, "--tensor", "4", "--force-calibration"], { stdin });
    assert.equal(forced.code, 0);
    assert.match(forced.stderr, /the calibration was fitted to another deployment \(tensor 2, not 4\)/);
    const wrong = await estimate([...flags, "--tensor", "2"], {
      stdin: JSON.stringify({ ...sums, var_decode_kv_tokens: -1 }),
    });
    assert.match(wrong.stderr, /<standard input>:1: var_decode_kv_tokens must be a number of at least 0; found -1/);
  });
});
