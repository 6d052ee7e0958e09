/**
 * The list of formats. A format's module is loaded when it is first asked for, so a run pays only for its own. Imports
 * the formats.
 *
 * @module
 */
import { ConfigError, nearName } from "../errors.ts";
import type { TraceFormat } from "./format.ts";
import { mooncake } from "./mooncake.ts";

/** A module by its place beside this one; see `cli/main.ts`. */
const part = <M>(file: string): Promise<M> => import(import.meta.resolve(file));

/** Name → how to get the format. Detection asks in this order. */
const FORMATS: Record<string, () => TraceFormat | Promise<TraceFormat>> = {
  "mooncake": () => mooncake,
  "dynamo": async () => (await part<typeof import("./dynamo.ts")>("./dynamo.ts")).dynamo,
  "agentic_mooncake": async () =>
    (await part<typeof import("./agentic_mooncake.ts")>("./agentic_mooncake.ts")).agenticMooncake,
  "applied_compute_agentic": async () =>
    (await part<typeof import("./applied_compute.ts")>("./applied_compute.ts")).appliedCompute,
  "lengths": async () => (await part<typeof import("./plain_lengths.ts")>("./plain_lengths.ts")).plainLengths,
  "azure": async () => (await part<typeof import("./azure.ts")>("./azure.ts")).azure,
  "burstgpt": async () => (await part<typeof import("./burstgpt.ts")>("./burstgpt.ts")).burstGpt,
  "qwen_bailian": async () => (await part<typeof import("./qwen_bailian.ts")>("./qwen_bailian.ts")).qwenBailian,
  "ragpulse": async () => (await part<typeof import("./ragpulse.ts")>("./ragpulse.ts")).ragPulse,
  "vidur": async () => (await part<typeof import("./vidur.ts")>("./vidur.ts")).vidur,
  "splitwise": async () => (await part<typeof import("./splitwise.ts")>("./splitwise.ts")).splitwise,
  "llmservingsim": async () => (await part<typeof import("./llmservingsim.ts")>("./llmservingsim.ts")).llmServingSim,
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
