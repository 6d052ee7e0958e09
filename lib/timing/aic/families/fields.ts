/**
 * Reads fields of a model's `config.json`.
 *
 * @module
 */
import * as v from "valibot";
import { ConfigError } from "../../../errors.ts";
import type { Json } from "../checkpoint_quant.ts";

/** A whole number from 1. */
export const count = v.pipe(v.number(), v.integer(), v.minValue(1));

/** A whole number from 0. */
export const countOr0 = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A number that may be absent or null, with what stands for it then. */
export const countIfThere = (instead: number) => v.pipe(v.nullish(countOr0, instead), v.number());

/**
 * The fields of `schema`.
 *
 * @throws {ConfigError} naming the first field that is missing or wrong, and what was found there.
 */
export function fields<const S extends v.GenericSchema<any, any>>(schema: S, config: Json): v.InferOutput<S> {
  const result = v.safeParse(schema, config);
  if (result.success) return result.output;
  const issue = result.issues[0];
  const field = v.getDotPath(issue) ?? "";
  const found = issue.input === undefined ? "is missing" : `is ${JSON.stringify(issue.input)}`;
  throw new ConfigError(`'${field}' in the model's config.json ${found}; expected ${issue.expected ?? issue.message}`);
}
