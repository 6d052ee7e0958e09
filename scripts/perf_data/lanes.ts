/**
 * Attention kernels ("lanes"): the order in which a framework's kernels are asked for a slice.
 *
 * @module
 */

/** How much a lane has: slices and distinct leaves. */
export interface Density {
  readonly slices: number;
  readonly leaves: number;
}

const KNOWN_KERNELS = ["fa3", "fla", "flashinfer", "triton", "trtllm_mha"];

/** The densest lanes first, equal ones by name. */
function ranked(lanes: readonly string[], densities: ReadonlyMap<string, Density>): string[] {
  const of = (lane: string) => densities.get(lane) ?? { slices: 0, leaves: 0 };
  return [...lanes].sort((a, b) =>
    of(b).slices - of(a).slices || of(b).leaves - of(a).leaves || (a < b ? -1 : a > b ? 1 : 0)
  );
}

/**
 * Order of the lanes of one table.
 *
 * @param pinned the framework's default kernel, null when no default is recorded for this version and GPU
 * @param primary densities in the version's own table
 * @param merged densities with everything that was merged in
 */
export function laneOrder(
  pinned: string | null,
  primary: ReadonlyMap<string, Density>,
  merged: ReadonlyMap<string, Density>,
): string[] {
  if (pinned === null) return ["default"];
  const head = pinned === "default" ? [] : [pinned];
  const order = (densities: ReadonlyMap<string, Density>) => [
    ...ranked(KNOWN_KERNELS.filter((lane) => lane !== pinned), densities),
    "default",
    ...ranked([...merged.keys()].filter((lane) => !KNOWN_KERNELS.includes(lane) && lane !== "default"), densities),
  ];
  const own = order(primary).filter((lane) => primary.has(lane));
  const rest = order(merged).filter((lane) => !own.includes(lane));
  return [...new Set([...head, ...own, ...rest])];
}
