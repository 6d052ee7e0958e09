/**
 * A decode pass of an SGLang rank: every running request gets its next token, after the one with least output was
 * retracted as often as pages are short.
 *
 * @module
 */
import type { Acceptance } from "../acceptance.ts";
import type { PassClock } from "../pass_clock.ts";
import type { NewTokenRatio } from "./new_token_ratio.ts";
import { type PassResults, Signal } from "./pass_results.ts";
import type { Requests } from "./requests.ts";

const NOBODY: readonly number[] = [];

/** What a decode pass works on. */
export interface DecodeParts {
  requests: Requests;
  ratio: NewTokenRatio;
  clock: PassClock;
  results: PassResults;
  /** Draws how many tokens a request gets; null where it is always one. */
  acceptance: Acceptance | null;
}

/** Decode passes of one rank. */
export class DecodePass {
  /** The pass yields tokens. */
  emits = false;
  /** It cannot: one request is left, and lacks pages. */
  stuck = false;
  /** Requests that get tokens, and tokens accepted for them. */
  forwards = 0;
  accepted = 0;
  /** Requests that were sent back, in order. */
  retracted: readonly number[] = NOBODY;
  readonly #parts: DecodeParts;
  /** Tokens a request can get at most. */
  readonly #burst: number;
  #leaving = new Int32Array(64);

  constructor(parts: DecodeParts) {
    this.#parts = parts;
    this.#burst = parts.acceptance?.limit ?? 1;
  }

  clear(): void {
    this.emits = this.stuck = false;
    this.forwards = this.accepted = 0;
    this.retracted = NOBODY;
  }

  /** Requests without any output to emit are over. */
  endSpent(): void {
    const { requests: { running }, results } = this.#parts;
    if (running.spent === 0) return;
    const spent = running.takeComplete(this.#room());
    for (let i = 0; i < spent; i++) results.end(this.#leaving[i], Signal.done);
  }

  /** Decides the pass that starts at `nowMs` and returns its end. */
  run(nowMs: number): number {
    const { requests: { running, pages }, clock } = this.#parts;
    if (running.count === 0) return nowMs;
    let growth = running.growth(this.#burst);
    while (growth > pages.tree.obtainable && running.count > 1) {
      this.#retract();
      growth = running.growth(this.#burst);
    }
    if (this.retracted.length > 0) this.#learn();
    if (!pages.takeGrowth(growth)) {
      this.stuck = true;
      return nowMs;
    }
    const end = nowMs + clock.decodeMs(running.count, running.tokens, running.tokensSquared);
    this.emits = true;
    this.forwards = running.count;
    if (this.#burst === 1) this.#step();
    else this.#stepBursts(growth);
    return end;
  }

  /** The running request at `index` leaves before its end; its pages are the caller's to give up. */
  leave(index: number): number {
    const { requests: { running, pages, stream }, results } = this.#parts, slot = running.list[index];
    pages.endTail(slot);
    running.leave(index);
    stream.pause(slot);
    results.forgetLate(slot);
    return slot;
  }

  /** One token for everybody. */
  #step(): void {
    const { requests: { running, pages, slots: { order } }, results } = this.#parts, late = results.late;
    this.accepted = running.count;
    const leaving = this.#room(), count = running.step(leaving);
    if (running.steps >= pages.nextInsertion) pages.insertLoose();
    // Told in list order: who ends, and who emits for the first time.
    let next = 0;
    for (let i = 0; i < count; i++) {
      for (; next < late.length && order[late[next]] <= order[leaving[i]]; next++) {
        if (late[next] !== leaving[i]) results.signals.add(late[next], Signal.token);
      }
      results.end(leaving[i], Signal.last);
    }
    for (; next < late.length; next++) results.signals.add(late[next], Signal.token);
    late.length = 0;
  }

  /** As many tokens for each as are drawn. */
  #stepBursts(reserved: number): void {
    const { requests: { running, pages, slots: { length, stop } }, results, acceptance } = this.#parts;
    let unused = reserved;
    running.steps++;
    for (let i = 0; i < running.count; i++) {
      const slot = running.list[i], before = pages.pages(length[slot]);
      const drawn = acceptance!.draw(), emitted = Math.min(drawn, stop[slot] - length[slot]);
      this.accepted += drawn;
      for (let token = 0; token < emitted; token++) {
        length[slot]++;
        if (length[slot] < stop[slot]) pages.filled(slot);
      }
      unused -= pages.pages(length[slot]) - before;
      if (length[slot] < stop[slot]) results.signals.add(slot, Signal.token, emitted);
      else results.end(slot, Signal.last, emitted);
    }
    running.takeComplete(this.#room());
    pages.tree.available += unused;
    results.late.length = 0;
  }

  /** Sends the running request with least output back to the queue. */
  #retract(): void {
    const { running, pages, slots } = this.#parts.requests;
    let victim = 0, least = Infinity;
    for (let i = 0; i < running.count; i++) {
      const generated = running.length(running.list[i]) - slots.prompt[running.list[i]];
      if (generated >= least) continue;
      least = generated;
      victim = i;
    }
    const slot = this.leave(victim);
    pages.drop(slot, slots.length[slot]);
    this.retracted = [...this.retracted, slot];
  }

  /** A retraction tells how much output requests really have. */
  #learn(): void {
    const { requests: { running, slots: { prompt, stop } }, ratio } = this.#parts;
    let generated = 0, most = 0;
    for (let i = 0; i < running.count; i++) {
      const slot = running.list[i];
      generated += running.length(slot) - prompt[slot];
      most += stop[slot] - prompt[slot];
    }
    ratio.retracted(running.count, generated, most);
  }

  /** Room for all running requests. */
  #room(): Int32Array {
    if (this.#leaving.length < this.#parts.requests.running.list.length) {
      this.#leaving = new Int32Array(this.#parts.requests.running.list.length);
    }
    return this.#leaving;
  }
}
