/**
 * Fails when a public name or field is not described, when a public function or class has no example, and when the
 * contents at the head of `mod.ts` do not list it under the room it lives in.
 *
 * Run: `deno task check-docs`
 */
import { spawnSync } from "node:child_process";
import process from "node:process";

/** Runs `deno doc`. */
function doc(option: string): { status: number | null; stdout: string; stderr: string } {
  const { error, ...result } = spawnSync(process.execPath, ["doc", option, "mod.ts"], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (error) throw error;
  return result;
}

/** What `deno doc --json` tells of a module, as far as it is read here. */
interface Module {
  module_doc: { doc: string };
  symbols: {
    name: string;
    declarations: {
      kind: string;
      location: { filename: string };
      jsDoc?: { tags?: { kind: string }[] };
    }[];
  }[];
}

const lint = doc("--lint");
if (lint.status !== 0) process.stderr.write(lint.stdout + lint.stderr);

const [{ module_doc, symbols }] = Object.values(JSON.parse(doc("--json").stdout).nodes as Record<string, Module>);
/** Room → names its line of the contents lists. */
const contents = new Map(
  [...module_doc.doc.matchAll(/^- \*\*(\w+)\*\*((?:.*\n?)(?: {2}.*\n?)*)/gm)].map(([, room, text]) =>
    [room, [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name)] as const
  ),
);
/** Exported as types only: nobody makes one. */
const TYPES_ONLY = ["PlannerRecorder", "Predictor", "PromptIndex", "RequestRecords"];
const problems: string[] = [];
const listed = new Set<string>();
for (const { name, declarations: [{ kind, location, jsDoc }] } of symbols) {
  const room = /\/lib\/(\w+)/.exec(location.filename)?.[1];
  if (room === undefined || (kind !== "function" && kind !== "class")) continue;
  listed.add(name);
  if (!contents.get(room)?.includes(name)) problems.push(`mod.ts: the contents do not list ${name} under ${room}`);
  if (!TYPES_ONLY.includes(name) && !jsDoc?.tags?.some(({ kind }) => kind === "example")) {
    problems.push(`${location.filename}: ${name} has no @example`);
  }
}
for (const name of [...contents.values()].flat()) {
  if (!listed.has(name)) problems.push(`mod.ts: the contents list ${name}, which is no public function or class`);
}
for (const problem of problems) console.error(problem);
process.exit(lint.status === 0 && problems.length === 0 ? 0 : 1);
