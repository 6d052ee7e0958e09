/**
 * Jobs of a capacity search as they are sent to other machines.
 *
 * @module
 */
import * as v from "valibot";
import { saturationSchema } from "../report/saturation.ts";
import type { QueuedKind } from "../jobs/queue/kind.ts";
import { replaySpecSchema, trafficSchema } from "../replay/read_spec.ts";
import { located } from "../replay/located.ts";
import { CAPACITY_JOBS } from "./capacity.ts";
import type { CapacityAnswer, CapacityPoint, CapacitySetup, CapacityTask } from "./capacity_jobs.ts";
import { MOST_WARNING, MOST_WARNINGS } from "./warning_limits.ts";

const figure = v.number();

const point: v.GenericSchema<unknown, CapacityPoint> = v.strictObject({
  value: figure,
  attainment: figure,
  num_requests: figure,
  completed_requests: figure,
  request_throughput_rps: figure,
  p95_ttft_ms: figure,
  p95_tpot_ms: figure,
  duration_ms: figure,
  queues_growing: v.boolean(),
  cost: v.optional(v.strictObject({ currency: v.string(), per_thousand_good_requests: v.nullable(figure) })),
});

/** See {@linkcode CapacityTask} and {@linkcode CapacityAnswer}. */
export const CAPACITY_KIND: QueuedKind<CapacitySetup, CapacityTask, CapacityAnswer> = {
  ...CAPACITY_JOBS,
  setup: v.strictObject({ spec: replaySpecSchema }),
  data: v.strictObject({
    value: v.number(),
    traffic: trafficSchema,
    telemetryIntervalMs: v.nullable(v.pipe(v.number(), v.finite(), v.minValue(0))),
  }),
  result: v.strictObject({
    point,
    saturation: v.nullable(saturationSchema),
    warnings: v.pipe(v.array(v.pipe(v.string(), v.maxLength(MOST_WARNING))), v.maxLength(MOST_WARNINGS)),
  }),
  answers: ({ value, telemetryIntervalMs }, answer) =>
    answer.point.value === value && (answer.saturation === null) === (telemetryIntervalMs === null),
  localSetup({ spec }, local) {
    located(spec, local); // refused before the first job
    return { spec, local };
  },
};
