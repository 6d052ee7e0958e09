/** `--format csv` of every command that prints a table: a head, and rows with as many cells. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { splitCsv } from "../../lib/trace/csv.ts";
import { inFolder, start } from "./support.ts";

/** The rows of a CSV, by column. */
function rowsOf(text: string): Record<string, string>[] {
  const [head, ...rows] = text.trimEnd().split("\n").map((line) => splitCsv(line));
  for (const row of rows) assert.equal(row.length, head.length, row.join());
  return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i]])));
}

const SMALL = `
traffic: {source: {type: synthetic, input_tokens: 500, output_tokens: 20}, load: {concurrency: 8}, stop: {requests: 40}}
engine: {mode: aggregated, model: Qwen/Qwen3-32B, hardware: h200_sxm, backend: vllm, context_length: 4096, workers: {aggregated: WORKER}}
evaluation: {sla: {ttft_ms: 1500, itl_ms: 50}, price_per_gpu_hour: 3}
`;

test("tables are printed as CSV", () =>
  inFolder(async (folder) => {
    const printed = async (args: string[]) => {
      const { code, stdout, stderr } = await start("cli/main.ts", [...args, "--format", "csv"], { cwd: folder });
      assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
      return rowsOf(stdout);
    };
    writeFileSync(join(folder, "p.yaml"), SMALL.replace("WORKER", "{parallelism: {tensor: 2}}"));
    writeFileSync(
      join(folder, "search.yaml"),
      `${SMALL.replace("WORKER", "{}")}optimization: {target: goodput_per_gpu, constraints: {max_candidate_gpus: 2}}\n`,
    );
    const [summary] = await printed(["predict", "-c", "p.yaml", "--output-dir", "a"]);
    assert.equal(summary.completed_requests, "40");
    assert.deepEqual([Object.keys(summary)[0], summary.attainment_percent], ["attainment_percent", "100"]);
    assert.ok(Number(summary.cost) > 0 && Math.abs(Number(summary.cost) - 3 * Number(summary.gpu_hours)) < 1e-12);
    const runs = await printed(["compare", "a", "a"]);
    assert.deepEqual(runs.map((run) => [run.name, run.attainment_percent]), [["a", "100"], ["a (2)", "100"]]);
    const points = await printed(["capacity", "-c", "p.yaml"]);
    assert.ok(
      points.every(({ cost_per_thousand_good_requests: cost }) => cost === "" || Number(cost) > 0) &&
        points.some(({ carried }) => carried === "true") && points.every(({ attainment }) => Number(attainment) <= 1),
    );
    const ranked = await printed(["recommend", "-c", "search.yaml", "--output-dir", "b"]);
    assert.deepEqual(ranked.map(({ rank }) => rank), ranked.map((_, i) => `${i + 1}`));
    assert.deepEqual([ranked[0].attainment_percent, Number(ranked[0].cost_per_hour)], [
      "100",
      3 * Number(ranked[0].used_gpus),
    ]);
    assert.match(ranked[0].config_path, /0001\.yaml$/);
    const [model] = await printed(["models", "Qwen/Qwen3-32B", "--hardware", "h200_sxm", "--backend", "vllm"]);
    assert.deepEqual([model.status, model.shape], ["timed", "tp1"]);
    const sets = await printed(["perf-data", "list"]);
    assert.ok(sets.some(({ system, measurements }) => system === "h200_sxm" && measurements !== "not installed"));
    const figures = await printed([
      "inspect",
      fileURLToPath(new URL("../../fixtures/traces/chat.jsonl", import.meta.url)),
    ]);
    assert.ok(figures.some(({ figure, value }) => figure === "input.p50" && value === "2617"));
  }));
