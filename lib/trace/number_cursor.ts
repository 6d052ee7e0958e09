/**
 * A position in the bytes of one line, and the numbers of JSON read at it: 64-bit integers exactly, the difference of
 * `4` and `4.0` kept, fractions as the reference reads them.
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

const QUOTE = 34, MINUS = 45, DOT = 46, ZERO = 48, OPEN_LIST = 91, CLOSE_LIST = 93, COMMA = 44;
const U64_MAX = 18446744073709551615n;
/** Powers of ten as the correctly rounded doubles. */
const POWERS = Float64Array.from({ length: 309 }, (_, k) => Number(`1e${k}`));

/** A position in the bytes of one line. All methods read at the position and move it on. */
export class NumberCursor {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  end = 0;
  /** True once a byte above 127 was passed: the line's UTF-8 then still has to be checked. */
  beyondAscii = false;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

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
   *
   * @param limit the largest that may be; without it above 2^53 - 1 as a bigint
   */
  unsignedList(list: (number | bigint)[], limit = Infinity): number {
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
      if (length === 0 || length > 15 || value > limit || at >= end || (length > 1 && bytes[start] === ZERO)) break;
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
    const item = () => limit === Infinity ? this.unsigned() : this.count(limit);
    if (count > 0) list[count++] = item();
    for (let first = count === 0; this.nextItem(first); first = false) list[count++] = item();
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
      if (scale === 0) this.failAt(at, "a digit after the point");
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
      if (at === digitsFrom) this.failAt(at, "the digits of the exponent");
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

  /** The bytes `from … to - 1` as text. */
  text(from: number, to: number): string {
    const part = this.bytes.subarray(from, to);
    // short texts are cheaper to put together here than to hand to the decoder
    if (part.length <= 64 && !this.beyondAscii) return String.fromCharCode.apply(null, part as unknown as number[]);
    return this.#decoder.decode(part);
  }

  /** Throws: `expected` was expected at the position. */
  fail(expected: string): never {
    return this.failAt(this.at, expected);
  }

  /** Throws: `expected` was expected at a byte. */
  protected failAt(at: number, expected: string): never {
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
