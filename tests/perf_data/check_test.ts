import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { stopEverythingBy } from "../../lib/io/stop.ts";
import { checkSet } from "../../lib/perf_data/check.ts";
import { WORTH_TELLING } from "../../lib/perf_data/findings.ts";
import { DOUBTFUL, PerfCatalog } from "../../lib/timing/aic/catalog.ts";
import { MemberWriter, writePerfSet } from "../../lib/perf_data/set_writer.ts";
import { PerfSet } from "../../lib/timing/aic/perf_set.ts";

const { hardware } = new PerfCatalog().system("h200_sxm");

/** A set of GEMM tables (one shape) and expert tables: format → milliseconds by m, or by tokens. */
async function setOf(tables: Record<string, Record<number, number>>, slice = ""): Promise<PerfSet> {
  const writers = new Map(
    Object.entries(tables).map(([name, curve]) => {
      const writer = new MemberWriter();
      const keys = Object.keys(curve).map(Number), values = Object.values(curve);
      if (name.startsWith("gemm/")) writer.addSite(4096, 4096, keys, values);
      else writer.addCurve(slice, keys, values);
      return [name, writer] as const;
    }),
  );
  const origin = { package: "p", release: "1", licence: "l" };
  const about = { system: "x", backend: "vllm", version: "1", origin, hardware };
  return new PerfSet(await writePerfSet({ ...about, lanes: { context: [], generation: [] }, sources: {} }, writers));
}

const rules = async (set: PerfSet, siblings: PerfSet[] = []) =>
  (await checkSet(set, siblings)).map(({ table, rule, points, of }) => `${table} ${rule} ${points}/${of}`);

test("checkSet finds nothing in times that grow and shrink as they should", async () => {
  assert.deepEqual(
    await rules(await setOf({ "gemm/bfloat16": { 1: 0.03, 64: 0.05 }, "gemm/fp8": { 1: 0.02, 64: 0.03 } })),
    [],
  );
});

test("checkSet names products that are slower in a lower precision", async () => {
  const slow = await setOf({ "gemm/bfloat16": { 1: 0.03, 64: 0.05 }, "gemm/fp8": { 1: 0.031, 64: 0.1 } });
  assert.deepEqual(await rules(slow), ["gemm/fp8 slower in lower precision 1/2"]);
  const [{ worst, slices }] = await checkSet(slow);
  assert.deepEqual(slices, ["n 4096 k 4096 m"]);
  assert.deepEqual(worst, { where: "n 4096 k 4096 m 64", ms: 0.1, against: 0.05 });
});

test("checkSet ends when the process is told to stop", async () => {
  const set = await setOf({ "gemm/bfloat16": { 1: 1 } });
  stopEverythingBy(AbortSignal.abort(new Error("enough")));
  try {
    await assert.rejects(checkSet(set), /enough/);
  } finally {
    stopEverythingBy(undefined);
  }
});

test("checkSet names times that fall as work grows", async () => {
  assert.deepEqual(await rules(await setOf({ "gemm/bfloat16": { 1: 0.2, 2: 0.3, 64: 0.1 } })), [
    "gemm/bfloat16 falls as work grows 1/2",
  ]);
});

test("checkSet names experts that are faster than the hardware, and times far from another backend's", async () => {
  const slice = "uniform|8|128|4096|1536|1|1";
  const fast = await setOf({ "moe/bfloat16": { 16: 1, 16384: 1.1 } }, slice);
  assert.deepEqual(await rules(fast), ["moe/bfloat16 below the bound 1/2"]);
  const slow = await setOf({ "moe/bfloat16": { 16: 1, 16384: 11.1 } }, slice);
  assert.deepEqual(await rules(slow, [fast]), ["moe/bfloat16 far from siblings 1/2"]);
});

test("the shipped FP8-block products of vLLM on H200 no longer stand out against bfloat16", async () => {
  const set = new PerfCatalog().load({ system: "h200_sxm", backend: "vllm", version: "0.24.0" });
  const findings = await checkSet(set);
  const found = findings.find(({ table, rule }) => table === "gemm/fp8_block" && rule.startsWith("slower"));
  assert.ok(!found || found.points < 0.2 * found.of, JSON.stringify(found));
  // what estimates are told of the set is what the check finds, as far as it needs no other set
  const told = new PerfCatalog().flaggedTables({ system: "h200_sxm", backend: "vllm", version: "0.24.0" });
  const own = Object.entries(told).flatMap(([table, rules]) =>
    Object.entries(rules).filter(([rule]) => rule !== "far from siblings").map((
      [rule, points],
    ) => [table, rule, points])
  );
  const worthTelling = findings.filter(({ points, of }) => points >= of * WORTH_TELLING);
  assert.deepEqual(
    own,
    worthTelling.map(({ table, rule, points, of, slices }) => [
      table,
      rule,
      points > of * DOUBTFUL ? [points, of, slices] : [points, of],
    ]),
  );
});
