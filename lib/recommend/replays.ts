/**
 * The replays of a search: each is done once, those that must come to the same are not done at all, and whoever does them
 * is kept busy with what will probably be wanted next. What comes of a replay depends on none of this.
 *
 * @module
 */
import { canonicalJson } from "../planner/canonical_json.ts";
import type { JobRunner, Outcome } from "../jobs/job.ts";
import type { Document } from "./candidate_document.ts";
import type { CandidateAnswer, CandidateTask } from "./candidate_jobs.ts";
import type { JobNames } from "./identity.ts";
import type { Trial } from "./trial.ts";

/** What came of a job, as it is kept for later. */
export type KnownOutcome = Outcome<CandidateAnswer>;

/** Settings of {@linkcode Replays}. */
export interface ReplaysOptions {
  stack: string;
  /** Limit of one replay in seconds. */
  timeoutSeconds: number;
  names: JobNames;
  /** Outcomes of earlier jobs by name. */
  known?: ReadonlyMap<string, KnownOutcome>;
  /** Trials that will probably be wanted, in their order. */
  foreseen?: Iterator<Trial>;
  signal?: AbortSignal;
}

/** Replays of the same deployment that differ in nothing but how many sequences their ranks may run. */
type Family = Replay[];

interface Replay {
  job: string;
  document: Document;
  requests: number | null;
  family: Family;
  /** Sequences a rank may run, by role. */
  limits: readonly number[];
  /** Somebody waits for it; otherwise it is only foreseen. */
  wanted: boolean;
  state: "waiting" | "running" | "over";
  /** What came of it, once it is over. */
  known: KnownOutcome | null;
  outcome: PromiseWithResolvers<KnownOutcome>;
}

/** Waiting replays that are looked at for one whose family is idle. */
export const LOOK = 32;
/** Foreseen replays that nobody has wanted yet, for each that runs. */
const AHEAD = 4;

/** Does the replays of a search. */
export class Replays {
  readonly #runner: JobRunner<CandidateTask, CandidateAnswer>;
  readonly #options: ReplaysOptions;
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;
  readonly #replays = new Map<string, Replay>();
  readonly #families = new Map<string, Family>();
  /** Wanted ones in their order; those before the head are no longer waiting. */
  #queue: Replay[] = [];
  #head = 0;
  readonly #ahead = new Set<Replay>();
  #foreseen: Iterator<Trial> | null;
  #running = 0;

  constructor(runner: JobRunner<CandidateTask, CandidateAnswer>, options: ReplaysOptions) {
    this.#runner = runner;
    this.#options = options;
    this.#foreseen = options.foreseen ?? null;
    const { signal } = options;
    this.#signal = signal === undefined ? this.#ended.signal : AbortSignal.any([signal, this.#ended.signal]);
    this.#signal.addEventListener("abort", () => this.#giveUp(this.#signal.reason), { once: true });
  }

  /** The replay of a trial that has a document: its name, and what comes of it. */
  want(document: Document, requests: number | null): { job: string; outcome: Promise<KnownOutcome> } {
    const replay = this.#replay(document, requests), { job, outcome } = replay;
    if (!replay.wanted) {
      replay.wanted = true;
      this.#ahead.delete(replay);
      if (replay.state === "waiting") this.#queue.push(replay);
    }
    if (this.#signal.aborted) this.#giveUp(this.#signal.reason);
    this.#fill();
    return { job, outcome: outcome.promise };
  }

  /** Ends what is under way; nobody wants it any more. */
  close(): void {
    this.#ended.abort(new Error("the search is over"));
  }

  #replay(document: Document, requests: number | null): Replay {
    const { names, stack, known } = this.#options;
    const job = names.of(document, stack, requests);
    let replay = this.#replays.get(job);
    if (replay !== undefined) return replay;
    const family = this.#family(document, requests);
    replay = {
      job,
      document,
      requests,
      family,
      limits: limitsOf(document),
      wanted: false,
      state: "waiting",
      known: null,
      outcome: Promise.withResolvers(),
    };
    replay.outcome.promise.catch(() => {}); // told to whoever wants it
    this.#replays.set(job, replay);
    family.push(replay);
    const same = known?.get(job) ?? family.find((other) => isSame(other, replay))?.known;
    if (same) this.#settle(replay, same);
    return replay;
  }

  #family(document: Document, requests: number | null): Family {
    const key = familyOf(document, requests);
    let family = this.#families.get(key);
    if (family === undefined) this.#families.set(key, family = []);
    return family;
  }

  /** Hands replays to the runner: one more than run at once, so that nobody waits for the next. */
  #fill(): void {
    while (this.#running <= this.#runner.parallel && !this.#signal.aborted) {
      const replay = this.#next();
      if (replay === null) return;
      void this.#run(replay);
    }
  }

  /**
   * What is done next. While another one of its family runs, a replay waits for what comes of that, as long as there is
   * something else to do.
   */
  #next(): Replay | null {
    while (this.#head < this.#queue.length && this.#queue[this.#head].state !== "waiting") this.#head++;
    if (this.#head > LOOK) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    let first: Replay | null = null;
    for (let i = this.#head, left = LOOK; i < this.#queue.length && left > 0; i++) {
      const replay = this.#queue[i];
      if (replay.state !== "waiting") continue;
      if (isFree(replay)) return replay;
      first ??= replay;
      left--;
    }
    if (this.#running >= this.#runner.parallel) return null;
    return this.#nextForeseen() ?? first;
  }

  #nextForeseen(): Replay | null {
    for (const replay of this.#ahead) if (replay.state === "waiting" && isFree(replay)) return replay;
    if (this.#runner.parallel === 1) return null;
    while (this.#foreseen !== null && this.#ahead.size < AHEAD * this.#runner.parallel) {
      const { done, value } = this.#foreseen.next();
      if (done) {
        this.#foreseen = null;
        return null;
      }
      const { candidate: { document }, requests } = value;
      if (document === null) continue;
      const replay = this.#replay(document, requests);
      if (replay.wanted) continue;
      this.#ahead.add(replay);
      if (replay.state === "waiting" && isFree(replay)) return replay;
    }
    return null;
  }

  async #run(replay: Replay): Promise<void> {
    const { stack, timeoutSeconds } = this.#options, { job: id, document, requests } = replay;
    replay.state = "running";
    this.#running++;
    try {
      const data: CandidateTask = { ask: "replay", document, stack, requests };
      const outcome = await this.#runner.do({ id, data }, { timeoutSeconds, signal: this.#signal });
      this.#settle(replay, outcome);
    } catch (problem) {
      replay.state = "over";
      replay.outcome.reject(problem);
    } finally {
      this.#running--;
      this.#fill();
    }
  }

  #settle(replay: Replay, outcome: KnownOutcome): void {
    replay.state = "over";
    replay.known = outcome;
    replay.outcome.resolve(outcome);
    for (const other of replay.family) {
      if (other.state === "waiting" && isSame(replay, other)) this.#settle(other, outcome);
    }
  }

  #giveUp(reason: unknown): void {
    for (const replay of this.#replays.values()) {
      if (replay.state !== "waiting") continue;
      replay.state = "over";
      replay.outcome.reject(reason);
    }
  }
}

/** Name of the replays that differ in nothing but how many sequences their ranks may run. */
export const familyOf = (document: Document, requests: number | null): string =>
  canonicalJson({ document: withoutLimits(document), requests });

const isFree = ({ family }: Replay): boolean => family.every(({ state }) => state !== "running");

/**
 * Whether a replay must come to what another one of its family came to. Ranks ask for their limit before they let one
 * more sequence run; the two runs are the same as long as every answer is.
 */
function isSame(done: Replay, other: Replay): boolean {
  if (done.known?.status !== "done" || !done.known.result.ok || !("metrics" in done.known.result)) return false;
  const { sequences } = done.known.result;
  return sequences !== undefined && sequences.length === done.limits.length &&
    sequences.every((needed, role) =>
      done.limits[role] === other.limits[role] || needed <= Math.min(done.limits[role], other.limits[role])
    );
}

const ROLES = ["aggregated", "prefill", "decode"];

const limitsOf = ({ engine: { workers } }: Document): number[] =>
  ROLES.filter((role) => Object.hasOwn(workers, role)).map((role) => workers[role].scheduler.max_sequences);

function withoutLimits(document: Document): Document {
  const workers = Object.entries(document.engine.workers as Record<string, Document>).map(([role, worker]) => {
    const { max_sequences: _, ...scheduler } = worker.scheduler;
    return [role, { ...worker, scheduler }];
  });
  return { ...document, engine: { ...document.engine, workers: Object.fromEntries(workers) } };
}
