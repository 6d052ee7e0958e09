import {
  JsonCursor,
  KeySet,
  MAX_TOKENS,
  readingLine
} from "./core.js";
import "./config.js";
import "./timing.js";
import {
  ConfigError,
  TraceError
} from "./base.js";

// lib/trace/applied_compute.ts
var KEYS = new KeySet([
  [
    "num_turns"
  ],
  [
    "input_prompt_length"
  ],
  [
    "assistant_response_length"
  ],
  [
    "tool_call_output_length"
  ],
  [
    "tool_call_latency"
  ],
  [
    "final_assistant_response_length"
  ]
]);
var Ids = class {
  #next = 0;
  #shared = /* @__PURE__ */ new Map();
  fresh() {
    return ++this.#next;
  }
  shared(group, position) {
    const key = `${group}:${position}`;
    let id = this.#shared.get(key);
    if (id === void 0) this.#shared.set(key, id = this.fresh());
    return id;
  }
};
var AppliedComputeRows = class {
  wording;
  keys = KEYS;
  field = -1;
  #file;
  #cursor = new JsonCursor();
  #ids;
  #blockTokens;
  #ratio;
  #groups;
  constructor(file, ids, options) {
    this.#file = file;
    this.#ids = ids;
    this.#blockTokens = options.blockTokens;
    this.#ratio = options.sharedPrefixRatio;
    this.#groups = options.prefixGroups;
    this.wording = {
      open: `failed to open trace file ${file}`,
      parse: (line) => `failed to parse line ${line} from ${file} as JSON`,
      read: (line) => `failed to read line ${line} from ${file}`
    };
  }
  read(line, emit) {
    const [turns, firstInput, answers, toolOutputs, latencies, lastOutput] = readingLine(this.#cursor, line, this.#file, this.wording, this, () => this.#row());
    const fail = (what) => {
      throw new TraceError(`trace line ${line.number} ${what}`, {
        file: this.#file,
        line: line.number
      });
    };
    for (const [field, list] of [
      [
        2,
        answers
      ],
      [
        3,
        toolOutputs
      ],
      [
        4,
        latencies
      ]
    ]) {
      if (list.length !== turns) {
        fail(`field ${KEYS.names[field]} length ${list.length} does not match num_turns ${turns}`);
      }
    }
    if (firstInput === 0) fail("input_prompt_length must be positive");
    latencies.forEach((latency, i) => {
      if (!(latency >= 0)) fail(`tool_call_latency[${i}] must be a finite non-negative number`);
    });
    const blocks = Math.ceil(firstInput / this.#blockTokens);
    const shared = this.#ratio > 0 && this.#groups > 0 ? Math.round(blocks * this.#ratio) : 0;
    const group = (line.number - 1) % Math.max(this.#groups, 1);
    const hashIds = [];
    let input = firstInput;
    for (let turn = 0; turn <= turns; turn++) {
      if (turn > 0) input += answers[turn - 1] + toolOutputs[turn - 1];
      if (input > MAX_TOKENS) fail(`input_length ${input} is too large`);
      while (hashIds.length < Math.ceil(input / this.#blockTokens)) {
        const position = hashIds.length;
        hashIds.push(position < shared ? this.#ids.shared(group, position) : this.#ids.fresh());
      }
      emit({
        inputTokens: input,
        outputTokens: turn === turns ? lastOutput : answers[turn],
        hashIds,
        hashCount: hashIds.length,
        sessionId: `applied_compute_agentic_session_${line.number}`,
        delayMs: turn === 0 ? void 0 : latencies[turn - 1] * 1e3,
        line: line.number
      });
    }
  }
  #row() {
    const cursor = this.#cursor;
    const values = KEYS.names.map(() => void 0);
    cursor.openObject();
    for (let first = true; ; first = false) {
      const field = cursor.nextKey(KEYS, first);
      if (field === -2) break;
      this.field = field;
      if (field < 0) cursor.skip();
      else if (values[field] !== void 0) cursor.fail(`each field once, but ${KEYS.names[field]} is given again`);
      else if (field < 2 || field === 5) values[field] = cursor.count(MAX_TOKENS);
      else {
        const list = values[field] = [];
        cursor.openList();
        for (let item = true; cursor.nextItem(item); item = false) {
          list.push(field === 4 ? cursor.number() : cursor.count(MAX_TOKENS));
        }
      }
    }
    this.field = -1;
    values.forEach((value, field) => {
      if (value === void 0) cursor.fail(`the field ${KEYS.names[field]}`);
    });
    cursor.finish();
    return values;
  }
};
var appliedCompute = {
  name: "applied_compute_agentic",
  title: "Applied Compute agentic sessions, JSON Lines",
  identity: "synthesised unique",
  shape: "rows",
  recognise: ({ object }) => object?.num_turns !== void 0 && object.input_prompt_length !== void 0 ? "its rows have num_turns and input_prompt_length" : void 0,
  open({ blockTokens = 512, sharedPrefixRatio = 0, prefixGroups = 0 }) {
    if (!(sharedPrefixRatio >= 0 && sharedPrefixRatio <= 1)) {
      throw new ConfigError(`shared_prefix_ratio must be between 0.0 and 1.0, got ${sharedPrefixRatio}`);
    }
    const ids = new Ids();
    const options = {
      blockTokens,
      sharedPrefixRatio,
      prefixGroups
    };
    return {
      blockTokens,
      rows: (file) => new AppliedComputeRows(file, ids, options)
    };
  }
};
export {
  appliedCompute
};
