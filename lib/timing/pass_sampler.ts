/**
 * Which passes took a run's time: a few of them, each standing for an equal part of the time of all.
 *
 * @module
 */
import type { Timing } from "./timing.ts";

/** Most samples that are kept. */
const MOST = 32;

/** A pass that was asked for, and which share of the time of all passes it stands for. */
export interface TimedPass {
  readonly share: number;
  readonly prompts: number;
  /** Prompt tokens computed, of all prompts. */
  readonly newTokens: number;
  /** Their tokens known before, of all prompts. */
  readonly priorTokens: number;
  readonly decodes: number;
  /** Tokens that the sequences know, of all of them. */
  readonly contextTokens: number;
}

/** Fields of a kept pass: when it began and how long it lasted (in time of passes), and its sums. */
const FIELDS = 7;

/**
 * A timing model that answers as another one and keeps the passes during which the sum of all durations crosses a
 * multiple of a step; the step doubles whenever too many are kept. An addition and a comparison a pass.
 */
export class PassSampler implements Timing {
  readonly #base: Timing;
  readonly ranks: Timing["ranks"];
  readonly mixedMs: Timing["mixedMs"];
  readonly inOrder = true;
  #sumMs = 0;
  #stepMs = 1;
  #nextMs = 1;
  readonly #kept = new Float64Array(MOST * FIELDS);
  #count = 0;

  constructor(base: Timing) {
    this.#base = base;
    this.ranks = base.ranks;
    if (base.mixedMs !== undefined) this.mixedMs = this.#mixedMs;
  }

  prefillMs(requests: number, newTokens: number, prefixTokens: number): number {
    const ms = this.#base.prefillMs(requests, newTokens, prefixTokens);
    if (!(this.#sumMs + ms < this.#nextMs)) {
      this.#keep(ms, requests, requests * newTokens, requests * prefixTokens, 0, 0);
    }
    this.#sumMs += ms;
    return ms;
  }

  decodeMs(requests: number, contextTokens: number, capacityTokens: number, squaredTokens = 0): number {
    const ms = this.#base.decodeMs(requests, contextTokens, capacityTokens, squaredTokens);
    if (!(this.#sumMs + ms < this.#nextMs)) this.#keep(ms, 0, 0, 0, requests, contextTokens);
    this.#sumMs += ms;
    return ms;
  }

  #mixedMs(prompts: number, newTokens: number, priorTokens: number, decodes: number, contextTokens: number): number {
    const ms = this.#base.mixedMs!(prompts, newTokens, priorTokens, decodes, contextTokens);
    if (!(this.#sumMs + ms < this.#nextMs)) this.#keep(ms, prompts, newTokens, priorTokens, decodes, contextTokens);
    this.#sumMs += ms;
    return ms;
  }

  /** The passes that were kept. Their shares add up to 1, unless nothing was. */
  passes(): TimedPass[] {
    const kept = this.#kept, crossings: number[] = [];
    for (let i = 0; i < this.#count; i++) crossings.push(this.#crossings(i));
    const all = crossings.reduce((sum, count) => sum + count, 0);
    return crossings.map((count, i) => {
      const [, , prompts, newTokens, priorTokens, decodes, contextTokens] = kept.subarray(i * FIELDS, (i + 1) * FIELDS);
      return { share: count / all, prompts, newTokens, priorTokens, decodes, contextTokens };
    });
  }

  #keep(ms: number, ...sums: readonly [number, number, number, number, number]): void {
    if (!Number.isFinite(ms)) return; // whoever asked ends the run
    if (this.#count === MOST) this.#halve();
    const end = this.#sumMs + ms;
    if (end < this.#nextMs) return;
    this.#kept.set([this.#sumMs, ms, ...sums], this.#count++ * FIELDS);
    this.#nextMs = (Math.floor(end / this.#stepMs) + 1) * this.#stepMs;
  }

  /** Doubles the step, until half of the room is free at least. */
  #halve(): void {
    while (this.#count > MOST / 2) {
      this.#stepMs *= 2;
      let kept = 0;
      for (let i = 0; i < this.#count; i++) {
        if (this.#crossings(i) > 0) this.#kept.copyWithin(kept++ * FIELDS, i * FIELDS, (i + 1) * FIELDS);
      }
      this.#count = kept;
    }
    this.#nextMs = (Math.floor(this.#sumMs / this.#stepMs) + 1) * this.#stepMs;
  }

  /** Multiples of the step that a kept pass crosses. */
  #crossings(i: number): number {
    const from = this.#kept[i * FIELDS], to = from + this.#kept[i * FIELDS + 1];
    return Math.floor(to / this.#stepMs) - Math.floor(from / this.#stepMs);
  }
}
