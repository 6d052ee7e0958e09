/**
 * Names of the ways in which operators are estimated.
 *
 * @module
 */
import { ConfigError, nearName } from "../../errors.ts";

/**
 * `SILICON`: measurements and what lies between them; anything else is an error. `HYBRID`: the same, and where that
 * fails the empirical estimate. `EMPIRICAL`: every operator's bound, divided by how close to it the two most similar
 * measurements of the same shape came. `SOL`: the bounds alone.
 */
export const DATABASE_MODES = ["SILICON", "HYBRID", "EMPIRICAL", "SOL"] as const;

/** One of {@linkcode DATABASE_MODES}. */
export type DatabaseMode = typeof DATABASE_MODES[number];

/**
 * The mode of that name, in any case; `SILICON` when none is given.
 *
 * @throws {ConfigError} when there is no such mode.
 */
export function databaseMode(name: string | null = null): DatabaseMode {
  const wanted = (name ?? "SILICON").toUpperCase();
  const found = DATABASE_MODES.find((mode) => mode === wanted);
  if (found !== undefined) return found;
  const near = nearName(wanted, DATABASE_MODES);
  throw new ConfigError(
    `unknown database mode '${name}'${near ? `, did you mean '${near}'?` : ""} (known: ${DATABASE_MODES.join(", ")})`,
  );
}
