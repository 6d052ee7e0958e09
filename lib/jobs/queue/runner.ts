/**
 * One run on a queue, as its coordinator sees it: tasks out, outcomes in, and an eye on what is lost on the way.
 *
 * @module
 */
import type { Queue } from "bullmq";
import { QueueError } from "../../errors.ts";
import { sha256 } from "../../io/digest.ts";
import { unlessStopped } from "../../io/stop.ts";
import { pause } from "../../io/timers.ts";
import type { Job, JobOptions, JobRunner, Outcome } from "../job.ts";
import { Attendance } from "./attendance.ts";
import type { Broker } from "./broker.ts";
import type { QueueExecutorOptions } from "./executor.ts";
import { supply } from "./files.ts";
import { JobsThere } from "./jobs_there.ts";
import { KEPT_SECONDS, RunKeys, RUNS } from "./keys.ts";
import type { QueuedKind } from "./kind.ts";
import { liveWorkers } from "./live_workers.ts";
import { MOST_TASKS, readOutcome, readStarts, runOf, sealed, type Task, taskSeal } from "./messages.ts";
import { plainText } from "./plain_text.ts";
import { removeRun, SIGN_MS } from "./remove_run.ts";
import { jobSizes } from "./sizes.ts";

/** How a run stands. */
export interface QueueStatus {
  /** Workers that do its jobs. */
  workers: number;
  /** Jobs that wait for a worker. */
  waiting: number;
  /** Jobs that a worker has. */
  running: number;
  /** Tasks that failed. */
  failed: number;
}

/** A task, and who waits for its outcome. */
interface Pending<Data, Result> {
  readonly data: Data;
  readonly task: Task;
  readonly settled: Promise<Outcome<Result>>;
  readonly resolve: (outcome: Outcome<Result>) => void;
  readonly reject: (problem: unknown) => void;
  /** Job that it was sent with; null when it is not. */
  job: string | null;
  /** When it was sent. */
  sentAt: number;
  sends: number;
  /** Answers that were none. */
  refused: number;
}

/** Pause between two looks for outcomes. */
const COLLECT_MS = 40;
/** Time after which it is looked whether a sent job is still there. */
const OVERDUE_MS = 3000;
/** Times that a task is sent that nobody brings to an end. */
const MOST_SENDS = 20;
/** Answers of one task that may be damaged. */
const MOST_REFUSED = 3;
/** Seconds that a coordinator is believed to live after its last sign. */
const COORDINATOR_SECONDS = 6;
/** Outcomes fetched at once. */
const FETCHED = 500;

/** A run. */
export class QueueRunner<Setup, Data, Result> implements JobRunner<Data, Result> {
  readonly #broker: Broker;
  readonly #kind: QueuedKind<Setup, Data, Result>;
  readonly #options: QueueExecutorOptions;
  readonly #keys: RunKeys;
  readonly #there: JobsThere;
  readonly #attendance: Attendance;
  readonly #card: string;
  readonly #id = crypto.randomUUID();
  readonly #pending = new Map<string, Pending<Data, Result>>();
  #unsent: Pending<Data, Result>[] = [];
  #queue: Queue | null = null;
  #loops: Promise<unknown> | null = null;
  #closing: Promise<void> | null = null;
  #open = false;
  #ending = new AbortController();
  /** Sum of the jobs that all workers do at once. */
  #slots = 1;
  #looked = Promise.withResolvers<void>();
  #signs = 0;
  #recoveredAt = -Infinity;
  /** How it stands. */
  status: QueueStatus = { workers: 0, waiting: 0, running: 0, failed: 0 };

  constructor(broker: Broker, kind: QueuedKind<Setup, Data, Result>, setup: Setup, options: QueueExecutorOptions) {
    const { version, needs, files, name } = options;
    this.#broker = broker;
    this.#kind = kind;
    this.#options = options;
    this.#card = plainText({ protocol: 2, name, kind: kind.name, version, setup, needs, files });
    this.#keys = new RunKeys(runOf(this.#card));
    this.#there = new JobsThere(broker, this.#keys);
    this.#attendance = new Attendance(broker.shown, options);
  }

  /** Tasks that workers have or should have before them: a job that they do, and the next one. */
  get parallel(): number {
    return 2 * this.#slots * MOST_TASKS;
  }

  async do({ id, data }: Job<Data>, { timeoutSeconds, signal }: JobOptions = {}): Promise<Outcome<Result>> {
    signal?.throwIfAborted();
    if (this.#loops === null) this.#start();
    const text = plainText(data);
    const name = id ?? sha256(text);
    let pending = this.#pending.get(name);
    if (pending === undefined) {
      const { promise, resolve, reject } = Promise.withResolvers<Outcome<Result>>();
      promise.catch(() => {}); // told to whoever asked
      const head = { id: name, timeoutSeconds: timeoutSeconds ?? null };
      const task = { ...head, data: sealed(taskSeal(head), text) };
      pending = { data, task, settled: promise, resolve, reject, job: null, sentAt: 0, sends: 0, refused: 0 };
      this.#pending.set(name, pending);
      this.#unsent.push(pending);
    }
    return await unlessStopped(pending.settled, signal);
  }

  /** Ends the run: nothing of it stays in Redis. {@linkcode end} tells when that is so. */
  close(): void {
    if (this.#loops === null) return;
    const loops = this.#loops, queue = this.#queue;
    this.#open = false;
    this.#ending.abort(new QueueError("the run was ended"));
    this.#loops = null;
    for (const { reject } of this.#pending.values()) reject(new QueueError("the run was ended"));
    this.#pending.clear();
    this.#unsent = [];
    const cleaning = async () => {
      await loops;
      await removeRun(this.#broker, this.#keys, this.#id);
      await queue?.close();
    };
    this.#closing = Promise.race([cleaning().catch(() => {}), pause(8000)]);
  }

  /** Waits until nothing of it is left. */
  async end(): Promise<void> {
    this.close();
    await this.#closing;
  }

  #start(): void {
    this.#open = true;
    this.#ending = new AbortController();
    this.#queue = this.#broker.queue(this.#keys.run);
    this.#queue.on("error", () => {}); // the connection tells it
    this.#attendance.begin();
    const previous = this.#closing ?? Promise.resolve();
    this.#loops = previous.then(() =>
      Promise.all([this.#loop(SIGN_MS, () => this.#watch()), this.#loop(COLLECT_MS, () => this.#exchange())])
    );
  }

  async #loop(everyMs: number, step: () => Promise<void>): Promise<void> {
    const { signal } = this.#ending;
    while (this.#open) {
      try {
        // a lost connection may keep a command waiting for ever
        await unlessStopped(step(), signal);
      } catch (problem) {
        if (signal.aborted) return;
        this.#fail(
          problem instanceof QueueError
            ? problem
            : new QueueError(`${this.#broker.shown}: ${commandOf(problem)}${(problem as Error).message}`),
        );
      }
      await pause(everyMs);
    }
  }

  #fail(problem: QueueError): void {
    for (const { reject } of this.#pending.values()) reject(problem);
    this.#pending.clear();
    this.#unsent = [];
  }

  /** Sends what waits, takes what came. */
  async #exchange(): Promise<void> {
    await this.#looked.promise;
    await this.#send();
    const { redis } = this.#broker;
    const news = await redis.lrange(this.#keys.news, 0, FETCHED - 1);
    if (news.length === 0) return;
    await this.#fetch(news);
    await redis.ltrim(this.#keys.news, news.length, -1);
    await this.#send();
  }

  /** Settles those of some tasks whose outcomes are there. */
  async #fetch(ids: readonly string[]): Promise<void> {
    const wanted = ids.filter((id) => this.#pending.has(id));
    for (let from = 0; from < wanted.length; from += FETCHED) {
      const part = wanted.slice(from, from + FETCHED);
      const texts = await this.#broker.redis.hmget(this.#keys.results, ...part);
      const refused = part.filter((id, i) => texts[i] !== null && !this.#settle(id, texts[i]));
      if (refused.length > 0) await this.#broker.redis.hdel(this.#keys.results, ...refused);
    }
  }

  /** Takes an outcome; false when it is none, and the task must be done again. */
  #settle(id: string, text: string): boolean {
    const pending = this.#pending.get(id);
    if (pending === undefined) return true;
    const outcome = readOutcome(id, text, this.#kind.result);
    const wrong = typeof outcome === "string"
      ? outcome
      : outcome.status === "done" && !this.#kind.answers(pending.data, outcome.result)
      ? "it answers something else"
      : null;
    if (wrong !== null && ++pending.refused < MOST_REFUSED) return false; // its job is found to be gone later
    this.#pending.delete(id);
    const told: Outcome<Result> = wrong === null
      ? outcome as Outcome<Result>
      : { status: "failed", reason: `${MOST_REFUSED} answers of workers could not be read: ${wrong}` };
    if (told.status === "failed") this.status.failed++;
    pending.resolve(told);
    return true;
  }

  async #send(): Promise<void> {
    if (this.#unsent.length === 0) return;
    const sizes = jobSizes(this.#unsent.length, this.#pending.size - this.#unsent.length, this.#slots);
    const taken = this.#unsent.splice(0, sizes.reduce((sum, size) => sum + size, 0));
    if (taken.length === 0) return;
    // an earlier coordinator of this run may have got some of them done
    await this.#fetch(taken.map(({ task }) => task.id));
    const open = taken.filter(({ task }) => this.#pending.has(task.id));
    const jobs: Pending<Data, Result>[][] = [];
    for (const size of sizes) {
      const part = open.splice(0, size);
      if (part.length > 0) jobs.push(part);
    }
    await this.#add(jobs);
  }

  async #add(jobs: readonly (readonly Pending<Data, Result>[])[]): Promise<void> {
    if (jobs.length === 0 || this.#queue === null) return;
    const entries = jobs.map((tasks) => {
      const job = `job-${sha256(tasks.map(({ task }) => task.id).join()).slice(0, 32)}`;
      for (const pending of tasks) {
        pending.job = job;
        pending.sentAt = performance.now();
        pending.sends++;
      }
      return {
        name: this.#kind.name,
        data: { tasks: tasks.map(({ task }) => task) },
        opts: { jobId: job, removeOnComplete: true, removeOnFail: true },
      };
    });
    await this.#queue.addBulk(entries);
    const expiring = this.#broker.redis.pipeline();
    for (const { opts } of entries) expiring.expire(this.#keys.job(opts.jobId), KEPT_SECONDS);
    await expiring.exec();
  }

  /** Says that the run is there, looks who does it, gives files to those who ask, and finds what was lost. */
  async #watch(): Promise<void> {
    const { redis } = this.#broker;
    const keys = this.#keys;
    const announcing = redis.pipeline()
      .set(keys.card, this.#card, "EX", KEPT_SECONDS)
      .sadd(RUNS, keys.run)
      .expire(RUNS, KEPT_SECONDS)
      .set(keys.coordinator(this.#id), String(++this.#signs), "EX", COORDINATOR_SECONDS);
    for (const key of [keys.results, keys.news, keys.starts, keys.declined, keys.members, ...keys.bookkeeping]) {
      announcing.expire(key, KEPT_SECONDS);
    }
    for (const [problem] of await announcing.exec() ?? []) if (problem !== null) throw problem;
    const live = await liveWorkers(this.#broker);
    const declined = new Map(Object.entries(await redis.hgetall(keys.declined)).filter(([id]) => live.has(id)));
    const members = (await redis.smembers(keys.members)).filter((id) => live.has(id));
    this.#slots = Math.max(1, members.reduce((sum, id) => sum + live.get(id)!, 0));
    const counts = await this.#queue!.getJobCounts("waiting", "active");
    const { waiting = 0, active = 0 } = counts;
    this.status = { ...this.status, workers: members.length, waiting, running: active };
    // the first tasks are sent when it is known for how many workers
    if (members.length > 0) this.#looked.resolve();
    if (this.#pending.size > 0) this.#attendance.check(live.size, declined);
    await supply(redis, keys, this.#options.files);
    await this.#recover(live);
  }

  /** Finds outcomes that were not told and jobs that are gone, and sends what is left of them. */
  async #recover(live: ReadonlyMap<string, number>): Promise<void> {
    const now = performance.now();
    if (now - this.#recoveredAt < OVERDUE_MS) return;
    const overdue = [...this.#pending.values()].filter(({ job, sentAt }) => job !== null && now - sentAt > OVERDUE_MS);
    if (overdue.length === 0) return;
    this.#recoveredAt = now;
    const { redis } = this.#broker;
    if (await this.#queue!.isPaused()) await this.#queue!.resume(); // nobody else has a use for this queue
    const there = await this.#there.of(new Set(overdue.map(({ job }) => job!)));
    const gone = overdue.filter(({ job }) => !there.has(job!));
    if (gone.length === 0) return;
    await this.#fetch(gone.map(({ task }) => task.id));
    const left = gone.filter(({ task }) => this.#pending.has(task.id));
    if (left.length === 0) return;
    const starts = await redis.hmget(this.#keys.starts, ...left.map(({ task }) => task.id));
    // what a worker is busy with comes from there, though it was sent with another job
    const lost = left.filter((_, i) => !readStarts(starts[i]).some((worker) => live.has(worker)));
    for (const pending of lost) {
      if (pending.sends < MOST_SENDS) continue;
      this.#pending.delete(pending.task.id);
      this.status.failed++;
      pending.resolve({ status: "failed", reason: `no worker brought it to an end in ${MOST_SENDS} attempts` });
    }
    const again = lost.filter(({ task }) => this.#pending.has(task.id));
    const jobs: Pending<Data, Result>[][] = [];
    while (again.length > 0) jobs.push(again.splice(0, MOST_TASKS));
    await this.#add(jobs);
  }
}

/** The command of Redis that went wrong, and the name it was about. */
function commandOf(problem: unknown): string {
  const { name, args } = (problem as { command?: { name?: unknown; args?: unknown } }).command ?? {};
  if (typeof name !== "string" || !Array.isArray(args) || /^(eval|auth)/i.test(name)) return "";
  return `${name.toUpperCase()} ${String(args[0]).slice(0, 100)}: `;
}
