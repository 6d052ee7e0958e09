import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sha256, sha256OfText } from "../../lib/io/digest.ts";
import { textSha256 } from "../../lib/io/text_digest.ts";

test("textSha256 is the runtime's SHA-256, whatever the text", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
    assert.equal(textSha256(text), sha256(text));
  }));
});

test("sha256OfText is the runtime's SHA-256, whatever the text", async () => {
  await fc.assert(fc.asyncProperty(fc.string({ unit: "binary", maxLength: 300 }), async (text) => {
    assert.equal(await sha256OfText(text), sha256(text));
  }));
});
