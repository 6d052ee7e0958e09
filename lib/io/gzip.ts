/**
 * Packs and unpacks bytes at once. zlib is loaded by the first call, because that takes longer than many commands.
 *
 * @module
 */
interface ProcessLike {
  getBuiltinModule(name: string): any;
}

const zlib = () => (globalThis as unknown as { process: ProcessLike }).process.getBuiltinModule("node:zlib");

/** Unpacks one gzip member. */
export const gunzip = (packed: Uint8Array): Uint8Array => zlib().gunzipSync(packed);

/** Packs bytes as one gzip member, as small as it gets. */
export const gzip = (plain: Uint8Array): Uint8Array => zlib().gzipSync(plain, { level: 9 });
