/**
 * Rows of forward passes that did nothing.
 *
 * @module
 */
import type { PassRow } from "./policy.ts";

/** A pass of a rank that worked on nothing, while nothing waited. */
export function emptyPassRow(workerId: number, dpRank: number, wallTimeS: number): PassRow {
  return {
    workerId,
    dpRank,
    wallTimeS,
    prefillRequests: 0,
    prefillTokens: 0,
    prefillLengthVariance: 0,
    prefillKvTokens: 0,
    decodeRequests: 0,
    decodeKvTokens: 0,
    decodeKvVariance: 0,
    queuedPrefillRequests: 0,
    queuedPrefillTokens: 0,
    queuedPrefillLengthVariance: 0,
    queuedDecodeRequests: 0,
    queuedDecodeKvTokens: 0,
    queuedDecodeKvVariance: 0,
  };
}
