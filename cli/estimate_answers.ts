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
import { passLoads, SUMS } from "../lib/timing/aic/pass_loads.ts";
import type { PassCorrection } from "../lib/timing/calibration/correction.ts";
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
  correction: PassCorrection | null,
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
  correction: PassCorrection | null,
  asked: PassLoad[],
): string {
  try {
    const row = JSON.parse(text);
    const loads = passLoads(row);
    const answered: Record<string, unknown> = Array.isArray(row) ? { ranks: row } : { ...row };
    const passMs = (load: PassLoad | PassLoad[]) => {
      const ranks = Array.isArray(load) ? load : [load];
      if (correction === null) return model.passMs(ranks);
      return Math.max(...ranks.map((rank) => {
        const { sum_prefill_tokens: tokens = 0, sum_prefill_kv_tokens: prior = 0 } = rank;
        const { num_decode_requests: decodes = 0, sum_decode_kv_tokens: context = 0 } = rank;
        return correction.passMs(model.passMs(rank), tokens, decodes, prior, context);
      }));
    };
    answered.latency_ms = passMs(loads);
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
