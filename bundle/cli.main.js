import {
  EXIT,
  commandArguments,
  describedLines,
  exit,
  failureText,
  goToCaller,
  invalidChoice,
  onUncaught,
  outputColumns,
  removeUnfinishedFiles,
  writeText
} from "./base.js";

// cli/main.ts
var COMMANDS = {
  predict: {
    about: "replay a load through a simulated deployment and write a report",
    load: async () => (await import(import.meta.resolve("./cli.predict.js"))).predictCommand(async () => (await import(import.meta.resolve("./lib.replay.predict.js"))).predict, version)
  },
  recommend: {
    about: "search for the deployment that serves a load best",
    load: async () => (await import(import.meta.resolve("./cli.recommend.js"))).recommendCommand(await version())
  },
  capacity: {
    about: "find the largest load that a deployment carries within its SLA",
    load: async () => (await import(import.meta.resolve("./cli.capacity.js"))).capacityCommand(await version())
  },
  worker: {
    about: "do the replays of searches on other machines, through Redis",
    load: async () => (await import(import.meta.resolve("./cli.worker.js"))).workerCommand(await version())
  },
  compare: {
    about: "put the reports of several runs side by side",
    load: async () => (await import(import.meta.resolve("./cli.compare.js"))).compareCommand
  },
  explain: {
    about: "tell when, why and on what observation the Planner scaled",
    load: async () => (await import(import.meta.resolve("./cli.explain.js"))).explainCommand
  },
  report: {
    about: "draw predictions as one HTML page, side by side",
    load: async () => (await import(import.meta.resolve("./cli.report.js"))).reportCommand
  },
  convert: {
    about: "turn a trace of any known format into one that can be replayed, with an account of its rows",
    load: async () => (await import(import.meta.resolve("./cli.convert.js"))).convertCommand
  },
  inspect: {
    about: "measure a trace and say what looks wrong with it",
    load: async () => (await import(import.meta.resolve("./cli.inspect.js"))).inspectCommand
  },
  estimate: {
    about: "tell how long forward passes take and how many KV blocks fit",
    load: async () => (await import(import.meta.resolve("./cli.estimate.js"))).estimateCommand
  },
  calibrate: {
    about: "compare measurements of a real system with their simulation, and fit a correction",
    load: async () => (await import(import.meta.resolve("./cli.calibrate.js"))).calibrateCommand
  },
  "perf-data": {
    about: "list, install, build and check the measurements of hardware",
    load: async () => (await import(import.meta.resolve("./cli.perf_data.js"))).perfDataCommand
  },
  models: {
    about: "tell which models come with facts, and where they can be timed",
    load: async () => (await import(import.meta.resolve("./cli.models.js"))).modelsCommand
  },
  completion: {
    about: "print a completion script for bash, zsh or fish",
    load: async () => (await import(import.meta.resolve("./cli.completion.js"))).completionCommand(COMMANDS.completion.about, otherCommands)
  }
};
var otherCommands = () => Promise.all(Object.entries(COMMANDS).filter(([name]) => name !== "completion").map(async ([, { about, load }]) => ({
  about,
  line: (await load()).line
})));
var version = async () => (await import(new URL("../deno.json", import.meta["url"]).href, {
  with: {
    type: "json"
  }
})).default.version;
function overview() {
  const lines = describedLines(Object.entries(COMMANDS).map(([name, { about }]) => [
    name,
    about
  ]), outputColumns());
  return [
    "usage: dynosim COMMAND \u2026",
    "",
    ...lines,
    "",
    "dynosim COMMAND --help says more; dynosim --version tells which one this is.",
    ""
  ].join("\n");
}
async function main([name, ...rest]) {
  if (name === "--help" || name === "-h" || name === "help") {
    writeText("stdout", overview());
    return 0;
  }
  if (name === "--version") {
    writeText("stdout", `dynosim ${await version()}
`);
    return 0;
  }
  if (name !== void 0 && Object.hasOwn(COMMANDS, name)) return (await COMMANDS[name].load()).run(rest);
  const message = name === void 0 || name.startsWith("-") ? "the following arguments are required: command" : `argument command: ${invalidChoice(name, Object.keys(COMMANDS))}`;
  writeText("stderr", `${overview()}dynosim: error: ${message}
`);
  return 2;
}
onUncaught((problem) => {
  removeUnfinishedFiles();
  writeText("stderr", `${failureText("", problem)}
`);
  exit(EXIT.failed);
});
goToCaller(new URL("../", import.meta["url"]));
exit(await main(commandArguments()));
