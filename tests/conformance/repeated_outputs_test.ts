/** Prompts that contain what earlier requests emitted: their KV is found again, on every engine. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { differences, readPack, runCase } from "./replay_case.ts";

for (const format of ["mooncake", "mooncake-delta"]) {
  test(`engines reuse outputs of ${format} rows as fuzz/repeated-outputs records`, async () => {
    const pack = readPack("repeated-outputs").filter((given) => given.options.trace_format === format);
    assert.equal(pack.length, 90);
    for (const given of pack) assert.deepEqual(differences(given, await runCase(given)), [], `seed ${given.seed}`);
  });
}
