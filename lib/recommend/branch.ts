/**
 * The space of one deployment mode: which shapes, and which values every other parameter may take.
 *
 * @module
 */
import type { Backend } from "../engine/settings.ts";
import type { Mode } from "./engine_domain.ts";
import { allGpus, type Replicas } from "./shapes.ts";

/** Workers of a candidate: one entry for aggregated deployments, prefill and decode for disaggregated ones. */
export interface PoolEntry {
  /** Workers by role. */
  readonly roles: readonly Replicas[];
  /** Backends that can run it. */
  readonly backends: ReadonlySet<Backend>;
}

/** GPUs of a candidate. */
export const entryGpus = (roles: readonly Replicas[]): number => roles.reduce((sum, one) => sum + allGpus(one), 0);

/** Parameters with a finite list of values, ranges of whole numbers and of numbers, by name and in order. */
export interface Parameters {
  /** Values to choose from. */
  readonly choices: ReadonlyMap<string, readonly unknown[]>;
  /** Whole numbers from … to …, drawn log-uniformly. */
  readonly integers: ReadonlyMap<string, readonly [number, number]>;
  /** Numbers from … to …. */
  readonly floats: ReadonlyMap<string, readonly [number, number]>;
  /** Names that are drawn on a logarithmic scale. */
  readonly log: ReadonlySet<string>;
}

/** Parameters that exist only where another one has certain values. */
export interface Conditional extends Omit<Parameters, "integers"> {
  /** Name of that other parameter. */
  readonly selector: string;
  /** Its values for which these exist. */
  readonly values: readonly unknown[];
}

/** The space of one deployment mode. */
export interface Branch extends Parameters {
  /** One pool or two. */
  readonly mode: Mode;
  /** Backends and shapes to choose from. */
  readonly pool: readonly PoolEntry[];
  /** Parameters that only some choices have. */
  readonly conditional: readonly Conditional[];
  /** Whether small deployments come first (`min_gpus`). */
  readonly smallestFirst: boolean;
}

/** One point of a branch: a backend, a shape and a value for every parameter. */
export interface Suggestion {
  /** One pool or two. */
  readonly mode: Mode;
  /** The engine. */
  readonly backend: Backend;
  /** Workers by role. */
  readonly roles: readonly Replicas[];
  /** A value for every parameter, by name. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** What a section of the stack adds to a branch. */
export interface SectionSpace {
  readonly choices: ReadonlyMap<string, readonly unknown[]>;
  readonly floats: ReadonlyMap<string, readonly [number, number]>;
  readonly log: readonly string[];
  readonly conditional: readonly Conditional[];
}

/** A section that adds nothing. */
export const NO_SPACE: SectionSpace = { choices: new Map(), floats: new Map(), log: [], conditional: [] };

/** The branch with the parameters of sections behind its own, in their order. */
export function withSections(branch: Branch, sections: readonly SectionSpace[]): Branch {
  const choices = new Map(branch.choices), floats = new Map(branch.floats), log = new Set(branch.log);
  const conditional = [...branch.conditional];
  for (const section of sections) {
    for (const [name, values] of section.choices) choices.set(name, values);
    for (const [name, range] of section.floats) floats.set(name, range);
    for (const name of section.log) log.add(name);
    conditional.push(...section.conditional);
  }
  return { ...branch, choices, floats, log, conditional };
}

/** Values of the parameters that decide which others exist. */
export type Selection = ReadonlyMap<string, unknown>;

/** Every combination of the selectors' values; one empty one when nothing is conditional. */
export function selections({ choices, conditional }: Branch): Selection[] {
  const selectors = [...new Set(conditional.map(({ selector }) => selector))];
  return selectors.reduce<Selection[]>(
    (all, name) => all.flatMap((one) => choices.get(name)!.map((value) => new Map([...one, [name, value]]))),
    [new Map()],
  );
}

/** The branch with selectors pinned and the parameters that then exist behind its own. */
export function pinnedBranch(branch: Branch, selection: Selection): Branch {
  const choices = new Map(branch.choices), floats = new Map(branch.floats), log = new Set(branch.log);
  for (const [name, value] of selection) choices.set(name, [value]);
  for (const condition of branch.conditional) {
    if (!condition.values.includes(selection.get(condition.selector))) continue;
    for (const [name, values] of condition.choices) choices.set(name, values);
    for (const [name, range] of condition.floats) floats.set(name, range);
    for (const name of condition.log) log.add(name);
  }
  return { ...branch, choices, floats, log, conditional: [] };
}
