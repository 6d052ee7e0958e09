/**
 * The log of workers' lives under a scaling policy, in the form reports show it.
 *
 * @module
 */

/** Pool names as reports show them. */
export type PoolName = "agg" | "prefill" | "decode";

/** One worker that changes its state. */
export interface WorkerTransition {
  /** Counted in its pool, never used again. */
  worker_id: number;
  /** What happened to it. */
  transition: "worker_starting" | "worker_ready" | "worker_draining" | "worker_removed";
  /** `starting`, `active` or `draining`; null for a new worker. */
  prior_state: string | null;
  /** `starting`, `active`, `draining` or `removed`. */
  state: string;
  /** `startup_cancelled` for workers that never became ready. */
  reason?: string;
  /** The operation that started or drained it. */
  origin_operation_ordinal: number;
}

/** The transitions of one pool that belong together. */
export interface LifecycleOperation {
  /** 0, 1, … over the run. */
  operation_ordinal: number;
  /** Virtual time. */
  at_ms: number;
  /** The pool. */
  pool: PoolName;
  /** A decision, a finished start-up, or a worker that ran empty. */
  cause: "planner_scale" | "worker_ready_event" | "drain_settlement";
  /** The tick that decided it, for `planner_scale`. */
  planner_tick_ordinal: number | null;
  /** The operation this one completes, when there is exactly one. */
  origin_operation_ordinal: number | null;
  /** Added, then draining, then removed workers. */
  transitions: WorkerTransition[];
  /** Ids of the workers in each state afterwards. */
  state_after_batch: { active: number[]; starting: number[]; draining: number[] };
  /** Requests that the router let go because of the change. */
  topology_released_request_uuids: string[];
}

/** Collects the operations of all pools of a run; ordinals count over all of them. */
export class LifecycleLog {
  readonly operations: LifecycleOperation[] = [];

  /** Ordinal the next operation will get. */
  get next(): number {
    return this.operations.length;
  }

  add(operation: Omit<LifecycleOperation, "operation_ordinal" | "topology_released_request_uuids">): void {
    this.operations.push({
      operation_ordinal: this.next,
      ...operation,
      topology_released_request_uuids: [],
    });
  }
}

/** A worker as it is after a change of its state. */
export function transitionOf(
  worker: { readonly id: number; readonly state: string },
  name: WorkerTransition["transition"],
  prior: string | null,
  origin: number,
): WorkerTransition {
  return {
    worker_id: worker.id,
    transition: name,
    prior_state: prior,
    state: worker.state,
    origin_operation_ordinal: origin,
  };
}
