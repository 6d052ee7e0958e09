/** Starts a Redis for tests on loopback, where the machine has one. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";

const there = spawnSync("redis-server", ["--version"]).status === 0;

/** Why tests that need a Redis do not run here; false when they do. */
export const skip = !there && "no redis-server on this machine (Debian: apt-get install redis-server)";

/** A Redis that writes down everything, so that it may be killed. */
export class TestRedis {
  readonly folder = mkdtempSync(join(tmpdir(), "dynosim-redis-"));
  readonly port: number;
  readonly #options: readonly string[];
  #process: ChildProcess | null = null;

  private constructor(port: number, options: readonly string[]) {
    this.port = port;
    this.#options = options;
  }

  static async start(options: readonly string[] = []): Promise<TestRedis> {
    for (let tries = 1;; tries++) {
      const redis = new TestRedis(await freePort(), options);
      try {
        await redis.start();
        return redis;
      } catch (problem) {
        rmSync(redis.folder, { recursive: true, force: true });
        if (tries === 3) throw problem; // somebody else may have taken the port meanwhile, but not again and again
      }
    }
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it (again), and waits until it answers. */
  async start(): Promise<void> {
    const child = spawn("redis-server", [
      ...["--port", String(this.port), "--bind", "127.0.0.1", "--dir", this.folder],
      ...["--appendonly", "yes", "--save", "", "--loglevel", "warning"],
      ...this.#options,
    ], { stdio: "ignore" });
    this.#process = child;
    const ended = new Promise<never>((_, reject) =>
      child.on("close", (code) => reject(new Error(`redis-server at port ${this.port} ended with ${code}`)))
    );
    ended.catch(() => {});
    const redis = this.#connect();
    try {
      const told = await Promise.race([redis.info("server"), ended]);
      if (!told.includes(`\nprocess_id:${child.pid}\r`)) await ended; // it is another one that answers at this port
    } finally {
      redis.disconnect();
    }
  }

  /** Ends it at once. */
  async kill(): Promise<void> {
    const process = this.#process!;
    if (process.exitCode !== null || process.signalCode !== null) return;
    const gone = new Promise((resolve) => process.on("close", resolve));
    process.kill("SIGKILL");
    await gone;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Calls `work` with a connection. */
  async use<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = this.#connect();
    try {
      await redis.ping();
      return await work(redis);
    } finally {
      redis.disconnect();
    }
  }

  #connect(): Redis {
    const at = this.#options.indexOf("--requirepass");
    const redis = new Redis({
      port: this.port,
      host: "127.0.0.1",
      password: at < 0 ? undefined : this.#options[at + 1],
      maxRetriesPerRequest: null,
      retryStrategy: () => 50,
    });
    redis.on("error", () => {});
    return redis;
  }

  /** Names of everything that dynosim has in it, workers aside. */
  keys(): Promise<string[]> {
    return this.use(async (redis) =>
      (await redis.keys("dynosim*")).filter((key) => !/^dynosim:workers?(:|$)/.test(key)).sort()
    );
  }
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    })
  );
}
