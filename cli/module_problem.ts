/**
 * What is said when a file of dynosim or of a package that it uses is gone or damaged. Imports nothing, so that it can be
 * said whatever is missing.
 *
 * @module
 */

/** The project's folder, also from the bundle. */
const ROOT = new URL("../", import.meta.url).href;

/** One sentence about a module that could not be loaded, and how to get it back; null for any other problem. */
export function moduleProblem(problem: unknown): string | null {
  const { code, name, message } = Object(problem) as { code?: unknown; name?: unknown; message?: unknown };
  if (typeof message !== "string") return null;
  // Runtimes say where behind a syntax error in a module, and nothing of the kind behind one in data. Deno gives it the
  // code of a missing module.
  if (name === "SyntaxError" || message.startsWith("SyntaxError")) {
    const [, file, place] = / at file:\/\/(\/\S+?)(:\d+:\d+)/.exec(message) ?? [];
    if (file === undefined) return null;
    const [what] = message.replace(/^SyntaxError: /, "").split(/\n| at file:/);
    return `${shown(file)}${place} cannot be loaded: ${what}; ${remedy(file)}`;
  }
  if (code !== "ERR_MODULE_NOT_FOUND" && !message.startsWith("Module not found")) return null;
  const [, file] = /["'](?:file:\/\/)?(\/[^"']+|[A-Za-z]:[^"']+)["']/.exec(message) ?? [];
  return file === undefined ? null : `${shown(file)} is missing: ${remedy(file)}`;
}

/** Path of a file of the project from its root. */
const own = (file: string): string | null => {
  const { href } = new URL(file, "file:///");
  return href.startsWith(ROOT) && !href.includes("/node_modules/") ? decodeURIComponent(href.slice(ROOT.length)) : null;
};

const shown = (file: string) => own(file) ?? file;

function remedy(file: string): string {
  if (own(file) !== null) {
    return "'git status' in the folder of dynosim tells what differs and 'git restore FILE' gets it back, or install dynosim anew";
  }
  if (file.includes("/node_modules/")) return "install the packages anew (npm install, bun install)";
  const [folder] = /^.*\/npm\/[^/]+\/(?:@[^/]+\/)?[^/]+\/[^/]+(?=\/)/.exec(file) ?? [];
  return folder === undefined ? "install dynosim anew" : `delete the folder ${folder}, and Deno downloads it again`;
}
