/** Goldens of the reference's searches. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const folder = new URL("../../fixtures/goldens/recommend/", import.meta.url);

/** A recorded search. */
export interface Golden {
  name: string;
  config: Record<string, any>;
  stack: string;
  branches: any[];
  candidates: any[];
  counts: Record<string, number>;
  views: { top_n: string[]; pareto_front: string[] };
  exit_code: number;
  adapter_diagnostics?: Record<string, any>;
}

/** Reads a compressed file of the goldens. */
export const readGolden = (name: string): any => JSON.parse(gunzipSync(readFileSync(new URL(name, folder))).toString());

/** All searches; traces are named by their full path. */
export const goldens = (): Golden[] =>
  readdirSync(folder).filter((file) => /^\d\d-.*\.json\.gz$/.test(file)).toSorted().map((file) => {
    const golden = readGolden(file);
    const { source } = golden.config.traffic ?? {};
    if (source?.paths) source.paths = source.paths.map((path: string) => fileURLToPath(new URL(path, folder)));
    return { name: file.replace(".json.gz", ""), ...golden };
  });

/** A value with its keys sorted at every level. */
export const sorted = (value: any): any =>
  Array.isArray(value)
    ? value.map(sorted)
    : value !== null && typeof value === "object"
    ? Object.fromEntries(Object.keys(value).toSorted().map((key) => [key, sorted(value[key])]))
    : value;
