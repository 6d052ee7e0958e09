/**
 * Candidates of a search by what they cost and bring.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
import { bottomAxis, grid, MARGINS, valueAxis } from "./axes.ts";
import { draw } from "./draw.ts";
import type { Figure } from "./figure.ts";
import { labelled } from "./labelled_points.ts";
import { LIGHT } from "./palette.ts";
import { rankedCandidates, type RecommendationResult, type RecommendedCandidate } from "./read_recommendation.ts";
import { descriptionOf, targetOf } from "./recommendation_story.ts";
import { amount } from "./units.ts";

interface Axis {
  label: string;
  unit: string;
  of: (one: RecommendedCandidate) => number | null;
}

/** What the axes of the figure are. */
interface Axes {
  x: Axis;
  y: Axis;
}

function axesOf(target: string): Axes {
  if (target === "pareto") {
    return {
      x: {
        label: "output tokens a second for each user",
        unit: "tokens/s",
        of: ({ objectives }) => objectives?.throughput_per_user ?? null,
      },
      y: {
        label: "output tokens a second for each GPU",
        unit: "tokens/s",
        of: ({ objectives }) => objectives?.throughput_per_gpu ?? null,
      },
    };
  }
  const latency = target === "ttft" || target === "e2e_latency";
  return {
    x: { label: "GPUs", unit: "GPUs", of: ({ used_gpus }) => used_gpus },
    y: {
      label: latency ? `${target} (ms)` : target,
      unit: latency ? "ms" : "score",
      of: ({ score }) => score === null ? null : Math.abs(score),
    },
  };
}

const SIZE = { ...MARGINS, width: 960, height: 380, marginBottom: 40 };

interface Point {
  one: RecommendedCandidate;
  x: number;
  y: number;
}

/** Feasible candidates as dots that lead to their rows, the best ones as a line with their ranks; null without any. */
export function candidatesPlot(result: RecommendationResult): Figure | null {
  const { x, y } = axesOf(targetOf(result));
  const points = result.candidates.flatMap((one): Point[] => {
    const at = [x.of(one), y.of(one)];
    return one.status === "feasible" && at.every((value) => value !== null) ? [{ one, x: at[0]!, y: at[1]! }] : [];
  });
  if (points.length === 0) return null;
  const ends = (values: readonly number[]): [number, number] => {
    const low = Math.min(...values), high = Math.max(...values), pad = (high - low || Math.abs(high) || 1) * 0.08;
    return [low - pad, high + pad];
  };
  const [x0, x1] = ends(points.map((point) => point.x)), [y0, y1] = ends(points.map((point) => point.y));
  const front = new Set(result.views.pareto_front.length > 0 ? result.views.pareto_front : envelope(result, points));
  const isBest = ({ one }: Point) => front.has(one.candidate_id);
  const best = points.filter(isBest).toSorted((a, b) => a.x - b.x || a.y - b.y);
  const ranks = new Map(rankedCandidates(result).map((one, i) => [one.candidate_id, i + 1]));
  const dots = (chosen: readonly Point[], color: string, r: number, fillOpacity: number) =>
    Plot.dot(chosen, {
      x: "x",
      y: "y",
      fill: color,
      fillOpacity,
      r,
      href: ({ one }: Point) => `#${one.candidate_id}`,
      title: ({ one, x, y }: Point) => `${one.candidate_id}: ${descriptionOf(one)} – ${amount(x)} / ${amount(y)}`,
    });
  const plot = labelled(
    draw({
      ...SIZE,
      x: { domain: [x0, x1] },
      y: { domain: [y0, y1] },
      marks: [
        grid(5),
        bottomAxis(x.label, x.label === "GPUs" ? wholeTicks(x0, x1) : 6, amount),
        valueAxis(y.label, amount, 5),
        Plot.line(best, { x: "x", y: "y", stroke: LIGHT.vermilion, strokeWidth: 1.5 }),
        dots(points.filter((point) => !isBest(point)), LIGHT.blue, 3.5, 0.55),
        dots(best, LIGHT.vermilion, 5, 1),
      ],
    }),
    best.map(({ one, x, y }) => ({
      x: SIZE.marginLeft + (x - x0) / (x1 - x0) * (SIZE.width - SIZE.marginLeft - SIZE.marginRight),
      y: SIZE.height - SIZE.marginBottom - (y - y0) / (y1 - y0) * (SIZE.height - SIZE.marginBottom - SIZE.marginTop),
      names: [`#${ranks.get(one.candidate_id) ?? "?"}`],
    })),
  );
  return {
    title: `${y.label} against ${x.label}`,
    subtitle: "a dot leads to its row of the ledger",
    legend: [
      { label: "no other beats it, with its rank", color: LIGHT.vermilion, mark: "dot" },
      { label: "feasible", color: LIGHT.blue, mark: "dot" },
    ],
    panels: [{ plot }],
    data: {
      x: "candidate",
      series: [
        { of: x.label, part: "", unit: x.unit, x: points.map(idOf), y: points.map((point) => point.x) },
        { of: y.label, part: "", unit: y.unit, x: points.map(idOf), y: points.map((point) => point.y) },
      ],
    },
  };
}

const idOf = ({ one }: Point): string => one.candidate_id;

/** Whole numbers between ends, eight at most. */
function wholeTicks(from: number, to: number): number[] {
  const step = Math.max(1, Math.ceil((to - from) / 8)), first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.max(0, Math.floor((to - first) / step) + 1) }, (_, i) => first + i * step);
}

/** Candidates that no other one with as few GPUs beats. */
function envelope(result: RecommendationResult, points: readonly { one: RecommendedCandidate }[]): string[] {
  const score = (one: RecommendedCandidate) => one.score ?? -Infinity;
  const sorted = points.map(({ one }) => one).toSorted((a, b) =>
    (a.used_gpus ?? 0) - (b.used_gpus ?? 0) || score(b) - score(a)
  );
  const found: string[] = [];
  let best = -Infinity;
  for (const one of sorted) {
    if (score(one) <= best) continue;
    best = score(one);
    found.push(one.candidate_id);
  }
  return result.candidates.length === 0 ? [] : found;
}
