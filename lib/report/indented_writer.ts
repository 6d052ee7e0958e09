/**
 * Writes values as indented JSON with sorted keys, quickly where many of them look alike.
 *
 * @module
 */

/** Keys that objects have in the same order, and how they are written. */
interface Shape {
  /** As the objects have them. */
  keys: readonly string[];
  /** As they are written. */
  sorted: readonly string[];
  /** By depth. */
  places: Place[];
}

/** The values of a shape at one depth. */
interface Place {
  /** What comes before each value: comma or brace, line break, blanks and key. */
  heads: readonly string[];
  /** The value that stood there last, and once it came again its text with the head before it. */
  values: unknown[];
  texts: (string | null)[];
  end: string;
}

/** Shapes of so many keys that are remembered: objects with names of their own must not fill the memory. */
const MOST_SHAPES = 64;

/**
 * Puts together the text that `JSON.stringify(value, null, 2)` would give if keys were sorted, with characters beyond
 * ASCII escaped. Of objects with the same keys the keys are sorted once, and a value that stands where it stood in the
 * object before is told as it was told there: nobody may change objects as long as the writer is in use.
 */
export class IndentedWriter {
  #parts: string[] = [];
  /** By number of keys. */
  readonly #shapes: Shape[][] = [];
  readonly #lineBreaks: string[] = [];

  /** Texts added since they were taken. */
  get parts(): number {
    return this.#parts.length;
  }

  /** Takes what was added. */
  take(): string {
    const text = this.#parts.join("");
    this.#parts = [];
    return text;
  }

  /** Adds a text as it is. */
  add(text: string): void {
    this.#parts.push(text);
  }

  /** A line break and so many steps of two blanks. */
  lineBreak(depth: number): string {
    return this.#lineBreaks[depth] ??= "\n" + "  ".repeat(depth);
  }

  /**
   * Adds a value; one that JSON has no text for as null.
   *
   * @param depth how many steps of two blanks stand before its last line
   */
  value(value: unknown, depth: number): void {
    if (typeof value !== "object" || value === null) this.#parts.push(plainText(value) ?? "null");
    else if (Array.isArray(value)) this.#list(value, depth);
    else if (hasOwnText(value)) this.value(value.toJSON(), depth);
    else this.#object(value as Record<string, unknown>, depth);
  }

  #list(list: readonly unknown[], depth: number): void {
    const parts = this.#parts;
    if (list.length === 0) {
      parts.push("[]");
      return;
    }
    const lineBreak = this.lineBreak(depth + 1);
    parts.push("[" + lineBreak);
    const following = "," + lineBreak;
    for (let i = 0; i < list.length; i++) {
      if (i > 0) parts.push(following);
      this.value(list[i], depth + 1);
    }
    parts.push(this.lineBreak(depth) + "]");
  }

  #object(object: Record<string, unknown>, depth: number): void {
    const parts = this.#parts, { sorted, places } = this.#shape(Object.keys(object));
    const { heads, values, texts, end } = places[depth] ??= this.#place(sorted, depth);
    let told = 0;
    for (let i = 0; i < sorted.length; i++) {
      const value = object[sorted[i]], again = values[i] === value;
      let text = again ? texts[i] : null;
      if (text === null) {
        if (!isTold(value)) continue;
        const start = parts.length;
        parts.push(told > 0 || i === 0 ? heads[i] : "{" + heads[i].slice(1));
        this.value(value, depth + 1);
        if (again && told === i) text = joinedFrom(parts, start);
        values[i] = value;
        texts[i] = text;
      } else parts.push(told > 0 || i === 0 ? text : "{" + text.slice(1));
      told++;
    }
    parts.push(told === 0 ? "{}" : end);
  }

  #shape(keys: readonly string[]): Shape {
    const shapes = this.#shapes[keys.length] ??= [];
    for (let s = 0; s < shapes.length; s++) {
      const known = shapes[s].keys;
      let i = 0;
      while (i < keys.length && keys[i] === known[i]) i++;
      if (i === keys.length) return shapes[s];
    }
    const shape = { keys, sorted: orderedKeys(keys), places: [] };
    if (shapes.length < MOST_SHAPES) shapes.push(shape);
    return shape;
  }

  #place(sorted: readonly string[], depth: number): Place {
    const lineBreak = this.lineBreak(depth + 1);
    return {
      heads: sorted.map((key, i) => [i === 0 ? "{" : ",", lineBreak, jsonString(key), ": "].join("")),
      values: sorted.map(() => undefined),
      texts: sorted.map(() => null),
      end: this.lineBreak(depth) + "}",
    };
  }
}

/** Makes one text of those from `start` on. */
function joinedFrom(parts: string[], start: number): string {
  const text = parts.slice(start).join("");
  parts.length = start;
  parts.push(text);
  return text;
}

const hasOwnText = (value: object): value is { toJSON(): unknown } =>
  "toJSON" in value && typeof value.toJSON === "function";

/** Whether JSON has a text for the value of a key. */
function isTold(value: unknown): boolean {
  if (typeof value === "object") return value === null || !hasOwnText(value) || isTold(value.toJSON());
  return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
}

/** The text of what is no object; undefined where JSON has none. */
function plainText(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "null";
  return typeof value === "string" ? jsonString(value) : JSON.stringify(value);
}

/** Keys as a sorted object has them: JavaScript puts those that look like indices first. */
export function orderedKeys(keys: readonly string[]): string[] {
  const ordered: Record<string, boolean> = {};
  for (const key of keys.toSorted()) ordered[key] = true;
  return Object.keys(ordered);
}

const PLAIN = /^[ !#-[\]-~]*$/;

/** A text as JSON has it, in ASCII. */
const jsonString = (text: string) => PLAIN.test(text) ? `"${text}"` : escapeBeyondAscii(JSON.stringify(text));

/** Replaces every UTF-16 unit beyond ASCII by its `\uXXXX` escape. */
export function escapeBeyondAscii(json: string): string {
  return json.replace(/[^\0-\x7f]/g, (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}
