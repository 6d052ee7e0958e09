/**
 * Whether measurements of a low precision can be trusted: a pass is asked again with the same products in bfloat16, and
 * operators that would be faster there are named, with the tables that say so.
 *
 * @module
 */
import { ConfigError, SimulationError } from "../../errors.ts";
import type { Deployment } from "./deployment.ts";
import type { OperatorTime, PassLoad } from "./forward_pass_model.ts";
import type { OperatorSpec } from "./operator_spec.ts";
import { passText, probes } from "./probes.ts";

/** A pass may take so many times as long as in bfloat16 before a warning. */
const SLOWER_PASS = 1.02;
/** Operators that take so many times as long, and the share of a pass that they may be before a warning. */
const SLOWER_OPERATOR = 1.15;
const SHARE = 0.1;

const BFLOAT16 = { gemm: "bfloat16", moe: "bfloat16", kvcache: "bfloat16", fmha: "bfloat16" } as const;

/**
 * Warnings about passes that take longer in the deployment's precision than they would in bfloat16 by the same
 * measurements, or of which a large part does; empty when there is nothing to say, or nothing to compare with.
 *
 * @param loads the passes to compare. Default: a prompt of 2048 tokens and decode steps of 1 and 32 sequences of that
 *   length
 *
 * @example
 * ```ts
 * import { deploy, precisionWarnings } from "dynosim";
 *
 * console.log(precisionWarnings(deploy({ model: "Qwen/Qwen3-32B", hardware: "h200_sxm" }))); // []
 * ```
 */
export function precisionWarnings(deployment: Deployment, loads: readonly PassLoad[] = probes()): string[] {
  const { gemm, moe } = deployment.modes;
  if (deployment.databaseMode === "SOL" || (gemm === "bfloat16" && moe === "bfloat16")) return [];
  let plain: Deployment;
  try {
    plain = deployment.quantised(BFLOAT16);
  } catch (problem) {
    if (problem instanceof ConfigError) return [];
    throw problem;
  }
  return loads.flatMap((load) => {
    const rows = rowsIfKnown(deployment, load), others = rows && rowsIfKnown(plain, load);
    return rows && others ? warning(deployment, load, rows, others) : [];
  });
}

/** The operators of a pass; undefined where measurements have no answer. */
function rowsIfKnown(deployment: Deployment, load: PassLoad): OperatorTime[] | undefined {
  try {
    return deployment.forwardPassModel().passRows(load);
  } catch (problem) {
    if (problem instanceof SimulationError || problem instanceof ConfigError) return undefined;
    throw problem;
  }
}

function warning(
  deployment: Deployment,
  load: PassLoad,
  rows: readonly OperatorTime[],
  plain: readonly OperatorTime[],
): string[] {
  const total = sum(rows);
  const slowerThan = (factor: number) =>
    rows.filter((row, i) => plain[i]?.name === row.name && row.ms > plain[i].ms * factor);
  const whole = total > sum(plain) * SLOWER_PASS;
  const slower = slowerThan(whole ? 1 : SLOWER_OPERATOR);
  if (slower.length === 0 || (!whole && !(sum(slower) > total * SHARE))) return [];
  const { hardware: { name: system }, backend, modes, facts } = deployment;
  const names = new Set(slower.map(({ name }) => name));
  const mode = modes.gemm === modes.moe || facts.experts === 0 ? modes.gemm : `${modes.gemm} / ${modes.moe}`;
  const share = Math.round(100 * sum(slower) / total), times = (total / sum(plain)).toFixed(2);
  return [
    `${system} ${backend}: ${passText(load)} takes ${times} times as long in ${mode} as in bfloat16 by the same ` +
    `measurements, and ${share} % of it is slower (${[...names].join(", ")}); ` +
    `do not compare precisions on ${tablesOf(deployment, load, names).join(" and ")}`,
  ];
}

const sum = (rows: readonly OperatorTime[]) => rows.reduce((total, row) => total + row.ms, 0);

/** The tables that operators of a pass take their time from, with the folders that these were merged from. */
function tablesOf(deployment: Deployment, load: PassLoad, operators: ReadonlySet<string>): string[] {
  const { hardware: { name: system }, backend, catalog } = deployment;
  const { sources } = catalog.load({ system, backend, version: deployment.backendVersion }).header;
  const rows = deployment.forwardPassModel().plainRows(load).filter(({ top }) => operators.has(top));
  const tables = new Set(rows.flatMap(({ spec }) => tableOf(spec) ?? []));
  return [...tables].map((table) => {
    const folders = (sources[table] ?? []).map(([folder]) => folder);
    return folders.length === 0 ? table : `${table} (${folders.join(", ")})`;
  });
}

/** Name of the table that a plain operator reads. */
function tableOf({ kind }: OperatorSpec): string | undefined {
  switch (kind) {
    case "gemm":
      return "gemm_perf";
    case "moe":
      return "moe_perf";
    case "context_attention":
    case "generation_attention":
    case "context_mla":
    case "generation_mla":
    case "mla_bmm":
    case "mla_context_module":
    case "mla_generation_module":
      return `${kind}_perf`;
    case "all_reduce":
      return "custom_allreduce_perf";
    default:
      return undefined;
  }
}
