/**
 * What the Planner remembers between ticks: the last pass of every rank, the traffic nobody consumed yet, and the
 * targets it asked for that the deployment does not have yet.
 *
 * @module
 */
import type { PassRow, RoleSnapshot, Snapshot, TrafficWindow } from "./policy.ts";

/** Roles in the order decisions and events list them. */
export const ROLES: readonly RoleName[] = ["prefill", "decode"];
/** A role. */
export type RoleName = "prefill" | "decode";

/** Workers that are not draining. */
export const nonDraining = ({ active, starting }: RoleSnapshot): number => active.length + starting.length;

/** Traffic as the Planner's loops see it. */
export interface Traffic {
  /** Length of the interval in seconds. */
  durationS: number;
  /** Requests that arrived. */
  requests: number;
  /** Mean prompt length. */
  inputTokens: number;
  /** Mean output length. */
  outputTokens: number;
  /** Share of prompt blocks found in KV caches. */
  kvHitRate: number;
  /** Accepted tokens per decode forward; null without decode passes. */
  acceptLength: number | null;
}

/** Traffic with what no loop reads: mean latencies of requests that completed, null without a sample. */
export interface ConsumedTraffic extends Traffic {
  /** Mean time to first token. */
  ttftMs: number | null;
  /** Mean time between output tokens. */
  itlMs: number | null;
}

/** Ready and expected workers of a role, and whether a change is under way. */
export interface RoleCounts {
  /** Workers that take requests. */
  ready: number;
  /** Workers that are wanted. */
  expected: number;
  /** Whether workers start or drain. */
  inProgress: boolean;
}

/** Compares rows by worker id as text, then rank: "10" comes before "2". */
function byWorker(a: PassRow, b: PassRow): number {
  if (a.workerId === b.workerId) return a.dpRank - b.dpRank;
  return String(a.workerId) < String(b.workerId) ? -1 : 1;
}

/** Rows by worker id as text, then rank; the list itself where they are in that order, as they mostly are. */
export function orderedByWorker<T extends readonly PassRow[]>(rows: T): T | PassRow[] {
  for (let i = 1; i < rows.length; i++) {
    if (byWorker(rows[i - 1], rows[i]) > 0) return rows.toSorted(byWorker);
  }
  return rows;
}

const RANKS = 4096;

/** The last row of each (worker, rank), in the order the pairs first appeared. */
class LastPasses {
  readonly #rows = new Map<number, PassRow>();
  #active: readonly number[] = [];
  #alive = new Set<number>();

  update({ passes, active }: RoleSnapshot): void {
    const before = this.#active;
    let same = active.length === before.length;
    for (let i = 0; same && i < active.length; i++) same = active[i] === before[i];
    if (!same) {
      this.#active = [...active];
      this.#alive = new Set(active);
      for (const [key, row] of this.#rows) if (!this.#alive.has(row.workerId)) this.#rows.delete(key);
    }
    for (let i = 0; i < passes.length; i++) {
      const row = passes[i];
      if (this.#alive.has(row.workerId)) this.#rows.set(row.workerId * RANKS + row.dpRank, row);
    }
  }

  rows(): PassRow[] | null {
    return this.#rows.size === 0 ? null : [...this.#rows.values()];
  }
}

/** A mean of two weighted means; 0 without weight. */
function merge(a: number, weightA: number, b: number, weightB: number): number {
  const weight = weightA + weightB;
  return weight > 0 ? (a * weightA + b * weightB) / weight : 0;
}

function mergeWindows(a: TrafficWindow, b: TrafficWindow): TrafficWindow {
  const accept = a.meanAcceptLength === null
    ? b.meanAcceptLength
    : b.meanAcceptLength === null
    ? a.meanAcceptLength
    : merge(a.meanAcceptLength, a.acceptLengthForwards, b.meanAcceptLength, b.acceptLengthForwards);
  return {
    durationS: a.durationS + b.durationS,
    requests: a.requests + b.requests,
    shapeCount: a.shapeCount + b.shapeCount,
    meanInputTokens: merge(a.meanInputTokens, a.shapeCount, b.meanInputTokens, b.shapeCount),
    meanOutputTokens: merge(a.meanOutputTokens, a.shapeCount, b.meanOutputTokens, b.shapeCount),
    meanTtftMs: merge(a.meanTtftMs, a.ttftCount, b.meanTtftMs, b.ttftCount),
    ttftCount: a.ttftCount + b.ttftCount,
    meanItlMs: merge(a.meanItlMs, a.itlCount, b.meanItlMs, b.itlCount),
    itlCount: a.itlCount + b.itlCount,
    meanAcceptLength: accept,
    acceptLengthForwards: a.acceptLengthForwards + b.acceptLengthForwards,
    meanKvHitRate: merge(a.meanKvHitRate, a.kvHitRateCount, b.meanKvHitRate, b.kvHitRateCount),
    kvHitRateCount: a.kvHitRateCount + b.kvHitRateCount,
  };
}

/** The memory of the Planner's view of the cluster. */
export class Observations {
  readonly #passes = { prefill: new LastPasses(), decode: new LastPasses() };
  readonly #wanted: { prefill: number | null; decode: number | null } = { prefill: null, decode: null };
  #window: TrafficWindow | null = null;

  /** Takes a snapshot in. */
  update(snapshot: Snapshot): void {
    for (const role of ROLES) this.#passes[role].update(snapshot[role]);
    this.#window = this.#window ? mergeWindows(this.#window, snapshot.traffic) : snapshot.traffic;
    this.settle(snapshot);
  }

  /** Forgets targets the deployment has reached. */
  settle(snapshot: Snapshot): void {
    for (const role of ROLES) {
      if (this.#wanted[role] === nonDraining(snapshot[role])) this.#wanted[role] = null;
    }
  }

  /** Remembers a target that changes a role. */
  want(role: RoleName, count: number): void {
    this.#wanted[role] = count;
  }

  /** Counts of a role. */
  counts(role: RoleName, snapshot: Snapshot): RoleCounts {
    const present = nonDraining(snapshot[role]);
    const wanted = this.#wanted[role];
    const expected = wanted ?? present;
    return { ready: snapshot[role].active.length, expected, inProgress: wanted !== null && wanted !== present };
  }

  /** The last rows of a role in the order their ranks appeared, null when there are none. */
  rows(role: RoleName): PassRow[] | null {
    return this.#passes[role].rows();
  }

  /** Takes the unread traffic; null when it covers no time. */
  takeTraffic(): ConsumedTraffic | null {
    const window = this.#window;
    this.#window = null;
    if (!window || !(window.durationS > 0)) return null;
    return {
      durationS: window.durationS,
      requests: window.requests,
      inputTokens: window.meanInputTokens,
      outputTokens: window.meanOutputTokens,
      kvHitRate: window.meanKvHitRate,
      acceptLength: window.meanAcceptLength,
      ttftMs: window.ttftCount > 0 ? window.meanTtftMs : null,
      itlMs: window.itlCount > 0 ? window.meanItlMs : null,
    };
  }
}
