import {
  IdMixer,
  JsonRows,
  checkLengths,
  looseNumber,
  millis
} from "./traces.js";
import {
  JsonCursor,
  KeySet,
  MAX_TOKENS,
  RefusedRow
} from "./core.js";
import "./shared.js";
import {
  filesAt
} from "./config.js";
import {
  LineCutter
} from "./timing.js";
import {
  TraceError,
  readBytes,
  reason
} from "./base.js";

// lib/trace/ragpulse.ts
var COMPONENTS = [
  [
    "sys_prompt",
    "sys_prompt",
    "sys_prompt_id"
  ],
  [
    "passages_ids",
    "passages",
    "passage_id"
  ],
  [
    "history",
    "history",
    "history_id"
  ],
  [
    "web_search",
    "web_search",
    "web_search_id"
  ],
  [
    "user_input",
    "user_input",
    "user_input_id"
  ]
];
var KEYS = new KeySet([
  [
    "timestamp"
  ],
  [
    "input_length"
  ],
  [
    "output_length"
  ],
  [
    "hash_ids"
  ],
  [
    "session_id"
  ]
]);
var COMPONENT_KEYS = new KeySet(COMPONENTS.map(([key]) => [
  key
]));
var ragPulse = {
  name: "ragpulse",
  title: "RAGPulse trace, JSON Lines with files of lengths",
  identity: "recorded",
  shape: "rows",
  badRows: "drop",
  recognise({ object }) {
    const ids = object?.hash_ids;
    return ids && typeof ids === "object" && "sys_prompt" in ids && "user_input" in ids ? "its hash_ids name sys_prompt and user_input" : void 0;
  },
  open({ blockTokens = 512, keepZeroOutput, sessions, lengthsFolder, ledger }) {
    let lengths = [];
    return {
      blockTokens,
      async prepare(file) {
        lengths = await readLengths(lengthsFolder ?? folderOf(file));
      },
      rows: (file) => {
        const mixer = new IdMixer();
        const kinds = [], ids = [], blocks = [];
        let seconds = 0, inputTokens = 0, outputTokens = 0, sessionId;
        const parts = COMPONENTS.map(() => []);
        const format = {
          keys: KEYS,
          required: [
            0,
            1,
            2,
            3
          ],
          start() {
            sessionId = void 0;
            for (const part of parts) part.length = 0;
          },
          field(field, cursor) {
            if (field === 0) seconds = looseNumber(cursor);
            else if (field === 1) inputTokens = cursor.count(MAX_TOKENS);
            else if (field === 2) outputTokens = cursor.count(MAX_TOKENS);
            else if (field === 3) readComponents(cursor, parts);
            else sessionId = cursor.string();
          },
          row(line, emit) {
            checkLengths(inputTokens, outputTokens, keepZeroOutput);
            kinds.length = ids.length = 0;
            parts.forEach((part, kind) => part.forEach((id) => {
              kinds.push(kind);
              ids.push(id);
            }));
            const known = cutBlocks(mixer, {
              kinds,
              ids,
              lengths,
              inputTokens,
              blockTokens,
              line
            }, blocks);
            if (known < inputTokens) ledger?.note("rows with tokens that no component explains, put last and unshared");
            emit({
              timestampMs: millis(seconds),
              inputTokens,
              outputTokens,
              hashIds: blocks,
              hashCount: Math.ceil(inputTokens / blockTokens),
              sessionId: sessions ? sessionId : void 0,
              line
            });
          }
        };
        return new JsonRows(file, format);
      }
    };
  }
};
var folderOf = (file) => file.includes("/") ? file.slice(0, file.lastIndexOf("/")) || "/" : ".";
function readComponents(cursor, parts) {
  cursor.openObject();
  for (let first = true; ; first = false) {
    const kind = cursor.nextKey(COMPONENT_KEYS, first);
    if (kind === -2) return;
    if (kind < 0) cursor.skip();
    else {
      cursor.openList();
      for (let item = true; cursor.nextItem(item); item = false) {
        parts[kind].push(cursor.count(Number.MAX_SAFE_INTEGER));
      }
    }
  }
}
function cutBlocks(mixer, prompt, blocks) {
  const { kinds, ids, lengths, inputTokens, blockTokens } = prompt;
  let token = 0, count = 0;
  mixer.start(1);
  const take = (kind, id, length) => {
    for (let from = 0; from < length && token < inputTokens; ) {
      const room = blockTokens - token % blockTokens;
      const part = Math.min(room, length - from, inputTokens - token);
      mixer.add(kind);
      mixer.add(id);
      mixer.add(from);
      mixer.add(part);
      from += part;
      token += part;
      if (token % blockTokens === 0 || token === inputTokens) {
        blocks[count++] = mixer.id;
        mixer.start(1);
      }
    }
  };
  for (let i = 0; i < ids.length; i++) {
    const length = lengths[kinds[i]].get(ids[i]);
    if (length === void 0) {
      throw new RefusedRow("unknown component", `no length for ${COMPONENTS[kinds[i]][2]} ${ids[i]}`);
    }
    take(kinds[i], ids[i], length);
  }
  const known = token;
  take(COMPONENTS.length, prompt.line, inputTokens - token);
  return known;
}
async function readLengths(folder) {
  const files = filesAt(folder);
  return await Promise.all(COMPONENTS.map(async ([, end, key]) => {
    const file = files.find((path) => new RegExp(`(^|[/_])${end}\\.jsonl(\\.gz)?$`).test(path));
    if (file === void 0) {
      throw new TraceError(`RAGPulse needs a file \u2026${end}.jsonl with the lengths of its components in ${folder}, and there is none`);
    }
    return await readLengthsFile(file, key);
  }));
}
async function readLengthsFile(file, key) {
  const keys = new KeySet([
    [
      key
    ],
    [
      "token_length"
    ]
  ]);
  const lengths = /* @__PURE__ */ new Map();
  const cutter = new LineCutter(), cursor = new JsonCursor();
  const read = (line) => {
    cursor.open(line.bytes, line.start, line.end);
    let id = -1, tokens = -1;
    cursor.openObject();
    for (let first = true; ; first = false) {
      const field = cursor.nextKey(keys, first);
      if (field === -2) break;
      if (field === 0) id = cursor.count(Number.MAX_SAFE_INTEGER);
      else if (field === 1) tokens = cursor.count(MAX_TOKENS);
      else cursor.skip();
    }
    if (id < 0 || tokens < 0) cursor.fail(`${key} and token_length`);
    lengths.set(id, tokens);
  };
  try {
    for await (const piece of readBytes(file)) for (const line of cutter.cut(piece)) read(line);
    for (const line of cutter.finish()) read(line);
  } catch (cause) {
    const place = {
      file,
      line: cutter.number
    };
    throw new TraceError(`failed to read line ${cutter.number} from ${file}: ${reason(cause)}`, place, {
      cause
    });
  }
  return lengths;
}
export {
  ragPulse
};
