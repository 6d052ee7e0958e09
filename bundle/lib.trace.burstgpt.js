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

// lib/trace/burstgpt.ts
var burstGpt = {
  name: "burstgpt",
  title: "BurstGPT trace, CSV",
  identity: "synthesised unique",
  shape: "rows",
  badRows: "drop",
  recognise: ({ columns }) => columns?.includes("Request tokens") && columns.includes("Response tokens") ? "its header has the columns Request tokens and Response tokens" : void 0,
  open({ blockTokens = 512, keepZeroOutput, sessions }) {
    const ids = new FreshIds();
    const format = {
      required: [
        "Timestamp",
        "Request tokens",
        "Response tokens"
      ],
      optional: [
        "Session ID",
        "Elapsed time"
      ],
      row: lengthsOnly({
        blockTokens,
        keepZeroOutput,
        ids
      }, (cells) => {
        const lengths = {
          timestampMs: secondsToMs(cells.text(0)),
          inputTokens: cells.count(1),
          outputTokens: cells.count(2)
        };
        if (sessions && cells.text(3) !== "") lengths.sessionId = cells.text(3);
        if (cells.text(4) !== "") lengths.durationMs = secondsToMs(cells.text(4));
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
  burstGpt
};
