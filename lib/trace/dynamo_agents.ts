/**
 * Rows of a dynamo trace with agents → requests that wait for each other: turns of a session follow one another,
 * children are spawned by a parent's request and joined by a later one.
 *
 * @module
 */
import { TraceError } from "../errors.ts";
import { checkAgentRow } from "./agent_rows.ts";
import { byteOrder } from "./byte_order.ts";
import type { DynamoRow, DynamoTool } from "./dynamo_row.ts";
import type { Dependency, Relation, TraceRequest } from "./request.ts";

/** A dynamo row that no later one changes. */
export type KeptDynamoRow = Omit<DynamoRow, "hashCount">;

/** Orders rows by start, end and id. */
export function dynamoOrder(a: KeptDynamoRow, b: KeptDynamoRow): number {
  return a.timestampMs - b.timestampMs || a.endMs - b.endMs || byteOrder(a.requestId, b.requestId);
}

interface Session {
  name: string;
  parent: string | undefined;
  /** Places of its requests in the order of rows. */
  requests: number[];
}

/**
 * The requests of an agentic dynamo trace, checked. `rows` must be in {@linkcode dynamoOrder}.
 *
 * @throws {TraceError} naming the first thing that is wrong.
 */
export function agentRequests(
  rows: readonly KeptDynamoRow[],
  tools: readonly DynamoTool[],
  blockTokens: number,
  file: string,
): TraceRequest[] {
  const links = new Links(rows);
  const sessions = sessionsOf(rows);
  for (const { requests } of sessions.values()) {
    for (let turn = 1; turn < requests.length; turn++) {
      links.after(requests[turn], requests[turn - 1], "sequence", "completion");
    }
  }
  const toolOfChild = childTools(rows, links.byId, tools);
  const linked = explicitLinks(rows, links);
  for (const child of sessions.values()) {
    if (child.parent === undefined) continue;
    const parent = sessions.get(child.parent);
    if (parent === undefined) {
      throw new TraceError(`child session "${child.name}" references unknown parent session "${child.parent}"`);
    }
    linkChild(child, parent, toolOfChild.get(child.name), linked, links);
  }
  rows.forEach((row) => {
    if (!row.outputKnown) throw new TraceError("missing output_tokens", { file });
  });
  const earliest = rows[0].timestampMs;
  const notBefore = (i: number) => links.of[i].length > 0 ? 0 : rows[i].timestampMs - earliest;
  const plays = playsOf(rows, links, notBefore);
  const known = new Set<string>();
  return rows.map((row, i) => {
    const agent = { playId: plays[i], model: row.model ?? "unknown", dependencies: links.of[i] };
    const checked = {
      requestId: row.requestId,
      sessionId: row.sessionId!,
      hashIds: row.hashIds,
      inputTokens: row.inputTokens,
      outputTokens: row.outputTokens,
      outputTokenIds: undefined,
      notBeforeMs: notBefore(i),
      recordedApiTimeMs: undefined,
      agent,
    };
    // the rows stand behind a header line that only the intermediate form has
    checkAgentRow(checked, i + 2, blockTokens, known, file);
    return {
      timestampMs: checked.notBeforeMs,
      inputTokens: row.inputTokens,
      outputTokens: row.outputTokens,
      hashIds: row.hashIds,
      sessionId: row.sessionId,
      requestId: row.requestId,
      durationMs: row.durationMs,
      agent,
      line: i + 2,
    };
  });
}

/** Who waits for whom, by place of the row. */
class Links {
  readonly of: Dependency[][];
  readonly byId: Map<string, number>;
  readonly #rows: readonly KeptDynamoRow[];

  constructor(rows: readonly KeptDynamoRow[]) {
    this.#rows = rows;
    this.of = rows.map(() => []);
    this.byId = new Map(rows.map((row, i) => [row.requestId, i]));
  }

  startOf(i: number): number {
    return this.#rows[i].timestampMs;
  }

  endOf(i: number): number {
    return this.#rows[i].endMs;
  }

  /** The request that ends last (then: started last, then: largest id) of those that end by `untilMs`. */
  lastEnded(requests: readonly number[], untilMs: number): number | undefined {
    let last: number | undefined;
    for (const i of requests) {
      if (this.endOf(i) > untilMs) continue;
      // requests stand in the order of start and id
      if (last === undefined || this.endOf(i) >= this.endOf(last)) last = i;
    }
    return last;
  }

  /** `target` waits for `source` as long as it did where it was recorded. The first of equal links counts. */
  after(
    target: number,
    source: number,
    relation: Relation,
    trigger: "dispatch" | "completion",
    leastMs = -Infinity,
  ): void {
    const from = this.#rows[source], requestId = from.requestId;
    if (this.of[target].some((link) => link.requestId === requestId && link.trigger === trigger)) return;
    const since = trigger === "dispatch" ? from.timestampMs : from.endMs;
    const delayMs = Math.max(leastMs, this.#rows[target].timestampMs - since);
    this.of[target].push({ requestId, trigger, delayMs, relation });
  }
}

function sessionsOf(rows: readonly KeptDynamoRow[]): Map<string, Session> {
  const sessions = new Map<string, Session>();
  rows.forEach((row, i) => {
    const name = row.sessionId!, parent = row.parentSessionId || undefined;
    if (name.trim() === "") throw new TraceError("session_id must be nonempty");
    let session = sessions.get(name);
    if (session === undefined) sessions.set(name, session = { name, parent, requests: [] });
    session.parent ??= parent;
    if (parent !== undefined && parent !== session.parent) {
      const parents = `"${session.parent}" and "${parent}"`;
      throw new TraceError(`session "${name}" has conflicting parent_session_id values ${parents}`);
    }
    session.requests.push(i);
  });
  return sessions;
}

/** The tool call that ran each child session, by the child's name. */
function childTools(
  rows: readonly KeptDynamoRow[],
  byId: ReadonlyMap<string, number>,
  tools: readonly DynamoTool[],
): Map<string, DynamoTool> {
  const byChild = new Map<string, DynamoTool>();
  for (const tool of tools) {
    const { executionMode, sourceRequestId, consumerRequestId, childSessionId } = tool;
    if (executionMode === undefined) continue;
    if (executionMode !== "blocking" && executionMode !== "background") {
      throw new TraceError(
        `tool "${tool.callId}" (${tool.toolClass}) has unsupported execution_mode "${executionMode}"`,
      );
    }
    for (const id of [sourceRequestId, consumerRequestId]) {
      if (id === undefined) continue;
      const place = byId.get(id);
      if (place === undefined) throw new TraceError(`tool "${tool.callId}" references unknown request_id "${id}"`);
      const session = rows[place].sessionId;
      if (session !== tool.sessionId) {
        const where = `belongs to session "${session}", expected "${tool.sessionId}"`;
        throw new TraceError(`tool "${tool.callId}" request "${id}" ${where}`);
      }
    }
    if (childSessionId === undefined) continue;
    if (byChild.has(childSessionId)) {
      throw new TraceError(`multiple tool events reference child session "${childSessionId}"`);
    }
    byChild.set(childSessionId, tool);
  }
  return byChild;
}

/** Adds the links that rows name themselves; returns the pairs of sessions they link. */
function explicitLinks(rows: readonly KeptDynamoRow[], links: Links): Set<string> {
  const linked = new Set<string>();
  rows.forEach((row, i) => {
    for (const { requestId, relation, trigger } of row.links ?? []) {
      const source = links.byId.get(requestId);
      if (source === undefined) {
        throw new TraceError(`request "${row.requestId}" depends on unknown request_id "${requestId}"`);
      }
      if (rows[source].timestampMs > row.timestampMs) {
        throw new TraceError(`request "${row.requestId}" depends on later request "${requestId}"`);
      }
      links.after(i, source, relation, trigger, 0);
      linked.add(pair(row.sessionId!, rows[source].sessionId!));
    }
  });
  return linked;
}

const pair = (a: string, b: string) => JSON.stringify(a < b ? [a, b] : [b, a]);

function linkChild(
  child: Session,
  parent: Session,
  tool: DynamoTool | undefined,
  linked: ReadonlySet<string>,
  links: Links,
): void {
  const first = child.requests[0];
  if (tool !== undefined) {
    links.after(first, links.byId.get(tool.sourceRequestId!)!, "spawn", "dispatch");
    if (tool.consumerRequestId === undefined) return;
    const consumer = links.byId.get(tool.consumerRequestId)!;
    const last = links.lastEnded(child.requests, links.startOf(consumer));
    if (last !== undefined) links.after(consumer, last, "join", "completion");
    return;
  }
  if (linked.has(pair(child.name, parent.name))) return;
  const spawner = parent.requests.findLast((i) => links.startOf(i) <= links.startOf(first));
  if (spawner !== undefined) links.after(first, spawner, "spawn", "dispatch");
  const last = links.lastEnded(child.requests, Infinity)!;
  const joiner = parent.requests.find((i) => links.startOf(i) >= links.endOf(last));
  if (joiner !== undefined) links.after(joiner, last, "join", "completion");
}

/** The play of each row: the rows that are linked, called after the first that waits for none. */
function playsOf(rows: readonly KeptDynamoRow[], links: Links, notBefore: (i: number) => number): string[] {
  const parent = rows.map((_, i) => i);
  const find = (i: number): number => {
    while (parent[i] !== i) i = parent[i] = parent[parent[i]];
    return i;
  };
  links.of.forEach((dependencies, i) => {
    for (const { requestId } of dependencies) parent[find(i)] = find(links.byId.get(requestId)!);
  });
  const root = new Map<number, number>();
  rows.forEach((row, i) => {
    if (links.of[i].length > 0) return;
    const best = root.get(find(i));
    const order = best === undefined
      ? -1
      : notBefore(i) - notBefore(best) || byteOrder(row.requestId, rows[best].requestId);
    if (order < 0) root.set(find(i), i);
  });
  return rows.map((_, i) => `dynamo-play:${rows[root.get(find(i)) ?? find(i)].requestId}`);
}
