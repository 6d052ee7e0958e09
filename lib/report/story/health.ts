/**
 * What is wrong with how a run was scaled: changes that undo each other, and loops that never could decide.
 *
 * @module
 */
import type { PlannerSection, PlannerTick, ScalingEvent } from "../planner_section.ts";
import { autoscalerName } from "./autoscaler_story.ts";
import { counted, number, time, whole } from "./format.ts";
import { capacityUnknown, throughputReasonText } from "./reason_texts.ts";

/**
 * Changes that come back sooner undo each other: the five minutes for which Kubernetes' HorizontalPodAutoscaler waits
 * before it takes replicas away, to avoid just that.
 */
const UNDONE_WITHIN_S = 300;
/** Fewest changes of a pool that are undone before that is called flapping: one peak goes up and down once. */
const FEWEST_UNDONE = 2;

/**
 * Sentences about what is wrong with the scaling of a run; none when nothing is, or when nobody scaled. Advisory runs
 * are judged by what they recommend.
 *
 * @param report `prediction.json`, or the report of a replay
 *
 * @example
 * ```ts
 * import { plannerHealth, readTrace, replay } from "dynosim";
 *
 * const report = await replay(readTrace("fixtures/traces/chat.jsonl")).report;
 * console.log(plannerHealth(report)); // []
 * ```
 */
export function plannerHealth({ planner }: { readonly planner: PlannerSection | null }): string[] {
  return planner === null ? [] : [...flapping(planner), ...blindLoops(planner)];
}

/** Pools whose number of workers went up and down again and again. */
function* flapping(planner: PlannerSection): Generator<string> {
  const advised = planner.metadata.advisory ?? false;
  const events = advised ? planner.recommended_scaling_events : planner.scaling_events;
  for (const [pool, changes] of Map.groupBy(events, ({ component }) => component)) {
    const undone: [ScalingEvent, ScalingEvent][] = [];
    changes.forEach((change, i) => {
      const next = changes[i + 1];
      if (next && next.reason !== change.reason && next.at_s - change.at_s <= UNDONE_WITHIN_S) {
        undone.push([change, next]);
      }
    });
    if (undone.length < FEWEST_UNDONE) continue;
    const waits = undone.map(([change, next]) => next.at_s - change.at_s).sort((a, b) => a - b);
    const [first, second] = undone[0];
    const who = planner.metadata.autoscaler ? autoscalerName(planner.metadata.autoscaler) : "the Planner";
    const step = ({ at_s, from_count, to_count }: ScalingEvent) => `${from_count} → ${to_count} at ${time(at_s)}`;
    yield `flapping: ${whole(undone.length)} of ${counted(changes.length, "change")} of ${pool} workers that ${who} ` +
      `${advised ? "recommends" : "made"} were undone by the next one within ${UNDONE_WITHIN_S / 60} minutes ` +
      `(after ${number(waits[Math.floor(waits.length / 2)])} s in the middle; first ${step(first)}, ${step(second)})`;
  }
}

/** Loops of the SLA target that did not know enough to decide, in most or all of their ticks. */
function* blindLoops({ metadata, ticks }: PlannerSection): Generator<string> {
  const { planner_config: config } = metadata;
  if (config?.optimization_target !== "sla") return;
  if (config.enable_throughput_scaling) {
    const asked = ticks.filter((tick) =>
      tick.scheduled_tick.run_throughput_scaling && reasonOf(tick) !== null && reasonOf(tick) !== "no_traffic_data"
    );
    const blind = asked.filter((tick) => capacityUnknown(reasonOf(tick)));
    if (blind.length > asked.length / 2) {
      const reasons = new Set(blind.map((tick) => throughputReasonText(reasonOf(tick)!)));
      yield `the throughput loop could not decide in ${
        often(blind.length, asked.length)
      }: the capacity of an engine was ` +
        `unknown (${[...reasons].join("; ")}), so it asked for what there was`;
    }
  }
  if (config.enable_load_scaling) {
    const asked = ticks.filter((tick) => tick.scheduled_tick.run_load_scaling && isBusy(tick));
    const blind = asked.filter(({ effects: { diagnostics: d } }) =>
      d.estimated_ttft_ms === null && d.estimated_itl_ms === null
    );
    if (blind.length > asked.length / 2) {
      yield `the load loop could not decide in ${often(blind.length, asked.length)} with work: it had no estimate of ` +
        "TTFT or ITL";
    }
  }
}

const reasonOf = (tick: PlannerTick) => tick.effects.diagnostics.throughput_decision_reason;

const often = (part: number, of: number) =>
  of === 1
    ? "its only tick"
    : part === of
    ? `any of its ${counted(of, "tick")}`
    : `${whole(part)} of its ${counted(of, "tick")}`;

/** Whether any rank had work at a tick: loops that see idle workers only need no estimate. */
function isBusy({ input: { fpm_observations: rows } }: PlannerTick): boolean {
  return [...rows?.prefill ?? [], ...rows?.decode ?? []].some((
    { metrics: { scheduled_requests: s, queued_requests: q } },
  ) => s.num_decode_requests + s.num_prefill_requests + q.num_decode_requests + q.num_prefill_requests > 0);
}
