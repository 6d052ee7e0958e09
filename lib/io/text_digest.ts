/**
 * Digests of short texts, by a package that needs nothing of the runtime: on Deno the first call of `node:crypto` loads
 * most of Node's interface, which takes longer than a Planner's run of some minutes. Files are digested by `digest.ts`,
 * and so are texts whose digest may come later.
 *
 * @module
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/**
 * SHA-256 of a text's UTF-8 bytes, in hexadecimal.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { textSha256 } from "./text_digest.ts";
 *
 * assert.match(textSha256("abc"), /^ba7816bf8f01cfea/);
 * ```
 */
export const textSha256 = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));
