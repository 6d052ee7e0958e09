/** Small loads and contexts for router tests. */
import { PromptIndex } from "../../lib/engine/prompt_index.ts";
import { Pool, RequestRecords } from "../../lib/engine/records.ts";
import type { RouterContext } from "../../lib/router/router.ts";
import type { Workload } from "../../lib/traffic/workload.ts";

/** A prompt: its length in tokens and the contents of its trace blocks. */
export interface Prompt {
  tokens: number;
  blocks: readonly number[];
  priority?: number;
  strictPriority?: number;
  policyClass?: string;
}

/** A load of prompts; requests are numbered in order. */
export function workload(prompts: readonly Prompt[], blockTokens = 4): Workload {
  const classes = new Map<number, string>();
  prompts.forEach((prompt, r) => prompt.policyClass !== undefined && classes.set(r, prompt.policyClass));
  const starts = [0];
  for (const { blocks } of prompts) starts.push(starts.at(-1)! + blocks.length);
  return {
    count: prompts.length,
    blockTokens,
    inputTokens: Int32Array.from(prompts, (prompt) => prompt.tokens),
    outputTokens: new Int32Array(prompts.length).fill(4),
    blockStart: Int32Array.from(starts),
    blockIds: Int32Array.from(prompts.flatMap((prompt) => prompt.blocks)),
    outputTokenIds: new Map(),
    priority: Int32Array.from(prompts, (prompt) => prompt.priority ?? 0),
    strictPriority: Uint32Array.from(prompts, (prompt) => prompt.strictPriority ?? 0),
    policyClass: classes,
    session: null,
    turn: null,
    sessionName: String,
    sessionMadeUp: null,
    requestIds: null,
    playIds: null,
  };
}

/** A pool that serves those prompts, each request arrived at the time of its place in `arrivals` (default all at 0). */
export function context(
  prompts: readonly Prompt[],
  options: {
    pool?: Pool;
    blockTokens?: number;
    traceBlockTokens?: number;
    maxBatchedTokens?: number;
    arrivals?: number[];
  } = {},
): RouterContext {
  const load = workload(prompts, options.traceBlockTokens ?? 4);
  const records = new RequestRecords();
  prompts.forEach((prompt, r) => records.arrive(r, options.arrivals?.[r] ?? 0, prompt.tokens));
  return {
    workload: load,
    prompts: new PromptIndex(load, options.blockTokens ?? 4),
    records,
    pool: options.pool ?? Pool.aggregated,
    maxBatchedTokens: options.maxBatchedTokens ?? Infinity,
  };
}

/** A prompt of `tokens` tokens whose 4-token blocks continue from `first`. */
export function prompt(tokens: number, first: number, more: Partial<Prompt> = {}): Prompt {
  return { tokens, blocks: Array.from({ length: Math.ceil(tokens / 4) }, (_, i) => first + i), ...more };
}
