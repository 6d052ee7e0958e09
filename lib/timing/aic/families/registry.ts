/**
 * All families of models, by architecture. A new family is added here and nowhere else.
 *
 * @module
 */
import { deciFamily } from "./decilm.ts";
import { deepseekFamily } from "./deepseek.ts";
import { deepseekV32Family } from "./deepseek_v32.ts";
import { deepseekV4Family } from "./deepseek_v4.ts";
import { denseFamily } from "./dense.ts";
import { expertFamily } from "./experts.ts";
import type { Family } from "./family.ts";
import { gemma4Family } from "./gemma4.ts";
import { hybridExpertsFamily } from "./hybrid_experts.ts";
import { kimiK25Family } from "./kimi_k25.ts";
import { kimiK3Family } from "./kimi_k3.ts";
import { minimaxM3Family } from "./minimax_m3.ts";
import { museGlimmerFamily } from "./muse_glimmer.ts";
import { nemotronHFamily } from "./nemotron_h.ts";
import { qwen35Family } from "./qwen35.ts";
import { qwen3VlExpertFamily, qwen3VlFamily } from "./qwen3_vl.ts";
import { step37Family } from "./step37.ts";

// what a family knows of a model goes through its own functions only, so that the others need not know its type
const FAMILIES: readonly Family<any>[] = [
  denseFamily,
  expertFamily,
  deepseekFamily,
  deepseekV32Family,
  deepseekV4Family,
  kimiK25Family,
  kimiK3Family,
  minimaxM3Family,
  qwen3VlFamily,
  qwen3VlExpertFamily,
  qwen35Family,
  hybridExpertsFamily,
  gemma4Family,
  nemotronHFamily,
  deciFamily,
  step37Family,
  museGlimmerFamily,
];

const BY_ARCHITECTURE: ReadonlyMap<string, Family<any>> = new Map(
  FAMILIES.flatMap((family) => family.architectures.map((name) => [name, family] as const)),
);

/** Architectures that have a family. */
export const SUPPORTED_ARCHITECTURES: readonly string[] = [...BY_ARCHITECTURE.keys()];

/** The family of an architecture, or undefined. */
export function familyOf(architecture: string): Family<any> | undefined {
  return BY_ARCHITECTURE.get(architecture);
}
