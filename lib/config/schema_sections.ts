/**
 * Sections of the file's schema. A section is a mapping of known fields plus rules between them; its problems come in the
 * order of its fields, then unknown keys in the order written, and its rules are asked only when every field is right (the
 * first broken one speaks).
 *
 * @module
 */
import * as v from "valibot";
import { isMapping } from "../collections/mapping.ts";
import { nearName } from "../errors.ts";
import { quoteList } from "./python_text.ts";
import { didYouMean, HINT, INSIDE, labelItem, type Reads, shown } from "./schema_parts.ts";

/** A rule between the fields of a section: what is wrong, or undefined. */
export type Rule<T> = (value: T) => string | undefined;

/** Runs `schema` inside another one; its problems are added below `label` (if any). */
function inner<T>(
  schema: v.GenericSchema<unknown, T>,
  value: unknown,
  addIssue: (info: any) => void,
  label?: string,
): v.SafeParseResult<v.GenericSchema<unknown, T>> {
  const result = v.safeParse(schema, value);
  for (const { message, expected, path } of result.issues ?? []) {
    const items = [...(label === undefined ? [] : [labelItem(label, value)]), ...(path ?? [])];
    addIssue({ message, expected, ...(items.length > 0 ? { path: items } : {}) });
  }
  return result;
}

/** How {@link section} treats unknown keys. */
export interface SectionOptions {
  /** One problem that lists all unknown keys, as the Planner's adapter does, instead of one for each. */
  listUnknown?: boolean;
}

/**
 * A mapping of known fields.
 *
 * @param model what an error calls the section when it is no mapping
 * @param entries schema of each field, in the order in which problems are reported
 * @param rules rules between valid fields; the first broken one is reported at the section itself
 */
export function section<const E extends v.ObjectEntries>(
  model: string,
  entries: E,
  rules: readonly Rule<v.InferOutput<v.ObjectSchema<E, undefined>>>[] = [],
  options: SectionOptions = {},
): Reads<v.InferOutput<v.ObjectSchema<E, undefined>>> {
  type Output = v.InferOutput<v.ObjectSchema<E, undefined>>;
  const fields = v.object(entries, "Field required");
  const names = Object.keys(entries);
  return v.pipe(
    v.custom<Record<string, unknown>>(isMapping, `Input should be a valid dictionary or instance of ${model}`),
    v.rawTransform<Record<string, unknown>, Output>(({ dataset, addIssue, NEVER }) => {
      const result = inner(fields as v.GenericSchema<unknown, Output>, dataset.value, addIssue);
      const unknown = Object.keys(dataset.value).filter((key) => !Object.hasOwn(entries, key));
      if (options.listUnknown && unknown.length > 0) {
        const near = unknown.map((key) => nearName(key, names)).filter((name) => name !== undefined);
        addIssue({
          message: `Extra inputs are not permitted: ${quoteList(unknown.toSorted())}`,
          ...(near.length > 0 ? { expected: HINT + didYouMean(near.join("`, `")) } : {}),
          path: [{ type: INSIDE, origin: "key", input: dataset.value, key: unknown[0], value: undefined } as any],
        });
      } else {
        for (const key of unknown) {
          const near = nearName(key, names);
          addIssue({
            message: "Extra inputs are not permitted",
            ...(near ? { expected: HINT + didYouMean(near) } : {}),
            path: [{ type: "object", origin: "key", input: dataset.value, key, value: dataset.value[key] }],
          });
        }
      }
      if (!result.success || unknown.length > 0) return NEVER;
      for (const rule of rules) {
        const broken = rule(result.output);
        if (broken === undefined) continue;
        addIssue({ message: `Value error, ${broken}` });
        return NEVER;
      }
      return result.output;
    }),
  ) as unknown as Reads<Output>;
}

/**
 * A mapping whose field `type` says which of several sections it is; the tag becomes an element of the location.
 *
 * @param options section by tag, sorted by name as messages list them
 */
export function tagged<const O extends Record<string, Reads<any>>>(
  options: O,
): Reads<v.InferOutput<O[keyof O]>> {
  return v.pipe(
    v.unknown(),
    v.rawTransform<unknown, v.InferOutput<O[keyof O]>>(({ dataset, addIssue, NEVER }) => {
      const { value } = dataset;
      if (!isMapping(value)) {
        addIssue({ message: "Input should be a valid dictionary or object to extract fields from" });
        return NEVER;
      }
      const tag = value.type;
      if (tag === undefined) {
        addIssue({ message: "Unable to extract tag using discriminator 'type'" });
        return NEVER;
      }
      if (typeof tag !== "string" || !Object.hasOwn(options, tag)) {
        const tags = Object.keys(options);
        const near = typeof tag === "string" ? nearName(tag, tags) : undefined;
        addIssue({
          message: `Input tag '${shown(tag)}' found using 'type' does not match any of the expected tags: ${
            tags.map((name) => `'${name}'`).join(", ")
          }`,
          ...(near ? { expected: HINT + didYouMean(near) } : {}),
        });
        return NEVER;
      }
      const result = inner(options[tag], value, addIssue, tag);
      return result.success ? result.output : NEVER;
    }),
  );
}
