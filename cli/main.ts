#!/usr/bin/env bun
/**
 * The one entry point of all commands: `dynosim COMMAND …` where it is installed, `deno run … cli/main.ts COMMAND …`,
 * `bun run cli/main.ts COMMAND …`. A command is a line in {@link COMMANDS} and a file of its own, loaded when it is
 * called. The first line is for the link that `bun link` makes.
 *
 * @module
 */
import { removeUnfinishedFiles } from "../lib/io/atomic.ts";
import { commandArguments, exit, goToCaller, onUncaught, writeText } from "../lib/io/process.ts";
import { describedLines, invalidChoice } from "./arguments.ts";
import { type Command, EXIT, failureText } from "./command.ts";
import { outputColumns } from "./terminal.ts";

interface Entry {
  /** What it does, for the list of commands. */
  about: string;
  load(): Promise<Command>;
}

/**
 * A module by its place beside this one. Deno looks up everything that an `import` with a literal may ever load before
 * it runs the first line; the name of a variable spares a command the modules of all others.
 */
const part = <M>(file: string): Promise<M> => import(import.meta.resolve(file));

const COMMANDS: Readonly<Record<string, Entry>> = {
  predict: {
    about: "replay a load through a simulated deployment and write a report",
    load: async () =>
      (await part<typeof import("./predict.ts")>("./predict.ts")).predictCommand(
        async () => (await part<typeof import("../lib/replay/predict.ts")>("../lib/replay/predict.ts")).predict,
        version,
      ),
  },
  recommend: {
    about: "search for the deployment that serves a load best",
    load: async () => (await part<typeof import("./recommend.ts")>("./recommend.ts")).recommendCommand(await version()),
  },
  capacity: {
    about: "find the largest load that a deployment carries within its SLA",
    load: async () => (await part<typeof import("./capacity.ts")>("./capacity.ts")).capacityCommand(await version()),
  },
  worker: {
    about: "do the replays of searches on other machines, through Redis",
    load: async () => (await part<typeof import("./worker.ts")>("./worker.ts")).workerCommand(await version()),
  },
  compare: {
    about: "put the reports of several runs side by side",
    load: async () => (await part<typeof import("./compare.ts")>("./compare.ts")).compareCommand,
  },
  explain: {
    about: "tell when, why and on what observation the Planner scaled",
    load: async () => (await part<typeof import("./explain.ts")>("./explain.ts")).explainCommand,
  },
  report: {
    about: "draw predictions as one HTML page, side by side",
    load: async () => (await part<typeof import("./report.ts")>("./report.ts")).reportCommand,
  },
  convert: {
    about: "turn a trace of any known format into one that can be replayed, with an account of its rows",
    load: async () => (await part<typeof import("./convert.ts")>("./convert.ts")).convertCommand,
  },
  inspect: {
    about: "measure a trace and say what looks wrong with it",
    load: async () => (await part<typeof import("./inspect.ts")>("./inspect.ts")).inspectCommand,
  },
  estimate: {
    about: "tell how long forward passes take and how many KV blocks fit",
    load: async () => (await part<typeof import("./estimate.ts")>("./estimate.ts")).estimateCommand,
  },
  calibrate: {
    about: "compare measurements of a real system with their simulation, and fit a correction",
    load: async () => (await part<typeof import("./calibrate.ts")>("./calibrate.ts")).calibrateCommand,
  },
  "perf-data": {
    about: "list, install, build and check the measurements of hardware",
    load: async () => (await part<typeof import("./perf_data.ts")>("./perf_data.ts")).perfDataCommand,
  },
  models: {
    about: "tell which models come with facts, and where they can be timed",
    load: async () => (await part<typeof import("./models.ts")>("./models.ts")).modelsCommand,
  },
  completion: {
    about: "print a completion script for bash, zsh or fish",
    load: async () =>
      (await part<typeof import("./completion.ts")>("./completion.ts")).completionCommand(
        COMMANDS.completion.about,
        otherCommands,
      ),
  },
};

/** All commands but `completion`, for its script. */
const otherCommands = () =>
  Promise.all(
    Object.entries(COMMANDS).filter(([name]) => name !== "completion")
      .map(async ([, { about, load }]) => ({ about, line: (await load()).line })),
  );

/** Which dynosim this is. */
const version = async (): Promise<string> => (await import("../deno.json", { with: { type: "json" } })).default.version;

function overview(): string {
  const lines = describedLines(Object.entries(COMMANDS).map(([name, { about }]) => [name, about]), outputColumns());
  return [
    "usage: dynosim COMMAND …",
    "",
    ...lines,
    "",
    "dynosim COMMAND --help says more; dynosim --version tells which one this is.",
    "",
  ].join("\n");
}

async function main([name, ...rest]: string[]): Promise<number> {
  if (name === "--help" || name === "-h" || name === "help") {
    writeText("stdout", overview());
    return 0;
  }
  if (name === "--version") {
    writeText("stdout", `dynosim ${await version()}\n`);
    return 0;
  }
  if (name !== undefined && Object.hasOwn(COMMANDS, name)) return (await COMMANDS[name].load()).run(rest);
  const message = name === undefined || name.startsWith("-")
    ? "the following arguments are required: command"
    : `argument command: ${invalidChoice(name, Object.keys(COMMANDS))}`;
  writeText("stderr", `${overview()}dynosim: error: ${message}\n`);
  return 2;
}

onUncaught((problem) => {
  removeUnfinishedFiles();
  writeText("stderr", `${failureText("", problem)}\n`);
  exit(EXIT.failed);
});
goToCaller(new URL("../", import.meta.url));
exit(await main(commandArguments()));
