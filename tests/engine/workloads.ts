/** Small workloads for engine tests: rows of hash ids, nothing else. */
import type { PromptIndex } from "../../lib/engine/prompt_index.ts";
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

/** A part of a prompt's path: an edge, the first block on it, and how many it has. */
export interface PathPart {
  edge: number;
  first: number;
  blocks: number;
}

/** The edges that a prompt's known blocks are on. */
export function pathOf(index: PromptIndex, request: number): PathPart[] {
  const path: PathPart[] = [];
  for (let at = index.start[request], first = 0; first < index.knownBlocks(request); at++) {
    const edge = index.edges[at], blocks = index.edgeBlocks[edge];
    path.push({ edge, first, blocks });
    first += blocks;
  }
  return path;
}

/** A name for each known block of a prompt: its edge and its place there. */
export function blockNames(index: PromptIndex, request: number): string[] {
  const names = pathOf(index, request).flatMap(({ edge, blocks }) =>
    Array.from({ length: blocks }, (_, i) => `${edge}.${i}`)
  );
  return names.slice(0, index.knownBlocks(request));
}
