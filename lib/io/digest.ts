/**
 * Digests of texts and bytes.
 *
 * @module
 */

/** The part of a `node:crypto` hash that is used here. */
interface Hash {
  update(data: string | Uint8Array): Hash;
  digest(encoding: "hex"): string;
}

const runtime = globalThis as unknown as { process: { getBuiltinModule(name: string): any } };

/** `node:crypto` (and on Deno `process`) is loaded with the first digest: that costs more than most runs need of it. */
const createHash = (): Hash => runtime.process.getBuiltinModule("node:crypto").createHash("sha256");

/** SHA-256 of a text's UTF-8 bytes, or of bytes, in hexadecimal. */
export function sha256(data: string | Uint8Array): string {
  return createHash().update(data).digest("hex");
}

/** SHA-256 of a text's UTF-8 bytes, in hexadecimal, by what every runtime has at hand; nothing is loaded for it. */
export async function sha256OfText(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** SHA-256 of bytes that come in pieces, in hexadecimal. */
export async function sha256Of(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash();
  for await (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
}

/** SHA-256 of bytes that are handed over one piece after the other. */
export function sha256Stream(): { update(piece: Uint8Array): void; hex(): string } {
  const hash = createHash();
  return { update: (piece) => void hash.update(piece), hex: () => hash.digest("hex") };
}
