/**
 * What is left of passes of one shape: deviations over several sizes at once, in cells of coarse and of ever finer steps.
 * A pass adds up the deviations of all cells that it is in, so that a load that was seen often is known by itself and a
 * load that was seen never still by those around it.
 *
 * @module
 */
import type { CellAxis, CorrectionCells } from "./profile.ts";

/** Bits of the places in a cell's number: prompt tokens, tokens known before, decoding sequences, prompts. */
const TOKEN_BITS = 8, PRIOR_BITS = 6, OTHER_BITS = 7;
/** Doublings of the tokens known before that count as one of the other sizes. */
const PRIOR_DOUBLINGS = 4;

/** A place that fits into its bits. */
const held = (place: number, bits: number): number => Math.min(Math.max(Math.round(place), 0), (1 << bits) - 1);

const priorPlace = (prior: number, step: number) => held(Math.log2(1 + prior) / PRIOR_DOUBLINGS / step, PRIOR_BITS);
const promptPlace = (prompts: number, step: number) => held(Math.log2(prompts) / step, OTHER_BITS);

const numberOf = (tokens: number, prior: number, decodes: number, prompts: number) =>
  ((tokens << PRIOR_BITS | prior) << OTHER_BITS | decodes) << OTHER_BITS | prompts;

/** Sizes of a pass in places of one step: of its prompt tokens, and of each size that cells are over. */
export function cellPlaces(
  over: readonly CellAxis[],
  step: number,
  { tokens, prior, decodes, prompts }: { tokens: number; prior: number; decodes: number; prompts: number },
): number[] {
  const place = {
    prior_tokens: priorPlace(prior, step),
    decode_requests: held(Math.log2(decodes) / step, OTHER_BITS),
    prompts: promptPlace(prompts, step),
  };
  return [held(Math.log2(tokens) / step, TOKEN_BITS), ...over.map((axis) => place[axis])];
}

/** Cells of a profile, ready to be asked. */
export class NestedCells {
  readonly #steps: readonly number[];
  readonly #deviations: readonly Map<number, number>[];
  readonly #prior: boolean;
  readonly #decodes: boolean;
  readonly #prompts: boolean;

  constructor({ over, steps }: CorrectionCells) {
    this.#prior = over.includes("prior_tokens");
    this.#decodes = over.includes("decode_requests");
    this.#prompts = over.includes("prompts");
    this.#steps = steps.map(({ step }) => step);
    this.#deviations = steps.map(({ cells }) =>
      new Map(cells.map((cell) => {
        const of = (axis: CellAxis) => over.includes(axis) ? cell[1 + over.indexOf(axis)] : 0;
        const places = [of("prior_tokens"), of("decode_requests"), of("prompts")] as const;
        return [numberOf(cell[0], ...places), cell[cell.length - 1]];
      }))
    );
  }

  /** Factor on a pass of these sizes; `tokens` and `decodes` are their logarithms. */
  factor(tokens: number, priorTokens: number, decodes: number, prompts: number): number {
    let factor = 1;
    for (let i = 0; i < this.#steps.length; i++) {
      const step = this.#steps[i];
      factor += this.#deviations[i].get(numberOf(
        held(tokens / step, TOKEN_BITS),
        this.#prior ? priorPlace(priorTokens, step) : 0,
        this.#decodes ? held(decodes / step, OTHER_BITS) : 0,
        this.#prompts ? promptPlace(prompts, step) : 0,
      )) ?? 0;
    }
    return factor;
  }
}
