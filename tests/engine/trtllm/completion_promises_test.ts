import assert from "node:assert/strict";
import { test } from "node:test";
import { CompletionPromises } from "../../../lib/engine/trtllm/completion_promises.ts";

test("CompletionPromises limits output to what the model, then the pool can take", () => {
  const promises = new CompletionPromises({ blocks: 8, blockTokens: 4, maxModelTokens: 28 });
  assert.equal(promises.outputLimit(10, 5), 5);
  assert.equal(promises.outputLimit(10, 100), 18);
  assert.equal(promises.outputLimit(30, 100), 0);
  const unlimited = new CompletionPromises({ blocks: 8, blockTokens: 4, maxModelTokens: Infinity });
  assert.equal(unlimited.outputLimit(10, 100), 22);
  assert.equal(unlimited.outputLimit(40, 100), 100, "left to the admission to reject");
  assert.equal(unlimited.possible(32), true);
  assert.equal(unlimited.possible(33), false);
});

test("CompletionPromises counts what is owed against what is free", () => {
  const promises = new CompletionPromises({ blocks: 10, blockTokens: 4, maxModelTokens: Infinity });
  assert.equal(promises.fits(40, 0, 10), true);
  promises.give(24, 2);
  assert.equal(promises.outstanding, 4);
  assert.equal(promises.fits(16, 0, 8), true);
  assert.equal(promises.fits(17, 0, 8), false);
  assert.equal(promises.fits(17, 1, 8), true, "blocks in use already are not needed again");
  promises.redeem(3);
  assert.equal(promises.fits(17, 0, 5), false);
  promises.takeBack(24, 5);
  assert.equal(promises.outstanding, 0);
});
