/**
 * The quantisation modes of a deployment: what the caller wrote, else what the checkpoint implies.
 *
 * @module
 */
import { ConfigError, nearName } from "../../errors.ts";
import type { ImpliedModes, Serving } from "./families/family.ts";
import { familyOf } from "./families/registry.ts";
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
 * Modes for a checkpoint under a backend.
 *
 * @param overrides modes that the caller fixes
 * @param fmhaHasData whether attention over prompts was measured in a mode, given the KV mode; an inferred FMHA mode
 *   that was not, gives way to bfloat16 where that was. Absent: the inferred mode stays.
 * @throws {ConfigError} for an unknown mode or a quantisation algorithm that is not supported.
 */
export function chooseModes(
  facts: ModelFacts,
  serving: Serving,
  overrides: QuantOverrides = {},
  fmhaHasData?: (fmha: QuantModes["fmha"], kv: QuantModes["kvcache"]) => boolean,
): QuantModes {
  const implied = impliedModes(facts);
  const family = facts.problem === null ? familyOf(facts.architecture) : undefined;
  const inferred = family?.implied?.(implied, facts, facts.own, serving) ?? implied;
  const pick = <K extends keyof QuantModes>(kind: K): QuantModes[K] =>
    overrides[kind] ? quantMode(kind, overrides[kind]) : inferred[kind] ?? DEFAULTS[kind];
  const kvcache = pick("kvcache");
  let fmha = pick("fmha");
  if (!overrides.fmha && fmha !== "bfloat16") {
    const gives = () => fmhaHasData && !fmhaHasData(fmha, kvcache) && fmhaHasData("bfloat16", kvcache);
    if (serving.backend === "vllm" || gives()) fmha = "bfloat16";
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
function impliedModes(facts: ModelFacts): ImpliedModes {
  const { algorithm, kvAlgorithm } = facts.quant;
  const weights = impliedWeights(facts);
  if (kvAlgorithm === "none") return { ...weights, kvcache: "bfloat16", fmha: "bfloat16" };
  if (kvAlgorithm !== null && kvAlgorithm !== "fp8" && kvAlgorithm !== "bfloat16") {
    throw new ConfigError(
      `unsupported KV cache format '${kvAlgorithm}' in the model's configuration (supported: fp8, bfloat16, none)`,
    );
  }
  const eightBits = algorithm === "fp8" || algorithm === "fp8_block" || algorithm === "nvfp4";
  if (eightBits || (algorithm !== null && kvAlgorithm === "fp8")) return { ...weights, kvcache: "fp8", fmha: "fp8" };
  return kvAlgorithm === null ? weights : { ...weights, kvcache: kvAlgorithm };
}

function impliedWeights({ quant: { algorithm, dynamicActivations, byPart } }: ModelFacts): ImpliedModes {
  switch (algorithm) {
    case null:
      return {};
    case "fp8":
      return { gemm: dynamicActivations === true ? "fp8" : "fp8_static", moe: "fp8" };
    case "fp8_block":
    case "nvfp4":
      return { gemm: algorithm, moe: algorithm };
    case "mxfp4":
      return { gemm: "bfloat16", moe: "w4a16_mxfp4" };
    case "mixed_precision":
    case "compressed-tensors":
      return {
        ...byPart.gemm === null ? {} : { gemm: quantMode("gemm", byPart.gemm) },
        ...byPart.moe === null ? {} : { moe: quantMode("moe", byPart.moe) },
      };
    default:
      throw new ConfigError(
        `unsupported quantisation '${algorithm}' in the model's configuration (supported: fp8, fp8 with weight ` +
          "blocks, nvfp4, mxfp4, mixed_precision, compressed-tensors)",
      );
  }
}
