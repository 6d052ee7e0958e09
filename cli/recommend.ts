/**
 * `dynosim recommend`: a search in, a ranking and a prediction for every ranked configuration out.
 *
 * @module
 */
import { ConfigError, ResourceLimitError } from "../lib/errors.ts";
import { STACKS } from "../lib/config/load.ts";
import { joinPath } from "../lib/io/folders.ts";
import { writeText } from "../lib/io/process.ts";
import { threads } from "../lib/jobs/threads.ts";
import { dgdFiles, type DgdSection, readDgd } from "../lib/recommend/dgd.ts";
import { withoutResources } from "../lib/recommend/identity.ts";
import { Journal } from "../lib/recommend/journal.ts";
import { type LedgerFiles, ledgerOf } from "../lib/recommend/ledger.ts";
import { loadRecommendation } from "../lib/recommend/load.ts";
import type { Recommendation } from "../lib/recommend/recommendation.ts";
import type { OpenSearch } from "../lib/recommend/open_search.ts";
import { recommend, type Recommended, type RecommendRun } from "../lib/recommend/recommend.ts";
import type { Evaluated } from "../lib/recommend/trial.ts";
import { resultFiles } from "../lib/recommend/result_files.ts";
import { nobody, readShard, readShards, type Shard, type Shards, shardText } from "../lib/recommend/shards.ts";
import { csvText } from "../lib/report/csv.ts";
import { attainment } from "../lib/report/evaluation.ts";
import { compactJson } from "../lib/report/json.ts";
import { choice, flag, list, text, UsageError, type Values } from "./arguments.ts";
import { type Command, command, EXIT, exitCode, Interrupted } from "./command.ts";
import { EXECUTOR, replayers } from "./executor.ts";
import { configText, writeTogether } from "./output.ts";
import { prepareSearchOutput } from "./search_output.ts";
import { rankingTable, SearchProgress, spaceLine, summaryLines } from "./search_texts.ts";
import { type Guard, startSearchWatch, supervised } from "./supervise.ts";
import { outputColumns, paint, warn } from "./terminal.ts";

const LINE = {
  command: "recommend",
  summary:
    "Searches for the deployment that serves a load best: replays candidates, ranks them, writes a prediction for each.",
  operands: { name: "DIR…", help: "with --merge, the directories of all shards", least: 0, most: Infinity },
  options: {
    config: text("the search, a YAML file (- reads standard input)", { value: "FILE", short: "c" }),
    stack: text(`${STACKS.join(" or ")}; default dynamo with a router or planner section, else engine`, {
      value: "NAME",
    }),
    set: list("replaces one value of the file, e.g. 'traffic.load.concurrency={choices: [1, 2]}'", {
      value: "PATH=YAML",
    }),
    executor: EXECUTOR,
    shard: text("tries only part I of N of the configurations, each into a directory of its own", { value: "I/N" }),
    merge: flag("makes the files of the whole search from the directories of all its shards, instead of --config"),
    outputDir: text("where recommendation.json goes", { value: "DIR", fallback: "./aisimulate-output" }),
    overwrite: flag("replace the files of an earlier run in that directory instead of going on with it"),
    format: choice("what is printed; the files stay the same", ["table", "json", "csv"], { fallback: "table" }),
    output: list("also write the winner for something else; dgd is a DynamoGraphDeployment", { value: "NAME" }),
  },
  notes: [
    "The same command again goes on where an earlier one was stopped. Ctrl-C ranks what is done.",
  ],
  exits: { [EXIT.failed]: "no feasible candidate", [EXIT.resources]: "memory or CPU limit" },
} as const;

type Options = Values<typeof LINE.options>;

/** Time in which an interrupted search ranks what is done. */
const RANK_WITHIN_MS = 20_000;

/** The command. */
export const recommendCommand = (version: string): Command =>
  command(LINE, async (options, folders, control) => {
    const { search, shards, shard } = await asked(options, folders, version);
    for (const warning of search.warnings) warn("recommend", warning);
    const dgd = Object.hasOwn(search.outputs, "dgd")
      ? await placed(search, Promise.resolve().then(() => readDgd(search.outputs.dgd, search.optimization.target)))
      : null;
    const journalPath = joinPath(options.outputDir, "execution-events.jsonl");
    const run = recommend(search, { version, signal: control.signal, shard });
    const open = await placed(search, run.open);
    if (shards !== null && shards.search !== open.id) {
      throw new ConfigError(
        "the traces, measurements or model facts here are not those that the shards were made from",
      );
    }
    for (const warning of open.space.warnings) warn("recommend", warning);
    await prepareSearchOutput(options.outputDir, options.overwrite, open.id);
    const watch = await startSearchWatch(search, options.outputDir);
    return await supervised(watch, options.outputDir, control, async (guard) => {
      guard.started();
      const journal = await Journal.open(journalPath, open, header(version, shard));
      try {
        const part = { shard, shards };
        const files = await runSearch(search, open, version, journal, options, guard, part);
        if (shard !== undefined) return await finishShard(files.found, shard, journal, options.outputDir, guard);
        return await finish(files, search, options, guard, dgd);
      } finally {
        journal.close();
      }
    });
  }, { stopWithinMs: RANK_WITHIN_MS });

/** The first line of a journal: what was searched. */
const header = (version: string, shard: Shard | undefined) => ({ id, search }: OpenSearch) => ({
  search: id,
  version,
  stack: search.stack,
  document: withoutResources(search.written),
  ...shard && { shard: shardText(shard) },
});

interface Part {
  shard: Shard | undefined;
  shards: Shards | null;
}

/** What the command line asks for: a search, a part of one, or the parts of one together. */
async function asked(
  options: Options,
  folders: readonly string[],
  version: string,
): Promise<Part & { search: Recommendation }> {
  const { config, merge, set, stack, output: outputs } = options;
  const refuse = (message: string): never => {
    throw new UsageError(message);
  };
  const shard = options.shard === undefined ? undefined : readShard(options.shard);
  if (options.shard !== undefined && shard === undefined) {
    refuse(`argument --shard: '${options.shard}' is no part, e.g. 1/8, 2/8, … 8/8`);
  }
  if (!merge) {
    if (folders.length > 0) refuse(`unrecognized arguments: ${folders.join(" ")} (directories are for --merge)`);
    if (config === undefined) return refuse("the following arguments are required: -c/--config");
    return {
      search: loadRecommendation(await configText(config), { name: config, stack, set, outputs }),
      shard,
      shards: null,
    };
  }
  const given = Object.entries({ config, stack, shard }).filter(([, value]) => value !== undefined).map(([name]) =>
    name
  );
  if (set.length > 0) given.push("set");
  if (options.executor !== "threads") given.push("executor");
  if (given.length > 0) refuse(`argument --merge: the shards say what is searched, without --${given.join(", --")}`);
  const shards = await readShards(folders);
  if (shards.version !== version) {
    throw new ConfigError(`the shards were made by dynosim ${shards.version}, and this is ${version}`);
  }
  const search = loadRecommendation(JSON.stringify(shards.document), {
    name: joinPath(folders[0], "execution-events.jsonl"),
    stack: shards.stack,
    outputs,
  });
  return { search, shard: undefined, shards };
}

/** Notes that a part is done, and says what to do with it. */
async function finishShard(
  { evaluated, interrupted }: Recommended,
  shard: Shard,
  journal: Journal,
  folder: string,
  { signal }: Guard,
): Promise<number> {
  const many = `shard ${shardText(shard)}: ${evaluated.length} configurations`;
  if (interrupted) {
    const { reason } = signal;
    warn("recommend", `${many}, ended before its time: ${reason instanceof Error ? reason.message : reason}`);
    return reason instanceof Interrupted ? exitCode(reason) : EXIT.resources;
  }
  await journal.complete();
  writeText("stdout", `${many} in ${folder}; when all are done: dynosim recommend --merge DIR…\n`);
  return EXIT.ok;
}

/** What is found wrong with the search once it is carried out, with its place. */
async function placed<T>(search: Recommendation, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ConfigError ? search.place(error) : error;
  }
}

/** The results of a search; what it finds wrong with its configuration is told with its place. */
async function* whileSearching(search: Recommendation, run: RecommendRun): AsyncGenerator<Evaluated> {
  try {
    yield* run;
  } catch (error) {
    throw error instanceof ConfigError ? search.place(error) : error;
  }
}

interface Finished {
  found: Recommended;
  files: LedgerFiles;
}

async function runSearch(
  search: Recommendation,
  { id, names }: OpenSearch,
  version: string,
  journal: Journal,
  options: Options,
  { watch, signal }: Guard,
  { shard, shards }: Part,
): Promise<Finished> {
  const parallel = Math.min(search.optimizer.parallelism, watch.budget.cpus);
  const { executor, status, end } = await replayers(
    "recommend",
    options.executor,
    () => shards === null ? threads(parallel) : nobody,
    async () => {
      const { CANDIDATE_KIND } = await import("../lib/recommend/candidate_kind.ts");
      return { kind: CANDIDATE_KIND, version, name: id, needs: names.needs, files: names.files };
    },
  );
  const run: RecommendRun = recommend(search, {
    version,
    signal,
    executor,
    known: shards === null ? journal.known : shards.known,
    shard,
  });
  let progress: SearchProgress | null = null;
  let whole = 0;
  void run.surveyed.then((open) => {
    if (options.format !== "table") return;
    writeText("stderr", `${paint("bold", spaceLine(open))}\n`);
    progress = new SearchProgress(open, status);
  }, () => {});
  try {
    for await (const result of whileSearching(search, run)) {
      const id = result.trial.requests === null ? `candidate-${String(++whole).padStart(6, "0")}` : null;
      await journal.add(result, id);
      (progress as SearchProgress | null)?.add(result);
    }
  } finally {
    (progress as SearchProgress | null)?.clear();
    await end();
  }
  const found = await run.result;
  return { found, files: ledgerOf(found, version) };
}

/** Writes the files, prints, and says how it ended. */
async function finish(
  { found, files }: Finished,
  search: Recommendation,
  options: Options,
  guard: Guard,
  dgd: DgdSection | null,
): Promise<number> {
  const { ledger, documents, folded } = files;
  await writeTogether(options.outputDir, resultFiles(files, search.stack));
  if (dgd !== null && documents.length > 0) {
    const winners = found.ranked.slice(0, search.optimization.target === "pareto" ? undefined : 1)
      .map(({ trial: { candidate } }) => ({ document: candidate.document!, config: candidate.config }));
    await writeTogether(options.outputDir, dgdFiles(winners, dgd));
  }
  const path = joinPath(options.outputDir, "recommendation.json");
  if (folded > 0) {
    writeText(
      "stderr",
      `Folded ${folded} scheduler-limit variant(s) with identical predicted metrics; all evaluated ` +
        "candidates remain in recommendation.json and recommendation.csv\n",
    );
  }
  if (options.format === "table") writeText("stderr", summaryLines(found, ledger).map((line) => `${line}\n`).join(""));
  if (documents.length > 0) {
    const view = () => viewOf(files, options.outputDir);
    if (options.format === "json") writeText("stdout", `${compactJson(view())}\n`);
    else if (options.format === "csv") writeText("stdout", csvText(csvView(files, options.outputDir, search)));
    else writeText("stdout", `${rankingTable(found, search, outputColumns())}\nSaved full result to: ${path}\n`);
  }
  const { reason } = guard.signal;
  if (found.interrupted) {
    warn(
      "recommend",
      `ended before its time: ${
        reason instanceof Error ? reason.message : reason
      }; what is done is ranked, the same command goes on` +
        (reason instanceof ResourceLimitError ? ", and needs less with --set execution.resources.cpu_limit=1" : ""),
    );
    return reason instanceof Interrupted ? exitCode(reason) : EXIT.resources;
  }
  if (ledger.counts.resource_limited > 0) {
    writeText("stderr", "some candidates were resource-limited; saved results cover only evaluated candidates\n");
    return EXIT.resources;
  }
  if (documents.length > 0) return EXIT.ok;
  writeText("stderr", `no feasible candidate found; saved full result to: ${path}\n`);
  return EXIT.failed;
}

/** The same for CSV, with the share within the SLA and what the GPUs cost an hour, which the reference's view has not. */
function csvView(files: LedgerFiles, folder: string, { price }: Recommendation): Record<string, unknown>[] {
  const { candidates, views } = files.ledger;
  const byId = new Map(candidates.map((record) => [record.candidate_id, record]));
  const shares = [...views.top_n, ...views.pareto_front].map((id) => attainment(byId.get(id)!.metrics ?? {}));
  return viewOf(files, folder).map(({ objectives, ...rest }, i) => ({
    ...rest,
    ...objectives,
    ...shares[i] === null ? {} : { attainment_percent: shares[i] * 100 },
    ...price === null ? {} : { cost_per_hour: rest.used_gpus * price.perGpuHour },
  }));
}

/** The ranking as the reference prints it. */
function viewOf(
  { ledger: { candidates, views } }: LedgerFiles,
  folder: string,
): (Record<string, unknown> & { objectives: object | null; used_gpus: number })[] {
  const byId = new Map(candidates.map((record) => [record.candidate_id, record]));
  return [...views.top_n, ...views.pareto_front].map((id, i) => {
    const { score, objectives, used_gpus } = byId.get(id)!;
    return {
      rank: i + 1,
      config_path: joinPath(folder, `recommendations/${String(i + 1).padStart(4, "0")}.yaml`),
      score,
      objectives,
      used_gpus,
      power_w: null,
      power_coverage: null,
    };
  });
}
