/**
 * Plain data as text and back: JSON, with marks for what JSON does not have (numbers that are not finite, bigints, typed
 * arrays).
 *
 * @module
 */

const MARK = "$dynosim";
const ARRAYS = { Float64Array, Int32Array, Uint32Array, Uint8Array } as const;
type ArrayName = keyof typeof ARRAYS;
/** Numbers that JSON does not have. */
const NOT_FINITE: readonly unknown[] = ["NaN", "Infinity", "-Infinity"];

function marked(_key: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) return { [MARK]: "number", value: String(value) };
  if (typeof value === "bigint") return { [MARK]: "bigint", value: String(value) };
  if (ArrayBuffer.isView(value)) {
    const name = Object.keys(ARRAYS).find((name) => value instanceof ARRAYS[name as ArrayName]);
    if (name === undefined) throw new TypeError("an array of this type cannot be sent");
    return {
      [MARK]: name,
      value: Array.from(value as Float64Array, (item) => Number.isFinite(item) ? item : String(item)),
    };
  }
  return value;
}

function unmarked(_key: string, value: any): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, MARK)) return value;
  const { [MARK]: type, value: content } = value;
  if (type === "number" && NOT_FINITE.includes(content)) return Number(content);
  if (type === "bigint" && typeof content === "string" && /^-?\d{1,40}$/.test(content)) return BigInt(content);
  if (Object.hasOwn(ARRAYS, type) && Array.isArray(content)) return arrayOf(type, content);
  throw new SyntaxError(`a text has the mark ${JSON.stringify(type)}, which stands for nothing`);
}

function arrayOf(type: ArrayName, content: readonly unknown[]) {
  const items = content.map((item) => {
    if (typeof item === "number" || NOT_FINITE.includes(item)) return Number(item);
    throw new SyntaxError(`a ${type} holds ${JSON.stringify(item)}`);
  });
  const array = ARRAYS[type].from(items);
  const changed = items.findIndex((item, i) => !Object.is(array[i], item));
  if (changed >= 0) throw new SyntaxError(`a ${type} cannot hold ${items[changed]}`);
  return array;
}

/** Writes a value. */
export const plainText = (value: unknown): string => JSON.stringify(value, marked);

/**
 * Reads what {@linkcode plainText} wrote.
 *
 * @throws {SyntaxError} for another text
 */
export const fromPlainText = (text: string): unknown => JSON.parse(text, unmarked);
