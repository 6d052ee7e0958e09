/**
 * Reads files of measurements, whatever their format.
 *
 * @module
 */
import { TraceError } from "../errors.ts";
import { ByteSourceError } from "../io/bytes.ts";
import { parsePythonJson } from "../io/python_json.ts";
import { stopPoint } from "../io/stop.ts";
import { readText } from "../io/text.ts";
import { splitCsv } from "../trace/csv.ts";
import { RefusedRow } from "../trace/row.ts";
import type { MeasuredFormat } from "./formats/format.ts";
import { MEASURED_FORMATS } from "./formats/registry.ts";
import { Measured } from "./measured.ts";

/** More does not fit into one text. */
const MOST_BYTES = 400 * 2 ** 20;
/** Lines between two chances to stop. */
const STOP_EVERY = 1 << 14;

/**
 * What files hold, in their order.
 *
 * @param paths files (`-` is standard input), gzip or not
 * @throws {TraceError} when one cannot be read, is of no known format, or a row is not what its format says
 *
 * @example
 * ```ts
 * import { calibrate, loadPrediction, readMeasured } from "dynosim";
 *
 * async function howFar(recording: string, configuration: string) {
 *   const { plan } = await loadPrediction(configuration);
 *   return (await calibrate(await readMeasured([recording]), plan)).before;
 * }
 * console.log(typeof howFar); // function
 * ```
 */
export async function readMeasured(paths: readonly string[]): Promise<Measured> {
  const measured = new Measured();
  for (const path of paths) await readFile(path, measured);
  return measured;
}

async function readFile(path: string, into: Measured): Promise<void> {
  const file = path === "-" ? "<standard input>" : path;
  let text: string;
  try {
    text = await readText(path, { mostBytes: MOST_BYTES });
  } catch (problem) {
    if (!(problem instanceof ByteSourceError)) throw problem;
    throw new TraceError(`failed to ${problem.stage} measurements ${file}: ${problem.message}`, { file });
  }
  const end = text.indexOf("\n"), first = (end < 0 ? text : text.slice(0, end)).trim();
  const line = jsonOf(first), whole = line === undefined && /^\s*\{/.test(text) ? jsonOf(text) : undefined;
  const cells = cellsOf(first) ?? [];
  const format = MEASURED_FORMATS.find((each) => each.recognise({ object: whole ?? line, cells }));
  if (format === undefined) {
    if (text.trim() === "") throw new TraceError(`${file}: the file is empty`, { file });
    if (text.trimStart().startsWith("{") && line === undefined && whole === undefined) {
      throw new TraceError(`${file}: it is neither one JSON object nor one a line: ${syntaxProblem(text)}`, { file });
    }
    const known = MEASURED_FORMATS.map(({ title }) => title).join("; ");
    throw new TraceError(`${file}: no known format of measurements (known: ${known})`, { file, line: 1 });
  }
  into.formats.add(format.name);
  if (whole !== undefined) format.json!(whole, { file, line: 1 }, into);
  else await readLines(text, file, format, cells, into);
}

async function readLines(
  text: string,
  file: string,
  format: MeasuredFormat,
  columns: readonly string[],
  into: Measured,
): Promise<void> {
  let number = 0;
  for (let at = 0; at < text.length;) {
    const feed = text.indexOf("\n", at), end = feed < 0 ? text.length : feed;
    const line = text.slice(at, end).trim(), row = { file, line: ++number };
    at = end + 1;
    if (number % STOP_EVERY === 0) await stopPoint();
    if (line === "" || (format.csv !== undefined && number === 1)) continue;
    if (format.csv !== undefined) {
      const cells = cellsOf(line);
      if (cells === undefined || cells.length < columns.length) {
        throw new TraceError(`${file}:${number}: the header has ${columns.length} cells, this row has fewer`, row);
      }
      format.csv(Object.fromEntries(columns.map((name, i) => [name, cells[i]])), row, into);
    } else {
      const value = jsonOf(line);
      if (value === undefined) throw new TraceError(`${file}:${number}: the line is no JSON object`, row);
      format.json!(value, row, into);
    }
  }
}

/** Why a text is no JSON. */
function syntaxProblem(text: string): string {
  try {
    JSON.parse(text);
  } catch (problem) {
    return (problem as SyntaxError).message;
  }
  return "it cannot be parsed";
}

function jsonOf(text: string): Record<string, unknown> | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    return parsePythonJson(text);
  } catch {
    return undefined;
  }
}

function cellsOf(line: string): string[] | undefined {
  try {
    return splitCsv(line).map((cell) => cell.trim());
  } catch (problem) {
    if (problem instanceof RefusedRow) return undefined;
    throw problem;
  }
}
