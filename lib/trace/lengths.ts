/**
 * What the formats without prompts' content share.
 *
 * @module
 */
import type { CsvCells } from "./csv.ts";
import type { FreshIds } from "./fresh_ids.ts";
import type { TraceRequest } from "./request.ts";
import { MAX_TOKENS, RefusedRow, type RowRequest } from "./row.ts";

/** What a row says without ids. */
export type Lengths = Omit<TraceRequest, "hashIds" | "line">;

/** Options of {@linkcode lengthsOnly}. */
export interface LengthsOptions {
  blockTokens: number;
  /** Keep rows without output tokens. Default false. */
  keepZeroOutput?: boolean;
  ids: FreshIds;
}

/** @throws {RefusedRow} for rows without tokens. */
export function checkLengths(inputTokens: number, outputTokens: number, keepZeroOutput = false): void {
  if (inputTokens === 0) throw new RefusedRow("zero input", "a prompt without tokens");
  if (outputTokens === 0 && !keepZeroOutput) throw new RefusedRow("zero output", "no output tokens");
  if (inputTokens > MAX_TOKENS || outputTokens > MAX_TOKENS) throw new RefusedRow("bad number", "too many tokens");
}

/** Makes the requests of a format of which only lengths are known: every prompt has content of its own. */
export function lengthsOnly(
  { blockTokens, keepZeroOutput, ids }: LengthsOptions,
  read: (cells: CsvCells) => Lengths,
): (cells: CsvCells, line: number) => RowRequest {
  return (cells, line) => {
    const lengths = read(cells);
    checkLengths(lengths.inputTokens, lengths.outputTokens, keepZeroOutput);
    const hashIds = ids.take(lengths.inputTokens, blockTokens);
    return { ...lengths, hashIds, hashCount: hashIds.length, line };
  };
}
