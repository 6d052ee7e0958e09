/**
 * Whether workers can serve what a load asks of them: a request that fits no pass, or no pool of KV blocks, waits for ever.
 *
 * @module
 */
import type { WorkerSettings } from "../engine/settings.ts";
import type { Workload } from "../traffic/workload.ts";

/** A role's name and the settings of its workers. */
export interface FittedRole {
  /** Which of the two, or `aggregated`. */
  role: string;
  settings: WorkerSettings;
}

/** What of the load a role can never serve, or only with luck: which option stands against it, and what would help. */
export function misfits(workload: Workload, { role, settings: { rank } }: FittedRole): string[] {
  const found: string[] = [];
  const { capacity, prompt, sequence } = largest(workload, rank.blocks * rank.blockTokens, rank.maxModelTokens);
  const pool = `${rank.blocks} KV blocks of ${rank.blockTokens} tokens hold ${capacity}`;
  if (rank.role !== "decode" && !rank.chunkedPrefill && prompt > rank.maxBatchedTokens) {
    found.push(
      `${role}: the largest prompt has ${prompt} tokens, max_batched_tokens is ${rank.maxBatchedTokens}, and ` +
        "enable_chunked_prefill is false: " +
        (rank.prefixCaching ? "unless enough of it is cached, it never starts" : "it never starts") +
        "; raise max_batched_tokens or let prompts be computed in chunks",
    );
  }
  if (rank.backend === "vllm" && rank.role !== "prefill" && sequence > capacity) {
    found.push(
      `${role}: the longest sequence has ${sequence} tokens (prompt and output), and ${pool}: it never ends; ` +
        "give the KV cache more blocks, or limit context_length",
    );
  }
  if (rank.backend === "sglang") {
    const pages = (tokens: number) => Math.ceil(tokens / rank.blockTokens) * rank.blockTokens;
    const output = rank.role === "prefill" ? 0 : Math.min(sequence - prompt, rank.sglang.clipMaxNewTokens);
    if (pages(prompt) + output + rank.blockTokens > capacity) {
      found.push(
        `${role}: a prompt of ${prompt} tokens and room for its output need more than ${pool}: it never starts; ` +
          "give the KV cache more blocks",
      );
    }
  }
  return found;
}

/** The largest of the requests that are not refused at once. */
function largest({ count, inputTokens, outputTokens }: Workload, capacity: number, maxTokens: number) {
  let prompt = 0, sequence = 0;
  const most = Math.min(capacity, maxTokens - 1);
  for (let r = 0; r < count; r++) {
    const input = inputTokens[r];
    if (input > most) continue;
    prompt = Math.max(prompt, input);
    sequence = Math.max(sequence, Math.min(input + outputTokens[r], maxTokens));
  }
  return { capacity, prompt, sequence };
}

/** What to say of a replay that cannot go on: what does not fit, or at least what was asked of what. */
export function whyStuck(workload: Workload, roles: readonly FittedRole[]): string {
  const known = roles.flatMap((role) => misfits(workload, role));
  if (known.length > 0) return known.join("; ");
  return roles.map(({ role, settings: { rank } }) => {
    const { prompt, sequence } = largest(workload, Infinity, Infinity);
    return `${role}: the largest prompt has ${prompt} tokens, the longest sequence ${sequence}; a rank has ` +
      `${rank.blocks} KV blocks of ${rank.blockTokens} tokens` +
      ` and takes ${rank.maxBatchedTokens} tokens a pass`;
  }).join("; ");
}

/** A hint when KV blocks are so large that recorded reuse is lost, else undefined. */
export function coarseBlocks(workload: Workload, { role, settings: { rank } }: FittedRole): string | undefined {
  const { blockTokens, blockIds } = workload;
  if (!rank.prefixCaching || rank.blockTokens <= blockTokens) return undefined;
  const distinct = blockIds.reduce((most, id) => Math.max(most, id), -1) + 1;
  if (distinct === blockIds.length) return undefined;
  return `${role}: KV blocks of ${rank.blockTokens} tokens on a load whose blocks have ${blockTokens}: only prefixes of ` +
    `whole KV blocks are shared; a block_size of ${blockTokens} keeps the reuse that was recorded`;
}
