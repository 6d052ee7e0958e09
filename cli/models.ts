/**
 * `dynosim models`: which models come with facts, and where they can be timed.
 *
 * @module
 */
import { BACKENDS } from "../lib/engine/settings.ts";
import { ConfigError } from "../lib/errors.ts";
import { writeText } from "../lib/io/process.ts";
import { stopPoint } from "../lib/io/stop.ts";
import { PerfCatalog } from "../lib/timing/aic/catalog.ts";
import { findModel, shippedModels, unknownModel } from "../lib/timing/aic/model_sources.ts";
import { type ModelSupport, modelSupport } from "../lib/timing/aic/support.ts";
import { csvText } from "../lib/report/csv.ts";
import { choice, list } from "./arguments.ts";
import { type Command, command } from "./command.ts";
import { jsonText } from "./output.ts";
import { alignedRows } from "../lib/report/text_table.ts";

const LINE = {
  command: "models",
  summary: "Tells which models come with facts and whether they can be timed, for every system and backend.",
  options: {
    hardware: list("GPU system; repeat for several; default: all whose measurements are on this machine", {
      value: "NAME",
    }),
    backend: list(`serving framework (${BACKENDS.join(", ")}); repeat for several; default: all`, { value: "NAME" }),
    format: choice("a table, or rows as JSON or CSV", ["text", "json", "csv"], { fallback: "text" }),
  },
  operands: { name: "MODEL", help: "only these; also a folder with a config.json", least: 0, most: Infinity },
  notes: [
    "A model is timed on the smallest number of GPUs that hold it and a KV cache: tp is tensor-parallel ranks, dp",
    "attention-data-parallel ones, ep and mtp expert- and tensor-parallel ranks of the experts. A row: model, architecture, hardware, backend, status (timed or",
    "refused), reason, shape.",
  ],
} as const;

/** The command. */
export const modelsCommand: Command = command(LINE, async (options, operands) => {
  const catalog = new PerfCatalog();
  const systems = options.hardware.length > 0 ? options.hardware : systemsHere(catalog);
  const names = operands.length > 0 ? operands : shippedModels();
  const places = systems.flatMap((system) => {
    const measured = Object.keys(catalog.system(system).backends);
    return (options.backend.length > 0 ? options.backend : BACKENDS.filter((name) => measured.includes(name)))
      .map((backend) => ({ system, backend }));
  });
  for (const { system, backend } of places) {
    catalog.load({ system, backend, version: catalog.version(system, backend) });
  }
  const rows: ModelSupport[] = [];
  for (const name of names) {
    const found = findModel(name);
    if (found === undefined) throw unknownModel(name);
    for (const { system, backend } of places) rows.push(modelSupport(found, system, backend, catalog));
    await stopPoint();
  }
  writeText("stdout", printed[options.format](rows));
});

const printed = {
  text: supportTable,
  json: jsonText,
  csv: (rows: readonly ModelSupport[]) =>
    csvText(rows.map((row) => ({ ...row, shape: row.shape === null ? null : shapeText(row) }))),
};

/** Systems of which at least one backend's measurements are on this machine. */
function systemsHere(catalog: PerfCatalog): string[] {
  const here = catalog.systemNames().filter((system) => catalog.setsOnThisMachine(system).length > 0);
  if (here.length === 0) throw new ConfigError("no measurements are on this machine; name a system with --hardware");
  return here;
}

/** A table of models by places, and the reasons behind it as numbered lines. */
export function supportTable(rows: readonly ModelSupport[]): string {
  const reasons = new Map<string, number>();
  const noteOf = (reason: string) => {
    const text = summary(reason);
    if (!reasons.has(text)) reasons.set(text, reasons.size + 1);
    return `(${reasons.get(text)})`;
  };
  const places = [...new Set(rows.map(({ hardware, backend }) => `${hardware} ${backend}`))];
  const byModel = Map.groupBy(rows, ({ model }) => model);
  const table = [["model", ...places]];
  for (const [model, own] of byModel) {
    const cell = (place: string) => {
      const row = own.find(({ hardware, backend }) => `${hardware} ${backend}` === place)!;
      return row.status === "timed" ? shapeText(row) : noteOf(row.reason!);
    };
    table.push([model, ...places.map(cell)]);
  }
  const lines = alignedRows(table, { left: table[0].length });
  const counts = places.map((place) => {
    const timed = rows.filter((row) => `${row.hardware} ${row.backend}` === place && row.status === "timed").length;
    return `${place}: ${timed} of ${byModel.size} models are timed`;
  });
  return [...lines, "", ...counts, "", ...[...reasons].map(([text, number]) => `(${number}) ${text}`), ""].join("\n");
}

function shapeText({ shape }: ModelSupport): string {
  const { tensor, attentionData, moeTensor, moeExpert } = shape!;
  return [
    `tp${tensor}`,
    ...attentionData > 1 ? [`dp${attentionData}`] : [],
    ...moeExpert > 1 ? [`ep${moeExpert}`] : [],
    ...moeTensor > 1 ? [`mtp${moeTensor}`] : [],
  ].join(
    " ",
  );
}

/** A reason without the sizes that differ from model to model, so that equal ones are told once. */
function summary(reason: string): string {
  return reason.replace(/^perf database error: /, "").replace(/ \(supported: .*\)$/, "").replace(/, topk: .*/, ", … }")
    .replace(
      /, n_kv_lookup: .*/,
      ", … }",
    )
    .replace(/\s+at query=.*|\{m=.*?\}/, "").trim();
}
