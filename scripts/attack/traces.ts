/**
 * Damages traces of every format, byte by byte, cell by cell and line by line, and reads, converts and loads them.
 * Nothing may end in an error that is none of ours, go on for long, or leave a file behind that was not finished.
 *
 * Run: `deno run -A scripts/attack/traces.ts [MUTATIONS] [SEED]` (prints what it found; exit code 1 when anything)
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { convert } from "../../lib/trace/convert.ts";
import { inspect } from "../../lib/trace/inspect.ts";
import { readTrace } from "../../lib/trace/read_trace.ts";
import { loadTrace } from "../../lib/traffic/load_trace.ts";
import { DYNAMO } from "./document_traces.ts";

const count = Number(process.argv[2] ?? 1000), seed = Number(process.argv[3] ?? 1);
const KNOWN = new Set(["ConfigError", "TraceError", "FileError", "ResourceLimitError"]);
const ODD = [
  "1e300",
  "-1",
  "0",
  "null",
  "NaN",
  "1e-320",
  "99999999999999999999",
  '"x"',
  "{}",
  "[]",
  "true",
  "\u0000",
  "1.5",
  "",
  "1e9",
];

let state = seed;
function random(below: number): number {
  state = state + 0x6d2b79f5 | 0;
  let t = Math.imul(state ^ state >>> 15, 1 | state);
  t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
  return Math.floor(((t ^ t >>> 14) >>> 0) / 4294967296 * below);
}

function mutated(text: string): Uint8Array {
  let bytes: Uint8Array = new TextEncoder().encode(text);
  const lines = text.split("\n"), at = random(lines.length);
  const kind = random(9);
  const edit = (line: string) => {
    lines[at] = line;
    bytes = new TextEncoder().encode(lines.join("\n"));
  };
  if (kind === 0) { for (let i = 0; i < 3; i++) bytes[random(bytes.length)] = random(256); }
  else if (kind === 1) bytes = bytes.subarray(0, random(bytes.length));
  else if (kind === 2) {
    edit(lines[at].replace(/-?\d[\d.]*/g, (number) => random(3) === 0 ? ODD[random(ODD.length)] : number));
  } else if (kind === 3) edit(lines[at].slice(0, random(lines[at].length + 1)));
  else if (kind === 4) edit(lines[at] + lines[random(lines.length)]);
  else if (kind === 5) edit(lines[at].replace(/"(\w+)":/g, (key) => random(4) === 0 ? '"odd":' : key));
  else if (kind === 6) edit(lines[at].replace(/\d+/, "9".repeat(1 + random(400))));
  else if (kind === 7) edit("[".repeat(random(20_000)));
  else edit(lines[at].replace(/[,:]/, () => ["", ";", ",,", "\t"][random(4)]));
  if (random(6) !== 0) return bytes;
  const packed = new Uint8Array(gzipSync(bytes));
  if (random(2) === 0) packed[random(packed.length)] ^= 1 << random(8);
  return packed;
}

const lines = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).join("\n");
const many = <T>(row: (i: number) => T): T[] => Array.from({ length: 30 }, (_, i) => row(i));
const chat = { chat_id: 1, parent_chat_id: -1, timestamp: 0, input_length: 20, output_length: 3, type: "x" };

/** A few rows of every format that is one file. */
const SOURCES: Record<string, string> = {
  mooncake: readFileSync("fixtures/traces/chat.jsonl", "utf8").split("\n").slice(0, 40).join("\n"),
  sessions: lines(
    many((i) => ({
      session_id: `s${i % 5}`,
      input_length: 600,
      output_length: 4,
      hash_ids: [1, i],
      ...i < 5 ? { timestamp: 10 * i } : { delay: 50 },
    })),
  ),
  lengths: lines(many((i) => ({ timestamp: 10 * i, input_length: 100 + i, output_length: 5 }))),
  dynamo: readFileSync(DYNAMO, "utf8").split("\n").slice(0, 30).join("\n"),
  azure: ["TIMESTAMP,ContextTokens,GeneratedTokens", ...many((i) => `2023-11-16 10:00:${10 + i}.0010000,${100 + i},20`)]
    .join("\r\n"),
  burstgpt: [
    "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type",
    ...many((i) => `${i},ChatGPT,${100 + i},20,${120 + i},"Conversation, log"`),
  ].join("\n"),
  vidur: ["arrived_at,num_prefill_tokens,num_decode_tokens", ...many((i) => `${i}.5,206,162`)].join("\n"),
  splitwise: [
    "request_id,arrival_timestamp,batch_size,prompt_size,token_size",
    ...many((i) => `${i},${i},1,4096,32`),
  ].join("\n"),
  qwen_bailian: lines(many((i) => ({ ...chat, chat_id: i, timestamp: i / 3, hash_ids: [7, i] }))),
  llmservingsim: lines(
    many((i) => ({ input_toks: 3, output_toks: 7, arrival_time_ns: 46_926_808 * i, input_tok_ids: [1, 2, i] })),
  ),
  applied_compute_agentic: lines(
    many(() => ({
      num_turns: 1,
      input_prompt_length: 600,
      assistant_response_length: [5],
      tool_call_output_length: [9],
      tool_call_latency: [0.25],
      final_assistant_response_length: 2,
    })),
  ),
};
const folder = mkdtempSync(join(tmpdir(), "dynosim-attack-"));
const tally = { attempts: 0, read: 0, refused: 0 };
let found = 0;

async function attempt(what: string, run: () => Promise<unknown>): Promise<void> {
  const startMs = performance.now();
  tally.attempts++;
  try {
    await run();
    tally.read++;
  } catch (error) {
    tally.refused++;
    const { name, message, stack } = error as Error;
    if (!KNOWN.has(name) || /\[object |mistake in dynosim/.test(message) || message.length > 5000) {
      found++;
      console.log(`FOUND ${what}: ${name}: ${message.slice(0, 300)}\n${stack?.slice(0, 500)}`);
    }
  }
  const tookMs = performance.now() - startMs;
  if (tookMs > 5000) console.log(`FOUND ${what}: took ${Math.round(tookMs)} ms (${++found})`);
}

const names = Object.keys(SOURCES);
for (let i = 0; i < count; i++) {
  const name = names[i % names.length], path = join(folder, `${i}-${name}`), output = join(folder, "out.jsonl");
  writeFileSync(path, mutated(SOURCES[name]));
  await attempt(`inspect ${path}`, () => inspect(readTrace(path)));
  await attempt(`convert ${path}`, () => convert(path, output, { to: i % 2 === 0 ? "dynamo" : "mooncake" }));
  await attempt(`load ${path}`, () => loadTrace(path, { format: i % 3 === 0 ? "dynamo" : "mooncake" }));
  const left = readdirSync(folder).filter((file) => file.endsWith(".part"));
  if (left.length > 0) console.log(`FOUND ${path}: left ${left.join(", ")} (${++found})`);
  rmSync(output, { force: true });
  if (found === 0) rmSync(path);
}
console.log(`${count} damaged traces of ${names.length} kinds: ${JSON.stringify(tally)}, ${found} found`);
process.exit(found > 0 ? 1 : 0);
