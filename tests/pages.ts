/** README and the pages of `docs` as their readers meet them: their snippets, commands, configurations and links. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CommandLine } from "../cli/arguments.ts";

/** The checkout. */
export const root = fileURLToPath(new URL("../", import.meta.url));

/** Tasks of `deno.json`. */
export const tasks: Record<string, string> = JSON.parse(readFileSync(join(root, "deno.json"), "utf8")).tasks;

/** A page. */
export interface Page {
  /** Its path in the checkout. */
  path: string;
  text: string;
}

/** All pages. */
export const pages: Page[] = [
  "README.md",
  ...readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md")).toSorted().map((name) => `docs/${name}`),
].map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

/** A fenced block: its language, its text, and the line above it. */
export interface Block {
  language: string;
  text: string;
  above: string;
}

/** The fenced blocks of a page, those inside of lists too. */
export const blocksOf = ({ text }: Page): Block[] =>
  [...text.matchAll(/^( *)```(\w+)\n([^]*?)^ *```$/gm)].map(({ 1: indent, 2: language, 3: body, index }) => ({
    language,
    text: body.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    above: text.slice(0, index).trimEnd().split("\n").at(-1)!,
  }));

/** Text of the blocks of a language. */
export const blocks = (page: Page, language: string): string[] =>
  blocksOf(page).filter((block) => block.language === language).map(({ text }) => text);

/** A command of a page: what it reads, the name of the command (or of another task of `deno.json`), its arguments. */
export interface Call {
  shown: string;
  stdin?: string;
  task: string;
  args: string[];
}

/** Words of a shell command, quotes taken away. */
const words = (text: string) =>
  [...text.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"));

function callOf(line: string): Call {
  const [, piped, rest] = /^(?:echo (.*) \| )?(.*)$/.exec(line)!;
  const [program, ...args] = words(rest.replace(/^(\w+=\S+ )+/, ""));
  const task = program === "dynosim"
    ? -1
    : program === "npx"
    ? args.indexOf("task")
    : program === "deno" && args[0] === "task"
    ? 0
    : assert.fail(`what is this? ${line}`);
  return { shown: line, stdin: piped && words(piped)[0], task: args[task + 1], args: args.slice(task + 2) };
}

/** The commands of a page. */
export const callsOf = (page: Page): Call[] =>
  blocks(page, "sh").flatMap((block) => block.trim().split("\n")).filter((line) => line !== "" && !line.startsWith("#"))
    .map(callOf);

/** Tasks that are not commands of `cli/main.ts`: run elsewhere, or not in a test (measuring, these tests). */
export const OTHER_TASKS = ["bundle", "test", "bench", "install", "validate"];

/** Whether a command is left out of the tests: no command of ours, or one that downloads. */
export const leftOut = ({ task, args }: Call): boolean =>
  OTHER_TASKS.includes(task) || (task === "perf-data" && args[0] !== "list");

/** The table of a command: an object, or made when the command is. */
export async function lineOf(task: string): Promise<CommandLine> {
  const exported = await import(`../cli/${task.replace("-", "_")}.ts`);
  const command = exported[`${task.replace(/-(.)/, (_, letter) => letter.toUpperCase())}Command`];
  return (typeof command === "function" ? command("test", () => assert.fail()) : command).line;
}

/** A heading's address inside its page. */
export const anchor = (heading: string): string =>
  heading.toLowerCase().replaceAll(/[^\p{L}\p{N}_\- ]/gu, "").replaceAll(" ", "-");

/** Headings of a page, code left out. */
export const headingsOf = ({ text }: Page): string[] =>
  [...text.replaceAll(/^ *```[^]*?^ *```$/gm, "").matchAll(/^#{2,6} (.+)$/gm)].map(([, heading]) => heading);
