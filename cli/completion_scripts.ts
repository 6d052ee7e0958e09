/**
 * Completion scripts of shells.
 *
 * @module
 */
import { type CommandLine, kebab, type Option, optionsOf } from "./arguments.ts";

/** A command and what the overview says of it. */
export interface ListedCommand {
  readonly about: string;
  readonly line: CommandLine;
}

/** What may stand behind an option, or for an operand: one of some words, a file, or any text. */
type Value = readonly string[] | "file" | "text" | "nothing";

/** Names of values that are files. */
const FILES = /^(FILE|DIR|OUT|IN|MEASURED)\b/;

const valueOf = ({ kind, value = "", choices }: Option<unknown>): Value =>
  kind === "flag" ? "nothing" : choices ?? (FILES.test(value) ? "file" : "text");

/** An option as shells see it. */
interface Completed {
  long: string;
  short: string | undefined;
  help: string;
  value: Value;
  many: boolean;
}

const completedOf = ({ line }: ListedCommand): Completed[] =>
  Object.entries(optionsOf(line)).map(([name, option]) => ({
    long: kebab(name),
    short: option.short,
    help: option.help,
    value: valueOf(option),
    many: option.kind === "list",
  }));

const operandOf = ({ line: { operands } }: ListedCommand): Value =>
  operands === undefined ? "nothing" : operands.choices ?? "file";

/** Text between single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const GENERAL = ["--help", "--version"];

/** A script for bash, which works with version 3.2 too. */
export function bashCompletion(commands: readonly ListedCommand[]): string {
  const words = (all: readonly string[]) => `compgen -W ${quoted(all.join(" "))} -- "$cur"`;
  const answer = (value: Value) =>
    value === "nothing" || value === "text"
      ? "COMPREPLY=()"
      : `COMPREPLY=($(${value === "file" ? 'compgen -f -- "$cur"' : words(value)}))`;
  const values = commands.flatMap((command) =>
    completedOf(command).filter(({ value }) => value !== "nothing").map(({ long, short, value }) => {
      const names = [`--${long}`, ...short ? [`-${short}`] : []];
      return `    ${names.map((name) => quoted(`${command.line.command} ${name}`)).join("|")}) ${
        answer(value)
      }; return ;;`;
    })
  );
  const others = commands.map((command) => {
    const options = completedOf(command).map(({ long }) => `--${long}`);
    const operand = operandOf(command);
    const free = Array.isArray(operand) ? `[ "$COMP_CWORD" -eq 2 ] && ${answer(operand)}` : answer(operand);
    return `    ${command.line.command}) case "$cur" in -*) COMPREPLY=($(${words(options)})) ;; *) ${free} ;; esac ;;`;
  });
  return `# bash completion of dynosim
_dynosim() {
  local IFS=$' \\t\\n' cur="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  if [ "$cur" = "=" ]; then cur=""
  elif [ "$before" = "=" ]; then before="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(${words([...commands.map(({ line }) => line.command), ...GENERAL])}))
    return
  fi
  case "\${COMP_WORDS[1]} $before" in
${values.join("\n")}
  esac
  case "\${COMP_WORDS[1]}" in
${others.join("\n")}
  esac
}
complete -o filenames -F _dynosim dynosim
`;
}

/** A script for zsh, to be evaluated or put into a folder of \`fpath\` as \`_dynosim\`. */
export function zshCompletion(commands: readonly ListedCommand[]): string {
  const plain = (text: string) => text.replaceAll(/[[\]:\\]/g, "\\$&");
  const action = (value: Value) =>
    value === "file" ? "_files" : value === "text" ? " " : `(${[value].flat().join(" ")})`;
  const cases = commands.map((command) => {
    const specs = completedOf(command).map(({ long, short, help, value, many }) => {
      const told = `[${plain(help)}]${value === "nothing" ? "" : `:value:${action(value)}`}`;
      const spec = (name: string) => quoted(`${many ? "*" : ""}${name}${told}`);
      return [spec(`--${long}`), ...short ? [spec(`-${short}`)] : []].join(" ");
    });
    const operand = operandOf(command);
    if (operand !== "nothing") {
      specs.push(quoted(Array.isArray(operand) ? `1:value:${action(operand)}` : `*:file:_files`));
    }
    return `    ${command.line.command}) _arguments ${specs.join(" \\\n      ")} ;;`;
  });
  return `#compdef dynosim
# zsh completion of dynosim
_dynosim() {
  if (( CURRENT == 2 )); then
    local -a commands
    commands=(
${commands.map(({ about, line }) => `      ${quoted(`${plain(line.command)}:${about}`)}`).join("\n")}
    )
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${cases.join("\n")}
  esac
}
if [ "$funcstack[1]" = "_dynosim" ]; then _dynosim "$@"; else compdef _dynosim dynosim; fi
`;
}

/** A script for fish. */
export function fishCompletion(commands: readonly ListedCommand[]): string {
  const lines = ["# fish completion of dynosim", "complete -c dynosim -f"];
  for (const { about, line } of commands) {
    lines.push(`complete -c dynosim -n __fish_use_subcommand -a ${line.command} -d ${quotedForFish(about)}`);
  }
  for (const command of commands) {
    const at = `complete -c dynosim -n '__fish_seen_subcommand_from ${command.line.command}'`;
    const value = (value: Value) =>
      value === "nothing"
        ? ""
        : value === "file"
        ? " -r -F"
        : value === "text"
        ? " -x"
        : ` -x -a '${[value].flat().join(" ")}'`;
    for (const { long, short, help, value: kind } of completedOf(command)) {
      lines.push(`${at} -l ${long}${short ? ` -s ${short}` : ""}${value(kind)} -d ${quotedForFish(help)}`);
    }
    const operand = operandOf(command);
    if (operand !== "nothing") lines.push(at + (Array.isArray(operand) ? ` -a '${operand.join(" ")}'` : " -F"));
  }
  return `${lines.join("\n")}\n`;
}

/** Text between single quotes of fish, where a backslash keeps its meaning before a quote. */
const quotedForFish = (text: string): string => `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
