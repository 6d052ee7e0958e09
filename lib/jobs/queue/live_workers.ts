/**
 * Which workers of a Redis server are alive.
 *
 * @module
 */
import type { Broker } from "./broker.ts";
import { workerKey, WORKERS } from "./keys.ts";
import { readWorker } from "./messages.ts";

/** Jobs at once of every worker that was heard of lately. */
export async function liveWorkers({ redis }: Broker): Promise<Map<string, number>> {
  const names = await redis.smembers(WORKERS);
  if (names.length === 0) return new Map();
  const cards = await redis.mget(...names.map(workerKey));
  const live = new Map<string, number>();
  const gone: string[] = [];
  names.forEach((name, i) => {
    const card = cards[i] === null ? "gone" : readWorker(cards[i]);
    if (typeof card === "string") gone.push(name);
    else live.set(name, card.concurrency);
  });
  if (gone.length > 0) await redis.srem(WORKERS, ...gone);
  return live;
}
