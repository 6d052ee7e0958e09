/**
 * dynosim: replay LLM request traces through simulated inference clusters.
 *
 * @module
 */
export {
  ConfigError,
  type ConfigIssue,
  nearName,
  type Place,
  ResourceLimitError,
  SimulationError,
  TraceError,
} from "./lib/errors.ts";
export type {
  Decision,
  PassRow,
  Pending,
  RoleSnapshot,
  RouterKnobs,
  RouterState,
  ScalingPolicy,
  Snapshot,
  TrafficWindow,
} from "./lib/planner/policy.ts";

export { parseLaunch, type ParseLaunchOptions } from "./lib/engine/launch.ts";
export type {
  Backend,
  RankSettings,
  Role,
  SglangSettings,
  TimingSettings,
  WorkerSettings,
} from "./lib/engine/settings.ts";
