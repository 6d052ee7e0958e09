/**
 * Writes the Planner's diagnostics after a run, where its configuration asks for them: the HTML page, and beside it the
 * log of its snapshots.
 *
 * @module
 */
import { writeFileAtomically } from "../io/atomic.ts";
import { joinPath } from "../io/folders.ts";
import { host } from "../io/host.ts";
import type { RecordedPlanner } from "../report/planner_recorder.ts";
import { diagnosticsFileName, diagnosticsLog, diagnosticsSnapshots, utcStamp } from "../report/planner_diagnostics.ts";
import type { Report } from "../report/report.ts";

/**
 * Writes the page and notes its path in the report; does nothing when the configuration switches both the periodic
 * report and the dashboard off, when details were not captured, and for runs without a tick.
 *
 * @param kvCapacityTokens KV tokens one decode (or aggregated) rank holds
 * @param nowMs host time, for the log
 */
export async function writePlannerDiagnostics(
  planner: RecordedPlanner,
  report: Report,
  { kvCapacityTokens, nowMs }: { kvCapacityTokens: number; nowMs: number },
): Promise<void> {
  const { config, recorder } = planner;
  const section = report.planner;
  const wanted = config.report_interval_hours !== null || config.live_dashboard_port !== 0;
  if (!wanted || section === null || !recorder.capturesDetails || section.ticks.length === 0) return;
  const snapshots = diagnosticsSnapshots(section.ticks, recorder.latencies, {
    throughputIntervalSeconds: config.throughput_adjustment_interval_seconds,
    prefillGpusPerWorker: report.summary.prefill_gpus_per_worker,
    decodeGpusPerWorker: report.summary.decode_gpus_per_worker,
  });
  const name = config.report_filename ?? diagnosticsFileName(section.ticks.at(-1)!.at_ms / 1000);
  const path = joinPath(config.report_output_dir, name);
  host().makeDirectory(config.report_output_dir);
  const bounds = { ttftMs: config.ttft_ms, itlMs: config.itl_ms };
  const { diagnosticsPage }: typeof import("../analysis/diagnostics_page.ts") = await import(
    import.meta.resolve("../analysis/diagnostics_page.ts")
  );
  await writeFileAtomically(
    path,
    diagnosticsPage(snapshots, { ...bounds, kvCapacityTokens, cost: report.evaluation?.cost }),
  );
  if (config.report_write_gzip_log) {
    const head = { ...bounds, htmlReportPath: path, generatedAtUtc: utcStamp(Math.floor(nowMs / 1000)) };
    const log = `${path.replace(/\.html$/, "")}.log.jsonl.gz`;
    await writeFileAtomically(log, [...diagnosticsLog(snapshots, head)].join(""), { gzip: true });
  }
  section.html_report_path = path;
}
