/**
 * How many tasks go into one job: enough that the queue costs little, few enough that nobody is without work at the end.
 *
 * @module
 */
import { MOST_TASKS } from "./messages.ts";

/**
 * Sizes of the jobs that waiting tasks are sent in now. What is not sent waits for more to come.
 *
 * @param waiting tasks that are not sent
 * @param sent tasks that are sent and not done
 * @param slots jobs that all workers together do at once
 */
export function jobSizes(waiting: number, sent: number, slots: number): number[] {
  const sizes: number[] = [];
  let left = waiting, under = sent;
  while (left >= MOST_TASKS) {
    sizes.push(MOST_TASKS);
    left -= MOST_TASKS;
    under += MOST_TASKS;
  }
  // as long as every worker has a whole job's tasks before it, a few that are left can wait
  if (left === 0 || under >= slots * MOST_TASKS) return sizes;
  for (; left > 0;) {
    const size = Math.max(1, Math.ceil(left / (2 * slots)));
    sizes.push(Math.min(size, left));
    left -= size;
  }
  return sizes;
}
