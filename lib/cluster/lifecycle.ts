/**
 * The log of workers' lives under a scaling policy, in the form reports show it.
 *
 * @module
 */

/** Pool names as reports show them. */
export type PoolName = "agg" | "prefill" | "decode";

/** One worker changing its state. */
export interface WorkerTransition {
  worker_id: number;
  transition: "worker_starting" | "worker_ready" | "worker_draining" | "worker_removed";
  prior_state: string | null;
  state: string;
  reason?: string;
  origin_operation_ordinal: number;
}

/** Transitions of one pool that belong together. */
export interface LifecycleOperation {
  operation_ordinal: number;
  at_ms: number;
  pool: PoolName;
  cause: "planner_scale" | "worker_ready_event" | "drain_settlement";
  planner_tick_ordinal: number | null;
  origin_operation_ordinal: number | null;
  transitions: WorkerTransition[];
  state_after_batch: { active: number[]; starting: number[]; draining: number[] };
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
