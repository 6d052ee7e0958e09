import {
  CsvRows,
  FreshIds,
  lengthsOnly
} from "./traces.js";
import {
  secondsToMs
} from "./core.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import "./base.js";

// lib/trace/splitwise.ts
var splitwise = {
  name: "splitwise",
  title: "splitwise-sim trace, CSV",
  identity: "synthesised unique",
  shape: "rows",
  badRows: "drop",
  recognise: ({ columns }) => columns?.includes("prompt_size") && columns.includes("token_size") ? "its header has the columns prompt_size and token_size" : void 0,
  open({ blockTokens = 512, keepZeroOutput, ledger }) {
    const ids = new FreshIds();
    const format = {
      required: [
        "arrival_timestamp",
        "prompt_size",
        "token_size"
      ],
      optional: [
        "batch_size"
      ],
      row: lengthsOnly({
        blockTokens,
        keepZeroOutput,
        ids
      }, (cells) => {
        if (cells.has(3) && cells.text(3) !== "1") {
          ledger?.note("rows with a batch size other than 1, read as one request");
        }
        return {
          timestampMs: secondsToMs(cells.text(0)),
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
  splitwise
};
