/**
 * Qwen-Bailian usage traces of Alibaba: blocks of 16 tokens and chats that continue others.
 *
 * @module
 */
import type { TraceFormat } from "./format.ts";
import { KeySet } from "./key_set.ts";
import { type JsonFormat, JsonRows, millis } from "./json_rows.ts";
import { checkLengths } from "./lengths.ts";
import type { HashId } from "./request.ts";
import { MAX_TOKENS } from "./row.ts";

const KEYS = new KeySet([
  ["chat_id"],
  ["parent_chat_id"],
  ["timestamp"],
  ["input_length"],
  ["output_length"],
  ["hash_ids"],
]);

/** The Qwen-Bailian format. */
export const qwenBailian: TraceFormat = {
  name: "qwen_bailian",
  title: "Qwen-Bailian usage trace, JSON Lines",
  identity: "recorded",
  shape: "rows",
  badRows: "drop",
  joinsBlocks: true,
  recognise: ({ object }) =>
    object?.chat_id !== undefined && object.parent_chat_id !== undefined
      ? "its rows have chat_id and parent_chat_id"
      : undefined,
  open({ keepZeroOutput, sessions }) {
    /** First chat of the chain each chat belongs to. */
    const roots = new Map<number, number>();
    let chat = 0, parent = -1, seconds = 0, inputTokens = 0, outputTokens = 0, hashCount = 0;
    const hashIds: HashId[] = [];
    const format: JsonFormat = {
      keys: KEYS,
      required: [0, 2, 3, 4, 5],
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
        let sessionId: string | undefined;
        if (sessions) {
          const root = roots.get(parent) ?? (parent < 0 ? chat : parent);
          roots.set(chat, root);
          sessionId = `chat-${root}`;
        }
        checkLengths(inputTokens, outputTokens, keepZeroOutput);
        emit({ timestampMs: millis(seconds), inputTokens, outputTokens, hashIds, hashCount, sessionId, line });
      },
    };
    return { blockTokens: 16, rows: (file) => new JsonRows(file, format) };
  },
};
