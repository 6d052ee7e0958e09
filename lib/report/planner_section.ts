/**
 * The `planner` section of a report, for whoever reads reports. The Planner fills it and owns its types.
 *
 * @module
 */
export type * from "../planner/report.ts";
