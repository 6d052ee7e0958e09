/**
 * Workloads in, line by line, and how long their passes take out.
 *
 * @module
 */
import { SimulationError, TraceError } from "../lib/errors.ts";
import { ByteSourceError, readBytes } from "../lib/io/bytes.ts";
import { isTerminal, writeText } from "../lib/io/process.ts";
import { csvLine } from "../lib/report/csv.ts";
import type { ForwardPassModel, PassLoad } from "../lib/timing/aic/forward_pass_model.ts";
import { decodeVariances, passLoads, SUMS } from "../lib/timing/aic/pass_loads.ts";
import type { PassCorrection } from "../lib/timing/calibration/correction.ts";
import { attentionOf } from "../lib/timing/calibration/uneven.ts";
import { LineCutter } from "../lib/trace/lines.ts";
import { showReading } from "./terminal.ts";

/** Passes that are looked at again for what they rest on. */
const JUDGED = 256;

/** How answers are printed. */
export interface AnswerForm {
  /** With the operators of each pass. */
  perOp: boolean;
  /** As CSV, not as JSON lines. */
  asTable: boolean;
}

/** Corrects estimates of passes with a calibration. */
export class AnswerCorrection {
  readonly #model: ForwardPassModel;
  readonly #correction: PassCorrection;
  readonly #attention: (ms: number, decodes: number) => number;
  /** Decode steps of several sequences of which nobody said how uneven they are, though the calibration asks for it. */
  takenAsEven = 0;

  constructor(model: ForwardPassModel, correction: PassCorrection) {
    this.#model = model;
    this.#correction = correction;
    this.#attention = attentionOf((decodes) =>
      model.passMs({ num_decode_requests: decodes, sum_decode_kv_tokens: decodes })
    );
  }

  /** Milliseconds of a rank's pass. @param variance of the lengths of its decoding sequences, where it is known */
  passMs(rank: PassLoad, variance: number | null): number {
    const { sum_prefill_tokens: tokens = 0, sum_prefill_kv_tokens: prior = 0 } = rank;
    const { num_decode_requests: decodes = 0, sum_decode_kv_tokens: context = 0 } = rank;
    const { uneven } = this.#correction;
    let ms = this.#model.passMs(rank);
    if (uneven > 0 && tokens === 0 && decodes > 1 && context > 0) {
      if (variance === null) this.takenAsEven++;
      else ms += uneven * Math.sqrt(variance) / (context / decodes) * this.#attention(ms, decodes);
    }
    return this.#correction.passMs(ms, tokens, decodes, prior, context, rank.num_prefill_requests);
  }
}

/** Columns of a workload as CSV. */
const HEAD = csvLine(["line", "rank", ...SUMS, "latency_ms"]);

/**
 * Answers lines as they come; what was answered before a mistake has been written.
 *
 * @param asked takes the first passes
 */
export async function answer(
  path: string,
  model: ForwardPassModel,
  form: AnswerForm,
  correction: AnswerCorrection | null,
  asked: PassLoad[],
): Promise<void> {
  const file = path === "-" ? "<standard input>" : path;
  const cutter = new LineCutter();
  const decoder = new TextDecoder();
  let answers = form.asTable ? HEAD : "";
  const read = (lines: Iterable<{ bytes: Uint8Array; start: number; end: number; number: number }>) => {
    for (const line of lines) {
      const text = decoder.decode(line.bytes.subarray(line.start, line.end));
      answers += answerLine(text, { file, line: line.number }, model, form, correction, asked);
    }
  };
  const flush = () => {
    if (answers !== "") writeText("stdout", answers);
    answers = "";
  };
  const hide = isTerminal("stdout") ? () => {} : showReading([path]);
  try {
    for await (const piece of readBytes(path)) {
      read(cutter.cut(piece));
      flush();
    }
    read(cutter.finish());
  } catch (problem) {
    if (!(problem instanceof ByteSourceError)) throw problem;
    throw new TraceError(`failed to ${problem.stage} workloads ${file}: ${problem.message}`, { file });
  } finally {
    hide();
    flush();
  }
}

function answerLine(
  text: string,
  place: { file: string; line: number },
  model: ForwardPassModel,
  { perOp, asTable }: AnswerForm,
  correction: AnswerCorrection | null,
  asked: PassLoad[],
): string {
  try {
    const row = JSON.parse(text);
    const loads = passLoads(row);
    const answered: Record<string, unknown> = Array.isArray(row) ? { ranks: row } : { ...row };
    if (correction === null) answered.latency_ms = model.passMs(loads);
    else {
      const variances = decodeVariances(row);
      answered.latency_ms = Math.max(...loads.map((load, rank) => correction.passMs(load, variances[rank])));
    }
    if (asked.length < JUDGED) asked.push(...loads.slice(0, JUDGED - asked.length));
    if (perOp) {
      const slowest = loads.reduce((a, b) => model.passMs(b) > model.passMs(a) ? b : a);
      answered.operators = model.passRows(slowest);
    }
    if (!asTable) return `${JSON.stringify(answered)}\n`;
    const cells = (load: PassLoad, rank: number) => [place.line, rank, ...SUMS.map((name) => load[name] ?? 0)];
    return loads.map((load, rank) => csvLine([...cells(load, rank), answered.latency_ms])).join("");
  } catch (problem) {
    const where = `${place.file}:${place.line}`;
    const { message } = problem as Error;
    if (problem instanceof SimulationError) throw new SimulationError(`${where}: ${message}`, { cause: problem });
    if (problem instanceof SyntaxError) throw new TraceError(`${where}: the line is not JSON: ${message}`, place);
    if (problem instanceof TypeError) throw new TraceError(`${where}: ${message}`, place);
    throw problem;
  }
}
