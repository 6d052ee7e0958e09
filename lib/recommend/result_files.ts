/**
 * The files of a search: the ledger as JSON and CSV, and a prediction for every ranked candidate.
 *
 * @module
 */
import { effectiveConfig } from "../config/effective.ts";
import { csvLine } from "../report/csv.ts";
import type { Ledger, LedgerFiles, LedgerRecord } from "./ledger.ts";

/** A file's name below the output directory, and its text in pieces. */
export type FileText = readonly [name: string, pieces: Iterable<string>];

/** Value with its keys sorted at every level. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => a < b ? -1 : 1).map(([key, item]) => [key, sorted(item)]));
}

/** `recommendation.json`, candidate by candidate. */
export function* ledgerText(ledger: Ledger): Generator<string> {
  const { candidates, ...rest } = ledger;
  const parts = Object.entries({ ...rest, candidates: null }).sort(([a], [b]) => a < b ? -1 : 1);
  yield "{\n";
  for (const [i, [key, value]] of parts.entries()) {
    const end = i < parts.length - 1 ? ",\n" : "\n";
    if (key !== "candidates") {
      yield `  ${JSON.stringify(key)}: ${indented(value, 2)}${end}`;
      continue;
    }
    yield `  "candidates": [`;
    for (const [j, record] of candidates.entries()) yield `${j > 0 ? "," : ""}\n    ${indented(record, 4)}`;
    yield `${candidates.length > 0 ? "\n  " : ""}]${end}`;
  }
  yield "}\n";
}

const indented = (value: unknown, blanks: number) =>
  JSON.stringify(sorted(value), null, 2).replaceAll("\n", `\n${" ".repeat(blanks)}`);

const COLUMNS = [
  "schema_version",
  "candidate_id",
  "status",
  "reason_category",
  "reason",
  "used_gpus",
  "score",
  "power_w",
  "power_coverage",
  "power_source",
  "config_json",
  "prediction_config_json",
  "metrics_json",
  "objectives_json",
  "provenance_json",
  "is_top_n",
  "is_pareto",
];

const json = (value: unknown) => JSON.stringify(sorted(value));

/** Truth as the reference writes it. */
const truth = (value: boolean) => value ? "True" : "False";

/** `recommendation.csv`, a row for each candidate. */
export function* ledgerTable({ schema_version, candidates, views }: Ledger): Generator<string> {
  yield csvLine(COLUMNS);
  const top = new Set(views.top_n), front = new Set(views.pareto_front);
  for (const record of candidates) yield csvLine(row(schema_version, record, top, front));
}

function row(version: string, record: LedgerRecord, top: ReadonlySet<string>, front: ReadonlySet<string>): unknown[] {
  const { candidate_id, metrics } = record;
  return [
    version,
    candidate_id,
    record.status,
    record.reason_category,
    record.reason,
    record.used_gpus,
    record.score,
    metrics?.power_w,
    metrics?.power_coverage,
    "runner_reported",
    json(record.config),
    json(record.prediction_config),
    json(metrics),
    json(record.objectives),
    json(record.provenance),
    truth(top.has(candidate_id)),
    truth(front.has(candidate_id)),
  ];
}

/** All files of a search. Predictions are complete documents: `predict` gives their figures again, to the last bit. */
export function resultFiles({ ledger, documents }: LedgerFiles, stack: string): FileText[] {
  return [
    ...documents.map((document, i): FileText => [
      `recommendations/${String(i + 1).padStart(4, "0")}.yaml`,
      [
        `# dynosim predict --stack ${stack} --config ${String(i + 1).padStart(4, "0")}.yaml\n`,
        effectiveConfig(document),
      ],
    ]),
    ["recommendation.csv", ledgerTable(ledger)],
    ["recommendation.json", ledgerText(ledger)],
  ];
}
