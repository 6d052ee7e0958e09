/**
 * The list of formats. A format's module is loaded when it is first asked for, so a run pays only for its own. Imports
 * the formats.
 *
 * @module
 */
import { ConfigError, nearName } from "../errors.ts";
import type { TraceFormat } from "./format.ts";
import { mooncake } from "./mooncake.ts";

/** Name → how to get the format. Detection asks in this order. */
const FORMATS: Record<string, () => TraceFormat | Promise<TraceFormat>> = {
  "mooncake": () => mooncake,
  "dynamo": async () => (await import("./dynamo.ts")).dynamo,
  "agentic_mooncake": async () => (await import("./agentic_mooncake.ts")).agenticMooncake,
  "applied_compute_agentic": async () => (await import("./applied_compute.ts")).appliedCompute,
  "lengths": async () => (await import("./plain_lengths.ts")).plainLengths,
  "azure": async () => (await import("./azure.ts")).azure,
  "burstgpt": async () => (await import("./burstgpt.ts")).burstGpt,
  "qwen_bailian": async () => (await import("./qwen_bailian.ts")).qwenBailian,
  "ragpulse": async () => (await import("./ragpulse.ts")).ragPulse,
  "vidur": async () => (await import("./vidur.ts")).vidur,
  "splitwise": async () => (await import("./splitwise.ts")).splitwise,
  "llmservingsim": async () => (await import("./llmservingsim.ts")).llmServingSim,
};

/** Other names of formats; rows of mooncake-delta are those of mooncake. */
const ALIASES: Record<string, string> = {
  "mooncake-delta": "mooncake",
  "mooncake_delta": "mooncake",
  "agentic-mooncake": "agentic_mooncake",
};

/** Names of all formats that can be read. */
export const traceFormats: readonly string[] = Object.keys(FORMATS);

/** The format of a name. */
export async function traceFormat(name: string): Promise<TraceFormat> {
  const known = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
  if (Object.hasOwn(FORMATS, known)) return await FORMATS[known]();
  const near = nearName(name, traceFormats);
  const hint = near === undefined ? "" : ` (did you mean '${near}'?)`;
  throw new ConfigError(`unknown trace format '${name}'${hint}: expected one of ${traceFormats.join(", ")}`);
}
