/**
 * The predictor `constant`: tomorrow is like today.
 *
 * @module
 */
import type { ForecasterKind } from "./predictor.ts";

/** Always leaves the answer to the last value. */
export const constant: ForecasterKind = {
  minimumPoints: () => 1,
  create: () => ({ add() {}, forecast: () => null }),
};
