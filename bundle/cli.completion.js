import {
  command,
  kebab,
  optionsOf,
  writeText
} from "./base.js";

// cli/completion_scripts.ts
var FILES = /^(FILE|DIR|OUT|IN|MEASURED)\b/;
var valueOf = ({ kind, value = "", choices }) => kind === "flag" ? "nothing" : choices ?? (FILES.test(value) ? "file" : "text");
var completedOf = ({ line }) => Object.entries(optionsOf(line)).map(([name, option]) => ({
  long: kebab(name),
  short: option.short,
  help: option.help,
  value: valueOf(option),
  many: option.kind === "list"
}));
var operandOf = ({ line: { operands } }) => operands === void 0 ? "nothing" : operands.choices ?? "file";
var quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
var GENERAL = [
  "--help",
  "--version"
];
function bashCompletion(commands) {
  const words = (all) => `compgen -W ${quoted(all.join(" "))} -- "$cur"`;
  const answer = (value) => value === "nothing" || value === "text" ? "COMPREPLY=()" : `COMPREPLY=($(${value === "file" ? 'compgen -f -- "$cur"' : words(value)}))`;
  const values = commands.flatMap((command2) => completedOf(command2).filter(({ value }) => value !== "nothing").map(({ long, short, value }) => {
    const names = [
      `--${long}`,
      ...short ? [
        `-${short}`
      ] : []
    ];
    return `    ${names.map((name) => quoted(`${command2.line.command} ${name}`)).join("|")}) ${answer(value)}; return ;;`;
  }));
  const others = commands.map((command2) => {
    const options = completedOf(command2).map(({ long }) => `--${long}`);
    const operand = operandOf(command2);
    const free = Array.isArray(operand) ? `[ "$COMP_CWORD" -eq 2 ] && ${answer(operand)}` : answer(operand);
    return `    ${command2.line.command}) case "$cur" in -*) COMPREPLY=($(${words(options)})) ;; *) ${free} ;; esac ;;`;
  });
  return `# bash completion of dynosim
_dynosim() {
  local IFS=$' \\t\\n' cur="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  if [ "$cur" = "=" ]; then cur=""
  elif [ "$before" = "=" ]; then before="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(${words([
    ...commands.map(({ line }) => line.command),
    ...GENERAL
  ])}))
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
function zshCompletion(commands) {
  const plain = (text) => text.replaceAll(/[[\]:\\]/g, "\\$&");
  const action = (value) => value === "file" ? "_files" : value === "text" ? " " : `(${[
    value
  ].flat().join(" ")})`;
  const cases = commands.map((command2) => {
    const specs = completedOf(command2).map(({ long, short, help, value, many }) => {
      const told = `[${plain(help)}]${value === "nothing" ? "" : `:value:${action(value)}`}`;
      const spec = (name) => quoted(`${many ? "*" : ""}${name}${told}`);
      return [
        spec(`--${long}`),
        ...short ? [
          spec(`-${short}`)
        ] : []
      ].join(" ");
    });
    const operand = operandOf(command2);
    if (operand !== "nothing") {
      specs.push(quoted(Array.isArray(operand) ? `1:value:${action(operand)}` : `*:file:_files`));
    }
    return `    ${command2.line.command}) _arguments ${specs.join(" \\\n      ")} ;;`;
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
function fishCompletion(commands) {
  const lines = [
    "# fish completion of dynosim",
    "complete -c dynosim -f"
  ];
  for (const { about, line } of commands) {
    lines.push(`complete -c dynosim -n __fish_use_subcommand -a ${line.command} -d ${quotedForFish(about)}`);
  }
  for (const command2 of commands) {
    const at = `complete -c dynosim -n '__fish_seen_subcommand_from ${command2.line.command}'`;
    const value = (value2) => value2 === "nothing" ? "" : value2 === "file" ? " -r -F" : value2 === "text" ? " -x" : ` -x -a '${[
      value2
    ].flat().join(" ")}'`;
    for (const { long, short, help, value: kind } of completedOf(command2)) {
      lines.push(`${at} -l ${long}${short ? ` -s ${short}` : ""}${value(kind)} -d ${quotedForFish(help)}`);
    }
    const operand = operandOf(command2);
    if (operand !== "nothing") lines.push(at + (Array.isArray(operand) ? ` -a '${operand.join(" ")}'` : " -F"));
  }
  return `${lines.join("\n")}
`;
}
var quotedForFish = (text) => `'${text.replaceAll(/[\\']/g, "\\$&")}'`;

// cli/completion.ts
var SCRIPTS = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion
};
var SHELLS = Object.keys(SCRIPTS);
var LINE = {
  command: "completion",
  summary: "Prints a script with which a shell completes the names of commands, options and their words.",
  options: {},
  operands: {
    name: "SHELL",
    help: SHELLS.join(", "),
    least: 1,
    most: 1,
    choices: SHELLS
  },
  notes: [
    'bash  eval "$(dynosim completion bash)" in ~/.bashrc',
    'zsh   eval "$(dynosim completion zsh)" in ~/.zshrc, behind compinit',
    "fish  dynosim completion fish >~/.config/fish/completions/dynosim.fish"
  ]
};
var completionCommand = (about, listed) => command(LINE, async (_options, [shell]) => {
  const commands = [
    ...await listed(),
    {
      about,
      line: LINE
    }
  ];
  writeText("stdout", SCRIPTS[shell](commands));
});
export {
  completionCommand
};
