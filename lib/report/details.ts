/**
 * What `predict --detail` adds to a report: parts of the evidence by name, and why a part is not there.
 *
 * @module
 */
import { ConfigError } from "../errors.ts";
import type { Summary } from "./summary.ts";

/** Parts that can be asked for, in the order they appear. */
export const DETAILS = ["summary", "memory", "time", "energy", "source"] as const satisfies readonly Detail[];

/** Name of a part. */
export type Detail = "summary" | "memory" | "time" | "energy" | "source";

/** KV cache of a role's ranks, as a run resolved it. */
export interface RoleMemory {
  /** What its workers are for. */
  role: string;
  /** KV blocks of a rank. */
  blocks: number;
  /** Tokens of a block. */
  blockTokens: number;
  /** Where the number of blocks is from. */
  blocksFrom: string;
  /** Bytes of a token and their format; null where the model was not asked. */
  assumed: { kv_cache: string; kv_bytes_per_token: number } | null;
}

/** The parts asked for; each is in exactly one of the two. */
export interface Details {
  /** Version of this form. */
  schema_version: "1.0";
  /** Parts with evidence. */
  sections: Partial<Record<Detail, Record<string, unknown>>>;
  /** Parts without, and why. */
  skipped: Partial<Record<Detail, string>>;
}

/**
 * Reads a comma list of parts; `all` means all of them.
 *
 * @throws {ConfigError} for a name that is none
 */
export function detailNames(list: string): Detail[] {
  const words = list.split(",").map((word) => word.trim()).filter((word) => word !== "");
  const unknown = words.find((word) => word !== "all" && !(DETAILS as readonly string[]).includes(word));
  if (unknown !== undefined || words.length === 0) {
    const found = unknown === undefined ? "no section" : `'${unknown}'`;
    throw new ConfigError(`unknown detail section ${found}; known sections: ${DETAILS.join(", ")}, all`);
  }
  return DETAILS.filter((name) => words.includes("all") || words.includes(name));
}

/** The parts of a run. The measurements hold no energy, and the operators of a replay's passes are not kept. */
export function detailsOf(names: readonly Detail[], summary: Summary, roles: readonly RoleMemory[]): Details {
  const details: Details = { schema_version: "1.0", sections: {}, skipped: {} };
  const known = {
    summary: () => ({ status: "available", scope: "serving_workload", metrics: summary }),
    time: () => ({
      status: "available",
      scope: "serving_workload",
      latency_unit: "ms",
      serving_metrics: Object.fromEntries(
        Object.entries(summary).filter(([key]) => /_(ttft|ttst|tpot|itl|e2e_latency)_ms$/.test(key)),
      ),
    }),
    memory: () => ({
      status: roles.every(({ assumed }) => assumed !== null) ? "available" : "partial",
      scope: "capacity_estimate_per_rank",
      roles: Object.fromEntries(roles.map(({ role, blocks, blockTokens, blocksFrom, assumed }) => [role, {
        blocks,
        block_tokens: blockTokens,
        kv_tokens: blocks * blockTokens,
        source: blocksFrom,
        kvcache_quant_mode: assumed?.kv_cache ?? null,
        kv_size_per_token_bytes: assumed?.kv_bytes_per_token ?? null,
      }])),
    }),
    energy: () => "the measurements shipped here hold times only: there is no evidence of energy",
    source: () => "the operators of a replay's passes are not kept; estimate --per-op tells the source of each",
  } satisfies Record<Detail, () => unknown>;
  for (const name of names) {
    const part = known[name]();
    if (typeof part === "string") details.skipped[name] = part;
    else details.sections[name] = part;
  }
  return details;
}

/** Lines for people: nested names indented by two blanks more. */
export function detailsText({ sections, skipped }: Details): string {
  const lines: string[] = [];
  const list = (fields: Record<string, unknown>, indent: string) => {
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value !== "object" || value === null) lines.push(`${indent}${name}: ${value}`);
      else if (name.endsWith("metrics")) list(value as Record<string, unknown>, indent);
      else {
        lines.push(`${indent}${name}:`);
        list(value as Record<string, unknown>, `${indent}  `);
      }
    }
  };
  for (const [name, section] of Object.entries(sections)) {
    lines.push(`Detail: ${name}`);
    list(section, "  ");
    lines.push("");
  }
  for (const [name, why] of Object.entries(skipped)) lines.push(`Skipped ${name}: ${why}`);
  return lines.join("\n");
}
