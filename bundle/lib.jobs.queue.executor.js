import {
  Broker,
  KEPT_SECONDS,
  MOST_TASKS,
  RUNS,
  RunKeys,
  WORKERS,
  keysLike,
  plain,
  plainText,
  readOutcome,
  readStarts,
  readWorker,
  runOf,
  sealed,
  supply,
  taskSeal,
  wipe,
  workerKey
} from "./shared.js";
import "./config.js";
import {
  sha256
} from "./timing.js";
import {
  QueueError,
  pause,
  unlessStopped
} from "./base.js";

// lib/jobs/queue/attendance.ts
var Attendance = class {
  #shown;
  #options;
  #aloneSince = performance.now();
  #told = 0;
  #declinedBefore = false;
  /** @param shown the address of the Redis, as messages have it */
  constructor(shown, options) {
    this.#shown = shown;
    this.#options = options;
  }
  /** Patience counts from now on. */
  begin() {
    this.#aloneSince = performance.now();
  }
  /**
   * Says when nobody can do what is open, and gives it up when that does not change.
   *
   * @param live workers that are there
   * @param declined those of them that cannot do it, with the reason
   */
  check(live, declined) {
    const { onNote = () => {
    }, patienceSeconds = 600 } = this.#options;
    if (live > declined.size) {
      this.#aloneSince = performance.now();
      this.#declinedBefore = false;
      return;
    }
    if (live > 0) {
      if (!this.#declinedBefore) {
        this.#declinedBefore = true;
        return;
      }
      const reasons = [
        ...declined
      ].slice(0, 5).map(([id, why]) => `
  ${plain(id)}: ${plain(why)}`);
      const more = declined.size > 5 ? `
  \u2026 and ${declined.size - 5} more` : "";
      throw new QueueError(`none of the ${declined.size} worker(s) at ${this.#shown} can do this:${reasons.join("")}${more}`);
    }
    const seconds = (performance.now() - this.#aloneSince) / 1e3;
    if (seconds > patienceSeconds) {
      throw new QueueError(`no worker has come to ${this.#shown} for ${patienceSeconds} s; start one: deno task worker ${this.#shown}`);
    }
    if (seconds > 3 && seconds - this.#told > 60 || seconds > 3 && this.#told === 0) {
      this.#told = seconds;
      onNote(`no worker is at ${this.#shown}; start one: deno task worker ${this.#shown}`);
    }
  }
};

// lib/jobs/queue/jobs_there.ts
var ASKED = 500;
var JobsThere = class {
  #broker;
  #keys;
  /** Jobs that were taken and that nobody held when they were looked for last. */
  #loose = /* @__PURE__ */ new Set();
  constructor(broker, keys) {
    this.#broker = broker;
    this.#keys = keys;
  }
  /**
   * Those of some jobs that a worker has or will come to. One that was taken and that nobody holds, twice in a row, is
   * one that workers cannot read; it is removed.
   */
  async of(names) {
    const { redis } = this.#broker;
    const keys = this.#keys;
    const [waiting, active] = await Promise.all([
      redis.lrange(keys.waiting, 0, -1),
      redis.lrange(keys.active, 0, -1)
    ]);
    const taken = new Set(active.filter((name) => names.has(name)));
    const listed = [
      ...taken,
      ...waiting.filter((name) => names.has(name))
    ];
    const there = /* @__PURE__ */ new Set(), loose = /* @__PURE__ */ new Set();
    for (let from = 0; from < listed.length; from += ASKED) {
      const part = listed.slice(from, from + ASKED);
      const looking = redis.pipeline();
      for (const name of part) looking.exists(keys.job(name)).exists(keys.lock(name));
      const found = await looking.exec() ?? [];
      part.forEach((name, i) => {
        const [is, held] = [
          found[2 * i]?.[1] === 1,
          found[2 * i + 1]?.[1] === 1
        ];
        if (is && taken.has(name) && !held) loose.add(name);
        if (is) there.add(name);
      });
    }
    for (const name of loose) {
      if (!this.#loose.has(name)) continue;
      await redis.pipeline().lrem(keys.active, 0, name).del(keys.job(name)).exec();
      there.delete(name);
      loose.delete(name);
    }
    this.#loose = loose;
    return there;
  }
};

// lib/jobs/queue/live_workers.ts
async function liveWorkers({ redis }) {
  const names = await redis.smembers(WORKERS);
  if (names.length === 0) return /* @__PURE__ */ new Map();
  const cards = await redis.mget(...names.map(workerKey));
  const live = /* @__PURE__ */ new Map();
  const gone = [];
  names.forEach((name, i) => {
    const card = cards[i] === null ? "gone" : readWorker(cards[i]);
    if (typeof card === "string") gone.push(name);
    else live.set(name, card.concurrency);
  });
  if (gone.length > 0) await redis.srem(WORKERS, ...gone);
  return live;
}

// lib/jobs/queue/remove_run.ts
var SIGN_MS = 500;
async function removeRun(broker, keys, coordinator) {
  const { redis } = broker;
  await redis.del(keys.coordinator(coordinator));
  if (await isShared(redis, keys)) return;
  await redis.pipeline().del(keys.card).srem(RUNS, keys.run).exec();
  for (let left = 30; left > 0; left--) {
    const live = await liveWorkers(broker);
    if (!(await redis.smembers(keys.members)).some((worker) => live.has(worker))) break;
    await pause(100);
  }
  await wipe(redis, keys);
}
async function isShared(redis, keys) {
  const others = async () => {
    const names = await keysLike(redis, keys.coordinator("*"));
    return names.length === 0 ? [] : await redis.mget(...names);
  };
  const before = await others();
  if (before.length === 0) return false;
  await pause(3 * SIGN_MS);
  const after = await others();
  return after.some((sign) => sign !== null && !before.includes(sign));
}

// lib/jobs/queue/sizes.ts
function jobSizes(waiting, sent, slots) {
  const sizes = [];
  let left = waiting, under = sent;
  while (left >= MOST_TASKS) {
    sizes.push(MOST_TASKS);
    left -= MOST_TASKS;
    under += MOST_TASKS;
  }
  if (left === 0 || under >= slots * MOST_TASKS) return sizes;
  for (; left > 0; ) {
    const size = Math.max(1, Math.ceil(left / (2 * slots)));
    sizes.push(Math.min(size, left));
    left -= size;
  }
  return sizes;
}

// lib/jobs/queue/runner.ts
var COLLECT_MS = 40;
var OVERDUE_MS = 3e3;
var MOST_SENDS = 20;
var MOST_REFUSED = 3;
var COORDINATOR_SECONDS = 6;
var FETCHED = 500;
var QueueRunner = class {
  #broker;
  #kind;
  #options;
  #keys;
  #there;
  #attendance;
  #card;
  #id = crypto.randomUUID();
  #pending = /* @__PURE__ */ new Map();
  #unsent = [];
  #queue = null;
  #loops = null;
  #closing = null;
  #open = false;
  #ending = new AbortController();
  /** Sum of the jobs that all workers do at once. */
  #slots = 1;
  #looked = Promise.withResolvers();
  #signs = 0;
  #recoveredAt = -Infinity;
  /** How it stands. */
  status = {
    workers: 0,
    waiting: 0,
    running: 0,
    failed: 0
  };
  constructor(broker, kind, setup, options) {
    const { version, needs, files, name } = options;
    this.#broker = broker;
    this.#kind = kind;
    this.#options = options;
    this.#card = plainText({
      protocol: 2,
      name,
      kind: kind.name,
      version,
      setup,
      needs,
      files
    });
    this.#keys = new RunKeys(runOf(this.#card));
    this.#there = new JobsThere(broker, this.#keys);
    this.#attendance = new Attendance(broker.shown, options);
  }
  /** Tasks that workers have or should have before them: a job that they do, and the next one. */
  get parallel() {
    return 2 * this.#slots * MOST_TASKS;
  }
  async do({ id, data }, { timeoutSeconds, signal } = {}) {
    signal?.throwIfAborted();
    if (this.#loops === null) this.#start();
    const text = plainText(data);
    const name = id ?? sha256(text);
    let pending = this.#pending.get(name);
    if (pending === void 0) {
      const { promise, resolve, reject } = Promise.withResolvers();
      promise.catch(() => {
      });
      const head = {
        id: name,
        timeoutSeconds: timeoutSeconds ?? null
      };
      const task = {
        ...head,
        data: sealed(taskSeal(head), text)
      };
      pending = {
        data,
        task,
        settled: promise,
        resolve,
        reject,
        job: null,
        sentAt: 0,
        sends: 0,
        refused: 0
      };
      this.#pending.set(name, pending);
      this.#unsent.push(pending);
    }
    return await unlessStopped(pending.settled, signal);
  }
  /** Ends the run: nothing of it stays in Redis. {@linkcode end} tells when that is so. */
  close() {
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
    this.#closing = Promise.race([
      cleaning().catch(() => {
      }),
      pause(8e3)
    ]);
  }
  /** Waits until nothing of it is left. */
  async end() {
    this.close();
    await this.#closing;
  }
  #start() {
    this.#open = true;
    this.#ending = new AbortController();
    this.#queue = this.#broker.queue(this.#keys.run);
    this.#queue.on("error", () => {
    });
    this.#attendance.begin();
    const previous = this.#closing ?? Promise.resolve();
    this.#loops = previous.then(() => Promise.all([
      this.#loop(SIGN_MS, () => this.#watch()),
      this.#loop(COLLECT_MS, () => this.#exchange())
    ]));
  }
  async #loop(everyMs, step) {
    const { signal } = this.#ending;
    while (this.#open) {
      try {
        await unlessStopped(step(), signal);
      } catch (problem) {
        if (signal.aborted) return;
        this.#fail(problem instanceof QueueError ? problem : new QueueError(`${this.#broker.shown}: ${commandOf(problem)}${problem.message}`));
      }
      await pause(everyMs);
    }
  }
  #fail(problem) {
    for (const { reject } of this.#pending.values()) reject(problem);
    this.#pending.clear();
    this.#unsent = [];
  }
  /** Sends what waits, takes what came. */
  async #exchange() {
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
  async #fetch(ids) {
    const wanted = ids.filter((id) => this.#pending.has(id));
    for (let from = 0; from < wanted.length; from += FETCHED) {
      const part = wanted.slice(from, from + FETCHED);
      const texts = await this.#broker.redis.hmget(this.#keys.results, ...part);
      const refused = part.filter((id, i) => texts[i] !== null && !this.#settle(id, texts[i]));
      if (refused.length > 0) await this.#broker.redis.hdel(this.#keys.results, ...refused);
    }
  }
  /** Takes an outcome; false when it is none, and the task must be done again. */
  #settle(id, text) {
    const pending = this.#pending.get(id);
    if (pending === void 0) return true;
    const outcome = readOutcome(id, text, this.#kind.result);
    const wrong = typeof outcome === "string" ? outcome : outcome.status === "done" && !this.#kind.answers(pending.data, outcome.result) ? "it answers something else" : null;
    if (wrong !== null && ++pending.refused < MOST_REFUSED) return false;
    this.#pending.delete(id);
    const told = wrong === null ? outcome : {
      status: "failed",
      reason: `${MOST_REFUSED} answers of workers could not be read: ${wrong}`
    };
    if (told.status === "failed") this.status.failed++;
    pending.resolve(told);
    return true;
  }
  async #send() {
    if (this.#unsent.length === 0) return;
    const sizes = jobSizes(this.#unsent.length, this.#pending.size - this.#unsent.length, this.#slots);
    const taken = this.#unsent.splice(0, sizes.reduce((sum, size) => sum + size, 0));
    if (taken.length === 0) return;
    await this.#fetch(taken.map(({ task }) => task.id));
    const open = taken.filter(({ task }) => this.#pending.has(task.id));
    const jobs = [];
    for (const size of sizes) {
      const part = open.splice(0, size);
      if (part.length > 0) jobs.push(part);
    }
    await this.#add(jobs);
  }
  async #add(jobs) {
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
        data: {
          tasks: tasks.map(({ task }) => task)
        },
        opts: {
          jobId: job,
          removeOnComplete: true,
          removeOnFail: true
        }
      };
    });
    await this.#queue.addBulk(entries);
    const expiring = this.#broker.redis.pipeline();
    for (const { opts } of entries) expiring.expire(this.#keys.job(opts.jobId), KEPT_SECONDS);
    await expiring.exec();
  }
  /** Says that the run is there, looks who does it, gives files to those who ask, and finds what was lost. */
  async #watch() {
    const { redis } = this.#broker;
    const keys = this.#keys;
    const announcing = redis.pipeline().set(keys.card, this.#card, "EX", KEPT_SECONDS).sadd(RUNS, keys.run).expire(RUNS, KEPT_SECONDS).set(keys.coordinator(this.#id), String(++this.#signs), "EX", COORDINATOR_SECONDS);
    for (const key of [
      keys.results,
      keys.news,
      keys.starts,
      keys.declined,
      keys.members,
      ...keys.bookkeeping
    ]) {
      announcing.expire(key, KEPT_SECONDS);
    }
    for (const [problem] of await announcing.exec() ?? []) if (problem !== null) throw problem;
    const live = await liveWorkers(this.#broker);
    const declined = new Map(Object.entries(await redis.hgetall(keys.declined)).filter(([id]) => live.has(id)));
    const members = (await redis.smembers(keys.members)).filter((id) => live.has(id));
    this.#slots = Math.max(1, members.reduce((sum, id) => sum + live.get(id), 0));
    const counts = await this.#queue.getJobCounts("waiting", "active");
    const { waiting = 0, active = 0 } = counts;
    this.status = {
      ...this.status,
      workers: members.length,
      waiting,
      running: active
    };
    if (members.length > 0) this.#looked.resolve();
    if (this.#pending.size > 0) this.#attendance.check(live.size, declined);
    await supply(redis, keys, this.#options.files);
    await this.#recover(live);
  }
  /** Finds outcomes that were not told and jobs that are gone, and sends what is left of them. */
  async #recover(live) {
    const now = performance.now();
    if (now - this.#recoveredAt < OVERDUE_MS) return;
    const overdue = [
      ...this.#pending.values()
    ].filter(({ job, sentAt }) => job !== null && now - sentAt > OVERDUE_MS);
    if (overdue.length === 0) return;
    this.#recoveredAt = now;
    const { redis } = this.#broker;
    if (await this.#queue.isPaused()) await this.#queue.resume();
    const there = await this.#there.of(new Set(overdue.map(({ job }) => job)));
    const gone = overdue.filter(({ job }) => !there.has(job));
    if (gone.length === 0) return;
    await this.#fetch(gone.map(({ task }) => task.id));
    const left = gone.filter(({ task }) => this.#pending.has(task.id));
    if (left.length === 0) return;
    const starts = await redis.hmget(this.#keys.starts, ...left.map(({ task }) => task.id));
    const lost = left.filter((_, i) => !readStarts(starts[i]).some((worker) => live.has(worker)));
    for (const pending of lost) {
      if (pending.sends < MOST_SENDS) continue;
      this.#pending.delete(pending.task.id);
      this.status.failed++;
      pending.resolve({
        status: "failed",
        reason: `no worker brought it to an end in ${MOST_SENDS} attempts`
      });
    }
    const again = lost.filter(({ task }) => this.#pending.has(task.id));
    const jobs = [];
    while (again.length > 0) jobs.push(again.splice(0, MOST_TASKS));
    await this.#add(jobs);
  }
};
function commandOf(problem) {
  const { name, args } = problem.command ?? {};
  if (typeof name !== "string" || !Array.isArray(args) || /^(eval|auth)/i.test(name)) return "";
  return `${name.toUpperCase()} ${String(args[0]).slice(0, 100)}: `;
}

// lib/jobs/queue/executor.ts
async function queueExecutor(address, options) {
  const { onNote = () => {
  } } = options;
  const broker = await Broker.connect(address, {
    onConnection: (connected) => onNote(connected ? `connected to ${address.shown} again` : `lost ${address.shown}; trying to connect again`)
  });
  const runners = [];
  let ended = false;
  return {
    parallel: MOST_TASKS,
    remote: true,
    open({ name }, setup) {
      const kind = options.kinds.find((known) => known.name === name);
      if (kind === void 0) throw new QueueError(`jobs of kind ${name} cannot be sent`);
      const runner = new QueueRunner(broker, kind, setup, options);
      runners.push(runner);
      return runner;
    },
    status: () => runners.map((runner) => runner.status).reduce((a, b) => ({
      workers: Math.max(a.workers, b.workers),
      waiting: a.waiting + b.waiting,
      running: a.running + b.running,
      failed: a.failed + b.failed
    }), {
      workers: 0,
      waiting: 0,
      running: 0,
      failed: 0
    }),
    async end() {
      if (ended) return;
      ended = true;
      await Promise.all(runners.map((runner) => runner.end()));
      broker.close();
    }
  };
}
export {
  queueExecutor
};
