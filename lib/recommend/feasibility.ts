/**
 * Whether a shape of a role can hold its model and one sequence of the longest kind. Needs the facts of the model and of
 * the hardware, no measurements.
 *
 * @module
 */
import { ConfigError } from "../errors.ts";
import type { Backend } from "../engine/settings.ts";
import { DEFAULT_MEMORY_FRACTION } from "../timing/aic/capacity.ts";
import type { PerfCatalog } from "../timing/aic/catalog.ts";
import { Deployment } from "../timing/aic/deployment.ts";
import type { ModelFacts } from "../timing/aic/model_facts.ts";
import { largest, least } from "./domains.ts";
import type { EngineSearch, RoleSearch } from "./engine_domain.ts";
import type { Replicas } from "./shapes.ts";

/** Why a shape is out: no memory for the model, for the context, sizes that do not divide, rules of the backend. */
export type Verdict =
  | { fits: true }
  | { fits: false; why: "model" | "context" | "split" | "backend"; reason: string };

/** Asks each question once. */
export class Feasibility {
  readonly #facts: ModelFacts;
  readonly #catalog: PerfCatalog;
  readonly #engine: EngineSearch;
  readonly #context: number;
  readonly #known = new Map<string, Verdict>();

  /** @param context tokens of the engine's longest sequence */
  constructor(facts: ModelFacts, catalog: PerfCatalog, engine: EngineSearch, context: number) {
    this.#facts = facts;
    this.#catalog = catalog;
    this.#engine = engine;
    this.#context = context;
  }

  /** Whether the model is a mixture of experts. */
  get mixture(): boolean {
    return this.#facts.experts > 1;
  }

  /** Version of a backend on a role's hardware, or why it has none. */
  version(role: RoleSearch, backend: Backend): string | ConfigError {
    try {
      return this.#catalog.version(role.hardware, backend, this.#engine.versions[backend] ?? null);
    } catch (error) {
      if (error instanceof ConfigError) return error;
      throw error;
    }
  }

  /** Whether a worker of that shape holds the model and one sequence. */
  verdict(role: RoleSearch, backend: Backend, shape: Replicas): Verdict {
    const { tensor, pipeline, attentionData, moeTensor, moeExpert } = shape;
    const key = [role.key, backend, tensor, pipeline, attentionData, moeTensor, moeExpert].join(" ");
    let known = this.#known.get(key);
    if (known === undefined) this.#known.set(key, known = this.#ask(role, backend, shape));
    return known;
  }

  /** Capacity of one rank in tokens, as a candidate with these knobs has it. */
  tokens(
    role: RoleSearch,
    backend: Backend,
    shape: Replicas,
    maxBatchedTokens: number,
    memoryFraction: number,
  ): number {
    return this.#deployment(role, backend, shape).kvCapacity({ maxBatchedTokens, memoryFraction }).tokens;
  }

  #deployment(role: RoleSearch, backend: Backend, shape: Replicas): Deployment {
    const { tensor, pipeline, attentionData, moeTensor, moeExpert } = shape;
    const { written, versions } = this.#engine;
    return new Deployment(this.#facts, {
      hardware: role.hardware,
      backend,
      backendVersion: versions[backend] ?? null,
      tensor,
      pipeline,
      attentionData,
      moeTensor,
      moeExpert,
      quant: {
        gemm: written.gemm_quant_mode,
        moe: written.moe_quant_mode,
        kvcache: written.kvcache_quant_mode,
        fmha: written.fmha_quant_mode,
        comm: written.comm_quant_mode,
      },
      databaseMode: written.database_mode,
    }, this.#catalog);
  }

  #ask(role: RoleSearch, backend: Backend, shape: Replicas): Verdict {
    const refused = backendRule(backend, shape, this.mixture);
    if (refused !== undefined) return { fits: false, why: "backend", reason: refused };
    const context = typeof role.contextLength === "number" ? role.contextLength : this.#context;
    let tokens: number;
    if (role.fixedBlocks !== null && role.blockSize !== null) {
      tokens = role.fixedBlocks * least(role.blockSize);
    } else {
      try {
        const fraction = role.memoryFraction === null ? DEFAULT_MEMORY_FRACTION[backend] : least(role.memoryFraction);
        tokens = this.tokens(role, backend, shape, largest(role.tokens), fraction);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return {
          fits: false,
          why: /no KV budget/.test(error.message) ? "model" : "split",
          reason: error.message.trim(),
        };
      }
    }
    if (tokens > context) return { fits: true };
    return {
      fits: false,
      why: "context",
      reason: `the KV cache holds ${tokens} tokens, a sequence may have ${context}`,
    };
  }
}

const powerOf2 = (size: number) => Number.isInteger(Math.log2(size)) && size <= 128;

/** What no backend, or this one, does with a shape; matters for shapes that a file lists itself. */
function backendRule(backend: Backend, shape: Replicas, mixture: boolean): string | undefined {
  const { tensor, pipeline, attentionData, moeTensor, moeExpert } = shape;
  if (pipeline !== 1) return "pipeline parallelism is not searched: pipeline must be 1";
  if (!mixture) {
    return attentionData * moeTensor * moeExpert === 1
      ? undefined
      : "a dense model is split by tensor alone: the other sizes must be 1";
  }
  if (![tensor, attentionData, moeTensor, moeExpert].every(powerOf2)) return "sizes must be powers of two up to 128";
  if (tensor * attentionData !== moeTensor * moeExpert) {
    return "tensor × attention_data must equal moe_tensor × moe_expert";
  }
  if (backend === "trtllm" && tensor > 1 && attentionData > 1) {
    return "trtllm does not combine tensor and attention_data";
  }
  if (backend === "vllm" && moeTensor > 1 && moeExpert > 1) return "vllm does not combine moe_tensor and moe_expert";
}
