/**
 * What a person sees of a search: what is searched, how far it is, the ranking, and how it ended.
 *
 * @module
 */
import { candidateText } from "../lib/recommend/describe.ts";
import type { Ledger } from "../lib/recommend/ledger.ts";
import type { Recommendation } from "../lib/recommend/recommendation.ts";
import type { OpenSearch } from "../lib/recommend/open_search.ts";
import type { RuledOut } from "../lib/recommend/pool.ts";
import type { Recommended } from "../lib/recommend/recommend.ts";
import type { Evaluated } from "../lib/recommend/trial.ts";
import { attainment } from "../lib/report/evaluation.ts";
import { CURRENCY } from "../lib/report/price.ts";
import type { QueueStatus } from "../lib/jobs/queue/runner.ts";
import { alignedRows, wrapped } from "../lib/report/text_table.ts";
import { barLine, grouped, ProgressBar } from "./terminal.ts";

/** Ranked configurations that are printed. */
const MOST_ROWS = 10;

const short = (value: number): string => String(Number(value.toPrecision(4)));

const ofCalibration = (reason: string): boolean => reason.includes("calibration is of another deployment");

/** What is searched, and what is not and why. */
export function spaceLine({ search, space, plan }: OpenSearch): string {
  const shapes = space.branches.reduce((sum, { pool }) => sum + pool.length, 0);
  const many = Number.isFinite(plan.size) ? grouped(plan.size) : "endlessly many";
  const out = space.ruledOut.reduce((sum, { combinations }) => sum + combinations, 0);
  const because = (why: RuledOut["why"], text: string, also: (reason: string) => boolean = () => true) => {
    const count = space.ruledOut.filter((one) => one.why === why && also(one.reason)).reduce(
      (sum, { combinations }) => sum + combinations,
      0,
    );
    return count > 0 ? [`${grouped(count)} ${text}`] : [];
  };
  const reasons = [
    ...because("model", "do not hold the model"),
    ...because("context", "do not hold one sequence of the longest kind"),
    ...because("split", "do not divide the model"),
    ...because("backend", "are not for their backend"),
    ...because("sla", "miss the SLA even when idle"),
    ...because("data", "are not what the calibration was fitted to", ofCalibration),
    ...because("data", "cannot be timed", (reason) => !ofCalibration(reason)),
  ];
  const how = plan.algorithm === "exhaustive"
    ? "all of them"
    : `${plan.algorithm}, at most ${grouped(plan.most)} replays`;
  const ruled = out > 0 ? ` (${grouped(out)} shapes ruled out: ${reasons.join(", ")})` : "";
  return `searching ${many} configurations of ${
    grouped(shapes)
  } legal shapes of ${search.engine.model}: ${how}${ruled}`;
}

/** The line of progress: done, total, pace, best so far, time left. */
export class SearchProgress {
  readonly #bar = new ProgressBar();
  readonly #open: OpenSearch;
  readonly #queue: () => QueueStatus | null;
  #done = 0;
  #best: Evaluated | null = null;

  constructor(open: OpenSearch, queue: () => QueueStatus | null = () => null) {
    this.#open = open;
    this.#queue = queue;
  }

  /** Counts a result. */
  add(result: Evaluated): void {
    this.#done++;
    const whole = result.trial.requests === null && result.status === "feasible";
    if (whole && (this.#best === null || result.score! > this.#best.score!)) this.#best = result;
    this.#bar.draw((elapsedMs, columns) => {
      const { most } = this.#open.plan;
      const pace = this.#done / elapsedMs * 1000;
      const left = Math.max(0, most - this.#done) / pace;
      const best = this.#best === null
        ? ""
        : `  best so far ${this.#best.trial.candidate.usedGpus} GPUs: ${short(Math.abs(this.#best.score!))}`;
      const facts = `${grouped(this.#done)} / ${grouped(most)}  ${Math.round(pace)} a second${best}  ${
        Math.ceil(left)
      } s left${queueText(this.#queue())}`;
      return barLine(Math.min(1, this.#done / most), facts, columns);
    });
  }

  /** Takes the line away. */
  clear(): void {
    this.#bar.clear();
  }
}

/** How a queue stands. */
function queueText(status: QueueStatus | null): string {
  if (status === null) return "";
  const { workers, waiting, running, failed } = status;
  return `  ${grouped(workers)} workers, jobs: ${grouped(running)} running, ${grouped(waiting)} waiting; ${
    grouped(failed)
  } failed`;
}

const milliseconds = (value: number | null | undefined): string =>
  value == null ? "-" : value >= 1000 ? `${short(value / 1000)} s` : `${short(value)} ms`;

/** Less room than this for a description puts it below its figures. */
const LEAST_ROOM = 30;

/** The best configurations as a table of at most so many columns, and what they are made of. */
export function rankingTable(
  { open: { goal }, ranked }: Recommended,
  { price }: Recommendation,
  columns = 80,
): string {
  const { target } = goal;
  const head = [
    "#",
    "GPUs",
    ...price === null ? [] : [`${price.currency ?? CURRENCY}/h`],
    ...goal.sla === null ? [] : ["within SLA"],
    ...target === "pareto" ? ["tok/s/GPU", "tok/s/user"] : [target],
    "TTFT p95",
    "TPOT p95",
  ];
  const rows = ranked.slice(0, MOST_ROWS).map(({ trial: { candidate }, score, objectives, metrics }, i) => {
    const share = attainment(metrics!);
    return [
      String(i + 1),
      String(candidate.usedGpus),
      ...price === null ? [] : [(candidate.usedGpus * price.perGpuHour).toFixed(2)],
      ...goal.sla === null ? [] : [share === null ? "-" : `${(share * 100).toFixed(1)} %`],
      ...target === "pareto"
        ? [short(objectives!.throughput_per_gpu), short(objectives!.throughput_per_user)]
        : [short(Math.abs(score!))],
      milliseconds(metrics!.p95_ttft_ms),
      milliseconds(metrics!.p95_tpot_ms),
    ];
  });
  const [top, ...figures] = alignedRows([head, ...rows], { left: 0 });
  const beside = columns - top.length - 2, below = beside < LEAST_ROOM;
  const indent = " ".repeat(below ? 4 : top.length + 2);
  const lines = [below ? top : `${top}  what`];
  figures.forEach((line, i) => {
    const [first, ...others] = wrapped(candidateText(ranked[i].trial.candidate), columns - indent.length);
    lines.push(...below ? [line, indent + first] : [`${line}  ${first}`], ...others.map((text) => indent + text));
  });
  const more = ranked.length > MOST_ROWS ? [`… and ${grouped(ranked.length - MOST_ROWS)} more`] : [];
  return [...lines, ...more].join("\n");
}

/** How a search ended: what was tried, what became of it, and why candidates failed. */
export function summaryLines(
  { open, evaluated, screened, repeats, ranked }: Recommended,
  { counts }: Ledger,
): string[] {
  const reasons = new Map<string, number>();
  for (const { status, reason } of evaluated) {
    if (status !== "feasible" && reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const most = [...reasons].sort(([, a], [, b]) => b - a);
  const shown = most.slice(0, 3).map(([reason, count]) => `${reason} (×${count})`);
  if (most.length > 3) shown.push(`+${most.length - 3} more distinct reason(s)`);
  const partial = screened.length > 0 ? `, ${grouped(screened.length)} more on part of the load` : "";
  const end = ranked.length === 0
    ? "no feasible candidate (see the reasons; check the SLA, the GPU budget and the backends)"
    : open.goal.target === "pareto"
    ? `Pareto front: ${ranked.length} candidate(s)`
    : `best ${open.goal.target}=${short(Math.abs(ranked[0].score!))}`;
  return [
    `${grouped(counts.feasible)}/${
      grouped(evaluated.length)
    } replays feasible${partial}, ${counts.infeasible} infeasible, ` +
    `${counts.failed} failed, ${counts.timed_out} timed out, ${counts.resource_limited} resource-limited, ` +
    `${repeats} repeated; ${end}`,
    ...shown.length > 0 ? [`not ranked: ${shown.join(" | ")}`] : [],
  ];
}
