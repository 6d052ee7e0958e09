import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { inFolder, start } from "../cli/support.ts";

const folder = fileURLToPath(new URL("../../scripts/examples/", import.meta.url));

/** What an example prints and leaves, given a place for its output. */
const EXPECT: Record<string, (stdout: string, output: string) => void> = {
  "sweep_startup.ts": (stdout, output) => {
    for (const name of ["0 s", "15 s", "30 s", "60 s", "120 s"]) assert.match(stdout, new RegExp(`\\W${name}\\W`));
    const svg = readFileSync(output, "utf8");
    assert.ok(svg.startsWith("<svg") && svg.includes("GPU hours") && svg.includes("120 s"));
  },
  "find_deployment.ts": (stdout) => assert.match(stdout, /replicas: 1[^]*352\./),
  "custom_router.ts": (stdout) => assert.match(stdout, /round robin[^]*long prompts apart/),
  "retime_trace.ts": (stdout, output) => {
    const rows = readFileSync(output, "utf8").trim().split("\n").map((line) => JSON.parse(line));
    assert.match(stdout, new RegExp(`${rows.length} requests in`));
    assert.ok(rows.length > 1000 && rows.every((row) => row.timestamp % 10_000 === 0 && row.input_length <= 3000));
  },
};

test("every example is run here", () => {
  assert.deepEqual(
    [...Object.keys(EXPECT), "azure_to_page.ts", "planner_in_the_loop.ts"].sort(),
    readdirSync(folder).sort(),
  );
});

for (const [name, check] of Object.entries(EXPECT)) {
  test(`scripts/examples/${name} runs`, () =>
    inFolder(async (place) => {
      const output = join(place, "output");
      const { code, stdout, stderr } = await start(`scripts/examples/${name}`, [output]);
      assert.equal(code, 0, stderr);
      assert.equal(stderr, "");
      check(stdout, output);
    }));
}

/** Writes an Azure trace: 900 rows, one every two seconds. */
function azure(place: string): string {
  const firstMs = Date.UTC(2023, 10, 16, 18, 0, 0);
  const rows = Array.from({ length: 900 }, (_, i) => {
    const stamp = new Date(firstMs + i * 2000).toISOString().replace("T", " ").replace("Z", "0000");
    return `${stamp},${200 + (i * 37) % 900},${20 + (i * 11) % 60}`;
  });
  const csv = join(place, "azure.csv");
  writeFileSync(csv, ["TIMESTAMP,ContextTokens,GeneratedTokens", ...rows].join("\r\n"));
  return csv;
}

test("scripts/examples/azure_to_page.ts runs", () =>
  inFolder(async (place) => {
    const { code, stdout, stderr } = await start("scripts/examples/azure_to_page.ts", [azure(place), place]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /: 900 600 .*outside the slice.* 300/);
    assert.match(readFileSync(join(place, "azure.html"), "utf8"), /<h1>Azure, 20 minutes<\/h1>/);
  }));

test("scripts/examples/planner_in_the_loop.ts runs", () =>
  inFolder(async (place) => {
    const { code, stdout, stderr } = await start("scripts/examples/planner_in_the_loop.ts", [azure(place), place]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^5000 \{ prefill: \w+, decode: \w+ \}\n10000 /);
    assert.match(stdout, /Table: 2 cols x 15 rows/);
    assert.match(stdout, /scaling events with target latency: \d/);
    assert.match(stderr, /throughput-based scaling falls back to load-based scaling/);
  }));
