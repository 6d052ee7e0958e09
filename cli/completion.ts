/**
 * `dynosim completion`: what a shell needs to complete commands, options and their words, from the tables that parse
 * them.
 *
 * @module
 */
import { writeText } from "../lib/io/process.ts";
import type { CommandLine } from "./arguments.ts";
import { type Command, command } from "./command.ts";
import { bashCompletion, fishCompletion, type ListedCommand, zshCompletion } from "./completion_scripts.ts";

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;
const SHELLS = Object.keys(SCRIPTS);

const LINE = {
  command: "completion",
  summary: "Prints a script with which a shell completes the names of commands, options and their words.",
  options: {},
  operands: { name: "SHELL", help: SHELLS.join(", "), least: 1, most: 1, choices: SHELLS },
  notes: [
    'bash  eval "$(dynosim completion bash)" in ~/.bashrc',
    'zsh   eval "$(dynosim completion zsh)" in ~/.zshrc, behind compinit',
    "fish  dynosim completion fish >~/.config/fish/completions/dynosim.fish",
  ],
} as const;

/**
 * The command.
 *
 * @param listed all commands but this one
 */
export const completionCommand = (about: string, listed: () => Promise<ListedCommand[]>): Command =>
  command(LINE, async (_options, [shell]) => {
    const commands = [...await listed(), { about, line: LINE as CommandLine }];
    writeText("stdout", SCRIPTS[shell as keyof typeof SCRIPTS](commands));
  });
