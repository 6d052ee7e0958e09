/**
 * A run that was described on another machine: every file it names is one that is known here, under its local path;
 * anything else is refused before it is opened.
 *
 * @module
 */
import { ConfigError } from "../errors.ts";
import type { Local } from "../jobs/queue/kind.ts";
import type { ReplaySpec, RoleSpec } from "./spec.ts";

/**
 * A description with local paths. It writes no files either.
 *
 * @throws {ConfigError} when it names a file or a model that the run did not announce
 */
export function located(spec: ReplaySpec, { files, models }: Local): ReplaySpec {
  const file = (place: string, path: string): string => {
    if (Object.hasOwn(files, path)) return files[path];
    return refuse(place, `${JSON.stringify(path)} is no file of this run`);
  };
  const model = (place: string, name: string): void => {
    if (!models.includes(name)) refuse(place, `${JSON.stringify(name)} is no model of this run`);
  };
  const { traffic, roles, router, autoscaler } = spec;
  if (traffic?.type === "trace" && traffic.lengthsFolder !== undefined) {
    refuse("traffic.lengthsFolder", "a folder cannot be sent");
  }
  const warmup = autoscaler?.config.load_predictor_warmup_trace;
  return {
    ...spec,
    traffic: traffic?.type === "trace"
      ? { ...traffic, paths: traffic.paths.map((path, i) => file(`traffic.paths[${i}]`, path)) }
      : traffic,
    roles: roles.map((role, i) => {
      const place = `roles[${i}]`;
      if (role.estimator != null) model(`${place}.estimator.model`, role.estimator.model);
      checkTexts(`${place}.launch`, role.launch, models);
      for (const text of [role.estimator?.system, role.estimator?.data_release, role.estimator?.backend_version]) {
        if (text != null && !isPlainName(text)) refuse(place, `${JSON.stringify(text)} is no name`);
      }
      return withCalibration(role, (path) => file(`${place}.passTiming.calibration`, path));
    }),
    router: typeof router?.policyFile === "string"
      ? { ...router, policyFile: file("router.policyFile", router.policyFile) }
      : router,
    autoscaler: autoscaler && typeof warmup === "string"
      ? {
        ...autoscaler,
        config: { ...autoscaler.config, load_predictor_warmup_trace: file("load_predictor_warmup_trace", warmup) },
      }
      : autoscaler,
    capture: { ...spec.capture, diagnostics: false },
  };
}

/** A name that is no path. */
export const isPlainName = (text: string): boolean => /^[\w.+-]{1,100}$/.test(text) && !text.includes("..");

function withCalibration(role: RoleSpec, file: (path: string) => string): RoleSpec {
  const { passTiming } = role;
  if (typeof passTiming?.calibration !== "string") return role;
  return { ...role, passTiming: { ...passTiming, calibration: file(passTiming.calibration) } };
}

/** Launch mappings name models, and nothing else that could be a path. */
function checkTexts(place: string, value: unknown, models: readonly string[]): void {
  if (typeof value === "string") {
    if (/[/\\]|\.\./.test(value) && !models.includes(value)) refuse(place, `${JSON.stringify(value)} may be a path`);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) checkTexts(`${place}.${key}`, item, models);
  }
}

function refuse(path: string, what: string): never {
  const message = `${path}: ${what}`;
  throw new ConfigError(message, [{ path, message }]);
}
