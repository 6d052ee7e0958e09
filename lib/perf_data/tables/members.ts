/**
 * What builders of tables work with: the request, and the members of the performance set in the making.
 *
 * @module
 */
import type { Hardware } from "../../timing/aic/hardware.ts";
import type { PerfSetHeader } from "../../timing/aic/perf_set.ts";
import { curveOf, getOrAdd, type Leaves } from "../nested.ts";
import { type Columns, forEachRow, type Row } from "../rows.ts";
import { MemberWriter } from "../set_writer.ts";
import type { DataTree } from "../tree.ts";

/** What the tables are built for and from. */
export interface TableRequest {
  readonly tree: DataTree;
  readonly system: string;
  readonly backend: string;
  readonly version: string;
  readonly hardware: Hardware;
}

/** Builds the members of one kind of table; a version without such a table adds none. */
export type TableBuilder = (request: TableRequest, members: Members) => Promise<void>;

/** Collects members and what they were merged from. */
export class Members {
  readonly writers = new Map<string, MemberWriter>();
  readonly sources: Record<string, [string, string, readonly string[] | null][]> = {};
  readonly lanes: { -readonly [phase in keyof PerfSetHeader["lanes"]]: readonly string[] } = {
    context: [],
    generation: [],
  };

  writer(name: string): MemberWriter {
    return getOrAdd(this.writers, name, () => new MemberWriter());
  }

  /** Adds curves by member and slice. */
  addCurves(curves: ReadonlyMap<string, ReadonlyMap<string, Leaves>>): void {
    for (const [member, byName] of curves) {
      for (const [name, leaves] of byName) {
        const { keys, values, powers } = curveOf(leaves);
        this.writer(member).addCurve(name, keys, values, powers);
      }
    }
  }
}

/** Visits the rows of a table and their powers in the order in which they count, and notes its sources. */
export async function visitTable(
  request: TableRequest,
  members: Members,
  table: string,
  columns: Columns,
  visit: (row: Row, watts: number) => void,
  sources = request.tree.sources(request.system, request.backend, request.version, table),
): Promise<void> {
  members.sources[table] = sources.map(({ folder, channel, kernels }) => [folder, channel, kernels]);
  await forEachRow(request.tree, request.system, table, sources, columns, visit);
}
