import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MemberWriter, writePerfSet } from "../../../lib/perf_data/set_writer.ts";
import { writePowers } from "../../../lib/perf_data/power_writer.ts";
import { levelsOf, type Nest, put } from "../../../lib/perf_data/nested.ts";
import { Curve, PROPORTIONAL } from "../../../lib/timing/aic/curve.ts";
import { GemmTable } from "../../../lib/timing/aic/gemm_table.ts";
import { Grid } from "../../../lib/timing/aic/grid.ts";
import { LevelGrid } from "../../../lib/timing/aic/level_grid.ts";
import { PowerFile } from "../../../lib/timing/aic/power_file.ts";
import { PerfSet } from "../../../lib/timing/aic/perf_set.ts";

const ORIGIN = { package: "p", release: "1", licence: "l" };
const ABOUT = { system: "x", backend: "vllm", version: "1", origin: ORIGIN };
const REST = { hardware: { name: "x" } as any, lanes: { context: [], generation: [] }, sources: {} };

/** Tables of energies of what was written. */
async function energies(writers: Map<string, MemberWriter>) {
  const set = new PerfSet(await writePerfSet({ ...ABOUT, ...REST }, writers)), bytes = writePowers(ABOUT, writers);
  assert.ok(bytes !== null);
  const powers = new PowerFile(bytes, "x.power");
  return set.energies((name) => powers.member(name));
}

test("a curve of energies multiplies times and powers, each found by itself", () => {
  const keys = Uint32Array.from([10, 20]), values = Float64Array.from([1, 3]), powers = Float64Array.from([100, 300]);
  const curve = new Curve({ keys, values, powers }, PROPORTIONAL);
  assert.equal(curve.at(10), 100);
  assert.equal(curve.at(15), 2 * 200);
  // beyond the ends the time grows and the power stays
  assert.equal(curve.at(40), 6 * 300);
  assert.equal(curve.at(5), 0.5 * 100);
});

/** Points of a table, the last two numbers milliseconds and watts. */
function levels(points: readonly (readonly number[])[]) {
  const nest: Nest = new Map();
  for (const point of points) put(nest, point.slice(0, -2), { ms: point.at(-2)!, watts: point.at(-1)! });
  return levelsOf(nest, points[0].length - 2);
}

const GRID = [[4, 10, 1, 1, 100], [4, 10, 3, 9, 300], [4, 20, 1, 4, 200], [4, 20, 3, 16, 0]];
const product = { ms: (head: number, row: number, leaf: number) => head * row * leaf };

test("a grid of energies interpolates powers along straight lines, also where times go by square roots", async () => {
  const writer = new MemberWriter();
  writer.addGrid("g", levels(GRID));
  const data = (await energies(new Map([["m", writer]]))).member("m")!.grid("g")!;
  const plain = new Grid(data, product, 4, { moving: "row" });
  assert.equal(plain.at(10, 1), 100);
  assert.equal(plain.at(10, 2), 5 * 200);
  assert.equal(plain.at(15, 1), 2.5 * 150);
  const rooted = new Grid(data, product, 4, { moving: "row", squareRootRows: true });
  assert.equal(rooted.at(15, 1), 1.5 ** 2 * 150);
  // a point without a power counts as one that draws nothing
  assert.equal(plain.at(20, 2), 10 * 100);
});

test("outside a grid, the power is the mean of the nearest with the weights of their utilisations", async () => {
  const writer = new MemberWriter();
  writer.addGrid("g", levels(GRID.map((point) => [...point.slice(0, 4), 250])));
  const data = (await energies(new Map([["m", writer]]))).member("m")!;
  const row = 80, leaf = 9;
  const times = new PerfSet(await writePerfSet({ ...ABOUT, ...REST }, new Map([["m", writer]])));
  const ms = new Grid(times.member("m")!.grid("g")!, product, 4, { moving: "row" }).at(row, leaf);
  const energy = new Grid(data.grid("g")!, product, 4, { moving: "row" }).at(row, leaf);
  assert.ok(Math.abs(energy - 250 * ms) < 1e-9 * energy);
  const bound = (query: Float64Array) => query[0] * query[1] * query[2];
  const level = new LevelGrid(data.levels("g")!, bound).at(4, row, leaf);
  assert.ok(Math.abs(level - energy) < 1e-9 * energy);
});

test("beyond a product's curve the median power of its end holds; other shapes take their neighbours'", async () => {
  const writer = new MemberWriter();
  writer.addSite(4, 4, [1, 2, 4, 8], [16, 32, 64, 128], [9, 300, 100, 200]);
  writer.addSite(16, 4, [1, 2, 4, 8], [64, 128, 256, 512], [0, 500, 500, 500]);
  const sites = (await energies(new Map([["gemm/x", writer]]))).member("gemm/x")!.sites();
  const table = new GemmTable(sites, { ms: (m: number, n: number, k: number) => m * n * k } as any);
  assert.equal(table.shape(4, 4).at(3), 48 * 200);
  assert.equal(table.shape(4, 4).at(16), 256 * 200);
  // as far from one shape as from the other
  const between = table.shape(8, 4).at(4);
  assert.ok(Math.abs(between - 128 * 300) < 1e-6);
});

test("powers come back as they were written: means of readings, zero, and whatever else", async () => {
  const mean = fc.tuple(fc.integer({ min: 1, max: 1.2e6 }), fc.integer({ min: 1, max: 13 }))
    .map(([milliwatts, readings]) => milliwatts / (1000 * readings));
  const watts = fc.oneof(mean, fc.constant(0), fc.double({ min: 1e-3, max: 1e9, noNaN: true }));
  const curve = fc.array(watts, { minLength: 1, maxLength: 40 });
  await fc.assert(fc.asyncProperty(fc.array(curve, { minLength: 1, maxLength: 5 }), async (curves) => {
    if (!curves.flat().some((value) => value > 0)) return;
    const writer = new MemberWriter();
    curves.forEach((powers, i) => writer.addCurve(`c${i}`, powers.map((_, k) => k), powers.map(() => 1), powers));
    const member = (await energies(new Map([["m", writer]]))).member("m")!;
    curves.forEach((powers, i) => {
      for (const [k, value] of member.curve(`c${i}`)!.powers!.entries()) {
        assert.ok(Math.abs(value - powers[k]) <= 4 * Number.EPSILON * powers[k], `${value} for ${powers[k]}`);
      }
    });
  }));
});

test("a file of powers that is damaged or belongs to other measurements says so", async () => {
  const [one, two] = [new MemberWriter(), new MemberWriter()];
  one.addCurve("c", [1, 2], [1, 2], [100, 200]);
  two.addCurve("c", [1], [1], [100]);
  const bytes = writePowers(ABOUT, new Map([["m", one]]))!;
  const set = async (writer: MemberWriter) =>
    new PerfSet(await writePerfSet({ ...ABOUT, ...REST }, new Map([["m", writer]])));
  const open = (bytes: Uint8Array) => new PowerFile(bytes, "x.power");
  assert.throws(() => open(bytes.subarray(0, bytes.length - 3)), /^FileError: x\.power is damaged: its header/);
  const changed = new Uint8Array(bytes);
  changed[bytes.length - 12] ^= 0x40;
  assert.throws(() => open(changed).member("m"), /^FileError: x\.power is damaged: its member m cannot be unpacked/);
  const other = (await set(two)).energies((name) => open(bytes).member(name));
  assert.throws(() => other.member("m")!.curve("c"), /is damaged/);
  assert.equal(writePowers(ABOUT, new Map([["m", new MemberWriter()]])), null);
});
