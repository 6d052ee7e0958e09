/** A small valid document, and ways to read it. */
import assert from "node:assert/strict";
import { loadPrediction, type LoadPredictionOptions } from "../../lib/config/load.ts";
import type { PredictionPlan } from "../../lib/config/plan.ts";
import { ConfigError } from "../../lib/errors.ts";

/** An aggregated prediction that needs no model facts. */
export const BASE = `traffic:
  source: {type: trace, paths: [chat.jsonl]}
  load: {type: trace_timestamps}
engine:
  model: meta-llama/Meta-Llama-3.1-8B-Instruct
  hardware: h200_sxm
  context_length: 32768
  workers:
    aggregated:
      kv_cache: {capacity: {type: fixed, blocks: 8192}}
      timing: {type: polynomial}
`;

/** The same with separate prefill and decode workers. */
export const DISAGGREGATED = `traffic:
  source: {type: trace, paths: [chat.jsonl]}
  load: {type: trace_timestamps}
engine:
  mode: disaggregated
  model: meta-llama/Meta-Llama-3.1-8B-Instruct
  hardware: h200_sxm
  context_length: 32768
  kv_transfer: {bandwidth_gb_per_second: 400, bytes_per_token: 1000}
  workers:
    prefill:
      kv_cache: {capacity: {type: fixed, blocks: 8192}}
      timing: {type: polynomial}
    decode:
      kv_cache: {capacity: {type: fixed, blocks: 8192}}
      timing: {type: polynomial}
`;

/** Reads a document on the Dynamo stack, with overrides. */
export const read = (text: string, set: string[] = [], options: LoadPredictionOptions = {}) =>
  loadPrediction(text, { name: "p.yaml", stack: "dynamo", set, ...options });

/** The error a document ends with. */
export async function errorOf(
  text: string,
  set: string[] = [],
  options: LoadPredictionOptions = {},
): Promise<ConfigError> {
  try {
    await read(text, set, options);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: `no error for ${set.join(" ")}` });
}

/** Issues as `path: message`. */
export const issuesOf = async (text: string, set: string[] = [], options: LoadPredictionOptions = {}) =>
  (await errorOf(text, set, options)).issues.map(({ path, message }) => `${path}: ${message}`);

/** The plan of a document. */
export const planOf = async (text: string, set: string[] = []): Promise<PredictionPlan> => (await read(text, set)).plan;

/** The warnings of a document. */
export const warningsOf = async (text: string, set: string[] = []): Promise<string[]> =>
  (await read(text, set)).warnings;
