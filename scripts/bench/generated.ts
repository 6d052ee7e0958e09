/**
 * Loads that are made for the occasion: each is a trace as text, the same on every machine.
 */
import { splitmix32 } from "../../lib/random/splitmix32.ts";

/** What is varied. */
export interface GeneratedLoad {
  requests: number;
  /** Mean time between arrivals, in milliseconds. */
  everyMs: number;
  /** Prompt and output tokens: from, to. */
  input: readonly [number, number];
  output: readonly [number, number];
  /** Prompts begin with one of so many shared blocks. Default 200. */
  prefixes?: number;
  /** A pause of so many milliseconds in the middle. Default 0. */
  pauseMs?: number;
  /** Requests a session, one after the other, with `delayMs` in between. Default: no sessions. */
  turns?: number;
  delayMs?: number;
  /** Output tokens are named one by one. Default false. */
  named?: boolean;
  /** The turns of a session are an agent's play: it starts a helper at its second turn and waits for it in its last. */
  agents?: boolean;
}

/** The trace as JSON lines: Mooncake's, or agentic Mooncake's. */
export function* generatedLines(load: GeneratedLoad): Generator<string> {
  if (load.agents) yield* agentLines(load);
  else yield* rowLines(load);
}

function* rowLines(load: GeneratedLoad): Generator<string> {
  const random = splitmix32(7), { prefixes = 200, pauseMs = 0, turns = 0, delayMs = 0 } = load;
  const between = ([from, to]: readonly [number, number]) => from + Math.floor(random() * (to - from + 1));
  let atMs = 0, fresh = prefixes;
  for (let i = 0; i < load.requests; i++) {
    atMs += -Math.log(1 - random()) * load.everyMs + (i === load.requests >> 1 ? pauseMs : 0);
    const input_length = between(load.input), output_length = between(load.output);
    const hash_ids = [Math.floor(random() * prefixes)];
    for (let k = Math.ceil(input_length / 512); k > 1; k--) hash_ids.push(fresh++);
    const turn = turns > 0 ? i % turns : 0;
    const row = {
      ...(turn > 0 ? { delay: delayMs } : { timestamp: Math.floor(atMs) }),
      ...(turns > 0 ? { session_id: `s${Math.floor(i / turns)}` } : {}),
      input_length,
      output_length,
      hash_ids,
      ...(load.named ? { output_token_ids: Array.from({ length: output_length }, (_, k) => 1_000_000 + i + k) } : {}),
    };
    yield `${JSON.stringify(row)}\n`;
  }
}

function* agentLines(load: GeneratedLoad): Generator<string> {
  const random = splitmix32(7), { prefixes = 200, turns = 5, delayMs = 0 } = load;
  const between = ([from, to]: readonly [number, number]) => from + Math.floor(random() * (to - from + 1));
  const source = { format: "bench", digest: "0" };
  yield `${
    JSON.stringify({ schema: "dynamo.agentic_mooncake", version: 2, block_size: 512, hash_id_scope: "local", source })
  }\n`;
  let atMs = 0, fresh = prefixes;
  for (let i = 0; i < load.requests; i++) {
    const turn = i % turns, play = Math.floor(i / turns), id = (turn: number) => `${play}.${turn}`;
    atMs += -Math.log(1 - random()) * load.everyMs;
    const input_length = between(load.input), output_length = between(load.output);
    const hash_ids = [Math.floor(random() * prefixes)];
    for (let k = Math.ceil(input_length / 512); k > 1; k--) hash_ids.push(fresh++);
    const after = (turn: number, relation: string, delay_ms: number, trigger = "completion") => ({
      request_id: id(turn),
      trigger,
      delay_ms,
      relation,
    });
    // The third request is the helper's, the others follow each other.
    const dependencies = turn === 0
      ? []
      : turn === 2
      ? [after(1, "spawn", 0, "dispatch")]
      : [after(turn === 3 ? 1 : turn - 1, "sequence", delayMs)];
    if (turn === turns - 1 && turn > 2) dependencies.push(after(2, "join", 0));
    const row = {
      request_id: id(turn),
      play_id: `p${play}`,
      session_id: turn === 2 ? `h${play}` : `s${play}`,
      model: "bench",
      input_length,
      output_length,
      hash_ids,
      not_before_ms: turn === 0 ? Math.floor(atMs) : 0,
      dependencies,
    };
    yield `${JSON.stringify(row)}\n`;
  }
}
