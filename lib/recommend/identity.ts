/**
 * What the figures of a candidate depend on besides its configuration, as digests: the trace, the measurements, the
 * model's facts and the version of dynosim.
 *
 * @module
 */
import type { Backend } from "../engine/settings.ts";
import { ConfigError } from "../errors.ts";
import { ByteSourceError, readBytes } from "../io/bytes.ts";
import { sha256, sha256Of } from "../io/digest.ts";
import { canonicalJson } from "../planner/canonical_json.ts";
import type { PerfCatalog } from "../timing/aic/catalog.ts";
import { loadModel } from "../timing/aic/model_sources.ts";
import type { Document } from "./candidate.ts";
import type { Recommendation } from "./load.ts";
import type { SearchSpace } from "./space.ts";

/** Names jobs of a search. */
export class JobNames {
  readonly #surroundings: string;

  private constructor(surroundings: string) {
    this.#surroundings = surroundings;
  }

  /** Reads what the names depend on. */
  static async of(
    search: Recommendation,
    space: SearchSpace,
    catalog: PerfCatalog,
    version: string,
  ): Promise<JobNames> {
    const { source } = search.traffic.prediction;
    const paths: string[] = source.type === "trace" ? source.paths : [];
    const trace = await Promise.all(paths.map(traceDigest));
    const model = sha256(canonicalJson((await loadModel(search.engine.model)).facts));
    return new JobNames(canonicalJson({ data: dataDigests(search, space, catalog), model, trace, version }));
  }

  /** Name of the job that replays a document's first requests (null: all of them). */
  of(document: Document, stack: string, requests: number | null): string {
    return sha256(`${this.#surroundings}\n${canonicalJson({ document, stack, requests })}`);
  }

  /** Name of the whole search. */
  search(written: Record<string, unknown>, stack: string): string {
    return sha256(`${this.#surroundings}\n${canonicalJson({ stack, written })}`);
  }
}

/** @throws {ConfigError} when there is no such file */
async function traceDigest(path: string, index: number): Promise<string> {
  const refused = (message: string, cause?: unknown) =>
    new ConfigError(message, [{ path: `traffic.source.paths[${index}]`, message }], { cause });
  if (path === "-") throw refused("a search reads its trace more than once: name a file instead of standard input");
  try {
    return await sha256Of(readBytes(path, { raw: true }));
  } catch (cause) {
    if (!(cause instanceof ByteSourceError)) throw cause;
    throw refused(`could not ${cause.stage} trace file ${path}: ${cause.message}`, cause);
  }
}

/** Digests of the measurements that candidates are timed with. */
function dataDigests(
  { engine }: Recommendation,
  { branches, feasibility }: SearchSpace,
  catalog: PerfCatalog,
): string[] {
  const names = new Set<string>();
  const backends = new Set(branches.flatMap(({ choices }) => choices.get("backend") as readonly Backend[]));
  for (const role of Object.values(engine.roles)) {
    const type = role!.written.timing?.type ?? "default";
    for (const backend of type === "default" ? backends : []) {
      const version = feasibility.version(role!, backend);
      if (typeof version === "string") names.add(JSON.stringify({ system: role!.hardware, backend, version }));
    }
  }
  return [...names].toSorted().map((name) => `${name} ${catalog.digest(JSON.parse(name)) ?? "absent"}`);
}
