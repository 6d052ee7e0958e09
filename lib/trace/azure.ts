/**
 * Azure's LLM inference traces (2023 and 2024, and the multimodal ones of 2025): when, how many tokens in, how many
 * out.
 *
 * @module
 */
import { WallClock } from "./clock.ts";
import { CsvRows } from "./csv.ts";
import type { TraceFormat } from "./format.ts";
import { FreshIds } from "./fresh_ids.ts";
import { lengthsOnly } from "./lengths.ts";

/** The Azure format. */
export const azure: TraceFormat = {
  name: "azure",
  title: "Azure LLM inference trace, CSV",
  identity: "synthesised unique",
  shape: "rows",
  badRows: "drop",
  recognise: ({ columns }) =>
    columns?.includes("ContextTokens") && columns.includes("GeneratedTokens")
      ? "its header has the columns ContextTokens and GeneratedTokens"
      : undefined,
  open({ blockTokens = 512, keepZeroOutput, ledger }) {
    const ids = new FreshIds(), clock = new WallClock();
    const format = {
      required: ["TIMESTAMP", "ContextTokens", "GeneratedTokens"],
      optional: ["NumImages"],
      row: lengthsOnly({ blockTokens, keepZeroOutput, ids }, (cells) => {
        const timestampMs = clock.read(cells.text(0));
        if (cells.has(3) && cells.count(3) > 0) ledger?.note("rows with images, of which only the tokens are kept");
        return { timestampMs, inputTokens: cells.count(1), outputTokens: cells.count(2) };
      }),
    };
    return { blockTokens, rows: (file) => new CsvRows(file, format) };
  },
};
