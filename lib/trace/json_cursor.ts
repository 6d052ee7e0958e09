/**
 * A strict JSON reader that is asked for what the schema expects next, straight on the bytes of one line. It keeps what
 * `JSON.parse` loses: 64-bit integers, the difference of `4` and `4.0`, keys given twice, and the place of a mistake.
 * Imports nothing.
 *
 * @module
 */

/** What is wrong at a byte of the line. The row reader adds field, line and file. */
export class JsonProblem extends Error {
  override readonly name = "JsonProblem";
  constructor(readonly at: number, message: string) {
    super(message);
  }
}

/** The keys a reader knows; several spellings may mean the same field. */
export class KeySet {
  readonly #spellings: { bytes: Uint8Array; field: number }[] = [];
  readonly #byText = new Map<string, number>();
  readonly names: string[] = [];

  /** `fields[i]` lists the spellings of field `i`, the proper one first. */
  constructor(fields: readonly (readonly string[])[]) {
    const encoder = new TextEncoder();
    fields.forEach((spellings, field) => {
      this.names.push(spellings[0]);
      for (const text of spellings) {
        this.#byText.set(text, field);
        this.#spellings.push({ bytes: encoder.encode(`${text}"`), field });
      }
    });
  }

  /** The index of the spelling whose bytes (with the closing quote) stand at `at`, or -1. Tries `guess` first. */
  spellingAt(bytes: Uint8Array, at: number, guess: number): number {
    const count = this.#spellings.length;
    for (let tried = 0; tried < count; tried++) {
      let index = guess + tried;
      if (index >= count) index -= count;
      const expected = this.#spellings[index].bytes;
      let i = 0;
      while (i < expected.length && bytes[at + i] === expected[i]) i++;
      if (i === expected.length) return index;
    }
    return -1;
  }

  lengthOf(spelling: number): number {
    return this.#spellings[spelling].bytes.length;
  }

  fieldOf(spelling: number): number {
    return this.#spellings[spelling].field;
  }

  fieldNamed(text: string): number {
    return this.#byText.get(text) ?? -1;
  }

  get spellings(): number {
    return this.#spellings.length;
  }
}

const QUOTE = 34, MINUS = 45, DOT = 46, ZERO = 48, COLON = 58, BACKSLASH = 92;
const OPEN_LIST = 91, CLOSE_LIST = 93, OPEN = 123, CLOSE = 125, COMMA = 44;
const ESCAPES = '"\\/bfnrt';
const U64_MAX = 18446744073709551615n;
/** Powers of ten as the correctly rounded doubles. */
const POWERS = Float64Array.from({ length: 309 }, (_, k) => Number(`1e${k}`));

/** Any JSON value; integers beyond 2^53 - 1 are bigints. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | { [key: string]: JsonValue };

/** A position in the bytes of one line. All methods read at the position and move it on. */
export class JsonCursor {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  end = 0;
  /** True once a byte above 127 was passed: the line's UTF-8 then still has to be checked. */
  beyondAscii = false;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #guess = 0;

  /** Takes up the bytes `start … end - 1`. */
  open(bytes: Uint8Array, start: number, end: number): void {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
    this.beyondAscii = false;
    this.#guess = 0;
  }

  /** Skips white space and returns the next byte, -1 at the end. */
  peek(): number {
    const { bytes, end } = this;
    let at = this.at;
    while (at < end) {
      const byte = bytes[at];
      if (byte !== 32 && byte !== 9 && byte !== 13 && byte !== 10) {
        this.at = at;
        return byte;
      }
      at++;
    }
    this.at = at;
    return -1;
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

  /** Enters a list. */
  openList(): void {
    if (this.peek() !== OPEN_LIST) this.fail("a list");
    this.at++;
  }

  /** True when another item follows; moves to it, or behind the list. */
  nextItem(first: boolean): boolean {
    const byte = this.peek();
    if (byte === CLOSE_LIST) {
      this.at++;
      return false;
    }
    if (!first) {
      if (byte !== COMMA) this.fail('"," or "]"');
      this.at++;
    }
    return true;
  }

  /** True, and past it, when the value is null. */
  isNull(): boolean {
    if (this.peek() !== 110) return false;
    this.#word("null");
    return true;
  }

  /** An integer of 0 … 2^64 - 1; a bigint above 2^53 - 1. */
  unsigned(): number | bigint {
    const first = this.peek();
    const { bytes, end } = this;
    const start = this.at;
    if (first < ZERO || first > 57) this.fail("a non-negative integer");
    let at = start + 1;
    let value = first - ZERO;
    while (at < end) {
      const digit = bytes[at] - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      at++;
    }
    if (first === ZERO && at > start + 1) this.fail("a number without leading zeros");
    if (at < end) {
      const next = bytes[at];
      if (next === DOT || next === 101 || next === 69) this.fail("a non-negative integer");
    }
    if (at - start > 15) {
      const exact = BigInt(this.text(start, at));
      if (exact > U64_MAX) this.fail("an integer of at most 64 bits");
      this.at = at;
      return exact > 9007199254740991n ? exact : Number(exact);
    }
    this.at = at;
    return value;
  }

  /**
   * A list of integers of 0 … 2^64 - 1, put into the first places of `list`. Returns how many there are; `list` is not
   * made shorter, because that would give up its memory.
   */
  unsignedList(list: (number | bigint)[]): number {
    this.openList();
    const { bytes, end } = this;
    let at = this.at, count = 0;
    // the common form `1, 2, 3` in one loop; anything else is left to the general steps below
    for (;;) {
      const start = at;
      let value = 0;
      while (at < end) {
        const digit = bytes[at] - ZERO;
        if (digit < 0 || digit > 9) break;
        value = value * 10 + digit;
        at++;
      }
      const length = at - start;
      if (length === 0 || length > 15 || at >= end || (length > 1 && bytes[start] === ZERO)) break;
      const next = bytes[at];
      if (next === COMMA) {
        list[count++] = value;
        this.at = ++at;
        if (at < end && bytes[at] === 32) at++;
        continue;
      }
      if (next !== CLOSE_LIST) break;
      list[count++] = value;
      this.at = at + 1;
      return count;
    }
    if (count > 0) list[count++] = this.unsigned();
    for (let first = count === 0; this.nextItem(first); first = false) list[count++] = this.unsigned();
    return count;
  }

  /** A non-negative integer of at most `limit`. */
  count(limit: number): number {
    this.peek();
    const start = this.at;
    const value = this.unsigned();
    if (value > limit) {
      this.at = start;
      this.fail(`an integer of at most ${limit}`);
    }
    return Number(value);
  }

  /** An integer of -2^31 … 2^31 - 1. */
  signed32(): number {
    if (this.peek() !== MINUS) return this.count(2147483647);
    const start = this.at++;
    const digit = this.at < this.end ? this.bytes[this.at] : 0;
    if (digit < ZERO || digit > 57) {
      this.at = start;
      this.fail("an integer");
    }
    const value = this.count(2147483648);
    if (value === 0) {
      this.at = start;
      this.fail("an integer (-0 is none)");
    }
    return -value;
  }

  /**
   * A number as a double. Integers are rounded correctly. For fractions the digits without the point are read as an
   * unsigned 64-bit integer (what does not fit is dropped), converted, and scaled once by a power of ten: for up to 15
   * digits the correctly rounded value, beyond that possibly its neighbour, as in the reference.
   */
  number(): number {
    const first = this.peek();
    const { bytes, end } = this;
    const start = this.at;
    let at = start;
    if (first === MINUS) at++;
    let digits = 0, value = 0;
    const from = at;
    while (at < end) {
      const digit = bytes[at] - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      digits++;
      at++;
    }
    if (digits === 0) this.fail("a number");
    if (bytes[from] === ZERO && digits > 1) this.fail("a number without leading zeros");
    const next = at < end ? bytes[at] : 0;
    if (next !== DOT && next !== 101 && next !== 69) {
      this.at = at;
      if (digits > 15) value = Number(this.text(from, at));
      if (value === Infinity) {
        this.at = start;
        this.fail("a number in the range of a double");
      }
      return first === MINUS ? -value : value;
    }
    let scale = 0;
    const integerEnd = at;
    if (next === DOT) {
      const point = ++at;
      while (at < end) {
        const digit = bytes[at] - ZERO;
        if (digit < 0 || digit > 9) break;
        value = value * 10 + digit;
        digits++;
        at++;
      }
      scale = at - point;
      if (scale === 0) this.#failAt(at, "a digit after the point");
    }
    if (digits > 15) [value, scale] = this.#significand(from, integerEnd, at);
    else scale = -scale;
    const e = at < end ? bytes[at] : 0;
    if (e === 101 || e === 69) {
      at++;
      let sign = 1;
      if (at < end && (bytes[at] === 43 || bytes[at] === MINUS)) sign = bytes[at++] === MINUS ? -1 : 1;
      const digitsFrom = at;
      let exponent = 0;
      while (at < end && bytes[at] >= ZERO && bytes[at] <= 57) {
        exponent = Math.min(exponent * 10 + bytes[at++] - ZERO, 1e9);
      }
      if (at === digitsFrom) this.#failAt(at, "the digits of the exponent");
      scale += sign * exponent;
    }
    if (value !== 0) {
      while (scale < -308) {
        value /= 1e308;
        scale += 308;
        if (value === 0) break;
      }
      if (value !== 0) value = scale < 0 ? value / POWERS[-scale] : scale > 308 ? Infinity : value * POWERS[scale];
    }
    if (value === Infinity) this.fail("a number in the range of a double");
    this.at = at;
    return first === MINUS ? -value : value;
  }

  /** More digits than a double holds: the 64-bit significand and the power of ten it still has to be scaled by. */
  #significand(from: number, integerEnd: number, end: number): [number, number] {
    let value = 0n, scale = 0, full = false;
    for (let at = from; at < end; at++) {
      if (at === integerEnd) continue;
      const longer = value * 10n + BigInt(this.bytes[at] - ZERO);
      if (full || longer > U64_MAX) {
        full = true;
        if (at < integerEnd) scale++;
      } else {
        value = longer;
        if (at > integerEnd) scale--;
      }
    }
    return [Number(value), scale];
  }

  /** A string. */
  string(): string {
    if (this.peek() !== QUOTE) this.fail("a string");
    const start = this.at;
    if (!this.#passString()) return this.text(start + 1, this.at - 1);
    const text = JSON.parse(this.text(start, this.at)) as string;
    if (!text.isWellFormed()) this.#failAt(start, "a string without half characters");
    return text;
  }

  /** A string that is one of `words`. */
  oneOf<Word extends string>(words: readonly Word[]): Word {
    this.peek();
    const start = this.at;
    for (const word of words) if (this.#holds(word)) return word;
    const text = this.string();
    if (!words.includes(text as Word)) this.#failAt(start, words.map((word) => `"${word}"`).join(" or "));
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
        this.#failAt(at, "no control character inside a string");
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
        if (!hex) this.#failAt(at, "four hexadecimal digits after \\u");
      }
      return at + 5;
    }
    if (!ESCAPES.includes(String.fromCharCode(kind))) this.#failAt(at, "a known escape");
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

  /** The bytes `from … to - 1` as text. */
  text(from: number, to: number): string {
    const part = this.bytes.subarray(from, to);
    // short texts are cheaper to put together here than to hand to the decoder
    if (part.length <= 64 && !this.beyondAscii) return String.fromCharCode.apply(null, part as unknown as number[]);
    return this.#decoder.decode(part);
  }

  /** Throws: `expected` was expected at the position. */
  fail(expected: string): never {
    return this.#failAt(this.at, expected);
  }

  #failAt(at: number, expected: string): never {
    throw new JsonProblem(at, `expected ${expected}, found ${this.#found(at)}`);
  }

  /** The offending text: the token at `at`, cut short. */
  #found(at: number): string {
    if (at >= this.end) return "the end of the line";
    let to = at + 1;
    const word = (byte: number) =>
      byte > 127 || byte === 95 || byte === DOT || byte === MINUS || byte === 43 || (byte >= 48 && byte <= 57) ||
      (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122);
    if (this.bytes[at] === QUOTE) {
      while (to < this.end && this.bytes[to] !== QUOTE) to++;
      to = Math.min(to + 1, this.end);
    } else if (word(this.bytes[at])) {
      while (to < this.end && word(this.bytes[to])) to++;
    }
    const text = new TextDecoder().decode(this.bytes.subarray(at, Math.min(to, at + 60)));
    return `${text}${to > at + 60 ? "…" : ""}`;
  }
}
