/**
 * A strict JSON reader that is asked for what the schema expects next, straight on the bytes of one line. It keeps what
 * `JSON.parse` loses: 64-bit integers, the difference of `4` and `4.0`, keys given twice, and the place of a mistake.
 *
 * @module
 */
import type { KeySet } from "./key_set.ts";
import { NumberCursor } from "./number_cursor.ts";

const QUOTE = 34, MINUS = 45, ZERO = 48, COLON = 58, BACKSLASH = 92;
const OPEN_LIST = 91, CLOSE_LIST = 93, OPEN = 123, CLOSE = 125, COMMA = 44;
const ESCAPES = '"\\/bfnrt';

/** Any JSON value; integers beyond 2^53 - 1 are bigints. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | { [key: string]: JsonValue };

/** Reads JSON at a position in the bytes of one line. All methods read at the position and move it on. */
export class JsonCursor extends NumberCursor {
  #guess = 0;

  /** Takes up the bytes `start … end - 1`. */
  open(bytes: Uint8Array, start: number, end: number): void {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
    this.beyondAscii = false;
    this.#guess = 0;
  }

  /** Enters an object. */
  openObject(): void {
    if (this.peek() !== OPEN) this.fail("an object");
    this.at++;
  }

  /**
   * Moves to the value of the next key: its field in `keys`, -1 for a key that is not in there, -2 after the last.
   * `first` is true when no key of this object was read yet.
   */
  nextKey(keys: KeySet, first: boolean): number {
    let byte = this.peek();
    if (byte === CLOSE) {
      this.at++;
      return -2;
    }
    if (first) {
      this.#guess = 0;
    } else {
      if (byte !== COMMA) this.fail('"," or "}"');
      this.at++;
      byte = this.peek();
    }
    if (byte !== QUOTE) this.fail(first ? 'a key or "}"' : "a key");
    const spelling = keys.spellingAt(this.bytes, this.at + 1, this.#guess);
    let field: number;
    if (spelling >= 0 && this.at + keys.lengthOf(spelling) < this.end) {
      field = keys.fieldOf(spelling);
      this.at += keys.lengthOf(spelling) + 1;
      this.#guess = spelling + 1 === keys.spellings ? 0 : spelling + 1;
    } else {
      field = keys.fieldNamed(this.string());
    }
    if (this.peek() !== COLON) this.fail('":"');
    this.at++;
    return field;
  }

  /** Passes the next key whatever it is; false after the last. */
  #passKey(first: boolean): boolean {
    let byte = this.peek();
    if (byte === CLOSE) {
      this.at++;
      return false;
    }
    if (!first) {
      if (byte !== COMMA) this.fail('"," or "}"');
      this.at++;
      byte = this.peek();
    }
    if (byte !== QUOTE) this.fail(first ? 'a key or "}"' : "a key");
    this.#passString();
    if (this.peek() !== COLON) this.fail('":"');
    this.at++;
    return true;
  }

  /** True, and past it, when the value is null. */
  isNull(): boolean {
    if (this.peek() !== 110) return false;
    this.#word("null");
    return true;
  }

  /** A string. */
  string(): string {
    if (this.peek() !== QUOTE) this.fail("a string");
    const start = this.at;
    if (!this.#passString()) return this.text(start + 1, this.at - 1);
    const text = JSON.parse(this.text(start, this.at)) as string;
    if (!text.isWellFormed()) this.failAt(start, "a string without half characters");
    return text;
  }

  /** A string that is one of `words`. */
  oneOf<Word extends string>(words: readonly Word[]): Word {
    this.peek();
    const start = this.at;
    for (const word of words) if (this.#holds(word)) return word;
    const text = this.string();
    if (!words.includes(text as Word)) this.failAt(start, words.map((word) => `"${word}"`).join(" or "));
    return text as Word;
  }

  /** Passes the string at the position if it is written exactly as `word`. */
  #holds(word: string): boolean {
    const { bytes, at } = this, end = at + word.length + 1;
    if (end >= this.end || bytes[at] !== QUOTE || bytes[end] !== QUOTE) return false;
    for (let i = 0; i < word.length; i++) if (bytes[at + 1 + i] !== word.charCodeAt(i)) return false;
    this.at = end + 1;
    return true;
  }

  /** Passes a string and checks its grammar; true when it holds escapes. */
  #passString(): boolean {
    const { bytes, end } = this;
    let at = this.at + 1;
    let escaped = false;
    for (; at < end; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.at = at + 1;
        return escaped;
      }
      if (byte === BACKSLASH) {
        escaped = true;
        at = this.#passEscape(at);
      } else if (byte > 127) {
        this.beyondAscii = true;
      } else if (byte < 32) {
        this.failAt(at, "no control character inside a string");
      }
    }
    this.at = end;
    return this.fail("the end of the string");
  }

  /** Checks the escape that begins at `at` and returns where its last byte stands. */
  #passEscape(at: number): number {
    const { bytes, end } = this;
    if (at + 1 >= end) return at;
    const kind = bytes[at + 1];
    if (kind === 117) {
      for (let i = at + 2; i < at + 6; i++) {
        const byte = i < end ? bytes[i] : 0;
        const hex = (byte >= ZERO && byte <= 57) || (byte >= 65 && byte <= 70) || (byte >= 97 && byte <= 102);
        if (!hex) this.failAt(at, "four hexadecimal digits after \\u");
      }
      return at + 5;
    }
    if (!ESCAPES.includes(String.fromCharCode(kind))) this.failAt(at, "a known escape");
    return at + 1;
  }

  boolean(): boolean {
    const byte = this.peek();
    if (byte === 116) this.#word("true");
    else if (byte === 102) this.#word("false");
    else this.fail("true or false");
    return byte === 116;
  }

  #word(word: string): void {
    for (let i = 0; i < word.length; i++) {
      if (this.at + i >= this.end || this.bytes[this.at + i] !== word.charCodeAt(i)) this.fail("a value");
    }
    this.at += word.length;
  }

  /** Passes any value, checking its grammar. */
  skip(depth = 0): void {
    const byte = this.peek();
    if (depth > 127) this.fail("at most 127 levels of nesting");
    if (byte === QUOTE) {
      this.#passString();
    } else if (byte === OPEN) {
      this.at++;
      for (let first = true; this.#passKey(first); first = false) this.skip(depth + 1);
    } else if (byte === OPEN_LIST) {
      if (this.#passIntegers()) return;
      this.at++;
      for (let first = true; this.nextItem(first); first = false) this.skip(depth + 1);
    } else if (byte === MINUS || (byte >= ZERO && byte <= 57)) {
      this.number();
    } else if (byte === 110) {
      this.#word("null");
    } else if (byte === 116 || byte === 102) {
      this.boolean();
    } else {
      this.fail("a value");
    }
  }

  /** Passes a list of plain integers, which is what long lists are; false, and at the same place, for any other. */
  #passIntegers(): boolean {
    const { bytes, end } = this;
    let at = this.at + 1;
    for (;;) {
      const from = at;
      while (at < end && bytes[at] >= ZERO && bytes[at] <= 57) at++;
      if (at === from || at >= end || (at - from > 1 && bytes[from] === ZERO)) return false;
      if (bytes[at] === CLOSE_LIST) {
        this.at = at + 1;
        return true;
      }
      if (bytes[at++] !== COMMA) return false;
      if (at < end && bytes[at] === 32) at++;
    }
  }

  /** Reads any value. Of a key given twice the last wins. */
  value(depth = 0): JsonValue {
    const byte = this.peek();
    if (depth > 127) this.fail("at most 127 levels of nesting");
    switch (byte) {
      case QUOTE:
        return this.string();
      case OPEN: {
        const object: { [key: string]: JsonValue } = Object.create(null);
        this.at++;
        for (let first = true;; first = false) {
          let next = this.peek();
          if (next === CLOSE) break;
          if (!first) {
            if (next !== COMMA) this.fail('"," or "}"');
            this.at++;
            next = this.peek();
          }
          if (next !== QUOTE) this.fail(first ? 'a key or "}"' : "a key");
          const key = this.string();
          if (this.peek() !== COLON) this.fail('":"');
          this.at++;
          object[key] = this.value(depth + 1);
        }
        this.at++;
        return object;
      }
      case OPEN_LIST: {
        const list: JsonValue[] = [];
        this.at++;
        for (let first = true; this.nextItem(first); first = false) list.push(this.value(depth + 1));
        return list;
      }
      case 110:
        this.#word("null");
        return null;
      case 116:
      case 102:
        return this.boolean();
      default: {
        if (byte !== MINUS && (byte < ZERO || byte > 57)) this.fail("a value");
        const start = this.at;
        const value = this.number();
        if (Math.abs(value) <= 9007199254740991) return value;
        const text = this.text(start, this.at);
        return /^-?\d+$/.test(text) ? BigInt(text) : value;
      }
    }
  }

  /** Checks that nothing but white space follows. */
  finish(): void {
    if (this.peek() !== -1) this.fail("the end of the line");
  }
}
