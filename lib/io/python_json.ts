/**
 * JSON as Python writes it.
 *
 * @module
 */

/**
 * Parses JSON in which `Infinity` and `NaN` may stand as bare words, as Python writes them; both become null.
 *
 * @throws {SyntaxError} when it is not even that
 *
 * @example
 * ```ts
 * import { parsePythonJson } from "./python_json.ts";
 *
 * console.log(parsePythonJson('{"request_rate": Infinity, "max": 8}')); // { request_rate: null, max: 8 }
 * ```
 */
export function parsePythonJson(text: string): Record<string, any> {
  try {
    return JSON.parse(text);
  } catch (problem) {
    const plain = text.replace(/(?<=[[:,\s])-?(?:Infinity|NaN)(?=\s*[,\]}])/g, "null");
    if (plain === text) throw problem;
    return JSON.parse(plain);
  }
}
