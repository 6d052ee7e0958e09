import {
  FreshIds,
  IdMixer,
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

// lib/trace/llmservingsim.ts
var KEYS = new KeySet([
  [
    "input_toks"
  ],
  [
    "output_toks"
  ],
  [
    "arrival_time_ns"
  ],
  [
    "input_tok_ids"
  ],
  [
    "session_id"
  ],
  [
    "sub_requests"
  ]
]);
var PART_KEYS = new KeySet([
  [
    "input_toks"
  ],
  [
    "output_toks"
  ],
  [
    "tool_duration_ns"
  ],
  [
    "input_tok_ids"
  ]
]);
var llmServingSim = {
  name: "llmservingsim",
  title: "LLMServingSim trace, JSON Lines",
  identity: "recorded",
  shape: "rows",
  badRows: "drop",
  recognise: ({ object }) => object?.input_toks !== void 0 || Array.isArray(object?.sub_requests) ? "its rows have input_toks or sub_requests" : void 0,
  open({ blockTokens = 512, keepZeroOutput, ledger }) {
    const fresh = new FreshIds(), mixer = new IdMixer();
    if (ledger) ledger.identity = "synthesised unique";
    let arrivalNs = 0, sessionId = "", parts;
    let single = emptyPart();
    const idsOf = ({ inputTokens, tokens }) => {
      if (tokens === void 0) {
        ledger?.note("requests without tokens of their prompt, which share nothing");
        return fresh.take(inputTokens, blockTokens).map((id) => id + FRESH);
      }
      if (tokens.length !== inputTokens) {
        throw new RefusedRow("bad number", `input_toks is ${inputTokens}, but there are ${tokens.length} input_tok_ids`);
      }
      if (ledger) ledger.identity = "recorded";
      const ids = [];
      for (let from = 0; from < inputTokens; from += blockTokens) {
        mixer.start(2);
        for (let i = from; i < Math.min(from + blockTokens, inputTokens); i++) mixer.add(tokens[i]);
        ids.push(mixer.id);
      }
      return ids;
    };
    const format = {
      keys: KEYS,
      required: [
        2
      ],
      start() {
        single = emptyPart();
        parts = void 0;
        sessionId = "";
      },
      field(field, cursor) {
        if (field === 0) single.inputTokens = cursor.count(MAX_TOKENS);
        else if (field === 1) single.outputTokens = cursor.count(MAX_TOKENS);
        else if (field === 2) arrivalNs = Number(cursor.unsigned());
        else if (field === 3) single.tokens = tokenList(cursor);
        else if (field === 4) sessionId = cursor.peek() === 34 ? cursor.string() : String(cursor.number());
        else parts = partList(cursor);
      },
      row(line, emit) {
        const timestampMs = arrivalNs / 1e6;
        const turns = parts ?? [
          single
        ];
        if (turns.some((part) => part.inputTokens < 0 || part.outputTokens < 0)) {
          throw new RefusedRow("missing column", "no input_toks or output_toks");
        }
        turns.forEach((part) => checkLengths(part.inputTokens, part.outputTokens, keepZeroOutput));
        turns.forEach((part, turn) => {
          const hashIds = idsOf(part);
          emit({
            timestampMs: turn === 0 ? timestampMs : void 0,
            delayMs: turn === 0 ? void 0 : turns[turn - 1].toolNs / 1e6,
            inputTokens: part.inputTokens,
            outputTokens: part.outputTokens,
            hashIds,
            hashCount: hashIds.length,
            sessionId: parts === void 0 ? void 0 : sessionId || `session-${line}`,
            line
          });
        });
      }
    };
    return {
      blockTokens,
      rows: (file) => new JsonRows(file, format)
    };
  }
};
var FRESH = 2 ** 53 - 2 ** 40;
var emptyPart = () => ({
  inputTokens: -1,
  outputTokens: -1,
  toolNs: 0,
  tokens: void 0
});
function tokenList(cursor) {
  const tokens = [];
  cursor.openList();
  for (let first = true; cursor.nextItem(first); first = false) tokens.push(cursor.count(Number.MAX_SAFE_INTEGER));
  return tokens;
}
function partList(cursor) {
  const parts = [];
  cursor.openList();
  for (let item = true; cursor.nextItem(item); item = false) {
    const part = emptyPart();
    cursor.openObject();
    for (let first = true; ; first = false) {
      const field = cursor.nextKey(PART_KEYS, first);
      if (field === -2) break;
      if (field < 0) cursor.skip();
      else if (cursor.isNull()) continue;
      else if (field === 0) part.inputTokens = cursor.count(MAX_TOKENS);
      else if (field === 1) part.outputTokens = cursor.count(MAX_TOKENS);
      else if (field === 2) part.toolNs = Number(cursor.unsigned());
      else part.tokens = tokenList(cursor);
    }
    parts.push(part);
  }
  return parts;
}
export {
  llmServingSim
};
