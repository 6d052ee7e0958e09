/**
 * What a value of JSON or YAML is.
 *
 * @module
 */

/** Whether a value has fields by name: no list, no null, no single value. */
export const isMapping = <Value = unknown>(value: unknown): value is Record<string, Value> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
