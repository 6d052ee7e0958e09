/** The other end of a queue, for tests and attacks: a worker that answers what it is told. */
import type { Redis } from "ioredis";

/** A worker that does nothing itself: it answers from what is known, or worse. */
export class FakeWorker {
  readonly id = "fake-worker";
  #on = true;
  readonly #over: Promise<void>;

  /** `answer` tells the text for a task of the run that a coordinator calls `name`. */
  constructor(
    readonly redis: Redis,
    readonly answer: (name: string, task: string) => string | null,
    readonly joins: (name: string, run: string) => Promise<void> = async () => {},
    readonly version = "1",
  ) {
    this.#over = this.#work();
  }

  async #work(): Promise<void> {
    const { redis, id, version } = this, joined = new Set<string>();
    const card = JSON.stringify({ host: "here", version, concurrency: 4 });
    while (this.#on) {
      await redis.pipeline().set(`dynosim:worker:${id}`, card, "EX", 30).sadd("dynosim:workers", id).exec();
      for (const run of await redis.smembers("dynosim:runs")) {
        const names = (part: string) => `dynosim:${run}:${part}`;
        const text = await redis.get(names("card")).catch(() => null);
        if (text === null) {
          if (joined.delete(run)) await redis.srem(names("members"), id);
          continue;
        }
        const { name } = JSON.parse(text);
        if (!joined.has(run)) {
          joined.add(run);
          await redis.sadd(names("members"), id);
          await this.joins(name, run);
        }
        for (const job of await redis.lrange(names("wait"), 0, -1)) {
          const data = await redis.hget(names(job), "data");
          for (const task of data === null ? [] : JSON.parse(data).tasks) {
            const answer = this.answer(name, task.id);
            if (answer !== null) await redis.hset(names("results"), task.id, answer);
            await redis.rpush(names("news"), task.id);
          }
          await redis.pipeline().lrem(names("wait"), 0, job).del(names(job)).exec();
        }
      }
      await new Promise((resume) => setTimeout(resume, 40));
    }
  }

  async end(): Promise<void> {
    this.#on = false;
    await this.#over;
    await this.redis.del(`dynosim:worker:${this.id}`);
  }
}
