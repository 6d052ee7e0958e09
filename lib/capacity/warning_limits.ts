/**
 * How much is kept of what a replay warned of, where it is made and where it is checked when it comes from elsewhere.
 *
 * @module
 */

/** Warnings of one replay. */
export const MOST_WARNINGS = 100;
/** Characters of one. */
export const MOST_WARNING = 2000;
