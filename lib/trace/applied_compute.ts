/**
 * `applied_compute_agentic`: one line tells a whole session of turns and tool calls.
 *
 * @module
 */
import { ConfigError, TraceError } from "../errors.ts";
import type { FormatOptions, OpenTrace, TraceFormat } from "./format.ts";
import { JsonCursor } from "./json_cursor.ts";
import { KeySet } from "./key_set.ts";
import type { Line } from "./lines.ts";
import type { HashId } from "./request.ts";
import { type Emit, MAX_TOKENS, readingLine, type RowReader, type Wording } from "./row.ts";

const KEYS = new KeySet([
  ["num_turns"],
  ["input_prompt_length"],
  ["assistant_response_length"],
  ["tool_call_output_length"],
  ["tool_call_latency"],
  ["final_assistant_response_length"],
]);

/** Block ids: fresh ones, and one for each (group, position). */
class Ids {
  #next = 0;
  readonly #shared = new Map<string, number>();

  fresh(): number {
    return ++this.#next;
  }

  shared(group: number, position: number): number {
    const key = `${group}:${position}`;
    let id = this.#shared.get(key);
    if (id === undefined) this.#shared.set(key, id = this.fresh());
    return id;
  }
}

class AppliedComputeRows implements RowReader {
  readonly wording: Wording;
  readonly keys: KeySet = KEYS;
  field = -1;
  readonly #file: string;
  readonly #cursor = new JsonCursor();
  readonly #ids: Ids;
  readonly #blockTokens: number;
  readonly #ratio: number;
  readonly #groups: number;

  constructor(
    file: string,
    ids: Ids,
    options: Required<Pick<FormatOptions, "blockTokens" | "sharedPrefixRatio" | "prefixGroups">>,
  ) {
    this.#file = file;
    this.#ids = ids;
    this.#blockTokens = options.blockTokens;
    this.#ratio = options.sharedPrefixRatio;
    this.#groups = options.prefixGroups;
    this.wording = {
      open: `failed to open trace file ${file}`,
      parse: (line) => `failed to parse line ${line} from ${file} as JSON`,
      read: (line) => `failed to read line ${line} from ${file}`,
    };
  }

  read(line: Line, emit: Emit): void {
    const [turns, firstInput, answers, toolOutputs, latencies, lastOutput] = readingLine(
      this.#cursor,
      line,
      this.#file,
      this.wording,
      this,
      () => this.#row(),
    ) as [number, number, number[], number[], number[], number];
    const fail = (what: string) => {
      throw new TraceError(`trace line ${line.number} ${what}`, { file: this.#file, line: line.number });
    };
    for (const [field, list] of [[2, answers], [3, toolOutputs], [4, latencies]] as const) {
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
    const hashIds: HashId[] = [];
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
        delayMs: turn === 0 ? undefined : latencies[turn - 1] * 1000,
        line: line.number,
      });
    }
  }

  #row(): (number | number[])[] {
    const cursor = this.#cursor;
    const values: (number | number[] | undefined)[] = KEYS.names.map(() => undefined);
    cursor.openObject();
    for (let first = true;; first = false) {
      const field = cursor.nextKey(KEYS, first);
      if (field === -2) break;
      this.field = field;
      if (field < 0) cursor.skip();
      else if (values[field] !== undefined) cursor.fail(`each field once, but ${KEYS.names[field]} is given again`);
      else if (field < 2 || field === 5) values[field] = cursor.count(MAX_TOKENS);
      else {
        const list: number[] = values[field] = [];
        cursor.openList();
        for (let item = true; cursor.nextItem(item); item = false) {
          list.push(field === 4 ? cursor.number() : cursor.count(MAX_TOKENS));
        }
      }
    }
    this.field = -1;
    values.forEach((value, field) => {
      if (value === undefined) cursor.fail(`the field ${KEYS.names[field]}`);
    });
    cursor.finish();
    return values as (number | number[])[];
  }
}

/** The Applied Compute format. */
export const appliedCompute: TraceFormat = {
  name: "applied_compute_agentic",
  title: "Applied Compute agentic sessions, JSON Lines",
  identity: "synthesised unique",
  shape: "rows",
  recognise: ({ object }) =>
    object?.num_turns !== undefined && object.input_prompt_length !== undefined
      ? "its rows have num_turns and input_prompt_length"
      : undefined,
  open({ blockTokens = 512, sharedPrefixRatio = 0, prefixGroups = 0 }): OpenTrace {
    if (!(sharedPrefixRatio >= 0 && sharedPrefixRatio <= 1)) {
      throw new ConfigError(`shared_prefix_ratio must be between 0.0 and 1.0, got ${sharedPrefixRatio}`);
    }
    const ids = new Ids();
    const options = { blockTokens, sharedPrefixRatio, prefixGroups };
    return { blockTokens, rows: (file) => new AppliedComputeRows(file, ids, options) };
  },
};
