/**
 * What the report of a run says about its roles: their KV blocks and precisions, and the calibration of their passes.
 *
 * @module
 */
import type { RunMetadata } from "../report/report.ts";
import type { ClosedRole } from "./roles.ts";

/** What a report says about its roles, before anything has run. */
export const metadataOf = (roles: readonly ClosedRole[]): RunMetadata => ({
  roles: roles.map(({ settings, resolved: { role, blocks, blockTokens, blocksFrom, maxModelTokens, assumed } }) => ({
    role,
    kv_blocks: blocks,
    ...(settings.dpSize > 1 ? { kv_ranks: settings.dpSize } : {}),
    kv_block_tokens: blockTokens,
    kv_blocks_from: blocksFrom,
    max_model_tokens: maxModelTokens,
    ...assumed,
  })),
});

/** The metadata with the passes that were corrected. */
export function countedPasses(metadata: RunMetadata, roles: readonly ClosedRole[]): RunMetadata {
  if (roles.every(({ calibration }) => calibration === null)) return metadata;
  return {
    ...metadata,
    roles: metadata.roles.map((role, i) => {
      const calibration = roles[i].calibration;
      if (calibration === null) return role;
      const {
        profile: { level, request_overhead_ms, between_passes, n, error },
        correction: { passes, outside },
        differs,
      } = calibration;
      const held_out = Object.fromEntries(Object.entries(error.after).map(([metric, { mdape }]) => [metric, mdape]));
      return {
        ...role,
        calibration: {
          level,
          passes,
          passes_outside: outside,
          request_overhead_ms,
          ...(between_passes ? { between_passes } : {}),
          fitted_to: { ...n },
          held_out,
          ...(differs.length === 0 ? {} : { forced_from: [...differs] }),
        },
      };
    }),
  };
}

/** Says how far a run went beyond what its calibration was measured on, and that one of something else was forced. */
export function calibrationWarnings({ roles }: RunMetadata): string[] {
  return roles.flatMap(({ role, calibration }) => {
    if (calibration === undefined) return [];
    const { passes, passes_outside: outside, forced_from: differs = [] } = calibration;
    const share = (outside / passes * 100).toFixed(1);
    return [
      ...differs.length === 0
        ? []
        : [`the calibration of ${role} workers is forced: it was fitted to another deployment (${differs.join("; ")})`],
      ...outside === 0 ? [] : [
        `${outside} of ${passes} ${role} passes (${share} %) are outside of what was measured for the calibration; ` +
        "their correction fades, so calibrate with such loads to trust them",
      ],
    ];
  });
}
