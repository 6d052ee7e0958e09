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
import { host } from "../io/host.ts";
import type { Need, RunFile } from "../jobs/queue/messages.ts";
import { canonicalJson } from "../planner/canonical_json.ts";
import type { PerfCatalog } from "../timing/aic/catalog.ts";
import { loadModel } from "../timing/aic/model_sources.ts";
import type { Document } from "./candidate_document.ts";
import type { Recommendation } from "./recommendation.ts";
import type { SearchSpace } from "./space.ts";

/** Names jobs of a search. */
export class JobNames {
  readonly #surroundings: string;
  /** What must be the same wherever its jobs run. */
  readonly needs: readonly Need[];
  /** Files that its jobs read. */
  readonly files: readonly RunFile[];

  private constructor(surroundings: string, needs: readonly Need[], files: readonly RunFile[]) {
    this.#surroundings = surroundings;
    this.needs = needs;
    this.files = files;
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
    const trace = await Promise.all(paths.map((path, i) => fileDigest(path, `traffic.source.paths[${i}]`)));
    const others = [...namedFiles(search.written)].toSorted(([a], [b]) => a < b ? -1 : 1);
    const more = await Promise.all(others.map(([path, place]) => fileDigest(path, place)));
    const model = sha256(canonicalJson((await loadModel(search.engine.model)).facts));
    const sets = dataDigests(search, space, catalog);
    const data = sets.map(({ name, sha256 }) => `${name} ${sha256 ?? "absent"}`);
    const surroundings = { data, model, trace, version, ...more.length > 0 ? { files: more } : {} };
    const file = (path: string, sha256: string): RunFile => ({ path, sha256, bytes: host().fileBytes(path) });
    return new JobNames(
      canonicalJson(surroundings),
      [...sets, { type: "model", name: search.engine.model, sha256: model }],
      [...paths.map((path, i) => file(path, trace[i])), ...others.map(([path], i) => file(path, more[i]))],
    );
  }

  /** Name of the job that replays a document's first requests (null: all of them). */
  of(document: Document, stack: string, requests: number | null): string {
    return sha256(`${this.#surroundings}\n${canonicalJson({ document: withoutResources(document), stack, requests })}`);
  }

  /** Name of the whole search. */
  search(written: Record<string, unknown>, stack: string): string {
    return sha256(`${this.#surroundings}\n${canonicalJson({ stack, written: withoutResources(written) })}`);
  }
}

/** Fields that name a file besides the trace. */
const FILE_FIELDS = ["policy_file", "calibration", "load_predictor_warmup_trace"];

/** Files that a document names besides its traces, with their places. */
function namedFiles(value: unknown, place = ""): Map<string, string> {
  const found = new Map<string, string>();
  if (typeof value !== "object" || value === null) return found;
  for (const [key, item] of Object.entries(value)) {
    const here = place === "" ? key : `${place}.${key}`;
    if (FILE_FIELDS.includes(key) && typeof item === "string") found.set(item, here);
    else for (const [path, where] of namedFiles(item, here)) found.set(path, where);
  }
  return found;
}

/** A document without what it may use of the machine, which no figure depends on: a search goes on with less, or more. */
export function withoutResources({ execution: _, ...document }: Record<string, unknown>): Record<string, unknown> {
  return document;
}

/** @throws {ConfigError} when there is no such file */
async function fileDigest(path: string, place: string): Promise<string> {
  const refused = (message: string, cause?: unknown) => new ConfigError(message, [{ path: place, message }], { cause });
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
): Need[] {
  const names = new Set<string>();
  const backends = new Set(branches.flatMap(({ choices }) => choices.get("backend") as readonly Backend[]));
  for (const role of Object.values(engine.roles)) {
    const type = role!.written.timing?.type ?? "default";
    for (const backend of type === "default" ? backends : []) {
      const version = feasibility.version(role!, backend);
      if (typeof version === "string") names.add(JSON.stringify({ system: role!.hardware, backend, version }));
    }
  }
  return [...names].toSorted().map((name) => ({
    type: "measurements",
    name,
    sha256: catalog.digest(JSON.parse(name)),
  }));
}
