/**
 * Where a Redis is: `redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]`, `rediss://` for TLS. User and password may stand
 * in the environment instead (`DYNOSIM_REDIS_USERNAME`, `DYNOSIM_REDIS_PASSWORD`); a private certificate authority in
 * `DYNOSIM_REDIS_CA`. Nothing that is printed holds the password.
 *
 * @module
 */
import { ConfigError } from "../../errors.ts";
import { readTextIfThere } from "../../io/data_files.ts";
import { environment } from "../../io/process.ts";

/** A Redis. */
export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
  readonly database: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** Null without TLS; `ca` in PEM, the system's when it is undefined. */
  readonly tls: { ca: string | undefined } | null;
  /** As it may be printed: without user and password. */
  readonly shown: string;
}

const DEFAULT_PORT = 6379;

/** An address as it may be printed, whatever is wrong with it. */
const withoutSecrets = (text: string): string => text.replace(/\/\/.*@/s, "//");

/**
 * Reads an address.
 *
 * @throws {ConfigError} when it is none
 */
export function brokerAddress(
  text: string,
  variable: (name: string) => string | undefined = environment,
): BrokerAddress {
  const refuse = (why: string): never => {
    throw new ConfigError(`${withoutSecrets(text)} is no address of a Redis: ${why}; expected redis://HOST:PORT`);
  };
  const found = /^(rediss?):\/\/(?:(.*)@)?(\[[0-9a-f:.]+\]|[^\s:/?#@[\]]+)(?::(\d+))?(?:\/(\d*))?$/is.exec(text);
  if (found === null) {
    return refuse(
      /^rediss?:\/\//i.test(text) ? "it has no such parts" : "it does not begin with redis:// or rediss://",
    );
  }
  const [, scheme, credentials = "", host, port = String(DEFAULT_PORT), database = ""] = found;
  if (Number(port) < 1 || Number(port) > 65535) refuse(`${port} is no port`);
  const cut = credentials.indexOf(":");
  const decoded = (part: string): string | undefined => {
    try {
      return decodeURIComponent(part) || undefined;
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
    tls: secure ? { ca: authority(variable("DYNOSIM_REDIS_CA")) } : null,
    shown: `${scheme.toLowerCase()}://${host}:${port}${database === "" ? "" : `/${database}`}`,
  };
}

function authority(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const text = readTextIfThere(path);
  if (text === undefined) throw new ConfigError(`DYNOSIM_REDIS_CA names ${path}, and there is no such file`);
  return text;
}
