/**
 * Requests that wait for each other: checked, ordered and put into columns.
 *
 * @module
 */
import { ConfigError, TraceError } from "../errors.ts";
import { byteOrder } from "../trace/byte_order.ts";
import type { TraceRequest } from "../trace/request.ts";
import { AgentSource } from "./agent_source.ts";
import { checkSpeedup } from "./session_rows.ts";
import type { Traffic } from "./workload.ts";
import { WorkloadBuilder } from "./workload_builder.ts";

/** How a graph is replayed. */
export interface GraphLoadOptions {
  blockTokens: number;
  /** Divides start times and delays. Default 1. */
  speedup?: number;
  /** Plays that run at the same time, one after the other in each lane. Default: every play at its own time. */
  lanes?: number;
  /** The model that serves the requests. Required, because recorded requests may name several. */
  model?: string;
}

/** Who waits for whom, by node. Nodes are requests in the byte order of their ids. */
export interface Graph {
  /** Earliest start of each node. */
  notBeforeMs: Float64Array;
  /** Number of dependencies of each node. */
  waitsFor: Int32Array;
  /** Node `n` triggers `targets[firstTarget[n] … firstTarget[n + 1] - 1]`, in the order of the targets. */
  firstTarget: Int32Array;
  targets: Int32Array;
  delaysMs: Float64Array;
  /** 1 where the start of the source counts, 0 where its completion does. */
  onDispatch: Uint8Array;
  /** Play of each node, in the order in which lanes take them. */
  play: Int32Array;
  plays: number;
  playIds: readonly string[];
  /** What records tell of each node: its names, the play's root when it has one, the request that spawned it. */
  facts: readonly Readonly<Record<string, string>>[];
  source: { format: string; digest: string };
  models: readonly string[];
}

/** @throws {TraceError} when the graph is none that can run. */
export function loadGraph(
  requests: readonly TraceRequest[],
  source: { format: string; digest: string },
  options: GraphLoadOptions,
): Traffic {
  const nodes = requests.toSorted((a, b) => byteOrder(a.requestId!, b.requestId!));
  const links = linksOf(nodes);
  checkOrder(nodes, links);
  const { play, playIds } = playOrder(nodes);
  if (options.model === undefined) throw new ConfigError("agentic execution requires a configured target model");
  const { speedup = 1, lanes } = options;
  checkSpeedup(speedup);
  const earliest = nodes.reduce((least, node) => Math.min(least, node.timestampMs!), Infinity);
  const graph: Graph = {
    ...links,
    notBeforeMs: Float64Array.from(nodes, (node) => (node.timestampMs! - earliest) / speedup),
    delaysMs: links.delaysMs.map((delay) => delay / speedup),
    play,
    plays: playIds.length,
    playIds,
    facts: factsOf(nodes),
    source,
    models: [...new Set(nodes.map((node) => node.agent!.model))].sort(byteOrder),
  };

  const builder = new WorkloadBuilder(options.blockTokens);
  const sessions = new Map<string, number>(), session = new Int32Array(nodes.length);
  nodes.forEach((node, i) => {
    builder.add(node, node.hashIds);
    const name = node.sessionId!;
    if (!sessions.has(name)) sessions.set(name, sessions.size);
    session[i] = sessions.get(name)!;
  });
  const names = [...sessions.keys()];
  const workload = builder.finish(
    { session, turn: null, sessionName: (s) => names[s], sessionMadeUp: null },
    { requestIds: nodes.map((node) => node.requestId!), playIds: nodes.map((node) => node.agent!.playId) },
  );
  return { workload, start: () => new AgentSource(workload, graph, lanes) };
}

/** Who triggers whom, and how. */
type Links = Pick<Graph, "waitsFor" | "firstTarget" | "targets" | "delaysMs" | "onDispatch">;

/** The links between the nodes, checked; delays are as recorded. */
function linksOf(nodes: readonly TraceRequest[]): Links {
  const index = new Map<string, number>();
  nodes.forEach((node, i) => index.set(node.requestId!, i));
  const waitsFor = Int32Array.from(nodes, ({ agent }) => agent!.dependencies.length);
  const count = waitsFor.reduce((sum, links) => sum + links, 0);
  /** Of each link, target by target, the node it comes from. */
  const sources = new Int32Array(count), firstTarget = new Int32Array(nodes.length + 1);
  let link = 0;
  for (const { requestId, agent } of nodes) {
    for (const { requestId: source } of agent!.dependencies) {
      const from = index.get(source);
      if (from === undefined) throw new TraceError(`request ${requestId} references unknown request_id ${source}`);
      if (source === requestId) throw new TraceError(`request ${requestId} cannot depend on itself`);
      const other = nodes[from].agent!.playId;
      if (other !== agent!.playId) {
        throw new TraceError(
          `request ${requestId} in play ${agent!.playId} depends on request ${source} in play ${other}`,
        );
      }
      sources[link++] = from;
      firstTarget[from + 1]++;
    }
  }
  for (let n = 0; n < nodes.length; n++) firstTarget[n + 1] += firstTarget[n];
  const next = firstTarget.slice();
  const targets = new Int32Array(count), delaysMs = new Float64Array(count), onDispatch = new Uint8Array(count);
  link = 0;
  for (let target = 0; target < nodes.length; target++) {
    for (const { delayMs, trigger } of nodes[target].agent!.dependencies) {
      const at = next[sources[link++]]++;
      targets[at] = target;
      delaysMs[at] = delayMs;
      onDispatch[at] = trigger === "dispatch" ? 1 : 0;
    }
  }
  return { waitsFor, firstTarget, targets, delaysMs, onDispatch };
}

/** @throws {TraceError} when requests wait for each other */
function checkOrder(nodes: readonly TraceRequest[], { waitsFor, firstTarget, targets }: Links): void {
  const open = waitsFor.slice(), free = new Int32Array(nodes.length);
  let found = 0;
  for (let n = 0; n < nodes.length; n++) if (open[n] === 0) free[found++] = n;
  for (let i = 0; i < found; i++) {
    for (let at = firstTarget[free[i]]; at < firstTarget[free[i] + 1]; at++) {
      if (--open[targets[at]] === 0) free[found++] = targets[at];
    }
  }
  if (found === nodes.length) return;
  const blocked = nodes.filter((_, i) => open[i] > 0).map((node) => node.requestId);
  throw new TraceError(
    `cycle detected among ${blocked.length} agentic requests; blocked request IDs: ${blocked.slice(0, 8).join(", ")}`,
  );
}

/** Plays in the order of their ordinals when they have them, else of their ids. */
function playOrder(nodes: readonly TraceRequest[]): { play: Int32Array; playIds: string[] } {
  const byId = new Map<string, { ordinal: number | undefined; roots: number }>();
  for (const { agent } of nodes) {
    const { playId, playOrdinal: ordinal, dependencies } = agent!;
    const known = byId.get(playId);
    if (known !== undefined && known.ordinal !== ordinal) {
      throw new TraceError(`play ${playId} has inconsistent source_play_ordinal values`);
    }
    if (known === undefined) byId.set(playId, { ordinal, roots: dependencies.length === 0 ? 1 : 0 });
    else if (dependencies.length === 0) known.roots++;
  }
  const ids = [...byId.keys()].sort(byteOrder);
  for (const id of ids) {
    if (byId.get(id)!.roots === 0) throw new TraceError(`play ${id} must have at least one root request, found 0`);
  }
  const withOrdinal = ids.filter((id) => byId.get(id)!.ordinal !== undefined).length;
  if (withOrdinal > 0) {
    if (withOrdinal < ids.length) {
      throw new TraceError("source_play_ordinal must be set for every play when it is used");
    }
    ids.sort((a, b) => byId.get(a)!.ordinal! - byId.get(b)!.ordinal!);
    ids.forEach((id, expected) => {
      const found = byId.get(id)!.ordinal!;
      if (found !== expected) {
        throw new TraceError(
          `source_play_ordinal values must be unique and contiguous from 0; expected ${expected}, found ${found}`,
        );
      }
    });
  }
  const place = new Map(ids.map((id, i) => [id, i]));
  return { play: Int32Array.from(nodes, (node) => place.get(node.agent!.playId)!), playIds: ids };
}

function factsOf(nodes: readonly TraceRequest[]): Record<string, string>[] {
  const roots = new Map<string, string | null>();
  for (const { agent, requestId } of nodes) {
    if (agent!.dependencies.length > 0) continue;
    roots.set(agent!.playId, roots.has(agent!.playId) ? null : requestId!);
  }
  return nodes.map(({ requestId, sessionId, agent }) => {
    const { playId, dependencies } = agent!;
    const root = roots.get(playId);
    const parents = dependencies.filter(({ relation }) => relation === "spawn").map((link) => link.requestId);
    return {
      request_id: requestId!,
      play_id: playId,
      conversation_id: sessionId!,
      ...(root ? { root_id: root } : {}),
      ...(parents.length > 0 ? { parent_id: parents.sort(byteOrder)[0] } : {}),
    };
  });
}
