import assert from "node:assert/strict";
import { test } from "node:test";
import { roundHalfEven } from "../../lib/arithmetic/rounding.ts";

test("roundHalfEven rounds halves to the even neighbour", () => {
  assert.deepEqual([0.5, 1.5, 2.5, 2.4, 2.6, 3].map(roundHalfEven), [0, 2, 2, 2, 3, 3]);
});
