/**
 * Runs a prediction under its budget: Ctrl-C, the initialization timeout and the memory watch end it, and
 * `resource-plan.json` or `resource-runtime.json` says what became of it.
 *
 * @module
 */
import type { PredictionPlan } from "../lib/config/plan.ts";
import { removeUnfinishedFiles, writeFileAtomically } from "../lib/io/atomic.ts";
import { joinPath } from "../lib/io/folders.ts";
import { host } from "../lib/io/host.ts";
import { exit, onInterrupt, writeText } from "../lib/io/process.ts";
import { EXIT, exitCode, Interrupted, TimedOut } from "./command.ts";
import { jsonText } from "./output.ts";
import { admit, hostFacts, ResourceWatch, type RunStatus } from "./resources.ts";

/** Makes the budget, or leaves `resource-plan.json` and refuses. */
export async function startWatch(plan: PredictionPlan, folder: string): Promise<ResourceWatch> {
  const { source } = plan.traffic;
  const fileBytes = source.type === "trace" ? source.paths.reduce((sum, path) => sum + host().fileBytes(path), 0) : 0;
  const admitted = admit(plan, hostFacts(), fileBytes);
  if (!("error" in admitted)) return new ResourceWatch(admitted, plan.resources);
  const text = jsonText(admitted.plan);
  await writeFileAtomically(joinPath(folder, "resource-plan.json"), text);
  writeText("stderr", text);
  throw admitted.error;
}

/** What a run is guarded by. */
export interface Guard {
  watch: ResourceWatch;
  signal: AbortSignal;
  /** Loading is over. */
  started(): void;
}

const STATUS: Record<number, RunStatus> = {
  [EXIT.resources]: "resource_limited",
  [EXIT.interrupted]: "cancelled",
  [EXIT.timeout]: "timed_out",
};

/** Runs under Ctrl-C, the initialization timeout and the memory watch, and leaves `resource-runtime.json`. */
export async function supervised<T>(
  watch: ResourceWatch,
  folder: string,
  body: (guard: Guard) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let interruptedAt = Infinity;
  const stop = onInterrupt(() => {
    // a task runner passes on the same Ctrl-C that the terminal sent us; one that comes later is a second thought
    if (performance.now() > interruptedAt + 500) {
      removeUnfinishedFiles();
      exit(EXIT.interrupted);
    }
    interruptedAt = Math.min(interruptedAt, performance.now());
    controller.abort(new Interrupted());
  });
  const seconds = watch.requested.initialization_timeout_seconds;
  const timeout = () => controller.abort(new TimedOut("execution initialization timed out"));
  const timer = setTimeout(timeout, Math.min(seconds * 1000, 2 ** 31 - 1));
  const record = (status: RunStatus, reason: string | null, code: number | null) =>
    writeFileAtomically(joinPath(folder, "resource-runtime.json"), jsonText(watch.record(status, reason, code)));
  try {
    await record("running", null, null); // the directory is taken, and can be written to
    const result = await body({ watch, signal: controller.signal, started: () => clearTimeout(timer) });
    await record("completed", null, EXIT.ok);
    return result;
  } catch (problem) {
    const error = controller.signal.aborted ? controller.signal.reason : problem;
    const code = exitCode(error);
    const known = STATUS[code];
    await record(known ?? "failed", known ? error.message : `execution process exited with status ${code}`, code);
    throw error;
  } finally {
    clearTimeout(timer);
    stop();
  }
}
