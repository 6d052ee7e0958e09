import "../../without_user_cache.ts";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { PerfCatalog } from "../../../lib/timing/aic/catalog.ts";
import { deploy } from "../../../lib/timing/aic/operator_timing.ts";
import { precisionWarnings } from "../../../lib/timing/aic/precision_check.ts";

const BFLOAT16 = { gemm: "bfloat16", moe: "bfloat16", kvcache: "bfloat16", fmha: "bfloat16" } as const;
const LOADS = [
  { num_prefill_requests: 1, sum_prefill_tokens: 2048 },
  { num_decode_requests: 1, sum_decode_kv_tokens: 2048 },
  { num_decode_requests: 32, sum_decode_kv_tokens: 32 * 2048 },
];

const page = readFileSync(new URL("../../../docs/precisions.md", import.meta.url), "utf8");
const rows = page.split("\n").filter((line) => /^\| [a-z]\d/.test(line)).map((line) =>
  line.split("|").slice(1, -1).map((cell) => cell.trim())
);

for (const system of ["h200_sxm", "b200_sxm"]) {
  test(`precisionWarnings name the tables of every pass on ${system} that is slower in FP8, as docs/precisions.md says`, () => {
    const catalog = new PerfCatalog(), own = rows.filter(([hardware]) => hardware === system);
    assert.equal(own.length, 18);
    for (const [hardware, backend, model, split, ...cells] of own) {
      const parallelism = Object.fromEntries(
        split.split(", ").map((part) => {
          const [name, size] = part.split(" ");
          return [name, Number(size)];
        }),
      );
      const fast = deploy({ model, hardware, backend, ...parallelism }, catalog), plain = fast.quantised(BFLOAT16);
      const told = LOADS.map((load) => {
        const [ms, plainMs] = [fast, plain].map((of) => of.forwardPassModel().passMs(load));
        const warnings = precisionWarnings(fast, [load]);
        if (ms > plainMs * 1.02) assert.match(warnings.join(), /do not compare precisions on \w+_perf \(/);
        const mark = warnings.length > 0 ? " !" : "";
        return `${plainMs.toFixed(2)} → ${ms.toFixed(2)}, × ${(ms / plainMs).toFixed(2)}${mark}`;
      });
      assert.deepEqual(told, cells, `${hardware} ${backend} ${model} ${split}`);
    }
  });
}
