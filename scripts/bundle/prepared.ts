/**
 * A source as it is bundled: imports by name are literal, so that the bundler sees them, and URLs are those of the same
 * files, wherever in the bundle the module ends up.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { entryFile, partName, specifier } from "./names.ts";

/** A source for the bundler. */
export interface Prepared {
  text: string;
  /** Sources it imports by name, or starts threads with: files of their own. */
  parts: string[];
}

/** What is left of an import by name when its name was made literal. */
const HELPER = /import\.meta\.resolve\(file\)/g;

/**
 * Prepares a source.
 *
 * @param atOnce sources that are imported with the file, so that importing them by name waits for nothing
 * @throws {Error} when it uses its own place in a way that is not known here
 */
export function prepared(file: string, atOnce: readonly string[]): Prepared {
  const parts: string[] = [], namespaces = new Map<string, string>();
  const source = (name: string) => {
    const path = posix.join(posix.dirname(file), name);
    if (!existsSync(path)) throw new Error(`${file} names ${path}, which is not there`);
    return path;
  };
  const literal = (name: string) => {
    const path = source(name);
    if (!atOnce.includes(path)) {
      parts.push(path);
      return `import(${JSON.stringify(specifier(file, entryFile(path)))})`;
    }
    const namespace = `at_once_${partName(path).replaceAll(".", "_")}`;
    namespaces.set(namespace, path);
    return `Promise.resolve(${namespace})`;
  };
  const place = (name: string) => {
    if (name.endsWith(".ts")) {
      parts.push(source(name));
      return `new URL("./${partName(source(name))}.js", import.meta["url"])`;
    }
    const path = posix.join(posix.dirname(file), name);
    return `new URL("../${path === "./" ? "" : path}", import.meta["url"])`;
  };

  let text = readFileSync(file, "utf8");
  const replace = (pattern: RegExp, by: (name: string) => string) => {
    text = text.replace(pattern, (found: string, name: string, at: number) => inComment(text, at) ? found : by(name));
  };
  replace(/(?<!typeof )\bimport\(\s*"(\.[^"]+\.ts)"\s*\)/g, literal);
  replace(/\bimport\(\s*import\.meta\.resolve\("(\.[^"]+)"\),?\s*\)/g, literal);
  replace(/\bpart<typeof import\("(\.[^"]+)"\)>\(\s*"\1"\s*\)/g, literal);
  replace(/\bnew URL\(\s*"(\.[^"]*)",\s*import\.meta\.url,?\s*\)/g, place);
  replace(/\bimport\("\.\.\/(deno\.json)"/g, (name) => `import(new URL("../${name}", import.meta["url"]).href`);
  for (
    const { index } of text.replace(HELPER, (found) => " ".repeat(found.length)).matchAll(
      /\bimport\.meta\.(?:url|resolve)/g,
    )
  ) {
    if (!inComment(text, index)) throw new Error(`${file}: scripts/bundle does not know how to move its import.meta`);
  }
  const imports = [...namespaces].map(([name, path]) =>
    `import * as ${name} from ${JSON.stringify(specifier(file, path))}; `
  );
  return { text: text.replace(/^(#!.*\n)?/, (line) => line + imports.join("")), parts };
}

/** Whether a line is one of a comment up to this place; comments name imports too. */
const inComment = (text: string, at: number) =>
  /^\s*(\/\*|\*|\/\/)/.test(text.slice(text.lastIndexOf("\n", at - 1) + 1, at));
