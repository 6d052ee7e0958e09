import {
  readTextIfThere
} from "./timing.js";
import {
  ConfigError,
  environment
} from "./base.js";

// lib/jobs/queue/address.ts
var DEFAULT_PORT = 6379;
var withoutSecrets = (text) => text.replace(/\/\/.*@/s, "//");
function brokerAddress(text, variable = environment) {
  const refuse = (why) => {
    throw new ConfigError(`${withoutSecrets(text)} is no address of a Redis: ${why}; expected redis://HOST:PORT`);
  };
  const found = /^(rediss?):\/\/(?:(.*)@)?(\[[0-9a-f:.]+\]|[^\s:/?#@[\]]+)(?::(\d+))?(?:\/(\d*))?$/is.exec(text);
  if (found === null) {
    return refuse(/^rediss?:\/\//i.test(text) ? "it has no such parts" : "it does not begin with redis:// or rediss://");
  }
  const [, scheme, credentials = "", host, port = String(DEFAULT_PORT), database = ""] = found;
  if (Number(port) < 1 || Number(port) > 65535) refuse(`${port} is no port`);
  const cut = credentials.indexOf(":");
  const decoded = (part) => {
    try {
      return decodeURIComponent(part) || void 0;
    } catch {
      return refuse("its user or password has a % that stands for nothing (write %25)");
    }
  };
  const secure = scheme.toLowerCase() === "rediss";
  return {
    host: host.replace(/^\[|\]$/g, ""),
    port: Number(port),
    database: Number(database),
    username: decoded(cut < 0 ? credentials : credentials.slice(0, cut)) ?? variable("DYNOSIM_REDIS_USERNAME"),
    password: decoded(cut < 0 ? "" : credentials.slice(cut + 1)) ?? variable("DYNOSIM_REDIS_PASSWORD"),
    tls: secure ? {
      ca: authority(variable("DYNOSIM_REDIS_CA"))
    } : null,
    shown: `${scheme.toLowerCase()}://${host}:${port}${database === "" ? "" : `/${database}`}`
  };
}
function authority(path) {
  if (path === void 0) return void 0;
  const text = readTextIfThere(path);
  if (text === void 0) throw new ConfigError(`DYNOSIM_REDIS_CA names ${path}, and there is no such file`);
  return text;
}
export {
  brokerAddress
};
