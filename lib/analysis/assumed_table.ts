/**
 * What the figures of runs rest on, as a table: data version, precisions, KV cache and calibration of every role.
 *
 * @module
 */
import type { RunMetadata } from "../report/report.ts";
import { type Html, safe } from "./html.ts";
import { grouped, namesOf } from "./multiples.ts";
import type { Run } from "./run.ts";

type Role = RunMetadata["roles"][number];

const ROWS: readonly (readonly [label: string, of: (role: Role) => string | undefined])[] = [
  ["Data version", ({ data_version }) => data_version],
  ["Backend version", (role) => role.backend_version === null ? "nothing measured" : role.backend_version],
  ["Weights", ({ weights }) => weights],
  ["Weights of experts", ({ expert_weights }) => expert_weights ?? undefined],
  ["Attention over prompts", ({ attention }) => attention ?? undefined],
  ["KV cache", ({ kv_cache }) => kv_cache],
  ["KV bytes a token and rank", ({ kv_bytes_per_token: bytes }) => bytes?.toLocaleString("en")],
  ["Communication", ({ communication }) => communication],
  [
    "KV blocks of a rank",
    ({ kv_blocks, kv_block_tokens, kv_blocks_from }) =>
      `${kv_blocks.toLocaleString("en")} of ${kv_block_tokens} tokens (${kv_blocks_from})`,
  ],
  [
    "Longest sequence",
    ({ max_model_tokens: tokens }) => tokens === null ? "no limit" : `${tokens.toLocaleString("en")} tokens`,
  ],
  ["Calibration", ({ calibration }) => {
    if (calibration === undefined) return undefined;
    const { level, passes, passes_outside: outside, forced_from: differs = [] } = calibration;
    const beyond = outside === 0 ? "" : `, ${outside.toLocaleString("en")} of them outside of what was measured`;
    const forced = differs.length === 0 ? "" : `; forced, fitted to another deployment (${differs.join("; ")})`;
    return `${level}: ${passes.toLocaleString("en")} passes corrected${beyond}${forced}`;
  }],
];

/**
 * What every role of every run was given, a column for those that were given the same; null when no run says. Absent
 * facts are dashes.
 */
export function assumedTable(runs: readonly Run[]): Html | null {
  const roles = runs.flatMap((run) =>
    (run.metadata?.roles ?? []).map((role) => ({
      name: runs.length > 1 ? `${run.name}: ${role.role}` : role.role,
      values: ROWS.map(([, of]) => of(role)),
    }))
  );
  if (roles.length === 0) return null;
  const columns = grouped(roles, ({ values }) => JSON.stringify(values));
  const all = columns.length === 1 && roles.length > 1 && runs.every(({ metadata }) => metadata !== null);
  const head = columns.map((same) => safe`<th scope="col">${all ? "all runs" : namesOf(same)}</th>`);
  const body = ROWS.flatMap(([label], i) => {
    const values = columns.map(([{ values }]) => values[i]);
    if (values.every((value) => value === undefined)) return [];
    return [
      safe`<tr><th scope="row">${label}</th>${
        values.map((value) => safe`<td class="number">${value ?? "–"}</td>`)
      }</tr>`,
    ];
  });
  return safe`<div class="scroll" tabindex="0" role="group" aria-label="what the figures rest on"><table class="facts"><thead><tr><td></td>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}
