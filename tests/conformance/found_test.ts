/** Recorded runs of the reference on which some version of dynosim differed, with every field of the records. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { type RecordedCase, recordedDifferences } from "./recorded_case.ts";
import { readPack } from "./replay_case.ts";

const folder = new URL("../../fixtures/goldens/found/", import.meta.url);

for (const file of readdirSync(folder).filter((name) => name.endsWith(".jsonl.gz")).sort()) {
  const cases = readPack(file.replace(".jsonl.gz", ""), "found") as RecordedCase[];
  for (const [line, given] of cases.entries()) {
    test(`simulation does what found/${file}:${line + 1} records: ${given.fmt ?? given.kind}`, async () => {
      assert.deepEqual(await recordedDifferences(given), []);
    });
  }
}
