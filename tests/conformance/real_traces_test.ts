/** Whole runs of real traces against what the reference reported. The traces are not part of the project. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { type Case, differences, readCase, runCase } from "./replay_case.ts";

const folder = new URL("../../fixtures/goldens/real-traces/", import.meta.url);

for (const file of readdirSync(folder).filter((file) => /^(?!kv-router).*\.json$/.test(file)).sort()) {
  const given: Case = readCase(`real-traces/${file}`);
  const trace = new URL(`../../../shared/traces/${(given.trace as string).split("/").pop()}`, import.meta.url);
  test(`a run of a real trace is what real-traces/${file} records`, { skip: !existsSync(trace) }, async () => {
    assert.deepEqual(differences(given, await runCase(given)), []);
  });
}
