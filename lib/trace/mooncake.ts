/**
 * Mooncake JSON Lines: one request an object, content named by block ids. Reader and writer.
 *
 * @module
 */
import { TraceError } from "../errors.ts";
import { identityTeller, type PrefixIdentity, type TraceFormat } from "./format.ts";
import { JsonCursor } from "./json_cursor.ts";
import { KeySet } from "./key_set.ts";
import type { Ledger } from "./ledger.ts";
import type { Line } from "./lines.ts";
import type { HashId, TraceRequest } from "./request.ts";
import { type Emit, MAX_TOKENS, readingLine, type RowReader, type RowRequest, type Wording } from "./row.ts";

const KEYS = new KeySet([
  ["timestamp", "created_time"],
  ["input_length", "input_tokens"],
  ["output_length", "output_tokens"],
  ["hash_ids"],
  ["session_id"],
  ["delay", "delay_ms"],
  ["output_token_ids"],
  ["request_id"],
  ["priority"],
  ["strict_priority"],
  ["policy_class"],
  ["prefix_identity"],
]);
const TIMESTAMP = 0, INPUT = 1, OUTPUT = 2, HASHES = 3, SESSION = 4, DELAY = 5, OUTPUT_IDS = 6, REQUEST = 7;
const PRIORITY = 8, STRICT = 9, POLICY = 10, IDENTITY = 11;

const asBytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const PLAIN_KEYS = ['{"timestamp":', '"input_length":', '"output_length":', '"hash_ids":'].map(asBytes);
const PLAIN_OUTPUTS = asBytes('"output_token_ids":');

/** Reads the rows of a Mooncake file. The request it gives is used again for the next row. */
export class MooncakeRows implements RowReader {
  readonly keys: KeySet = KEYS;
  field = -1;
  readonly #file: string;
  readonly #blockTokens: number;
  readonly #cursor = new JsonCursor();
  readonly wording: Wording;
  readonly #ids: HashId[] = [];
  readonly #outputIds: number[] = [];
  #outputCount = 0;
  readonly #tellIdentity: (text: string) => void;
  readonly #request: RowRequest;
  #seen = 0;
  readonly #plain = new Float64Array(3);

  constructor(file: string, blockTokens: number, ledger?: Ledger) {
    this.#tellIdentity = identityTeller(ledger);
    this.#file = file;
    this.#blockTokens = blockTokens;
    this.wording = {
      open: `failed to open trace file ${file}`,
      parse: (line) => `failed to parse line ${line} from ${file} as JSON`,
      read: (line) => `failed to read line ${line} from ${file}`,
    };
    this.#request = {
      timestampMs: undefined,
      inputTokens: 0,
      outputTokens: 0,
      hashIds: this.#ids,
      hashCount: 0,
      sessionId: undefined,
      delayMs: undefined,
      outputTokenIds: undefined,
      requestId: undefined,
      priority: undefined,
      strictPriority: undefined,
      policyClass: undefined,
      line: 0,
    };
  }

  read(line: Line, emit: Emit): void {
    if (!this.#plainRow(line)) readingLine(this.#cursor, line, this.#file, this.wording, this, this.#row);
    const request = this.#request, seen = this.#seen;
    request.line = line.number;
    if ((seen & 1 << HASHES) === 0) this.#fail(line, "is missing hash_ids");
    const capacity = request.hashCount * this.#blockTokens;
    if ((seen & 1 << INPUT) === 0) request.inputTokens = capacity;
    else if (request.inputTokens > capacity) {
      this.#fail(line, `input_length ${request.inputTokens} exceeds hash_ids capacity ${capacity}`);
    }
    if ((seen & 1 << OUTPUT) === 0) this.#fail(line, "is missing output_length");
    const named = this.#outputCount;
    if (request.outputTokenIds !== undefined && named !== request.outputTokens) {
      this.#fail(line, `output_length ${request.outputTokens} does not match output_token_ids length ${named}`);
    }
    if (request.inputTokens > MAX_TOKENS) this.#fail(line, `input_length ${request.inputTokens} is too large`);
    emit(request);
  }

  /**
   * Reads a row that looks exactly like those of the published traces: the four fields in their order, plain integers
   * of at most 15 digits, at most one space after each `:` and `,`; output tokens may follow. False for any other, which
   * is then read with all checks. Most rows are such rows, and this loop is quick even before it is compiled.
   */
  #plainRow(line: Line): boolean {
    const { bytes, end } = line;
    let at = line.start;
    for (let field = 0; field < 4; field++) {
      const key = PLAIN_KEYS[field];
      for (let i = 0; i < key.length; i++) if (bytes[at + i] !== key[i]) return false;
      at += key.length;
      if (bytes[at] === 32) at++;
      if (field === HASHES) break;
      const from = at;
      let value = 0;
      for (let digit = bytes[at] - 48; digit >= 0 && digit <= 9; digit = bytes[++at] - 48) value = value * 10 + digit;
      const length = at - from;
      if (length === 0 || length > (field === OUTPUT ? 9 : 15) || (length > 1 && bytes[from] === 48)) return false;
      if (bytes[at] !== 44) return false;
      if (bytes[++at] === 32) at++;
      this.#plain[field] = value;
    }
    const ids = this.#ids;
    let count = 0;
    if (bytes[at++] !== 91) return false;
    for (;;) {
      const from = at;
      let value = 0;
      for (let digit = bytes[at] - 48; digit >= 0 && digit <= 9; digit = bytes[++at] - 48) value = value * 10 + digit;
      const length = at - from;
      if (length === 0 || length > 15 || (length > 1 && bytes[from] === 48)) return false;
      ids[count++] = value;
      const next = bytes[at++];
      if (next === 93) break;
      if (next !== 44) return false;
      if (bytes[at] === 32) at++;
    }
    const named = bytes[at] === 44;
    if (named && (at = this.#plainOutputs(bytes, at + 1, end)) < 0) return false;
    if (at + 1 !== end || bytes[at] !== 125) return false;
    if (this.#sparse) this.#clear();
    const request = this.#request;
    if (named) {
      request.outputTokenIds = this.#outputIds;
      this.#sparse = true;
    }
    request.timestampMs = this.#plain[TIMESTAMP];
    request.inputTokens = this.#plain[INPUT];
    request.outputTokens = this.#plain[OUTPUT];
    request.hashCount = count;
    this.#seen = 1 << TIMESTAMP | 1 << INPUT | 1 << OUTPUT | 1 << HASHES;
    return true;
  }

  /** Reads output tokens of at most 9 digits and their key; returns the place behind them, -1 for any others. */
  #plainOutputs(bytes: Uint8Array, start: number, end: number): number {
    const ids = this.#outputIds;
    let at = bytes[start] === 32 ? start + 1 : start + 0, count = 0;
    for (let i = 0; i < PLAIN_OUTPUTS.length; i++) if (bytes[at++] !== PLAIN_OUTPUTS[i]) return -1;
    if (bytes[at] === 32) at++;
    if (bytes[at++] !== 91) return -1;
    for (;;) {
      const from = at;
      let value = bytes[at++] - 48, byte = bytes[at++];
      if (value < 0 || value > 9) return -1;
      while (byte >= 48 && byte <= 57) {
        value = Math.imul(value, 10) + byte - 48 | 0;
        byte = bytes[at++];
      }
      // The byte behind the digits has been read, too.
      if (at > end || at - from > 10 || (at - from > 2 && bytes[from] === 48)) return -1;
      ids[count++] = value;
      if (byte === 93) break;
      if (byte !== 44) return -1;
      if (bytes[at] === 32) at++;
    }
    this.#outputCount = count;
    return at;
  }

  #fail(line: Line, what: string): never {
    throw new TraceError(`trace line ${line.number} ${what}`, { file: this.#file, line: line.number });
  }

  readonly #row = (): void => {
    const cursor = this.#cursor, request = this.#request;
    let seen = 0, given = 0;
    this.field = -1;
    if (this.#sparse) this.#clear();
    cursor.openObject();
    for (let first = true;; first = false) {
      const field = cursor.nextKey(KEYS, first);
      if (field === -2) break;
      if (field < 0) {
        this.field = -1;
        cursor.skip();
        continue;
      }
      this.field = field;
      const bit = 1 << field;
      if (given & bit) cursor.fail(`each field once (an alias counts), but ${KEYS.names[field]} is given again`);
      given |= bit;
      if (cursor.peek() === 110 && cursor.isNull()) continue;
      seen |= bit;
      switch (field) {
        case TIMESTAMP:
          request.timestampMs = cursor.number();
          break;
        case INPUT:
          request.inputTokens = Number(cursor.unsigned());
          break;
        case OUTPUT:
          request.outputTokens = cursor.count(MAX_TOKENS);
          break;
        case HASHES:
          request.hashCount = cursor.unsignedList(this.#ids);
          break;
        default:
          this.#rare(field);
      }
    }
    this.field = -1;
    cursor.finish();
    if ((seen & 1 << TIMESTAMP) === 0) request.timestampMs = undefined;
    this.#seen = seen;
  };

  /** True when the last row set one of the fields that few traces have. */
  #sparse = false;

  #clear(): void {
    const request = this.#request;
    request.sessionId =
      request.delayMs =
      request.outputTokenIds =
      request.requestId =
        undefined;
    request.priority = request.strictPriority = request.policyClass = undefined;
    this.#sparse = false;
  }

  #rare(field: number): void {
    const cursor = this.#cursor, request = this.#request;
    this.#sparse = true;
    if (field === SESSION) request.sessionId = cursor.string();
    else if (field === DELAY) request.delayMs = cursor.number();
    else if (field === REQUEST) request.requestId = cursor.string();
    else if (field === PRIORITY) request.priority = cursor.signed32();
    else if (field === STRICT) request.strictPriority = cursor.count(4294967295);
    else if (field === POLICY) request.policyClass = cursor.string();
    else if (field === IDENTITY) this.#tellIdentity(cursor.string());
    else if (field === OUTPUT_IDS) {
      this.#outputCount = cursor.unsignedList(this.#outputIds, 4294967295);
      request.outputTokenIds = this.#outputIds;
    }
  }
}

/** The Mooncake format. */
export const mooncake: TraceFormat = {
  name: "mooncake",
  title: "Mooncake JSON Lines",
  identity: "recorded",
  shape: "rows",
  recognise: ({ object }) =>
    Array.isArray(object?.hash_ids) && (object.output_length ?? object.output_tokens) !== undefined &&
      object.chat_id === undefined
      ? "its rows have hash_ids and output_length"
      : undefined,
  open: ({ blockTokens = 512, ledger }) => ({
    blockTokens,
    rows: (file) => new MooncakeRows(file, blockTokens, ledger),
  }),
};

/** A time with at most 15 digits, because readers do not agree on the last bit of longer ones. */
const timeText = (ms: number) => String(ms).length > 16 ? Number(ms.toPrecision(15)) : ms;

/**
 * A request as a Mooncake row, with its line feed. Facts that are absent are left out; ids are written in full. Field
 * order and spacing are those of the published traces.
 */
export function mooncakeRow(request: TraceRequest, identity?: PrefixIdentity): string {
  let row = "{";
  if (request.timestampMs !== undefined) row += `"timestamp": ${timeText(request.timestampMs)}, `;
  row += `"input_length": ${request.inputTokens}, "output_length": ${request.outputTokens}, "hash_ids": [`;
  const ids = request.hashIds;
  if (ids.length > 0) row += ids[0];
  for (let i = 1; i < ids.length; i++) row += `, ${ids[i]}`;
  row += "]";
  if (request.sessionId !== undefined) row += `, "session_id": ${JSON.stringify(request.sessionId)}`;
  if (request.delayMs !== undefined) row += `, "delay": ${timeText(request.delayMs)}`;
  if (request.outputTokenIds !== undefined) row += `, "output_token_ids": [${request.outputTokenIds.join(", ")}]`;
  if (request.requestId !== undefined) row += `, "request_id": ${JSON.stringify(request.requestId)}`;
  if (request.priority !== undefined) row += `, "priority": ${request.priority}`;
  if (request.strictPriority !== undefined) row += `, "strict_priority": ${request.strictPriority}`;
  if (request.policyClass !== undefined) row += `, "policy_class": ${JSON.stringify(request.policyClass)}`;
  if (identity !== undefined && identity !== "recorded") row += `, "prefix_identity": "${identity}"`;
  return row + "}\n";
}
