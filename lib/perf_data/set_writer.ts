/**
 * Writes performance sets in the form that `lib/timing/aic/perf_member.ts` describes and reads.
 *
 * @module
 */
import { stopPoint } from "../io/stop.ts";
import {
  bytesOfCodes,
  checkOf,
  DIVISORS,
  exponentOf,
  type Levels,
  LOWEST_EXPONENT,
  SHORTEST_CODE,
} from "../timing/aic/perf_member.ts";
import { FORMAT, MAGIC, type PerfSetHeader } from "../timing/aic/perf_set.ts";

/** Half bytes of the longest code that is tried; longer ones save nothing beside a float64. */
const LONGEST_CODE = 10;

/** A slice in the making. */
export type PlainSlice = Levels<readonly number[]>;

/** Collects the slices of one member. */
export class MemberWriter {
  /** Slices by name, in order. */
  readonly slices = new Map<string, PlainSlice>();
  /** Sites of matrix products, in order; a member has either these or slices. */
  readonly sites: { readonly n: number; readonly k: number; readonly curve: PlainSlice }[] = [];

  addCurve(name: string, keys: readonly number[], values: readonly number[], powers?: readonly number[]): void {
    this.slices.set(name, { keys: [keys], starts: [], values, powers });
  }

  addGrid(name: string, levels: PlainSlice): void {
    this.slices.set(name, levels);
  }

  addSite(n: number, k: number, keys: readonly number[], values: readonly number[], powers?: readonly number[]): void {
    this.sites.push({ n, k, curve: { keys: [keys], starts: [], values, powers } });
  }
}

/** Puts a set together. Equal slices and equal keys are stored once, whatever member they belong to. */
export async function writePerfSet(
  about: Omit<PerfSetHeader, "members" | "format">,
  writers: ReadonlyMap<string, MemberWriter>,
): Promise<Uint8Array> {
  const body = new Body(), members: Record<string, [number, number]> = {};
  for (const [name, { slices, sites }] of writers) {
    await stopPoint();
    let before = 0, nameBefore = "";
    const step = (levels: PlainSlice) => {
      const place = body.slice(levels), distance = place - before;
      before = place;
      return distance;
    };
    const list = sites.length > 0
      ? sites.flatMap(({ n, k, curve }) => [n, k, step(curve)])
      : [...slices].flatMap(([slice, levels]) => {
        const shared = sharedStart(nameBefore, slice);
        nameBefore = slice;
        return [shared, slice.slice(shared), step(levels)];
      });
    const text = new TextEncoder().encode(JSON.stringify(list));
    members[name] = [body.piece(text), text.length];
  }
  const header = new TextEncoder().encode(JSON.stringify({ format: FORMAT, ...about, members }));
  const set = new Uint8Array(12 + header.length + body.length);
  set.set(new TextEncoder().encode(MAGIC));
  new DataView(set.buffer).setUint32(8, header.length, true);
  set.set(header, 12);
  body.copyTo(set.subarray(12 + header.length));
  return set;
}

function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** The pieces of a set, each stored once. */
class Body {
  readonly #pieces: Uint8Array[] = [];
  readonly #places = new Map<string, number>();
  length = 0;

  /** Adds bytes and their check; returns their place. */
  piece(bytes: Uint8Array): number {
    const key = bytes.join();
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place = this.length, check = new Uint8Array(4);
    new DataView(check.buffer).setUint32(0, checkOf(bytes, 0, bytes.length), true);
    this.#pieces.push(bytes, check);
    this.length += bytes.length + 4;
    this.#places.set(key, place);
    return place;
  }

  slice(levels: PlainSlice): number {
    const codes = encodeValues(levels.values), slice = new Uint8Array(4 + codes.length);
    new DataView(slice.buffer).setUint32(0, this.piece(encodeKeys(levels)), true);
    slice.set(codes, 4);
    return this.piece(slice);
  }

  copyTo(target: Uint8Array): void {
    let at = 0;
    for (const piece of this.#pieces) {
      target.set(piece, at);
      at += piece.length;
    }
  }
}

function encodeKeys({ keys, starts }: PlainSlice): Uint8Array {
  const bytes: number[] = [];
  const put = (number: number) => {
    if (!(Number.isSafeInteger(number) && number >= 0)) throw new Error("keys of a table must ascend");
    for (; number >= 128; number = Math.floor(number / 128)) bytes.push(128 + number % 128);
    bytes.push(number);
  };
  put(keys.length);
  keys.forEach((list, level) => {
    const start = level === 0 ? [0, list.length] : starts[level - 1];
    for (let entry = 0; entry + 1 < start.length; entry++) {
      put(start[entry + 1] - start[entry]);
      for (let i = start[entry], before = 0; i < start[entry + 1]; before = list[i++]) put(list[i] - before);
    }
  });
  return Uint8Array.from(bytes);
}

/** Coding and codes of the values of a slice, in the shortest coding. */
function encodeValues(values: readonly number[]): Uint8Array {
  let best: { divisor: number; width: number; codes: (number | undefined)[]; size: number } | undefined;
  for (let width = SHORTEST_CODE; width <= LONGEST_CODE; width++) {
    for (let divisor = 0; divisor < DIVISORS.length; divisor++) {
      const codes: (number | undefined)[] = [];
      let size = bytesOfCodes(values.length, width);
      for (let i = 0; i < values.length && size < (best?.size ?? Infinity); i++) {
        const code = codeOf(values[i], DIVISORS[divisor], width);
        if (code === undefined) size += 8;
        codes.push(code);
      }
      if (size < (best?.size ?? Infinity)) best = { divisor, width, codes, size };
    }
  }
  const { divisor, width, codes, size } = best!;
  const bytes = new Uint8Array(1 + size), view = new DataView(bytes.buffer);
  bytes[0] = divisor * 8 + width - SHORTEST_CODE;
  let half = 2, beside = 1 + bytesOfCodes(values.length, width);
  codes.forEach((code, i) => {
    if (code === undefined) {
      view.setFloat64(beside, values[i], true);
      beside += 8;
    }
    for (let left = width, rest = code ?? 16 ** width - 1; left > 0; left--, rest = Math.floor(rest / 16)) {
      bytes[half >> 1] |= rest % 16 << 4 * (half++ & 1);
    }
  });
  return bytes;
}

/** The code that gives exactly this value; undefined when there is none. */
function codeOf(value: number, divisor: number, width: number): number | undefined {
  if (Object.is(value, 0)) return 0;
  const span = 2 ** (4 * width - 5), scaled = value * divisor;
  const exponent = Math.floor(Math.log2(scaled)), field = exponent - exponentOf(divisor) - LOWEST_EXPONENT;
  if (!(field >= 1 && field < 32)) return undefined;
  const unit = 2 ** exponent / span, nearest = Math.round(scaled / unit);
  for (const whole of [nearest, nearest - 1, nearest + 1]) {
    if (whole >= span && whole < 2 * span && whole * unit / divisor === value) {
      const code = field * span + whole - span;
      return code < 32 * span - 1 ? code : undefined;
    }
  }
  return undefined;
}
