/**
 * Order of texts by their UTF-8 bytes.
 *
 * @module
 */

/** Compares two texts by code points, which is the order of their UTF-8 bytes. */
export function byteOrder(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i), y = b.charCodeAt(i);
    if (x !== y) return height(x) - height(y);
  }
  return a.length - b.length;
}

/** Halves of characters beyond U+FFFF stand below U+E000 but mean more. */
function height(code: number): number {
  return code >= 0xd800 && code < 0xe000 ? code + 0x10000 : code;
}
