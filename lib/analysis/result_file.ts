/**
 * Reads a result that a command left as one JSON file.
 *
 * @module
 */
import * as v from "valibot";
import { ConfigError } from "../errors.ts";
import { host } from "../io/host.ts";
import { issueText } from "../io/issue_text.ts";
import { readText } from "../io/text.ts";

/**
 * Reads and checks a file.
 *
 * @param what names the result in messages
 * @throws {ConfigError} when there is none, or the file is no such result
 */
export async function readResult<T>(
  file: string,
  what: string,
  schema: v.GenericSchema<unknown, T>,
  mostBytes: number,
): Promise<T> {
  const refuse = (why: string, cause?: unknown): never => {
    const message = `cannot read ${what} from ${file}: ${why}`;
    throw new ConfigError(message, [{ path: "", message, file }], { cause });
  };
  if (host().kind(file) === "missing") return refuse("there is no such file");
  let value: unknown;
  try {
    value = JSON.parse(await readText(file, { mostBytes }));
  } catch (problem) {
    return refuse((problem as Error).message, problem);
  }
  const read = v.safeParse(schema, value);
  return read.success ? read.output : refuse(issueText(read.issues[0]));
}
