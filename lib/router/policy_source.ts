/**
 * Reads the text of a router policy file, which is YAML.
 *
 * @module
 */
import { parse } from "@std/yaml";
import { ConfigError } from "../errors.ts";
import { readBytes, reason } from "../io/bytes.ts";

/**
 * The parsed content of a policy file.
 *
 * @throws {ConfigError} when the file cannot be opened or is no YAML
 */
export async function policyFileContent(path: string): Promise<unknown> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  try {
    for await (const bytes of readBytes(path)) text += decoder.decode(bytes, { stream: true });
    text += decoder.decode();
  } catch (problem) {
    throw refusal(`failed to read router policy config ${path}: ${reason(problem)}`, path);
  }
  try {
    return parse(text, { version: "1.2", schema: "core", merge: true });
  } catch (problem) {
    throw refusal(`failed to parse router policy config ${path}: ${(problem as Error).message}`, path);
  }
}

function refusal(text: string, file: string): ConfigError {
  const message = `router_policy_config: ${text}`;
  return new ConfigError(message, [{ path: "router_policy_config", message, file }]);
}
