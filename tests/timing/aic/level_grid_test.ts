import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { levelsOf, type Nest, put } from "../../../lib/perf_data/nested.ts";
import { LevelGrid } from "../../../lib/timing/aic/level_grid.ts";
import type { Levels } from "../../../lib/timing/aic/perf_member.ts";

/** A table from its measurements: coordinates, then the value. */
function table(points: readonly (readonly number[])[]): Levels {
  const nest: Nest = new Map();
  for (const point of points) put(nest, point.slice(0, -1), { ms: point[point.length - 1], watts: 0 });
  const { keys, starts, values } = levelsOf(nest, points[0].length - 1);
  return {
    keys: keys.map((list) => Uint32Array.from(list)),
    starts: starts.map((list) => Uint32Array.from(list)),
    values: Float64Array.from(values),
  };
}

const product = (at: Float64Array) => at.reduce((all, value) => all * Math.max(value, 1), 1);

test("LevelGrid is exact at its points and straight between them along every axis", () => {
  const points = [1, 2].flatMap((a) => [0, 8].flatMap((b) => [4, 16].map((c) => [a, b, c, a + b + c])));
  const grid = new LevelGrid(table(points), product);
  assert.equal(grid.at(2, 8, 16), 26);
  assert.equal(grid.at(1, 2, 4), 7);
  assert.equal(grid.at(1, 8, 10), 19);
  assert.equal(grid.at(1, 4, 10), 15);
});

test("LevelGrid carries a value that only one neighbour has by the ratio of the bounds", () => {
  const grid = new LevelGrid(table([[1, 1, 10, 5], [1, 1, 20, 9], [1, 4, 10, 6]]), (at) => at[1] * at[2]);
  // at (1, 2, 20) the second row ends at 10, so that the first one's 9 counts, twice as far along
  assert.equal(grid.at(1, 2, 20), 18);
});

test("LevelGrid outside of its points: the four nearest by ratio, as a search through all of them finds", () => {
  const axis = fc.uniqueArray(fc.nat(40), { minLength: 1, maxLength: 4 });
  fc.assert(fc.property(
    fc.array(fc.tuple(fc.nat(30), fc.nat(30), fc.nat(30), fc.nat(30)), { minLength: 1, maxLength: 40 }),
    fc.tuple(axis, axis, axis, axis),
    (points, queries) => {
      const data = table(points.map((point) => [...point, 1 + point.reduce((sum, value) => sum + value, 0)]));
      const grid = new LevelGrid(data, product);
      for (const [i, a] of queries[0].entries()) {
        // beyond everything on the first axis, so that nothing is interpolated
        const query = [100 + a, queries[1][i] ?? 0, queries[2][i] ?? 0, queries[3][i] ?? 0];
        assert.equal(grid.at(query[0], query[1], query[2], query[3]), searched(data, query));
      }
    },
  ));
});

/** The value by looking at every measurement. */
function searched({ keys, starts, values }: Levels, query: readonly number[]): number {
  const log = (value: number) => Math.log2(Math.max(value, 1e-12));
  const leaves: { square: number; util: number }[] = [];
  const walk = (level: number, from: number, to: number, path: readonly number[], square: number) => {
    for (let i = from; i < to; i++) {
      const along = log(keys[level][i]) - log(query[level]);
      const here = [...path, keys[level][i]];
      if (level < starts.length) walk(level + 1, starts[level][i], starts[level][i + 1], here, square + along * along);
      else leaves.push({ square: square + along * along, util: product(Float64Array.from(here)) / values[i] });
    }
  };
  walk(0, 0, keys[0].length, [], 0);
  const near = leaves.map((leaf, i) => ({ ...leaf, i })).sort((x, y) => x.square - y.square || x.i - y.i);
  const reach = near.length > 4 ? Math.sqrt(near[4].square) : Infinity;
  const weights = near.slice(0, 4).map(({ square }) => {
    const distance = Math.sqrt(square);
    const close = Math.max(reach - distance, 0) / (reach * distance + 1e-12);
    return reach === Infinity ? 1 / (distance * distance + 1e-12) : close * close;
  });
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const mean = all > 0
    ? weights.reduce((sum, weight, i) => sum + weight * near[i].util, 0) / all
    : near.slice(0, 4).reduce((sum, { util }) => sum + util, 0) / weights.length;
  return product(Float64Array.from(query)) / mean;
}
