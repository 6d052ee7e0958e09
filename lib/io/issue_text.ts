/**
 * What is wrong with a value that a schema refused, in words for whoever wrote the file.
 *
 * @module
 */
import * as v from "valibot";

/** Longest text about a value: it quotes what was found, which may be of any length. */
const MOST_TEXT = 1000;

/** `a.b.0: is missing`, or what was expected there and what was found. */
export function issueText(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue);
  // A field that is not there; the schema's own words would speak of `undefined`.
  const whole = issue.received === "undefined" ? "is missing" : issue.message;
  const text = whole.length > MOST_TEXT ? `${whole.slice(0, MOST_TEXT - 1)}…` : whole;
  return path === null ? text : `${path}: ${text}`;
}
