/**
 * A whole load in columns: what the engines and the router need of every request, addressed by a dense request index
 * (load order: session by session, turn by turn). Made once before a replay, read-only during it.
 *
 * @module
 */

/** Requests in columns. Every array has one entry per request unless it says otherwise. */
export interface Workload {
  /** Requests. */
  readonly count: number;
  /** Tokens in a trace block. */
  readonly blockTokens: number;
  /** Prompt tokens; for prompts that depend on earlier turns ({@linkcode AdmissionSource.promptRuns}) the row's own share. */
  readonly inputTokens: Int32Array;
  /** Output tokens asked for, at most. */
  readonly outputTokens: Int32Array;
  /** Request `r` owns `blockIds[blockStart[r] .. blockStart[r + 1])`, exactly ceil(input / blockTokens) ids; length `count + 1`. */
  readonly blockStart: Int32Array;
  /** Interned ids (0, 1, 2 … in order of first appearance): token p of a prompt is the id of block floor(p / blockTokens). */
  readonly blockIds: Int32Array;
  /**
   * Output tokens a row names literally (same number space as the interned ids); absent are requests without, and those
   * whose output no other request's sequence can contain.
   */
  readonly outputTokenIds: ReadonlyMap<number, Uint32Array>;
  /** Priority in a scheduler's queue; null when no row names one. */
  readonly priority: Int32Array | null;
  /** Class of the router's queue, the larger first; null when no row names one. */
  readonly strictPriority: Uint32Array | null;
  /** Policy class for the router's queue; null when no row names one, as are requests that do not. */
  readonly policyClass: ReadonlyMap<number, string> | null;
  /** Session index of each request, or null when sessions are not reported. */
  readonly session: Int32Array | null;
  /** Turn inside the session, from 0, or null when sessions are not reported. */
  readonly turn: Int32Array | null;
  /** The name of a session, by session index. */
  sessionName(session: number): string;
  /** 1 for sessions whose name the loader made up (the router never sees those), by session index; null when none is. */
  readonly sessionMadeUp: Uint8Array | null;
  /** Names to report, where the format has them (agentic formats). */
  readonly requestIds: readonly string[] | null;
  /** Play of each request, null where the format has none. */
  readonly playIds: readonly string[] | null;
  /** Identifiers an agentic format gives a request (`conversation_id`, `root_id`, …), reported as they are. */
  readonly agentic?: readonly Readonly<Record<string, string>>[] | null;
}

/** How a request ended. */
export type EndStatus = "completed" | "rejected" | "failed" | "cancelled";

/** A prompt as runs of equal tokens: `tokens[i]` stands `lengths[i]` times. */
export interface PromptRuns {
  /** The tokens. */
  tokens: Uint32Array;
  /** How often each stands in a row. */
  lengths: Int32Array;
  /** Sum of the lengths. */
  inputTokens: number;
}

/** Decides when requests enter the cluster. The cluster asks; nothing here reads a clock. */
export interface AdmissionSource {
  /** The requests it admits. */
  readonly workload: Workload;
  /** Earliest time a request is ready, `Infinity` when none is known now. Never decreases below times already served. */
  nextReadyMs(): number;
  /** Takes the next request with ready time <= now, or -1. `arrivalMs` then holds the arrival to report. */
  admit(nowMs: number): number;
  /** Arrival to report for the request `admit` returned last. */
  readonly arrivalMs: number;
  /** True when `admit` can depend on `ended` or `dispatched` (sessions, concurrency, graphs): the cluster then runs in lock step. */
  readonly reactive: boolean;
  /**
   * Where only `ended` matters: the least time from an end to what it makes ready. Workers may go on for so long without
   * hearing of each other. Default 0.
   */
  readonly reactionMs?: number;
  /** First and last arrival in milliseconds, where every request arrives at a time known beforehand. */
  readonly spanMs?: readonly [number, number];
  /** Tells that a request ended. `emitted` is the number of output tokens. */
  ended(request: number, nowMs: number, status: EndStatus, emitted: number): void;
  /** Tells that nothing of a request is held any more, where that can be later than its end (KV in a prefill pool). */
  released?(request: number, nowMs: number): void;
  /** Tells that an admitted request was handed to the cluster (agentic dispatch triggers). */
  dispatched(request: number, nowMs: number): void;
  /** True when no further request will ever be admitted, whatever ends. */
  exhausted(): boolean;
  /**
   * Prompts that depend on what earlier turns emitted (mooncake-delta): the prompt of `request`, asked at admission;
   * null for prompts made of the workload's trace blocks.
   */
  promptRuns(request: number): PromptRuns | null;
  /**
   * Agentic loads: what came of the plays so far, for the report. A play is over when the requests that `handsOff` names
   * have released the prefill side too.
   */
  agentOutcome?(handsOff?: (request: number) => boolean): AgentOutcome;
}

/** What came of one play. */
export interface PlayOutcome {
  /** Name of the play. */
  playId: string;
  /** How it ended. */
  status: "completed" | "failed" | "incomplete";
  /** Arrival of its first request; `NaN` when none arrived. */
  startMs: number;
  /** Its last completion so far, or the failure that stopped it; `NaN` when nothing ended. */
  causalTerminalMs: number;
  /** When nothing of it was in flight or to come any more; `NaN` while that is not so. */
  settledMs: number;
  /** The request that stopped it, and how it ended. */
  failure?: { requestId: string; status: EndStatus };
}

/** What came of an agentic load. */
export interface AgentOutcome {
  /** One entry a play. */
  plays: readonly PlayOutcome[];
  /** Where the requests came from. */
  source: { format: string; digest: string };
  /** Models that served them where they were recorded, sorted. */
  models: readonly string[];
  /** Tokens of a block of the recording. */
  blockTokens: number;
  /** Requests of all plays. */
  nodes: number;
}

/** What a recording tells about requests that were really served. */
export interface Recording {
  /** Start of the first request on the recorder's own clock, in milliseconds. */
  readonly originMs: number;
  /** How long each request took, in milliseconds; NaN where the recording does not say. */
  readonly durationMs: Float64Array;
}

/** How fast recorded requests come. */
export interface Pace {
  /** Divides recorded times and delays. Default 1. Ignored with `concurrency`. */
  speedup?: number;
  /** Sessions open at the same time; recorded times are then ignored. */
  concurrency?: number;
}

/** A load ready to be replayed: the requests, and a fresh source of admissions for every replay of them. */
export interface Traffic {
  /** The requests. */
  readonly workload: Workload;
  /** Absent for loads that were not recorded, and for formats whose clock means nothing. */
  readonly recording?: Recording;
  /** What looks like a mistake in the trace, in words. */
  readonly warnings?: readonly string[];
  /** Set for requests of agents in a Dynamo trace, which depend on each other. */
  readonly agents?: true;
  /** A source that starts at time 0. Independent of the others. */
  start(): AdmissionSource;
  /**
   * The same requests at another pace, without reading them again; absent where requests depend on each other.
   *
   * @throws {ConfigError} when the pace is none
   */
  repaced?(pace: Pace): Traffic;
}
