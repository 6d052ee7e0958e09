/** Ways to damage messages: texts on their way, values within them, and names in a Redis. */
import type { Redis } from "ioredis";
import { sealed } from "../../lib/jobs/queue/messages.ts";

/** A generator of lots in [0, 1). */
export function lots(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = state + 0x6d2b79f5 | 0;
    let t = Math.imul(state ^ state >>> 15, 1 | state);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return ((t ^ t >>> 14) >>> 0) / 4294967296;
  };
}

/** One of some. */
export const oneOf = <T>(lot: () => number, list: readonly T[]): T => list[Math.floor(lot() * list.length)];

/** Paths that no message may have opened; `trap` is one whose opening never ends. */
export const pathsBeyond = (trap: string): string[] => [
  ...[trap, "../../etc/passwd", "/etc/passwd", "/dev/zero", "/proc/self/environ", "file:///etc/passwd", "..", "/", "~"],
  ...["http://127.0.0.1:9/x", "chat.jsonl\0", "C:\\x"],
];

/** Odd values. */
export const oddValues = (trap: string): unknown[] => [
  ...[null, true, false, 0, -1, 0.5, 1e9, 1e15, 1e308, 2 ** 53, "", " ", "x", "1", "NaN", "constructor", "__proto__"],
  ...["toString", "\u0000", "\ud800", "😀", "\u001b[2J", [], [null], [[]], {}, { a: 1 }],
  ...["x".repeat(1_000_000), Array(10_000).fill(0), Array(10_000).fill({}), nested(2000)],
  ...[{ $dynosim: "number", value: "NaN" }, { $dynosim: "number", value: "Infinity" }, { $dynosim: "x" }],
  ...[{ $dynosim: "Float64Array", value: [1, "x"] }, { $dynosim: "bigint", value: "9".repeat(40) }],
  ...pathsBeyond(trap),
];

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
}

/** Every place in a value: how to put something else there. */
function placesOf(value: unknown): { holder: any; key: string | number }[] {
  if (typeof value !== "object" || value === null) return [];
  const keys = Array.isArray(value) ? value.map((_, i) => i).slice(0, 20) : Object.keys(value);
  return keys.flatMap((key) => [{ holder: value, key }, ...placesOf((value as any)[key])]);
}

/** A text of JSON with one thing in it changed: another value, a field more or less, a field of the prototype. */
export function changedJson(text: string, lot: () => number, odd: readonly unknown[]): { text: string; what: string } {
  const value = JSON.parse(text), places = placesOf(value);
  if (places.length === 0) return { text: JSON.stringify(oneOf(lot, odd)), what: "all" };
  const { holder, key } = oneOf(lot, places), way = lot();
  const said = (what: string) => ({ text: JSON.stringify(value), what: `${what} ${key}` });
  if (way < 0.1) {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
    return said("without");
  }
  if (way < 0.2) {
    const name = oneOf(lot, ["surplus", "__proto__", "constructor", "toString", "__defineGetter__"]);
    Object.defineProperty(holder, name, { value: { polluted: true }, enumerable: true, configurable: true });
    return said(`${name} beside`);
  }
  const put = oneOf(lot, odd);
  holder[key] = put;
  return said(`${String(JSON.stringify(put)).slice(0, 40)} as`);
}

/** A text that was damaged on its way. */
export function damagedText(text: string, lot: () => number): { text: string; what: string } {
  const at = Math.floor(lot() * text.length);
  return oneOf(lot, [
    () => ({ text: "", what: "nothing" }),
    () => ({ text: "null", what: "null" }),
    () => ({ text: text.slice(0, at), what: `cut at ${at}` }),
    () => ({ text: text.slice(at), what: `from ${at}` }),
    () => ({ text: text + text, what: "twice" }),
    () => ({ text: text.slice(64), what: "without a seal" }),
    () => ({ text: "0".repeat(64) + text.slice(64), what: "with another seal" }),
    () => ({ text: "x".repeat(3_000_000), what: "long" }),
    () => ({ text: "[".repeat(200_000), what: "deep" }),
    () => ({ text: text.slice(0, at) + "\u0001" + text.slice(at + 1), what: `a byte at ${at}` }),
    () => {
      const digits = [...text.matchAll(/\d/g)].map(({ index }) => index).filter((index) => index >= 64);
      const digit = digits.length === 0 ? at : oneOf(lot, digits);
      const other = String((Number(text[digit]) + 1) % 10);
      return { text: text.slice(0, digit) + other + text.slice(digit + 1), what: `a digit at ${digit}` };
    },
  ])();
}

/** A text that somebody who knows the seal changed. */
export function forgedText(seal: string, text: string, lot: () => number, odd: readonly unknown[]) {
  const { text: changed, what } = changedJson(text.slice(64), lot, odd);
  return { text: sealed(seal, changed), what: `forged: ${what}` };
}

/** Does something to one name in a Redis, whatever it is; tells what. */
export async function damagedName(redis: Redis, key: string, lot: () => number): Promise<string> {
  const type = await redis.type(key),
    junk = oneOf(lot, ["", "x", "null", "{", "__proto__", "../../etc/passwd", "9".repeat(99)]);
  const fields = type === "hash" ? await redis.hkeys(key) : [], field = fields.length > 0 ? oneOf(lot, fields) : "x";
  const ways: [string, () => Promise<unknown>][] = [
    ["removed", () => redis.del(key)],
    ["made a text", () => redis.set(key, junk)],
    ["made a list", () => redis.pipeline().del(key).rpush(key, junk).exec()],
    ["made a hash", () => redis.pipeline().del(key).hset(key, junk || "x", junk).exec()],
  ];
  if (type === "hash") {
    ways.push([`its field ${field} is ${JSON.stringify(junk)}`, () => redis.hset(key, field, junk)]);
    ways.push([`without its field ${field}`, () => redis.hdel(key, field)]);
    ways.push([`without a piece of its field ${field}`, async () => {
      const text = await redis.hget(key, field) ?? "";
      await redis.hset(key, field, text.slice(0, Math.floor(lot() * text.length)));
    }]);
  }
  if (type === "list") ways.push(["with more in it", () => redis.lpush(key, junk, "job-x", "\u0000")]);
  if (type === "set") ways.push(["with more in it", () => redis.sadd(key, junk, "run-x", "\u0000")]);
  if (type === "zset") ways.push(["with more in it", () => redis.zadd(key, 1, junk, 0, "job-x")]);
  const [what, damage] = oneOf(lot, ways);
  try {
    await damage();
  } catch {
    // it changed its type meanwhile
  }
  return `${key} (${type}) ${what}`;
}
