/**
 * The operator lists of a model: its family builds them, once it is clear that the model is known and can be split as
 * asked.
 *
 * @module
 */
import { ConfigError } from "../../errors.ts";
import type { Family } from "./families/family.ts";
import { familyOf, SUPPORTED_ARCHITECTURES } from "./families/registry.ts";
import type { ListRequest } from "./list_builder.ts";
import type { ModelFacts } from "./model_facts.ts";
import type { OperatorLists } from "./operator_spec.ts";

/**
 * The family of a model.
 *
 * @throws {ConfigError} when the architecture has none, or the configuration lacks what it needs.
 */
export function requireFamily({ architecture, problem }: ModelFacts): Family<any> {
  const family = familyOf(architecture);
  if (family === undefined) {
    throw new ConfigError(
      `no operator list for the architecture '${architecture}' (supported: ${SUPPORTED_ARCHITECTURES.join(", ")})`,
    );
  }
  if (problem !== null) throw new ConfigError(problem);
  return family;
}

/**
 * The lists of a model under a parallelism.
 *
 * @throws {ConfigError} when the architecture has no lists, or the model cannot be split that way.
 */
export function operatorLists(request: Omit<ListRequest, "own">): OperatorLists {
  const family = requireFamily(request.facts);
  const whole = { ...request, own: request.facts.own };
  checkParallelism(whole, family);
  family.check?.(whole);
  return family.lists(whole);
}

function checkParallelism({ facts, parallelism }: ListRequest, family: Family<any>): void {
  const { tensor, attentionData, moeTensor, moeExpert } = parallelism;
  if (facts.heads % tensor !== 0) {
    refuse("tensor", `tensor ${tensor} does not divide the model's ${facts.heads} attention heads`);
  }
  if (!family.spreadsExperts(facts)) return;
  const ranks = tensor * attentionData, shares = moeTensor * moeExpert;
  if (ranks !== shares) {
    const expert = ranks / moeTensor;
    const fit = Number.isInteger(expert) && expert <= Math.max(facts.experts, 1)
      ? moeTensor > 1 ? `moe_tensor ${moeTensor}, moe_expert ${expert}` : `moe_expert ${expert}`
      : `moe_tensor ${ranks}, moe_expert 1`;
    refuse(
      "tensor",
      `the experts must be spread over the same GPUs as the attention: tensor ${tensor} × attention_data ` +
        `${attentionData} = ${ranks}, and moe_tensor ${moeTensor} × moe_expert ${moeExpert} = ${shares}; write ${fit}`,
    );
  }
  if (moeExpert > Math.max(facts.experts, 1)) {
    refuse("moe_expert", `moe_expert ${moeExpert} is more than the model's ${facts.experts} experts`);
  }
}

/** Refuses a split; the issue names its field inside `parallelism`. */
function refuse(field: string, message: string): never {
  throw new ConfigError(message, [{ path: `parallelism.${field}`, message }]);
}
