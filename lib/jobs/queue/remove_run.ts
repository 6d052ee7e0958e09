/**
 * The end of a run on a queue.
 *
 * @module
 */
import { pause } from "../../io/timers.ts";
import type { Broker } from "./broker.ts";
import { keysLike, type RunKeys, RUNS, wipe } from "./keys.ts";
import { liveWorkers } from "./live_workers.ts";

/** Time between two signs of life of a coordinator. */
export const SIGN_MS = 500;

/** Removes what a run has in Redis once its workers are gone, unless another coordinator of the same run needs it. */
export async function removeRun(broker: Broker, keys: RunKeys, coordinator: string): Promise<void> {
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

/** Whether another coordinator gives signs of life. */
async function isShared(redis: Broker["redis"], keys: RunKeys): Promise<boolean> {
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
