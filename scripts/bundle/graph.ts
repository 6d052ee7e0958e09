/**
 * Which modules load which others, as `deno info` tells it.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import process from "node:process";

interface Dependency {
  code?: { specifier?: string };
  isDynamic?: boolean;
}

/** The modules that one loads: with it, or when it calls for them. */
export interface Loads {
  always: string[];
  later: string[];
}

/** The graph of a file, by paths from the folder. Modules outside of it are left out. */
export function moduleGraph(folder: URL, file: string): Map<string, Loads> {
  const { stdout, stderr, status, error } = spawnSync(process.execPath, ["info", "--json", file], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`deno info failed: ${stderr.trim()}`);
  const { modules } = JSON.parse(stdout) as { modules: { specifier: string; dependencies?: Dependency[] }[] };
  const path = (specifier = "") => specifier.startsWith(folder.href) ? specifier.slice(folder.href.length) : undefined;
  const graph = new Map<string, Loads>();
  for (const { specifier, dependencies = [] } of modules) {
    const name = path(specifier);
    if (name === undefined) continue;
    const loads: Loads = { always: [], later: [] };
    for (const { code, isDynamic } of dependencies) {
      const other = path(code?.specifier);
      if (other !== undefined) (isDynamic ? loads.later : loads.always).push(other);
    }
    graph.set(name, loads);
  }
  return graph;
}

/** All that is loaded with the first ones, themselves included; with `later` also what these call for. */
export function reached(graph: ReadonlyMap<string, Loads>, first: Iterable<string>, later = false): Set<string> {
  const seen = new Set<string>(), open = [...first];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const loads = graph.get(name);
    open.push(...loads?.always ?? [], ...later ? loads?.later ?? [] : []);
  }
  return seen;
}
