/**
 * The table library, for this folder. Its codec is imported first, so that a script with an import map of its own gets
 * the version that this package names and not the newest one, which lacks a package of its own. `table` comes from the
 * file that has it: the package's entry also reads files, for which Deno would load Node's file system and streams.
 *
 * @module
 */
import "@uwdata/flechette";

import type { table as makeTable } from "arquero";
import { table as untyped } from "arquero/src/table/index.js";

export type { ColumnTable } from "arquero";

export const table: typeof makeTable = untyped;
