/**
 * Blocks of generated requests that share nothing: only their number counts, so they are few.
 *
 * @module
 */

/** Tokens of such a block. */
export const PLAIN_BLOCK_TOKENS = 512;
