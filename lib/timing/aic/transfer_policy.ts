/**
 * What an empirical estimate may borrow where an operator's own shape was not measured.
 *
 * @module
 */
import { ConfigError, nearName } from "../../errors.ts";

/**
 * Kinds of borrowing: from another shape (`xshape`), from a number format of the same size and speed (`xquant`), from
 * any other number format, scaled by how well formats usually do (`xprofile`), from another operator (`xop`; no operator
 * does so).
 */
export const TRANSFER_KINDS = ["xop", "xprofile", "xquant", "xshape"] as const;

/** One of {@linkcode TRANSFER_KINDS}. */
export type TransferKind = typeof TRANSFER_KINDS[number];

const PRESETS: Readonly<Record<string, readonly TransferKind[]>> = {
  off: [],
  conservative: ["xshape"],
  balanced: ["xshape", "xquant"],
  aggressive: TRANSFER_KINDS,
};

/**
 * The kinds that a policy allows: a preset (`off`, `conservative`: xshape, `balanced`: xshape and xquant, `aggressive`:
 * all), a kind, several of them separated by commas, or a list of these. Null and absent allow everything.
 *
 * @throws {ConfigError} for a name that is neither, with the nearest.
 *
 * @example
 * ```ts
 * import { transferKinds } from "dynosim";
 *
 * console.log([...transferKinds("balanced")].join()); // xshape,xquant
 * ```
 */
export function transferKinds(policy: string | readonly string[] | null = null): ReadonlySet<TransferKind> {
  if (policy === null) return new Set(TRANSFER_KINDS);
  const entries = (typeof policy === "string" ? [policy] : policy).flatMap((entry) => entry.split(","));
  return new Set(entries.map((entry) => entry.trim().toLowerCase()).flatMap(kindsNamed));
}

function kindsNamed(name: string): readonly TransferKind[] {
  if (Object.hasOwn(PRESETS, name)) return PRESETS[name];
  const kind = TRANSFER_KINDS.find((known) => known === name);
  if (kind !== undefined) return [kind];
  const presets = Object.keys(PRESETS).sort();
  const near = nearName(name, [...TRANSFER_KINDS, ...presets]);
  const message = `unknown transfer kind/preset '${name}'${near ? `, did you mean '${near}'?` : ""}; valid kinds: ` +
    `${TRANSFER_KINDS.join(", ")}; presets: ${presets.join(", ")}`;
  throw new ConfigError(message, [{ path: "transfer_policy", message }]);
}
