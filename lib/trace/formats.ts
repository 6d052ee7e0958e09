/**
 * The list of formats. A format's module is loaded when it is first asked for, so a run pays only for its own. Imports
 * the formats.
 *
 * @module
 */
import { ConfigError } from "../errors.ts";
import type { TraceFormat } from "./format.ts";
import { mooncake } from "./mooncake.ts";

/** Name → how to get the format. */
const FORMATS: Record<string, () => TraceFormat | Promise<TraceFormat>> = {
  "mooncake": () => mooncake,
};

/** The format of a name. */
export async function traceFormat(name: string): Promise<TraceFormat> {
  const load = FORMATS[name];
  if (load === undefined) {
    throw new ConfigError(`Unknown trace format '${name}': expected one of ${Object.keys(FORMATS).join(", ")}`);
  }
  return await load();
}
