/**
 * A calibration profile: what real passes of one deployment took in relation to what the operator database says, as a
 * file that `calibrate` writes and `timing.calibration` names.
 *
 * @module
 */
import * as v from "valibot";
import { ConfigError } from "../../errors.ts";
import { ByteSourceError } from "../../io/bytes.ts";
import { issueText } from "../../io/issue_text.ts";
import { readText } from "../../io/text.ts";

/** Kinds of passes that are corrected apart: prompts alone, decode steps alone, both in one pass. */
export const PHASES = ["prefill", "decode", "mixed"] as const satisfies readonly Phase[];
/** What a pass does: prompts alone, decode steps alone, or both. */
export type Phase = "prefill" | "decode" | "mixed";

/**
 * Corrections from simple to detailed: one ratio; a ratio for each phase; these and one constant for every pass; these
 * and a constant for each phase; any of them times a curve over the size of the pass; curves apart for small and large
 * passes, none of which is shorter than some least time; any of these times tables over two sizes; any of these times
 * nested cells over three or four sizes.
 */
export const LEVELS = [
  "none",
  "scale",
  "phases",
  "pass_constant",
  "phase_constants",
  "curves",
  "regimes",
  "tables",
  "cells",
] as const satisfies readonly CalibrationLevel[];
/** How detailed a correction is, from nothing to cells over several sizes of a pass. */
export type CalibrationLevel =
  | "none"
  | "scale"
  | "phases"
  | "pass_constant"
  | "phase_constants"
  | "curves"
  | "regimes"
  | "tables"
  | "cells";

/** Second sizes of tables: tokens of prompts known before, decoding sequences, their mean length. */
export const TABLE_AXES = ["prior_tokens", "decode_requests", "context_tokens"] as const satisfies readonly TableAxis[];
/** What a table is over, beside the size of the pass. */
export type TableAxis = "prior_tokens" | "decode_requests" | "context_tokens";

/** What nested cells may be over, beside the prompt tokens of a pass. */
export const CELL_AXES = ["prior_tokens", "decode_requests", "prompts"] as const satisfies readonly CellAxis[];
/** A size that nested cells are over: tokens of prompts known before, decoding sequences, prompts. */
export type CellAxis = "prior_tokens" | "decode_requests" | "prompts";

const MOST_BYTES = 2 ** 22;
/** Steps of a table's axes: half doublings from 1, and doublings from 0. */
const MOST_STEPS = 100;

const finite = v.pipe(v.number(), v.finite());
const positive = v.pipe(finite, v.gtValue(0));
const notNegative = v.pipe(finite, v.minValue(0));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const size = v.pipe(v.number(), v.integer(), v.minValue(1));
const range = v.pipe(
  v.tuple([notNegative, notNegative]),
  v.check(([least, most]) => least <= most, "a range is [least, most]"),
);
const nameOrNull = v.nullable(v.string());

const keySchema = v.strictObject({
  model: v.string(),
  hardware: v.string(),
  backend: v.string(),
  backend_version: nameOrNull,
  tensor: size,
  pipeline: size,
  attention_data: size,
  moe_tensor: size,
  moe_expert: size,
  nextn: count,
  weights: v.string(),
  expert_weights: nameOrNull,
  attention: nameOrNull,
  kv_cache: v.string(),
  communication: v.string(),
  database_mode: v.string(),
  data_version: v.string(),
});

const step = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MOST_STEPS));
const isPlace = (place: number) => Number.isInteger(place) && place >= 0 && place < 256;
const tableSchema = v.strictObject({
  over: v.picklist(TABLE_AXES),
  cells: v.pipe(v.array(v.tuple([step, step, positive])), v.minLength(1)),
});

const cellsSchema = v.pipe(
  v.strictObject({
    over: v.pipe(
      v.array(v.picklist(CELL_AXES)),
      v.check((over) => new Set(over).size === over.length, "a size counts once"),
    ),
    steps: v.array(v.strictObject({ step: positive, cells: v.array(v.array(finite)) })),
  }),
  v.check(
    ({ over, steps }) =>
      steps.every(({ cells }) =>
        cells.every((cell) => cell.length === over.length + 2 && cell.slice(0, -1).every(isPlace))
      ),
    "a cell is a place in prompt tokens, a place in each size that cells are over, and a deviation",
  ),
);

const partEntries = {
  ratio: positive,
  constant_ms: notNegative,
  least_ms: v.optional(notNegative),
  curve: v.pipe(
    v.array(v.tuple([finite, positive])),
    v.check((knots) => knots.every(([x], i) => i === 0 || x > knots[i - 1][0]), "knots stand in rising order"),
  ),
  tables: v.optional(v.array(tableSchema)),
  cells: v.optional(cellsSchema),
  n: count,
  seen: v.strictObject({ decode_requests: v.nullable(range), prefill_tokens: v.nullable(range) }),
};
const phaseSchema = v.strictObject({
  ...partEntries,
  beyond: v.optional(v.strictObject({ tokens: size, ...partEntries })),
  uneven: v.optional(notNegative),
  beside_ms: v.optional(notNegative),
});

const errorSchema = v.strictObject({ mdape: v.nullable(finite), bias: v.nullable(finite), n: count });

const profileSchema: v.GenericSchema<unknown, CalibrationProfile> = v.strictObject({
  format: v.literal("dynosim.calibration.v1"),
  key: keySchema,
  level: v.picklist(LEVELS),
  phases: v.strictObject({
    prefill: v.nullable(phaseSchema),
    decode: v.nullable(phaseSchema),
    mixed: v.nullable(phaseSchema),
  }),
  request_overhead_ms: notNegative,
  between_passes: v.optional(notNegative),
  n: v.strictObject({ passes: count, requests: count }),
  error: v.strictObject({ before: v.record(v.string(), errorSchema), after: v.record(v.string(), errorSchema) }),
});

/** What a calibration holds for: another deployment, or other data, is another key. Sizes are ranks. */
export interface CalibrationKey {
  /** Name of the model. */
  model: string;
  /** GPU system. */
  hardware: string;
  /** Serving framework. */
  backend: string;
  /** Version whose measurements the estimates are of; null when nothing was measured. */
  backend_version: string | null;
  /** Tensor-parallel ranks. */
  tensor: number;
  /** Pipeline stages. */
  pipeline: number;
  /** Attention-data-parallel ranks. */
  attention_data: number;
  /** Tensor-parallel ranks of the experts. */
  moe_tensor: number;
  /** Expert-parallel ranks. */
  moe_expert: number;
  /** Depth of multi-token prediction. */
  nextn: number;
  /** Precision of the dense products' weights. */
  weights: string;
  /** Precision of the experts' weights; null without experts. */
  expert_weights: string | null;
  /** Precision in which prompts attend; null when that is not known. */
  attention: string | null;
  /** Precision of the KV cache. */
  kv_cache: string;
  /** Precision of collectives. */
  communication: string;
  /** How what was not measured is estimated. */
  database_mode: string;
  /** Version of the package that the measurements come from. */
  data_version: string;
}

/** Factors over two sizes of a pass; 1 where no cell is. */
export interface CorrectionTable {
  /** The second size. */
  over: TableAxis;
  /**
   * Cells [i, j, factor]: i is 2 · log2 of the size of the pass, j is log2 of one more than the second size, both to the
   * nearest whole number.
   */
  cells: [number, number, number][];
}

/**
 * Deviations over several sizes of a pass, in cells of coarse and of ever finer steps. A pass is corrected by the factor 1
 * + the deviations of all cells that it is in.
 */
export interface CorrectionCells {
  /** Sizes beside the prompt tokens. */
  over: CellAxis[];
  /**
   * Cells by their width in doublings, from wide to narrow: [place in prompt tokens, place in each size of `over`,
   * deviation]. A place is log2 of a size by `step`, to the nearest whole number; of tokens known before a quarter of
   * log2 of one more, because four doublings of them matter as one of the others does.
   */
  steps: { step: number; cells: number[][] }[];
}

/** Correction of some passes: `max(estimate · ratio, least_ms) · curve · tables · cells + constant_ms`. */
export interface PartCorrection {
  /** Factor on the estimate. */
  ratio: number;
  /** Milliseconds on every pass. */
  constant_ms: number;
  /** Milliseconds below which no pass is: what the launch of its kernels takes, for example. Default 0. */
  least_ms?: number;
  /**
   * Knots [log2 size, factor] in rising order; empty is 1 everywhere. The size of a pass is its decoding sequences in
   * phase `decode`, else the prompt tokens that it computes.
   */
  curve: [number, number][];
  /** Factors over two sizes, one after the other. Default: none. */
  tables?: CorrectionTable[];
  /** A factor of cells over several sizes. Default: none. */
  cells?: CorrectionCells;
  /** Measured passes. */
  n: number;
  /** Least and most that they covered; null where the phase has none. */
  seen: { decode_requests: [number, number] | null; prefill_tokens: [number, number] | null };
}

/** Correction of one phase. */
export interface PhaseCorrection extends PartCorrection {
  /**
   * Another correction of passes that compute more than `tokens` tokens, prompts and decodes together: engines run them
   * without CUDA graphs, for example. Default: none, all passes are corrected alike.
   */
  beyond?: PartCorrection & { tokens: number };
  /**
   * Of decode steps: by what share of the time of their attention they are longer than steps of even lengths, for each
   * unit of the coefficient of variation of their lengths; counts before all else. Default 0.
   */
  uneven?: number;
  /** Of mixed passes: milliseconds by which one lengthens the decode steps beside it, counted with it. Default 0. */
  beside_ms?: number;
}

/** Errors in percent. */
export interface CalibrationError {
  /** Median of absolute errors; null where nothing was compared. */
  mdape: number | null;
  /** Median of errors. */
  bias: number | null;
  /** How many were compared. */
  n: number;
}

/** The profile. */
export interface CalibrationProfile {
  /** Version of this form. */
  format: "dynosim.calibration.v1";
  /** What it holds for. */
  key: CalibrationKey;
  /** How detailed it is. */
  level: CalibrationLevel;
  /** Corrections by phase; null where no pass was seen. */
  phases: Record<Phase, PhaseCorrection | null>;
  /** Milliseconds that every request waits outside of the passes before its first token. */
  request_overhead_ms: number;
  /**
   * Time between passes, as a share of the time of passes: what an engine does after one and before the next. Recorded times
   * do not hold it; a replay lengthens every pass by it, an estimate of one pass does not. Default 0.
   */
  between_passes?: number;
  /** What it was fitted to. */
  n: { passes: number; requests: number };
  /** Errors by metric; `after` is that of measurements the fit did not see. */
  error: { before: Record<string, CalibrationError>; after: Record<string, CalibrationError> };
}

/**
 * Checks a profile.
 *
 * @param name how errors call it
 * @throws {ConfigError} with the places of everything that is wrong
 */
export function parseCalibration(value: unknown, name = "calibration"): CalibrationProfile {
  const result = v.safeParse(profileSchema, value);
  if (result.success) return result.output;
  const issues = result.issues.map((issue) => {
    return { path: v.getDotPath(issue) ?? "", message: issueText(issue), file: name };
  });
  const [first] = issues, more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  throw new ConfigError(`${name} is no calibration that \`calibrate\` wrote: ${first.message}${more}`, issues);
}

/**
 * Reads a profile from a file.
 *
 * @throws {ConfigError} when it cannot be read, or is none
 */
export async function readCalibration(path: string): Promise<CalibrationProfile> {
  let value: unknown;
  try {
    value = JSON.parse(await readText(path, { mostBytes: MOST_BYTES }));
  } catch (cause) {
    if (!(cause instanceof ByteSourceError || cause instanceof SyntaxError)) throw cause;
    const what = cause instanceof SyntaxError ? "is not JSON" : "could not be read";
    const message = `calibration ${path} ${what}: ${cause.message}`;
    throw new ConfigError(message, [{ path: "", message, file: path }], { cause });
  }
  return parseCalibration(value, path);
}
