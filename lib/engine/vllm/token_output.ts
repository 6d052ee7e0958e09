/**
 * The tokens of a vLLM rank's pass: everybody whose known tokens are all computed emits one. Whoever goes on is steady
 * from then on.
 *
 * @module
 */
import type { PassClock } from "../pass_clock.ts";
import type { RankSettings } from "../settings.ts";
import { IntList } from "../../collections/int_list.ts";
import type { PassBatch } from "./pass_batch.ts";
import { type PassResults, Signal } from "./pass_results.ts";
import type { Preemption } from "./preemption.ts";
import type { Requests } from "./requests.ts";

/** What the output of a pass is made from. */
export interface OutputParts {
  requests: Requests;
  batch: PassBatch;
  results: PassResults;
  preemption: Preemption;
  clock: PassClock;
  role: RankSettings["role"];
}

/** Output of one rank, token by token. */
export class TokenOutput {
  readonly #parts: OutputParts;
  readonly #ready = new IntList();

  constructor(parts: OutputParts) {
    this.#parts = parts;
  }

  /** Decides what pass `pass`, which has been formed, emits; returns when it ends. */
  emit(pass: number): number {
    const { requests, batch, results, preemption, clock, role } = this.#parts;
    const { running, steady, slots, stream } = requests, ready = this.#ready, steadyCount = steady.count;
    let decodes = steadyCount, context = steady.tokens, squares = steady.tokensSquared;
    ready.clear();
    for (let i = steadyCount; i < running.count;) {
      const slot = running.slots[i], length = slots.length[slot];
      if (slots.computed[slot] < length) {
        if (stream.running(slot)) stream.pause(slot);
        i++;
        continue;
      }
      if (length >= slots.stop[slot]) {
        results.done(i);
        preemption.progressed();
        continue;
      }
      ready.add(slot);
      const isPrompt = slots.passOf[slot] === pass && slots.passPrompt[slot] > 0;
      if (!isPrompt) batch.forwards++;
      if (role !== "aggregated" || !isPrompt || length !== slots.prompt[slot]) {
        decodes++;
        context += length;
        squares += length * length;
      }
      i++;
    }
    batch.forwards = role === "prefill" ? 0 : batch.forwards + steadyCount;
    batch.accepted = batch.forwards;
    const { startMs, prefills, reachedTokens, priorTokens } = batch;
    if (role === "prefill") decodes = 0;
    const end = clock.endMs(startMs, prefills, reachedTokens, priorTokens, decodes, context, squares);
    this.#endSteady(pass);
    steady.advance(1);
    this.#emitReady(pass);
    if (steadyCount + ready.count > 0) preemption.progressed();
    return end;
  }

  /** Steady requests that emit their last token. */
  #endSteady(pass: number): void {
    const { requests: { running, steady, slots }, results } = this.#parts;
    for (let slot = steady.popEnding(pass); slot >= 0; slot = steady.popEnding(pass)) {
      slots.steady[slot] = 0;
      slots.computed[slot] = slots.allocated[slot] = slots.stop[slot] - 1;
      slots.length[slot] = slots.stop[slot];
      results.last(running.indexOf(slot));
    }
  }

  /** The others that emit. */
  #emitReady(pass: number): void {
    const { requests: { running, steady, slots, stream }, results } = this.#parts, ready = this.#ready;
    for (let i = 0; i < ready.count; i++) {
      const slot = ready.slots[i], length = ++slots.length[slot];
      if (length >= slots.stop[slot]) {
        results.last(running.indexOf(slot));
        continue;
      }
      slots.steady[slot] = 1;
      steady.add(slot, length, slots.stop[slot], slots.order[slot], pass + 1);
      if (!stream.running(slot)) results.signals.add(slot, Signal.token);
    }
  }
}
