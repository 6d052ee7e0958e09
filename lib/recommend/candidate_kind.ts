/**
 * Jobs of a search as they are sent to other machines.
 *
 * @module
 */
import * as v from "valibot";
import type { Local, QueuedKind } from "../jobs/queue/kind.ts";
import type { CandidateAnswer, CandidateTask } from "./candidate_jobs.ts";
import { CANDIDATE_JOBS } from "./recommend.ts";
import type { Metrics } from "./score.ts";

const document = v.pipe(
  v.record(v.string(), v.unknown()),
  v.check((value) => isJson(value), "expected a document of JSON"),
);
const figure = v.number();
const load = v.object({ requests: figure, shortestPrompt: figure, shortestOutput: figure, leastNewTokens: figure });
const idle = v.array(v.union([v.object({ prefillMs: figure, decodeMs: figure }), v.object({ problem: v.string() })]));

/** Whether a value is one that JSON has: messages may hold others. */
function isJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return typeof value !== "bigint";
  return !ArrayBuffer.isView(value) && Object.values(value).every(isJson);
}

/** Whether there are the figures that every report has. */
const isWhole = (metrics: Metrics): boolean =>
  ["completed_requests", "duration_ms", "gpu_hours", "output_throughput_tok_s"].every((name) =>
    typeof metrics[name] === "number"
  );

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
      metrics: v.pipe(v.record(v.string(), v.nullable(v.number())), v.check(isWhole, "figures are missing")),
      sequences: v.optional(v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(0)))),
    }),
    v.object({ ok: v.literal(true), load, idle: v.optional(idle) }),
    v.object({ ok: v.literal(false), category: v.string(), reason: v.string(), trace: v.optional(v.string()) }),
  ]) as unknown as v.GenericSchema<unknown, CandidateAnswer>,
  answers: ({ ask }, answer) =>
    !answer.ok || (ask === "replay" ? "metrics" in answer : "load" in answer && "idle" in answer === (ask === "idle")),
  localSetup: (_setup: null, local: Local) => local,
};
