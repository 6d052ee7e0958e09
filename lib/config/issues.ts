/**
 * From what a schema found to what a person reads: the reference's location and message, then where it was written, the
 * line with a pointer under it, and what may have been meant.
 *
 * @module
 */
import type { GenericIssue } from "valibot";
import { ConfigError, type ConfigIssue } from "../errors.ts";
import { type ConfigDocument, excerptText, type Written } from "./document.ts";
import { HINT, INSIDE, LABEL } from "./schema_parts.ts";
import { dialectHint } from "./yaml_dialects.ts";

/** An issue and the text it was found in. */
export interface PlacedIssue extends ConfigIssue {
  /** The path as the reference writes it; empty for rules of the whole document. */
  location: string;
  excerpt?: Written["excerpt"];
}

/** Places one issue. `location` is the reference's path, `path` the keys in the document. */
export function placed(
  document: ConfigDocument,
  location: string,
  path: readonly string[],
  message: string,
  hint?: string,
): PlacedIssue {
  const aboutKey = message.startsWith("Extra inputs") || message.startsWith("Value error");
  const { scalar, ...place } = document.locate(path, aboutKey);
  const hints = [hint, scalar === undefined ? undefined : dialectHint(scalar)].filter((text) => text !== undefined);
  return {
    path: location || path.join("."),
    location,
    message,
    ...place,
    ...(hints.length > 0 ? { hint: hints.join("; ") } : {}),
  };
}

/** Places the issues of a schema that read the document's `section`. */
export function placedIssues(
  document: ConfigDocument,
  section: string,
  issues: readonly GenericIssue[],
): PlacedIssue[] {
  return issues.map(({ message, expected, path = [] }) => {
    const items = path as { type: string; key?: unknown }[];
    const namesBut = (type: string) => items.filter((item) => item.type !== type).map(({ key }) => String(key));
    const location = [section, ...namesBut(INSIDE)].join(".");
    const keys = [...section.split("."), ...namesBut(LABEL)];
    const hint = expected?.startsWith(HINT) ? expected.slice(HINT.length) : undefined;
    return placed(document, location, keys, message, hint);
  });
}

/**
 * An error that came up while a plan was carried out, with the places of its issues in the document. Paths that the
 * document does not have are looked for in its engine section, whose fields parts of the simulation name without it.
 */
export function placedError(document: ConfigDocument, error: ConfigError): ConfigError {
  if (error.issues.length === 0) return new ConfigError(`${document.name}: ${error.message}`, [], { cause: error });
  const issues = error.issues.map(({ path, message, hint, file }) => {
    if (path === "" || file !== undefined) return { path, location: path, message, hint, file };
    const keys = path.split(".");
    return placed(document, "", Object.hasOwn(document.value, keys[0]) ? keys : ["engine", ...keys], message, hint);
  });
  return configError(document.name, issues);
}

/** Issues of one document that are told in full. */
const MOST_TOLD = 20;

/** One error for all issues of a document; of very many the first are told, and how many more there are. */
export function configError(name: string, issues: readonly PlacedIssue[]): ConfigError {
  const clean = issues.map(({ excerpt: _excerpt, location: _location, ...issue }) => issue);
  if (issues.length === 1 && issues[0].location === "") {
    return new ConfigError(`${name}: ${block(issues[0]).trimStart()}`, clean);
  }
  const count = `${issues.length} validation error${issues.length === 1 ? "" : "s"}`;
  const rest = issues.length - MOST_TOLD;
  const more = rest > 0 ? [`… and ${rest} more`] : [];
  return new ConfigError([`${name}: ${count}`, ...issues.slice(0, MOST_TOLD).map(block), ...more].join("\n"), clean);
}

function block({ location, message, file, line, column, hint, excerpt }: PlacedIssue): string {
  const place = file === undefined
    ? undefined
    : `at ${[file, line, column].filter((part) => part !== undefined).join(":")}`;
  const third = [place, hint].filter((part) => part !== undefined).join("; ");
  return [
    ...(location === "" ? [] : [location]),
    `  ${message}`,
    ...(third === "" ? [] : [`  ${third}`]),
    ...(excerpt === undefined ? [] : [excerptText(excerpt, line!).replace(/^/gm, "  ")]),
  ].join("\n");
}
