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
