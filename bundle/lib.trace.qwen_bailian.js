import {
  JsonRows,
  checkLengths,
  millis
} from "./traces.js";
import {
  KeySet,
  MAX_TOKENS
} from "./core.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import "./base.js";

// lib/trace/qwen_bailian.ts
var KEYS = new KeySet([
  [
    "chat_id"
  ],
  [
    "parent_chat_id"
  ],
  [
    "timestamp"
  ],
  [
    "input_length"
  ],
  [
    "output_length"
  ],
  [
    "hash_ids"
  ]
]);
var qwenBailian = {
  name: "qwen_bailian",
  title: "Qwen-Bailian usage trace, JSON Lines",
  identity: "recorded",
  shape: "rows",
  badRows: "drop",
  joinsBlocks: true,
  recognise: ({ object }) => object?.chat_id !== void 0 && object.parent_chat_id !== void 0 ? "its rows have chat_id and parent_chat_id" : void 0,
  open({ keepZeroOutput, sessions }) {
    const roots = /* @__PURE__ */ new Map();
    let chat = 0, parent = -1, seconds = 0, inputTokens = 0, outputTokens = 0, hashCount = 0;
    const hashIds = [];
    const format = {
      keys: KEYS,
      required: [
        0,
        2,
        3,
        4,
        5
      ],
      start: () => parent = -1,
      field(field, cursor) {
        if (field === 0) chat = cursor.number();
        else if (field === 1) parent = cursor.number();
        else if (field === 2) seconds = cursor.number();
        else if (field === 3) inputTokens = cursor.count(MAX_TOKENS);
        else if (field === 4) outputTokens = cursor.count(MAX_TOKENS);
        else hashCount = cursor.unsignedList(hashIds);
      },
      row(line, emit) {
        let sessionId;
        if (sessions) {
          const root = roots.get(parent) ?? (parent < 0 ? chat : parent);
          roots.set(chat, root);
          sessionId = `chat-${root}`;
        }
        checkLengths(inputTokens, outputTokens, keepZeroOutput);
        emit({
          timestampMs: millis(seconds),
          inputTokens,
          outputTokens,
          hashIds,
          hashCount,
          sessionId,
          line
        });
      }
    };
    return {
      blockTokens: 16,
      rows: (file) => new JsonRows(file, format)
    };
  }
};
export {
  qwenBailian
};
