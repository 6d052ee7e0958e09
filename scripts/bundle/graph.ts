/**
 * Which modules load which others, as `deno info` tells it.
 *
 * @module
 */
import { denoOutput } from "../deno.ts";

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
  const { modules } = JSON.parse(denoOutput(["info", "--json", file], folder)) as {
    modules: { specifier: string; dependencies?: Dependency[] }[];
  };
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
