/** Searches, capacities and retunes whose jobs go through a Redis, and whoever stands at its other end. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { CAPACITY_KIND } from "../../lib/capacity/capacity_kind.ts";
import { capacity } from "../../lib/capacity/capacity.ts";
import { loadPrediction } from "../../lib/config/load.ts";
import { sha256 } from "../../lib/io/digest.ts";
import { atMost } from "../../lib/jobs/at_most.ts";
import { inline } from "../../lib/jobs/inline.ts";
import type { Executor } from "../../lib/jobs/job.ts";
import type { QueuedKind } from "../../lib/jobs/queue/kind.ts";
import { type Need, outcomeSeal, type RunFile, sealed } from "../../lib/jobs/queue/messages.ts";
import { plainText } from "../../lib/jobs/queue/plain_text.ts";
import { CANDIDATE_KIND } from "../../lib/recommend/candidate_kind.ts";
import { ledgerOf } from "../../lib/recommend/ledger.ts";
import { loadRecommendation } from "../../lib/recommend/load.ts";
import { recommend } from "../../lib/recommend/recommend.ts";
import { needsOf } from "../../lib/replay/needs.ts";
import { planSpec, predict } from "../../lib/replay/predict.ts";
import { SWEEP_KIND } from "../../lib/replay/sweep_kind.ts";
import { DOCUMENTS } from "./documents.ts";
import { queueSearch } from "./queue_search.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Version of dynosim. */
export const VERSION: string = JSON.parse(readFileSync(join(root, "deno.json"), "utf8")).version;

/** Folder of this attack. */
export const folder = mkdtempSync(join(tmpdir(), "dynosim-attack-"));
/** A file whose opening never ends: nobody may be led to open it. */
export const trap = join(folder, "trap");
execFileSync("mkfifo", [trap]);

/** Something that sends jobs. */
export interface Sender {
  kind: QueuedKind;
  needs: Readonly<{ needs: readonly Need[]; files: readonly RunFile[] }>;
  /** Does it, and tells all that came of it. */
  run(executor: Executor): Promise<string>;
}

async function searchSender(): Promise<Sender> {
  const chat = readFileSync(join(root, "fixtures/traces/chat.jsonl"), "utf8").split("\n").slice(0, 120);
  writeFileSync(join(folder, "chat.jsonl"), chat.map((line) => `${line}\n`).join(""));
  const search = loadRecommendation(
    queueSearch({
      paths: [join(folder, "chat.jsonl")],
      speedups: [1, 4],
      replicas: [1],
      batchedTokens: [2048, 8192],
      sequences: [4, 64],
      gpus: 2,
    }),
    { name: "search" },
  );
  const { names } = await recommend(search, { version: VERSION }).open;
  return {
    kind: CANDIDATE_KIND,
    needs: names,
    async run(executor) {
      return JSON.stringify(ledgerOf(await recommend(search, { version: VERSION, executor }).result, VERSION).ledger);
    },
  };
}

async function planSender(name: "capacity" | "retune"): Promise<Sender> {
  const { document, stack } = DOCUMENTS[name];
  const written = structuredClone(document) as any;
  if (name === "retune") written.planner.retune.timeout_seconds = 100;
  const { plan } = await loadPrediction(JSON.stringify(written), { stack });
  const needs = await needsOf(planSpec(plan));
  if (name === "capacity") {
    return {
      kind: CAPACITY_KIND,
      needs,
      run: async (executor) => JSON.stringify(await capacity(plan, { executor: atMost(2, executor), precision: 0.2 })),
    };
  }
  return {
    kind: SWEEP_KIND,
    needs,
    async run(executor) {
      const { planner } = await predict(plan, { executor });
      // how long a sweep took is the machine's
      return JSON.stringify(planner, (key, value) => /wall|host|elapsed|took/.test(key) ? 0 : value);
    },
  };
}

/** All of them. What they read lies in the worker's folder too. */
export async function senders(): Promise<Record<"search" | "capacity" | "retune", Sender>> {
  const all = {
    search: await searchSender(),
    capacity: await planSender("capacity"),
    retune: await planSender("retune"),
  };
  for (const { needs: { files } } of Object.values(all)) {
    for (const { path, sha256 } of files) copyFileSync(path, join(folder, sha256));
  }
  return all;
}

/** What jobs come to, sealed, by their names; and what their data are. */
export class Answers {
  readonly outcomes = new Map<string, string>();
  readonly data = new Map<string, string>();

  /** Does the jobs here, and remembers them. */
  recording(): Executor {
    const here = inline();
    return {
      parallel: 4,
      open: (kind, setup) => {
        const runner = here.open<any, any, any>(kind, setup);
        return {
          parallel: 4,
          close: () => runner.close(),
          do: async (job, options) => {
            const outcome = await runner.do(job, options), data = plainText(job.data), id = job.id ?? sha256(data);
            this.data.set(id, data);
            this.outcomes.set(id, sealed(outcomeSeal(id), plainText(outcome)));
            return outcome;
          },
        };
      },
    };
  }
}

/** A worker in a process of its own, and what it said. */
export class RealWorker {
  readonly child: ChildProcess;
  log = "";
  readonly gone: Promise<number | null>;

  constructor(url: string, ...options: string[]) {
    const args = ["run", "-A", "--no-check", "--quiet", "--config", join(root, "deno.json"), join(root, "cli/main.ts")];
    const own = ["worker", url, "--lease", "3", "--finish", "1", "--concurrency", "2", "--traces", folder, ...options];
    this.child = spawn(process.execPath, [...args, ...own], {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, NO_COLOR: "1", DYNOSIM_CACHE: join(folder, "cache") },
    });
    this.child.stderr!.on("data", (piece) => this.log += piece);
    this.gone = new Promise((resolve) => this.child.on("close", resolve));
  }

  /** Its name, once it has one. */
  async id(): Promise<string> {
    for (;;) {
      const found = /worker (\S+) is at/.exec(this.log);
      if (found !== null) return found[1];
      if (this.child.exitCode !== null) throw new Error(`the worker does not start: ${this.log}`);
      await new Promise((resume) => setTimeout(resume, 50));
    }
  }
}

/** Removes what the attack wrote. */
export const tidy = () => rmSync(folder, { recursive: true, force: true });
