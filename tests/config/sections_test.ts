import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import "../without_user_cache.ts";
import { loadRecommendation } from "../../mod.ts";
import { BASE, DISAGGREGATED, issuesOf, planOf, read } from "./support.ts";

const A = "engine.workers.aggregated";
const flow = (value: unknown) => JSON.stringify(value);
const traffic = (value: unknown) => [`traffic=${flow(value)}`];
const trace = (source = {}, load: Record<string, unknown> = { type: "trace_timestamps" }, stop?: unknown) =>
  traffic({ source: { type: "trace", paths: ["a.jsonl"], ...source }, load, ...(stop ? { stop } : {}) });

/** Overrides of a valid document, and the issues they give. */
const CASES: [title: string, set: string[], issues: string[], base?: string][] = [
  ["no tag", traffic({ source: {}, load: {} }), [
    "traffic.source: Unable to extract tag using discriminator 'type'",
  ]],
  ["wrong tag", traffic({ source: { type: "foo" }, load: {} }), [
    "traffic.source: Input tag 'foo' found using 'type' does not match any of the expected tags: " +
    "'synthetic', 'synthetic-session', 'trace'",
  ]],
  ["traffic is not merged with its default", traffic({}), [
    "traffic.source: Field required",
    "traffic.load: Field required",
  ]],
  ["the tag is part of a location", traffic({ source: { type: "synthetic", input_tokens: 1.5, foo: 1 }, load: {} }), [
    "traffic.source.synthetic.input_tokens: Input should be a valid integer",
    "traffic.source.synthetic.foo: Extra inputs are not permitted",
  ]],
  [
    "strict integers refuse text and booleans",
    traffic({ source: { type: "synthetic", input_tokens: "5", output_tokens: true }, load: {} }),
    [
      "traffic.source.synthetic.input_tokens: Input should be a valid integer",
      "traffic.source.synthetic.output_tokens: Input should be a valid integer",
    ],
  ],
  [
    "session shape",
    traffic({ source: { type: "synthetic-session", session: { turns: 1, shared_prefix_ratio: 2 } }, load: {} }),
    [
      "traffic.source.synthetic-session.session.turns: Input should be greater than or equal to 2",
      "traffic.source.synthetic-session.session.shared_prefix_ratio: Input should be less than or equal to 1",
    ],
  ],
  [
    "session groups",
    traffic({ source: { type: "synthetic-session", session: { shared_prefix_ratio: 0.5 } }, load: {} }),
    [
      "traffic.source.synthetic-session.session: Value error, prefix_groups must be positive when shared_prefix_ratio is positive",
    ],
  ],
  ["no session", traffic({ source: { type: "synthetic-session" }, load: {} }), [
    "traffic.source.synthetic-session.session: Field required",
  ]],
  ["no paths", trace({ paths: [] }), [
    "traffic.source.trace.paths: Value error, trace paths must contain at least one nonempty path",
  ]],
  ["an empty path", trace({ paths: ["a", ""], format: "dynamo" }), [
    "traffic.source.trace.paths: Value error, trace paths must contain at least one nonempty path",
  ]],
  ["two paths", trace({ paths: ["a", "b"] }), [
    "traffic.source.trace: Value error, trace format 'mooncake' requires exactly one path",
  ]],
  ["weka's basis elsewhere", trace({ nested_timestamp_basis: "auto" }), [
    "traffic.source.trace: Value error, nested_timestamp_basis is only valid for trace format 'weka'",
  ]],
  ["surplus load fields", trace({}, { type: "trace_timestamps", seed: 1, concurrency: 3 }), [
    "traffic.load: Value error, traffic.load.type='trace_timestamps' does not accept ['concurrency', 'seed']",
  ]],
  ["null concurrency", trace({}, { type: "concurrency", concurrency: null }), [
    "traffic.load: Value error, traffic.load.type='concurrency' requires concurrency",
  ]],
  ["zero speedup", trace({}, { type: "trace_timestamps", speedup: 0 }), [
    "traffic.load.speedup: Input should be greater than 0",
  ]],
  ["rate on a trace", trace({}, { type: "poisson", requests_per_second: 1 }), [
    "traffic: Value error, trace traffic requires trace_timestamps or concurrency load",
  ]],
  ["count on a trace", trace({}, undefined, { requests: 3 }), [
    "traffic: Value error, trace traffic only accepts max_virtual_time_seconds",
  ]],
  ["closed-loop graph", trace({ format: "agentic_mooncake" }, {}), [
    "traffic: Value error, agentic_mooncake requires trace_timestamps load",
  ]],
  ["open-loop applied_compute", trace({ format: "applied_compute_agentic" }), [
    "traffic: Value error, applied_compute_agentic requires concurrency load",
  ]],
  ["cutoff of a graph", trace({ format: "agentic_mooncake" }, undefined, { max_virtual_time_seconds: 1 }), [
    "traffic: Value error, agentic_mooncake does not support max_virtual_time_seconds",
  ]],
  ["lanes elsewhere", trace({}, { type: "trace_timestamps", agentic_lanes: 2 }), [
    "traffic: Value error, agentic_lanes requires weka, agentic_mooncake, or agentic dynamo input",
  ]],
  ["timestamps of nothing", traffic({ source: { type: "synthetic" }, load: { type: "trace_timestamps" } }), [
    "traffic: Value error, synthetic traffic does not accept trace_timestamps load",
  ]],
  ["no rate", traffic({ source: { type: "synthetic" }, load: { type: "poisson" }, stop: { requests: 1 } }), [
    "traffic: Value error, poisson synthetic traffic requires requests_per_second",
  ]],
  [
    "no session rate",
    traffic({ source: { type: "synthetic-session", session: {} }, load: { type: "constant_rate" } }),
    [
      "traffic: Value error, constant_rate synthetic traffic requires sessions_per_second",
    ],
  ],
  [
    "both rates",
    traffic({
      source: { type: "synthetic" },
      load: { type: "poisson", requests_per_second: 1, sessions_per_second: 1 },
    }),
    [
      "traffic: Value error, traffic load rate unit does not match source type",
    ],
  ],
  ["endless", traffic({ source: { type: "synthetic" }, load: {} }), [
    "traffic: Value error, synthetic traffic requires a stop condition",
  ]],
  [
    "cutoff of synthetic traffic",
    traffic({ source: { type: "synthetic" }, load: {}, stop: { max_virtual_time_seconds: 1 } }),
    [
      "traffic: Value error, max_virtual_time_seconds is trace-only",
    ],
  ],
  ["sessions of requests", traffic({ source: { type: "synthetic" }, load: {}, stop: { requests: 1, sessions: 1 } }), [
    "traffic: Value error, synthetic request traffic requires a request stop",
  ]],
  [
    "requests of sessions",
    traffic({ source: { type: "synthetic-session", session: {} }, load: {}, stop: { requests: 1 } }),
    [
      "traffic: Value error, synthetic session traffic requires a session stop",
    ],
  ],
  [
    "two counts",
    traffic({ source: { type: "synthetic" }, load: {}, stop: { requests: 1, requests_per_load_unit: 1 } }),
    [
      "traffic: Value error, traffic.stop requires exactly one count condition",
    ],
  ],
  ["null traffic", ["traffic=null"], ["traffic: Input should be a valid dictionary or instance of TrafficConfig"]],

  ["empty model", ["engine.model=''"], ["engine.model: Value error, value must be nonempty"]],
  ["automatic hardware", ["engine.hardware=auto"], [
    "engine.hardware: Value error, engine.hardware='auto' is recommendation-only",
  ]],
  ["unknown backend", ["engine.backend=vlm"], ["engine.backend: Input should be 'vllm', 'sglang' or 'trtllm'"]],
  ["context length", ["engine.context_length=long"], [
    "engine.context_length.constrained-int: Input should be a valid integer",
    "engine.context_length.literal['max']: Input should be 'max'",
  ]],
  ["draft depth", ["engine.nextn=6"], ["engine.nextn: Input should be less than or equal to 5"]],
  ["drafts accepted", ["engine.nextn=2"], ["engine: Value error, nextn requires explicit nextn_accepted"]],
  ["too many accepted", ["engine.nextn=2", "engine.nextn_accepted=3"], [
    "engine: Value error, nextn_accepted requires nextn > 0 and must be within [0, nextn]",
  ]],
  ["accepted without drafts", ["engine.nextn_accepted=0"], [
    "engine: Value error, nextn_accepted requires nextn > 0 and must be within [0, nextn]",
  ]],
  ["drafts with polynomial timing", ["engine.nextn=2", "engine.nextn_accepted=1"], [
    "engine: Value error, engine model controls require default timing in every regular language role",
  ]],
  ["precision with polynomial timing", ["engine.gemm_quant_mode=fp8"], [
    "engine: Value error, engine model controls require default timing in every regular language role",
  ]],
  ["estimator policy with polynomial timing", ["engine.fallback_policy=allow"], [
    "engine: Value error, estimator policies require regular language workers with default timing in every role",
  ]],
  ["hardware of one worker", [`${A}.hardware=a100_sxm`], [
    "engine: Value error, worker hardware overrides require prefill/decode workers in disaggregated mode",
  ]],
  ["padded hardware", ["engine.workers.prefill.hardware=' a100_sxm'"], [
    "engine: Value error, workers.prefill.hardware must be one concrete nonempty hardware identifier",
  ], DISAGGREGATED],
  ["no workers", ["engine.workers={}"], ["engine: Value error, aggregated mode requires workers.aggregated"]],
  ["no workers at all", ["engine.workers={}", "engine.mode=disaggregated"], [
    "engine: Value error, disaggregated mode requires prefill and decode workers",
  ]],
  ["too many workers", ["engine.workers.prefill={timing: {type: polynomial}}"], [
    "engine: Value error, aggregated mode rejects prefill/decode workers",
  ]],
  ["a transfer to nowhere", ["engine.kv_transfer={}"], ["engine: Value error, aggregated mode rejects kv_transfer"]],
  [
    "aggregated among others",
    [`${A}={}`],
    ["engine: Value error, disaggregated mode rejects aggregated workers"],
    DISAGGREGATED,
  ],
  [
    "a cutoff of nothing",
    traffic({
      source: { type: "trace", paths: ["a"] },
      load: { type: "trace_timestamps" },
      stop: { cutoff: "soft" },
    }),
    ["traffic.stop: Value error, traffic.stop.cutoff has no effect without max_virtual_time_seconds"],
  ],
  [
    "a prefix longer than the prompt",
    traffic({
      source: { type: "synthetic", input_tokens: 10, cached_prefix_tokens: 20 },
      load: {},
      stop: { requests: 1 },
    }),
    ["traffic.source.synthetic: Value error, cached_prefix_tokens cannot exceed input_tokens"],
  ],
  ["block of one", [`${A}.kv_cache.block_size=1`], [
    "engine: Value error, aggregated KV block_size has no value supported by vLLM/TensorRT-LLM; " +
    "those backends require block_size >= 2",
  ]],
  ["SGLang's interval", [`${A}.scheduler.prefill_decode_interval=2`], [
    "engine: Value error, workers.aggregated.scheduler.prefill_decode_interval is supported only for backend=sglang",
  ]],
  ["vLLM's interval", [`${A}.scheduler.prefill_schedule_interval=2`, "engine.backend=sglang"], [
    "engine: Value error, workers.aggregated.scheduler.prefill_schedule_interval is supported only for backend=vllm",
  ]],
  ["host offload of a role", ["engine.workers.decode.kv_cache.host_offload={num_host_blocks: 1}"], [
    "engine: Value error, host_offload is supported only for the aggregated worker",
  ], DISAGGREGATED],
  ["host offload", [`${A}.kv_cache.host_offload={num_host_blocks: 1}`], [
    `${A}.kv_cache.host_offload: ${A}.kv_cache.host_offload is not supported: ` +
    "offloading KV blocks to host memory is not simulated",
  ]],
  ["other ways to estimate", [
    "engine.estimation_mode=fpm_regression",
    "engine.fallback_policy=allow",
    `${A}.timing={}`,
  ], [
    "engine.estimation_mode: engine.estimation_mode is not supported: " +
    "estimates are made operator by operator (op_level)",
    "engine.fallback_policy: engine.fallback_policy is not supported: " +
    "a model without measurements ends the prediction (deny)",
  ]],
  ["a data release that times nothing", ["engine.data_release=0.12.0"], [
    "engine: Value error, estimator policies require regular language workers with default timing in every role",
  ]],
  ["drafts on the Dynamo stack", ["engine.nextn=2", "engine.nextn_accepted=1", `${A}.timing={}`], [
    "engine.nextn: runner does not support explicit MTP expected acceptance; use --stack engine",
  ]],
  ["no blocks", [`${A}.kv_cache.capacity={type: fixed}`], [
    `${A}.kv_cache.capacity: Value error, fixed KV capacity requires blocks or bytes`,
  ]],
  ["blocks of the default", [`${A}.kv_cache.capacity={blocks: 3}`], [
    `${A}.kv_cache.capacity: Value error, default KV capacity rejects blocks or bytes`,
  ]],
  ["blocks and bytes", [`${A}.kv_cache.capacity={type: fixed, blocks: 3, bytes: 5}`], [
    `${A}.kv_cache.capacity: Value error, fixed KV capacity accepts only one of blocks or bytes`,
  ]],
  ["fraction of a fixed capacity", [`${A}.kv_cache.capacity={type: fixed, blocks: 3, memory_fraction: 0.5}`], [
    `${A}.kv_cache.capacity: Value error, fixed KV capacity rejects memory_fraction`,
  ]],
  ["fixed timing without values", [`${A}.timing={type: fixed, prefill_ms: 1}`], [
    `${A}.timing: Value error, fixed timing requires prefill_ms and decode_ms`,
  ]],
  ["polynomial timing with values", [`${A}.timing={type: polynomial, prefill_ms: 1}`], [
    `${A}.timing: Value error, polynomial timing rejects fixed timing values`,
  ]],
  ["forward model", [`${A}.timing={type: polynomial, forward_model: fpm}`], [
    `${A}.timing: Value error, polynomial timing rejects forward_model='fpm'; ` +
    "forward_model applies to default timing only",
  ]],
  ["start-up", [`${A}.startup_seconds=-1`], [`${A}.startup_seconds: Input should be greater than or equal to 0`]],
  ["start-up in words", [`${A}.startup_seconds=soon`], [
    `${A}.startup_seconds: Input should be a valid number, unable to parse string as a number`,
  ]],
  ["caching", [`${A}.kv_cache.prefix_caching=maybe`], [
    `${A}.kv_cache.prefix_caching: Input should be a valid boolean, unable to interpret input`,
  ]],

  ["round robin with knobs", ["router={temperature: 1, prefill_load_model: {type: aic}}"], [
    "router: Value error, round_robin requires prefill_load_model.type='none' and rejects KV-router knobs ['temperature']",
  ]],
  ["round robin with a load model", ["router={prefill_load_model: {type: ais}}"], [
    "router: Value error, round_robin requires prefill_load_model.type='none' and rejects KV-router knobs []",
  ]],
  ["least_loaded with a knob", ["router={policy: least_loaded, seed: 1}"], [
    "router: Value error, least_loaded requires prefill_load_model.type='none' and rejects KV-router knobs ['seed']",
  ]],
  ["null knob", ["router={policy: kv_router, temperature: null}", `${A}.parallelism.replicas=2`], [
    "router.temperature: Value error, Router numeric knobs do not accept null",
  ]],
  ["negative knob", ["router={policy: kv_router, temperature: -1}"], [
    "router.temperature: Input should be greater than or equal to 0",
  ]],
  ["one worker", ["router={policy: kv_router}"], [
    "router.policy: router.policy=kv_router requires more than one routable worker",
  ]],
  ["unknown policy", ["router={policy: random}"], [
    "router.policy: Input should be 'round_robin', 'kv_router' or 'least_loaded'",
  ]],

  ["e2e and others", ["evaluation={sla: {e2e_ms: 1, itl_ms: 1}}"], [
    "evaluation.sla: Value error, e2e_ms is mutually exclusive with ttft_ms/itl_ms",
  ]],
  ["resources", ["execution={resources: {cpu_limit: 0, reserve_memory_fraction: 1, memory_limit_gb: all}}"], [
    "execution.resources.memory_limit_gb.constrained-float: Input should be a valid number",
    "execution.resources.memory_limit_gb.literal['auto']: Input should be 'auto'",
    "execution.resources.cpu_limit.constrained-int: Input should be greater than 0",
    "execution.resources.cpu_limit.literal['auto']: Input should be 'auto'",
    "execution.resources.reserve_memory_fraction: Input should be less than 1",
  ]],

  ["number formats on the Dynamo stack", ["engine.gemm_quant_mode=fp8", `${A}.timing={kvcache_quant_mode: fp8}`], [
    "engine.gemm_quant_mode: runner does not support engine model controls ['gemm_quant_mode']; use --stack engine",
    `${A}.timing.kvcache_quant_mode: runner does not support engine model controls ['kvcache_quant_mode']; ` +
    "use --stack engine",
  ]],
  ["pipeline", [`${A}.parallelism.pipeline=2`], [
    `${A}.parallelism.pipeline: runner does not support parallel_config.pp=2`,
  ]],
  ["pipeline of a role", ["engine.workers.decode.parallelism.pipeline=2"], [
    "engine.workers.decode.parallelism.pipeline: runner does not support parallel_config.decode_pp=2",
  ], DISAGGREGATED],
  ["weka", trace({ format: "weka" }), ["traffic.source.format: runner does not support trace format 'weka'"]],
  ["two topologies", trace({ format: "mooncake-delta" }), [
    "engine.mode: Value error, mooncake-delta requires aggregated engine mode",
  ], DISAGGREGATED],
  [
    "two block sizes",
    ["engine.workers.decode.kv_cache.block_size=32", "engine.workers.prefill.kv_cache.block_size=16"],
    [
      "engine.workers.decode.kv_cache.block_size: " +
      "offline disaggregated replay requires matching prefill/decode block_size, got 16 and 32",
    ],
    DISAGGREGATED,
  ],
  [
    "images",
    traffic({ source: { type: "synthetic", images: { height: 1, width: 1 } }, load: {}, stop: { requests: 1 } }),
    [
      "traffic.source.images: traffic.source.images is not supported: multimodal requests are not simulated",
    ],
  ],
  ["n-grams", [
    "engine.speculation={kind: ngram, num_speculative_tokens: 1, acceptance_rates: [0.5]}",
    `${A}.timing={}`,
  ], ["engine.speculation: ngram speculation requires offline --stack engine without adapters"]],
];

for (const [title, set, expected, base = BASE] of CASES) {
  test(`loadPrediction refuses: ${title}`, async () => assert.deepEqual(await issuesOf(base, set), expected));
}

test("loadPrediction takes the data release and what is done anyway", async () => {
  const set = ["engine.data_release=0.12.0", "engine.estimation_mode=op_level", "engine.fallback_policy=deny"];
  const { roles } = await planOf(BASE, [...set, "engine.enable_eplb=false", `${A}.timing={}`]);
  assert.equal(roles[0].estimator.data_release, "0.12.0");
});

test("loadPrediction refuses context parallelism on the engine stack, which runs pipelines", async () => {
  const stack = { stack: "engine" };
  await read(BASE, [`${A}.parallelism.pipeline=2`], stack);
  for (const field of ["prefill_context", "decode_context"]) {
    await read(BASE, [`${A}.parallelism.${field}=1`], stack);
    assert.deepEqual(await issuesOf(BASE, [`${A}.parallelism.${field}=2`], stack), [
      `${A}.parallelism.${field}: context parallelism (2) is not simulated; expected 1`,
    ]);
  }
});

test("loadPrediction reads words for booleans as a YAML 1.1 reader would", async () => {
  for (const [word, value] of [["no", false], ["OFF", false], ["yes", true], ["0", false]] as const) {
    const plan = await planOf(BASE, [`${A}.kv_cache.prefix_caching=${word}`]);
    assert.equal((plan.roles[0].launch.engine as Record<string, unknown>).enable_prefix_caching, value);
  }
});

test("loadPrediction reads every example configuration, loadRecommendation the search", async () => {
  const folder = new URL("../../fixtures/configs/", import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith(".yaml") && name !== "recommend.yaml");
  assert.ok(names.length >= 5);
  for (const name of names) {
    const text = readFileSync(new URL(name, folder), "utf8");
    if (name === "recommend.yaml") assert.ok(loadRecommendation(text, { name }));
    else await read(text, [], { name });
  }
});
