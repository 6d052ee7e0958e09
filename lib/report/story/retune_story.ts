/**
 * Retune decisions as a part of the Planner's story: what was tried, what it scored, and why it switched or kept.
 *
 * @module
 */
import type { PlannerSection, RetunedFields, RetuneEvent, ScoredPoint } from "../../report/planner_section.ts";
import { counted, number, time, whole } from "./format.ts";

/** One decision told. */
export interface RetuneStory {
  fromS: number;
  text: string;
  details: string[];
}

type Values = Record<string, unknown>;

/** A point by name; the predictor's fields in one phrase. */
function valuesOf({ router, planner }: Pick<ScoredPoint, "router" | "planner">): Values {
  const { load_scaling_down_sensitivity: sensitivity, load_predictor: predictor, ...fields } = planner ?? {};
  return {
    ...router,
    ...(sensitivity === undefined ? {} : { load_scaling_down_sensitivity: sensitivity }),
    ...(predictor === undefined ? {} : { load_predictor: predictorPhrase(predictor, fields) }),
  };
}

function predictorPhrase(name: string, fields: Omit<RetunedFields, "load_predictor">): string {
  const { load_predictor_log1p: log, prophet_window_size: window, kalman_q_level, kalman_q_trend, kalman_r } = fields;
  return [
    name,
    ...(name === "prophet" ? [`over ${window}`] : []),
    ...(name === "kalman" ? [`q ${kalman_q_level}/${kalman_q_trend} r ${kalman_r}`] : []),
    ...(log ? ["log1p"] : []),
  ].join(" ");
}

const shown = (values: Values, names: Iterable<string> = Object.keys(values)) =>
  [...names].map((name) => `${name} ${values[name]}`).join(", ");

/** Tells every decision of a run. */
export function retuneStories({ retune_events }: PlannerSection): RetuneStory[] {
  return (retune_events ?? []).map((event) => ({
    fromS: event.decided_at_s,
    text: headline(event),
    details: [...circumstances(event), ...tried(event), ...predictors(event)],
  }));
}

function headline({ outcome, current, chosen, objective, reason, improvement_percentage }: RetuneEvent): string {
  switch (outcome) {
    case "kept":
      return `retune kept ${shown(valuesOf(current))}`;
    case "timeout":
    case "failed":
    case "no_requests":
      return `retune changed nothing: ${reason}`;
  }
  const before = valuesOf(current), after = chosen ? valuesOf(chosen) : {};
  const changes = Object.keys(after).filter((name) => before[name] !== after[name])
    .map((name) => `${name} ${before[name]} → ${after[name]}`);
  const gain = improvement_percentage === null ? "" : `, better by ${number(improvement_percentage)} %`;
  const scores = `${objective} ${number(current.score)} → ${number(chosen?.score ?? null)}${gain}`;
  return `retune ${outcome === "applied" ? "switched" : "would switch"} ${changes.join(", ")} (${scores})`;
}

function circumstances(event: RetuneEvent): string[] {
  const { window, launched_at_s, sweep_wall_s, decision_latency_s, reason, outcome } = event;
  const span = `${time(window.start_s)}–${time(window.end_s)}`;
  const details = [
    `window ${window.index} (${span}, ${counted(window.num_requests, "request")}), launched at ${time(launched_at_s)}` +
    (outcome === "no_requests" ? "" : `, sweep ${number(sweep_wall_s)} s, latency ${number(decision_latency_s)} s`),
  ];
  if (["kept", "applied", "advisory"].includes(outcome) && reason) details.push(reason);
  return details;
}

/** The candidates with their scores; only what differs between them is named. */
function tried({ candidates, chosen, objective }: RetuneEvent): string[] {
  if (candidates.length < 2) return candidates.length === 0 ? [] : ["nothing else to try: every domain is pinned"];
  const points = candidates.map(valuesOf);
  const names = new Set(points.flatMap(Object.keys));
  const varying = [...names].filter((name) => points.some((values) => values[name] !== points[0][name]));
  const labels = points.map((values) => shown(values, varying));
  const width = Math.max(...labels.map((label) => label.length));
  const picked = chosen ? shown(valuesOf(chosen)) : "";
  return [`tried (${objective}):`].concat(candidates.map(({ score }, i) => {
    const marks = [i === 0 ? "current" : "", shown(points[i]) === picked ? "chosen" : ""].filter(Boolean).join(", ");
    return `  ${labels[i].padEnd(width)}  ${score === null ? "–" : number(score)}${marks && `  (${marks})`}`;
  }));
}

function predictors({ predictor, predictor_warmup }: RetuneEvent): string[] {
  if (!predictor) return [];
  const ranked = Object.entries(predictor.losses).filter(([, loss]) => loss !== null)
    .sort(([a, lossA], [b, lossB]) =>
      lossA! - lossB! || Number(b === predictor.winner) - Number(a === predictor.winner)
    )
    .slice(0, 3).map(([name, loss]) => `${name} ${number(loss)}`);
  const lines = [
    predictor.winner === null
      ? "load predictor kept: too little history to compare"
      : `best load predictor ${predictor.winner} (loss: ${ranked.join(", ")})`,
  ];
  if (predictor_warmup) lines.push(`it starts with ${whole(predictor_warmup.observations)} recorded intervals`);
  return lines;
}
