/**
 * Jobs of a capacity search as they are sent to other machines.
 *
 * @module
 */
import * as v from "valibot";
import type { QueuedKind } from "../jobs/queue/kind.ts";
import { replaySpecSchema, trafficSchema } from "../replay/read_spec.ts";
import { located } from "../replay/located.ts";
import { CAPACITY_JOBS } from "./capacity.ts";
import type { CapacityAnswer, CapacitySetup, CapacityTask } from "./capacity_jobs.ts";

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
    point: v.record(v.string(), v.union([v.number(), v.boolean()])),
    saturation: v.nullable(v.record(v.string(), v.union([v.number(), v.string()]))),
  }) as unknown as v.GenericSchema<unknown, CapacityAnswer>,
  localSetup({ spec }, local) {
    located(spec, local); // refused before the first job
    return { spec, local };
  },
};
