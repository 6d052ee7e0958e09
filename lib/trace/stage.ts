/**
 * Streams of a trace: sources, stages and sinks. A stage is an async generator function over batches (or single items);
 * this module turns it into something that works with `pipeThrough`, `pipeTo` and `for await`. Neighbouring stages run
 * as nested generators on whole batches, without a queue in between, so a row costs a loop step and not a promise; with
 * foreign streams they work through the usual queues.
 *
 * @module
 */

import { BATCHES, type Batches, grouped } from "./batches.ts";

export type { Batches } from "./batches.ts";

/**
 * A readable stream of single items that is made of batches. Nothing happens before the first item is asked for;
 * cancelling it, or leaving a `for await` loop, ends the generator behind it.
 *
 * @example
 * ```ts
 * import { Flow } from "dynosim";
 *
 * async function* batches() {
 *   yield [1, 2, 3];
 *   yield [4];
 * }
 * for await (const item of new Flow(batches())) console.log(item);
 * ```
 */
export class Flow<T> extends ReadableStream<T> {
  readonly #batches: Batches<T>;
  #touched = false;

  /** A stream over the batches, which are asked for as they are read. */
  constructor(batches: Batches<T>) {
    let iterator: AsyncIterator<readonly T[]> | undefined;
    const start = () => iterator ??= batches[Symbol.asyncIterator]();
    const touch = () => this.#touched = true;
    super({
      async pull(controller) {
        touch();
        for (;;) {
          const next = await start().next();
          if (next.done) return controller.close();
          for (const item of next.value) controller.enqueue(item);
          if (next.value.length > 0) return;
        }
      },
      async cancel() {
        touch();
        await start().return?.();
      },
    }, { highWaterMark: 0 });
    this.#batches = batches;
  }

  /** @internal */
  [BATCHES](): Batches<T> {
    return this.batches();
  }

  /** The batches behind the stream, for one reader; the stream itself is locked by it. */
  batches(): Batches<T> {
    if (this.#touched || this.locked) return grouped(super[Symbol.asyncIterator]());
    super.getReader();
    return this.#batches;
  }

  /** As of any stream; a {@linkcode Stage} gets the batches themselves, without a queue in between. */
  override pipeThrough<Out>(
    pair: ReadableWritablePair<Out, T>,
    options?: StreamPipeOptions,
  ): ReadableStream<Out> {
    if (pair instanceof Stage && options === undefined && !this.locked) return pair.after(this);
    return super.pipeThrough(pair, options);
  }

  /** As of any stream; a {@linkcode Sink} gets the batches themselves. */
  override async pipeTo(destination: WritableStream<T>, options?: StreamPipeOptions): Promise<void> {
    if (!(destination instanceof Sink) || options !== undefined || this.locked) {
      return await super.pipeTo(destination, options);
    }
    await destination.take(this.batches());
  }

  /** Single items, in order. */
  override values(options?: { preventCancel?: boolean }): ReturnType<ReadableStream<T>["values"]> {
    if (options?.preventCancel || this.#touched || this.locked) return super.values(options);
    return items(this.batches()) as unknown as ReturnType<ReadableStream<T>["values"]>;
  }

  /** Single items, in order. */
  override [Symbol.asyncIterator](options?: { preventCancel?: boolean }): ReturnType<ReadableStream<T>["values"]> {
    return this.values(options);
  }
}

async function* items<T>(batches: Batches<T>): AsyncGenerator<T, void, void> {
  for await (const batch of batches) yield* batch;
}

/**
 * A stage between a stream of `In` and one of `Out`: give it to `pipeThrough`. It is good for one use.
 *
 * @example
 * ```ts ignore
 * const short = batchStage<TraceRequest, TraceRequest>(async function* (batches) {
 *   for await (const batch of batches) yield batch.filter((request) => request.inputTokens < 4096);
 * });
 * ```
 */
export class Stage<In, Out> implements ReadableWritablePair<Out, In> {
  /** The generator function itself, for stages that are made of others. */
  readonly run: (batches: Batches<In>) => Batches<Out>;
  #pair: { readable: ReadableStream<Out>; writable: WritableStream<In> } | undefined;
  #used = false;

  /** A stage whose generator gets the batches of what it reads and yields the batches of what it writes. */
  constructor(run: (batches: Batches<In>) => Batches<Out>) {
    this.run = run;
  }

  /** The stage behind a flow, without a queue between them. */
  after(source: Flow<In>): Flow<Out> {
    this.#use();
    return new Flow(this.run(source.batches()));
  }

  /** The side that items come out of. */
  get readable(): ReadableStream<Out> {
    return this.#queue().readable;
  }

  /** The side that items go into. */
  get writable(): WritableStream<In> {
    return this.#queue().writable;
  }

  #queue(): { readable: ReadableStream<Out>; writable: WritableStream<In> } {
    if (this.#pair === undefined) {
      this.#use();
      const queue = new TransformStream<In, In>();
      this.#pair = { readable: new Flow(this.run(grouped(queue.readable))), writable: queue.writable };
    }
    return this.#pair;
  }

  #use(): void {
    if (this.#used) throw new TypeError("A stage is good for one use: make another one");
    this.#used = true;
  }
}

/**
 * Makes a stage of a generator function over batches: the fast form.
 *
 * @example
 * ```ts
 * import { batchStage, readTrace, type TraceRequest } from "dynosim";
 *
 * const short = batchStage<TraceRequest, TraceRequest>(async function* (batches) {
 *   for await (const batch of batches) yield batch.filter((request) => request.inputTokens < 4096);
 * });
 * let count = 0;
 * for await (const _ of readTrace("fixtures/traces/chat.jsonl").pipeThrough(short)) count++;
 * console.log(count);
 * ```
 */
export function batchStage<In, Out>(run: (batches: Batches<In>) => Batches<Out>): Stage<In, Out> {
  return new Stage(run);
}

/**
 * Makes a stage of an async generator function over single items: the easy form.
 *
 * @example
 * ```ts ignore
 * const noisy = stage<TraceRequest, TraceRequest>(async function* (requests) {
 *   for await (const request of requests) {
 *     yield { ...request, timestampMs: (request.timestampMs ?? 0) + 10 };
 *   }
 * });
 * ```
 */
export function stage<In, Out>(run: (items: AsyncIterable<In>) => AsyncIterable<Out>): Stage<In, Out> {
  return new Stage((batches) => grouped(run(items(batches))));
}

/** Where batches end: what a {@linkcode Sink} is made of. */
export interface SinkParts<T> {
  /** Takes one batch; the next comes when the promise settles. */
  write(batch: readonly T[]): Promise<void>;
  /** Ends the writing, after the last batch. */
  close(): Promise<void>;
  /** Undoes what was written. */
  abort(reason?: unknown): Promise<void> | void;
}

/**
 * A writable stream that also takes whole batches: give it to `pipeTo`.
 *
 * @example
 * ```ts
 * import { readTrace, Sink, type TraceRequest } from "dynosim";
 *
 * let tokens = 0;
 * const count = new Sink<TraceRequest>({
 *   write: async (batch) => batch.forEach((request) => tokens += request.inputTokens),
 *   close: async () => console.log(tokens),
 *   abort: () => {},
 * });
 * await readTrace("fixtures/traces/chat.jsonl").pipeTo(count);
 * ```
 */
export class Sink<T> extends WritableStream<T> {
  /** What the sink is made of, for sinks that are made of others. */
  readonly parts: SinkParts<T>;

  /** A sink that hands its batches to `parts`. */
  constructor(parts: SinkParts<T>) {
    super({
      write: (item) => parts.write([item]),
      close: () => parts.close(),
      abort: (reason) => parts.abort(reason),
    });
    this.parts = parts;
  }

  /** Takes everything from the batches, then closes; on failure undoes what was written and throws. */
  async take(batches: Batches<T>): Promise<void> {
    this.getWriter(); // nobody else writes from now on
    try {
      for await (const batch of batches) await this.parts.write(batch);
      await this.parts.close();
    } catch (problem) {
      await this.parts.abort(problem);
      throw problem;
    }
  }
}
