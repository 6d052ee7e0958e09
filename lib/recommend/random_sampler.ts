/**
 * The random sampler of the reference, draw for draw: every backend and shape once before any of them again, complete
 * configurations without repetition.
 *
 * @module
 */
import { canonicalJson } from "../planner/canonical_json.ts";
import { sha256 } from "../io/digest.ts";
import { MersenneTwister } from "../random/mersenne_twister.ts";
import { exponential } from "../arithmetic/exponential.ts";
import { naturalLog } from "../arithmetic/natural_log.ts";
import { roundHalfEven } from "../arithmetic/rounding.ts";
import type { Backend } from "../engine/settings.ts";
import { type Branch, entryGpus, pinnedBranch, type Selection, selections, type Suggestion } from "./branch.ts";
import type { Replicas } from "./shapes.ts";

/** Tries of a weighted draw before a uniform one, and of a draw from continuous ranges before an arm is given up. */
const WEIGHTED_TRIES = 32;
const CONTINUOUS_TRIES = 64;

/** Seed of a mode's sampler. */
export const branchSeed = (seed: number, mode: Branch["mode"]): number => seed + (mode === "agg" ? 0 : 1);

/** Numbers from 0 to size − 1, drawn without replacement; memory grows with the draws only. */
class Undrawn {
  #left: number;
  readonly #moved = new Map<number, number>();
  readonly #places = new Map<number, number>();
  readonly #drawn = new Set<number>();

  constructor(size: number) {
    this.#left = size;
  }

  get left(): number {
    return this.#left;
  }

  /** Any of the rest. */
  draw(random: MersenneTwister): number {
    const place = random.below(this.#left);
    const value = this.#moved.get(place) ?? place;
    this.#take(value);
    return value;
  }

  /** Takes this one; false when it was drawn before. */
  take(value: number): boolean {
    if (this.#drawn.has(value)) return false;
    this.#take(value);
    return true;
  }

  #take(value: number): void {
    const place = this.#places.get(value) ?? value;
    this.#places.delete(value);
    this.#left--;
    const last = this.#moved.get(this.#left) ?? this.#left;
    this.#moved.delete(this.#left);
    if (place !== this.#left) {
      this.#moved.set(place, last);
      this.#places.set(last, place);
    }
    this.#drawn.add(value);
  }
}

interface Arm {
  backend: Backend;
  roles: readonly Replicas[];
  undrawn: Undrawn;
  seen: Set<string>;
}

/** A parameter with a finite number of values. */
interface Digits {
  name: string;
  size: number;
  value(digit: number): unknown;
  /** Bounds of the logarithmic draw; null for a uniform one. */
  log: readonly [number, number] | null;
  /** The digit of a value that was drawn. */
  nearest(drawn: number): number;
}

function listDigits(name: string, values: readonly unknown[], log: boolean): Digits {
  const distinct = [...new Map(values.map((value) => [canonicalJson(value), value])).values()];
  const sorted = log ? distinct.toSorted((a, b) => (a as number) - (b as number)) : distinct;
  return {
    name,
    size: sorted.length,
    value: (digit) => sorted[digit],
    log: log && sorted.length > 1 ? [sorted[0] as number, sorted.at(-1) as number] : null,
    nearest(drawn) {
      const distance = (value: unknown) => Math.abs((value as number) - drawn);
      return sorted.reduce<number>((best, value, i) => distance(value) < distance(sorted[best]) ? i : best, 0);
    },
  };
}

function rangeDigits(name: string, [min, max]: readonly [number, number]): Digits {
  const size = max - min + 1;
  return {
    name,
    size,
    value: (digit) => min + digit,
    log: size > 1 ? [min, max] : null,
    nearest: (drawn) => Math.max(0, Math.min(size - 1, roundHalfEven(drawn) - min)),
  };
}

/** Samples one branch without conditional parameters. */
class FlatSampler {
  readonly #branch: Branch;
  readonly #random: MersenneTwister;
  readonly #digits: readonly Digits[];
  readonly #arms: Arm[] = [];
  readonly #continuous: boolean;
  readonly #weighted: boolean;

  constructor(branch: Branch, seed: number) {
    this.#branch = branch;
    this.#random = new MersenneTwister(seed);
    const lists = [...branch.choices].filter(([name]) => name !== "backend");
    this.#digits = [
      ...lists.map(([name, values]) => listDigits(name, values, branch.log.has(name))),
      ...[...branch.integers].map(([name, range]) => rangeDigits(name, range)),
    ];
    this.#continuous = [...branch.floats.values()].some(([from, to]) => from !== to);
    this.#weighted = this.#digits.some(({ log }) => log !== null);
    const size = this.#digits.reduce((product, { size }) => product * size, 1);
    const pairs: { backend: Backend; roles: readonly Replicas[] }[] = [];
    for (const { roles, backends } of branch.pool) {
      for (const backend of branch.choices.get("backend") as readonly Backend[]) {
        if (backends.has(backend)) pairs.push({ backend, roles });
      }
    }
    this.#random.shuffle(pairs);
    if (branch.smallestFirst) pairs.sort((a, b) => entryGpus(a.roles) - entryGpus(b.roles));
    this.#arms = pairs.map((pair) => ({ ...pair, undrawn: new Undrawn(size), seen: new Set() }));
  }

  get exhausted(): boolean {
    return this.#arms.length === 0;
  }

  next(): Suggestion | null {
    for (let arm = this.#arms.shift(); arm !== undefined; arm = this.#arms.shift()) {
      const values = this.#continuous ? this.#newValues(arm) : this.#valuesAt(this.#index(arm));
      if (values === null) continue;
      if (this.#continuous || arm.undrawn.left > 0) this.#arms.push(arm);
      return { mode: this.#branch.mode, backend: arm.backend, roles: arm.roles, values };
    }
    return null;
  }

  #newValues({ backend, seen }: Arm): Record<string, unknown> | null {
    for (let tries = 0; tries < CONTINUOUS_TRIES; tries++) {
      const values = this.#valuesAt(this.#weightedIndex());
      const key = canonicalJson({ backend, ...values });
      if (seen.has(key)) continue;
      seen.add(key);
      return values;
    }
    return null;
  }

  #index({ undrawn }: Arm): number {
    for (let tries = 0; this.#weighted && tries < WEIGHTED_TRIES; tries++) {
      const index = this.#weightedIndex();
      if (undrawn.take(index)) return index;
    }
    return undrawn.draw(this.#random);
  }

  #weightedIndex(): number {
    let index = 0;
    for (const { size, log, nearest } of this.#digits) {
      const digit = log === null ? this.#random.below(size) : nearest(this.#logUniform(log[0], log[1]));
      index = index * size + digit;
    }
    return index;
  }

  #logUniform(from: number, to: number): number {
    return exponential(this.#random.uniform(naturalLog(from), naturalLog(to)));
  }

  #valuesAt(index: number): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const { name, size, value } of this.#digits.toReversed()) {
      values[name] = value(index % size);
      index = Math.floor(index / size);
    }
    for (const [name, [from, to]] of this.#branch.floats) {
      values[name] = from === to
        ? from
        : this.#branch.log.has(name)
        ? this.#logUniform(from, to)
        : this.#random.uniform(from, to);
    }
    return values;
  }
}

/** Samples a branch; conditional parameters make one sampler for each combination of their selectors. */
export class RandomSampler {
  readonly #samplers: FlatSampler[];
  #turn = 0;

  /** @param seed of the branch, see {@linkcode branchSeed} */
  constructor(branch: Branch, seed: number) {
    this.#samplers = branch.conditional.length === 0
      ? [new FlatSampler(branch, seed)]
      : selections(branch).map((selection) =>
        new FlatSampler(pinnedBranch(branch, selection), armSeed(seed, selection))
      );
  }

  /** The next suggestion; null when the space is used up. */
  next(): Suggestion | null {
    for (let tries = 0; tries < this.#samplers.length; tries++) {
      const sampler = this.#samplers[this.#turn];
      this.#turn = (this.#turn + 1) % this.#samplers.length;
      const suggestion = sampler.next();
      if (suggestion !== null) return suggestion;
    }
    return null;
  }
}

function armSeed(seed: number, selection: Selection): number {
  const id = sha256(canonicalJson(Object.fromEntries(selection))).slice(0, 12);
  return (seed + parseInt(id.slice(0, 8), 16)) % (2 ** 31 - 1);
}
