/**
 * BurstGPT 1 to 3: a campus service over months. Version 3 has a session and an end-to-end time for chat rows. Imports
 * the CSV reading of this folder.
 *
 * @module
 */
import { secondsToMs } from "./clock.ts";
import { CsvRows } from "./csv.ts";
import type { TraceFormat } from "./format.ts";
import { FreshIds } from "./fresh_ids.ts";
import { type Lengths, lengthsOnly } from "./lengths.ts";

/** The BurstGPT format. */
export const burstGpt: TraceFormat = {
  name: "burstgpt",
  title: "BurstGPT trace, CSV",
  identity: "synthesised unique",
  shape: "rows",
  badRows: "drop",
  recognise: ({ columns }) =>
    columns?.includes("Request tokens") && columns.includes("Response tokens")
      ? "its header has the columns Request tokens and Response tokens"
      : undefined,
  open({ blockTokens = 512, keepZeroOutput, sessions }) {
    const ids = new FreshIds();
    const format = {
      required: ["Timestamp", "Request tokens", "Response tokens"],
      optional: ["Session ID", "Elapsed time"],
      row: lengthsOnly({ blockTokens, keepZeroOutput, ids }, (cells) => {
        const lengths: Lengths = {
          timestampMs: secondsToMs(cells.text(0)),
          inputTokens: cells.count(1),
          outputTokens: cells.count(2),
        };
        if (sessions && cells.text(3) !== "") lengths.sessionId = cells.text(3);
        if (cells.text(4) !== "") lengths.durationMs = secondsToMs(cells.text(4));
        return lengths;
      }),
    };
    return { blockTokens, rows: (file) => new CsvRows(file, format) };
  },
};
