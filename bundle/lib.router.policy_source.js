import {
  parse
} from "./config.js";
import {
  ConfigError,
  readBytes,
  reason
} from "./base.js";

// lib/router/policy_source.ts
async function policyFileContent(path) {
  const decoder = new TextDecoder("utf-8", {
    fatal: true
  });
  let text = "";
  try {
    for await (const bytes of readBytes(path)) text += decoder.decode(bytes, {
      stream: true
    });
    text += decoder.decode();
  } catch (problem) {
    throw refusal(`failed to read router policy config ${path}: ${reason(problem)}`, path);
  }
  try {
    return parse(text, {
      version: "1.2",
      schema: "core",
      merge: true
    });
  } catch (problem) {
    throw refusal(`failed to parse router policy config ${path}: ${problem.message}`, path);
  }
}
function refusal(text, file) {
  const message = `router_policy_config: ${text}`;
  return new ConfigError(message, [
    {
      path: "router_policy_config",
      message,
      file
    }
  ]);
}
export {
  policyFileContent
};
