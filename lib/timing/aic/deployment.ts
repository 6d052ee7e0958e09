/**
 * A model on a GPU system under a backend and a parallelism, resolved: the root from which timing, capacity and the
 * Planner's benchmark are made.
 *
 * @module
 */
import { checkNumber, checkOptions, ConfigError, type OptionNames } from "../../errors.ts";
import { MeasuredOperatorFactory } from "./measured_operators.ts";
import { AT_THE_BOUND, boundFactory, BoundOperatorFactory, type BoundPart, withoutLosses } from "./bound_operators.ts";
import { type CapacityRequest, type KvCapacity, kvCapacity } from "./capacity.ts";
import type { PerfCatalog, SetName } from "./catalog.ts";
import { type DatabaseMode, databaseMode } from "./database_mode.ts";
import type { Serving } from "./families/family.ts";
import { ForwardPassModel, type OperatorFactory } from "./forward_pass_model.ts";
import type { Hardware } from "./hardware.ts";
import type { ModelFacts } from "./model_facts.ts";
import { operatorLists, requireFamily } from "./operator_lists.ts";
import type { OperatorLists, OperatorSpec, Parallelism } from "./operator_spec.ts";
import type { PerfSet } from "./perf_set.ts";
import type { FmhaMode, KvMode, QuantModes } from "./quant.ts";
import { type TransferKind, transferKinds } from "./transfer_policy.ts";
import { chooseModes, type QuantOverrides } from "./quant_choice.ts";
import { HybridOperatorFactory } from "./hybrid_operators.ts";
import { MeasuredUtilisations } from "./measured_utilisations.ts";

/** What is deployed, by name. */
export interface DeploymentOptions {
  /** Name of the GPU system, e.g. `h200_sxm`. */
  hardware: string;
  /** `vllm`, `sglang` or `trtllm`. Default `vllm`. */
  backend?: string;
  /** A version slot or one of the slots' versions. Default `current`. */
  backendVersion?: string | null;
  /** Tensor-parallel ranks. Default 1, as the other sizes. */
  tensor?: number;
  /** Pipeline stages. */
  pipeline?: number;
  /** Attention-data-parallel ranks. */
  attentionData?: number;
  /** Ranks over which every expert is split. */
  moeTensor?: number;
  /** Ranks over which the experts are spread. */
  moeExpert?: number;
  /** Quantisation modes that replace what the checkpoint implies. */
  quant?: QuantOverrides;
  /** Depth of multi-token prediction. Default 0. */
  nextn?: number;
  /** How operators are estimated (see `DATABASE_MODES`). Default `SILICON`: from measurements. */
  databaseMode?: string | null;
  /** What `HYBRID` and `EMPIRICAL` may borrow from what was measured (see {@linkcode transferKinds}). Default: all. */
  transferPolicy?: string | readonly string[] | null;
  /**
   * Attention over prompts falls back to bfloat16 where the mode that the checkpoint implies was not measured. Default
   * true; false fails there, as the bare performance library does.
   */
  fmhaFallback?: boolean;
}

/** Names of the options of a deployment. */
export const DEPLOYMENT_OPTIONS: OptionNames<DeploymentOptions> = {
  hardware: true,
  backend: true,
  backendVersion: true,
  tensor: true,
  pipeline: true,
  attentionData: true,
  moeTensor: true,
  moeExpert: true,
  quant: true,
  nextn: true,
  databaseMode: true,
  transferPolicy: true,
  fmhaFallback: true,
};
const QUANT_OPTIONS: OptionNames<QuantOverrides> = { gemm: true, moe: true, kvcache: true, fmha: true, comm: true };

const BACKENDS = ["vllm", "sglang", "trtllm"];

/**
 * A resolved deployment. Nothing is loaded before it is needed.
 *
 * @example
 * ```ts
 * import { Deployment, findModel, PerfCatalog } from "dynosim";
 *
 * const { facts } = findModel("Qwen/Qwen3-32B-FP8")!;
 * const deployment = new Deployment(facts, { hardware: "h200_sxm" }, new PerfCatalog());
 * console.log(deployment.modes.gemm, deployment.modes.kvcache); // fp8_block fp8
 * ```
 */
export class Deployment {
  /** The model. */
  readonly facts: ModelFacts;
  /** The GPU system. */
  readonly hardware: Hardware;
  /** Serving framework. */
  readonly backend: string;
  /** How a worker is spread over GPUs. */
  readonly parallelism: Parallelism;
  /** Depth of multi-token prediction. */
  readonly nextn: number;
  /** How operators are estimated. */
  readonly databaseMode: DatabaseMode;
  readonly #transfers: ReadonlySet<TransferKind>;
  readonly #options: DeploymentOptions;
  /** Systems and measurements that it was made with. */
  readonly catalog: PerfCatalog;
  #model: ForwardPassModel | undefined;
  #modes: QuantModes | undefined;

  /**
   * A deployment whose measurements come from `catalog`.
   *
   * @throws {ConfigError} when the hardware, the backend or its version is not known, or the model cannot be split that
   *   way.
   */
  constructor(facts: ModelFacts, options: DeploymentOptions, catalog: PerfCatalog) {
    checkOptions("Deployment", options, DEPLOYMENT_OPTIONS);
    if (options.quant) checkOptions("Deployment: quant", options.quant, QUANT_OPTIONS);
    for (const size of ["tensor", "pipeline", "attentionData", "moeTensor", "moeExpert"] as const) {
      checkNumber(`Deployment: ${size}`, options[size], { least: 1, most: 65_536, whole: true });
    }
    checkNumber("Deployment: nextn", options.nextn, { least: 0, whole: true });
    const { backend = "vllm", nextn = 0 } = options;
    if (!BACKENDS.includes(backend)) {
      throw new ConfigError(`unknown backend '${backend}' (known: ${BACKENDS.join(", ")})`);
    }
    this.facts = facts;
    const { hardware, backends } = catalog.system(options.hardware);
    this.hardware = hardware;
    if (Object.hasOwn(backends, backend)) catalog.version(hardware.name, backend, options.backendVersion ?? null);
    this.backend = backend;
    this.nextn = nextn;
    this.databaseMode = databaseMode(options.databaseMode);
    this.#transfers = transferKinds(options.transferPolicy);
    this.parallelism = {
      tensor: options.tensor ?? 1,
      pipeline: options.pipeline ?? 1,
      attentionData: options.attentionData ?? 1,
      moeTensor: options.moeTensor ?? 1,
      moeExpert: options.moeExpert ?? 1,
    };
    this.#options = options;
    this.catalog = catalog;
    this.#lists(chooseModes(facts, this.#serving(), options.quant));
  }

  /** The same deployment, its operators estimated in another way. */
  inMode(databaseMode: DatabaseMode): Deployment {
    return new Deployment(this.facts, { ...this.#options, databaseMode }, this.catalog);
  }

  /** The same deployment with other quantisation modes; those that are not named follow from the checkpoint. */
  quantised(quant: QuantOverrides): Deployment {
    return new Deployment(this.facts, { ...this.#options, quant: { ...this.#options.quant, ...quant } }, this.catalog);
  }

  /** Version of the backend whose measurements count. */
  get backendVersion(): string {
    return this.catalog.version(this.hardware.name, this.backend, this.#options.backendVersion ?? null);
  }

  /** Quantisation modes; asking loads the measurements when the attention mode depends on what was measured. */
  get modes(): QuantModes {
    return this.#modes ??= chooseModes(
      this.facts,
      this.#serving(),
      this.#options.quant,
      this.#options.fmhaFallback === false || this.databaseMode === "SOL"
        ? undefined
        : (fmha, kvcache) => this.#measured(fmha, kvcache),
    );
  }

  /** Quantisation modes as the checkpoint and the options imply them, whatever was measured. */
  get impliedModes(): QuantModes {
    return chooseModes(this.facts, this.#serving(), this.#options.quant);
  }

  /** Bytes that a sequence of one token takes in one rank's cache. */
  get kvBytesPerToken(): number {
    const { facts, hardware, backend, parallelism } = this;
    const kv = this.impliedModes.kvcache;
    return requireFamily(facts).memory.cache({ facts, own: facts.own, hardware, backend, parallelism, kv }).bytes(1);
  }

  /**
   * Operators of a pass over prompts and of a decode step.
   *
   * @internal
   */
  get lists(): OperatorLists {
    return this.#lists(this.modes);
  }

  /**
   * Estimates of forward passes; the same object every time.
   *
   * @throws {ConfigError} when the measurements are not on this machine.
   */
  forwardPassModel(): ForwardPassModel {
    return this.#model ??= new ForwardPassModel(this.#operatorFactory(), this.lists, this.nextn);
  }

  /**
   * What gives operators their times and their energies; null when no power was measured. What is estimated instead of
   * measured has no energy.
   *
   * @internal
   */
  energyFactories(): { times: OperatorFactory; energies: OperatorFactory } | null {
    if (this.databaseMode !== "SILICON" && this.databaseMode !== "HYBRID") return null;
    const tables = this.catalog.energies(this.#setName);
    if (tables === undefined) return null;
    const measured = new MeasuredOperatorFactory(tables);
    const energies = this.databaseMode === "SILICON" ? measured : new HybridOperatorFactory(measured);
    return { times: this.#operatorFactory(), energies };
  }

  /**
   * Passes at the bound of the hardware, or of its arithmetic or memory alone; needs no measurements.
   *
   * @internal
   */
  boundModel(part: BoundPart): ForwardPassModel {
    const { hardware, backend } = this, lists = this.inMode("SOL").lists;
    return new ForwardPassModel(boundFactory(part, hardware, backend), lists, this.nextn);
  }

  /** KV capacity of one rank; needs no measurements. */
  kvCapacity(request: CapacityRequest): KvCapacity {
    const { facts, hardware, backend, parallelism } = this;
    const modes = this.impliedModes;
    const operators = this.#lists(modes, 0).context;
    const gemmFixed = this.#gemmFixed;
    return kvCapacity({ facts, hardware, backend, parallelism, modes, gemmFixed, operators }, request);
  }

  #serving(): Serving {
    const { backend, hardware } = this;
    const measured = Object.hasOwn(this.catalog.system(hardware.name).backends, backend);
    return { backend, hardware, backendVersion: measured ? this.backendVersion : null };
  }

  #operatorFactory(): OperatorFactory {
    const { hardware, backend } = this;
    if (this.databaseMode === "SOL") {
      return new BoundOperatorFactory(withoutLosses(hardware), backend, AT_THE_BOUND, this.#setIfThere()?.ownTables());
    }
    const set = this.#set();
    const measured = new MeasuredOperatorFactory(set);
    if (this.databaseMode === "SILICON") return measured;
    // donors of measurements count for what is measured, not for what is estimated throughout
    const tables = this.databaseMode === "EMPIRICAL" ? set.ownTables() : set;
    const utilisations = new MeasuredUtilisations(tables, this.#transfers);
    const empirical = new BoundOperatorFactory(set.header.hardware, backend, utilisations, tables);
    return this.databaseMode === "EMPIRICAL" ? empirical : new HybridOperatorFactory(measured, empirical);
  }

  /** Whether attention over prompts was measured in these modes. */
  #measured(fmha: FmhaMode, kvcache: KvMode): boolean {
    const set = this.#set();
    const modes = { ...chooseModes(this.facts, this.#serving(), this.#options.quant), fmha, kvcache };
    return this.#lists(modes).context.some((spec) => measuredAttention(set, spec));
  }

  #lists(modes: QuantModes, nextn = this.nextn): OperatorLists {
    const { facts, hardware, backend, parallelism } = this;
    const gemmFixed = this.#gemmFixed;
    return operatorLists({ facts, hardware, backend, parallelism, modes, nextn, gemmFixed });
  }

  get #gemmFixed(): boolean {
    return Boolean(this.#options.quant?.gemm);
  }

  #setIfThere(): PerfSet | undefined {
    try {
      return this.#set();
    } catch (problem) {
      if (problem instanceof ConfigError) return undefined;
      throw problem;
    }
  }

  #set(): PerfSet {
    return this.catalog.load(this.#setName);
  }

  get #setName(): SetName {
    return { system: this.hardware.name, backend: this.backend, version: this.backendVersion };
  }
}

/** Whether an operator that attends to prompts, or one inside it, was measured in its number formats. */
function measuredAttention(set: PerfSet, spec: OperatorSpec): boolean {
  switch (spec.kind) {
    case "context_attention":
      return Object.hasOwn(set.header.members, `context_attention/${spec.fmha}/${spec.kv}`);
    case "context_mla":
      return set.member(spec.kind)?.has(`${spec.fmha}|${spec.kv}`) ?? false;
    case "mla_context_module": {
      const slice = `${spec.fmha}|${spec.kv}|`;
      return set.member(spec.kind)?.names().some((name) => name.startsWith(slice)) ?? false;
    }
    case "fallback":
      return [spec.primary, ...spec.list].some((inner) => measuredAttention(set, inner));
    default:
      return false;
  }
}
