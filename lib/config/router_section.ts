/**
 * The `router` section: which worker gets a request.
 *
 * @module
 */
import * as v from "valibot";
import { ROUTER_NAMES } from "../router/names.ts";
import { quoteList } from "./python_text.ts";
import { literal, nonemptyText, Problem, reads, strictInt, strictNumber, withDefault } from "./schema_parts.ts";
import { section } from "./schema_sections.ts";

/** A number of the KV router: absent is left to its default, null is refused in words of its own. */
const knob = () =>
  v.optional(reads<number>((value) => {
    if (value === null) return new Problem("Value error, Router numeric knobs do not accept null");
    const result = v.safeParse(strictNumber({ ge: 0 }), value);
    return result.success ? result.output : new Problem(result.issues[0].message);
  }));

const fields = {
  policy: withDefault(literal(ROUTER_NAMES), "round_robin"),
  prefill_load_model: withDefault(
    section("PrefillLoadModel", { type: withDefault(literal(["none", "aic", "ais"]), "none") }),
    {},
  ),
  overlap_score_credit: knob(),
  prefill_load_scale: knob(),
  temperature: knob(),
  seed: v.optional(strictInt({ ge: 0 })),
  policy_file: v.optional(nonemptyText()),
};

/** `router` as the file has it; knobs that were not written are absent. */
export type RouterSection = v.InferOutput<v.ObjectSchema<typeof fields, undefined>>;

/** Schema of `router`. `seed` (of the random choices between equal workers) and `policy_file` are dynosim's own. */
export const routerSection = section("RouterConfig", fields, [
  ({ policy, prefill_load_model, ...knobs }) => {
    const given = Object.entries(knobs).filter(([, value]) => value !== undefined).map(([name]) => name);
    if (policy === "kv_router" || (given.length === 0 && prefill_load_model.type === "none")) return undefined;
    return `${policy} requires prefill_load_model.type='none' and rejects KV-router knobs ` +
      quoteList(given.toSorted());
  },
]);
