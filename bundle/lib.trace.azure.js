import {
  CsvRows,
  FreshIds,
  lengthsOnly
} from "./traces.js";
import {
  WallClock
} from "./core.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import "./base.js";

// lib/trace/azure.ts
var azure = {
  name: "azure",
  title: "Azure LLM inference trace, CSV",
  identity: "synthesised unique",
  shape: "rows",
  badRows: "drop",
  recognise: ({ columns }) => columns?.includes("ContextTokens") && columns.includes("GeneratedTokens") ? "its header has the columns ContextTokens and GeneratedTokens" : void 0,
  open({ blockTokens = 512, keepZeroOutput, ledger }) {
    const ids = new FreshIds(), clock = new WallClock();
    const format = {
      required: [
        "TIMESTAMP",
        "ContextTokens",
        "GeneratedTokens"
      ],
      optional: [
        "NumImages"
      ],
      row: lengthsOnly({
        blockTokens,
        keepZeroOutput,
        ids
      }, (cells) => {
        const timestampMs = clock.read(cells.text(0));
        if (cells.has(3) && cells.count(3) > 0) ledger?.note("rows with images, of which only the tokens are kept");
        return {
          timestampMs,
          inputTokens: cells.count(1),
          outputTokens: cells.count(2)
        };
      })
    };
    return {
      blockTokens,
      rows: (file) => new CsvRows(file, format)
    };
  }
};
export {
  azure
};
