/** The cluster against recorded runs of the reference: flows, scaling, snapshots. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { differences, readCase, readPack, runCase } from "./replay_case.ts";

const folder = new URL("../../fixtures/goldens/replay/", import.meta.url);

for (const file of readdirSync(folder).filter((name) => name.endsWith(".json")).sort()) {
  test(`cluster does what replay/${file} records`, async () => {
    const given = readCase(`replay/${file}`);
    assert.deepEqual(differences(given, await runCase(given)), []);
  });
}

for (const pack of ["disagg", "disagg-trtllm", "scaled-vllm", "scaled-sglang", "scaled-trtllm", "scaled-disagg"]) {
  test(`cluster agrees with every random run of fuzz/${pack}`, async () => {
    for (const given of readPack(pack)) {
      assert.deepEqual(differences(given, await runCase(given)), [], `seed ${given.seed}`);
    }
  });
}
