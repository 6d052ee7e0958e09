/**
 * The table library, for this folder. Its codec is imported first, so that a script with an import map of its own gets
 * the version that this package names and not the newest one, which lacks a package of its own.
 *
 * @module
 */
import "@uwdata/flechette";

export { type ColumnTable, table } from "arquero";
