/**
 * What the names of parts that a checkpoint leaves as they are mean for attention and for shared experts.
 *
 * @module
 */

/** Groups of attention projections that a checkpoint may leave as they are. */
const PROJECTIONS = ["q", "kv", "o", "indexer"] as const;

/** One group of attention projections. */
export type Projection = typeof PROJECTIONS[number];

/** Groups of attention projections that are not quantised. */
export type PlainProjections = { readonly [group in Projection]: boolean };

/** Names that stand for a group. */
export const PROJECTION_NAMES: { readonly [group in Projection]: readonly string[] } = {
  q: ["q_a_proj", "q_b_proj", "q_proj"],
  kv: ["kv_a_proj", "kv_b_proj", "kv_proj", "k_proj", "v_proj"],
  o: ["o_proj"],
  indexer: ["indexer"],
};

/** An answer for every group. */
export const byProjection = (isPlain: (group: Projection) => boolean): PlainProjections => ({
  q: isPlain("q"),
  kv: isPlain("kv"),
  o: isPlain("o"),
  indexer: isPlain("indexer"),
});

/** A pattern that names attention but no projection stands for all of it, even if it means a norm. */
export function plainProjections(excluded: readonly string[]): PlainProjections {
  const names = (pattern: string, group: Projection) => PROJECTION_NAMES[group].some((name) => pattern.includes(name));
  const whole = excluded.some((pattern) =>
    pattern.includes("self_attn") && !PROJECTIONS.some((group) => names(pattern, group))
  );
  return byProjection((group) => whole || excluded.some((pattern) => names(pattern, group)));
}

/** Whether shared experts are not quantised. */
export const plainSharedExperts = (excluded: readonly string[]): boolean =>
  excluded.some((pattern) => pattern.toLowerCase().includes("shared_expert"));
