/**
 * Load scaling against an SLA: a performance model estimates each rank's TTFT and ITL, now and with one replica fewer.
 *
 * @module
 */
import type { PerformanceModel } from "./model/performance_model.ts";
import type { PassRow } from "./policy.ts";
import type { SideDecision } from "./side_decision.ts";

/** What an SLA side knows. */
export interface SlaContext {
  model: PerformanceModel;
  ready: number;
  minimum: number;
  ttftMs: number;
  itlMs: number;
  /** Share of the SLA's budget one replica fewer may use. */
  sensitivity: number;
  maxKvTokens: number | null;
  kvHitRate: number | null;
  acceptLength: number;
}

/**
 * What a role of idle workers wants under an SLA: one fewer, but never none, because a role whose last worker is gone
 * reports nothing any more. Null when a rank has or awaits work. The performance model is not asked: it has learnt
 * nothing from passes of nobody.
 */
export function idleWish(
  rows: readonly PassRow[],
  { ready, minimum }: { ready: number; minimum: number },
): number | null {
  if (rows.length === 0 || !rows.every(isIdle)) return null;
  return Math.max(1, minimum, ready - 1);
}

const isIdle = (row: PassRow) =>
  row.prefillRequests === 0 && row.prefillTokens === 0 && row.prefillKvTokens === 0 &&
  row.prefillLengthVariance === 0 && row.decodeRequests === 0 && row.decodeKvTokens === 0 &&
  row.decodeKvVariance === 0 && row.queuedPrefillRequests === 0 && row.queuedPrefillTokens === 0 &&
  row.queuedPrefillLengthVariance === 0 && row.queuedDecodeRequests === 0 && row.queuedDecodeKvTokens === 0 &&
  row.queuedDecodeKvVariance === 0;

/** A rank's estimate, and what it says about one replica fewer. */
interface RankVerdict {
  estimateMs: number | null;
  fewer: "fine" | "unknown" | "refused";
}

/** Load factor of the remaining ranks when one replica of `ready` leaves. */
const consolidation = (ready: number) => ready > 1 ? ready / (ready - 1) : 1;

/** Turns the ranks' verdicts into a side's wish. */
function decide(
  rows: readonly PassRow[],
  bound: number,
  { ready, minimum }: SlaContext,
  stayIfRefused: boolean,
  judge: (row: PassRow, considerFewer: boolean) => RankVerdict,
): SideDecision {
  let canDown = ready > 1, refused = false;
  const estimates: number[] = [];
  for (const row of rows) {
    const { estimateMs, fewer } = judge(row, canDown);
    if (estimateMs !== null) estimates.push(estimateMs);
    if (canDown && fewer !== "fine") {
      canDown = false;
      refused = fewer === "refused";
    }
  }
  const estimateMs = estimates.length > 0 ? Math.max(...estimates) : null;
  const limitsKnown = true;
  if (estimateMs === null) return { desired: null, reason: "insufficient_data", refused, estimateMs, limitsKnown };
  if (estimates.every((estimate) => estimate > bound)) {
    return { desired: ready + 1, reason: "no_change", refused: false, estimateMs, limitsKnown };
  }
  if (canDown) {
    return { desired: Math.max(ready - 1, minimum), reason: "no_change", refused, estimateMs, limitsKnown };
  }
  if (!refused) return { desired: null, reason: "no_change", refused, estimateMs, limitsKnown };
  const reason = "scale_down_refused_consolidation";
  return { desired: stayIfRefused ? ready : null, reason, refused, estimateMs, limitsKnown };
}

/** The prefill side of a disaggregated deployment. */
export function prefillSide(rows: readonly PassRow[], context: SlaContext): SideDecision {
  const { model, ttftMs: bound, sensitivity, kvHitRate } = context;
  const ttft = (row: PassRow, queue: number) =>
    model.ttftMs(row, { queue, decode: 1, queuedDecodesJoin: false, kvHitRate });
  const crowd = consolidation(context.ready);
  return decide(rows, bound, context, false, (row, considerFewer) => {
    const estimateMs = ttft(row, 1);
    if (!considerFewer) return { estimateMs, fewer: "unknown" };
    const own = ttft(row, 0);
    if (own === null) return { estimateMs, fewer: "unknown" };
    const room = (bound - own) * sensitivity;
    if (room <= 0) return { estimateMs, fewer: "refused" };
    const crowded = ttft(row, crowd);
    if (crowded === null) return { estimateMs, fewer: "unknown" };
    return { estimateMs, fewer: crowded - own >= room ? "refused" : "fine" };
  });
}

/** The TTFT side of an aggregated deployment: prompts share their passes with decodes, which crowd too. */
export function aggregatedTtftSide(rows: readonly PassRow[], context: SlaContext): SideDecision {
  const { model, ttftMs: bound, sensitivity, kvHitRate } = context;
  const crowd = consolidation(context.ready);
  const crowded = (row: PassRow, queue: number) =>
    model.ttftMs(row, { queue, decode: crowd, queuedDecodesJoin: true, kvHitRate });
  return decide(rows, bound, context, true, (row, considerFewer) => {
    const estimateMs = model.ttftMs(row, { queue: 1, decode: 1, queuedDecodesJoin: false, kvHitRate });
    if (!considerFewer) return { estimateMs, fewer: "unknown" };
    const own = crowded(row, 0), after = crowded(row, crowd);
    if (own === null || after === null) return { estimateMs, fewer: "unknown" };
    const room = (bound - own) * sensitivity;
    return { estimateMs, fewer: room <= 0 || after - own >= room ? "refused" : "fine" };
  });
}

/** The decode side; an aggregated deployment counts waiting prompts as decodes to come. */
export function decodeSide(
  rows: readonly PassRow[],
  context: SlaContext,
  { aggregated }: { aggregated: boolean },
): SideDecision {
  const { model, itlMs: bound, sensitivity, maxKvTokens, acceptLength } = context;
  const crowd = consolidation(context.ready);
  const itl = (row: PassRow, scale: number, queuedPrefillsToo: boolean) => {
    const ms = model.decodeMs(row, { scale, queuedPrefillsToo });
    return ms === null ? null : ms / acceptLength;
  };
  return decide(rows, bound, context, aggregated, (row, considerFewer) => {
    const estimateMs = itl(row, 1, false);
    if (!considerFewer) return { estimateMs, fewer: "unknown" };
    const prompts = aggregated ? row.queuedPrefillTokens : 0;
    const kv = Math.trunc((row.decodeKvTokens + row.queuedDecodeKvTokens + prompts) * crowd);
    if (maxKvTokens !== null && kv >= maxKvTokens) return { estimateMs, fewer: "refused" };
    const crowded = itl(row, crowd, aggregated);
    if (crowded === null) return { estimateMs, fewer: "unknown" };
    return { estimateMs, fewer: crowded >= bound * sensitivity ? "refused" : "fine" };
  });
}
