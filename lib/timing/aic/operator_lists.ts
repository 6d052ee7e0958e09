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
    throw new ConfigError(`num_heads ${facts.heads} should be divisible by tp_size ${tensor} `);
  }
  if (!family.spreadsExperts(facts)) return;
  if (tensor * attentionData !== moeTensor * moeExpert) {
    throw new ConfigError(
      `Parallelism width mismatch: tp_size(${tensor}) * attention_dp_size(${attentionData}) * cp_size(1) = ` +
        `${tensor * attentionData}, but moe_tp_size(${moeTensor}) * moe_ep_size(${moeExpert}) = ` +
        `${moeTensor * moeExpert}. These must be equal.`,
    );
  }
  if (moeExpert > Math.max(facts.experts, 1)) {
    throw new ConfigError(`ep size cannot be larger than num_experts ${facts.experts}`);
  }
}
