/**
 * JSON Lines that tell only when requests arrive and how long they are: Mooncake's fields without `hash_ids`. Every
 * prompt then has content of its own.
 *
 * @module
 */
import type { TraceFormat } from "./format.ts";
import { FreshIds } from "./fresh_ids.ts";
import { type JsonFormat, JsonRows } from "./json_rows.ts";
import { KeySet } from "./key_set.ts";
import { checkLengths } from "./lengths.ts";
import { MAX_TOKENS, RefusedRow } from "./row.ts";

const KEYS = new KeySet([
  ["timestamp", "created_time"],
  ["input_length", "input_tokens"],
  ["output_length", "output_tokens"],
  ["session_id"],
  ["hash_ids"],
]);

/** The format of lengths alone. */
export const plainLengths: TraceFormat = {
  name: "lengths",
  title: "lengths and times without block ids, JSON Lines",
  identity: "synthesised unique",
  shape: "rows",
  badRows: "drop",
  recognise: ({ object }) =>
    object !== undefined && !("hash_ids" in object) && object.chat_id === undefined &&
      (object.timestamp ?? object.created_time) !== undefined &&
      (object.input_length ?? object.input_tokens) !== undefined &&
      (object.output_length ?? object.output_tokens) !== undefined
      ? "its rows have timestamp, input_length and output_length, but no hash_ids"
      : undefined,
  open({ blockTokens = 512, keepZeroOutput, sessions }) {
    const ids = new FreshIds();
    let timestampMs = 0, inputTokens = 0, outputTokens = 0, sessionId: string | undefined, withIds = false;
    const format: JsonFormat = {
      keys: KEYS,
      required: [0, 1, 2],
      start() {
        sessionId = undefined;
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
        const session = sessions ? sessionId : undefined;
        emit({ timestampMs, inputTokens, outputTokens, hashIds, hashCount: hashIds.length, sessionId: session, line });
      },
    };
    return { blockTokens, rows: (file) => new JsonRows(file, format) };
  },
};
