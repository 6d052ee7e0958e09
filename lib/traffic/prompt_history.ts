/**
 * Prompts that grow with the conversation: everything a session said and got so far, then the turn's own tokens.
 *
 * @module
 */
import { reaching } from "../collections/growing.ts";
import type { PromptRuns, Workload } from "./workload.ts";

interface History {
  tokens: Uint32Array;
  lengths: Int32Array;
  runs: number;
  total: number;
}

/** The histories of the sessions that are under way. */
export class PromptHistory {
  readonly #workload: Workload;
  readonly #sessions = new Map<number, History>();

  /** @param workload in which the outputs of all turns but the last are known by their tokens */
  constructor(workload: Workload) {
    this.#workload = workload;
  }

  /** The turn was admitted: its own tokens now belong to the session. */
  admitted(session: number, request: number): void {
    let history = this.#sessions.get(session);
    if (history === undefined) {
      history = { tokens: new Uint32Array(16), lengths: new Int32Array(16), runs: 0, total: 0 };
      this.#sessions.set(session, history);
    }
    const { blockStart, blockIds, blockTokens, inputTokens } = this.#workload;
    let left = inputTokens[request];
    for (let at = blockStart[request]; at < blockStart[request + 1]; at++, left -= blockTokens) {
      append(history, blockIds[at], Math.min(left, blockTokens));
    }
  }

  /** The turn ended: the tokens it really emitted belong to the session. */
  ended(session: number, request: number, emitted: number): void {
    const history = this.#sessions.get(session)!, tokens = this.#workload.outputTokenIds.get(request)!;
    for (let i = 0; i < emitted; i++) append(history, tokens[i], 1);
  }

  /** The session is over. */
  closed(session: number): void {
    this.#sessions.delete(session);
  }

  /** The whole prompt of the turn admitted last in this session. */
  prompt(session: number, _request: number): PromptRuns {
    const history = this.#sessions.get(session)!;
    return {
      tokens: history.tokens.slice(0, history.runs),
      lengths: history.lengths.slice(0, history.runs),
      inputTokens: history.total,
    };
  }
}

function append(history: History, token: number, length: number): void {
  history.total += length;
  if (history.runs > 0 && history.tokens[history.runs - 1] === token) {
    history.lengths[history.runs - 1] += length;
    return;
  }
  if (history.runs === history.tokens.length) {
    history.tokens = reaching(history.tokens, history.runs);
    history.lengths = reaching(history.lengths, history.runs);
  }
  history.tokens[history.runs] = token;
  history.lengths[history.runs++] = length;
}
