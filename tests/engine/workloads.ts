/** Small workloads for engine tests: rows of hash ids, nothing else. */
import type { Workload } from "../../lib/traffic/workload.ts";

export interface Row {
  input: number;
  output: number;
  /** Content of the prompt, one small number per trace block. */
  ids: readonly number[];
  outputIds?: readonly number[];
}

/** A workload of such rows; `ids` may be longer than the prompt. */
export function workloadOf(rows: readonly Row[], blockTokens: number): Workload {
  const blockStart = new Int32Array(rows.length + 1), ids: number[] = [];
  rows.forEach((row, r) => {
    ids.push(...row.ids.slice(0, Math.ceil(row.input / blockTokens)));
    blockStart[r + 1] = ids.length;
  });
  return {
    count: rows.length,
    blockTokens,
    inputTokens: Int32Array.from(rows, (row) => row.input),
    outputTokens: Int32Array.from(rows, (row) => row.output),
    blockStart,
    blockIds: Int32Array.from(ids),
    outputTokenIds: new Map(rows.flatMap((row, r) => row.outputIds ? [[r, Uint32Array.from(row.outputIds)]] : [])),
    priority: null,
    strictPriority: null,
    policyClass: null,
    session: null,
    turn: null,
    sessionName: () => "",
    sessionMadeUp: null,
    requestIds: null,
    playIds: null,
  };
}
