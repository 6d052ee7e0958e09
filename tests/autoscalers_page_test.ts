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
  const found: Record<string, number[]> = {};
  const put = (label: string, value: number, digits = 0) => (found[label] ??= []).push(Number(value.toFixed(digits)));
  for (const text of configurations) {
    const { plan, warnings } = await loadPrediction(text, {
      stack: "dynamo",
      set: [`traffic.source.paths=${JSON.stringify([trace])}`],
    });
    assert.deepEqual(warnings, []);
    const { summary, planner, evaluation } = await predict(plan);
    const { sla, cost } = evaluation!;
    put("requests within the SLA \\(%\\)", sla!.attainment * 100, 2);
    put("requests within the SLA, of 2,000", sla!.within);
    put("missed the bound on TTFT", sla!.missed.ttft);
    put("missed the bound on TPOT", sla!.missed.tpot);
    put("GPU hours", summary.gpu_hours, 2);
    put("cost \\(", cost!.total, 2);
    put("cost of 1,000 requests", cost!.per_thousand_good_requests!, 2);
    put("changes of the number", planner?.scaling_events.length ?? 0);
  }
  const told = Object.fromEntries(Object.keys(found).map((label) => [label, row(label)]));
  assert.deepEqual(found, told);
});
