/**
 * Rows of a logical table: the columns asked for of every source file, in order.
 *
 * @module
 */
import { parquetMetadata, parquetRead } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { stopPoint } from "../io/stop.ts";
import type { DataTree, Source } from "./tree.ts";

/** A row: the values of the columns asked for, in the order asked; texts are texts, numbers numbers, truths 0 or 1. */
export type Row = (string | number)[];

/** Columns of a table: names that every file must have, and names with the value that stands in for a missing column. */
export interface Columns {
  readonly required: readonly string[];
  readonly optional?: Readonly<Record<string, string | number>>;
}

/** Column of the mean power of a GPU, in watts; few tables have it, and 0 stands for a row that was made without. */
const POWER = "power";

/**
 * Calls `visit` with every row of the sources, in order: required columns, then optional ones; and with its power. The
 * array is used again for the next row. Rows of a source that is restricted to kernels are skipped when theirs is not
 * among them.
 */
export async function forEachRow(
  tree: DataTree,
  system: string,
  table: string,
  sources: readonly Source[],
  columns: Columns,
  visit: (row: Row, watts: number) => void,
): Promise<void> {
  const optional = Object.entries(columns.optional ?? {});
  for (const source of sources) {
    await stopPoint();
    const bytes = tree.read(system, source.folder, table);
    const wanted = [...columns.required, ...optional.map(([name]) => name), "kernel_source", POWER];
    const { data, rows } = await readColumns(bytes, wanted);
    for (const name of columns.required) {
      if (!data.has(name)) throw new Error(`${system}/${source.folder}/${table} has no column ${name}`);
    }
    const lists = [
      ...columns.required.map((name) => data.get(name)!),
      ...optional.map(([name, instead]) => data.get(name) ?? new Array<string | number>(rows).fill(instead)),
    ];
    const kernels = source.kernels && new Set<string | number>(source.kernels);
    const kernelOf = data.get("kernel_source"), power = data.get(POWER);
    const row: Row = new Array(lists.length);
    for (let i = 0; i < rows; i++) {
      if (kernels && !kernels.has(kernelOf?.[i] ?? "")) continue;
      for (let c = 0; c < lists.length; c++) row[c] = lists[c][i];
      visit(row, Number(power?.[i]) || 0);
    }
  }
}

async function readColumns(
  bytes: Uint8Array,
  names: readonly string[],
): Promise<{ data: Map<string, (string | number)[]>; rows: number }> {
  const file = bytes.slice().buffer;
  const metadata = parquetMetadata(file);
  const rows = Number(metadata.num_rows);
  const present = new Set(metadata.schema.slice(1).map((element) => element.name));
  const columns = [...new Set(names)].filter((name) => present.has(name));
  const data = new Map(columns.map((name) => [name, new Array<string | number>(rows)]));
  await parquetRead({
    file,
    columns,
    compressors,
    metadata,
    onChunk({ columnName, columnData, rowStart }) {
      const list = data.get(columnName)!;
      for (let i = 0; i < columnData.length; i++) {
        const value = columnData[i];
        list[rowStart + i] = typeof value === "bigint" || typeof value === "boolean" ? Number(value) : value ?? "";
      }
    },
  });
  return { data, rows };
}
