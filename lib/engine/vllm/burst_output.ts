/**
 * The tokens of a vLLM rank's pass under multi-token prediction: everybody whose known tokens are all computed emits as
 * many as are accepted. Room for the longest bursts is reserved for all of them before anything is drawn. A pass that
 * finishes a prompt has no drafts of it to verify on vLLM: it emits one token and takes the time of the prompt alone
 * (newest release of the reference; 1.6.1 let it verify drafts, as TensorRT-LLM's ranks still do). Later passes verify
 * the drafts that the scheduler had budget and context for.
 *
 * @module
 */
import type { Acceptance } from "../acceptance.ts";
import { IntList } from "../../collections/int_list.ts";
import { Signal } from "./pass_results.ts";
import type { OutputParts } from "./token_output.ts";

/** Output of one rank, burst by burst. */
export class BurstOutput {
  readonly #parts: OutputParts;
  readonly #acceptance: Acceptance;
  /** Prefill ranks emit one token, which no prediction precedes. */
  readonly #single: boolean;
  readonly #ready = new IntList();
  /** Drafts were scheduled with the pass (vLLM); on TensorRT-LLM every pass verifies all. */
  readonly #scheduled: boolean;

  constructor(parts: OutputParts, acceptance: Acceptance) {
    this.#parts = parts;
    this.#acceptance = acceptance;
    this.#single = parts.role === "prefill";
    this.#scheduled = parts.requests.tables.promises === null;
  }

  /** Decides what pass `pass`, which has been formed, emits; returns when it ends. */
  emit(pass: number): number {
    const { requests: { tables, running, slots }, batch, results, preemption, clock } = this.#parts;
    for (let i = 0; i < running.count;) {
      const slot = running.slots[i];
      if (slots.computed[slot] >= slots.length[slot] && slots.length[slot] >= slots.stop[slot]) results.done(i);
      else i++;
    }
    const reserved = this.#reserve(pass), ready = this.#ready;
    let decodes = 0, context = 0, squares = 0;
    for (let i = 0; i < ready.count; i++) {
      if (this.#opens(ready.slots[i], pass)) continue;
      const length = slots.length[ready.slots[i]];
      decodes++;
      context += length;
      squares += length * length;
    }
    const { startMs, prefills, reachedTokens, priorTokens } = batch;
    if (this.#single) decodes = 0;
    const end = clock.endMs(startMs, prefills, reachedTokens, priorTokens, decodes, context, squares);
    this.#pauseOthers();
    if (ready.count === 0) return end;
    preemption.progressed();
    let used = 0;
    for (let i = 0; i < ready.count; i++) used += this.#emitBurst(ready.slots[i], pass);
    tables.putBack(reserved - used);
    return end;
  }

  /** Whether pass `pass` finishes the prompt of a slot that has no output yet, on vLLM. */
  #opens(slot: number, pass: number): boolean {
    const { slots } = this.#parts.requests;
    return this.#scheduled && slots.passOf[slot] === pass && slots.passPrompt[slot] > 0 &&
      slots.length[slot] === slots.prompt[slot];
  }

  /** Drafts of a slot that this pass verifies. */
  #drafts(slot: number, pass: number): number {
    if (this.#single || this.#opens(slot, pass)) return 0;
    return this.#scheduled ? this.#parts.requests.slots.drafts[slot] : this.#acceptance.limit - 1;
  }

  /** Finds who emits and takes blocks for the longest bursts of all of them; returns how many. */
  #reserve(pass: number): number {
    const { requests: { tables, running, slots }, preemption } = this.#parts, ready = this.#ready;
    for (;;) {
      let blocks = 0;
      ready.clear();
      for (let i = 0; i < running.count; i++) {
        const slot = running.slots[i], length = slots.length[slot];
        if (slots.computed[slot] < length) continue;
        ready.add(slot);
        const most = this.#drafts(slot, pass) + 1;
        blocks += tables.blocks(length + Math.min(most, slots.stop[slot] - length)) - tables.blocks(length);
      }
      if (ready.count === 0) return 0;
      if (blocks <= tables.pool.available) {
        tables.take(blocks);
        return blocks;
      }
      preemption.preempt();
    }
  }

  /** Running requests that emit nothing. */
  #pauseOthers(): void {
    const { requests: { running, slots, stream } } = this.#parts;
    for (let i = 0; i < running.count; i++) {
      const slot = running.slots[i];
      if (slots.computed[slot] < slots.length[slot] && stream.running(slot)) stream.pause(slot);
    }
  }

  /** Draws a slot's burst and appends it; returns the reserved blocks it needed. */
  #emitBurst(slot: number, pass: number): number {
    const { requests: { tables, running, slots }, batch, results } = this.#parts;
    const accepted = this.#acceptance.draw(this.#drafts(slot, pass));
    const length = slots.length[slot], after = length + Math.min(accepted, slots.stop[slot] - length);
    if (!this.#single && !(slots.passOf[slot] === pass && slots.passPrompt[slot] > 0)) {
      batch.forwards++;
      batch.accepted += accepted;
    }
    // What the pass itself computed is complete already; the last token of the burst has no KV yet.
    tables.complete(slot, slots.computed[slot], after - 1);
    const blocks = after > slots.allocated[slot] ? tables.blocks(after) - tables.blocks(slots.allocated[slot]) : 0;
    slots.allocated[slot] = Math.max(slots.allocated[slot], after);
    slots.length[slot] = after;
    slots.computed[slot] = after - 1;
    slots.again[slot] = 0;
    if (after >= slots.stop[slot]) results.last(running.indexOf(slot), after - length);
    else results.signals.add(slot, Signal.token, after - length);
    return blocks;
  }
}
