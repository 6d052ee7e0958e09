/** Recorded runs of the reference on which some version of dynosim differed, found with random traces. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { compareSnapshots } from "./compare.ts";
import { differences, readCase, runCase } from "./replay_case.ts";

const folder = new URL("../../fixtures/goldens/fuzz-found/", import.meta.url);

for (const file of readdirSync(folder).filter((name) => name.endsWith(".json")).sort()) {
  const given = readCase(`fuzz-found/${file}`);
  test(`simulation does what fuzz-found/${file} records: ${given.description}`, async () => {
    const result = await runCase(given);
    const found = differences(given, result);
    // A run that fails has no report, but its policy was asked before.
    if (given.expected.error && given.expected.snapshots) {
      found.push(...compareSnapshots(result.snapshots ?? [], given.expected.snapshots));
    }
    assert.deepEqual(found, []);
  });
}
