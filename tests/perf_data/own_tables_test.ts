import assert from "node:assert/strict";
import { test } from "node:test";
import { ownTables } from "../../lib/perf_data/own_tables.ts";
import { MemberWriter, writePerfSet } from "../../lib/perf_data/set_writer.ts";
import { OWN, PerfSet } from "../../lib/timing/aic/perf_set.ts";

const curves = (byName: Record<string, [number[], number[]]>): MemberWriter => {
  const writer = new MemberWriter();
  for (const [name, [keys, values]] of Object.entries(byName)) writer.addCurve(name, keys, values);
  return writer;
};

test("ownTables keeps what a version measured itself apart from what it borrows", async () => {
  const whole = new Map([
    ["moe/fp8", curves({ a: [[1, 2], [3, 4]], b: [[1], [5]] })],
    ["moe/nvfp4", curves({ a: [[1], [1]] })],
    ["moe/bfloat16", curves({ a: [[1, 2], [3, 4]] })],
    ["moe/int4_wo", curves({ a: [[1], [7]] })],
    ["nccl/half", curves({ a: [[1], [2]] })],
  ]);
  const primary = new Map([
    ["moe/fp8", curves({ a: [[1, 2], [3, 4]] })],
    ["moe/bfloat16", curves({ a: [[2], [4]] })],
    ["moe/int4_wo", curves({ a: [[1], [7]] })],
    ["nccl/half", curves({ a: [[1], [2]] })],
  ]);
  const { own, members } = ownTables(whole, primary);
  assert.deepEqual(own, { "moe/fp8": "named", "moe/nvfp4": "none", "moe/bfloat16": "apart" });
  const all = new Map([...whole, ...[...members].map(([name, writer]) => [OWN + name, writer] as const)]);
  const about = {
    ...{ system: "x", backend: "vllm", version: "1", origin: { package: "p", release: "1", licence: "l" } },
    ...{ hardware: { name: "x" } as any, lanes: { context: [], generation: [] }, sources: {}, own },
  };
  const set = new PerfSet(await writePerfSet(about, all));
  const tables = set.ownTables();
  assert.deepEqual(set.member("moe/fp8")!.names(), ["a", "b"]);
  assert.deepEqual(tables.member("moe/fp8")!.names(), ["a"]);
  assert.deepEqual([...tables.member("moe/fp8")!.curve("a")!.values], [3, 4]);
  assert.equal(tables.member("moe/nvfp4"), undefined);
  assert.deepEqual([...tables.member("moe/bfloat16")!.curve("a")!.keys], [2]);
  assert.deepEqual([...tables.member("moe/int4_wo")!.curve("a")!.values], [7]);
  assert.deepEqual(Object.keys(tables.header.members), ["moe/fp8", "moe/bfloat16", "moe/int4_wo", "nccl/half"]);
});
