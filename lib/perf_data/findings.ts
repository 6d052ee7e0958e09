/**
 * What the check finds in the sets of a system, kept beside them, so that estimates can say on what they rest without
 * checking whole tables.
 *
 * @module
 */
import { DOUBTFUL, type FlaggedTable } from "../timing/aic/catalog.ts";
import type { PerfSet } from "../timing/aic/perf_set.ts";
import { checkSet } from "./check.ts";

/** Findings of less than this share of a table's points are noise of single measurements. */
export const WORTH_TELLING = 0.01;

/** By set (`vllm-0.24.0`) the tables of a system with findings worth telling, as text with a line per set. */
export async function findingsText(sets: readonly PerfSet[]): Promise<string> {
  const lines: string[] = [];
  for (const set of sets) {
    const tables: Record<string, Record<string, FlaggedTable[string]>> = {};
    for (const { table, rule, points, of, slices } of await checkSet(set, sets.filter((other) => other !== set))) {
      if (points < of * WORTH_TELLING) continue;
      (tables[table] ??= {})[rule] = points > of * DOUBTFUL ? [points, of, slices] : [points, of];
    }
    lines.push(
      `${JSON.stringify(`${set.header.backend}-${set.header.version}`)}: ${
        JSON.stringify(tables satisfies Record<string, FlaggedTable>)
      }`,
    );
  }
  return `{\n${lines.join(",\n")}\n}\n`;
}
