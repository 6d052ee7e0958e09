/**
 * Which Planner ran: the identity part of the `planner` object.
 *
 * @module
 */
import { BENCHMARK_GRANULARITY, type Bootstrap, noBootstrap } from "../planner/bootstrap.ts";
import { canonicalJson } from "../planner/canonical_json.ts";
import type { PlannerConfig } from "../planner/config.ts";
import type { PlannerMetadata } from "./planner_section.ts";

/** Left out of the configuration's digest: they change what is written, not what is decided. */
const DIGEST_EXCLUSIONS = [
  "report_output_dir",
  "report_filename",
  "report_interval_hours",
  "report_write_gzip_log",
  "live_dashboard_port",
  "control_api_port",
  "plugin_registration.auth",
  "plugin_registration.transport",
  "plugin_registration.protocol_version_min",
  "plugin_registration.protocol_version_max",
  "plugin_registration.heartbeat_timeout_seconds",
  "plugin_registration.heartbeat_missed_threshold",
  "plugin_registration.admin",
  "plugin_registration.in_process_plugins.kwargs",
  "scheduling.external_plugins.endpoint",
  "scheduling.external_plugins.auth_token",
  "scheduling.gateway",
];

const STEPS = ["builtin_load_predict", "builtin_load_propose", "builtin_throughput_propose"];

/** The fields of a configuration that decide something. */
const decisiveFields = (config: PlannerConfig) =>
  Object.fromEntries(Object.entries(config).filter(([key]) => !DIGEST_EXCLUSIONS.includes(key)));

/** The text whose SHA-256 identifies a configuration. */
export const configIdentity = (config: PlannerConfig): string => canonicalJson(decisiveFields(config));

/**
 * Describes a Planner.
 *
 * @param bootstrap only target `sla` has one
 * @param sha256 hexadecimal digest of a text
 */
export function plannerMetadata(
  config: PlannerConfig,
  bootstrap: Bootstrap | undefined,
  { sha256, captureDetails }: { sha256: (text: string) => string; captureDetails: boolean },
): PlannerMetadata {
  return {
    planner_config_digest: sha256(configIdentity(config)),
    planner_config: decisiveFields(config),
    planner_config_identity_exclusions: DIGEST_EXCLUSIONS,
    builtin_plugin_ids: STEPS,
    configured_plugin_identities: [],
    plugin_pipeline: STEPS.map((plugin_id) => ({ plugin_id, source: "builtin" })),
    pipeline_schema_version: "planner-plugin-pipeline.v1",
    mode: config.mode === "agg" ? "agg" : "disagg",
    benchmark_granularity: BENCHMARK_GRANULARITY,
    bootstrap: (config.optimization_target === "sla" && bootstrap || noBootstrap).metadata,
    details_captured: captureDetails,
    advisory: config.advisory,
    retune: null,
  };
}
