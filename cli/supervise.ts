/**
 * Runs a prediction under its budget: the initialization timeout and the memory watch end it, and
 * `resource-plan.json` or `resource-runtime.json` says what became of it.
 *
 * @module
 */
import type { PredictionPlan } from "../lib/config/plan.ts";
import { ResourceLimitError } from "../lib/errors.ts";
import { writeFileAtomically } from "../lib/io/atomic.ts";
import { joinPath } from "../lib/io/folders.ts";
import { writeText } from "../lib/io/process.ts";
import { after, every } from "../lib/io/timers.ts";
import type { Recommendation } from "../lib/recommend/recommendation.ts";
import { traceSize } from "../lib/trace/trace_size.ts";
import { EXIT, exitCode, Interrupted, TimedOut } from "./command.ts";
import { jsonText } from "./output.ts";
import { admit, budgetOf, hostFacts, ResourceWatch, type RunStatus } from "./resources.ts";

/**
 * Makes the budget and notes it in `execution-events.jsonl`, a line an event; or leaves `resource-plan.json` and refuses.
 *
 * @param perRequest whether a record of every request is kept
 */
export async function startWatch(plan: PredictionPlan, folder: string, perRequest: boolean): Promise<ResourceWatch> {
  const { source } = plan.traffic;
  const size = await traceSize(source.type === "trace" ? source.paths : []);
  const host = hostFacts(), admitted = admit(plan, host, size, perRequest);
  if (!("error" in admitted)) {
    const line = JSON.stringify({ event: "resource_plan", value: admitted.plan });
    await writeFileAtomically(joinPath(folder, "execution-events.jsonl"), `${line}\n`);
    return new ResourceWatch(admitted.budget, plan.resources, host.containerBytes);
  }
  const text = jsonText(admitted.plan);
  await writeFileAtomically(joinPath(folder, "resource-plan.json"), text);
  writeText("stderr", text);
  throw admitted.error;
}

/** Makes the budget of a search, or leaves `resource-plan.json` and refuses. */
export async function startSearchWatch({ resources, stack }: Recommendation, folder: string): Promise<ResourceWatch> {
  const host = hostFacts(), budget = budgetOf(resources, host);
  if (typeof budget !== "string") return new ResourceWatch(budget, resources, host.containerBytes);
  const text = jsonText({ schema_version: 1, status: "resource_limited", stack, reason: budget });
  await writeFileAtomically(joinPath(folder, "resource-plan.json"), text);
  writeText("stderr", text);
  throw new ResourceLimitError(budget);
}

/** What a run is guarded by. */
export interface Guard {
  watch: ResourceWatch;
  signal: AbortSignal;
  /** Loading is over. */
  started(): void;
}

/** Host time between two looks at the memory in use. */
const LOOK_EVERY_MS = 50;

const STATUS: Record<number, RunStatus> = {
  [EXIT.resources]: "resource_limited",
  [EXIT.timeout]: "timed_out",
};

/**
 * Runs under the initialization timeout and the memory watch, which abort the command's controller, and leaves
 * `resource-runtime.json`.
 */
export async function supervised<T>(
  watch: ResourceWatch,
  folder: string,
  control: AbortController,
  body: (guard: Guard) => Promise<T>,
): Promise<T> {
  const { signal } = control;
  const seconds = watch.requested.initialization_timeout_seconds;
  const timeout = () => control.abort(new TimedOut("execution initialization timed out"));
  const disarm = after(seconds * 1000, timeout);
  const stopLooking = every(LOOK_EVERY_MS, () => {
    try {
      watch.look();
    } catch (limit) {
      control.abort(limit);
    }
  });
  const record = (status: RunStatus, reason: string | null, code: number | null) =>
    writeFileAtomically(joinPath(folder, "resource-runtime.json"), jsonText(watch.record(status, reason, code)));
  const ended = (error: unknown) => {
    const code = exitCode(error), known = error instanceof Interrupted ? "cancelled" : STATUS[code];
    const reason = known ? (error as Error).message : `execution process exited with status ${code}`;
    return record(known ?? "failed", reason, code);
  };
  try {
    await record("running", null, null); // the directory is taken, and can be written to
    const result = await body({ watch, signal, started: disarm });
    if (signal.aborted) await ended(signal.reason);
    else await record("completed", null, EXIT.ok);
    return result;
  } catch (problem) {
    const error = signal.aborted ? signal.reason : problem;
    await ended(error).catch(() => {}); // the disk may be full; what went wrong first is told
    throw error;
  } finally {
    disarm();
    stopLooking();
  }
}
