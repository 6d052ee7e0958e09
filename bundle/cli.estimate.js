import {
  AnswerCorrection,
  DEFAULT_MEMORY_FRACTION,
  PassCorrection,
  PerfCatalog,
  answer,
  calibrationKey,
  deploy,
  evidenceWarnings,
  loadModel,
  modeNames,
  precisionWarnings,
  readCalibration,
  requireKey,
  smallestAndLargest
} from "./timing.js";
import {
  BACKENDS,
  BLOCK_TOKENS,
  DATABASE_MODES,
  UsageError,
  assumptionsOf,
  assumptionsText,
  choice,
  command,
  csvText,
  flag,
  list,
  number2 as number,
  text,
  warn,
  writeText
} from "./base.js";

// cli/estimate.ts
var QUANT_KINDS = [
  "gemm",
  "moe",
  "fmha",
  "kvcache",
  "comm"
];
var size = (help) => number(help, {
  value: "N",
  fallback: 1,
  least: 1,
  integer: true
});
var positive = (help, fallbackText, integer = false) => ({
  kind: "value",
  value: integer ? "N" : "F",
  help,
  fallbackText,
  read(text2) {
    const value = Number(text2);
    if (value > 0 && Number.isFinite(value) && (!integer || Number.isInteger(value))) return value;
    throw new UsageError(`must be a ${integer ? "whole " : ""}number above 0: '${text2}'`);
  }
});
var LINE = {
  command: "estimate",
  summary: "Tells how long forward passes take (a JSON line for every line of the workloads) and how many KV blocks fit.",
  options: {
    model: text("name of the model, or a folder with its config.json", {
      value: "NAME",
      required: true
    }),
    hardware: text("GPU system, e.g. h200_sxm", {
      value: "NAME",
      required: true
    }),
    backend: choice("serving framework", BACKENDS, {
      fallback: "vllm"
    }),
    backendVersion: text("current, previous, next or one of those versions", {
      value: "V",
      fallback: "current"
    }),
    tensor: size("tensor-parallel ranks"),
    pipeline: size("pipeline stages"),
    attentionData: size("attention-data-parallel ranks"),
    moeTensor: size("tensor-parallel ranks of the experts"),
    moeExpert: size("expert-parallel ranks"),
    nextn: number("depth of multi-token prediction", {
      value: "N",
      fallback: 0,
      least: 0,
      integer: true
    }),
    quant: list(`replaces a quantisation mode of the checkpoint; kinds: ${QUANT_KINDS.join(", ")}`, {
      value: "KIND=MODE"
    }),
    databaseMode: choice("how operators are estimated", DATABASE_MODES, {
      fallback: "SILICON"
    }),
    transferPolicy: text("what HYBRID and EMPIRICAL may borrow: off, conservative, balanced, aggressive or kinds", {
      value: "P",
      fallback: "aggressive"
    }),
    dataRelease: text("data release whose measurements count (see perf-data); default: the one that ships", {
      value: "V"
    }),
    workloads: text("JSON lines with the sums of a pass (- reads standard input)", {
      value: "FILE"
    }),
    calibration: text("correct passes with a profile that calibrate wrote", {
      value: "FILE"
    }),
    forceCalibration: flag("take a calibration of another deployment"),
    perOp: flag("add the operators to every answer, without the correction of a calibration"),
    capacity: flag("print the KV capacity of a rank"),
    format: choice("JSON lines, or CSV with a row for every rank of a workload", [
      "json",
      "csv"
    ], {
      fallback: "json"
    }),
    maxBatchedTokens: positive("token budget of a pass, for the capacity", "8192", true),
    memoryFraction: positive("share of the GPU memory, for the capacity", "0.9; sglang 0.88"),
    blockSize: positive("tokens of a KV block", "vllm 64, sglang 1, trtllm 32", true)
  },
  notes: [
    "A workload has num_prefill_requests, sum_prefill_tokens, sum_prefill_kv_tokens, num_decode_requests and sum_decode_kv_tokens (absent ones are 0), or these inside scheduled_requests; a list of them is the ranks of one worker. The answer is the workload with latency_ms added. With a calibration var_decode_kv_tokens counts too, the variance of the lengths of the sequences that are decoded."
  ]
};
var estimateCommand = command(LINE, async (options) => {
  if (!options.capacity && options.workloads === void 0) {
    throw new UsageError("one of the arguments --workloads --capacity is required");
  }
  for (const name of [
    "calibration",
    "forceCalibration"
  ]) {
    const needs = name === "calibration" ? "workloads" : "calibration";
    if (options[name] && options[needs] === void 0) {
      throw new UsageError(`${name === "calibration" ? "--calibration" : "--force-calibration"} needs --${needs}`);
    }
  }
  if (options.format === "csv" && options.perOp) throw new UsageError("--per-op needs --format json");
  if (options.format === "csv" && options.capacity && options.workloads !== void 0) {
    throw new UsageError("--format csv prints one table: give --capacity or --workloads");
  }
  if (options.perOp && options.workloads === void 0) throw new UsageError("--per-op needs --workloads");
  if (!options.capacity) {
    for (const [name, value] of [
      [
        "--max-batched-tokens",
        options.maxBatchedTokens
      ],
      [
        "--memory-fraction",
        options.memoryFraction
      ],
      [
        "--block-size",
        options.blockSize
      ]
    ]) {
      if (value !== void 0) throw new UsageError(`${name} needs --capacity`);
    }
  }
  const deployment = deploy({
    model: await loadModel(options.model),
    hardware: options.hardware,
    backend: options.backend,
    backendVersion: options.backendVersion,
    tensor: options.tensor,
    pipeline: options.pipeline,
    attentionData: options.attentionData,
    moeTensor: options.moeTensor,
    moeExpert: options.moeExpert,
    nextn: options.nextn,
    quant: quantOf(options.quant),
    databaseMode: options.databaseMode,
    transferPolicy: options.transferPolicy
  }, new PerfCatalog({
    release: options.dataRelease
  }));
  const assumed = assumptionsOf(deployment);
  writeText("stderr", `Assumed: ${assumptionsText(assumed)}
`);
  if (options.capacity) {
    const row = {
      ...capacityRow(deployment, options),
      ...assumed
    };
    writeText("stdout", options.format === "csv" ? csvText([
      row
    ]) : `${JSON.stringify(row)}
`);
  }
  if (options.workloads !== void 0) {
    const model = deployment.forwardPassModel(), correction = await correctionOf(options, deployment);
    const corrected = correction && new AnswerCorrection(model, correction);
    const asked = [];
    const asTable = options.format === "csv";
    await answer(options.workloads, model, {
      ...options,
      asTable
    }, corrected, asked);
    if (correction !== null && correction.outside > 0) {
      const { outside, passes } = correction;
      warn("estimate", `${outside} of ${passes} passes are outside of what was measured; their correction fades`);
    }
    if (corrected !== null && corrected.takenAsEven > 0) {
      const count = `${corrected.takenAsEven} of ${correction.passes} passes`;
      const what = "the calibration knows that sequences of uneven lengths take longer to decode";
      warn("estimate", `${what}; ${count} do not say var_decode_kv_tokens and are taken for even`);
    }
    const compared = precisionWarnings(deployment, smallestAndLargest(asked));
    for (const warning of [
      ...new Set(compared),
      ...evidenceWarnings(deployment, asked)
    ]) warn("estimate", warning);
  }
});
async function correctionOf({ model, calibration, forceCalibration }, deployment) {
  if (calibration === void 0) return null;
  const profile = await readCalibration(calibration);
  const key = calibrationKey(model, deployment), forced = forceCalibration ?? false;
  const differs = requireKey(profile, key, {
    path: "--calibration",
    forced
  });
  if (differs.length > 0) warn("estimate", `the calibration was fitted to another deployment (${differs.join("; ")})`);
  return new PassCorrection(profile);
}
function quantOf(given) {
  const modes = {};
  for (const entry of given) {
    const [kind, mode] = entry.split("=", 2);
    if (!QUANT_KINDS.includes(kind) || mode === void 0) {
      const all = QUANT_KINDS.map((name) => `${name}={${modeNames(name).join(",")}}`).join(" ");
      throw new UsageError(`argument --quant: invalid value '${entry}' (one of ${all})`);
    }
    modes[kind] = mode;
  }
  return modes;
}
function capacityRow(deployment, options) {
  const memoryFraction = options.memoryFraction ?? DEFAULT_MEMORY_FRACTION[options.backend];
  const blockSize = options.blockSize ?? BLOCK_TOKENS[options.backend];
  const maxBatchedTokens = options.maxBatchedTokens ?? 8192;
  const capacity = deployment.kvCapacity({
    maxBatchedTokens,
    memoryFraction
  });
  return {
    num_gpu_blocks: Math.floor(capacity.tokens / blockSize),
    block_size: blockSize,
    kv_blocks_from: "memory model",
    kv_tokens: capacity.tokens,
    kv_bytes: capacity.bytes,
    kv_bytes_per_token: capacity.bytesPerToken,
    memory_fraction: memoryFraction,
    max_batched_tokens: maxBatchedTokens,
    weights_bytes: Math.floor(capacity.memory.weights),
    activations_bytes: Math.floor(capacity.memory.activations),
    runtime_bytes: Math.floor(capacity.memory.runtime),
    collectives_bytes: Math.floor(capacity.memory.collectives)
  };
}
export {
  estimateCommand
};
