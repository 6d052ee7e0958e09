/**
 * The pool of a deployment mode: every legal choice of shapes and counts, with the backends that can run it, and what
 * was ruled out.
 *
 * @module
 */
import { ConfigError } from "../errors.ts";
import type { Backend } from "../engine/settings.ts";
import { entryGpus, type PoolEntry } from "./branch.ts";
import { contains } from "./domains.ts";
import {
  type EngineSearch,
  type Mode,
  ROLE_NAMES,
  type RoleKey,
  type RoleSearch,
  rolesOfMode,
} from "./engine_domain.ts";
import type { Feasibility, Verdict } from "./feasibility.ts";
import type { ParallelismKnob } from "./parallelism_domain.ts";
import { allGpus, PARALLELISM_KEYS, replicaConfigs, type Replicas, workerShapes } from "./shapes.ts";

/** Something that was ruled out before any replay, and how many candidates went with it. */
export interface RuledOut {
  mode: Mode;
  backend: Backend;
  role: RoleKey;
  /** Sizes of one worker; null when the whole backend is out. */
  shape: Replicas | null;
  why: Extract<Verdict, { fits: false }>["why"] | "data" | "sla";
  reason: string;
  /** Combinations of shapes and counts that fell with it. */
  combinations: number;
}

/** GPUs a candidate may have. */
export interface GpuBudget {
  most: number;
  fewest: number;
}

/** A pool, what was ruled out of it, and what a person should be told. */
export interface Pool {
  entries: PoolEntry[];
  ruledOut: RuledOut[];
  warnings: string[];
}

/** Combinations of shapes and counts that a search keeps in mind. */
const MOST_ENTRIES = 200_000;

function tooMany(mode: Mode, { most }: GpuBudget): ConfigError {
  const path = "optimization.constraints.max_candidate_gpus";
  const message = `up to ${most} GPUs make more than ${MOST_ENTRIES} combinations of shapes and counts (${mode}): ` +
    "lower it, or say under parallelism which sizes or replicas are wanted";
  return new ConfigError(`${path}: ${message}`, [{ path, message }]);
}

const keyOf = (roles: readonly Replicas[]): string =>
  roles.map((one) => PARALLELISM_KEYS.map(([, key]) => one[key]).join(" ")).join(" | ");

/**
 * Lists the pool of a mode; empty when nothing is legal.
 *
 * @throws {ConfigError} when a shape that the file lists is legal for no backend, or larger than the budget
 */
export function poolOf(mode: Mode, engine: EngineSearch, budget: GpuBudget, feasibility: Feasibility): Pool {
  const roles = rolesOfMode(mode).map((key) => engine.roles[key]!);
  const found = new Map<string, { roles: readonly Replicas[]; backends: Set<Backend> }>();
  const ruledOut: RuledOut[] = [], warnings: string[] = [];
  const listed = listedConfigs(roles, budget);
  for (const backend of new Set(engine.backends)) {
    const missing = roles.map((role) => [role, feasibility.version(role, backend)] as const)
      .find(([, version]) => version instanceof ConfigError);
    if (missing !== undefined) {
      const reason = (missing[1] as ConfigError).message;
      ruledOut.push({ mode, backend, role: missing[0].key, shape: null, why: "data", reason, combinations: 0 });
      continue;
    }
    const tally = new Tally(mode, backend);
    for (const candidate of listed ?? combinations(roles, budget, feasibility)) {
      const gpus = entryGpus(candidate);
      if (gpus > budget.most || gpus < budget.fewest || !wanted(roles, candidate)) continue;
      if (!tally.fits(roles, candidate, feasibility)) continue;
      const key = keyOf(candidate);
      const entry = found.get(key) ?? { roles: candidate, backends: new Set<Backend>() };
      entry.backends.add(backend);
      found.set(key, entry);
      if (found.size > MOST_ENTRIES) throw tooMany(mode, budget);
    }
    ruledOut.push(...tally.ruledOut);
    warnings.push(...tally.warnings(engine.model));
  }
  const entries = [...found.values()];
  checkListed(mode, roles, listed, entries, ruledOut);
  return { entries: listed === null ? entries : inOrder(listed, found), ruledOut, warnings };
}

/** What each shape that does not fit takes with it. */
class Tally {
  readonly #byShape = new Map<string, RuledOut>();

  constructor(readonly mode: Mode, readonly backend: Backend) {}

  fits(roles: readonly RoleSearch[], candidate: readonly Replicas[], feasibility: Feasibility): boolean {
    for (const [i, role] of roles.entries()) {
      const verdict = feasibility.verdict(role, this.backend, candidate[i]);
      if (verdict.fits) continue;
      const shape = { ...candidate[i], replicas: 1 };
      const key = `${role.key} ${keyOf([shape])}`;
      const known = this.#byShape.get(key) ??
        {
          mode: this.mode,
          backend: this.backend,
          role: role.key,
          shape,
          why: verdict.why,
          reason: verdict.reason,
          combinations: 0,
        };
      known.combinations++;
      this.#byShape.set(key, known);
      return false;
    }
    return true;
  }

  get ruledOut(): RuledOut[] {
    return [...this.#byShape.values()];
  }

  warnings(model: string): string[] {
    const of = (why: RuledOut["why"]) => this.ruledOut.filter((one) => one.why === why);
    const shapes = (all: readonly RuledOut[]) =>
      all.map(({ role, shape }) => `${ROLE_NAMES[role]} ${shapeText(shape!)}`).join(", ");
    const split = of("split"), context = of("context");
    return [
      ...split.length > 0
        ? [
          `${model} cannot be split into ${split.length} shape(s) on ${this.backend}: ${shapes(split)}: ${
            split[0].reason
          }`,
        ]
        : [],
      ...context.length > 0
        ? [
          `${context.length} shape(s) on ${this.backend} cannot hold one sequence of the longest kind (context_length): ${
            shapes(context)
          }: ${context[0].reason}`,
        ]
        : [],
    ];
  }
}

/** `tensor 2 × attention_data 4, moe_expert 8`: the sizes that are not 1. */
export function shapeText(shape: Replicas): string {
  const parts = PARALLELISM_KEYS.filter(([key, name]) => key !== "replicas" && shape[name] !== 1)
    .map(([key, name]) => `${key} ${shape[name]}`);
  return parts.length > 0 ? parts.join(" ") : "1 GPU";
}

/** The candidates that the file lists itself; null when it lists none in some role. */
function listedConfigs(roles: readonly RoleSearch[], budget: GpuBudget): readonly Replicas[][] | null {
  const lists = roles.map(({ parallelism }) => parallelism.kind === "listed" ? parallelism.configs : null);
  if (lists.includes(null)) return null;
  const all = lists.reduce<Replicas[][]>((found, list) => found.flatMap((one) => list!.map((next) => [...one, next])), [
    [],
  ]);
  const over = all.find((candidate) => entryGpus(candidate) > budget.most);
  if (over !== undefined) {
    const message =
      `pinned parallel config ${over.map(shapeAndCount).join(" + ")}: used_gpus=${entryGpus(over)} exceeds ` +
      `gpu_budget=${budget.most} (optimization.constraints.max_candidate_gpus in recommend); remove this preset or ` +
      "increase the GPU budget";
    throw new ConfigError(message, [{
      path: `engine.workers.${ROLE_NAMES[roles[0].key]}.parallelism.preset`,
      message,
    }]);
  }
  return all;
}

const shapeAndCount = (one: Replicas) => `${one.replicas} × (${shapeText(one)})`;

/** Every combination of the listed shapes of the roles, in the order of a search. */
function* combinations(
  roles: readonly RoleSearch[],
  { most, fewest }: GpuBudget,
  { mixture }: Feasibility,
): Generator<readonly Replicas[]> {
  if (roles.length === 1) {
    for (const one of replicaConfigs(workerShapes(mixture, most), most, fewest)) yield [one];
    return;
  }
  const each = [...replicaConfigs(workerShapes(mixture, most), most)];
  const smallest = Math.min(...each.map(allGpus));
  const usable = each.filter((one) => allGpus(one) <= most - smallest);
  for (const prefill of usable) {
    for (const decode of usable) yield [prefill, decode];
  }
}

/** A wish of a file that no legal shape fulfils. */
export interface UnmetWish {
  path: string;
  why: string;
}

/** The first size that a file asks for and no legal shape within the budget has; null when it asks for none. */
export function unmetWish(
  mode: Mode,
  engine: EngineSearch,
  budget: GpuBudget,
  feasibility: Feasibility,
): UnmetWish | null {
  const free = { ...engine, roles: { ...engine.roles } };
  for (const key of rolesOfMode(mode)) free.roles[key] = { ...engine.roles[key]!, parallelism: { kind: "default" } };
  const { entries } = poolOf(mode, free, budget, feasibility);
  if (entries.length === 0) return null;
  let together: UnmetWish | null = null;
  for (const [i, key] of rolesOfMode(mode).entries()) {
    const { parallelism } = engine.roles[key]!;
    if (parallelism.kind !== "filtered") continue;
    together ??= {
      path: `engine.workers.${ROLE_NAMES[key]}.parallelism`,
      why: `within ${budget.most} GPUs each of these sizes can be had, but not together`,
    };
    for (const [name, size] of PARALLELISM_KEYS) {
      const domain = parallelism.knobs[name as ParallelismKnob];
      const legal = [...new Set(entries.map(({ roles }) => roles[i][size]))].toSorted((a, b) => a - b);
      if (domain === undefined || legal.some((value) => contains(domain, value))) continue;
      return {
        path: `engine.workers.${ROLE_NAMES[key]}.parallelism.${name}`,
        why: `within ${budget.most} GPUs, ${name} can be ${legal.join(", ")}`,
      };
    }
  }
  return together;
}

/** Whether a candidate is one that the roles' filters and lists ask for. */
function wanted(roles: readonly RoleSearch[], candidate: readonly Replicas[]): boolean {
  return roles.every(({ parallelism }, i) => {
    if (parallelism.kind === "default") return true;
    if (parallelism.kind === "listed") return parallelism.configs.some((one) => keyOf([one]) === keyOf([candidate[i]]));
    return PARALLELISM_KEYS.every(([key, name]) => {
      const domain = parallelism.knobs[key as ParallelismKnob];
      return domain === undefined || contains(domain, candidate[i][name]);
    });
  });
}

/** Faults of a file's own list: nothing is skipped silently there. */
function checkListed(
  mode: Mode,
  roles: readonly RoleSearch[],
  listed: readonly (readonly Replicas[])[] | null,
  entries: readonly PoolEntry[],
  ruledOut: readonly RuledOut[],
): void {
  const list = roles.find(({ parallelism }) => parallelism.kind === "listed");
  if (list === undefined) return;
  const reasons = [...new Set(ruledOut.map(({ backend, reason }) => `${backend}: ${reason}`))].join("; ");
  const why = reasons === "" ? "" : ` (${reasons})`;
  const path = `engine.workers.${ROLE_NAMES[list.key]}.parallelism.preset`;
  let message: string | undefined;
  if (entries.length === 0) {
    message = `deployment_mode='${mode}': no configured backend can run the pinned parallel_configs${why}`;
  } else if (listed !== null) {
    const known = new Set(entries.map((entry) => keyOf(entry.roles)));
    const illegal = listed.filter((candidate) => !known.has(keyOf(candidate)));
    if (illegal.length > 0) {
      message = "pinned parallel_configs are legal/KV-feasible for no configured backend: " +
        `[${illegal.map((candidate) => candidate.map(shapeAndCount).join(" + ")).join(", ")}]${why}`;
    }
  }
  if (message !== undefined) throw new ConfigError(message, [{ path, message }]);
}

function inOrder(
  listed: readonly (readonly Replicas[])[],
  found: ReadonlyMap<string, PoolEntry>,
): PoolEntry[] {
  return listed.map((candidate) => found.get(keyOf(candidate))!);
}
