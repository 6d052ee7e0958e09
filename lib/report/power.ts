/**
 * Power of a GPU from the energy of a run's passes.
 *
 * @module
 */
/** Energy of passes. */
export interface EnergySums {
  /** Milliseconds of all passes, as the measurements have them. */
  readonly ms: number;
  /** Milliseconds of the operators whose energy is known. */
  readonly coveredMs: number;
  /** Watt-milliseconds of a GPU in those. */
  readonly energy: number;
}

/** Share of the time whose energy must be known before a power is told (AISimulate 0.13). */
export const COVERAGE_GATE = 0.9;

/** What is told of the power. */
export interface Power {
  /** Watts of a GPU while passes run; null where too little of their energy is known. */
  readonly power_w: number | null;
  /** Share of the passes' time whose energy is known. */
  readonly power_coverage: number;
}

/** The mean over the time of passes; operators without energy count as time without power. */
export function powerOf({ ms, coveredMs, energy }: EnergySums): Power {
  const power_coverage = ms > 0 ? coveredMs / ms : 0;
  return { power_w: power_coverage >= COVERAGE_GATE && energy > 0 ? energy / ms : null, power_coverage };
}

/** Energies together. */
export const addedUp = (all: readonly EnergySums[]): EnergySums =>
  all.reduce((a, b) => ({ ms: a.ms + b.ms, coveredMs: a.coveredMs + b.coveredMs, energy: a.energy + b.energy }), {
    ms: 0,
    coveredMs: 0,
    energy: 0,
  });
