/**
 * Makes the traces in `fixtures/traces`, and large ones for measurements. The same options give the same bytes.
 *
 *     deno run -A scripts/make_fixtures.ts                                     # fixtures/traces/chat.jsonl
 *     deno run -A scripts/make_fixtures.ts --requests 1000000 -o big.jsonl     # like a long day of conversations
 *
 * Conversations begin at random, in waves of more and fewer users; every one opens with one of a few system prompts and
 * sends its whole history with each turn, so that prompts share their first blocks.
 */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import seedrandom from "seedrandom";
import { Heap } from "../lib/collections/heap.ts";
import { readTrace } from "../lib/trace/read_trace.ts";
import type { TraceRequest } from "../lib/trace/request.ts";
import { Flow } from "../lib/trace/stage.ts";
import { writeTrace } from "../lib/trace/write_trace.ts";

const BLOCK = 512;

/** What a trace is like. Lengths are medians of log-normal draws, in tokens. */
interface Profile {
  requests: number;
  /** Mean time between arrivals, in milliseconds. */
  gapMs: number;
  /** Arrivals are collected into batches of this length; 0 keeps every arrival at its own time. */
  batchMs: number;
  /** Length of the waves of more and fewer users, in milliseconds, and how far they go (0 … 1). */
  waveMs: number;
  waveDepth: number;
  systemPrompts: readonly number[];
  firstInput: number;
  nextInput: number;
  output: number;
  /** Chance that a conversation goes on after a turn. */
  goesOn: number;
  /** Median pause between a turn and the next, in milliseconds. */
  pauseMs: number;
  longestInput: number;
  longestOutput: number;
}

const CHAT: Profile = {
  requests: 2000,
  gapMs: 600,
  batchMs: 0,
  waveMs: 300_000,
  waveDepth: 0.8,
  systemPrompts: [1536, 1100, 700, 2048],
  firstInput: 400,
  nextInput: 150,
  output: 180,
  goesOn: 0.72,
  pauseMs: 25_000,
  longestInput: 32_000,
  longestOutput: 1500,
};

const CONVERSATION: Profile = {
  requests: 12_031,
  gapMs: 294,
  batchMs: 3000,
  waveMs: 900_000,
  waveDepth: 0.3,
  systemPrompts: [512],
  firstInput: 5800,
  nextInput: 2600,
  output: 280,
  goesOn: 0.4,
  pauseMs: 45_000,
  longestInput: 126_000,
  longestOutput: 2000,
};

interface Conversation {
  ids: number[];
  tokens: number;
  atMs: number;
}

async function* requests(profile: Profile, seed: string): AsyncGenerator<readonly TraceRequest[]> {
  const random = seedrandom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const length = (median: number, spread: number, longest: number) =>
    Math.max(1, Math.min(longest, Math.round(median * Math.exp(spread * normal()))));
  let nextId = 0;
  const systems = profile.systemPrompts.map((tokens) => ({
    tokens,
    ids: Array.from({ length: Math.floor(tokens / BLOCK) }, () => nextId++),
  }));

  /** The conversation says `more` tokens: full blocks stay what they are, the last one becomes another. */
  function extend(conversation: Conversation, more: number): void {
    conversation.ids.length = Math.floor(conversation.tokens / BLOCK);
    conversation.tokens += more;
    while (conversation.ids.length < Math.ceil(conversation.tokens / BLOCK)) conversation.ids.push(nextId++);
  }

  const waiting = new Heap<Conversation>((a, b) => a.atMs - b.atMs);
  let batch: TraceRequest[] = [];
  let nowMs = 0, made = 0;
  const newPerTurn = 1 - profile.goesOn;
  let nextNewMs = 0;
  while (made < profile.requests) {
    const continues = waiting.first !== undefined && waiting.first.atMs <= nextNewMs;
    let conversation: Conversation;
    if (continues) {
      conversation = waiting.pop()!;
      nowMs = conversation.atMs;
      extend(conversation, length(profile.nextInput, 0.9, profile.longestInput));
    } else {
      nowMs = nextNewMs;
      const wave = 1 + profile.waveDepth * Math.sin(2 * Math.PI * nowMs / profile.waveMs);
      nextNewMs += -Math.log(1 - random()) * profile.gapMs / newPerTurn / wave;
      const system = systems[Math.floor(random() ** 2 * systems.length)];
      conversation = { ids: system.ids.slice(), tokens: system.tokens, atMs: nowMs };
      extend(conversation, length(profile.firstInput, 1, profile.longestInput - system.tokens));
    }
    if (conversation.tokens > profile.longestInput) continue;
    const output = length(profile.output, 0.8, profile.longestOutput);
    const at = profile.batchMs > 0 ? Math.floor(nowMs / profile.batchMs) * profile.batchMs : Math.round(nowMs);
    batch.push({
      timestampMs: at,
      inputTokens: conversation.tokens,
      outputTokens: output,
      hashIds: conversation.ids.slice(),
      line: ++made,
    });
    if (random() < profile.goesOn) {
      extend(conversation, output);
      conversation.atMs = nowMs + output * 20 + length(profile.pauseMs, 0.7, 600_000);
      waiting.push(conversation);
    }
    if (batch.length === 512) {
      yield batch;
      batch = [];
    }
  }
  yield batch;
}

const { values } = parseArgs({
  options: { requests: { type: "string" }, output: { type: "string", short: "o" }, seed: { type: "string" } },
});
const output = values.output ?? fileURLToPath(new URL("../fixtures/traces/chat.jsonl", import.meta.url));
const profile = values.requests === undefined ? CHAT : { ...CONVERSATION, requests: Number(values.requests) };
await new Flow(requests(profile, values.seed ?? "dynosim")).pipeTo(writeTrace(output));
if (output !== "-") {
  let count = 0, input = 0, made = 0, last = 0;
  for await (const request of readTrace(output)) {
    count++;
    input += request.inputTokens;
    made += request.outputTokens;
    last = request.timestampMs!;
  }
  const facts = `${count} requests in ${Math.round(last / 1000)} s, mean input ${Math.round(input / count)}`;
  process.stderr.write(`${output}: ${facts}, mean output ${Math.round(made / count)}\n`);
}
