/**
 * What is wrong with a value that a schema refused, in words for whoever wrote the file.
 *
 * @module
 */
import * as v from "valibot";

/** `a.b.0: is missing`, or what was expected there and what was found. */
export function issueText(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue);
  // A field that is not there; the schema's own words would speak of `undefined`.
  const text = issue.received === "undefined" ? "is missing" : issue.message;
  return path === null ? text : `${path}: ${text}`;
}
