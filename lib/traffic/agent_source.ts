/**
 * Agentic load: a request starts when those it waits for have started or completed.
 *
 * @module
 */
import type { Graph } from "./agent_graph.ts";
import { IndexHeap } from "../collections/index_heap.ts";
import type { AdmissionSource, AgentOutcome, EndStatus, PlayOutcome, Workload } from "./workload.ts";

/**
 * Releases the nodes of a graph in the order (ready time, node). A play in which a request does not complete stops: what
 * was not handed to the cluster by then is left out. With lanes, plays run one after the other in each lane.
 */
export class AgentSource implements AdmissionSource {
  readonly workload: Workload;
  readonly reactive = true;
  arrivalMs = 0;
  readonly #graph: Graph;
  /** Dependencies each node still waits for. */
  readonly #open: Int32Array;
  /** Latest start that the triggers so far allow; the ready time once all are there. */
  readonly #readyMs: Float64Array;
  readonly #ready: IndexHeap;
  /** By play: nodes that are neither complete nor given up, and nodes in flight. */
  readonly #left: Int32Array;
  readonly #inFlight: Int32Array;
  readonly #failed: Uint8Array;
  /** With lanes: the nodes of each play, and the play that a free lane takes next. */
  readonly #firstNode: Int32Array | null;
  readonly #nodes: Int32Array | null;
  #nextPlay = 0;
  readonly #lane: Int32Array;
  /** By play: the last of its nodes that ended when one ended last. What ends at one time counts in the order of the nodes. */
  readonly #lastEnd: Int32Array;
  readonly #endMs: Float64Array;
  /** By play: the node it failed with. */
  readonly #failedBy: Int32Array;
  /** Plays that ended and left their lanes, and when. */
  readonly #freeLanes: number[] = [];
  #freeMs = 0;
  /** Nodes that may still be admitted. */
  #remaining: number;
  readonly #outcomes: PlayOutcome[];
  readonly #facts: Record<string, string>[];

  constructor(workload: Workload, graph: Graph, lanes?: number) {
    this.#facts = graph.facts.map((facts) => ({ ...facts }));
    this.workload = { ...workload, agentic: this.#facts };
    this.#outcomes = graph.playIds.map((playId) => ({
      playId,
      status: "incomplete",
      startMs: NaN,
      causalTerminalMs: NaN,
      settledMs: NaN,
    }));
    this.#graph = graph;
    const count = workload.count;
    this.#open = graph.waitsFor.slice();
    this.#readyMs = graph.notBeforeMs.slice();
    this.#ready = new IndexHeap(count, this.#readyMs);
    this.#left = new Int32Array(graph.plays);
    this.#inFlight = new Int32Array(graph.plays);
    this.#failed = new Uint8Array(graph.plays);
    this.#lane = new Int32Array(graph.plays);
    this.#lastEnd = new Int32Array(graph.plays);
    this.#endMs = new Float64Array(graph.plays).fill(NaN);
    this.#failedBy = new Int32Array(graph.plays);
    this.#remaining = count;
    for (let node = 0; node < count; node++) this.#left[graph.play[node]]++;
    if (lanes === undefined) {
      this.#firstNode = this.#nodes = null;
      this.#nextPlay = graph.plays;
      for (let node = 0; node < count; node++) if (this.#open[node] === 0) this.#ready.push(node);
    } else {
      this.#firstNode = new Int32Array(graph.plays + 1);
      for (let play = 0; play < graph.plays; play++) {
        this.#firstNode[play + 1] = this.#firstNode[play] + this.#left[play];
      }
      const next = this.#firstNode.slice();
      this.#nodes = new Int32Array(count);
      for (let node = 0; node < count; node++) this.#nodes[next[graph.play[node]]++] = node;
      for (let lane = 0; lane < lanes && this.#nextPlay < graph.plays; lane++) this.#startPlay(0, lane);
    }
  }

  nextReadyMs(): number {
    this.#dropFailed();
    const readyMs = this.#ready.size > 0 ? this.#readyMs[this.#ready.first] : Infinity;
    // Lanes are filled when all ends of that time are known; until then, who asks may change nothing.
    return this.#freeLanes.length > 0 ? Math.min(readyMs, this.#freeMs) : readyMs;
  }

  admit(nowMs: number): number {
    if (this.#freeLanes.length > 0) this.#fillLanes();
    this.#dropFailed();
    if (this.#ready.size === 0) return -1;
    const node = this.#ready.first;
    if (this.#readyMs[node] > nowMs) return -1;
    this.#ready.pop();
    this.arrivalMs = this.#readyMs[node];
    const play = this.#graph.play[node];
    if (this.#inFlight[play]++ === 0 && Number.isNaN(this.#outcomes[play].startMs)) {
      this.#outcomes[play].startMs = this.arrivalMs;
    }
    this.#remaining--;
    return node;
  }

  dispatched(node: number, nowMs: number): void {
    this.#trigger(node, nowMs, 1);
  }

  ended(node: number, nowMs: number, status: EndStatus): void {
    const play = this.#graph.play[node];
    this.#inFlight[play]--;
    this.#left[play]--;
    const outcome = this.#outcomes[play];
    this.#lastEnd[play] = this.#endMs[play] === nowMs ? Math.max(this.#lastEnd[play], node) : node;
    this.#endMs[play] = nowMs;
    if (this.#failed[play] === 0) outcome.causalTerminalMs = nowMs;
    if (status === "completed") {
      this.#trigger(node, nowMs, 0);
    } else if (this.#failed[play] === 0) {
      this.#failed[play] = 1;
      outcome.status = "failed";
      this.#failedBy[play] = node;
      outcome.failure = { requestId: this.workload.requestIds![node], status };
      this.#remaining -= this.#left[play] - this.#inFlight[play];
    } else if (nowMs === outcome.causalTerminalMs && node < this.#failedBy[play]) {
      this.#failedBy[play] = node;
      outcome.failure = { requestId: this.workload.requestIds![node], status };
    }
    if (this.#left[play] > 0 && (this.#failed[play] === 0 || this.#inFlight[play] > 0)) return;
    outcome.settledMs = nowMs;
    if (this.#failed[play] === 0) outcome.status = "completed";
    if (this.#nextPlay < this.#graph.plays) {
      this.#freeLanes.push(play);
      this.#freeMs = nowMs;
    }
  }

  released(node: number, nowMs: number): void {
    const outcome = this.#outcomes[this.#graph.play[node]];
    if (nowMs > outcome.settledMs) outcome.settledMs = nowMs;
  }

  agentOutcome(handsOff?: (node: number) => boolean): AgentOutcome {
    const { source, models, play } = this.#graph;
    const { blockTokens, count: nodes } = this.workload;
    const plays = this.#outcomes.map((outcome) => ({ ...outcome }));
    if (handsOff !== undefined) {
      for (let node = 0; node < nodes; node++) {
        if (handsOff(node)) plays[play[node]].settledMs = NaN;
      }
    }
    return { plays, source, models, blockTokens, nodes };
  }

  exhausted(): boolean {
    return this.#remaining === 0;
  }

  promptRuns(): null {
    return null;
  }

  /** Gives lanes that became free at one time their next plays, in the order in which their plays ended. */
  #fillLanes(): void {
    for (const play of this.#freeLanes.sort((a, b) => this.#lastEnd[a] - this.#lastEnd[b])) {
      if (this.#nextPlay < this.#graph.plays) this.#startPlay(this.#freeMs, this.#lane[play]);
    }
    this.#freeLanes.length = 0;
  }

  /** Starts the next play in a lane: its roots keep their distances, the earliest of them starts at once. */
  #startPlay(nowMs: number, lane: number): void {
    const play = this.#nextPlay++, { notBeforeMs } = this.#graph;
    this.#lane[play] = lane;
    const from = this.#firstNode![play], to = this.#firstNode![play + 1], nodes = this.#nodes!;
    let earliest = Infinity;
    for (let i = from; i < to; i++) {
      if (this.#open[nodes[i]] === 0) earliest = Math.min(earliest, notBeforeMs[nodes[i]]);
    }
    for (let i = from; i < to; i++) {
      const node = nodes[i];
      this.#facts[node].lane_id = `lane:${lane}`;
      this.#readyMs[node] = nowMs + Math.max(0, notBeforeMs[node] - earliest);
      if (this.#open[node] === 0) this.#ready.push(node);
    }
  }

  #trigger(node: number, nowMs: number, kind: 0 | 1): void {
    const { firstTarget, targets, delaysMs, onDispatch } = this.#graph;
    for (let at = firstTarget[node]; at < firstTarget[node + 1]; at++) {
      if (onDispatch[at] !== kind) continue;
      const target = targets[at], readyMs = nowMs + delaysMs[at];
      if (readyMs > this.#readyMs[target]) this.#readyMs[target] = readyMs;
      if (--this.#open[target] === 0) this.#ready.push(target);
    }
  }

  /** Takes nodes of plays that stopped from the top of the heap. */
  #dropFailed(): void {
    while (this.#ready.size > 0 && this.#failed[this.#graph.play[this.#ready.first]] === 1) this.#ready.pop();
  }
}
