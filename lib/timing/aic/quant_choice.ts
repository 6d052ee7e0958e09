/**
 * The quantisation modes of a deployment: what the caller wrote, else what the checkpoint implies.
 *
 * @module
 */
import { ConfigError, nearName } from "../../errors.ts";
import type { ModelFacts } from "./model_facts.ts";
import { COMM_MODES, FMHA_MODES, GEMM_MODES, KV_MODES, MOE_MODES, type QuantModes } from "./quant.ts";

/** Modes that a caller may fix; what is absent or null follows the checkpoint. */
export type QuantOverrides = { readonly [mode in keyof QuantModes]?: string | null };

const NAMES: { readonly [mode in keyof QuantModes]: Readonly<Record<string, unknown>> } = {
  gemm: GEMM_MODES,
  moe: MOE_MODES,
  fmha: FMHA_MODES,
  kvcache: KV_MODES,
  comm: COMM_MODES,
};

/** Names of the modes of one kind, for messages and help texts. */
export function modeNames(kind: keyof QuantModes): string[] {
  return Object.keys(NAMES[kind]);
}

/**
 * Modes for a checkpoint served by `backend`.
 *
 * @param overrides modes that the caller fixes
 * @param fmhaHasData whether attention over prompts was measured in a mode, given the KV mode; an inferred FMHA mode
 *   that was not, gives way to bfloat16 where that was. Absent: the inferred mode stays.
 * @throws {ConfigError} for an unknown mode or a quantisation algorithm that is not supported.
 */
export function chooseModes(
  facts: ModelFacts,
  backend: string,
  overrides: QuantOverrides = {},
  fmhaHasData?: (fmha: QuantModes["fmha"], kv: QuantModes["kvcache"]) => boolean,
): QuantModes {
  const inferred = inferModes(facts);
  const pick = <K extends keyof QuantModes>(kind: K): QuantModes[K] =>
    overrides[kind] ? quantMode(kind, overrides[kind]) : inferred[kind] ?? DEFAULTS[kind];
  const kvcache = pick("kvcache");
  let fmha = pick("fmha");
  if (!overrides.fmha && fmha !== "bfloat16") {
    const gives = () => fmhaHasData && !fmhaHasData(fmha, kvcache) && fmhaHasData("bfloat16", kvcache);
    if (backend === "vllm" || gives()) fmha = "bfloat16";
  }
  return { gemm: pick("gemm"), moe: pick("moe"), fmha, kvcache, comm: pick("comm") };
}

const DEFAULTS: QuantModes = {
  gemm: "bfloat16",
  moe: "bfloat16",
  fmha: "bfloat16",
  kvcache: "bfloat16",
  comm: "half",
};

/**
 * The mode of that name.
 *
 * @throws {ConfigError} when there is none, with the nearest.
 */
export function quantMode<K extends keyof QuantModes>(kind: K, name: string): QuantModes[K] {
  if (Object.hasOwn(NAMES[kind], name)) return name as QuantModes[K];
  const near = nearName(name, modeNames(kind));
  throw new ConfigError(
    `unknown ${kind} quant mode '${name}'${near ? `, did you mean '${near}'?` : ""} (known: ${
      modeNames(kind).join(", ")
    })`,
  );
}

/** What the checkpoint implies; modes it says nothing about are absent. */
function inferModes(facts: ModelFacts): { -readonly [mode in keyof QuantModes]?: QuantModes[mode] } {
  const { algorithm, kvAlgorithm, dynamicActivations } = facts.quant;
  const modes: { -readonly [mode in keyof QuantModes]?: QuantModes[mode] } = {};
  switch (algorithm) {
    case null:
      break;
    case "fp8":
      modes.gemm = dynamicActivations === true ? "fp8" : "fp8_static";
      modes.moe = "fp8";
      break;
    case "fp8_block":
    case "nvfp4":
      modes.gemm = modes.moe = algorithm;
      break;
    case "mxfp4":
      modes.gemm = "bfloat16";
      modes.moe = "w4a16_mxfp4";
      break;
    default:
      throw new ConfigError(
        `unsupported quantisation '${algorithm}' in the model's configuration (supported: fp8, fp8 with weight ` +
          "blocks, nvfp4, mxfp4)",
      );
  }
  if (kvAlgorithm !== null) modes.kvcache = kvAlgorithm;
  const eightBits = algorithm === "fp8" || algorithm === "fp8_block" || algorithm === "nvfp4";
  if (eightBits || (algorithm !== null && kvAlgorithm === "fp8")) {
    modes.fmha = "fp8";
    modes.kvcache = "fp8";
  }
  return modes;
}
