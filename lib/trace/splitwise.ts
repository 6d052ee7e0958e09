/**
 * Traces of splitwise-sim: seconds and lengths.
 *
 * @module
 */
import { secondsToMs } from "./clock.ts";
import { CsvRows } from "./csv.ts";
import type { TraceFormat } from "./format.ts";
import { FreshIds } from "./fresh_ids.ts";
import { lengthsOnly } from "./lengths.ts";

/** The splitwise-sim format. */
export const splitwise: TraceFormat = {
  name: "splitwise",
  title: "splitwise-sim trace, CSV",
  identity: "synthesised unique",
  shape: "rows",
  badRows: "drop",
  recognise: ({ columns }) =>
    columns?.includes("prompt_size") && columns.includes("token_size")
      ? "its header has the columns prompt_size and token_size"
      : undefined,
  open({ blockTokens = 512, keepZeroOutput, ledger }) {
    const ids = new FreshIds();
    const format = {
      required: ["arrival_timestamp", "prompt_size", "token_size"],
      optional: ["batch_size"],
      row: lengthsOnly({ blockTokens, keepZeroOutput, ids }, (cells) => {
        if (cells.has(3) && cells.text(3) !== "1") {
          ledger?.note("rows with a batch size other than 1, read as one request");
        }
        return {
          timestampMs: secondsToMs(cells.text(0)),
          inputTokens: cells.count(1),
          outputTokens: cells.count(2),
        };
      }),
    };
    return { blockTokens, rows: (file) => new CsvRows(file, format) };
  },
};
