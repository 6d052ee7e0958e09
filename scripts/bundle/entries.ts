/**
 * What scripts import: a file that exports by name what `start/entry.ts` loads.
 *
 * @module
 */
import { partName } from "./names.ts";

/**
 * The text of such a file.
 *
 * @param source the entry whose types it has
 * @param bundled the file of the bundle that exports the same
 */
export function startText(source: string, bundled: string): string {
  const list = bundled.slice(bundled.lastIndexOf("\nexport {") + "\nexport {".length, bundled.lastIndexOf("}"));
  const names = list.split(",").map((name) => name.trim().split(" as ").at(-1)!);
  return `/* @ts-self-types="../${source}" */
// Made by \`deno task bundle\`, not to be edited; see entry.ts.
import { entry } from "./entry.ts";

export const {
${names.map((name) => `  ${name},\n`).join("")}} = await entry("${partName(source)}");
`;
}
