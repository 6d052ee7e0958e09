import {
  BATCHES,
  BlockFit,
  FORMAT_OPTIONS,
  Heap,
  IdTable,
  JsonCursor,
  JsonProblem,
  KeySet,
  MAX_TOKENS,
  MOST_TIME_MS,
  RefusedRow,
  WorkloadBuilder,
  batchesOf,
  checkSpeedup,
  grouped as grouped2,
  identityTeller,
  mooncakeRow,
  readingLine,
  requestBatches,
  sourceBytes,
  sourceName,
  timeDoubt,
  traceFormat,
  traceFormats
} from "./core.js";
import {
  Histogram,
  IndexHeap,
  TextSet,
  splitmix32
} from "./shared.js";
import {
  filesAt,
  jsonText
} from "./config.js";
import {
  LineCutter
} from "./timing.js";
import {
  AtomicFile,
  ByteSourceError,
  ConfigError,
  TraceError,
  checkNumber,
  checkOptions,
  choice,
  command,
  flag,
  grouped,
  host,
  isStandardOutput,
  longer,
  moment,
  number2 as number,
  reason,
  showReading,
  text,
  writeText
} from "./base.js";

// lib/trace/ledger.ts
var EXAMPLES = 3;
var Ledger = class {
  /** Rows that tell of requests, refused ones included. */
  read = 0;
  /** Requests passed on. */
  emitted = 0;
  /** Dropped rows by reason. */
  dropped = /* @__PURE__ */ new Map();
  /** The first few refusals in words. */
  examples = [];
  /** What else a reader of the result should know: counted remarks. */
  notes = /* @__PURE__ */ new Map();
  /** Name of the format that was read. */
  format = "";
  /** How the format was recognised, when it was. */
  why = "";
  /** What prefixes are known by; undefined before the format is known. */
  identity;
  /** Tokens of a block in the result. */
  blockTokens;
  /** First and last time among the rows passed on, `NaN` when they have none. */
  firstMs = NaN;
  /** See `firstMs`. */
  lastMs = NaN;
  /** Rows passed on that are earlier than the one before. */
  inversions = 0;
  /** A reader could not use a row. */
  refuse(reason2, example) {
    this.read++;
    this.drop(reason2);
    if (example !== void 0 && this.examples.length < EXAMPLES) this.examples.push(example);
  }
  /** A row that was read goes no further. */
  drop(reason2, count = 1) {
    if (count > 0) this.dropped.set(reason2, (this.dropped.get(reason2) ?? 0) + count);
  }
  /** Counts a remark about rows that were passed on. */
  note(remark, count = 1) {
    if (count > 0) this.notes.set(remark, (this.notes.get(remark) ?? 0) + count);
  }
  /** Rows dropped for any reason. */
  get droppedTotal() {
    let total = 0;
    for (const count of this.dropped.values()) total += count;
    return total;
  }
  /**
   * Fails unless every row read was passed on or dropped for a reason.
   *
   * @throws {TraceError} when rows were lost or invented on the way.
   */
  check() {
    if (this.read === this.emitted + this.droppedTotal) return;
    throw new TraceError(`the row counts do not add up: ${this.read} rows read, but ${this.emitted} passed on and ${this.droppedTotal} dropped`);
  }
  /** The counts as a plain object, for JSON. */
  toJSON() {
    return {
      format: this.format,
      recognised_by: this.why || null,
      rows_read: this.read,
      rows_emitted: this.emitted,
      rows_dropped: Object.fromEntries(this.dropped),
      first_ms: Number.isNaN(this.firstMs) ? null : this.firstMs,
      last_ms: Number.isNaN(this.lastMs) ? null : this.lastMs,
      inversions: this.inversions,
      block_tokens: this.blockTokens ?? null,
      prefix_identity: this.identity ?? null,
      notes: Object.fromEntries(this.notes),
      examples: this.examples
    };
  }
};

// lib/trace/stage.ts
var Flow = class extends ReadableStream {
  #batches;
  #touched = false;
  /** A stream over the batches, which are asked for as they are read. */
  constructor(batches2) {
    let iterator;
    const start = () => iterator ??= batches2[Symbol.asyncIterator]();
    const touch = () => this.#touched = true;
    super({
      async pull(controller) {
        touch();
        for (; ; ) {
          const next = await start().next();
          if (next.done) return controller.close();
          for (const item of next.value) controller.enqueue(item);
          if (next.value.length > 0) return;
        }
      },
      async cancel() {
        touch();
        await start().return?.();
      }
    }, {
      highWaterMark: 0
    });
    this.#batches = batches2;
  }
  /** @internal */
  [BATCHES]() {
    return this.batches();
  }
  /** The batches behind the stream, for one reader; the stream itself is locked by it. */
  batches() {
    if (this.#touched || this.locked) return grouped2(super[Symbol.asyncIterator]());
    super.getReader();
    return this.#batches;
  }
  /** As of any stream; a {@linkcode Stage} gets the batches themselves, without a queue in between. */
  pipeThrough(pair2, options) {
    if (pair2 instanceof Stage && options === void 0 && !this.locked) return pair2.after(this);
    return super.pipeThrough(pair2, options);
  }
  /** As of any stream; a {@linkcode Sink} gets the batches themselves. */
  async pipeTo(destination, options) {
    if (!(destination instanceof Sink) || options !== void 0 || this.locked) {
      return await super.pipeTo(destination, options);
    }
    await destination.take(this.batches());
  }
  /** Single items, in order. */
  values(options) {
    if (options?.preventCancel || this.#touched || this.locked) return super.values(options);
    return items(this.batches());
  }
  /** Single items, in order. */
  [Symbol.asyncIterator](options) {
    return this.values(options);
  }
};
async function* items(batches2) {
  for await (const batch of batches2) yield* batch;
}
var Stage = class {
  /** The generator function itself, for stages that are made of others. */
  run;
  #pair;
  #used = false;
  /** A stage whose generator gets the batches of what it reads and yields the batches of what it writes. */
  constructor(run) {
    this.run = run;
  }
  /** The stage behind a flow, without a queue between them. */
  after(source) {
    this.#use();
    return new Flow(this.run(source.batches()));
  }
  /** The side that items come out of. */
  get readable() {
    return this.#queue().readable;
  }
  /** The side that items go into. */
  get writable() {
    return this.#queue().writable;
  }
  #queue() {
    if (this.#pair === void 0) {
      this.#use();
      const queue = new TransformStream();
      this.#pair = {
        readable: new Flow(this.run(grouped2(queue.readable))),
        writable: queue.writable
      };
    }
    return this.#pair;
  }
  #use() {
    if (this.#used) throw new TypeError("A stage is good for one use: make another one");
    this.#used = true;
  }
};
function batchStage(run) {
  return new Stage(run);
}
function stage(run) {
  return new Stage((batches2) => grouped2(run(items(batches2))));
}
var Sink = class extends WritableStream {
  /** What the sink is made of, for sinks that are made of others. */
  parts;
  /** A sink that hands its batches to `parts`. */
  constructor(parts) {
    super({
      write: (item) => parts.write([
        item
      ]),
      close: () => parts.close(),
      abort: (reason2) => parts.abort(reason2)
    });
    this.parts = parts;
  }
  /** Takes everything from the batches, then closes; on failure undoes what was written and throws. */
  async take(batches2) {
    this.getWriter();
    try {
      for await (const batch of batches2) await this.parts.write(batch);
      await this.parts.close();
    } catch (problem) {
      await this.parts.abort(problem);
      throw problem;
    }
  }
};

// lib/trace/limit.ts
function limit(count, options = {}) {
  checkOptions("limit()", options, {
    ledger: true
  });
  if (!(Number.isInteger(count) && count >= 0)) throw new ConfigError(`a limit must be a whole number, got ${count}`);
  return batchStage(async function* (batches2) {
    let left = count;
    if (left === 0) return;
    for await (const batch of batches2) {
      yield batch.length <= left ? batch : batch.slice(0, left);
      options.ledger?.drop("beyond the limit", Math.max(0, batch.length - left));
      left -= batch.length;
      if (left <= 0) return;
    }
  });
}

// lib/trace/agent_rows.ts
var NAMES = {
  sequence: "Sequence",
  spawn: "Spawn",
  join: "Join",
  replay_barrier: "ReplayBarrier"
};
function checkAgentRow(row, line, blockTokens, known, file) {
  const fail = (what) => {
    throw new TraceError(`trace line ${line} ${what}`, {
      file,
      line
    });
  };
  if (row.requestId.trim() === "") fail("has empty request_id");
  if (row.agent.playId.trim() === "") fail("has empty play_id");
  if (row.sessionId.trim() === "") fail("has empty session_id");
  if (known.has(row.requestId)) fail(`duplicates request_id ${row.requestId}`);
  known.add(row.requestId);
  const { hashIds, inputTokens, outputTokens, outputTokenIds } = row;
  if (hashIds === void 0) return fail("is missing hash_ids");
  if (hashIds.length === 0) fail("has empty hash_ids");
  if (inputTokens === void 0) return fail("is missing input_length");
  if (inputTokens === 0) fail("has zero input_length");
  const expected = Math.ceil(inputTokens / blockTokens);
  if (hashIds.length !== expected) {
    const rule = `has input_length ${inputTokens} at block_size ${blockTokens} and requires exactly`;
    fail(`${rule} ${expected} hash_ids, got ${hashIds.length}`);
  }
  if (row.agent.model.trim() === "") fail("has an empty model");
  if (outputTokens === void 0) return fail("is missing output_length");
  if (outputTokenIds !== void 0 && outputTokenIds.length !== outputTokens) {
    fail(`output_length ${outputTokens} does not match output_token_ids length ${outputTokenIds.length}`);
  }
  const time = (value) => value >= 0 && value < Infinity;
  if (!time(row.notBeforeMs)) fail(`has invalid not_before_ms ${row.notBeforeMs}`);
  if (row.recordedApiTimeMs !== void 0 && !time(row.recordedApiTimeMs)) {
    const text2 = Number.isInteger(row.recordedApiTimeMs) ? row.recordedApiTimeMs.toFixed(1) : row.recordedApiTimeMs;
    fail(`has invalid recorded_api_time_ms Some(${text2})`);
  }
  for (const { requestId, delayMs, trigger, relation } of row.agent.dependencies) {
    if (requestId.trim() === "") fail("has a dependency with an empty request_id");
    if (!time(delayMs)) fail(`has invalid dependency delay ${delayMs}`);
    if (trigger === "dispatch" && relation !== "spawn") {
      fail(`has invalid ${NAMES[relation]} dependency with Dispatch trigger`);
    }
  }
}

// lib/trace/byte_order.ts
function byteOrder(a, b) {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i), y = b.charCodeAt(i);
    if (x !== y) return height(x) - height(y);
  }
  return a.length - b.length;
}
function height(code) {
  return code >= 55296 && code < 57344 ? code + 65536 : code;
}

// lib/trace/dynamo_agents.ts
function dynamoOrder(a, b) {
  return a.timestampMs - b.timestampMs || a.endMs - b.endMs || byteOrder(a.requestId, b.requestId);
}
function agentRequests(rows, tools, blockTokens, file) {
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
    if (child.parent === void 0) continue;
    const parent = sessions.get(child.parent);
    if (parent === void 0) {
      throw new TraceError(`child session "${child.name}" references unknown parent session "${child.parent}"`);
    }
    linkChild(child, parent, toolOfChild.get(child.name), linked, links);
  }
  rows.forEach((row) => {
    if (!row.outputKnown) throw new TraceError("missing output_tokens", {
      file
    });
  });
  const earliest = rows[0].timestampMs;
  const notBefore = (i) => links.of[i].length > 0 ? 0 : rows[i].timestampMs - earliest;
  const plays = playsOf(rows, links, notBefore);
  const known = /* @__PURE__ */ new Set();
  return rows.map((row, i) => {
    const agent = {
      playId: plays[i],
      model: row.model ?? "unknown",
      dependencies: links.of[i]
    };
    const checked = {
      requestId: row.requestId,
      sessionId: row.sessionId,
      hashIds: row.hashIds,
      inputTokens: row.inputTokens,
      outputTokens: row.outputTokens,
      outputTokenIds: void 0,
      notBeforeMs: notBefore(i),
      recordedApiTimeMs: void 0,
      agent
    };
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
      line: i + 2
    };
  });
}
var Links = class {
  of;
  byId;
  #rows;
  constructor(rows) {
    this.#rows = rows;
    this.of = rows.map(() => []);
    this.byId = new Map(rows.map((row, i) => [
      row.requestId,
      i
    ]));
  }
  startOf(i) {
    return this.#rows[i].timestampMs;
  }
  endOf(i) {
    return this.#rows[i].endMs;
  }
  /** The request that ends last (then: started last, then: largest id) of those that end by `untilMs`. */
  lastEnded(requests, untilMs) {
    let last;
    for (const i of requests) {
      if (this.endOf(i) > untilMs) continue;
      if (last === void 0 || this.endOf(i) >= this.endOf(last)) last = i;
    }
    return last;
  }
  /** `target` waits for `source` as long as it did where it was recorded. The first of equal links counts. */
  after(target, source, relation, trigger, leastMs = -Infinity) {
    const from = this.#rows[source], requestId = from.requestId;
    if (this.of[target].some((link) => link.requestId === requestId && link.trigger === trigger)) return;
    const since = trigger === "dispatch" ? from.timestampMs : from.endMs;
    const delayMs = Math.max(leastMs, this.#rows[target].timestampMs - since);
    this.of[target].push({
      requestId,
      trigger,
      delayMs,
      relation
    });
  }
};
function sessionsOf(rows) {
  const sessions = /* @__PURE__ */ new Map();
  rows.forEach((row, i) => {
    const name = row.sessionId, parent = row.parentSessionId || void 0;
    if (name.trim() === "") throw new TraceError("session_id must be nonempty");
    let session = sessions.get(name);
    if (session === void 0) sessions.set(name, session = {
      name,
      parent,
      requests: []
    });
    session.parent ??= parent;
    if (parent !== void 0 && parent !== session.parent) {
      const parents = `"${session.parent}" and "${parent}"`;
      throw new TraceError(`session "${name}" has conflicting parent_session_id values ${parents}`);
    }
    session.requests.push(i);
  });
  return sessions;
}
function childTools(rows, byId, tools) {
  const byChild = /* @__PURE__ */ new Map();
  for (const tool of tools) {
    const { executionMode, sourceRequestId, consumerRequestId, childSessionId } = tool;
    if (executionMode === void 0) continue;
    if (executionMode !== "blocking" && executionMode !== "background") {
      throw new TraceError(`tool "${tool.callId}" (${tool.toolClass}) has unsupported execution_mode "${executionMode}"`);
    }
    for (const id of [
      sourceRequestId,
      consumerRequestId
    ]) {
      if (id === void 0) continue;
      const place = byId.get(id);
      if (place === void 0) throw new TraceError(`tool "${tool.callId}" references unknown request_id "${id}"`);
      const session = rows[place].sessionId;
      if (session !== tool.sessionId) {
        const where = `belongs to session "${session}", expected "${tool.sessionId}"`;
        throw new TraceError(`tool "${tool.callId}" request "${id}" ${where}`);
      }
    }
    if (childSessionId === void 0) continue;
    if (byChild.has(childSessionId)) {
      throw new TraceError(`multiple tool events reference child session "${childSessionId}"`);
    }
    byChild.set(childSessionId, tool);
  }
  return byChild;
}
function explicitLinks(rows, links) {
  const linked = /* @__PURE__ */ new Set();
  rows.forEach((row, i) => {
    for (const { requestId, relation, trigger } of row.links ?? []) {
      const source = links.byId.get(requestId);
      if (source === void 0) {
        throw new TraceError(`request "${row.requestId}" depends on unknown request_id "${requestId}"`);
      }
      if (rows[source].timestampMs > row.timestampMs) {
        throw new TraceError(`request "${row.requestId}" depends on later request "${requestId}"`);
      }
      links.after(i, source, relation, trigger, 0);
      linked.add(pair(row.sessionId, rows[source].sessionId));
    }
  });
  return linked;
}
var pair = (a, b) => JSON.stringify(a < b ? [
  a,
  b
] : [
  b,
  a
]);
function linkChild(child, parent, tool, linked, links) {
  const first = child.requests[0];
  if (tool !== void 0) {
    links.after(first, links.byId.get(tool.sourceRequestId), "spawn", "dispatch");
    if (tool.consumerRequestId === void 0) return;
    const consumer = links.byId.get(tool.consumerRequestId);
    const last2 = links.lastEnded(child.requests, links.startOf(consumer));
    if (last2 !== void 0) links.after(consumer, last2, "join", "completion");
    return;
  }
  if (linked.has(pair(child.name, parent.name))) return;
  const spawner = parent.requests.findLast((i) => links.startOf(i) <= links.startOf(first));
  if (spawner !== void 0) links.after(first, spawner, "spawn", "dispatch");
  const last = links.lastEnded(child.requests, Infinity);
  const joiner = parent.requests.find((i) => links.startOf(i) >= links.endOf(last));
  if (joiner !== void 0) links.after(joiner, last, "join", "completion");
}
function playsOf(rows, links, notBefore) {
  const parent = rows.map((_, i) => i);
  const find = (i) => {
    while (parent[i] !== i) i = parent[i] = parent[parent[i]];
    return i;
  };
  links.of.forEach((dependencies, i) => {
    for (const { requestId } of dependencies) parent[find(i)] = find(links.byId.get(requestId));
  });
  const root = /* @__PURE__ */ new Map();
  rows.forEach((row, i) => {
    if (links.of[i].length > 0) return;
    const best = root.get(find(i));
    const order = best === void 0 ? -1 : notBefore(i) - notBefore(best) || byteOrder(row.requestId, rows[best].requestId);
    if (order < 0) root.set(find(i), i);
  });
  return rows.map((_, i) => `dynamo-play:${rows[root.get(find(i)) ?? find(i)].requestId}`);
}

// lib/trace/dynamo_order.ts
var WINDOW = 32768;
var BATCH = 512;
var Shard = class {
  file;
  #batches;
  #window;
  /** Rows read ahead, as a heap. */
  #heap = new Heap(dynamoOrder);
  #over = false;
  constructor(source, trace, window, feed) {
    this.file = sourceName(source);
    this.#batches = requestBatches(source, trace.rows(this.file), feed);
    this.#window = window;
  }
  /** Reads on until the window is full or the file is over. */
  async fill() {
    while (!this.#over && this.#heap.size < this.#window) {
      const next = await this.#batches.next();
      if (next.done) this.#over = true;
      else for (const row of next.value) this.#heap.push(row);
    }
  }
  get first() {
    return this.#heap.first;
  }
  /** True when the first row may be taken without reading on. */
  get ready() {
    return this.#over || this.#heap.size >= this.#window;
  }
  take() {
    return this.#heap.pop();
  }
  async close() {
    await this.#batches.return();
  }
};
async function* dynamoByTime(sources, trace, options = {}) {
  const window = Math.max(Math.ceil((options.windowRows ?? WINDOW) / sources.length), 1);
  const shards = sources.map((source) => new Shard(source, trace, window, options.feed));
  const ends = /* @__PURE__ */ new Map();
  let last;
  let batch = [];
  try {
    for (const shard of shards) await shard.fill();
    for (; ; ) {
      let next;
      for (const shard of shards) {
        if (!shard.ready) await shard.fill();
        if (shard.first && (next === void 0 || dynamoOrder(shard.first, next.first) < 0)) next = shard;
      }
      if (next === void 0) break;
      const row = next.take();
      if (last !== void 0 && dynamoOrder(row, last) < 0) throw tooFar(row, last, next.file, window);
      if (!row.outputKnown && options.feed?.badRows === "drop") {
        options.feed.ledger?.drop("no output tokens");
        continue;
      }
      if (!row.outputKnown) throw new TraceError("missing output_tokens", {
        file: next.file,
        line: row.line
      });
      last = row;
      if (row.sessionId !== void 0) {
        options.feed?.ledger?.note("rows of agents, of which only sessions are kept, not who spawned or joined whom");
        const ended = ends.get(row.sessionId);
        if (ended !== void 0) row.delayMs = Math.max(0, row.timestampMs - ended);
        ends.set(row.sessionId, row.endMs);
      }
      if (batch.push(row) === BATCH) {
        yield batch;
        batch = [];
      }
    }
    if (batch.length > 0) yield batch;
    trace.check();
  } finally {
    for (const shard of shards) await shard.close();
  }
}
function tooFar(row, last, file, window) {
  const early = last.timestampMs - row.timestampMs;
  return new TraceError(`${file}:${row.line}: request "${row.requestId}" begins ${early} ms before one that was passed on already; the rows are out of order by more than ${window} rows: sort the trace first`, {
    file,
    line: row.line
  });
}

// lib/trace/dynamo_row.ts
var SCHEMA = "dynamo.request.trace.v1";

// lib/trace/dynamo_objects.ts
var CONTEXT_KEYS = new KeySet([
  [
    "session_id"
  ],
  [
    "parent_session_id"
  ]
]);
var LINK_KEYS = new KeySet([
  [
    "request_id"
  ],
  [
    "relation"
  ],
  [
    "trigger"
  ]
]);
var TOOL_KEYS = new KeySet([
  [
    "tool_call_id"
  ],
  [
    "tool_class"
  ],
  [
    "claude"
  ],
  [
    "started_at_unix_ms"
  ],
  [
    "ended_at_unix_ms"
  ],
  [
    "duration_ms"
  ]
]);
var CLAUDE_KEYS = new KeySet([
  [
    "source_request_id"
  ],
  [
    "execution_mode"
  ],
  [
    "consumer_request_id"
  ],
  [
    "child_session_id"
  ]
]);
var RELATIONS = [
  "sequence",
  "spawn",
  "join",
  "replay_barrier"
];
var TRIGGERS = [
  "dispatch",
  "completion"
];
function readObject(cursor, keys, required, read) {
  let seen = 0;
  cursor.openObject();
  for (let first = true; ; first = false) {
    const field = cursor.nextKey(keys, first);
    if (field === -2) break;
    if (field < 0) {
      cursor.skip();
      continue;
    }
    seen |= 1 << field;
    read(field);
  }
  for (const field of required) if ((seen & 1 << field) === 0) cursor.fail(`the field ${keys.names[field]}`);
}
function readContext(cursor) {
  const context = {
    sessionId: ""
  };
  readObject(cursor, CONTEXT_KEYS, [
    0
  ], (field) => {
    if (field === 0) context.sessionId = cursor.string();
    else context.parentSessionId = cursor.isNull() ? void 0 : cursor.string();
  });
  return context;
}
function readLinks(cursor) {
  const links = [];
  cursor.openList();
  for (let first = true; cursor.nextItem(first); first = false) {
    const link = {
      requestId: "",
      relation: "sequence",
      trigger: "completion"
    };
    readObject(cursor, LINK_KEYS, [
      0,
      1,
      2
    ], (part) => {
      if (part === 0) link.requestId = cursor.string();
      else if (part === 1) link.relation = cursor.oneOf(RELATIONS);
      else link.trigger = cursor.oneOf(TRIGGERS);
    });
    links.push(link);
  }
  return links;
}
function readTool(cursor) {
  const tool = {
    callId: "",
    toolClass: ""
  };
  readObject(cursor, TOOL_KEYS, [
    0,
    1
  ], (field) => {
    if (field === 0) tool.callId = cursor.string();
    else if (field === 1) tool.toolClass = cursor.string();
    else if (cursor.isNull()) return;
    else if (field === 3) tool.startMs = Number(cursor.unsigned());
    else if (field === 4) tool.endMs = Number(cursor.unsigned());
    else if (field === 5) tool.durationMs = cursor.number();
    else {
      readObject(cursor, CLAUDE_KEYS, [
        0,
        1
      ], (part) => {
        if (part === 0) tool.sourceRequestId = cursor.string();
        else if (part === 1) tool.executionMode = cursor.string();
        else if (part === 2) tool.consumerRequestId = cursor.isNull() ? void 0 : cursor.string();
        else tool.childSessionId = cursor.isNull() ? void 0 : cursor.string();
      });
    }
  });
  return tool;
}
function checkTool(tool, place) {
  const fail = (what) => {
    throw new TraceError(what, place);
  };
  if (tool.sessionId.trim() === "") fail("tool session_id must be nonempty");
  if (tool.callId.trim() === "") fail("tool_call_id must be nonempty");
  if (tool.toolClass.trim() === "") fail("tool_class must be nonempty");
  const { durationMs = 0, endMs } = tool;
  if (durationMs < 0) fail("tool duration must be finite and nonnegative");
  const startMs = tool.startMs ?? Math.max(0, endMs - Math.round(durationMs));
  if (startMs > endMs) fail("tool end time precedes start time");
}

// lib/trace/dynamo_rows.ts
var SKIPPED = [
  "request_payload",
  "tool_start"
];
var RECORD = new KeySet([
  [
    "schema"
  ],
  [
    "event_type"
  ],
  [
    "event_time_unix_ms"
  ],
  [
    "agent_context"
  ],
  [
    "request"
  ],
  [
    "tool"
  ],
  [
    "event"
  ],
  [
    "prefix_identity"
  ]
]);
var EVENT_TYPE = 1;
var EVENT_TIME = 2;
var CONTEXT = 3;
var REQUEST = 4;
var TOOL = 5;
var EVENT = 6;
var IDENTITY = 7;
var USUAL = 1 | 1 << EVENT_TYPE | 1 << EVENT_TIME | 1 << REQUEST;
var REQUEST_KEYS = new KeySet([
  [
    "request_id"
  ],
  [
    "model"
  ],
  [
    "output_tokens"
  ],
  [
    "request_received_ms"
  ],
  [
    "total_time_ms"
  ],
  [
    "replay"
  ]
]);
var REPLAY_KEYS = new KeySet([
  [
    "trace_block_size"
  ],
  [
    "input_length"
  ],
  [
    "input_sequence_hashes"
  ],
  [
    "dependencies"
  ]
]);
var DynamoRows = class {
  wording;
  keys = RECORD;
  field = -1;
  #file;
  #trace;
  #cursor = new JsonCursor();
  #ids = [];
  #row = {
    timestampMs: 0,
    inputTokens: 0,
    outputTokens: 0,
    hashIds: this.#ids,
    hashCount: 0,
    sessionId: void 0,
    requestId: "",
    durationMs: void 0,
    line: 0,
    endMs: 0,
    outputKnown: false,
    parentSessionId: void 0,
    model: void 0,
    links: void 0
  };
  #receivedMs;
  #eventMs = 0;
  #agent;
  /** Where the values of the record begin, by key; -1 for those that are missing. */
  #starts = new Int32Array(RECORD.names.length);
  #outer = new Int32Array(RECORD.names.length);
  constructor(file, trace) {
    this.#file = file;
    this.#trace = trace;
    this.wording = {
      open: `failed to open ${file}`,
      parse: (line) => `failed to parse ${file}:${line}`,
      read: (line) => `failed to read ${file}:${line}`
    };
  }
  read(line, emit) {
    const row = readingLine(this.#cursor, line, this.#file, this.wording, this, () => this.#record(line.number));
    if (row === void 0) return;
    const trace = this.#trace, place = {
      file: this.#file,
      line: line.number
    };
    if (row.requestId.trim() === "") throw new TraceError("request_id must be nonempty", place);
    if (!trace.known.add(row.requestId)) throw new TraceError(`duplicate request_id "${row.requestId}"`, place);
    if (row.durationMs !== void 0 && row.durationMs < 0) {
      throw new TraceError("request duration must be finite and nonnegative", place);
    }
    trace.requests++;
    if (row.sessionId !== void 0) trace.withContext++;
    emit(row);
  }
  keep(row) {
    const { timestampMs, requestId, endMs, outputKnown, parentSessionId, model, links } = row;
    return {
      timestampMs,
      inputTokens: row.inputTokens,
      outputTokens: row.outputTokens,
      hashIds: row.hashIds.slice(0, row.hashCount),
      sessionId: row.sessionId,
      delayMs: void 0,
      requestId,
      durationMs: row.durationMs,
      line: row.line,
      endMs,
      outputKnown,
      parentSessionId,
      model,
      links
    };
  }
  /** Reads a record; undefined when it tells of no request. */
  #record(line) {
    const cursor = this.#cursor;
    this.field = -1;
    if (cursor.peek() !== 123) {
      cursor.skip();
      cursor.finish();
      return void 0;
    }
    const start = cursor.at;
    try {
      if (this.#usualRecord()) return this.#finish(this.#eventMs, this.#agent, line);
    } catch (problem) {
      if (!(problem instanceof JsonProblem)) throw problem;
    }
    cursor.at = start;
    this.#index(this.#outer);
    cursor.finish();
    let starts = this.#outer;
    if (starts[EVENT] >= 0) {
      starts = this.#starts;
      cursor.at = this.#outer[EVENT];
      this.#index(starts);
    }
    const value = (field) => {
      this.field = field;
      if (starts[field] < 0) return false;
      cursor.at = starts[field];
      return true;
    };
    let eventType = value(EVENT_TYPE) && cursor.peek() === 34 ? cursor.string() : void 0;
    if (eventType === void 0 && starts !== this.#outer && this.#outer[EVENT_TYPE] >= 0) {
      cursor.at = this.#outer[EVENT_TYPE];
      const outer = cursor.peek() === 34 ? cursor.string() : "";
      if (SKIPPED.includes(outer)) return void 0;
    }
    if (eventType !== void 0 && SKIPPED.includes(eventType)) return void 0;
    if (!value(EVENT_TYPE)) cursor.fail("the field event_type");
    eventType = cursor.oneOf([
      "request_end",
      "tool_end",
      "tool_error"
    ]);
    if (!value(0)) cursor.fail("the field schema");
    cursor.oneOf([
      SCHEMA
    ]);
    if (!value(EVENT_TIME)) cursor.fail("the field event_time_unix_ms");
    const eventMs = Number(cursor.unsigned());
    const context = value(CONTEXT) && !cursor.isNull() ? readContext(cursor) : void 0;
    const hasRequest = value(REQUEST) && !cursor.isNull();
    if (hasRequest) this.#request();
    const tool = value(TOOL) && !cursor.isNull() ? readTool(cursor) : void 0;
    this.field = -1;
    if (eventType === "request_end") {
      if (!hasRequest) {
        throw new TraceError("request_end is missing request metrics", {
          file: this.#file,
          line
        });
      }
      return this.#finish(eventMs, context, line);
    }
    if (context !== void 0 && tool !== void 0) {
      const call = {
        ...tool,
        endMs: tool.endMs ?? eventMs,
        sessionId: context.sessionId
      };
      checkTool(call, {
        file: this.#file,
        line
      });
      this.#trace.tools.push(call);
    }
    return void 0;
  }
  /**
   * Reads a record as recorders write it in one go: no wrapper, what it is before what it holds. False for any other,
   * which is then read with its parts looked up first.
   */
  #usualRecord() {
    const cursor = this.#cursor;
    let seen = 0;
    this.#agent = void 0;
    cursor.openObject();
    for (let first = true; ; first = false) {
      const field = cursor.nextKey(RECORD, first);
      if (field === -2) break;
      seen |= 1 << field;
      if (field === 0) cursor.oneOf([
        SCHEMA
      ]);
      else if (field === EVENT_TYPE) cursor.oneOf([
        "request_end"
      ]);
      else if (field === EVENT_TIME) this.#eventMs = Number(cursor.unsigned());
      else if (field === CONTEXT) this.#agent = cursor.isNull() ? void 0 : readContext(cursor);
      else if (field === IDENTITY) this.#trace.tellIdentity(cursor.string());
      else if (field === REQUEST && (seen & 1 << EVENT_TYPE) !== 0) this.#request();
      else return false;
    }
    cursor.finish();
    return (seen & USUAL) === USUAL;
  }
  /** Notes where the values of an object begin, checking its grammar. Of a key given twice the last counts. */
  #index(starts) {
    const cursor = this.#cursor;
    starts.fill(-1);
    cursor.openObject();
    for (let first = true; ; first = false) {
      const field = cursor.nextKey(RECORD, first);
      if (field === -2) return;
      cursor.peek();
      if (field >= 0) starts[field] = cursor.at;
      cursor.skip();
    }
  }
  /** Reads a request into the row. */
  #request() {
    const row = this.#row;
    row.outputTokens = 0;
    row.outputKnown = false;
    row.model = row.durationMs = row.links = this.#receivedMs = void 0;
    readObject(this.#cursor, REQUEST_KEYS, [
      0,
      5
    ], this.#requestField);
  }
  #requestField = (field) => {
    const cursor = this.#cursor, row = this.#row;
    if (field === 0) row.requestId = cursor.string();
    else if (field === 5) readObject(cursor, REPLAY_KEYS, [
      0,
      1,
      2
    ], this.#replayField);
    else if (cursor.isNull()) return;
    else if (field === 1) row.model = cursor.string();
    else if (field === 2) {
      row.outputTokens = cursor.count(MAX_TOKENS);
      row.outputKnown = true;
    } else if (field === 3) this.#receivedMs = Number(cursor.unsigned());
    else row.durationMs = cursor.number();
  };
  #replayField = (field) => {
    const cursor = this.#cursor, row = this.#row;
    if (field === 0) {
      const tokens = cursor.count(MAX_TOKENS), trace = this.#trace;
      trace.blockTokens ??= tokens;
      if (tokens !== trace.blockTokens) trace.otherBlockTokens = tokens;
    } else if (field === 1) row.inputTokens = cursor.count(MAX_TOKENS);
    else if (field === 2) row.hashCount = cursor.unsignedList(this.#ids);
    else if (!cursor.isNull()) row.links = readLinks(cursor);
  };
  /** Puts the row's times together. */
  #finish(eventMs, context, line) {
    const row = this.#row, receivedMs = this.#receivedMs;
    const durationMs = Math.round(row.durationMs ?? 0);
    row.timestampMs = receivedMs ?? Math.max(0, eventMs - durationMs);
    row.endMs = receivedMs !== void 0 && row.durationMs !== void 0 ? receivedMs + durationMs : eventMs;
    row.sessionId = context?.sessionId;
    row.parentSessionId = context?.parentSessionId;
    row.line = line;
    return row;
  }
};

// lib/trace/dynamo.ts
var DynamoTrace = class {
  /** Block size of the first request. */
  blockTokens;
  /** A block size that differs from the first one, when there is any. */
  otherBlockTokens;
  tools = [];
  known = new TextSet();
  requests = 0;
  withContext = 0;
  #expected;
  tellIdentity;
  constructor(options) {
    this.#expected = options.blockTokens;
    this.tellIdentity = identityTeller(options.ledger);
  }
  rows(file) {
    return new DynamoRows(file, this);
  }
  byTime(sources, feed) {
    return dynamoByTime(sources, this, {
      feed
    });
  }
  /** Checks what only all files together show. */
  check() {
    if (this.requests === 0) throw new TraceError("Dynamo trace contains no request_end records");
    if (this.withContext > 0 && this.withContext < this.requests) {
      throw new TraceError("Dynamo request trace cannot mix requests with and without agent_context");
    }
    if (this.blockTokens === 0) throw new TraceError("embedded trace block size must be positive");
    if (this.otherBlockTokens !== void 0) {
      throw new TraceError("mixed replay trace_block_size values are not supported");
    }
    if (this.#expected !== void 0 && this.#expected !== this.blockTokens) {
      throw new ConfigError(`trace_block_size ${this.#expected} does not match embedded Dynamo request trace block size ${this.blockTokens}`);
    }
  }
};
var dynamo = {
  name: "dynamo",
  title: "Dynamo request trace, JSON Lines",
  identity: "recorded",
  shape: "rows",
  shards: true,
  recognise({ object }) {
    const record = object?.event ?? object;
    const schema = record && typeof record === "object" && !Array.isArray(record) ? record.schema : void 0;
    return schema === SCHEMA ? `its rows have the schema ${SCHEMA}` : void 0;
  },
  open: (options) => new DynamoTrace(options)
};

// lib/trace/csv.ts
var CsvCells = class {
  #places;
  /** Cells of the header. */
  #due;
  #line;
  /** Where each cell ends, by place. */
  #ends = new Int32Array(256);
  #count = 0;
  #texts = null;
  constructor(places, due) {
    this.#places = places;
    this.#due = due;
  }
  /** Takes up a line. */
  open(line) {
    this.#line = line;
    this.#texts = null;
    const { bytes, start, end } = line;
    let count = 0;
    for (let at = start; at < end; at++) {
      const byte = bytes[at];
      if (byte === 44 && count < this.#ends.length - 1) this.#ends[count++] = at;
      else if (byte === 34 || byte > 127) {
        this.#texts = splitCsv(lineText(line));
        break;
      }
    }
    this.#ends[count++] = end;
    this.#count = this.#texts?.length ?? count;
    if (this.#count < this.#due) {
      throw new RefusedRow("row ends early", `${this.#count} cells where ${this.#due} are due`);
    }
  }
  /** True when the file has the column. */
  has(column) {
    return this.#places[column] >= 0;
  }
  /** The text of a cell, `column` counted in the order of `required` and `optional`. */
  text(column) {
    const place = this.#places[column];
    if (place < 0) return "";
    if (this.#texts !== null) return this.#texts[place].trim();
    const { bytes, start } = this.#line;
    const from = place === 0 ? start : this.#ends[place - 1] + 1;
    return String.fromCharCode.apply(null, bytes.subarray(from, this.#ends[place])).trim();
  }
  /** A whole number that is not negative. `12.0` counts. */
  count(column) {
    const place = this.#places[column];
    if (this.#texts === null && place >= 0) {
      const { bytes, start } = this.#line, end = this.#ends[place];
      const from = place === 0 ? start : this.#ends[place - 1] + 1;
      let at = from, value = 0;
      for (let digit; at < end && (digit = bytes[at] - 48) >= 0 && digit <= 9; at++) value = value * 10 + digit;
      if (at === end && at > from && at - from <= 15) return value;
    }
    const text2 = this.text(column);
    if (!/^\d{1,15}(?:\.0*)?$/.test(text2)) throw new RefusedRow("bad number", `"${text2}" is no count`);
    return Number(text2);
  }
};
var decoder = new TextDecoder("utf-8", {
  fatal: true
});
var lineText = ({ bytes, start, end }) => decoder.decode(bytes.subarray(start, end));
var clipped = (text2) => text2.length > 300 ? `${text2.slice(0, 300)}\u2026` : text2;
function splitCsv(line) {
  if (!line.includes('"')) return line.split(",");
  const cells = [];
  for (let at = 0; at <= line.length; ) {
    if (line[at] !== '"') {
      const comma = line.indexOf(",", at);
      const end = comma < 0 ? line.length : comma;
      cells.push(line.slice(at, end));
      at = end + 1;
      continue;
    }
    let cell = "";
    for (at++; ; ) {
      const quote = line.indexOf('"', at);
      if (quote < 0) throw new RefusedRow("bad quoting", "a quoted cell does not end on its line");
      cell += line.slice(at, quote);
      at = quote + 1;
      if (line[at] !== '"') break;
      cell += '"';
      at++;
    }
    if (at < line.length && line[at] !== ",") throw new RefusedRow("bad quoting", "text behind a quoted cell");
    cells.push(cell);
    at++;
    if (at > line.length) break;
  }
  return cells;
}
function otherSeparator(header) {
  return header.includes(",") ? void 0 : header.includes(";") ? "semicolons" : header.includes("	") ? "tabs" : void 0;
}
var CsvRows = class {
  wording;
  #file;
  #format;
  #cells;
  constructor(file, format) {
    this.#file = file;
    this.#format = format;
    this.wording = {
      open: `failed to open trace file ${file}`,
      parse: (line) => `failed to parse line ${line} from ${file} as CSV`,
      read: (line) => `failed to read line ${line} from ${file}`
    };
  }
  get atHeader() {
    return this.#cells === void 0;
  }
  read(line, emit) {
    try {
      if (this.#cells === void 0) return this.#header(lineText(line), line.number);
      this.#cells.open(line);
    } catch (problem) {
      if (!(problem instanceof TypeError)) throw problem;
      const place = {
        file: this.#file,
        line: line.number
      };
      throw new TraceError(`${this.wording.read(line.number)}: the line is not valid UTF-8`, place);
    }
    emit(this.#format.row(this.#cells, line.number));
  }
  #header(text2, line) {
    const { required, optional = [] } = this.#format;
    const names = splitCsv(text2).map((name) => name.trim());
    const places = [
      ...required,
      ...optional
    ].map((name) => names.indexOf(name));
    const missing = required.filter((_, i) => places[i] < 0);
    const separator = names.length === 1 ? otherSeparator(text2) : void 0;
    if (missing.length > 0) {
      throw new TraceError(`${this.wording.parse(line)}: the header has no column ${missing.map((name) => `"${name}"`).join(", ")}; ` + (separator === void 0 ? `it has ${clipped(names.map((name) => `"${name}"`).join(", "))}` : `its cells seem to be separated by ${separator}, but CSV cells are read by commas: convert it first`), {
        file: this.#file,
        line
      });
    }
    this.#cells = new CsvCells(places, names.length);
  }
};

// lib/trace/detect.ts
var SAMPLE_LINES = 20;
var SAMPLE_BYTES = 1 << 20;
async function detectFormat(source) {
  const file = sourceName(source);
  const iterator = sourceBytes(source)[Symbol.asyncIterator]();
  const cutter = new LineCutter(file), samples = [], seen = [];
  let bytes = 0, over = false;
  const again = typeof source === "string" && source !== "-" && host().kind(source) === "file";
  try {
    while (!over && samples.length < SAMPLE_LINES && (samples.length === 0 || bytes < SAMPLE_BYTES)) {
      const piece = await iterator.next();
      if (piece.done) {
        over = true;
        for (const line of cutter.finish()) samples.push(sampleOf(line.bytes.subarray(line.start, line.end)));
      } else {
        if (!again) seen.push(piece.value.slice());
        bytes += piece.value.length;
        for (const line of cutter.cut(piece.value)) {
          if (samples.push(sampleOf(line.bytes.subarray(line.start, line.end))) >= SAMPLE_LINES) break;
        }
      }
    }
  } catch (cause) {
    await iterator.return?.();
    if (!(cause instanceof ByteSourceError)) throw cause;
    const what = cause.stage === "open" ? `failed to open trace file ${file}` : `failed to read line 1 from ${file}`;
    throw new TraceError(`${what}: ${reason(cause)}`, {
      file
    }, {
      cause
    });
  }
  const whole = again ? source : replayed(seen, iterator);
  if (again) await iterator.return?.();
  if (samples.length === 0) throw new TraceError(`trace file ${file} did not contain any requests`, {
    file
  });
  const someIds = samples.some(({ object }) => object !== void 0 && "hash_ids" in object);
  for (const sample of samples) {
    for (const name of traceFormats) {
      if (name === "lengths" && someIds) continue;
      const format = await traceFormat(name);
      const why = format.recognise(sample);
      if (why !== void 0) return {
        format,
        why,
        source: whole
      };
    }
  }
  if (/"(hash_ids|timestamp)"\s*:/.test(samples[0].text)) {
    return {
      format: await traceFormat("mooncake"),
      why: "its first line mentions hash_ids or timestamp",
      source: whole
    };
  }
  throw new TraceError(`cannot tell the format of ${file}: ${description(samples[0])}; name it with --from`, {
    file,
    line: 1
  });
}
function sampleOf(line) {
  const text2 = new TextDecoder().decode(line);
  const cursor = new JsonCursor();
  cursor.open(line, 0, line.length);
  try {
    if (cursor.peek() === 123) {
      const object = cursor.value();
      cursor.finish();
      return {
        text: text2,
        object
      };
    }
    return {
      text: text2,
      columns: splitCsv(text2).map((cell) => cell.trim())
    };
  } catch (problem) {
    if (problem instanceof JsonProblem || problem instanceof RefusedRow || problem instanceof TypeError) {
      return {
        text: text2
      };
    }
    throw problem;
  }
}
function description({ object, columns }) {
  if (object) return `its first row has the keys ${readable(Object.keys(object))}`;
  if (columns?.length === 1 && otherSeparator(columns[0])) {
    return `its cells seem to be separated by ${otherSeparator(columns[0])}, but CSV cells are read by commas: convert it first`;
  }
  if (columns) return `its first line has the cells ${readable(columns)}`;
  return "its first line is neither a JSON object nor a CSV header";
}
function readable(names) {
  const text2 = names.slice(0, 12).join(", ").replace(/[^\p{L}\p{N}\p{P}\p{S} ]|\ufffd/gu, "\xB7");
  return text2.length > 200 ? `${text2.slice(0, 200)}\u2026` : text2;
}
async function* replayed(seen, rest) {
  try {
    yield* seen;
    yield* {
      [Symbol.asyncIterator]: () => rest
    };
  } finally {
    await rest.return?.();
  }
}

// lib/trace/read_trace.ts
var READ_OPTIONS = {
  ...FORMAT_OPTIONS,
  format: true,
  order: true,
  badRows: true,
  onOpen: true
};
function readTrace(input, options = {}) {
  checkOptions("readTrace()", options, READ_OPTIONS);
  const sources = Array.isArray(input) ? input : [
    input
  ];
  return new Flow(batches(sources, options));
}
async function* batches(given, options) {
  if (given.length === 0) throw new ConfigError("trace replay requires at least one trace file");
  let sources = given, format, why;
  if (options.format === void 0 || options.format === "auto") {
    const { detectFormat: detectFormat2 } = await import(import.meta.resolve("./lib.trace.detect.js"));
    const found = await detectFormat2(given[0]);
    ({ format, why } = found);
    sources = [
      found.source,
      ...given.slice(1)
    ];
  } else {
    format = await traceFormat(options.format);
  }
  if (sources.length > 1 && !format.shards) {
    throw new ConfigError(`trace_format='${format.name}' requires exactly one trace file, got ${sources.length}`);
  }
  const { ledger } = options;
  if (ledger) {
    ledger.format = format.name;
    ledger.why = why ?? "";
    ledger.identity = format.identity;
  }
  const trace = format.open(options);
  options.onOpen?.({
    format,
    why,
    blockTokens: () => trace.blockTokens
  });
  const badRows = options.badRows ?? format.badRows;
  if (trace.byTime && options.order !== "file") {
    yield* trace.byTime(sources, {
      badRows,
      ledger
    });
    return;
  }
  for (const [i, source] of sources.entries()) {
    const file = sourceName(given[i]);
    await trace.prepare?.(file);
    yield* requestBatches(source, trace.rows(file), {
      badRows,
      ledger
    });
  }
}

// lib/trace/fresh_ids.ts
var FreshIds = class {
  #next = 0;
  /** Ids for a prompt. */
  take(inputTokens, blockTokens) {
    const ids = new Array(Math.ceil(inputTokens / blockTokens));
    for (let i = 0; i < ids.length; i++) ids[i] = this.#next++;
    return ids;
  }
  one() {
    return this.#next++;
  }
};
var IdMixer = class {
  #a = 0;
  #b = 0;
  /** Begins a new id. */
  start(kind) {
    this.#a = 2166136261 ^ kind;
    this.#b = 2538058380 ^ kind;
  }
  /** Takes up a non-negative number. */
  add(value) {
    if (typeof value === "bigint") {
      this.#word(Number(value & 0xffffffffn));
      this.#word(Number(value >> 32n));
    } else {
      this.#word(value >>> 0);
      this.#word(Math.floor(value / 4294967296));
    }
  }
  #word(word) {
    let a = Math.imul(this.#a ^ word, 2246822507);
    a = Math.imul(a ^ a >>> 13, 3266489909);
    this.#a = a ^ a >>> 16;
    let b = Math.imul(this.#b + word | 0, 2654435761);
    b = Math.imul(b ^ b >>> 15, 668265263) + this.#a | 0;
    this.#b = b ^ b >>> 13;
  }
  /** The id of what was added since {@linkcode start}. */
  get id() {
    return (this.#a & 2097151) * 4294967296 + (this.#b >>> 0);
  }
};

// lib/trace/regroup.ts
function regroup(options) {
  checkOptions("regroup()", options, {
    from: true,
    to: true
  });
  const { from, to } = options;
  checkNumber("regroup(): from", from ?? null, {
    least: 1,
    whole: true
  });
  checkNumber("regroup(): to", to ?? null, {
    least: 1,
    whole: true
  });
  if (!(from > 0 && to % from === 0)) {
    throw new ConfigError(`blocks of ${from} tokens cannot be joined to blocks of ${to}: it must be a multiple`);
  }
  const joined2 = to / from;
  return batchStage(async function* (batches2) {
    const mixer = new IdMixer();
    for await (const batch of batches2) {
      yield batch.map((request) => {
        const { hashIds } = request;
        const needed = Math.ceil(request.inputTokens / from);
        const ids = [];
        for (let at = 0; at < needed; at += joined2) {
          mixer.start(3);
          for (let i = at; i < Math.min(at + joined2, needed, hashIds.length); i++) mixer.add(hashIds[i]);
          ids.push(mixer.id);
        }
        return {
          ...request,
          hashIds: ids
        };
      });
    }
  });
}

// lib/trace/scale.ts
var OPTIONS = {
  speedup: true
};
function scale(options) {
  checkOptions("scale()", options, OPTIONS);
  const { speedup } = options;
  if (!(speedup > 0 && speedup < Infinity)) {
    throw new ConfigError(`speedup must be a finite positive number, got ${speedup}`);
  }
  return batchStage(async function* (batches2) {
    let originMs = NaN;
    for await (const batch of batches2) {
      yield batch.map((request) => {
        let { timestampMs, delayMs } = request;
        if (timestampMs !== void 0) {
          if (Number.isNaN(originMs)) originMs = timestampMs;
          timestampMs = originMs + (timestampMs - originMs) / speedup;
        }
        if (delayMs !== void 0) delayMs /= speedup;
        if (!(Math.abs(timestampMs ?? 0) <= MOST_TIME_MS && (delayMs ?? 0) <= MOST_TIME_MS)) {
          const what = timestampMs === void 0 || Math.abs(timestampMs) <= MOST_TIME_MS ? "delay" : "timestamp";
          throw new TraceError(`trace line ${request.line}: ${what} ${request.timestampMs ?? request.delayMs} with speedup ${speedup} is beyond what a clock tells`, {
            line: request.line
          });
        }
        return {
          ...request,
          timestampMs,
          delayMs
        };
      });
    }
  });
}

// lib/trace/slice.ts
var UNITS = {
  ms: 1,
  s: 1e3,
  m: 6e4,
  h: 36e5,
  d: 864e5,
  "": 1e3
};
var OPTIONS2 = {
  from: true,
  to: true,
  ledger: true
};
function spanMs(span) {
  if (typeof span === "number") return span;
  const match = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|)\s*$/.exec(span);
  if (match === null) {
    throw new ConfigError(`'${span}' is no time span: write a number with ms, s, m, h or d, like 90s or 20m`);
  }
  return Number(match[1]) * UNITS[match[2]];
}
function slice(options) {
  checkOptions("slice()", options, OPTIONS2);
  const from = spanMs(options.from ?? 0), to = options.to === void 0 ? Infinity : spanMs(options.to);
  if (!(to > from)) {
    throw new ConfigError(`a slice must end after it begins, got ${options.from ?? 0} to ${options.to}`);
  }
  return batchStage(async function* (batches2) {
    let originMs = NaN;
    const kept = /* @__PURE__ */ new Map();
    for await (const batch of batches2) {
      const rest = batch.filter((request) => {
        const { timestampMs, sessionId } = request;
        if (timestampMs === void 0) return sessionId === void 0 || kept.get(sessionId) !== false;
        if (Number.isNaN(originMs)) originMs = timestampMs;
        const inside = timestampMs - originMs >= from && timestampMs - originMs < to;
        if (sessionId !== void 0 && !kept.has(sessionId)) kept.set(sessionId, inside);
        return inside;
      });
      options.ledger?.drop("outside the slice", batch.length - rest.length);
      yield rest;
    }
  });
}

// lib/trace/sort.ts
var BATCH2 = 512;
function sortByTime() {
  return batchStage(async function* (batches2) {
    const requests = [], times = [];
    const last = /* @__PURE__ */ new Map();
    for await (const batch of batches2) {
      for (const request of batch) {
        const { timestampMs, sessionId } = request;
        const time = timestampMs ?? (sessionId === void 0 ? void 0 : last.get(sessionId)) ?? -Infinity;
        if (sessionId !== void 0) last.set(sessionId, time);
        requests.push(request);
        times.push(time);
      }
    }
    const order = Uint32Array.from(times, (_, i) => i).sort((a, b) => times[a] - times[b] || a - b);
    for (let from = 0; from < order.length; from += BATCH2) {
      yield Array.from(order.subarray(from, from + BATCH2), (i) => requests[i]);
    }
  });
}

// lib/trace/spread.ts
function spread(options = {}) {
  checkOptions("spread()", options, {
    seed: true
  });
  const { seed = 42 } = options;
  checkNumber("spread(): seed", seed);
  return batchStage(async function* (batches2) {
    const random = splitmix32(seed);
    let together = [], timeMs = NaN;
    for await (const batch of batches2) {
      const apart = [];
      for (const request of batch) {
        const next = request.timestampMs;
        if (next !== void 0 && next !== timeMs) {
          const span = Math.max(0, next - timeMs);
          const offsets = together.length > 1 ? Array.from(together, () => random() * span).sort((a, b) => a - b) : [
            0
          ];
          let place = 0;
          for (const one of together) {
            apart.push(one.timestampMs === void 0 ? one : {
              ...one,
              timestampMs: timeMs + offsets[place++]
            });
          }
          together = [];
          timeMs = next;
        }
        together.push(request);
      }
      yield apart;
    }
    yield together;
  });
}

// lib/trace/write_trace.ts
async function rowWriter(options = {}) {
  const { format = "mooncake", blockSize, blockTokens = blockSize } = options;
  if (blockSize !== void 0 && blockSize !== blockTokens) {
    throw new ConfigError(`blockSize (${blockSize}) and blockTokens (${blockTokens}) are one option, given twice`);
  }
  if (format === "mooncake") return {
    row: (request) => mooncakeRow(request, options.identity)
  };
  if (format === "dynamo") return new (await import(import.meta.resolve("./lib.trace.dynamo_writer.js"))).DynamoRowWriter({
    ...options,
    blockTokens
  });
  throw new ConfigError(`cannot write trace format '${format}': expected mooncake or dynamo`);
}
var WRITE_OPTIONS = {
  format: true,
  blockTokens: true,
  blockSize: true,
  epochMs: true,
  keepIds: true,
  identity: true,
  gzip: true
};
function writeTrace(path, options = {}) {
  checkOptions("writeTrace()", options, WRITE_OPTIONS);
  return rowSink(path, () => rowWriter(options), options);
}
function rowSink(path, writer, options = {}) {
  let file, rows;
  const opened = async () => file ??= await AtomicFile.open(path, options);
  return new Sink({
    async write(batch) {
      rows ??= await writer();
      let text2 = "";
      for (const request of batch) text2 += rows.row(request);
      await (await opened()).write(text2);
    },
    async close() {
      await (await opened()).commit();
    },
    abort() {
      file?.abort();
    }
  });
}

// lib/trace/split.ts
function splitSink(before, rest, seconds) {
  let originMs = NaN;
  const sessions = /* @__PURE__ */ new Map();
  const early = ({ timestampMs, sessionId }) => {
    if (timestampMs === void 0) return sessionId !== void 0 && sessions.get(sessionId) === true;
    if (Number.isNaN(originMs)) originMs = timestampMs;
    const result = timestampMs - originMs < seconds * 1e3;
    if (sessionId !== void 0) sessions.set(sessionId, result);
    return result;
  };
  return new Sink({
    async write(batch) {
      const first = batch.filter(early);
      if (first.length > 0) await before.parts.write(first);
      if (first.length < batch.length) {
        const chosen = new Set(first);
        await rest.parts.write(batch.filter((request) => !chosen.has(request)));
      }
    },
    async close() {
      await before.parts.close();
      await rest.parts.close();
    },
    async abort(reason2) {
      await before.parts.abort(reason2);
      await rest.parts.abort(reason2);
    }
  });
}

// lib/trace/tally.ts
function tally(ledger, blockTokens) {
  return batchStage(async function* (batches2) {
    let last = NaN, fit;
    for await (const batch of batches2) {
      for (const request of batch) {
        fit ??= new BlockFit(ledger.blockTokens = blockTokens());
        fit.add(request.inputTokens, request.hashIds.length);
        const time = request.timestampMs;
        if (time === void 0) continue;
        if (!(Math.abs(time) <= MOST_TIME_MS)) {
          const place = {
            line: request.line
          };
          throw new TraceError(`trace line ${request.line}: timestamp ${time} is beyond what a clock tells`, place);
        }
        if (time < last) ledger.inversions++;
        last = time;
        if (!(time >= ledger.firstMs)) ledger.firstMs = time;
        if (!(time <= ledger.lastMs)) ledger.lastMs = time;
      }
      ledger.emitted += batch.length;
      yield batch;
    }
    const warning = fit?.warning();
    if (warning !== void 0) ledger.note(warning);
    ledger.check();
  });
}

// lib/trace/convert.ts
var { format: _format, ledger: _ledger, onOpen: _onOpen, ...READING } = READ_OPTIONS;
var OPTIONS3 = {
  ...READING,
  from: true,
  to: true,
  slice: true,
  speedup: true,
  sort: true,
  spreadSeed: true,
  limit: true,
  splitSeconds: true,
  epochMs: true
};
async function convert(input, output, options = {}) {
  checkOptions("convert()", options, OPTIONS3);
  const ledger = new Ledger();
  const { from, to = "dynamo", slice: part, speedup, sort, spreadSeed, limit: count, splitSeconds, epochMs, ...reading } = options;
  let opened;
  let requests = readTrace(input, {
    ...reading,
    order: sort ? "file" : reading.order,
    format: from,
    ledger,
    onOpen(trace) {
      opened = trace;
      if (trace.format.shape === "graph") {
        throw new ConfigError(`${trace.format.name} traces are not converted: their requests wait for each other, which ${to} rows cannot say`);
      }
    }
  });
  const through = (stage2) => {
    requests = requests.pipeThrough(stage2);
  };
  const asked = options.blockTokens;
  const blockTokens = () => {
    const own = opened.blockTokens();
    return asked !== void 0 && asked !== own && opened.format.joinsBlocks ? asked : own;
  };
  if (sort) through(sortByTime());
  if (spreadSeed !== void 0) through(spread({
    seed: spreadSeed
  }));
  if (part) through(slice({
    ...part,
    ledger
  }));
  if (speedup !== void 0) through(scale({
    speedup
  }));
  if (count !== void 0) through(limit(count, {
    ledger
  }));
  through(joined(() => ({
    from: opened.blockTokens(),
    to: blockTokens()
  })));
  if (to === "mooncake") through(fromZero(ledger));
  through(tally(ledger, blockTokens));
  let writer;
  const write = async () => writer ??= await rowWriter({
    format: to,
    blockTokens: blockTokens(),
    epochMs,
    keepIds: opened.format.name === "dynamo",
    identity: ledger.identity
  });
  await rowWriter({
    format: to
  });
  if (splitSeconds !== void 0 && !(splitSeconds > 0)) {
    throw new ConfigError(`a split must be at a positive number of seconds, got ${splitSeconds}`);
  }
  const sink = splitSeconds === void 0 ? rowSink(output, write) : splitSink(rowSink(splitName(output, "history"), write), rowSink(splitName(output, "replay"), write), splitSeconds);
  await requests.pipeTo(sink);
  writer?.remarks?.(ledger);
  return ledger;
}
function splitName(path, part) {
  if (path === "-") throw new ConfigError("a split trace needs a file name, not standard output");
  const match = /^(.*?)((?:\.jsonl?|\.ndjson)?(?:\.gz)?)$/.exec(path);
  return `${match[1]}-${part}${match[2]}`;
}
function joined(sizes) {
  return batchStage(async function* (batches2) {
    const iterator = batches2[Symbol.asyncIterator]();
    const first = await iterator.next();
    const all = {
      async *[Symbol.asyncIterator]() {
        try {
          if (!first.done) yield first.value;
          yield* {
            [Symbol.asyncIterator]: () => iterator
          };
        } finally {
          await iterator.return?.();
        }
      }
    };
    if (first.done) return;
    const { from, to } = sizes();
    yield* from === to ? all : regroup({
      from,
      to
    }).run(all);
  });
}
function fromZero(ledger) {
  return batchStage(async function* (batches2) {
    let originMs = NaN;
    for await (const batch of batches2) {
      yield batch.map((request) => {
        const { timestampMs } = request;
        if (timestampMs === void 0) return request;
        if (Number.isNaN(originMs)) {
          originMs = timestampMs >= 1e11 && timestampMs <= MOST_TIME_MS ? timestampMs : 0;
          if (originMs > 0) ledger.note(`clock begins at 0 instead of ${new Date(originMs).toISOString()}`);
        }
        return originMs === 0 ? request : {
          ...request,
          timestampMs: timestampMs - originMs
        };
      });
    }
  });
}

// cli/convert.ts
var LINE = {
  command: "convert",
  summary: "Turns a trace into one that can be replayed: reads, cuts, re-times and writes in one pass, and accounts for every row.",
  options: {
    output: text("file to write, gzip when it ends in .gz; - is standard output", {
      short: "o",
      value: "OUT",
      required: true
    }),
    from: choice("format of the input", [
      "auto",
      ...traceFormats
    ], {
      fallback: "auto",
      value: "FORMAT"
    }),
    to: choice("format of the output", [
      "dynamo",
      "mooncake"
    ], {
      fallback: "dynamo"
    }),
    slice: text("part to keep, counted from the first request: 0:20m, 90s:, :1.5h", {
      value: "FROM:TO"
    }),
    speedup: number("how many times faster requests arrive", {
      value: "X"
    }),
    sort: flag("order by time (holds the trace in memory)"),
    spread: number("put requests recorded at one time anywhere up to the next time, with this seed", {
      value: "SEED",
      integer: true
    }),
    limit: number("keep the first N requests", {
      value: "N",
      least: 1,
      integer: true
    }),
    splitSeconds: number("write requests before S seconds to OUT-history, the rest to OUT-replay", {
      value: "S"
    }),
    blockSize: number("tokens a block id stands for; larger than the input's own: blocks are joined", {
      value: "N",
      least: 1,
      integer: true
    }),
    epochMs: number("dynamo: wall clock of time 0, in milliseconds since 1970", {
      value: "MS",
      least: 0,
      integer: true
    }),
    sessions: flag("keep the sessions of foreign formats: a turn then waits for the one before it"),
    keepZeroOutput: flag("keep rows without output tokens of foreign formats"),
    badRows: choice("what to do with rows that cannot be used", [
      "auto",
      "fail",
      "drop"
    ], {
      fallback: "auto"
    }),
    strict: flag("the same as --bad-rows fail"),
    lengthsFolder: text("ragpulse: folder of the files with lengths", {
      value: "DIR"
    }),
    overwrite: flag("replace an existing file"),
    format: choice("the account as text to read, or as JSON", [
      "text",
      "json"
    ], {
      fallback: "text"
    })
  },
  operands: {
    name: "IN",
    help: "trace, shards of one, a folder or glob of shards; - is standard input",
    least: 1,
    most: Infinity
  },
  notes: [
    `formats: ${traceFormats.join(", ")}`,
    "example: dynosim convert azure.csv --to dynamo --slice 0:2h -o azure.jsonl.gz"
  ]
};
var convertCommand = command(LINE, async (options, operands) => {
  const { output, from, to, speedup, sort, limit: limit2, splitSeconds, epochMs, sessions, keepZeroOutput } = options;
  const outputs = splitSeconds === void 0 ? [
    output
  ] : [
    splitName(output, "history"),
    splitName(output, "replay")
  ];
  for (const path of outputs) {
    if (path !== "-" && !options.overwrite && host().kind(path) === "file") {
      throw new ConfigError(`${path} exists; pass --overwrite to replace it`);
    }
  }
  const files = inputs(operands);
  const hide = showReading(files);
  const ledger = await convert(files, output, {
    from,
    to,
    slice: options.slice === void 0 ? void 0 : sliceOf(options.slice),
    speedup,
    sort,
    spreadSeed: options.spread,
    limit: limit2,
    splitSeconds,
    epochMs,
    blockTokens: options.blockSize,
    sessions,
    keepZeroOutput,
    badRows: options.strict ? "fail" : options.badRows === "auto" ? void 0 : options.badRows,
    lengthsFolder: options.lengthsFolder
  }).finally(hide);
  const account = options.format === "json" ? jsonText(ledger) : ledgerText(ledger, outputs, to);
  writeText(isStandardOutput(output) ? "stderr" : "stdout", account);
});
function inputs(operands) {
  return operands.flatMap((path) => {
    const files = path === "-" ? [
      path
    ] : filesAt(path);
    if (files.length === 0) throw new ConfigError(`no trace files match '${path}'`);
    return files;
  });
}
function sliceOf(text2) {
  const parts = text2.split(":");
  if (parts.length !== 2 || parts[0] === "" && parts[1] === "") {
    throw new ConfigError(`'${text2}' is no slice: write FROM:TO with spans like 90s or 20m, for example 0:20m`);
  }
  return {
    from: parts[0] || void 0,
    to: parts[1] || void 0
  };
}
function ledgerText(ledger, outputs, to) {
  const lines = [
    `format    ${ledger.format}${ledger.why ? ` (${ledger.why})` : ""}`,
    `rows      ${grouped(ledger.read)} read = ${grouped(ledger.emitted)} written + ${grouped(ledger.droppedTotal)} dropped`
  ];
  for (const [reason2, count] of ledger.dropped) lines.push(`dropped   ${grouped(count)}: ${reason2}`);
  for (const example of ledger.examples) lines.push(`          ${example}`);
  const times = Number.isNaN(ledger.firstMs) ? "none" : `${moment(ledger.firstMs)} to ${moment(ledger.lastMs)}, ${grouped(ledger.inversions)} inversions`;
  lines.push(`times     ${times}`);
  lines.push(`blocks    ${ledger.blockTokens ?? "no"} tokens, prefix identity: ${ledger.identity ?? "none"}`);
  for (const [remark, count] of ledger.notes) {
    lines.push(`note      ${remark}${count > 1 ? `: ${grouped(count)}` : ""}`);
  }
  for (const path of outputs) lines.push(`wrote     ${path === "-" ? "standard output" : path} (${to})`);
  return `${lines.join("\n")}
`;
}

// lib/trace/reuse.ts
var MOST_IDS = 1 << 19;
var ReuseMeter = class {
  #blockTokens;
  /** One of `2 ** #halvings` ids is followed. */
  #halvings = 0;
  #table = new IdTable();
  /** Blocks before it when an id was last used, and the row. */
  #lastBlock = new Float64Array(1 << 12);
  #lastRow = new Float64Array(1 << 12);
  #followed = [];
  #one = [
    0
  ];
  #number = new Int32Array(1);
  #blocks = 0;
  #rows = 0;
  /** Tokens of followed blocks, of those that were seen before, and all followed blocks. */
  #tokens = 0;
  #reusedTokens = 0;
  #seenBlocks = 0;
  #reusedBlocks = 0;
  /** Rows with an id twice. */
  repeats = 0;
  /** Blocks between two uses of the same id. */
  distance = new Histogram();
  constructor(blockTokens) {
    this.#blockTokens = blockTokens;
  }
  add(inputTokens, hashIds) {
    const needed = Math.min(hashIds.length, Math.ceil(inputTokens / this.#blockTokens));
    const row = ++this.#rows;
    let repeated = false;
    for (let i = 0; i < needed; i++) {
      this.#blocks++;
      const id = hashIds[i];
      if (this.#halvings > 0 && !this.#isFollowed(id)) continue;
      const tokens = Math.min(this.#blockTokens, inputTokens - i * this.#blockTokens);
      const known = this.#table.count;
      this.#one[0] = id;
      this.#table.intern(this.#one, 1, this.#number, 0);
      const number2 = this.#number[0];
      this.#tokens += tokens;
      this.#seenBlocks++;
      if (number2 < known) {
        if (this.#lastRow[number2] === row) repeated = true;
        else {
          this.#reusedTokens += tokens;
          this.#reusedBlocks++;
          this.distance.add(this.#blocks - this.#lastBlock[number2], 2 ** this.#halvings);
        }
      } else {
        if (number2 === this.#lastBlock.length) this.#grow();
        this.#followed.push(id);
      }
      this.#lastBlock[number2] = this.#blocks;
      this.#lastRow[number2] = row;
      if (this.#table.count > MOST_IDS) this.#thin();
    }
    if (repeated) this.repeats++;
  }
  /** Share of prompt tokens whose block was used by an earlier row, 0 \u2026 1. */
  get reusableShare() {
    return this.#tokens === 0 ? 0 : this.#reusedTokens / this.#tokens;
  }
  /** Share of blocks that were used by an earlier row. */
  get reusableBlocks() {
    return this.#seenBlocks === 0 ? 0 : this.#reusedBlocks / this.#seenBlocks;
  }
  get blocks() {
    return this.#blocks;
  }
  /** Different ids, estimated when not all are followed. */
  get distinct() {
    return this.#table.count * 2 ** this.#halvings;
  }
  /** Share of ids that were followed at the end: 1 means that the figures are exact. */
  get followedShare() {
    return 2 ** -this.#halvings;
  }
  #isFollowed(id) {
    const low = typeof id === "number" ? id >>> 0 : Number(id & 0xffffffffn);
    const high = typeof id === "number" ? Math.floor(id / 4294967296) : Number(id >> 32n);
    let hash = Math.imul(low ^ Math.imul(high, 2654435761), 2246822507);
    hash = Math.imul(hash ^ hash >>> 13, 3266489909);
    hash ^= hash >>> 16;
    return (hash & (1 << this.#halvings) - 1) === 0;
  }
  #grow() {
    this.#lastBlock = longer(this.#lastBlock);
    this.#lastRow = longer(this.#lastRow);
  }
  /** Follows half as many ids from now on. */
  #thin() {
    this.#halvings++;
    const table = new IdTable(), followed = [];
    const lastBlock = new Float64Array(this.#lastBlock.length), lastRow = new Float64Array(this.#lastRow.length);
    this.#followed.forEach((id, number2) => {
      if (!this.#isFollowed(id)) return;
      this.#one[0] = id;
      table.intern(this.#one, 1, this.#number, 0);
      lastBlock[followed.length] = this.#lastBlock[number2];
      lastRow[followed.length] = this.#lastRow[number2];
      followed.push(id);
    });
    this.#table = table;
    this.#followed = followed;
    this.#lastBlock = lastBlock;
    this.#lastRow = lastRow;
  }
};

// lib/trace/timeline.ts
var Timeline = class {
  /** Milliseconds a bucket covers. */
  widthMs;
  #counts;
  #weights;
  #originMs = NaN;
  #used = 0;
  constructor(buckets = 512, widthMs = 1e3) {
    this.widthMs = widthMs;
    this.#counts = new Float64Array(buckets);
    this.#weights = new Float64Array(buckets);
  }
  /** Adds an event. Times before the first one count as the first. */
  add(timeMs, weight) {
    if (Number.isNaN(this.#originMs)) this.#originMs = timeMs;
    let bucket = Math.max(0, Math.floor((timeMs - this.#originMs) / this.widthMs));
    while (bucket >= this.#counts.length) {
      this.#widen();
      bucket = Math.floor((timeMs - this.#originMs) / this.widthMs);
    }
    this.#counts[bucket]++;
    this.#weights[bucket] += weight;
    if (bucket >= this.#used) this.#used = bucket + 1;
  }
  #widen() {
    const half = this.#counts.length / 2;
    for (const column of [
      this.#counts,
      this.#weights
    ]) {
      for (let i = 0; i < half; i++) column[i] = column[2 * i] + column[2 * i + 1];
      column.fill(0, half);
    }
    this.widthMs *= 2;
    this.#used = Math.ceil(this.#used / 2);
  }
  /** Events and weights in at most `most` buckets of equal width. */
  buckets(most) {
    const join = Math.max(1, Math.ceil(this.#used / most));
    const counts = [], weights = [];
    for (let from = 0; from < this.#used; from += join) {
      let count = 0, weight = 0;
      for (let i = from; i < Math.min(from + join, this.#used); i++) {
        count += this.#counts[i];
        weight += this.#weights[i];
      }
      counts.push(count);
      weights.push(weight);
    }
    return {
      widthMs: this.widthMs * join,
      counts,
      weights
    };
  }
};

// lib/trace/inspect.ts
var MOST_SESSIONS = 1e6;
var BUCKETS = 60;
async function inspect(requests, options = {}) {
  checkOptions("inspect()", options, {
    blockTokens: true
  });
  if (typeof options.blockTokens !== "function") {
    checkNumber("inspect(): blockTokens", options.blockTokens, {
      least: 1,
      whole: true
    });
  }
  return await inspectBatches(batchesOf(requests), options);
}
async function inspectBatches(batches2, options) {
  let measures;
  for await (const batch of batches2) {
    if (batch.length === 0) continue;
    const { blockTokens = 512 } = options;
    measures ??= new Measures(typeof blockTokens === "number" ? blockTokens : blockTokens());
    for (const request of batch) measures.add(request);
  }
  return (measures ?? new Measures(typeof options.blockTokens === "number" ? options.blockTokens : 512)).figures();
}
var Measures = class {
  #blockTokens;
  #rows = 0;
  #firstMs = NaN;
  #lastMs = NaN;
  #previousMs = NaN;
  #withoutTime = 0;
  #wholeTimes = 0;
  #inversions = 0;
  #equal = 0;
  /** Gaps: number, mean and sum of squared deviations. */
  #gaps = 0;
  #gapMean = 0;
  #gapSquares = 0;
  #timeline = new Timeline();
  #input = new Histogram();
  #output = new Histogram();
  #reuse;
  #fit;
  #sessions = /* @__PURE__ */ new Set();
  #moreSessions = false;
  #sessionRows = 0;
  #zeroOutputs = 0;
  #zeroInputs = 0;
  constructor(blockTokens) {
    this.#blockTokens = blockTokens;
    this.#reuse = new ReuseMeter(blockTokens);
    this.#fit = new BlockFit(blockTokens);
  }
  add(request) {
    const { inputTokens, outputTokens, hashIds, sessionId, timestampMs } = request;
    this.#rows++;
    this.#input.add(inputTokens);
    this.#output.add(outputTokens);
    if (inputTokens === 0) this.#zeroInputs++;
    if (outputTokens === 0) this.#zeroOutputs++;
    this.#reuse.add(inputTokens, hashIds);
    this.#fit.add(inputTokens, hashIds.length);
    if (sessionId !== void 0) {
      this.#sessionRows++;
      if (this.#sessions.size < MOST_SESSIONS) this.#sessions.add(sessionId);
      else if (!this.#sessions.has(sessionId)) this.#moreSessions = true;
    }
    if (timestampMs === void 0) this.#withoutTime++;
    else this.#addTime(timestampMs, inputTokens);
  }
  #addTime(timeMs, inputTokens) {
    this.#timeline.add(timeMs, inputTokens);
    if (Number.isInteger(timeMs)) this.#wholeTimes++;
    if (!(timeMs >= this.#firstMs)) this.#firstMs = timeMs;
    if (!(timeMs <= this.#lastMs)) this.#lastMs = timeMs;
    const gap = timeMs - this.#previousMs;
    this.#previousMs = timeMs;
    if (Number.isNaN(gap)) return;
    if (gap < 0) this.#inversions++;
    if (gap === 0) this.#equal++;
    const size = Math.max(gap, 0), off = size - this.#gapMean;
    this.#gapMean += off / ++this.#gaps;
    this.#gapSquares += off * (size - this.#gapMean);
  }
  figures() {
    const spanS = Number.isNaN(this.#firstMs) ? 0 : (this.#lastMs - this.#firstMs) / 1e3;
    const timed = this.#rows - this.#withoutTime;
    const { widthMs, counts, weights } = this.#timeline.buckets(BUCKETS);
    const reuse = this.#reuse, { distance } = reuse;
    const sessions = this.#sessions.size;
    const figures = {
      rows: this.#rows,
      block_tokens: this.#blockTokens,
      time: {
        first_ms: Number.isNaN(this.#firstMs) ? null : this.#firstMs,
        last_ms: Number.isNaN(this.#lastMs) ? null : this.#lastMs,
        span_s: spanS,
        rows_without_time: this.#withoutTime,
        inversions: this.#inversions,
        equal_neighbours: this.#equal,
        requests_per_second: spanS > 0 ? timed / spanS : 0,
        peak_to_mean: timed > 0 ? Math.max(...counts) * counts.length / timed : 0,
        gap_variation: this.#gapMean > 0 ? Math.sqrt(this.#gapSquares / this.#gaps) / this.#gapMean : 0
      },
      input: lengths(this.#input),
      output: lengths(this.#output),
      blocks: {
        total: reuse.blocks,
        distinct: reuse.distinct,
        reusable_token_share: reuse.reusableShare,
        reusable_block_share: reuse.reusableBlocks,
        reuse_distance: distance.count === 0 ? {
          p50: null,
          p90: null
        } : {
          p50: distance.percentile(50),
          p90: distance.percentile(90)
        },
        followed_share: reuse.followedShare
      },
      sessions: {
        count: sessions,
        rows: this.#sessionRows,
        mean_turns: sessions > 0 ? this.#sessionRows / sessions : 0,
        more: this.#moreSessions
      },
      zero_outputs: this.#zeroOutputs,
      zero_inputs: this.#zeroInputs,
      timeline: {
        bucket_s: widthMs / 1e3,
        requests: counts,
        input_tokens: weights
      },
      warnings: []
    };
    figures.warnings.push(...this.#warnings(figures));
    return figures;
  }
  *#warnings({ time, rows }) {
    const share = (count) => `${count} of ${rows} rows`;
    if (rows === 0) yield "no requests";
    const fit = this.#fit.warning();
    if (fit !== void 0) yield fit;
    if (this.#zeroInputs > 0) yield `no input tokens in ${share(this.#zeroInputs)}: such a trace cannot be replayed`;
    if (this.#zeroOutputs > 0) yield `no output tokens in ${share(this.#zeroOutputs)}: failures, probably`;
    if (this.#reuse.repeats > 0) yield `the same block id twice in one prompt in ${share(this.#reuse.repeats)}`;
    if (time.inversions > 0) yield `times go back ${time.inversions} times; a replay sorts them`;
    if (this.#withoutTime > 0 && this.#withoutTime < rows && this.#sessionRows === 0) {
      yield `no time in ${share(this.#withoutTime)}: only a replay with a fixed concurrency takes them`;
    } else if (this.#withoutTime === rows && rows > 0) {
      yield "no times at all: only a replay with a fixed concurrency takes this trace";
    }
    const doubt = timeDoubt(rows - this.#withoutTime, time.span_s * 1e3);
    if (doubt !== void 0) yield doubt;
    const batched = time.equal_neighbours / Math.max(1, rows - 1);
    if (batched > 0.5 && time.span_s > 0) {
      yield `${Math.round(batched * 100)} % of the rows arrive at the time of the row before: times seem to be rounded, so first-token times follow the batches`;
    }
  }
};
function lengths(histogram) {
  const none = histogram.count === 0;
  return {
    min: none ? 0 : histogram.min,
    mean: none ? 0 : histogram.mean,
    p50: none ? 0 : histogram.percentile(50),
    p90: none ? 0 : histogram.percentile(90),
    p99: none ? 0 : histogram.percentile(99),
    max: none ? 0 : histogram.max,
    total: histogram.sum
  };
}

// lib/traffic/agent_source.ts
var AgentSource = class {
  workload;
  reactive = true;
  arrivalMs = 0;
  #graph;
  /** Dependencies each node still waits for. */
  #open;
  /** Latest start that the triggers so far allow; the ready time once all are there. */
  #readyMs;
  #ready;
  /** By play: nodes that are neither complete nor given up, and nodes in flight. */
  #left;
  #inFlight;
  #failed;
  /** With lanes: the nodes of each play, and the play that a free lane takes next. */
  #firstNode;
  #nodes;
  #nextPlay = 0;
  #lane;
  /** By play: the last of its nodes that ended when one ended last. What ends at one time counts in the order of the nodes. */
  #lastEnd;
  #endMs;
  /** By play: the node it failed with. */
  #failedBy;
  /** Plays that ended and left their lanes, and when. */
  #freeLanes = [];
  #freeMs = 0;
  /** Nodes that may still be admitted. */
  #remaining;
  #outcomes;
  #facts;
  constructor(workload, graph, lanes) {
    this.#facts = graph.facts.map((facts) => ({
      ...facts
    }));
    this.workload = {
      ...workload,
      agentic: this.#facts
    };
    this.#outcomes = graph.playIds.map((playId) => ({
      playId,
      status: "incomplete",
      startMs: NaN,
      causalTerminalMs: NaN,
      settledMs: NaN
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
    if (lanes === void 0) {
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
  nextReadyMs() {
    this.#dropFailed();
    const readyMs = this.#ready.size > 0 ? this.#readyMs[this.#ready.first] : Infinity;
    return this.#freeLanes.length > 0 ? Math.min(readyMs, this.#freeMs) : readyMs;
  }
  admit(nowMs) {
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
  dispatched(node, nowMs) {
    this.#trigger(node, nowMs, 1);
  }
  ended(node, nowMs, status) {
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
      outcome.failure = {
        requestId: this.workload.requestIds[node],
        status
      };
      this.#remaining -= this.#left[play] - this.#inFlight[play];
    } else if (nowMs === outcome.causalTerminalMs && node < this.#failedBy[play]) {
      this.#failedBy[play] = node;
      outcome.failure = {
        requestId: this.workload.requestIds[node],
        status
      };
    }
    if (this.#left[play] > 0 && (this.#failed[play] === 0 || this.#inFlight[play] > 0)) return;
    outcome.settledMs = nowMs;
    if (this.#failed[play] === 0) outcome.status = "completed";
    if (this.#nextPlay < this.#graph.plays) {
      this.#freeLanes.push(play);
      this.#freeMs = nowMs;
    }
  }
  released(node, nowMs) {
    const outcome = this.#outcomes[this.#graph.play[node]];
    if (nowMs > outcome.settledMs) outcome.settledMs = nowMs;
  }
  agentOutcome(handsOff) {
    const { source, models, play } = this.#graph;
    const { blockTokens, count: nodes } = this.workload;
    const plays = this.#outcomes.map((outcome) => ({
      ...outcome
    }));
    if (handsOff !== void 0) {
      for (let node = 0; node < nodes; node++) {
        if (handsOff(node)) plays[play[node]].settledMs = NaN;
      }
    }
    return {
      plays,
      source,
      models,
      blockTokens,
      nodes
    };
  }
  exhausted() {
    return this.#remaining === 0;
  }
  promptRuns() {
    return null;
  }
  /** Gives lanes that became free at one time their next plays, in the order in which their plays ended. */
  #fillLanes() {
    for (const play of this.#freeLanes.sort((a, b) => this.#lastEnd[a] - this.#lastEnd[b])) {
      if (this.#nextPlay < this.#graph.plays) this.#startPlay(this.#freeMs, this.#lane[play]);
    }
    this.#freeLanes.length = 0;
  }
  /** Starts the next play in a lane: its roots keep their distances, the earliest of them starts at once. */
  #startPlay(nowMs, lane) {
    const play = this.#nextPlay++, { notBeforeMs } = this.#graph;
    this.#lane[play] = lane;
    const from = this.#firstNode[play], to = this.#firstNode[play + 1], nodes = this.#nodes;
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
  #trigger(node, nowMs, kind) {
    const { firstTarget, targets, delaysMs, onDispatch } = this.#graph;
    for (let at = firstTarget[node]; at < firstTarget[node + 1]; at++) {
      if (onDispatch[at] !== kind) continue;
      const target = targets[at], readyMs = nowMs + delaysMs[at];
      if (readyMs > this.#readyMs[target]) this.#readyMs[target] = readyMs;
      if (--this.#open[target] === 0) this.#ready.push(target);
    }
  }
  /** Takes nodes of plays that stopped from the top of the heap. */
  #dropFailed() {
    while (this.#ready.size > 0 && this.#failed[this.#graph.play[this.#ready.first]] === 1) this.#ready.pop();
  }
};

// lib/traffic/agent_graph.ts
function loadGraph(requests, source, options) {
  const nodes = requests.toSorted((a, b) => byteOrder(a.requestId, b.requestId));
  const links = linksOf(nodes);
  checkOrder(nodes, links);
  const { play, playIds } = playOrder(nodes);
  if (options.model === void 0) throw new ConfigError("agentic execution requires a configured target model");
  const { speedup = 1, lanes } = options;
  checkSpeedup(speedup);
  const earliest = nodes.reduce((least, node) => Math.min(least, node.timestampMs), Infinity);
  const graph = {
    ...links,
    notBeforeMs: Float64Array.from(nodes, (node) => (node.timestampMs - earliest) / speedup),
    delaysMs: links.delaysMs.map((delay) => delay / speedup),
    play,
    plays: playIds.length,
    playIds,
    facts: factsOf(nodes),
    source,
    models: [
      ...new Set(nodes.map((node) => node.agent.model))
    ].sort(byteOrder)
  };
  const builder = new WorkloadBuilder(options.blockTokens);
  const sessions = /* @__PURE__ */ new Map(), session = new Int32Array(nodes.length);
  nodes.forEach((node, i) => {
    builder.add(node, node.hashIds);
    const name = node.sessionId;
    if (!sessions.has(name)) sessions.set(name, sessions.size);
    session[i] = sessions.get(name);
  });
  const names = [
    ...sessions.keys()
  ];
  const workload = builder.finish({
    session,
    turn: null,
    sessionName: (s) => names[s],
    sessionMadeUp: null
  }, {
    requestIds: nodes.map((node) => node.requestId),
    playIds: nodes.map((node) => node.agent.playId)
  });
  return {
    workload,
    start: () => new AgentSource(workload, graph, lanes)
  };
}
function linksOf(nodes) {
  const index = /* @__PURE__ */ new Map();
  nodes.forEach((node, i) => index.set(node.requestId, i));
  const waitsFor = Int32Array.from(nodes, ({ agent }) => agent.dependencies.length);
  const count = waitsFor.reduce((sum, links) => sum + links, 0);
  const sources = new Int32Array(count), firstTarget = new Int32Array(nodes.length + 1);
  let link = 0;
  for (const { requestId, agent } of nodes) {
    for (const { requestId: source } of agent.dependencies) {
      const from = index.get(source);
      if (from === void 0) throw new TraceError(`request ${requestId} references unknown request_id ${source}`);
      if (source === requestId) throw new TraceError(`request ${requestId} cannot depend on itself`);
      const other = nodes[from].agent.playId;
      if (other !== agent.playId) {
        throw new TraceError(`request ${requestId} in play ${agent.playId} depends on request ${source} in play ${other}`);
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
    for (const { delayMs, trigger } of nodes[target].agent.dependencies) {
      const at = next[sources[link++]]++;
      targets[at] = target;
      delaysMs[at] = delayMs;
      onDispatch[at] = trigger === "dispatch" ? 1 : 0;
    }
  }
  return {
    waitsFor,
    firstTarget,
    targets,
    delaysMs,
    onDispatch
  };
}
function checkOrder(nodes, { waitsFor, firstTarget, targets }) {
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
  throw new TraceError(`cycle detected among ${blocked.length} agentic requests; blocked request IDs: ${blocked.slice(0, 8).join(", ")}`);
}
function playOrder(nodes) {
  const byId = /* @__PURE__ */ new Map();
  for (const { agent } of nodes) {
    const { playId, playOrdinal: ordinal, dependencies } = agent;
    const known = byId.get(playId);
    if (known !== void 0 && known.ordinal !== ordinal) {
      throw new TraceError(`play ${playId} has inconsistent source_play_ordinal values`);
    }
    if (known === void 0) byId.set(playId, {
      ordinal,
      roots: dependencies.length === 0 ? 1 : 0
    });
    else if (dependencies.length === 0) known.roots++;
  }
  const ids = [
    ...byId.keys()
  ].sort(byteOrder);
  for (const id of ids) {
    if (byId.get(id).roots === 0) throw new TraceError(`play ${id} must have at least one root request, found 0`);
  }
  const withOrdinal = ids.filter((id) => byId.get(id).ordinal !== void 0).length;
  if (withOrdinal > 0) {
    if (withOrdinal < ids.length) {
      throw new TraceError("source_play_ordinal must be set for every play when it is used");
    }
    ids.sort((a, b) => byId.get(a).ordinal - byId.get(b).ordinal);
    ids.forEach((id, expected) => {
      const found = byId.get(id).ordinal;
      if (found !== expected) {
        throw new TraceError(`source_play_ordinal values must be unique and contiguous from 0; expected ${expected}, found ${found}`);
      }
    });
  }
  const place = new Map(ids.map((id, i) => [
    id,
    i
  ]));
  return {
    play: Int32Array.from(nodes, (node) => place.get(node.agent.playId)),
    playIds: ids
  };
}
function factsOf(nodes) {
  const roots = /* @__PURE__ */ new Map();
  for (const { agent, requestId } of nodes) {
    if (agent.dependencies.length > 0) continue;
    roots.set(agent.playId, roots.has(agent.playId) ? null : requestId);
  }
  return nodes.map(({ requestId, sessionId, agent }) => {
    const { playId, dependencies } = agent;
    const root = roots.get(playId);
    const parents = dependencies.filter(({ relation }) => relation === "spawn").map((link) => link.requestId);
    return {
      request_id: requestId,
      play_id: playId,
      conversation_id: sessionId,
      ...root ? {
        root_id: root
      } : {},
      ...parents.length > 0 ? {
        parent_id: parents.sort(byteOrder)[0]
      } : {}
    };
  });
}

// lib/trace/json_rows.ts
var JsonRows = class {
  wording;
  keys;
  field = -1;
  #file;
  #format;
  #cursor = new JsonCursor();
  constructor(file, format) {
    this.#file = file;
    this.#format = format;
    this.keys = format.keys;
    this.wording = {
      open: `failed to open trace file ${file}`,
      parse: (line) => `failed to parse line ${line} from ${file} as JSON`,
      read: (line) => `failed to read line ${line} from ${file}`
    };
  }
  read(line, emit) {
    readingLine(this.#cursor, line, this.#file, this.wording, this, this.#fields);
    this.#format.row(line.number, emit);
  }
  #fields = () => {
    const cursor = this.#cursor, format = this.#format;
    let seen = 0;
    this.field = -1;
    format.start();
    cursor.openObject();
    for (let first = true; ; first = false) {
      const field = cursor.nextKey(format.keys, first);
      if (field === -2) break;
      this.field = field;
      if (field < 0) {
        cursor.skip();
      } else if (!cursor.isNull()) {
        seen |= 1 << field;
        format.field(field, cursor);
      }
    }
    this.field = -1;
    cursor.finish();
    for (const field of format.required) {
      if ((seen & 1 << field) === 0) throw new RefusedRow("missing column", `no ${format.keys.names[field]}`);
    }
  };
};
var millis = (seconds) => Math.round(seconds * 1e6) / 1e3;
function looseNumber(cursor) {
  if (cursor.peek() !== 34) return cursor.number();
  const at = cursor.at, text2 = cursor.string();
  const value = text2.trim() === "" ? NaN : Number(text2);
  if (!Number.isFinite(value)) throw new JsonProblem(at, `expected a number, found "${text2}"`);
  return value;
}

// lib/trace/lengths.ts
function checkLengths(inputTokens, outputTokens, keepZeroOutput = false) {
  if (inputTokens === 0) throw new RefusedRow("zero input", "a prompt without tokens");
  if (outputTokens === 0 && !keepZeroOutput) throw new RefusedRow("zero output", "no output tokens");
  if (inputTokens > MAX_TOKENS || outputTokens > MAX_TOKENS) throw new RefusedRow("bad number", "too many tokens");
}
function lengthsOnly({ blockTokens, keepZeroOutput, ids }, read) {
  return (cells, line) => {
    const lengths2 = read(cells);
    checkLengths(lengths2.inputTokens, lengths2.outputTokens, keepZeroOutput);
    const hashIds = ids.take(lengths2.inputTokens, blockTokens);
    return {
      ...lengths2,
      hashIds,
      hashCount: hashIds.length,
      line
    };
  };
}

export {
  Ledger,
  Flow,
  Stage,
  batchStage,
  stage,
  Sink,
  limit,
  checkAgentRow,
  byteOrder,
  dynamoOrder,
  agentRequests,
  SCHEMA,
  DynamoTrace,
  dynamo,
  FreshIds,
  IdMixer,
  JsonRows,
  millis,
  looseNumber,
  checkLengths,
  lengthsOnly,
  splitCsv,
  CsvRows,
  detectFormat,
  readTrace,
  regroup,
  scale,
  slice,
  sortByTime,
  spread,
  writeTrace,
  convert,
  convertCommand,
  inputs,
  ledgerText,
  inspect,
  loadGraph
};
