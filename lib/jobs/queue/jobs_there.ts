/**
 * Which jobs of a run a worker has or will come to; what is missing was lost.
 *
 * @module
 */
import type { Broker } from "./broker.ts";
import type { RunKeys } from "./keys.ts";

/** Jobs asked for at once. */
const ASKED = 500;

/** Looks for jobs of a run in its queue. */
export class JobsThere {
  readonly #broker: Broker;
  readonly #keys: RunKeys;
  /** Jobs that were taken and that nobody held when they were looked for last. */
  #loose = new Set<string>();

  constructor(broker: Broker, keys: RunKeys) {
    this.#broker = broker;
    this.#keys = keys;
  }

  /**
   * Those of some jobs that a worker has or will come to. One that was taken and that nobody holds, twice in a row, is
   * one that workers cannot read; it is removed.
   */
  async of(names: ReadonlySet<string>): Promise<Set<string>> {
    const { redis } = this.#broker;
    const keys = this.#keys;
    const [waiting, active] = await Promise.all([redis.lrange(keys.waiting, 0, -1), redis.lrange(keys.active, 0, -1)]);
    const taken = new Set(active.filter((name) => names.has(name)));
    const listed = [...taken, ...waiting.filter((name) => names.has(name))];
    const there = new Set<string>(), loose = new Set<string>();
    for (let from = 0; from < listed.length; from += ASKED) {
      const part = listed.slice(from, from + ASKED);
      const looking = redis.pipeline();
      for (const name of part) looking.exists(keys.job(name)).exists(keys.lock(name));
      const found = await looking.exec() ?? [];
      part.forEach((name, i) => {
        const [is, held] = [found[2 * i]?.[1] === 1, found[2 * i + 1]?.[1] === 1];
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
}
