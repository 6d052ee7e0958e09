/**
 * dynosim: replay LLM request traces through simulated inference clusters.
 *
 * @module
 */
export {
  ConfigError,
  type ConfigIssue,
  type Place,
  ResourceLimitError,
  SimulationError,
  TraceError,
} from "./lib/errors.ts";
export type {
  Decision,
  PassRow,
  RoleSnapshot,
  RouterKnobs,
  RouterState,
  ScalingPolicy,
  Snapshot,
  TrafficWindow,
} from "./lib/planner/policy.ts";
