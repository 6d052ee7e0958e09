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

// lib/trace/vidur.ts
var vidur = {
  name: "vidur",
  title: "Vidur processed trace, CSV",
  identity: "synthesised unique",
  shape: "rows",
  badRows: "drop",
  recognise: ({ columns }) => columns?.includes("num_prefill_tokens") && columns.includes("num_decode_tokens") ? "its header has the columns num_prefill_tokens and num_decode_tokens" : void 0,
  open({ blockTokens = 512, keepZeroOutput, ledger }) {
    const ids = new FreshIds();
    const format = {
      required: [
        "num_prefill_tokens",
        "num_decode_tokens"
      ],
      optional: [
        "arrived_at"
      ],
      row: lengthsOnly({
        blockTokens,
        keepZeroOutput,
        ids
      }, (cells) => {
        const lengths = {
          inputTokens: cells.count(0),
          outputTokens: cells.count(1)
        };
        if (cells.has(2)) lengths.timestampMs = secondsToMs(cells.text(2));
        else ledger?.note("rows without an arrival time: replay them with a fixed concurrency");
        return lengths;
      })
    };
    return {
      blockTokens,
      rows: (file) => new CsvRows(file, format)
    };
  }
};
export {
  vidur
};
