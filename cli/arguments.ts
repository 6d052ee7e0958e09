/**
 * A command line described once: the same table parses it and prints its help. `--opt=value`, `-cFILE`, `--` and
 * unambiguous prefixes of long options are understood; a mistake says what was meant.
 *
 * @module
 */
import { nearName } from "../lib/errors.ts";
import { wrapped } from "../lib/report/text_table.ts";

/** One option. `T` is what its value becomes. */
export interface Option<T> {
  readonly kind: "flag" | "value" | "list";
  readonly help: string;
  /** Letter of the short form. */
  readonly short?: string;
  /** How help calls the value. */
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly required?: boolean;
  readonly fallback?: T;
  /** Shown in help instead of `fallback`. */
  readonly fallbackText?: string;
  readonly read?: (text: string) => T;
}

type Options = Readonly<Record<string, Option<any>>>;

/** A command: what it does, what it takes. Names are camelCase here, `--kebab-case` on the command line. */
export interface CommandLine<O extends Options = Options> {
  readonly command: string;
  readonly summary: string;
  readonly options: O;
  /** Plain arguments: how help calls them, how many there must be, and which words the first may be. */
  readonly operands?: {
    readonly name: string;
    readonly help: string;
    readonly least: number;
    readonly most: number;
    readonly choices?: readonly string[];
  };
  /** What exit codes mean, where that is more than what they mean of all commands. */
  readonly exits?: Readonly<Record<number, string>>;
  /** Lines shown after the options. */
  readonly notes?: readonly string[];
}

/** Values by option name. */
export type Values<O extends Options> = { [K in keyof O]: O[K] extends Option<infer T> ? T : never };

/** A command line that cannot be understood. The command prints its usage and ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** An option without a value. */
export const flag = (help: string): Option<boolean> => ({ kind: "flag", help, fallback: false });

/** An option with a text. */
export function text(help: string, settings: { value: string; short?: string; required: true }): Option<string>;
export function text(help: string, settings: { value: string; short?: string; fallback: string }): Option<string>;
export function text(help: string, settings: { value: string; short?: string }): Option<string | undefined>;
export function text(help: string, settings: object): Option<any> {
  return { kind: "value", help, ...settings };
}

/** An option with one of a few words. */
export const choice = <const C extends string>(
  help: string,
  choices: readonly C[],
  settings: { fallback: C; value?: string },
): Option<C> => ({ kind: "value", help, choices, ...settings });

/** An option that may be given several times. */
export const list = (help: string, settings: { value: string }): Option<string[]> => ({
  kind: "list",
  help,
  fallback: [],
  ...settings,
});

/** An option with a number; `read` throws an Error that says what is wrong with it. */
export function number(
  help: string,
  settings: { value: string; fallback: number; least?: number; integer?: boolean },
): Option<number>;
export function number(
  help: string,
  settings: { value: string; least?: number; integer?: boolean },
): Option<number | undefined>;
export function number(
  help: string,
  settings: { value: string; fallback?: number; least?: number; integer?: boolean },
): Option<any> {
  const { least = -Infinity, integer = false, ...rest } = settings;
  return {
    kind: "value",
    help,
    ...rest,
    read(text) {
      const value = text.trim() === "" ? NaN : Number(text);
      if (!Number.isFinite(value) || (integer && !Number.isInteger(value))) {
        throw new UsageError(`invalid ${integer ? "int" : "float"} value: '${text}'`);
      }
      if (value < least) throw new UsageError(`must be at least ${least}`);
      return value;
    },
  };
}

const HELP: Option<boolean> = { kind: "flag", help: "show this and exit", short: "h", fallback: false };

/** An option's name on the command line, without the dashes. */
export const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** `-c/--config`, as messages name an option. */
const shown = (name: string, option: Option<unknown>) =>
  option.short ? `-${option.short}/--${kebab(name)}` : `--${kebab(name)}`;

/** Every option of a command, `--help` too. */
export const optionsOf = ({ options }: CommandLine): Options => ({ ...options, help: HELP });

/** Reads arguments by a table; undefined when help was asked for. */
export function parseArguments<O extends Options>(
  line: CommandLine<O>,
  args: readonly string[],
): { options: Values<O>; operands: string[] } | undefined {
  const options = optionsOf(line);
  const values: Record<string, unknown> = {};
  const operands: string[] = [];
  const unknown: string[] = [];
  const queue = [...args];
  while (queue.length > 0) {
    const argument = queue.shift()!;
    if (argument === "--") operands.push(...queue.splice(0));
    else if (argument === "-" || !argument.startsWith("-")) operands.push(argument);
    else if (!takeOption(options, values, argument, queue)) unknown.push(argument);
  }
  if (values.help) return undefined;
  checkRest(line, values, operands, unknown);
  for (const [name, option] of Object.entries(line.options)) values[name] ??= option.fallback;
  return { options: values as Values<O>, operands };
}

/** Takes one option and its value; false when no option is called so. */
function takeOption(options: Options, values: Record<string, unknown>, argument: string, queue: string[]): boolean {
  let name: string | undefined, attached: string | undefined;
  if (argument.startsWith("--")) {
    const equals = argument.indexOf("=");
    const written = equals < 0 ? argument.slice(2) : argument.slice(2, equals);
    if (equals >= 0) attached = argument.slice(equals + 1);
    name = longName(options, written);
  } else {
    name = Object.keys(options).find((key) => options[key].short === argument[1]);
    if (argument.length > 2) attached = argument.slice(argument[2] === "=" ? 3 : 2);
  }
  if (name === undefined) return false;
  const option = options[name];
  const refuse = (message: string): never => {
    throw new UsageError(`argument ${shown(name, option)}: ${message}`);
  };
  if (option.kind === "flag") {
    if (attached !== undefined) refuse(`ignored explicit argument '${attached}'`);
    values[name] = true;
    return true;
  }
  const given = attached ?? takeValue(queue);
  if (given === undefined) return refuse("expected one argument");
  if (option.choices && !option.choices.includes(given)) refuse(invalidChoice(given, option.choices));
  let value: unknown = given;
  try {
    if (option.read) value = option.read(given);
  } catch (error) {
    refuse((error as Error).message);
  }
  values[name] = option.kind === "list" ? [...(values[name] as unknown[] ?? []), value] : value;
  return true;
}

/** What is said of a word that is none of those known. */
export function invalidChoice(given: string, choices: readonly string[]): string {
  const near = nearName(given, choices);
  const known = choices.map((word) => `'${word}'`).join(", ");
  return `invalid choice: '${given}' (choose from ${known})${near ? `; did you mean '${near}'?` : ""}`;
}

/** The next argument, unless it is an option. */
function takeValue(queue: string[]): string | undefined {
  if (queue.length === 0 || /^--?[A-Za-z]/.test(queue[0])) return undefined;
  return queue.shift();
}

function longName(options: Options, written: string): string | undefined {
  const names = Object.keys(options);
  const exact = names.find((name) => kebab(name) === written);
  if (exact !== undefined || written === "") return exact;
  const matching = names.filter((name) => kebab(name).startsWith(written));
  if (matching.length > 1) {
    const all = matching.map((name) => `--${kebab(name)}`).join(", ");
    throw new UsageError(`ambiguous option: --${written} could match ${all}`);
  }
  return matching[0];
}

function checkRest(
  line: CommandLine,
  values: Record<string, unknown>,
  operands: readonly string[],
  unknown: readonly string[],
): void {
  const missing = Object.entries(line.options)
    .filter(([name, { required }]) => required && values[name] === undefined)
    .map(([name, option]) => shown(name, option));
  const { name = "", least = 0, most = 0, choices } = line.operands ?? {};
  if (operands.length < least) missing.push(least === 1 ? name : `${name} (at least ${least}, not ${operands.length})`);
  const surplus = [...operands.slice(most), ...unknown];
  const names = Object.keys(optionsOf(line)).map((key) => `--${kebab(key)}`);
  const near = unknown.length > 0 ? nearName(unknown[0].split("=")[0], names) : undefined;
  const problems = [
    missing.length > 0 ? `the following arguments are required: ${missing.join(", ")}` : [],
    surplus.length > 0 ? `unrecognized arguments: ${surplus.join(" ")}` : [],
    near ? `did you mean ${near}?` : [],
  ].flat();
  if (problems.length > 0) throw new UsageError(problems.join("; "));
  if (choices && operands.length > 0 && !choices.includes(operands[0])) {
    throw new UsageError(`argument ${name.split(" ")[0]}: ${invalidChoice(operands[0], choices)}`);
  }
}

const valueName = ({ kind, value, choices }: Option<unknown>): string =>
  kind === "flag" ? "" : ` ${value ?? (choices ? `{${choices.join(",")}}` : "TEXT")}`;

/** A blank at which no line is broken. */
const FIXED = "\u00a0";

/** How the command is called, in lines of at most so many columns. */
export function usageText({ command, options, operands }: CommandLine, columns = 80): string {
  const parts = Object.entries(options).map(([name, option]) => {
    const call = (option.short ? `-${option.short}` : `--${kebab(name)}`) + valueName(option);
    return option.required ? call : `[${call}]${option.kind === "list" ? "…" : ""}`;
  });
  if (operands) {
    const one = `${operands.name.replace("…", "")} `;
    parts.push(operands.least > 0 ? one.repeat(operands.least - 1) + operands.name : `[${operands.name}]`);
  }
  const usage = ["usage:", "dynosim", command, ...parts.map((part) => part.replaceAll(" ", FIXED))].join(" ");
  return wrapped(usage, columns, "usage: ".length).join("\n").replaceAll(FIXED, " ");
}

/** Names that are longer stand on a line of their own, with what is said of them below. */
const MOST_NAME = 28;

/** Names, and beside them what is said of them, in lines of at most so many columns. */
export function describedLines(rows: readonly (readonly [string, string])[], columns: number): string[] {
  const width = Math.max(...rows.map(([name]) => name.length).filter((length) => length <= MOST_NAME), 0);
  const indent = " ".repeat(width + 4);
  return rows.flatMap(([name, text]) => {
    const [first, ...others] = wrapped(text, Math.max(20, columns - indent.length));
    const head = name.length > width ? [`  ${name}`, indent + first] : [`  ${name.padEnd(width)}  ${first}`];
    return [...head, ...others.map((line) => indent + line)];
  });
}

/** A note, whose later lines stand below what follows a leading word and several blanks. */
const noteLines = (note: string, columns: number): string[] =>
  note.length <= columns ? [note] : wrapped(note, columns, /^\S+ {2,}/.exec(note)?.[0].length ?? 0);

/** The whole help of a command, in lines of at most so many columns. */
export function helpText(line: CommandLine, columns = 80): string {
  const rows: [string, string][] = [];
  if (line.operands) rows.push([line.operands.name, line.operands.help]);
  for (const [name, option] of Object.entries(optionsOf(line))) {
    const call = `${option.short ? `-${option.short}, ` : "    "}--${kebab(name)}${valueName(option)}`;
    const fallback = option.fallbackText ??
      (option.kind === "value" && option.fallback !== undefined ? String(option.fallback) : undefined);
    rows.push([call, option.help + (fallback === undefined ? "" : ` (default ${fallback})`)]);
  }
  const notes = line.notes ? ["", ...line.notes.flatMap((note) => noteLines(note, columns))] : [];
  return [
    usageText(line, columns),
    "",
    ...wrapped(line.summary, columns),
    "",
    ...describedLines(rows, columns),
    ...notes,
    "",
  ].join("\n");
}
