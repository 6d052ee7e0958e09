/**
 * Whether measurements of a low precision can be trusted: a pass is asked again with the same products in bfloat16, and
 * operators that would be faster there are named, with the tables that say so.
 *
 * @module
 */
import { ConfigError, SimulationError } from "../../errors.ts";
import type { Deployment } from "./deployment.ts";
import type { OperatorTime } from "./forward_pass_model.ts";
import type { OperatorSpec } from "./operator_spec.ts";

const LENGTH = 2048;

/** The passes that are asked: a prompt of usual length, decode steps of one sequence and of a usual batch. */
export const PROBES: readonly {
  readonly what: string;
  readonly list: "context" | "generation";
  readonly batch: number;
  readonly seq: number;
}[] = [
  { what: `a prompt of ${LENGTH} tokens`, list: "context", batch: 1, seq: LENGTH },
  { what: "a decode step of 1", list: "generation", batch: 1, seq: LENGTH },
  { what: "a decode step of 32", list: "generation", batch: 32, seq: LENGTH },
];

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
 * @example
 * ```ts
 * import { deploy, precisionWarnings } from "dynosim";
 *
 * console.log(precisionWarnings(deploy({ model: "Qwen/Qwen3-32B", hardware: "h200_sxm" }))); // []
 * ```
 */
export function precisionWarnings(deployment: Deployment): string[] {
  const { gemm, moe } = deployment.modes;
  if (deployment.databaseMode === "SOL" || (gemm === "bfloat16" && moe === "bfloat16")) return [];
  let plain: Deployment;
  try {
    plain = deployment.quantised(BFLOAT16);
  } catch (problem) {
    if (problem instanceof ConfigError) return [];
    throw problem;
  }
  return PROBES.flatMap(({ what, list, batch, seq }) => {
    const ask = (of: Deployment) => {
      const model = of.forwardPassModel();
      return answer(() => list === "context" ? model.contextRows(batch, seq, 0) : model.generationRows(batch, seq));
    };
    const rows = ask(deployment), others = ask(plain);
    return rows && others ? warning(deployment, what, rows, others, deployment.lists[list]) : [];
  });
}

/** Undefined where measurements have no answer. */
function answer(ask: () => OperatorTime[]): OperatorTime[] | undefined {
  try {
    return ask();
  } catch (problem) {
    if (problem instanceof SimulationError || problem instanceof ConfigError) return undefined;
    throw problem;
  }
}

function warning(
  deployment: Deployment,
  what: string,
  rows: readonly OperatorTime[],
  plain: readonly OperatorTime[],
  specs: readonly OperatorSpec[],
): string[] {
  const total = sum(rows);
  const slowerThan = (factor: number) =>
    rows.filter((row, i) => plain[i]?.name === row.name && row.ms > plain[i].ms * factor);
  const whole = total > sum(plain) * SLOWER_PASS;
  const slower = slowerThan(whole ? 1 : SLOWER_OPERATOR);
  if (slower.length === 0 || (!whole && !(sum(slower) > total * SHARE))) return [];
  const { hardware: { name: system }, backend, modes, facts } = deployment;
  const set = deployment.catalog.load({ system, backend, version: deployment.backendVersion });
  const tables = [...new Set(slower.flatMap((row) => tablesOf(specs[rows.indexOf(row)])))].map((table) => {
    const folders = (set.header.sources[table] ?? []).map(([folder]) => folder);
    return `${table} (${folders.join(", ")})`;
  });
  const mode = modes.gemm === modes.moe || facts.experts === 0 ? modes.gemm : `${modes.gemm} / ${modes.moe}`;
  const share = Math.round(100 * sum(slower) / total), times = (total / sum(plain)).toFixed(2);
  return [
    `${system} ${backend}: ${what} takes ${times} times as long in ${mode} as in bfloat16 by the same measurements, ` +
    `and ${share} % of it is slower (${[...new Set(slower.map((row) => row.name))].join(", ")}); ` +
    `do not compare precisions on ${tables.join(" and ")}`,
  ];
}

const sum = (rows: readonly OperatorTime[]) => rows.reduce((total, row) => total + row.ms, 0);

/** Names of the tables that an operator reads. */
function tablesOf(spec: OperatorSpec | undefined): string[] {
  switch (spec?.kind) {
    case "gemm":
      return ["gemm_perf"];
    case "moe":
      return ["moe_perf"];
    case "context_attention":
    case "generation_attention":
    case "context_mla":
    case "generation_mla":
    case "mla_bmm":
    case "mla_context_module":
    case "mla_generation_module":
      return [`${spec.kind}_perf`];
    case "all_reduce":
      return ["custom_allreduce_perf"];
    case "fallback":
      return [...tablesOf(spec.primary), ...spec.list.flatMap(tablesOf)];
    case "overlap":
      return spec.groups.flat().flatMap(tablesOf);
    default:
      return [];
  }
}
