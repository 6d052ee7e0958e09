/**
 * Digests of texts and bytes.
 *
 * @module
 */
import { createHash } from "node:crypto";

/** SHA-256 of a text's UTF-8 bytes, or of bytes, in hexadecimal. */
export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** SHA-256 of bytes that come in pieces, in hexadecimal. */
export async function sha256Of(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
}
