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

/** Runs of 1.6.1 in which vLLM drafts tokens, which the newest release does at other moments of a pass. */
const OTHER_DRAFTS = new Set([
  ...[5030, 5036, 5044, 5059, 5071, 5081, 5095, 5105, 5118, 5134, 5140, 5149, 5165, 5195, 5201, 5218, 5224, 5236, 5252],
  ...[5271, 5286, 5288, 5301, 20034, 20145],
]);

for (const pack of ["disagg", "disagg-trtllm", "scaled-vllm", "scaled-sglang", "scaled-trtllm", "scaled-disagg"]) {
  test(`cluster agrees with every random run of fuzz/${pack}`, async () => {
    for (const given of readPack(pack)) {
      if (OTHER_DRAFTS.has(given.seed!)) continue;
      assert.deepEqual(differences(given, await runCase(given)), [], `seed ${given.seed}`);
    }
  });
}
