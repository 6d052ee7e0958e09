/**
 * What `deno task` and the installed command run: the bundle of all commands, or the sources (`main.ts`) when they are
 * not those that the bundle was made of; see `start/current.ts`.
 *
 * @module
 */
import { bundleIsCurrent } from "../start/current.ts";

// `deno install` looks up the packages of what is named here, and locks them; nothing is loaded for it.
import type {} from "./main.ts";

const MAIN = "bundle/cli.main.js";
const { Deno: deno } = globalThis as unknown as { Deno?: { args: string[]; exit(code: number): never } };

const main = await bundleIsCurrent(deno?.args[0] ?? "", MAIN) ? `../${MAIN}` : "./main.ts";

/** Says what cannot be loaded, where that is why no command even starts. */
async function tellMissing(problem: unknown): Promise<void> {
  const { moduleProblem }: typeof import("./module_problem.ts") = await import(
    import.meta.resolve("./module_problem.ts")
  );
  const text = moduleProblem(problem);
  if (text === null || deno === undefined) throw problem;
  console.error(`dynosim failed: ${text}`);
  deno.exit(1);
}

await import(import.meta.resolve(main)).catch(tellMissing);
