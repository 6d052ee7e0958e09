import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findPackage } from "../../lib/perf_data/package.ts";
import { findRelease, RELEASES } from "../../lib/perf_data/releases.ts";
import { folder } from "../trace/support.ts";

const find = (file: string) => findPackage({ release: findRelease("0.12.0"), file, folder: "unused", note: () => {} });

test("findPackage refuses a file that is not there and one that is not the release's", async () => {
  const here = folder();
  const none = join(here, "none.whl"), other = join(here, "other.whl");
  writeFileSync(other, "PK");
  await assert.rejects(find(none), { message: `there is no file ${none}` });
  await assert.rejects(
    find(other),
    /is not the known package of aiconfigurator-core 0\.12\.0: its SHA-256 is [0-9a-f]{64}/,
  );
});

test("findRelease takes the newest by default and helps with a wrong version", () => {
  assert.equal(findRelease(), RELEASES[0]);
  assert.throws(() => findRelease("0.12.1"), /unknown data release '0\.12\.1', did you mean '0\.12\.0'\? \(known: /);
});
