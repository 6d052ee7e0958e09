/**
 * A connection to Redis and the queues in it. BullMQ and its driver are loaded with the first one.
 *
 * @module
 */
import type { Job, Processor, Queue, Worker } from "bullmq";
import type { Redis } from "ioredis";
import { QueueError } from "../../errors.ts";
import { withoutEnvironment } from "../../io/node_packages.ts";
import { pause } from "../../io/timers.ts";
import type { BrokerAddress } from "./address.ts";
import { PREFIX } from "./keys.ts";

export type { Redis } from "ioredis";

/** Time in which a Redis must answer for the first time. */
const CONNECT_WITHIN_MS = 10_000;
/** Time in which one that is starting must begin to listen. */
const START_WITHIN_MS = 5000;
/** Longest pause between two attempts to connect again. */
const RETRY_MS = 1000;

/** Options of {@linkcode Broker.connect}. */
export interface BrokerOptions {
  /** Hears when the connection is lost, and when it is there again. */
  onConnection?: (connected: boolean) => void;
}

/** How a service takes jobs. */
export interface TakingOptions {
  /** Jobs at once. */
  concurrency: number;
  /** A job whose worker was not heard of for so long goes to another. */
  leaseMs: number;
  /** Hears what goes wrong with the queue; it is tried again. */
  onError: (problem: Error) => void;
}

/** A Redis with queues. */
export class Broker {
  /** Plain commands. They wait while the connection is lost. */
  readonly redis: Redis;
  readonly #address: BrokerAddress;
  readonly #bullmq: typeof import("bullmq");
  #closed = false;

  private constructor(redis: Redis, address: BrokerAddress, bullmq: typeof import("bullmq")) {
    this.redis = redis;
    this.#address = address;
    this.#bullmq = bullmq;
  }

  /**
   * Connects.
   *
   * @throws {QueueError} when there is no Redis that lets us in
   */
  static async connect(address: BrokerAddress, { onConnection }: BrokerOptions = {}): Promise<Broker> {
    const [bullmq, { Redis }] = await withoutEnvironment(() => Promise.all([import("bullmq"), import("ioredis")]));
    const { host, port, database, username, password, tls } = address;
    let welcome = false, connected = true, problem: Error | null = null;
    const redis = new Redis({
      host,
      port,
      db: database,
      username,
      password,
      ...tls === null ? {} : { tls: { ca: tls.ca, servername: host } },
      lazyConnect: true,
      connectTimeout: CONNECT_WITHIN_MS,
      maxRetriesPerRequest: null,
      retryStrategy: (times) => welcome ? Math.min(50 * times, RETRY_MS) : null,
    });
    redis.on("error", (error: Error) => problem = error);
    const deadline = performance.now() + START_WITHIN_MS;
    for (let there = false; !there;) {
      try {
        await redis.connect();
        await redis.ping();
        there = true;
      } catch (cause) {
        redis.disconnect();
        const told = problem ?? cause;
        if ((told as { code?: string }).code === "ECONNREFUSED" && performance.now() < deadline) {
          await pause(RETRY_MS / 4); // it may be starting
        } else throw new QueueError(`cannot use the Redis at ${address.shown}: ${reasonOf(told, address)}`);
      }
    }
    welcome = true;
    const broker = new Broker(redis, address, bullmq);
    redis.on("close", () => {
      if (connected && !broker.#closed) onConnection?.(connected = false);
    });
    redis.on("ready", () => {
      if (!connected) onConnection?.(connected = true);
    });
    return broker;
  }

  /** Address as it may be printed. */
  get shown(): string {
    return this.#address.shown;
  }

  /** The queue of a run. */
  queue(run: string): Queue {
    return new this.#bullmq.Queue(run, { connection: this.redis as any, prefix: PREFIX, skipMetasUpdate: true });
  }

  /** Takes jobs of a run. */
  take(run: string, process: Processor, { concurrency, leaseMs, onError }: TakingOptions): Worker {
    const worker = new this.#bullmq.Worker(run, process, {
      connection: this.redis as any,
      prefix: PREFIX,
      concurrency,
      lockDuration: leaseMs,
      stalledInterval: leaseMs,
      // who dies with what is noted by us, candidate by candidate
      maxStalledCount: 1000,
      drainDelay: 2,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    worker.on("error", onError);
    return worker;
  }

  /** Gives a job back to its queue; the processor ends by throwing what this resolves to. */
  async handBack(job: Job, token: string): Promise<Error> {
    await job.moveToWait(token);
    return new this.#bullmq.WaitingError();
  }

  /** What a processor throws so that its job is not tried again. */
  refusal(reason: string): Error {
    return new this.#bullmq.UnrecoverableError(reason);
  }

  /** Ends the connection. */
  close(): void {
    this.#closed = true;
    this.redis.disconnect();
  }
}

/** What a driver says, in our words where its own do not help, and never with a secret in it. */
function reasonOf(problem: unknown, { password, port, tls }: BrokerAddress): string {
  const { message = "", code } = problem as { message?: string; code?: string };
  if (code === "ECONNREFUSED") return "nobody listens there (connection refused)";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "there is no such host";
  if (/WRONGPASS|invalid.*password/i.test(message)) return "it does not take this user and password";
  if (/NOAUTH/.test(message)) return "it wants a password: give one in the address, or as DYNOSIM_REDIS_PASSWORD";
  if (/ETIMEDOUT|timed out/i.test(`${code} ${message}`)) {
    return `it did not answer within ${CONNECT_WITHIN_MS / 1000} s`;
  }
  if (/Connection is closed|ECONNRESET|EPIPE|Protocol error/i.test(`${code} ${message}`)) {
    return tls === null
      ? `what listens at port ${port} ended the connection (is it no Redis, or one that wants TLS, rediss://?)`
      : `what listens at port ${port} ended the connection (is it a Redis without TLS, redis://?)`;
  }
  if (/certificate/i.test(message)) return `${message}: name its authority in DYNOSIM_REDIS_CA`;
  return password === undefined ? message : message.replaceAll(password, "…");
}
