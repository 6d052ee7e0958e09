/**
 * The `router` section of a search: which policy, and the KV router's knobs where that is the policy.
 *
 * @module
 */
import * as v from "valibot";
import { quoteList } from "../config/python_text.ts";
import { decimalRange } from "../config/retune_domains.ts";
import { Problem, type Reads, reads } from "../config/schema_parts.ts";
import { section } from "../config/schema_sections.ts";
import { NO_SPACE, type SectionSpace } from "./branch.ts";
import { type Domain, listed, numberDomain, wordDomain } from "./domains.ts";

/** Values of a knob that the file does not name. */
const SEARCHED = {
  overlap_score_credit: [0, 0.5, 1],
  prefill_load_scale: [0, 0.25, 0.5, 1, 2, 4, 8, 16, 32],
  temperature: [0, 0.2, 0.5, 1],
} as const;
type Knob = keyof typeof SEARCHED;
const KNOBS = Object.keys(SEARCHED) as Knob[];

/** The router of a search. */
export interface RouterSearch {
  policies: readonly ("round_robin" | "kv_router")[];
  loadModels: readonly string[];
  knobs: Readonly<Record<Knob, Domain>>;
}

const knob = (name: Knob): Reads<Domain | undefined> =>
  v.optional(v.lazy((value) => {
    if (value === null) return reads<Domain>(() => new Problem("Value error, Router numeric knobs do not accept null"));
    const exact = steps(value);
    return exact === undefined ? numberDomain({ ge: 0 }, `router.${name} range requires min >= 0`) : v.pipe(
      numberDomain({ ge: 0 }, `router.${name} range requires min >= 0`),
      v.transform(() => listed(decimalRange(...exact))),
    ) as unknown as Reads<Domain>;
  })) as unknown as Reads<Domain | undefined>;

/** A stepped range, whose values are counted in decimal arithmetic here. */
function steps(value: unknown): [number, number, number] | undefined {
  const range = (value as { range?: { min?: unknown; max?: unknown; step?: unknown } } | null)?.range;
  if (typeof range !== "object" || range === null) return undefined;
  const { min, max, step } = range;
  const usable = [min, max, step].every((one) => typeof one === "number" && Number.isFinite(one)) &&
    (step as number) > 0;
  return usable ? [min as number, max as number, step as number] : undefined;
}

const fields = {
  policy: v.optional(wordDomain(["round_robin", "kv_router"])),
  prefill_load_model: v.optional(section("PrefillLoadModelDomain", {
    type: v.optional(wordDomain(["none", "ais", "aic"])),
  })),
  overlap_score_credit: knob("overlap_score_credit"),
  prefill_load_scale: knob("prefill_load_scale"),
  temperature: knob("temperature"),
};

type Written = v.InferOutput<v.ObjectSchema<typeof fields, undefined>>;
type Choices<T> = Extract<Domain<T>, { kind: "choices" }>;

function resolve(written: Written): RouterSearch {
  const policies =
    ((written.policy ?? listed(["round_robin", "kv_router"])) as Choices<RouterSearch["policies"][number]>).values;
  const models = written.prefill_load_model?.type as Choices<string> | undefined;
  const fallback = policies.every((policy) => policy === "round_robin") && written.prefill_load_model === undefined
    ? ["none"]
    : ["none", "ais"];
  return {
    policies,
    loadModels: models?.values ?? fallback,
    knobs: Object.fromEntries(
      KNOBS.map((name) => [name, (written[name] as Domain | undefined) ?? listed(SEARCHED[name])]),
    ) as unknown as RouterSearch["knobs"],
  };
}

/** Schema of `router`. */
export const routerSearch: Reads<RouterSearch> = v.pipe(
  section("RouterDomain", fields, [
    (written) => {
      const { policies, loadModels } = resolve(written);
      if (policies.includes("round_robin") && !policies.includes("kv_router")) {
        if (loadModels.some((model) => model !== "none")) {
          return `router.policy=round_robin rejects prefill_load_model.type ${
            quoteList(loadModels.toSorted())
          }; only 'none' is allowed`;
        }
        const given = KNOBS.filter((name) => written[name] !== undefined);
        if (given.length > 0) {
          return `router.policy=round_robin rejects KV-router fields ${quoteList(given.toSorted())}`;
        }
      } else if (policies.includes("round_robin") && !loadModels.includes("none")) {
        return "router policy domain containing round_robin requires prefill_load_model.type to include none";
      }
    },
  ]),
  v.transform(resolve),
) as unknown as Reads<RouterSearch>;

const PREFIX = "adapter::dynamo.router::";
const MODE = `${PREFIX}mode`;
const LOAD_MODEL = `${PREFIX}prefill_load_model_type`;

/** Parameters of the router. */
export function routerSpace({ policies, loadModels, knobs }: RouterSearch): SectionSpace {
  if (!policies.includes("kv_router")) return { ...NO_SPACE, choices: new Map([[MODE, policies]]) };
  const choices = new Map<string, readonly unknown[]>([[LOAD_MODEL, loadModels]]);
  const floats = new Map<string, readonly [number, number]>();
  const log: string[] = [];
  for (const name of KNOBS) {
    const domain = knobs[name];
    if (domain.kind === "choices") choices.set(PREFIX + name, domain.values);
    else if (domain.min === domain.max) choices.set(PREFIX + name, [domain.min]);
    else {
      floats.set(PREFIX + name, [domain.min, domain.max]);
      if (domain.kind === "continuous" && domain.log) log.push(PREFIX + name);
    }
  }
  if (policies.length === 1) return { choices: new Map([[MODE, policies], ...choices]), floats, log, conditional: [] };
  return {
    choices: new Map([[MODE, policies]]),
    floats: new Map(),
    log: [],
    conditional: [{ selector: MODE, values: ["kv_router"], choices, floats, log: new Set(log) }],
  };
}

/** The router of a candidate, as a prediction's section. */
export function routerOf(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (values[MODE] === "round_robin") return { policy: "round_robin", prefill_load_model: { type: "none" } };
  return {
    policy: "kv_router",
    prefill_load_model: { type: values[LOAD_MODEL] },
    ...Object.fromEntries(KNOBS.map((name) => [name, values[PREFIX + name]])),
  };
}
