/**
 * The points of a space: all of them in order, as many as wanted spread evenly, and those beside one.
 *
 * @module
 */
import { splitmix32 } from "../random/splitmix32.ts";
import { roundHalfEven } from "../arithmetic/rounding.ts";
import type { Backend } from "../engine/settings.ts";
import { exponential } from "../arithmetic/exponential.ts";
import { naturalLog } from "../arithmetic/natural_log.ts";
import { type Branch, pinnedBranch, type PoolEntry, selections, type Suggestion } from "./branch.ts";
import { PARALLELISM_KEYS, type Replicas, sameReplicas, workerGpus } from "./shapes.ts";

/** A parameter of a branch without conditional ones, as a line of places from 0 to 1. */
interface Axis {
  readonly name: string;
  /** Its values in an order in which neighbours are similar; null for a continuous one. */
  readonly values: readonly unknown[] | null;
  /** The value at a place from 0 to 1. */
  at(place: number): unknown;
  /** Values beside one. */
  beside(value: unknown): readonly unknown[];
}

/** How far a step in a continuous axis goes, as a share of its length. */
const STEP = 1 / 8;

function listAxis(name: string, values: readonly unknown[]): Axis {
  const ordered = values.every((value) => typeof value === "number")
    ? (values as number[]).toSorted((a, b) => a - b)
    : values;
  return {
    name,
    values: ordered,
    at: (place) => ordered[Math.min(Math.floor(place * ordered.length), ordered.length - 1)],
    beside(value) {
      const index = ordered.indexOf(value);
      if (typeof value !== "number") return ordered.filter((other) => other !== value);
      return [index - 1, index + 1].filter((i) => i >= 0 && i < ordered.length).map((i) => ordered[i]);
    },
  };
}

function rangeAxis(name: string, [from, to]: readonly [number, number], log: boolean, whole: boolean): Axis {
  const [low, high] = log ? [naturalLog(from), naturalLog(to)] : [from, to];
  const value = (place: number) => {
    const drawn = low + (high - low) * Math.min(1, Math.max(0, place));
    const plain = Math.min(to, Math.max(from, log ? exponential(drawn) : drawn));
    return whole ? roundHalfEven(plain) : plain;
  };
  const place = (of: number) => ((log ? naturalLog(of) : of) - low) / (high - low);
  return {
    name,
    values: from === to ? [from] : null,
    at: value,
    beside: (of) =>
      from === to
        ? []
        : [place(of as number) - STEP, place(of as number) + STEP].map(value).filter((other) => other !== of),
  };
}

/** A branch without conditional parameters, its axes, and its pairs of backend and shape. */
class FlatSpace {
  readonly branch: Branch;
  readonly axes: readonly Axis[];
  readonly pairs: readonly { entry: PoolEntry; backend: Backend }[];

  constructor(branch: Branch) {
    this.branch = branch;
    const lists = [...branch.choices].filter(([name]) => name !== "backend");
    this.axes = [
      ...lists.map(([name, values]) => listAxis(name, values)),
      ...[...branch.integers].map(([name, range]) => rangeAxis(name, range, true, true)),
      ...[...branch.floats].map(([name, range]) => rangeAxis(name, range, branch.log.has(name), false)),
    ];
    const backends = branch.choices.get("backend") as readonly Backend[];
    this.pairs = branch.pool.flatMap((entry) =>
      backends.filter((backend) => entry.backends.has(backend)).map((backend) => ({ entry, backend }))
    );
  }

  /** Number of points; `Infinity` with a continuous axis. */
  get size(): number {
    const [...ranges] = this.branch.integers.values();
    const whole = ranges.reduce((product, [from, to]) => product * (to - from + 1), 1);
    const lists = this.axes.filter(({ values }) => values !== null)
      .reduce((product, { values }) => product * values!.length, 1);
    const continuous = [...this.branch.floats.values()].some(([from, to]) => from !== to);
    return continuous ? Infinity : this.pairs.length * lists * whole;
  }

  suggestion({ entry, backend }: { entry: PoolEntry; backend: Backend }, values: Record<string, unknown>): Suggestion {
    return { mode: this.branch.mode, backend, roles: entry.roles, values };
  }

  *all(): Generator<Suggestion> {
    const lists = this.axes.map((axis) => axis.values ?? this.#wholes(axis.name));
    for (const pair of this.pairs) {
      for (const values of products(lists)) {
        yield this.suggestion(pair, Object.fromEntries(this.axes.map(({ name }, i) => [name, values[i]])));
      }
    }
  }

  #wholes(name: string): readonly number[] {
    const [from, to] = this.branch.integers.get(name)!;
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  }
}

/** Every choice of one item from each list, the last list fastest. */
function* products(lists: readonly (readonly unknown[])[]): Generator<unknown[]> {
  if (lists.length === 0) {
    yield [];
    return;
  }
  for (const rest of products(lists.slice(0, -1))) {
    for (const value of lists.at(-1)!) yield [...rest, value];
  }
}

/** All points of some branches. */
export class Points {
  readonly #spaces: readonly FlatSpace[];

  constructor(branches: readonly Branch[]) {
    this.#spaces = branches.flatMap((branch) =>
      selections(branch).map((selection) => new FlatSpace(pinnedBranch(branch, selection)))
    );
  }

  /** How many there are; `Infinity` when a parameter is continuous. */
  get size(): number {
    return this.#spaces.reduce((sum, { size }) => sum + size, 0);
  }

  /** Every point, shape by shape. */
  *all(): Generator<Suggestion> {
    for (const space of this.#spaces) yield* space.all();
  }

  /**
   * Points spread evenly over every parameter at once, without end; the same one may come again. Method: additive
   * recurrence with the inverse powers of the generalised golden ratio (M. Roberts, "The unreasonable effectiveness of
   * quasirandom sequences", 2018), shifted at random.
   */
  *spread(seed: number): Generator<Suggestion> {
    const draws = this.#spaces.map((space, i) => sequence(space, splitmix32(seed + Math.imul(i, 0x85ebca6b))));
    for (;;) for (const draw of draws) yield draw();
  }

  /** Points that differ from one in a single parameter, by one step. */
  *beside(point: Suggestion): Generator<Suggestion> {
    for (const { branch, axes, pairs } of this.#spaces) {
      if (branch.mode !== point.mode) continue;
      const known = axes.every(({ name }) => Object.hasOwn(point.values, name));
      const pinned = [...branch.choices].every(([name, values]) =>
        name === "backend" || (values.length > 1 || point.values[name] === values[0])
      );
      if (!known || !pinned || Object.keys(point.values).length !== axes.length) continue;
      for (const { entry, backend } of pairs) {
        const sameShape = sameRoles(entry.roles, point.roles), sameBackend = backend === point.backend;
        if (sameShape === sameBackend) continue;
        if (sameShape || oneStep(entry.roles, point.roles)) {
          yield { ...point, roles: entry.roles, backend };
        }
      }
      for (const { name, beside } of axes) {
        for (const value of beside(point.values[name])) yield { ...point, values: { ...point.values, [name]: value } };
      }
    }
  }
}

function sequence(space: FlatSpace, random: () => number): () => Suggestion {
  const { axes, pairs } = space;
  const dimensions = axes.length + 1;
  let golden = 2;
  for (let i = 0; i < 64; i++) golden = root(1 + golden, dimensions + 1);
  const steps = Array.from({ length: dimensions }, (_, i) => (1 / power(golden, i + 1)) % 1);
  const places = steps.map(() => random());
  return () => {
    for (let i = 0; i < dimensions; i++) places[i] = (places[i] + steps[i]) % 1;
    const pair = pairs[Math.min(Math.floor(places[0] * pairs.length), pairs.length - 1)];
    return space.suggestion(pair, Object.fromEntries(axes.map(({ name, at }, i) => [name, at(places[i + 1])])));
  };
}

const power = (base: number, times: number): number => exponential(naturalLog(base) * times);
const root = (value: number, degree: number): number => exponential(naturalLog(value) / degree);

const sameRoles = (a: readonly Replicas[], b: readonly Replicas[]) => a.every((one, i) => sameReplicas(one, b[i]));

/** Whether two choices of shapes differ in one role only, there by one replica or by the shape alone. */
function oneStep(a: readonly Replicas[], b: readonly Replicas[]): boolean {
  const different = a.flatMap((one, i) => sameReplicas(one, b[i]) ? [] : [[one, b[i]] as const]);
  if (different.length !== 1) return false;
  const [[one, other]] = different;
  const sameShape = PARALLELISM_KEYS.every(([key, name]) => key === "replicas" || one[name] === other[name]);
  if (sameShape) return Math.abs(one.replicas - other.replicas) === 1;
  const gpus = [workerGpus(one), workerGpus(other)];
  const near = Math.max(...gpus) <= 2 * Math.min(...gpus);
  const total = gpus[0] * one.replicas === gpus[1] * other.replicas;
  return near && (one.replicas === other.replicas || total);
}
