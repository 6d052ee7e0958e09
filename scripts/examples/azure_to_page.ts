/**
 * From an Azure LLM inference trace (CSV) to a page of pictures: twenty minutes of it become a Dynamo trace, the trace is
 * replayed with a Planner in the loop, and the run is drawn.
 *
 * Run: `deno run -A scripts/examples/azure_to_page.ts AZURE.csv [FOLDER]`
 */
import { writeFileSync } from "node:fs";
import process from "node:process";
import { convert, htmlReport, planner, readTrace, replay, toRun } from "dynosim";

const [csv, folder = "."] = process.argv.slice(2);
const trace = `${folder}/azure.jsonl.gz`;
const { read, emitted, dropped } = await convert(csv, trace, { to: "dynamo", slice: { to: "20m" } });
console.log("rows read, requests written, rows dropped by reason:", read, emitted, dropped);

const sla = { ttftMs: 500, itlMs: 25 };
const report = await replay(readTrace(trace, { format: "dynamo" }), {
  cluster: { replicas: 2, startupSeconds: 30 },
  planner: planner({ target: "latency", maxGpus: 4 }),
  capturePerRequest: true,
  sla,
}).report;
writeFileSync(`${folder}/azure.html`, await htmlReport([toRun(report, { name: "Azure, 20 minutes", sla })]));
