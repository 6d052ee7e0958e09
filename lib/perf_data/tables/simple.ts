/**
 * Builders of tables that need no rule of their own: rows become curves (one key) or grids (several keys), the first
 * row of a key wins. A new table of that kind is one description.
 *
 * @module
 */
import { getOrAdd, type Leaves, levelsOf, type Nest, put } from "../nested.ts";
import type { Columns, Row } from "../rows.ts";
import type { Source } from "../tree.ts";
import { type TableBuilder, type TableRequest, visitTable } from "./members.ts";

/** Where a row goes; undefined leaves it out. */
export interface Place<Key> {
  /** Member of the set, e.g. `moe/bfloat16`: what is unpacked together. */
  readonly member: string;
  /** Name of the curve or grid in the member. */
  readonly slice: string;
  readonly key: Key;
  /** Milliseconds. */
  readonly value: number;
}

/** A table of curves or grids. */
export interface TableDescription<Key> {
  /** Name of the table's files, without extension. */
  readonly table: string;
  readonly columns: Columns;
  /** Where a row goes. The row's array is used again for the next one. */
  readonly place: (row: Row, request: TableRequest) => Place<Key> | undefined;
  /** Files that make up the table, where the usual rule does not hold. */
  readonly sources?: (request: TableRequest) => Source[];
}

/** Builder of a table with one key: a curve a slice. */
export function curveTable({ table, columns, place, sources }: TableDescription<number>): TableBuilder {
  return async (request, members) => {
    const curves = new Map<string, Map<string, Leaves>>();
    await visitTable(request, members, table, columns, (row, watts) => {
      const found = place(row, request);
      if (found === undefined) return;
      const byName = getOrAdd(curves, found.member, () => new Map<string, Leaves>());
      const leaves = getOrAdd(byName, found.slice, (): Leaves => new Map());
      if (!leaves.has(found.key)) leaves.set(found.key, { ms: found.value, watts });
    }, sources?.(request));
    members.addCurves(curves);
  };
}

/** Builder of a table with a path of keys: a grid a slice, keys in the order of its axes. */
export function gridTable({ table, columns, place, sources }: TableDescription<readonly number[]>): TableBuilder {
  return async (request, members) => {
    const grids = new Map<string, Map<string, { depth: number; nest: Nest }>>();
    await visitTable(request, members, table, columns, (row, watts) => {
      const found = place(row, request);
      if (found === undefined) return;
      const byName = getOrAdd(grids, found.member, () => new Map<string, { depth: number; nest: Nest }>());
      const { nest } = getOrAdd(byName, found.slice, () => ({ depth: found.key.length, nest: new Map() as Nest }));
      put(nest, found.key, { ms: found.value, watts });
    }, sources?.(request));
    for (const [member, byName] of grids) {
      for (const [name, { depth, nest }] of byName) members.writer(member).addGrid(name, levelsOf(nest, depth));
    }
  };
}
