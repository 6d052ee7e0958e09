import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { GridBound } from "../../../lib/timing/aic/bounds.ts";
import { Curve, PROPORTIONAL } from "../../../lib/timing/aic/curve.ts";
import { GemmTable } from "../../../lib/timing/aic/gemm_table.ts";
import { Grid } from "../../../lib/timing/aic/grid.ts";
import { UtilisationExtrapolation } from "../../../lib/timing/aic/utilisation_extrapolation.ts";
import { MemberWriter, writePerfSet } from "../../../lib/perf_data/set_writer.ts";
import type { GemmSite, GridData } from "../../../lib/timing/aic/perf_member.ts";
import { PerfSet, readPerfSetHeader } from "../../../lib/timing/aic/perf_set.ts";
import { levelsOf, type Nest, put } from "../../../lib/perf_data/nested.ts";

const curve = (points: Record<number, number>) =>
  new Curve({
    keys: Uint32Array.from(Object.keys(points), Number),
    values: Float64Array.from(Object.values(points)),
  }, PROPORTIONAL);

test("Curve is exact at its points, straight between them, proportional beyond them", () => {
  const two = curve({ 10: 1, 20: 3 });
  assert.equal(two.at(10), 1);
  assert.equal(two.at(15), 2);
  assert.equal(two.at(12.5), 1.5);
  assert.equal(two.at(5), 0.5);
  assert.equal(two.at(40), 6);
});

/** A grid from (head, row, leaf, value) rows. */
function grid(rows: readonly (readonly [number, number, number, number])[]): GridData {
  const heads: Nest = new Map();
  for (const [head, row, leaf, value] of rows) put(heads, [head, row, leaf], { ms: value, watts: 0 });
  const { keys, starts, values } = levelsOf(heads, 3);
  const [headKeys, rowKeys, leaves] = keys.map((list) => Uint32Array.from(list));
  const [rowStart, leafStart] = starts.map((list) => Uint32Array.from(list));
  return { heads: headKeys, rowStart, rows: rowKeys, leafStart, leaves, values: Float64Array.from(values) };
}

const product: GridBound = { ms: (head, row, leaf) => head * row * leaf };

test("Grid interpolates inside, by square roots along rows when asked", () => {
  const data = grid([[1, 10, 1, 4], [1, 10, 3, 8], [1, 20, 1, 16], [1, 20, 3, 32]]);
  const plain = new Grid(data, product, 1, { moving: "leaf" });
  assert.equal(plain.at(10, 3), 8);
  assert.equal(plain.at(10, 2), 6);
  assert.equal(plain.at(15, 1), 10);
  assert.equal(plain.at(15, 2), 15);
  assert.equal(new Grid(data, product, 1, { squareRootRows: true, moving: "row" }).at(15, 1), 9);
});

test("Grid interpolates between measured head counts", () => {
  const data = grid([[2, 10, 1, 4], [6, 10, 1, 8]]);
  assert.equal(new Grid(data, product, 4, { moving: "leaf" }).at(10, 1), 6);
});

test("Grid carries a one-sided value by the ratio of the bounds", () => {
  const data = grid([[1, 10, 1, 5], [1, 10, 8, 40], [1, 20, 1, 12]]);
  // at row 15 only row 10 reaches leaf 4: 20 (between 5 and 40 at leaf 1 and 8), times 15/10
  assert.equal(new Grid(data, product, 1, { moving: "leaf" }).at(15, 4), 20 * 1.5);
});

test("Grid holds the distance to the bound outside what was measured", () => {
  // every measurement is twice its bound: so is every value
  const points: [number, number, number, number][] = [];
  for (const head of [1, 2]) {
    for (const row of [1, 2, 4, 8]) {
      for (const leaf of [16, 32, 64]) points.push([head, row, leaf, 2 * head * row * leaf]);
    }
  }
  const at = (head: number, row: number, leaf: number) =>
    new Grid(grid(points), product, head, { moving: "leaf" }).at(row, leaf);
  for (const [head, row, leaf] of [[1, 100, 16], [2, 8, 1000], [5, 3, 20], [1, 1, 1]]) {
    const want = 2 * head * row * leaf;
    assert.ok(Math.abs(at(head, row, leaf) - want) < 1e-9 * want);
  }
});

test("UtilisationExtrapolation gives the same value whatever was asked before", () => {
  const axis = (max: number) => fc.uniqueArray(fc.integer({ min: 1, max }), { minLength: 1, maxLength: 6 });
  fc.assert(fc.property(
    fc.record({ heads: axis(64), rows: axis(300), leaves: axis(5000), seed: fc.integer({ min: 1, max: 1000 }) }),
    fc.array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 9000 })), { maxLength: 40 }),
    fc.constantFrom("row" as const, "leaf" as const),
    ({ heads, rows, leaves, seed }, queries, moving) => {
      const points: [number, number, number, number][] = [];
      let noise = seed;
      for (const head of heads) {
        for (const row of rows) {
          for (const leaf of leaves) {
            noise = (noise * 48271) % 2147483647;
            points.push([head, row, leaf, head * row * leaf * (1 + noise / 2147483647)]);
          }
        }
      }
      const data = grid(points);
      const used = new UtilisationExtrapolation(data, product, heads[0], moving);
      for (const [row, leaf] of queries) {
        assert.equal(used.at(row, leaf), new UtilisationExtrapolation(data, product, heads[0], moving).at(row, leaf));
      }
    },
  ));
});

const bound = { ms: (m: number, n: number, k: number) => m * n * k } as any;
const tableOf = (...sites: GemmSite[]): GemmTable =>
  new GemmTable({
    length: sites.length,
    n: (i) => sites[i].n,
    k: (i) => sites[i].k,
    site: (i) => sites[i],
  }, bound);
const site = (n: number, k: number, points: Record<number, number>) => ({
  n,
  k,
  keys: Uint32Array.from(Object.keys(points), Number),
  values: Float64Array.from(Object.values(points)),
});

test("GemmTable answers a measured shape from its own curve, beyond it by the median of three ends", () => {
  const shape = tableOf(site(2, 2, { 1: 8, 2: 16, 4: 20, 8: 36 })).shape(2, 2);
  assert.equal(shape.at(2), 16);
  assert.equal(shape.at(3), 18);
  // utils of the last three points: 8/16, 16/20, 32/36; the median is 0.8
  assert.equal(shape.at(100), 400 / 0.8);
});

test("GemmTable takes a shape's distance to the bound from its neighbours, nearer ones counting more", () => {
  const table = tableOf(site(4, 4, { 1: 32, 8: 256 }), site(16, 4, { 1: 64, 8: 512 }));
  assert.ok(Math.abs(table.shape(8, 4).at(4) - 4 * 8 * 4 / 0.75) < 1e-9);
  const value = table.shape(5, 4).at(4);
  assert.ok(value > 4 * 5 * 4 / 0.75 && value < 4 * 5 * 4 / 0.5);
});

test("GemmTable has nothing to say about a shape that is far from everything, unless one axis alone is larger", () => {
  const table = tableOf(site(4, 4, { 1: 32, 8: 256 }), site(8, 8, { 1: 128, 8: 1024 }));
  assert.ok(Number.isNaN(table.shape(1000, 1000).at(4)));
  assert.ok(Math.abs(table.shape(2, 2).at(4) - 4 * 2 * 2 / 0.5) < 1e-9);
  assert.ok(Number.isNaN(table.shape(1, 1).at(4)));
  assert.ok(Math.abs(table.shape(1000, 8).at(4) - 4 * 1000 * 8 / 0.5) < 1e-6);
});

const ABOUT = {
  system: "x",
  backend: "vllm",
  version: "1",
  origin: { package: "p", release: "1", licence: "l" },
  hardware: { name: "x" } as any,
  lanes: { context: [], generation: [] },
  sources: {},
};

test("PerfSet reads back what MemberWriter wrote", async () => {
  const writer = new MemberWriter(), products = new MemberWriter();
  writer.addCurve("a", [1, 2, 3], [0.1, 0.2, 0.3]);
  writer.addCurve("ab", [1, 2, 3], [1, 2, 3]);
  writer.addGrid("g", levelsOf(new Map([[8, new Map([[1, new Map([[5, { ms: 0.5, watts: 0 }]])]])]]), 3));
  products.addSite(64, 32, [1, 2], [7, 8]);
  products.addSite(64, 64, [1, 2], [8, 8]);
  const bytes = await writePerfSet(ABOUT, new Map([["m", writer], ["p", products]]));
  assert.equal(readPerfSetHeader(new Uint8Array(40)), undefined);
  const set = new PerfSet(bytes), member = set.member("m")!, sites = set.member("p")!.sites();
  assert.deepEqual(member.names(), ["a", "ab", "g"]);
  assert.deepEqual([...member.curve("ab")!.keys, ...member.curve("a")!.values], [1, 2, 3, 0.1, 0.2, 0.3]);
  assert.deepEqual([...member.grid("g")!.leaves, ...member.grid("g")!.values], [5, 0.5]);
  const { n, k, keys, values } = sites.site(1);
  assert.deepEqual([sites.length, n, k, ...keys, ...values], [2, 64, 64, 1, 2, 8, 8]);
  assert.equal(member.curve("none"), undefined);
  assert.equal(set.member("none"), undefined);
});

test("a set's values and keys come back bit by bit, whatever they are", async () => {
  const mean = fc.tuple(fc.float({ min: 0, max: 4, noNaN: true }), fc.constantFrom(1, 3, 5, 9, 25, 7))
    .map(([sum, count]) => sum / count);
  const decimal = fc.tuple(fc.nat(1e7), fc.constantFrom(1e3, 1e4, 1e6)).map(([number, unit]) => number / unit);
  const value = fc.oneof(mean, decimal, fc.double());
  const curve = fc.uniqueArray(fc.tuple(fc.nat(2 ** 32 - 1), value), { selector: ([key]) => key, maxLength: 40 })
    .map((points) => points.sort((a, b) => a[0] - b[0]));
  await fc.assert(fc.asyncProperty(fc.array(fc.tuple(fc.string(), curve), { maxLength: 6 }), async (curves) => {
    const byName = new Map(curves), writer = new MemberWriter();
    for (const [name, points] of byName) writer.addCurve(name, points.map(([key]) => key), points.map(([, ms]) => ms));
    const member = new PerfSet(await writePerfSet(ABOUT, new Map([["m", writer]]))).member("m")!;
    assert.deepEqual(member.names(), [...byName.keys()]);
    for (const [name, points] of byName) {
      const { keys, values } = member.curve(name)!;
      assert.deepEqual([...keys].map((key, i) => [key, values[i]]), points);
    }
  }));
});

test("a set tells of every changed byte of what it is asked for", async () => {
  const writer = new MemberWriter();
  writer.addGrid(
    "g",
    levelsOf(new Map([[8, new Map([[1, new Map([[5, { ms: 0.5, watts: 0 }], [6, { ms: Math.PI, watts: 0 }]])]])]]), 3),
  );
  const bytes = await writePerfSet(ABOUT, new Map([["m", writer]])), { bodyAt } = readPerfSetHeader(bytes)!;
  for (let at = bodyAt; at < bytes.length; at++) {
    const changed = new Uint8Array(bytes);
    changed[at] ^= 0x81;
    assert.throws(
      () => new PerfSet(changed, "x.perf").member("m")!.grid("g"),
      /^FileError: x\.perf is damaged: its member m/,
    );
  }
});
