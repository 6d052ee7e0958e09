/**
 * A worker's part in one run: whether it can take part, its jobs task by task, and what it leaves behind.
 *
 * @module
 */
import type { Job, Worker } from "bullmq";
import * as v from "valibot";
import { ConfigError } from "../../errors.ts";
import { issueText } from "../../io/issue_text.ts";
import type { JobRunner, Outcome } from "../job.ts";
import { reasonOf } from "../job.ts";
import { KEPT_SECONDS, type RunKeys, wipe, workerKey } from "./keys.ts";
import type { QueuedKind } from "./kind.ts";
import { MOST_REASON, outcomeSeal, readBatch, readStarts, type RunCard, sealed, type Task } from "./messages.ts";
import { fromPlainText, plainText } from "./plain_text.ts";
import type { WorkerContext } from "./worker.ts";

/** Workers that may die of a task before it is set aside. */
const MOST_DEATHS = 2;

/** Writes an outcome, unless the run is over. Keys: card, results, news, starts. */
const SETTLE = `
if redis.call("exists", KEYS[1]) == 0 then return 0 end
redis.call("hset", KEYS[2], ARGV[1], ARGV[2])
redis.call("rpush", KEYS[3], ARGV[1])
redis.call("hdel", KEYS[4], ARGV[1])
redis.call("expire", KEYS[2], ARGV[3])
redis.call("expire", KEYS[3], ARGV[3])
return 1`;

/** Notes something in a hash, unless the run is over. Keys: card, hash. */
const NOTE = `
if redis.call("exists", KEYS[1]) == 0 then return 0 end
if ARGV[2] == "" then redis.call("hdel", KEYS[2], ARGV[1]) else redis.call("hset", KEYS[2], ARGV[1], ARGV[2]) end
redis.call("expire", KEYS[2], ARGV[3])
return 1`;

const shortened = (reason: string): string =>
  reason.length > MOST_REASON ? `${reason.slice(0, MOST_REASON - 1)}…` : reason;

/** A part in a run. */
export class Service {
  readonly #context: WorkerContext;
  readonly #keys: RunKeys;
  readonly #over = new AbortController();
  #kind: QueuedKind | null = null;
  #files: readonly (readonly [local: string, named: string])[] = [];
  #runner: JobRunner<unknown, unknown> | null = null;
  #worker: Worker | null = null;
  #leaving: Promise<void> | null = null;
  #firstAt: number | null = null;
  #handingBack = false;
  #toldErrors = new Set<string>();

  constructor(context: WorkerContext, keys: RunKeys) {
    this.#context = context;
    this.#keys = keys;
  }

  /** Whether the run is over. */
  get ended(): boolean {
    return this.#over.signal.aborted;
  }

  get #name(): string {
    return this.#keys.run.slice(4, 12);
  }

  /** Takes part, or tells why not. */
  async join(card: RunCard | string): Promise<string | null> {
    const { id, broker: { redis }, options: { log, signal } } = this.#context;
    let why: string | null;
    try {
      why = typeof card === "string" ? `its announcement cannot be read: ${card}` : await this.#prepare(card);
    } catch (problem) {
      if (signal.aborted) return "it was told to stop";
      why = `it cannot get ready: ${reasonOf(problem)}`;
    }
    if (this.#over.signal.aborted) return "the run is over";
    try {
      await this.#note(this.#keys.declined, id, why ?? "");
      if (why !== null) {
        log(`declines run ${this.#name}: ${why}`);
        return why;
      }
      await redis.sadd(this.#keys.members, id);
      await redis.expire(this.#keys.members, KEPT_SECONDS);
      if (this.#leaving !== null) {
        await redis.srem(this.#keys.members, id);
        return "the run is over";
      }
    } catch (problem) {
      return reasonOf(problem);
    }
    log(`joins run ${this.#name} (${this.#kind!.name})`);
    this.#take();
    return null;
  }

  /** Everything that must be true before the first job. A text says what is not. */
  async #prepare({ kind: name, version, setup, needs, files }: RunCard): Promise<string | null> {
    const { options, files: ownFiles, threads } = this.#context;
    if (version !== options.version) return `it is dynosim ${options.version}, and the run wants ${version}`;
    const kind = options.kinds.find((known) => known.name === name);
    if (kind === undefined) return `it does not know jobs of kind ${JSON.stringify(name)}`;
    for (const need of needs) {
      const lookup = options.lookups.get(need.type);
      if (lookup === undefined) return `it does not know what ${JSON.stringify(need.type)} is`;
      const found = await lookup(need.name);
      if (found !== need.sha256) {
        return `${need.type} ${need.name}: ${found === null ? "not on its machine" : "not the coordinator's"}`;
      }
    }
    const local: Record<string, string> = Object.create(null);
    for (const file of files) {
      const found = await ownFiles.find(file, this.#keys);
      if ("missing" in found) return found.missing;
      local[file.path] = found.path;
    }
    const checked = v.safeParse(kind.setup, setup);
    if (!checked.success) return `its setup is none: ${issueText(checked.issues[0])}`;
    const models = needs.filter(({ type }) => type === "model").map((need) => need.name);
    try {
      this.#runner = threads.open(kind, kind.localSetup(checked.output, { files: local, models }));
    } catch (problem) {
      if (!(problem instanceof ConfigError)) throw problem;
      return `its setup is refused: ${problem.message}`;
    }
    this.#files = Object.entries(local).map(([named, path]) => [path, named]);
    this.#kind = kind;
    return null;
  }

  #take(): void {
    const { broker, options: { concurrency, leaseSeconds, log } } = this.#context;
    this.#worker = broker.take(this.#keys.run, (job, token) => this.#do(job, token!), {
      concurrency,
      leaseMs: Math.round(leaseSeconds * 1000),
      onError: ({ message }) => {
        // a connection that is lost is told by the connection
        if (/closed|ECONN|EPIPE|ENOTFOUND|ETIMEDOUT/i.test(message) || this.#toldErrors.has(message)) return;
        this.#toldErrors.add(message);
        log(`run ${this.#name}: ${message}`);
      },
    });
  }

  /** Does a job. */
  async #do(job: Job, token: string): Promise<string> {
    const { broker, options: { signal, log, concurrency }, done } = this.#context;
    const began = performance.now();
    this.#firstAt ??= began;
    const tasks = readBatch(job.data);
    if (typeof tasks === "string") throw broker.refusal(`the job cannot be read: ${tasks}`);
    let ended = 0, failed = 0, left = 0;
    for (const task of tasks) {
      if (signal.aborted || this.#handingBack) {
        left++;
        continue;
      }
      const outcome = await this.#one(task);
      if (outcome === "left") left++;
      else if (outcome !== "skipped") {
        ended++;
        if (outcome.status === "failed") failed++;
      }
      if (this.ended) break;
    }
    const now = performance.now();
    done.jobs++;
    done.tasks += ended;
    done.failed += failed;
    done.spanMs = Math.max(done.spanMs, (now - this.#firstAt) * concurrency);
    const rest = left > 0 && !this.ended ? `, ${left} handed back` : "";
    log(
      `run ${this.#name} ${String(job.id).slice(0, 12)}: ${ended} of ${tasks.length} in ${
        ((now - began) / 1000).toFixed(2)
      } s${failed > 0 ? `, ${failed} failed` : ""}${rest}`,
    );
    if (left > 0 && !this.ended) throw await broker.handBack(job, token);
    return "";
  }

  /** Does a task, unless it is done, or another worker is at it. */
  async #one(task: Task): Promise<Outcome<unknown> | "skipped" | "left"> {
    const { id, broker: { redis }, places, turns, options: { log } } = this.#context;
    await places.enter();
    try {
      const [known, started] = await Promise.all([
        redis.hexists(this.#keys.results, task.id),
        redis.hget(this.#keys.starts, task.id),
      ]);
      if (known === 1 || this.ended) return "skipped";
      const before = readStarts(started).filter((worker) => worker !== id);
      const signs = before.length === 0 ? [] : await redis.mget(...before.map(workerKey));
      if (signs.some((sign) => sign !== null)) return "skipped";
      if (before.length >= MOST_DEATHS) {
        const reason = `set aside: ${before.length} workers died while they were at it`;
        log(`run ${this.#name} task ${task.id.slice(0, 8)}: ${reason}`);
        return await this.#settle(task, { status: "failed", reason });
      }
      const run = () => {
        // Noted when its turn has come: what waits for a task that ends the process has no part in that.
        // The order of commands is kept, and the task does not wait for the answer.
        void this.#note(this.#keys.starts, task.id, plainText([...before, id])).catch(() => {});
        return this.#run(task);
      };
      // what a worker died of before may end this one too: nothing else shall be lost with it
      const outcome = await (before.length > 0 ? turns.alone(run) : turns.shared(run));
      if (outcome !== null) return await this.#settle(task, outcome);
      await this.#note(this.#keys.starts, task.id, before.length > 0 ? plainText(before) : "");
      return "left";
    } finally {
      places.leave();
    }
  }

  /** The outcome of a task; null when it was broken off. */
  async #run({ data, timeoutSeconds }: Task): Promise<Outcome<unknown> | null> {
    const { dropped, done } = this.#context;
    let value: unknown;
    try {
      value = fromPlainText(data);
    } catch (problem) {
      return { status: "failed", reason: `a worker refused it: ${reasonOf(problem)}` };
    }
    const checked = v.safeParse(this.#kind!.data, value);
    if (!checked.success) return { status: "failed", reason: `a worker refused it: ${issueText(checked.issues[0])}` };
    const began = performance.now();
    try {
      return await this.#runner!.do({ id: null, data: checked.output }, {
        timeoutSeconds: timeoutSeconds ?? undefined,
        signal: AbortSignal.any([dropped, this.#over.signal]),
      });
    } catch (problem) {
      if (dropped.aborted || this.ended) return null;
      return { status: "failed", reason: reasonOf(problem) };
    } finally {
      done.busyMs += performance.now() - began;
    }
  }

  async #settle(task: Task, outcome: Outcome<unknown>): Promise<Outcome<unknown>> {
    const { card, results, news, starts } = this.#keys;
    const told = outcome.status === "failed" ? { ...outcome, reason: shortened(this.#named(outcome.reason)) } : outcome;
    let text = plainText(told);
    // reasons within a result name files too
    if (told.status === "done") text = this.#named(text);
    const kept = await this.#context.broker.redis.eval(
      SETTLE,
      4,
      card,
      results,
      news,
      starts,
      task.id,
      sealed(outcomeSeal(task.id), text),
      KEPT_SECONDS,
    );
    if (kept === 0) this.#over.abort();
    return told;
  }

  /** A text with the names of files that the coordinator knows. */
  #named(text: string): string {
    return this.#files.reduce((renamed, [path, named]) => renamed.replaceAll(path, named), text);
  }

  async #note(hash: string, field: string, value: string): Promise<void> {
    const { redis } = this.#context.broker;
    if (await redis.eval(NOTE, 2, this.#keys.card, hash, field, value, KEPT_SECONDS) === 0) this.#over.abort();
  }

  /** Ends the part: tasks are finished and jobs handed back, or everything is dropped because the run is over. */
  leave(how: "finish" | "drop"): Promise<void> {
    return this.#leaving ??= this.#leave(how);
  }

  async #leave(how: "finish" | "drop"): Promise<void> {
    const { id, broker: { redis }, options: { log } } = this.#context;
    this.#handingBack = true;
    if (how === "drop") this.#over.abort(new Error("the run is over"));
    try {
      await this.#worker?.close();
    } catch {
      // the connection is gone, and with it what would be closed
    }
    this.#runner?.close();
    try {
      await redis.srem(this.#keys.members, id);
      if (how === "drop" && await redis.exists(this.#keys.card) === 0) await wipe(redis, this.#keys);
    } catch {
      return;
    }
    if (how === "drop") log(`run ${this.#name} is over`);
  }
}
