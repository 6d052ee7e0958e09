import assert from "node:assert/strict";
import { test } from "node:test";
import { kernelOrder } from "../../lib/perf_data/kernel_order.ts";
import { DataTree } from "../../lib/perf_data/tree.ts";
import { compareKeys, comparePythonVersions, slotKey } from "../../lib/perf_data/versions.ts";

test("slotKey orders candidates before their release", () => {
  const versions = ["0.1.dev19262", "0.5.6.post2", "1.2.0", "1.3.0rc2", "1.3.0rc20", "1.3.0"];
  const sorted = [...versions].reverse().sort((a, b) => compareKeys(slotKey(a), slotKey(b)));
  assert.deepEqual(sorted, versions);
});

test("comparePythonVersions follows PEP 440", () => {
  const versions = [
    "0.1.dev3",
    "0.1a1",
    "0.1rc1",
    "0.1",
    "0.1.post1.dev2",
    "0.1.post1",
    "0.5.6",
    "0.5.6.post2",
    "0.5.10",
  ];
  assert.deepEqual([...versions].reverse().sort(comparePythonVersions), versions);
  assert.equal(comparePythonVersions("1.0", "1.0.0"), 0);
});

/** A tree in memory: path → text, tables as empty files. */
function tree(tables: readonly string[], texts: Record<string, string> = {}): DataTree {
  const all: Record<string, string> = {
    "query_versions.yaml": "defaults: {vllm: {current: '0.24.0', previous: null}, sglang: {current: '0.5.14'}}",
    "perf_data_reuse_manifest.yaml": [
      "groups:",
      "  - {op_file: x_perf.parquet, kernel_source: 'default', tier: shared_fallback, frameworks: [vllm, sglang]}",
      "  - {op_file: x_perf.parquet, kernel_source: 'other', tier: absence_load_bearing, frameworks: [vllm, sglang]}",
    ].join("\n"),
    "attention_lane_defaults.yaml": "vllm: {'0.24.0': {90: default}}",
    "g1.yaml": "{gpu: {mem_bw: 1}, node: {}}",
    ...Object.fromEntries(tables.map((path) => [`data/${path}`, ""])),
    ...texts,
  };
  const paths = Object.keys(all).map((path) => `s/${path}`);
  return new DataTree({ paths, read: (path) => new TextEncoder().encode(all[path.slice(2)]) }, "s");
}

test("DataTree.sources: own rows, declared reuse, older versions, other backends", () => {
  const data = tree([
    "g1/fam/vllm/0.24.0/x_perf.parquet",
    "g1/fam/vllm/0.24.0/reuse.yaml",
    "g1/fam/vllm/0.27.0/x_perf.parquet",
    "g1/fam/vllm/0.19.0/x_perf.parquet",
    "g1/fam/vllm/0.22.0/x_perf.parquet",
    "g1/fam/vllm/0.18.0/y_perf.parquet",
    "g1/fam/sglang/0.5.14/x_perf.parquet",
  ], {
    "data/g1/fam/vllm/0.24.0/reuse.yaml": "{schema_version: 1, reuse: [{table: x_perf, from_version: 0.27.0}]}",
  });
  const names = data.sources("g1", "vllm", "0.24.0", "x_perf").map(({ folder, channel, kernels }) =>
    `${folder} ${channel} ${kernels ?? "all"}`
  );
  assert.deepEqual(names, [
    "fam/vllm/0.24.0 primary all",
    "fam/vllm/0.27.0 declared_reuse all",
    "fam/vllm/0.22.0 fallback all",
    "fam/vllm/0.19.0 fallback all",
    "fam/sglang/0.5.14 cross_backend default",
  ]);
});

test("DataTree.sources skips folders that are marked incomplete", () => {
  const data = tree([
    "g1/fam/vllm/0.24.0/x_perf.parquet",
    "g1/fam/vllm/0.22.0/x_perf.parquet",
    "g1/fam/vllm/0.22.0/INCOMPLETE.txt",
    "g1/fam/vllm/0.19.0/x_perf.parquet",
    "g1/fam/vllm/0.19.0/INCOMPLETE.txt",
    "g1/fam/vllm/0.19.0/collection_meta.yaml",
  ]);
  const folders = data.sources("g1", "vllm", "0.24.0", "x_perf").map((source) => source.folder);
  assert.deepEqual(folders, ["fam/vllm/0.24.0", "fam/vllm/0.19.0"]);
});

test("DataTree.slots derives the next version from all systems without an override", () => {
  const tables = [
    "g1/fam/vllm/0.24.0/x_perf.parquet",
    "g2/fam/vllm/0.27.0/x_perf.parquet",
    "g2/fam/vllm/0.28.0/collection_meta.yaml",
    "g3/fam/vllm/0.30.0/x_perf.parquet",
  ];
  const data = tree(tables, {
    "query_versions.yaml": "{defaults: {vllm: {current: '0.24.0', previous: null}}, " +
      "overrides: {g3: {vllm: {current: '0.30.0', previous: '0.20.0'}}}}",
  });
  assert.deepEqual(data.slots("g1", "vllm"), { current: "0.24.0", next: "0.27.0" });
  assert.deepEqual(data.slots("g3", "vllm"), { current: "0.30.0", previous: "0.20.0" });
  assert.equal(data.slots("g1", "sglang"), undefined);
});

test("kernelOrder: the default kernel, then the version's own, then what was merged in", () => {
  const own = new Map([["triton", { slices: 5, leaves: 50 }], ["special", { slices: 9, leaves: 90 }]]);
  const merged = new Map([...own, ["older", { slices: 1, leaves: 1 }]]);
  assert.deepEqual(kernelOrder("fa3", own, merged), [
    ...["fa3", "triton", "special", "fla", "flashinfer", "trtllm_mha", "default", "older"],
  ]);
  assert.deepEqual(kernelOrder(null, own, merged), ["default"]);
});
