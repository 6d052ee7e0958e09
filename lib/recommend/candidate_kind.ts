/**
 * Jobs of a search as they are sent to other machines.
 *
 * @module
 */
import * as v from "valibot";
import type { Local, QueuedKind } from "../jobs/queue/kind.ts";
import type { CandidateAnswer, CandidateTask } from "./candidate_jobs.ts";
import { CANDIDATE_JOBS } from "./recommend.ts";

const document = v.record(v.string(), v.unknown());
const figure = v.number();
const load = v.object({ requests: figure, shortestPrompt: figure, shortestOutput: figure, leastNewTokens: figure });
const idle = v.array(v.union([v.object({ prefillMs: figure, decodeMs: figure }), v.object({ problem: v.string() })]));

/** See {@linkcode CandidateTask} and {@linkcode CandidateAnswer}. */
export const CANDIDATE_KIND: QueuedKind<null, CandidateTask, CandidateAnswer> = {
  ...CANDIDATE_JOBS,
  setup: v.null(),
  data: v.strictObject({
    ask: v.picklist(["replay", "load", "idle"]),
    document,
    stack: v.picklist(["engine", "dynamo"]),
    requests: v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
  }),
  result: v.union([
    v.object({
      ok: v.literal(true),
      metrics: v.record(v.string(), v.nullable(v.number())),
      sequences: v.optional(v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(0)))),
    }),
    v.object({ ok: v.literal(true), load, idle: v.optional(idle) }),
    v.object({ ok: v.literal(false), category: v.string(), reason: v.string(), trace: v.optional(v.string()) }),
  ]) as unknown as v.GenericSchema<unknown, CandidateAnswer>,
  localSetup: (_setup: null, local: Local) => local,
};
