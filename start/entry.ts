/**
 * What scripts import through `mod.js` and `replay.js`: the bundle of what `mod.ts` and `replay.ts` export, or these
 * themselves when the bundle is not what the sources make. Both decide as one, by all that either may load, so that a
 * class is the same class in both. They read the project's folder; a script that may not, or that is compiled, names
 * `mod.ts` and `replay.ts`, which need no permission.
 *
 * @module
 */
import { bundleIsCurrent } from "./current.ts";

/**
 * The folder `bundle`, by another address than that by which commands load it. Compiled code is kept by address and thrown
 * away when V8's flags are not those it was compiled with, so scripts, which have none, and commands would each have
 * to compile anew what the other has just compiled.
 */
const FOLDER = "%62undle";

const bundled = await bundleIsCurrent("scripts", "bundle/mod.js");

/**
 * All that an entry exports.
 *
 * @throws {Error} when its sources may not be read, or when a name is asked for that they no longer export
 */
export async function entry(name: "mod" | "replay"): Promise<Record<string, unknown>> {
  if (bundled) return await import(import.meta.resolve(`../${FOLDER}/${name}.js`));
  const source = import.meta.resolve(`../${name}.ts`);
  let exported: Record<string, unknown>;
  try {
    exported = await import(source);
  } catch (problem) {
    const { message } = problem as Error, path = decodeURIComponent(new URL(source).pathname);
    if (!/^(Requires read access|Module not found)/.test(message) || !message.includes(path)) throw problem;
    throw new Error(
      `start/${name}.js cannot load its project: ${message}. A script that may not read it, or is compiled, imports ${path}`,
    );
  }
  return new Proxy(exported, {
    get(all, key) {
      // awaiting it asks for `then`
      if (key in all || key === "then") return all[key as string];
      throw new Error(`${source} exports no ${String(key)}, start/${name}.js does: run \`deno task bundle\``);
    },
  });
}
