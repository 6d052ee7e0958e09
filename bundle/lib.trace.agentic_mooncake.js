import {
  checkAgentRow
} from "./traces.js";
import {
  JsonCursor,
  KeySet,
  MAX_TOKENS,
  readingLine
} from "./core.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import {
  TraceError
} from "./base.js";

// lib/trace/agentic_mooncake.ts
var HEADER = new KeySet([
  [
    "schema"
  ],
  [
    "version"
  ],
  [
    "block_size"
  ],
  [
    "hash_id_scope"
  ],
  [
    "source"
  ]
]);
var SOURCE = new KeySet([
  [
    "format"
  ],
  [
    "digest"
  ]
]);
var ROW = new KeySet([
  [
    "request_id"
  ],
  [
    "play_id"
  ],
  [
    "session_id"
  ],
  [
    "model"
  ],
  [
    "input_length",
    "input_tokens"
  ],
  [
    "output_length",
    "output_tokens"
  ],
  [
    "hash_ids"
  ],
  [
    "not_before_ms"
  ],
  [
    "dependencies"
  ],
  [
    "source_play_ordinal"
  ],
  [
    "output_token_ids"
  ],
  [
    "recorded_api_time_ms"
  ],
  [
    "priority"
  ],
  [
    "strict_priority"
  ],
  [
    "policy_class"
  ]
]);
var DEPENDENCY = new KeySet([
  [
    "request_id"
  ],
  [
    "trigger"
  ],
  [
    "delay_ms"
  ],
  [
    "relation"
  ]
]);
var TRIGGERS = [
  "dispatch",
  "completion"
];
var RELATIONS = [
  "sequence",
  "spawn",
  "join",
  "replay_barrier"
];
var AgenticRows = class {
  wording;
  #header;
  field = -1;
  keys = HEADER;
  blockTokens;
  provenance;
  #file;
  #cursor = new JsonCursor();
  #known = /* @__PURE__ */ new Set();
  #rows = 0;
  constructor(file) {
    this.#file = file;
    this.wording = {
      open: `failed to open trace file ${file}`,
      parse: (line) => `failed to parse line ${line} from ${file} as an agentic Mooncake v2 request`,
      read: (line) => `failed to read line ${line} from ${file}`
    };
    this.#header = {
      ...this.wording,
      parse: (line) => `failed to parse line ${line} from ${file} as the agentic Mooncake v2 header`
    };
  }
  get atHeader() {
    return this.blockTokens === void 0;
  }
  read(line, emit) {
    if (this.blockTokens === void 0) {
      readingLine(this.#cursor, line, this.#file, this.#header, this, () => this.#readHeader(line.number));
      return;
    }
    this.keys = ROW;
    const row = readingLine(this.#cursor, line, this.#file, this.wording, this, () => this.#readRow());
    checkAgentRow(row, line.number, this.blockTokens, this.#known, this.#file);
    this.#rows++;
    emit({
      timestampMs: row.notBeforeMs,
      inputTokens: row.inputTokens,
      outputTokens: row.outputTokens,
      hashIds: row.hashIds,
      hashCount: row.hashIds.length,
      sessionId: row.sessionId,
      outputTokenIds: row.outputTokenIds,
      requestId: row.requestId,
      priority: row.priority,
      strictPriority: row.strictPriority,
      policyClass: row.policyClass,
      durationMs: row.recordedApiTimeMs,
      agent: row.agent,
      line: line.number
    });
  }
  finish() {
    if (this.blockTokens === void 0) {
      throw new TraceError(`agentic trace file ${this.#file} is missing its v2 header`, {
        file: this.#file
      });
    }
    if (this.#rows === 0) {
      throw new TraceError(`agentic trace file ${this.#file} did not contain any requests`, {
        file: this.#file
      });
    }
  }
  #readHeader(line) {
    const cursor = this.#cursor;
    let schema = "", version = 0, blockSize = 0, source = {
      format: "",
      digest: ""
    };
    this.#object(HEADER, 5, (field) => {
      if (field === 0) schema = cursor.string();
      else if (field === 1) version = Number(cursor.unsigned());
      else if (field === 2) blockSize = cursor.count(MAX_TOKENS);
      else if (field === 3) cursor.oneOf([
        "local"
      ]);
      else {
        const text = [
          "",
          ""
        ];
        this.#object(SOURCE, 2, (part) => text[part] = cursor.string());
        source = {
          format: text[0],
          digest: text[1]
        };
      }
    });
    cursor.finish();
    const fail = (what) => {
      throw new TraceError(what, {
        file: this.#file,
        line
      });
    };
    if (schema !== "dynamo.agentic_mooncake") {
      fail(`unsupported agentic Mooncake schema "${schema}"; expected "dynamo.agentic_mooncake"`);
    }
    if (version !== 2) fail(`unsupported agentic Mooncake version ${version}; expected 2`);
    if (blockSize === 0) fail("agentic Mooncake block_size must be greater than 0");
    if (source.format.trim() === "" || source.digest.trim() === "") {
      fail("agentic Mooncake source provenance requires nonempty format and digest");
    }
    this.blockTokens = blockSize;
    this.provenance = source;
  }
  #readRow() {
    const cursor = this.#cursor;
    const row = {
      requestId: "",
      sessionId: "",
      hashIds: void 0,
      inputTokens: void 0,
      outputTokens: void 0,
      outputTokenIds: void 0,
      notBeforeMs: 0,
      recordedApiTimeMs: void 0,
      agent: {
        playId: "",
        model: "",
        dependencies: []
      }
    };
    let dependencies = [];
    const text = [
      "",
      "",
      "",
      ""
    ];
    const seen = this.#object(ROW, 0, (field) => {
      if (field < 4) text[field] = cursor.string();
      else if (field === 7) row.notBeforeMs = cursor.number();
      else if (field === 8) dependencies = this.#dependencies();
      else if (cursor.isNull()) return;
      else if (field === 4) row.inputTokens = cursor.count(MAX_TOKENS);
      else if (field === 5) row.outputTokens = cursor.count(MAX_TOKENS);
      else if (field === 6) row.hashIds = list(cursor, () => cursor.unsigned());
      else if (field === 9) row.agent.playOrdinal = Number(cursor.unsigned());
      else if (field === 10) row.outputTokenIds = list(cursor, () => cursor.count(4294967295));
      else if (field === 11) row.recordedApiTimeMs = cursor.number();
      else if (field === 12) row.priority = cursor.signed32();
      else if (field === 13) row.strictPriority = cursor.count(4294967295);
      else row.policyClass = cursor.string();
    });
    for (const field of [
      0,
      1,
      2,
      3,
      7
    ]) this.#require(ROW, seen, field);
    cursor.finish();
    [row.requestId, row.agent.playId, row.sessionId, row.agent.model] = text;
    row.agent.dependencies = dependencies;
    return row;
  }
  #dependencies() {
    const cursor = this.#cursor;
    return list(cursor, () => {
      const dependency = {
        requestId: "",
        trigger: "completion",
        delayMs: 0,
        relation: "sequence"
      };
      this.#object(DEPENDENCY, 4, (field) => {
        if (field === 0) dependency.requestId = cursor.string();
        else if (field === 1) dependency.trigger = cursor.oneOf(TRIGGERS);
        else if (field === 2) dependency.delayMs = cursor.number();
        else dependency.relation = cursor.oneOf(RELATIONS);
      });
      return dependency;
    });
  }
  /** Reads an object of which the first `required` fields must be there; returns the fields seen as bits. */
  #object(keys, required, read) {
    const cursor = this.#cursor;
    let seen = 0;
    cursor.openObject();
    for (let first = true; ; first = false) {
      const field = cursor.nextKey(keys, first);
      if (field === -2) break;
      if (keys === this.keys) this.field = field;
      if (field < 0) {
        cursor.skip();
        continue;
      }
      if (seen & 1 << field) cursor.fail(`each field once, but ${keys.names[field]} is given again`);
      seen |= 1 << field;
      read(field);
    }
    for (let field = 0; field < required; field++) this.#require(keys, seen, field);
    if (keys === this.keys) this.field = -1;
    return seen;
  }
  #require(keys, seen, field) {
    if ((seen & 1 << field) === 0) this.#cursor.fail(`the field ${keys.names[field]}`);
  }
};
function list(cursor, item) {
  const items = [];
  cursor.openList();
  for (let first = true; cursor.nextItem(first); first = false) items.push(item());
  return items;
}
var agenticMooncake = {
  name: "agentic_mooncake",
  title: "agentic Mooncake JSON Lines, version 2",
  identity: "recorded",
  shape: "graph",
  recognise: ({ object }) => object?.schema === "dynamo.agentic_mooncake" ? "its first line is a dynamo.agentic_mooncake header" : void 0,
  open() {
    let reader;
    return {
      get blockTokens() {
        return reader?.blockTokens;
      },
      get provenance() {
        return reader?.provenance;
      },
      rows: (file) => reader = new AgenticRows(file)
    };
  }
};
export {
  agenticMooncake
};
