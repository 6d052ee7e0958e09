/**
 * What a run depends on beside its description, by digest: so that another machine can tell whether it has the same.
 *
 * @module
 */
import { ConfigError } from "../errors.ts";
import { sha256OfFile } from "../io/download.ts";
import { reason } from "../io/failures.ts";
import { host } from "../io/host.ts";
import { sha256 } from "../io/digest.ts";
import type { Need, RunFile } from "../jobs/queue/messages.ts";
import { canonicalJson } from "../planner/canonical_json.ts";
import { PerfCatalog } from "../timing/aic/catalog.ts";
import { findModel, loadModel } from "../timing/aic/model_sources.ts";
import { isPlainName } from "./located.ts";
import type { ReplaySpec } from "./spec.ts";

/** What a run depends on. */
export interface RunNeeds {
  /** Measurements and models. */
  needs: Need[];
  /** Files it reads. */
  files: RunFile[];
}

/**
 * Looks at everything that a run depends on.
 *
 * @throws {ConfigError} when a file is not there, or a model is nowhere to be had
 */
export async function needsOf({ traffic, roles, router, autoscaler }: ReplaySpec): Promise<RunNeeds> {
  const sets = new Set<string>(), models = new Set<string>(), paths = new Set<string>();
  for (const { estimator, passTiming } of roles) {
    if (estimator != null) {
      const { system, backend, backend_version, data_release: release, model } = estimator;
      const catalog = new PerfCatalog({ release });
      try {
        const version = catalog.version(system, backend, backend_version);
        sets.add(JSON.stringify({ system, backend, version, ...release === undefined ? {} : { release } }));
      } catch (problem) {
        // a run that is timed by something else needs none
        if (!(problem instanceof ConfigError)) throw problem;
      }
      models.add(model);
    }
    if (typeof passTiming?.calibration === "string") paths.add(passTiming.calibration);
  }
  if (traffic?.type === "trace") { for (const path of traffic.paths) paths.add(path); }
  if (typeof router?.policyFile === "string") paths.add(router.policyFile);
  const warmup = autoscaler?.config.load_predictor_warmup_trace;
  if (typeof warmup === "string") paths.add(warmup);
  return {
    needs: [
      ...[...sets].map((name) => ({ type: "measurements", name, sha256: measurementsDigest(name) })),
      ...await Promise.all([...models].map(async (name) => ({
        type: "model",
        name,
        sha256: sha256(canonicalJson((await loadModel(name)).facts)),
      }))),
    ],
    files: await Promise.all([...paths].map(fileOf)),
  };
}

async function fileOf(path: string): Promise<RunFile> {
  try {
    return { path, sha256: await sha256OfFile(path), bytes: host().fileBytes(path) };
  } catch (cause) {
    throw new ConfigError(`could not read ${path}: ${reason(cause)}`, [], { cause });
  }
}

/** Digest of measurements on this machine by their name in a {@linkcode Need}; null when they are not here. */
export function measurementsDigest(name: string): string | null {
  const { system, backend, version, release } = JSON.parse(name) as Record<string, unknown>;
  for (const part of [system, backend, version, release ?? ""]) {
    if (typeof part !== "string" || (part !== "" && !isPlainName(part))) return null;
  }
  try {
    return new PerfCatalog({ release: release as string | undefined }).digest({ system, backend, version } as any);
  } catch (problem) {
    if (problem instanceof ConfigError) return null;
    throw problem;
  }
}

/** Digest of the facts of a model that are on this machine; null when they are not, or the name is a path. */
export function modelDigest(name: string): string | null {
  const parts = name.split("/");
  if (parts.length > 2 || !parts.every(isPlainName)) return null;
  const found = findModel(name);
  return found === undefined ? null : sha256(canonicalJson(found.facts));
}
