import {
  FreshIds,
  JsonRows,
  checkLengths
} from "./traces.js";
import {
  KeySet,
  MAX_TOKENS,
  RefusedRow
} from "./core.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import "./base.js";

// lib/trace/plain_lengths.ts
var KEYS = new KeySet([
  [
    "timestamp",
    "created_time"
  ],
  [
    "input_length",
    "input_tokens"
  ],
  [
    "output_length",
    "output_tokens"
  ],
  [
    "session_id"
  ],
  [
    "hash_ids"
  ]
]);
var plainLengths = {
  name: "lengths",
  title: "lengths and times without block ids, JSON Lines",
  identity: "synthesised unique",
  shape: "rows",
  badRows: "drop",
  recognise: ({ object }) => object !== void 0 && !("hash_ids" in object) && object.chat_id === void 0 && (object.timestamp ?? object.created_time) !== void 0 && (object.input_length ?? object.input_tokens) !== void 0 && (object.output_length ?? object.output_tokens) !== void 0 ? "its rows have timestamp, input_length and output_length, but no hash_ids" : void 0,
  open({ blockTokens = 512, keepZeroOutput, sessions }) {
    const ids = new FreshIds();
    let timestampMs = 0, inputTokens = 0, outputTokens = 0, sessionId, withIds = false;
    const format = {
      keys: KEYS,
      required: [
        0,
        1,
        2
      ],
      start() {
        sessionId = void 0;
        withIds = false;
      },
      field(field, cursor) {
        if (field === 0) timestampMs = cursor.number();
        else if (field === 1) inputTokens = cursor.count(MAX_TOKENS);
        else if (field === 2) outputTokens = cursor.count(MAX_TOKENS);
        else if (field === 3) sessionId = cursor.peek() === 34 ? cursor.string() : String(cursor.number());
        else {
          withIds = true;
          cursor.skip();
        }
      },
      row(line, emit) {
        if (withIds) throw new RefusedRow("mixed rows", "hash_ids among rows without: name the format mooncake");
        checkLengths(inputTokens, outputTokens, keepZeroOutput);
        const hashIds = ids.take(inputTokens, blockTokens);
        const session = sessions ? sessionId : void 0;
        emit({
          timestampMs,
          inputTokens,
          outputTokens,
          hashIds,
          hashCount: hashIds.length,
          sessionId: session,
          line
        });
      }
    };
    return {
      blockTokens,
      rows: (file) => new JsonRows(file, format)
    };
  }
};
export {
  plainLengths
};
