/** The vLLM engine against recorded runs of the reference: worked vectors and random traces. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { differences, readCase, readPack, runCase } from "./replay_case.ts";

const folder = new URL("../../fixtures/goldens/engine-vllm/", import.meta.url);

for (const file of readdirSync(folder).filter((name) => name.endsWith(".json")).sort()) {
  test(`vLLM rank does what engine-vllm/${file} records`, async () => {
    const given = readCase(`engine-vllm/${file}`);
    assert.deepEqual(differences(given, await runCase(given)), []);
  });
}

for (const pack of ["vllm", "mtp-vllm"]) {
  test(`vLLM rank agrees with every random trace of fuzz/${pack}`, async () => {
    for (const given of readPack(pack)) {
      assert.deepEqual(differences(given, await runCase(given)), [], `seed ${given.seed}`);
    }
  });
}
