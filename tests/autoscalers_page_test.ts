/** docs/autoscalers.md as its reader meets it: its configurations give the figures of its table. */
import "./without_user_cache.ts";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { loadPrediction } from "../lib/config/load.ts";
import { predict } from "../lib/replay/predict.ts";

const page = readFileSync(fileURLToPath(new URL("../docs/autoscalers.md", import.meta.url)), "utf8");
const trace = fileURLToPath(new URL("../fixtures/traces/chat.jsonl", import.meta.url));

test("the configurations of docs/autoscalers.md give the figures of its table", async () => {
  const configurations = [...page.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text]) => text);
  const row = (label: string) => {
    const [, cells] = page.match(new RegExp(`^\\| ${label}[^|]*\\|(.*)\\|$`, "m"))!;
    return cells.split("|").map((cell) => Number(cell.replaceAll(/[ ,]/g, "")));
  };
  const good: number[] = [], hours: number[] = [], changes: number[] = [];
  for (const text of configurations) {
    const { plan, warnings } = await loadPrediction(text, {
      stack: "dynamo",
      set: [`traffic.source.paths=${JSON.stringify([trace])}`],
    });
    assert.deepEqual(warnings, []);
    const { summary, planner } = await predict(plan);
    good.push(summary.goodput_completed_requests!);
    hours.push(Number(summary.gpu_hours.toFixed(2)));
    changes.push(planner?.scaling_events.length ?? 0);
  }
  assert.deepEqual({ good, hours, changes }, {
    good: row("requests within the SLA"),
    hours: row("GPU hours"),
    changes: row("changes of the number"),
  });
});
