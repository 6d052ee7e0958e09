import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findWheel } from "../../../scripts/perf_data/fetch.ts";
import { folder } from "../../trace/support.ts";

const find = (wheel: string) => () => findWheel({ wheel, folder: "unused", note: () => {} });

test("findWheel refuses a file that is not there and one that is not a known release", () => {
  const here = folder();
  const none = join(here, "none.whl"), other = join(here, "other.whl");
  writeFileSync(other, "PK");
  assert.throws(find(none), { message: `there is no file ${none}` });
  assert.throws(find(other), /is not the known wheel of aiconfigurator-core 0\.12\.0: its SHA-256 is [0-9a-f]{64}/);
});
