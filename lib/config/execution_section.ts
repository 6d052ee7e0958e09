/**
 * The `execution` section: what the run itself may use of the host.
 *
 * @module
 */
import type { ResourceLimits } from "./plan.ts";
import { orWord, type Reads, strictInt, strictNumber, withDefault } from "./schema_parts.ts";
import { section } from "./schema_sections.ts";

const resources: Reads<ResourceLimits> = section("ExecutionResources", {
  initialization_timeout_seconds: withDefault(strictNumber({ gt: 0 }), 60),
  shutdown_timeout_seconds: withDefault(strictNumber({ gt: 0 }), 5),
  memory_limit_gb: withDefault(orWord("auto", strictNumber({ gt: 0 }), "constrained-float"), "auto"),
  cpu_limit: withDefault(orWord("auto", strictInt({ gt: 0 }), "constrained-int"), "auto"),
  reserve_memory_gb: withDefault(strictNumber({ ge: 0 }), 1),
  reserve_memory_fraction: withDefault(strictNumber({ ge: 0, lt: 1 }), 0),
  available_memory_fraction: withDefault(strictNumber({ gt: 0, le: 1 }), 0.9),
});

/** Schema of `execution`. */
export const executionSection: Reads<{ resources: ResourceLimits }> = section("ExecutionConfig", {
  resources: withDefault(resources, {}),
});
