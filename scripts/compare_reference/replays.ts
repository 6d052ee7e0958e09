/**
 * Compares replays with recorded ones, every field of every record:
 *
 *     deno run -A scripts/compare_reference/replays.ts FILE… [--shown=N]
 *
 * FILE: a case a line (.jsonl, .jsonl.gz), as `random_replays.py` writes them. Tells the differences of the first N cases
 * (default 10) and, at the end, how many agree, by kind.
 */
import { readFileSync } from "node:fs";
import process from "node:process";
import { gunzipSync } from "node:zlib";
import { explain } from "../../tests/conformance/compare.ts";
import { type RecordedCase, recordedDifferences } from "../../tests/conformance/recorded_case.ts";

const files = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const shown = Number(process.argv.find((argument) => argument.startsWith("--shown="))?.slice(8) ?? 10);
const counts = new Map<string, { equal: number; different: number[] }>();
let told = 0;

for (const file of files) {
  const bytes = readFileSync(file);
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  for (const [line, row] of text.trim().split("\n").entries()) {
    const given = JSON.parse(row) as RecordedCase;
    const found = await recordedDifferences(given);
    const kind = `${file.split("/").pop()} ${given.kind ?? ""}`.trim();
    const count = counts.get(kind) ?? { equal: 0, different: [] };
    counts.set(kind, count);
    if (found.length === 0) count.equal++;
    else {
      count.different.push(line + 1);
      if (told++ < shown) console.log(explain(found, `${file}:${line + 1} ${given.fmt ?? ""}`));
    }
  }
}
for (const [kind, { equal, different }] of counts) {
  console.log(`${kind}: ${equal} equal, ${different.length} different ${different.slice(0, 20).join(" ")}`);
}
