import {
  CANDIDATE_KIND,
  CAPACITY_KIND
} from "./search.js";
import {
  SWEEP_KIND,
  measurementsDigest,
  modelDigest
} from "./retune.js";
import "./router.js";
import "./planner.js";
import "./traces.js";
import "./core.js";
import {
  Broker,
  KEPT_SECONDS,
  MOST_REASON,
  RUNS,
  RunKeys,
  WORKERS,
  WorkerFiles,
  fromPlainText,
  outcomeSeal,
  plain,
  plainText,
  readBatch,
  readCard,
  readStarts,
  sealed,
  threads,
  wipe,
  workerKey
} from "./shared.js";
import {
  WaitingLine,
  addressOf,
  joinPath,
  reasonOf
} from "./config.js";
import {
  issueText,
  userDataFolder
} from "./timing.js";
import {
  ConfigError,
  UsageError,
  command,
  cpuCount,
  exitCode,
  host,
  hostName,
  number2 as number,
  pause,
  safeParse,
  text,
  unlessStopped,
  writeText
} from "./base.js";

// lib/jobs/queue/service.ts
var MOST_DEATHS = 2;
var SETTLE = `
if redis.call("exists", KEYS[1]) == 0 then return 0 end
redis.call("hset", KEYS[2], ARGV[1], ARGV[2])
redis.call("rpush", KEYS[3], ARGV[1])
redis.call("hdel", KEYS[4], ARGV[1])
redis.call("expire", KEYS[2], ARGV[3])
redis.call("expire", KEYS[3], ARGV[3])
return 1`;
var NOTE = `
if redis.call("exists", KEYS[1]) == 0 then return 0 end
if ARGV[2] == "" then redis.call("hdel", KEYS[2], ARGV[1]) else redis.call("hset", KEYS[2], ARGV[1], ARGV[2]) end
redis.call("expire", KEYS[2], ARGV[3])
return 1`;
var shortened = (reason) => reason.length > MOST_REASON ? `${reason.slice(0, MOST_REASON - 1)}\u2026` : reason;
var Service = class {
  #context;
  #keys;
  #over = new AbortController();
  #kind = null;
  #files = [];
  #runner = null;
  #worker = null;
  #leaving = null;
  #firstAt = null;
  #handingBack = false;
  #toldErrors = /* @__PURE__ */ new Set();
  constructor(context, keys) {
    this.#context = context;
    this.#keys = keys;
  }
  /** Whether the run is over. */
  get ended() {
    return this.#over.signal.aborted;
  }
  get #name() {
    return this.#keys.run.slice(4, 12);
  }
  /** Takes part, or tells why not. */
  async join(card) {
    const { id, broker: { redis }, options: { log, signal } } = this.#context;
    let why;
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
    log(`joins run ${this.#name} (${this.#kind.name})`);
    this.#take();
    return null;
  }
  /** Everything that must be true before the first job. A text says what is not. */
  async #prepare({ kind: name, version, setup, needs, files }) {
    const { options, files: ownFiles, threads: threads2 } = this.#context;
    if (version !== options.version) return `it is dynosim ${options.version}, and the run wants ${version}`;
    const kind = options.kinds.find((known) => known.name === name);
    if (kind === void 0) return `it does not know jobs of kind ${JSON.stringify(name)}`;
    for (const need of needs) {
      const lookup = options.lookups.get(need.type);
      if (lookup === void 0) return `it does not know what ${JSON.stringify(need.type)} is`;
      const found = await lookup(need.name);
      if (found !== need.sha256) {
        return `${need.type} ${need.name}: ${found === null ? "not on its machine" : "not the coordinator's"}`;
      }
    }
    const local = /* @__PURE__ */ Object.create(null);
    for (const file of files) {
      const found = await ownFiles.find(file, this.#keys);
      if ("missing" in found) return found.missing;
      local[file.path] = found.path;
    }
    const checked = safeParse(kind.setup, setup);
    if (!checked.success) return `its setup is none: ${issueText(checked.issues[0])}`;
    const models = needs.filter(({ type }) => type === "model").map((need) => need.name);
    try {
      this.#runner = threads2.open(kind, kind.localSetup(checked.output, {
        files: local,
        models
      }));
    } catch (problem) {
      if (!(problem instanceof ConfigError)) throw problem;
      return `its setup is refused: ${problem.message}`;
    }
    this.#files = Object.entries(local).map(([named, path]) => [
      path,
      named
    ]);
    this.#kind = kind;
    return null;
  }
  #take() {
    const { broker, options: { concurrency, leaseSeconds, log } } = this.#context;
    this.#worker = broker.take(this.#keys.run, (job, token) => this.#do(job, token), {
      concurrency,
      leaseMs: Math.round(leaseSeconds * 1e3),
      onError: ({ message }) => {
        if (/closed|ECONN|EPIPE|ENOTFOUND|ETIMEDOUT/i.test(message) || this.#toldErrors.has(message)) return;
        this.#toldErrors.add(message);
        log(`run ${this.#name}: ${message}`);
      }
    });
  }
  /** Does a job. */
  async #do(job, token) {
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
    log(`run ${this.#name} ${String(job.id).slice(0, 12)}: ${ended} of ${tasks.length} in ${((now - began) / 1e3).toFixed(2)} s${failed > 0 ? `, ${failed} failed` : ""}${rest}`);
    if (left > 0 && !this.ended) throw await broker.handBack(job, token);
    return "";
  }
  /** Does a task, unless it is done, or another worker is at it. */
  async #one(task) {
    const { id, broker: { redis }, places, turns, options: { log } } = this.#context;
    await places.enter();
    try {
      const [known, started] = await Promise.all([
        redis.hexists(this.#keys.results, task.id),
        redis.hget(this.#keys.starts, task.id)
      ]);
      if (known === 1 || this.ended) return "skipped";
      const before = readStarts(started).filter((worker) => worker !== id);
      const signs = before.length === 0 ? [] : await redis.mget(...before.map(workerKey));
      if (signs.some((sign) => sign !== null)) return "skipped";
      if (before.length >= MOST_DEATHS) {
        const reason = `set aside: ${before.length} workers died while they were at it`;
        log(`run ${this.#name} task ${task.id.slice(0, 8)}: ${reason}`);
        return await this.#settle(task, {
          status: "failed",
          reason
        });
      }
      const run = () => {
        void this.#note(this.#keys.starts, task.id, plainText([
          ...before,
          id
        ])).catch(() => {
        });
        return this.#run(task);
      };
      const outcome = await (before.length > 0 ? turns.alone(run) : turns.shared(run));
      if (outcome !== null) return await this.#settle(task, outcome);
      await this.#note(this.#keys.starts, task.id, before.length > 0 ? plainText(before) : "");
      return "left";
    } finally {
      places.leave();
    }
  }
  /** The outcome of a task; null when it was broken off. */
  async #run({ data, timeoutSeconds }) {
    const { dropped, done } = this.#context;
    let value;
    try {
      value = fromPlainText(data);
    } catch (problem) {
      return {
        status: "failed",
        reason: `a worker refused it: ${reasonOf(problem)}`
      };
    }
    const checked = safeParse(this.#kind.data, value);
    if (!checked.success) return {
      status: "failed",
      reason: `a worker refused it: ${issueText(checked.issues[0])}`
    };
    const began = performance.now();
    try {
      return await this.#runner.do({
        id: null,
        data: checked.output
      }, {
        timeoutSeconds: timeoutSeconds ?? void 0,
        signal: AbortSignal.any([
          dropped,
          this.#over.signal
        ])
      });
    } catch (problem) {
      if (dropped.aborted || this.ended) return null;
      return {
        status: "failed",
        reason: reasonOf(problem)
      };
    } finally {
      done.busyMs += performance.now() - began;
    }
  }
  async #settle(task, outcome) {
    const { card, results, news, starts } = this.#keys;
    const told = outcome.status === "failed" ? {
      ...outcome,
      reason: shortened(this.#named(outcome.reason))
    } : outcome;
    let text2 = plainText(told);
    if (told.status === "done") text2 = this.#named(text2);
    const kept = await this.#context.broker.redis.eval(SETTLE, 4, card, results, news, starts, task.id, sealed(outcomeSeal(task.id), text2), KEPT_SECONDS);
    if (kept === 0) this.#over.abort();
    return told;
  }
  /** A text with the names of files that the coordinator knows. */
  #named(text2) {
    return this.#files.reduce((renamed, [path, named]) => renamed.replaceAll(path, named), text2);
  }
  async #note(hash, field, value) {
    const { redis } = this.#context.broker;
    if (await redis.eval(NOTE, 2, this.#keys.card, hash, field, value, KEPT_SECONDS) === 0) this.#over.abort();
  }
  /** Ends the part: tasks are finished and jobs handed back, or everything is dropped because the run is over. */
  leave(how) {
    return this.#leaving ??= this.#leave(how);
  }
  async #leave(how) {
    const { id, broker: { redis }, options: { log } } = this.#context;
    this.#handingBack = true;
    if (how === "drop") this.#over.abort(new Error("the run is over"));
    try {
      await this.#worker?.close();
    } catch {
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
};

// lib/jobs/queue/turns.ts
var Turns = class {
  #sharing = 0;
  #alone = false;
  #waiting = [];
  /** Runs beside others. */
  shared(work2) {
    return this.#run(false, work2);
  }
  /** Runs while nothing else does. */
  alone(work2) {
    return this.#run(true, work2);
  }
  async #run(alone, work2) {
    await new Promise((enter) => {
      this.#waiting.push({
        alone,
        enter
      });
      this.#admit();
    });
    try {
      return await work2();
    } finally {
      if (alone) this.#alone = false;
      else this.#sharing--;
      this.#admit();
    }
  }
  /** In the order of asking, so that nobody waits for ever. */
  #admit() {
    while (this.#waiting.length > 0 && !this.#alone) {
      const [{ alone, enter }] = this.#waiting;
      if (alone && this.#sharing > 0) return;
      this.#waiting.shift();
      if (alone) this.#alone = true;
      else this.#sharing++;
      enter();
    }
  }
};

// lib/jobs/queue/worker.ts
var LOOK_MS = 500;
var AGAIN_MS = 6e4;
async function work(address, given) {
  const options = {
    leaseSeconds: 30,
    finishSeconds: 5,
    ...given,
    log: (line) => given.log(plain(line))
  };
  const { log, signal, concurrency, version, leaseSeconds, finishSeconds, folder, cache, from } = options;
  const broker = await Broker.connect(address, {
    onConnection: (connected) => log(connected ? `connected to ${address.shown} again` : `lost ${address.shown}`)
  });
  const id = `${hostName()}-${crypto.randomUUID().slice(0, 8)}`;
  const dropped = new AbortController();
  const context = {
    id,
    broker,
    options,
    files: new WorkerFiles(broker.redis, {
      folder,
      cache,
      from,
      signal
    }),
    places: new WaitingLine(concurrency),
    turns: new Turns(),
    threads: threads(concurrency, {
      always: true
    }),
    dropped: dropped.signal,
    done: {
      jobs: 0,
      tasks: 0,
      failed: 0,
      busyMs: 0,
      spanMs: 0
    }
  };
  const started = performance.now();
  const card = JSON.stringify({
    host: hostName(),
    version,
    concurrency
  });
  const services = /* @__PURE__ */ new Map();
  const declined = /* @__PURE__ */ new Map();
  const stop = () => setTimeout(() => dropped.abort(new Error("the worker was told to stop")), finishSeconds * 1e3);
  signal.addEventListener("abort", stop);
  log(`worker ${id} is at ${address.shown}, ${concurrency} at once`);
  const beat = async () => {
    await broker.redis.pipeline().set(workerKey(id), card, "PX", Math.round(leaseSeconds * 800)).sadd(WORKERS, id).expire(WORKERS, KEPT_SECONDS).exec();
  };
  const beating = setInterval(() => void beat().catch(() => {
  }), Math.min(2e3, leaseSeconds * 200));
  try {
    await unlessStopped(beat(), signal).catch(() => {
    });
    while (!signal.aborted) {
      try {
        await unlessStopped(look(context, services, declined), signal);
      } catch (problem) {
        if (!signal.aborted) log(`cannot look for work: ${reasonOf(problem)}`);
      }
      await unlessStopped(pause(LOOK_MS), signal).catch(() => {
      });
    }
    await Promise.all([
      ...services.values()
    ].map((service) => service.leave("finish")));
  } finally {
    clearInterval(beating);
    signal.removeEventListener("abort", stop);
    const forgetting = broker.redis.pipeline().del(workerKey(id)).srem(WORKERS, id).exec();
    await Promise.race([
      forgetting.catch(() => {
      }),
      pause(1e3)
    ]);
    broker.close();
  }
  const { done } = context;
  const share = done.spanMs > 0 ? `, ${(100 * Math.min(1, done.busyMs / done.spanMs)).toFixed(1)} % of the time at them` : "";
  const seconds = ((performance.now() - started) / 1e3).toFixed(1);
  log(`worker ${id} ends after ${seconds} s: ${done.tasks} tasks in ${done.jobs} jobs, ${done.failed} failed${share}`);
  return done;
}
async function look(context, services, declined) {
  const { redis } = context.broker;
  const runs = (await redis.smembers(RUNS)).filter((run) => /^run-[0-9a-f]{24}$/.test(run));
  const cards = runs.length === 0 ? [] : await redis.mget(...runs.map((run) => new RunKeys(run).card));
  for (const [run, service] of services) {
    if (!service.ended && cards[runs.indexOf(run)] != null) continue;
    services.delete(run);
    void service.leave("drop");
  }
  for (const run of declined.keys()) if (!runs.includes(run)) declined.delete(run);
  for (const [i, run] of runs.entries()) {
    const text2 = cards[i];
    if (text2 === null) {
      await redis.srem(RUNS, run);
      continue;
    }
    const before = declined.get(run);
    if (services.has(run) || before?.card === text2 && performance.now() - before.at < AGAIN_MS) continue;
    const service = new Service(context, new RunKeys(run));
    services.set(run, service);
    void service.join(readCard(run, text2)).then((why) => {
      if (why === null) return;
      services.delete(run);
      declined.set(run, {
        card: text2,
        at: performance.now()
      });
    });
  }
}

// cli/queue_kinds.ts
var QUEUED_KINDS = [
  CANDIDATE_KIND,
  CAPACITY_KIND,
  SWEEP_KIND
];

// cli/worker.ts
var LINE = {
  command: "worker",
  summary: "Does the replays of searches whose coordinators say --executor redis://HOST:PORT. Any number of machines may.",
  operands: {
    name: "REDIS",
    help: "redis://HOST:PORT, rediss://\u2026 with TLS; user and password in it or in DYNOSIM_REDIS_USERNAME, _PASSWORD",
    least: 1,
    most: 1
  },
  options: {
    concurrency: number("replays at a time", {
      value: "N",
      least: 1,
      integer: true
    }),
    traces: text("folder whose files may be read, found by their digest; what is not there is fetched", {
      value: "DIR"
    }),
    tracesFrom: text("address below which files are fetched by their name, before the coordinator is asked", {
      value: "URL"
    }),
    lease: number("seconds after which the jobs of a worker that is not heard of go to another", {
      value: "SECONDS",
      fallback: 30,
      least: 1
    }),
    finish: number("seconds that replays may still take when the worker is told to stop", {
      value: "SECONDS",
      fallback: 5,
      least: 0
    })
  },
  notes: [
    "Ctrl-C finishes the replays that run and hands back the rest of their jobs; again ends at once.",
    "It reads nothing but its own data and the files of --traces, and runs no code that is sent."
  ]
};
var STOP_WITHIN_MS = 6e5;
var workerCommand = (version) => command(LINE, async (options, [redis], control) => {
  const address = await addressOf(redis, "argument REDIS");
  const { traces = null, concurrency = Math.max(1, cpuCount() - 1), lease, finish } = options;
  if (traces !== null && host().kind(traces) !== "directory") {
    throw new ConfigError(`argument --traces: ${traces} is no folder`);
  }
  const own = userDataFolder();
  await work(address, {
    kinds: QUEUED_KINDS,
    lookups: /* @__PURE__ */ new Map([
      [
        "measurements",
        measurementsDigest
      ],
      [
        "model",
        modelDigest
      ]
    ]),
    version,
    concurrency,
    folder: traces,
    cache: own === void 0 ? null : joinPath(own, "traces"),
    from: baseOf(options.tracesFrom),
    leaseSeconds: lease,
    finishSeconds: finish,
    log: (line) => writeText("stderr", `${(/* @__PURE__ */ new Date()).toISOString().slice(11, 19)} ${line}
`),
    signal: control.signal
  });
  return exitCode(control.signal.reason);
}, {
  stopWithinMs: STOP_WITHIN_MS
});
function baseOf(given) {
  if (given === void 0) return null;
  if (!URL.canParse(given) || !/^https?:/.test(given)) {
    throw new UsageError(`argument --traces-from: '${given}' is no http:// or https:// address`);
  }
  return given.endsWith("/") ? given : `${given}/`;
}
export {
  workerCommand
};
