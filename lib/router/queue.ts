/**
 * Requests that a router keeps until a rank has room, in classes. Each class is ordered by strict priority, then by the
 * score of its policy; classes with waiting requests are served by deficit round robin.
 *
 * @module
 */
import { Heap } from "../collections/heap.ts";

/** How a class orders its requests: first come, last come, or least work first. */
export type QueuePolicy = "fcfs" | "lcfs" | "wspt";

/** What a class of requests may wait for. Limits count per routable rank; null means none. */
export interface QueueClass {
  /** Name of the class. */
  readonly name: string;
  /** Uncached prompt tokens it may send per round. */
  readonly quantum: number;
  /** Order within the class. */
  readonly policy: QueuePolicy;
  /** A rank with more booked prompt tokens than this is busy for the class; null: never for that reason. */
  readonly busyTokens: number | null;
  /** The same as a part of the rank's token budget of a pass. */
  readonly busyFraction: number | null;
  /** Most requests that may wait. */
  readonly requestLimit: number | null;
  /** Most prompt tokens that may wait. */
  readonly inputTokenLimit: number | null;
  /** Most cached prompt tokens that may wait. */
  readonly cachedTokenLimit: number | null;
}

/** A request that waits. */
export interface Waiting {
  readonly request: number;
  readonly inputTokens: number;
  /** Prompt tokens believed resident on the best rank when it came. */
  readonly cachedTokens: number;
  readonly strictPriority: number;
  /** Higher goes first among equals in strict priority; see {@linkcode score}. */
  readonly score: number;
  /** Leading prompt blocks by rank, looked up when it came. */
  readonly overlaps: Int32Array;
  /** Its turn among equals. */
  order: number;
}

/** Score of a request in its class. `arrivalS` in seconds; negative priorities count as 0. */
export function score(policy: QueuePolicy, priority: number, arrivalS: number, uncachedTokens: number): number {
  const jump = Math.max(priority, 0);
  if (policy === "wspt") return (1 + jump) / Math.max(1, uncachedTokens);
  return policy === "fcfs" ? jump - arrivalS : jump + arrivalS;
}

/** Strict priority first, then the score, then the order of arrival. */
const byTurn = (a: Waiting, b: Waiting) =>
  b.strictPriority - a.strictPriority || b.score - a.score || a.order - b.order;

/** One class with its waiting requests and its standing in the round. */
class ClassQueue {
  readonly waiting = new Heap<Waiting>(byTurn);
  inputTokens = 0;
  cachedTokens = 0;
  credit = 0;

  constructor(readonly kind: QueueClass) {}

  /** What the head costs. */
  get price(): number {
    const { inputTokens, cachedTokens } = this.waiting.first!;
    return Math.max(1, inputTokens - cachedTokens);
  }

  get canPay(): boolean {
    return this.credit >= this.price;
  }

  push(waiting: Waiting): void {
    this.waiting.push(waiting);
    this.inputTokens += waiting.inputTokens;
    this.cachedTokens += waiting.cachedTokens;
  }

  /** Takes the head, for its price. */
  pop(): Waiting {
    this.credit -= this.price;
    const head = this.waiting.pop()!;
    if (this.waiting.size === 0) this.credit = 0;
    this.inputTokens -= head.inputTokens;
    this.cachedTokens -= head.cachedTokens;
    return head;
  }
}

/** Waiting requests of all classes. */
export class RequestQueue {
  readonly #queues: readonly ClassQueue[];
  /** Queue the round goes on with, and the one served last in the present drain (-1 for none). */
  #next = 0;
  #served = -1;
  #order = 0;

  constructor(classes: readonly QueueClass[]) {
    this.#queues = classes.map((kind) => new ClassQueue(kind));
  }

  /** Whether requests of a class wait. */
  waits(queue: number): boolean {
    return this.#queues[queue].waiting.size > 0;
  }

  /**
   * Appends a request to a class.
   *
   * @param ranks routable ranks, which the limits are multiplied with
   * @returns null, or why the class takes no more: the limit's name, its usage and its value
   */
  push(queue: number, waiting: Omit<Waiting, "order">, ranks: number): string | null {
    const { kind, waiting: present, inputTokens, cachedTokens } = this.#queues[queue];
    const full = over("requests", present.size, kind.requestLimit, ranks) ??
      over("raw_isl_tokens", inputTokens, kind.inputTokenLimit, ranks) ??
      over("cached_tokens", cachedTokens, kind.cachedTokenLimit, ranks);
    if (full === null) this.#queues[queue].push({ ...waiting, order: this.#order++ });
    return full;
  }

  /**
   * Takes the request whose turn it is among the classes that have room.
   *
   * @param hasRoom whether some rank is not busy for the class
   * @returns null when nothing can go now, which ends the drain
   */
  pop(hasRoom: (kind: QueueClass) => boolean): Waiting | null {
    const queues = this.#queues, open = queues.map((queue) => queue.waiting.size > 0 && hasRoom(queue.kind));
    let at = this.#served;
    if (at < 0 || !open[at] || !queues[at].canPay) at = this.#visit(open);
    this.#served = at;
    if (at < 0) return null;
    this.#next = (at + 1) % queues.length;
    return queues[at].pop();
  }

  /** Goes round the open queues to the first that can pay for its head, with a quantum more where needed; -1 for none. */
  #visit(open: readonly boolean[]): number {
    const queues = this.#queues;
    let rounds = Infinity;
    for (let i = 0; i < queues.length; i++) {
      const at = (this.#next + i) % queues.length, queue = queues[at];
      if (!open[at]) continue;
      if (!queue.canPay) queue.credit += queue.kind.quantum;
      if (queue.canPay) return at;
      rounds = Math.min(rounds, Math.ceil((queue.price - queue.credit) / queue.kind.quantum));
    }
    if (rounds === Infinity) return -1;
    // Nobody can: as many whole rounds at once as the first to pay needs.
    queues.forEach((queue, at) => open[at] && (queue.credit += rounds * queue.kind.quantum));
    let at = this.#next;
    while (!open[at] || !queues[at].canPay) at = (at + 1) % queues.length;
    return at;
  }
}

function over(name: string, usage: number, perRank: number | null, ranks: number): string | null {
  if (perRank === null || usage < perRank * ranks) return null;
  return `${name} limit reached (current=${usage}, limit=${perRank * ranks})`;
}
