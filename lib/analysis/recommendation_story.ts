/**
 * The result of a search in words.
 *
 * @module
 */
import { attainment } from "../report/evaluation.ts";
import { moneyText } from "../report/price.ts";
import {
  rankedCandidates,
  type RecommendationResult,
  type RecommendedCandidate,
  searchPrice,
} from "./read_recommendation.ts";
import { dimensionEffects } from "./recommendation_table.ts";

const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
const short = (value: number): string => String(Number(Math.abs(value).toPrecision(4)));
const percent = (share: number): string => `${Number((share * 100).toPrecision(2))} %`;

/** What a search looked for; its configuration says it. */
export const targetOf = ({ provenance: { config } }: RecommendationResult): string => {
  const { optimization, goal } = config as { optimization?: { target?: unknown }; goal?: { target?: unknown } };
  return String(optimization?.target ?? goal?.target ?? "throughput");
};

/** What a candidate is made of. */
export const descriptionOf = ({ provenance, candidate_id, used_gpus }: RecommendedCandidate): string =>
  provenance.description ?? `${candidate_id} (${used_gpus} GPUs)`;

const WHY: Readonly<Record<string, string>> = {
  model: "do not hold the model",
  context: "do not hold one sequence of the longest kind",
  split: "do not divide the model",
  backend: "are not for their backend",
  data: "cannot be timed",
  sla: "miss the SLA even when idle",
};

/** Reasons of what was not ranked, the most frequent first. */
function lostReasons({ candidates }: RecommendationResult): [reason: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { status, reason } of candidates) {
    if (status === "feasible") continue;
    const text = `${status}: ${reason ?? "no reason given"}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}

/**
 * Tells what was searched, what won and why the others lost, a paragraph a line.
 *
 * @example
 * ```ts ignore
 * console.log(explainRecommendation(await readRecommendation("runs/sizing")).join("\n"));
 * ```
 */
export function explainRecommendation(result: RecommendationResult): string[] {
  const { candidates, provenance: { search_strategy, space } } = result;
  const target = targetOf(result);
  const ranked = rankedCandidates(result);
  const feasible = candidates.filter(({ status }) => status === "feasible").length;
  const lines: string[] = [];
  const many = space?.configurations == null ? "" : ` of ${grouped(space.configurations)} configurations`;
  lines.push(
    `Searched for ${target} (${search_strategy}): ${grouped(candidates.length)}${many} were replayed whole, ` +
      `${grouped(feasible)} of them feasible.` +
      (space?.interrupted ? " The search was ended before its time." : ""),
  );
  if (space !== undefined && space.screened.length > 0) {
    lines.push(`${grouped(space.screened.length)} replays of part of the load decided what was replayed whole.`);
  }
  for (const [why, text] of Object.entries(WHY)) {
    const out = space?.ruled_out.filter((one) => one.why === why) ?? [];
    if (out.length === 0) continue;
    const sum = out.reduce((total, { combinations }) => total + combinations, 0);
    lines.push(
      `Ruled out before any replay: ${grouped(sum)} choices of shapes ${text} (for instance ${out[0].backend}, ` +
        `${out[0].role} ${out[0].shape ?? ""}: ${out[0].reason}).`,
    );
  }
  const [best, next] = ranked;
  if (best === undefined) lines.push("Nothing was feasible.");
  else {
    const within = best.metrics && attainment(best.metrics), price = searchPrice(result);
    const hourly = price === null || best.used_gpus === null
      ? ""
      : ` (${moneyText(best.used_gpus * price.perGpuHour, price.currency)} an hour)`;
    const share = within === null ? "" : `, ${percent(within)} of the requests within the SLA`;
    lines.push(
      `${target === "pareto" ? "First on the front" : "Best"}: ${
        descriptionOf(best)
      } on ${best.used_gpus} GPUs${hourly}, ` +
        `${target === "pareto" ? "throughput_per_gpu" : target} ${short(best.score ?? 0)}${share}.`,
    );
    if (next?.score != null && best.score !== null && target !== "pareto") {
      const scale = Math.max(Math.abs(best.score), Math.abs(next.score));
      const behind = scale > 0 ? ` (${percent(Math.abs(best.score - next.score) / scale)} behind)` : "";
      lines.push(`Next: ${descriptionOf(next)}, ${short(next.score)}${behind}.`);
    }
  }
  for (const { name, values, effect } of dimensionEffects(result).slice(0, 8)) {
    const [first, ...others] = values;
    lines.push(
      effect === 0
        ? `${name}: makes no difference to the best (${values.map(({ value }) => value).join(", ")}).`
        : `${name}: ${first.value} is best with ${short(first.best)}; ${
          others.slice(0, 4).map(({ value, best }) => `${value} at best ${short(best)}`).join(", ")
        } (giving it up costs ${percent(effect)}).`,
    );
  }
  for (const [reason, count] of lostReasons(result).slice(0, 5)) {
    lines.push(`Not ranked, ${grouped(count)} times: ${reason}.`);
  }
  return lines;
}
