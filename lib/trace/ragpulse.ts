/**
 * RAGPulse: prompts as lists of components whose lengths stand in files of their own. Blocks are cut anew out of the
 * components.
 *
 * @module
 */
import { TraceError } from "../errors.ts";
import { readBytes, reason } from "../io/bytes.ts";
import { filesAt } from "../io/folders.ts";
import { IdMixer } from "./fresh_ids.ts";
import type { OpenTrace, TraceFormat } from "./format.ts";
import { JsonCursor } from "./json_cursor.ts";
import { KeySet } from "./key_set.ts";
import { type JsonFormat, JsonRows, looseNumber, millis } from "./json_rows.ts";
import { checkLengths } from "./lengths.ts";
import { LineCutter } from "./lines.ts";
import { MAX_TOKENS, RefusedRow } from "./row.ts";

/** Components in the order in which they make up a prompt: key in the trace, end of the file's name, key in the file. */
const COMPONENTS = [
  ["sys_prompt", "sys_prompt", "sys_prompt_id"],
  ["passages_ids", "passages", "passage_id"],
  ["history", "history", "history_id"],
  ["web_search", "web_search", "web_search_id"],
  ["user_input", "user_input", "user_input_id"],
] as const;
const KEYS = new KeySet([["timestamp"], ["input_length"], ["output_length"], ["hash_ids"], ["session_id"]]);
const COMPONENT_KEYS = new KeySet(COMPONENTS.map(([key]) => [key]));

/** Tokens of each component by its id, by kind. */
type Lengths = Map<number, number>[];

/** The RAGPulse format. */
export const ragPulse: TraceFormat = {
  name: "ragpulse",
  title: "RAGPulse trace, JSON Lines with files of lengths",
  identity: "recorded",
  shape: "rows",
  badRows: "drop",
  recognise({ object }) {
    const ids = object?.hash_ids;
    return ids && typeof ids === "object" && "sys_prompt" in ids && "user_input" in ids
      ? "its hash_ids name sys_prompt and user_input"
      : undefined;
  },
  open({ blockTokens = 512, keepZeroOutput, sessions, lengthsFolder, ledger }): OpenTrace {
    let lengths: Lengths = [];
    return {
      blockTokens,
      async prepare(file) {
        lengths = await readLengths(lengthsFolder ?? folderOf(file));
      },
      rows: (file) => {
        const mixer = new IdMixer();
        const kinds: number[] = [], ids: number[] = [], blocks: number[] = [];
        let seconds = 0, inputTokens = 0, outputTokens = 0, sessionId: string | undefined;
        const parts: number[][] = COMPONENTS.map(() => []);
        const format: JsonFormat = {
          keys: KEYS,
          required: [0, 1, 2, 3],
          start() {
            sessionId = undefined;
            for (const part of parts) part.length = 0;
          },
          field(field, cursor) {
            if (field === 0) seconds = looseNumber(cursor);
            else if (field === 1) inputTokens = cursor.count(MAX_TOKENS);
            else if (field === 2) outputTokens = cursor.count(MAX_TOKENS);
            else if (field === 3) readComponents(cursor, parts);
            else sessionId = cursor.string();
          },
          row(line, emit) {
            checkLengths(inputTokens, outputTokens, keepZeroOutput);
            kinds.length = ids.length = 0;
            parts.forEach((part, kind) =>
              part.forEach((id) => {
                kinds.push(kind);
                ids.push(id);
              })
            );
            const known = cutBlocks(mixer, { kinds, ids, lengths, inputTokens, blockTokens, line }, blocks);
            if (known < inputTokens) ledger?.note("rows with tokens that no component explains, put last and unshared");
            emit({
              timestampMs: millis(seconds),
              inputTokens,
              outputTokens,
              hashIds: blocks,
              hashCount: Math.ceil(inputTokens / blockTokens),
              sessionId: sessions ? sessionId : undefined,
              line,
            });
          },
        };
        return new JsonRows(file, format);
      },
    };
  },
};

const folderOf = (file: string) => file.includes("/") ? file.slice(0, file.lastIndexOf("/")) || "/" : ".";

function readComponents(cursor: JsonCursor, parts: number[][]): void {
  cursor.openObject();
  for (let first = true;; first = false) {
    const kind = cursor.nextKey(COMPONENT_KEYS, first);
    if (kind === -2) return;
    if (kind < 0) cursor.skip();
    else {
      cursor.openList();
      for (let item = true; cursor.nextItem(item); item = false) {
        parts[kind].push(cursor.count(Number.MAX_SAFE_INTEGER));
      }
    }
  }
}

interface Prompt {
  kinds: readonly number[];
  ids: readonly number[];
  lengths: Lengths;
  inputTokens: number;
  blockTokens: number;
  line: number;
}

/**
 * Cuts a prompt into blocks: the id of a block mixes the pieces of components in it. Returns how many tokens the
 * components explain; what is left is filled with content of the row's own.
 */
function cutBlocks(mixer: IdMixer, prompt: Prompt, blocks: number[]): number {
  const { kinds, ids, lengths, inputTokens, blockTokens } = prompt;
  let token = 0, count = 0;
  mixer.start(1);
  const take = (kind: number, id: number, length: number) => {
    for (let from = 0; from < length && token < inputTokens;) {
      const room = blockTokens - token % blockTokens;
      const part = Math.min(room, length - from, inputTokens - token);
      mixer.add(kind);
      mixer.add(id);
      mixer.add(from);
      mixer.add(part);
      from += part;
      token += part;
      if (token % blockTokens === 0 || token === inputTokens) {
        blocks[count++] = mixer.id;
        mixer.start(1);
      }
    }
  };
  for (let i = 0; i < ids.length; i++) {
    const length = lengths[kinds[i]].get(ids[i]);
    if (length === undefined) {
      throw new RefusedRow("unknown component", `no length for ${COMPONENTS[kinds[i]][2]} ${ids[i]}`);
    }
    take(kinds[i], ids[i], length);
  }
  const known = token;
  take(COMPONENTS.length, prompt.line, inputTokens - token);
  return known;
}

async function readLengths(folder: string): Promise<Lengths> {
  const files = filesAt(folder);
  return await Promise.all(COMPONENTS.map(async ([, end, key]) => {
    const file = files.find((path) => new RegExp(`(^|[/_])${end}\\.jsonl(\\.gz)?$`).test(path));
    if (file === undefined) {
      throw new TraceError(
        `RAGPulse needs a file …${end}.jsonl with the lengths of its components in ${folder}, and there is none`,
      );
    }
    return await readLengthsFile(file, key);
  }));
}

async function readLengthsFile(file: string, key: string): Promise<Map<number, number>> {
  const keys = new KeySet([[key], ["token_length"]]);
  const lengths = new Map<number, number>();
  const cutter = new LineCutter(), cursor = new JsonCursor();
  const read = (line: { bytes: Uint8Array; start: number; end: number }) => {
    cursor.open(line.bytes, line.start, line.end);
    let id = -1, tokens = -1;
    cursor.openObject();
    for (let first = true;; first = false) {
      const field = cursor.nextKey(keys, first);
      if (field === -2) break;
      if (field === 0) id = cursor.count(Number.MAX_SAFE_INTEGER);
      else if (field === 1) tokens = cursor.count(MAX_TOKENS);
      else cursor.skip();
    }
    if (id < 0 || tokens < 0) cursor.fail(`${key} and token_length`);
    lengths.set(id, tokens);
  };
  try {
    for await (const piece of readBytes(file)) for (const line of cutter.cut(piece)) read(line);
    for (const line of cutter.finish()) read(line);
  } catch (cause) {
    const place = { file, line: cutter.number };
    throw new TraceError(`failed to read line ${cutter.number} from ${file}: ${reason(cause)}`, place, { cause });
  }
  return lengths;
}
