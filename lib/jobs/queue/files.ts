/**
 * Files of a run by their digest: a worker looks in its own folder and cache, then where its operator told it to fetch
 * from, then asks the coordinator, who puts small ones into Redis in pieces. What is fetched is used once its digest was
 * found right.
 *
 * @module
 */
import type { Redis } from "ioredis";
import { AtomicFile } from "../../io/atomic.ts";
import { readBytes } from "../../io/bytes.ts";
import { sha256Stream } from "../../io/digest.ts";
import { download, sha256OfFile } from "../../io/download.ts";
import { reason } from "../../io/failures.ts";
import { filesAt, joinPath } from "../../io/folders.ts";
import { host } from "../../io/host.ts";
import { asBuffer } from "../../io/node_packages.ts";
import { pause } from "../../io/timers.ts";
import { KEPT_SECONDS, type RunKeys } from "./keys.ts";
import type { RunFile } from "./messages.ts";

/** Bytes of a piece. */
const PIECE_BYTES = 2 ** 20;
/** Largest file that travels through Redis. */
const MOST_FILE_BYTES: number = 64 * 2 ** 20;
/** Pause between two looks for a file that was asked for. */
const LOOK_AGAIN_MS = 200;
/** What is said of a file that another process is writing, and how often it is looked for again then. */
const BUSY = "another process is writing it", FETCHES = 100;
/** Time in which the coordinator must answer. */
const ANSWER_WITHIN_MS = 60_000;

const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

/** Puts the files into Redis that workers ask for; those that are too large are withheld, with the reason. */
export async function supply(redis: Redis, keys: RunKeys, files: readonly RunFile[]): Promise<void> {
  for (const wanted of await redis.smembers(keys.wanted)) {
    const file = files.find(({ sha256 }) => sha256 === wanted);
    if (file === undefined) await withhold(redis, keys, wanted, "it is no file of this run");
    else if (file.bytes > MOST_FILE_BYTES) {
      const why =
        `${file.path} has ${megabytes(file.bytes)}, and at most ${megabytes(MOST_FILE_BYTES)} travel through ` +
        "Redis: put it into the worker's --traces folder, or serve it and say --traces-from";
      await withhold(redis, keys, wanted, why);
    } else await put(redis, keys, file);
    await redis.srem(keys.wanted, wanted);
  }
}

async function withhold(redis: Redis, keys: RunKeys, sha256: string, why: string): Promise<void> {
  await redis.hset(keys.withheld, sha256, why);
  await redis.expire(keys.withheld, KEPT_SECONDS);
}

async function put(redis: Redis, keys: RunKeys, { path, sha256 }: RunFile): Promise<void> {
  const key = keys.file(sha256);
  let pieces = 0;
  for await (const piece of readBytes(path, { raw: true, chunkBytes: PIECE_BYTES })) {
    await redis.hset(key, String(pieces++), asBuffer(piece) as any);
    await redis.expire(key, KEPT_SECONDS);
  }
  await redis.hset(key, "pieces", String(pieces));
}

/** Where a worker looks. */
export interface WorkerFilesOptions {
  /** Folder whose files are looked through; null for none. */
  folder: string | null;
  /** Folder for what was fetched; null: nothing can be fetched. */
  cache: string | null;
  /** Address below which files are fetched by their name; null for none. */
  from: string | null;
  /** Ends the waiting. */
  signal: AbortSignal;
}

/** The files of a worker. */
export class WorkerFiles {
  readonly #redis: Redis;
  readonly #options: WorkerFilesOptions;
  readonly #digests = new Map<string, Promise<string>>();

  constructor(redis: Redis, options: WorkerFilesOptions) {
    this.#redis = redis;
    this.#options = options;
  }

  /** Local path of a file, or why there is none. */
  async find(file: RunFile, keys: RunKeys): Promise<{ path: string } | { missing: string }> {
    for (let left = FETCHES;; left--) {
      const found = await this.#find(file, keys);
      // another worker of this machine may be fetching it
      if ("path" in found || left === 0 || !found.missing.includes(BUSY)) return found;
      await pause(LOOK_AGAIN_MS);
    }
  }

  async #find(file: RunFile, keys: RunKeys): Promise<{ path: string } | { missing: string }> {
    const here = await this.#here(file);
    if (here !== null) return { path: here };
    const { cache, from } = this.#options;
    const missing = (why: string) => ({
      missing: `it does not have ${file.path} (SHA-256 ${file.sha256.slice(0, 12)}…): ${why}`,
    });
    if (cache === null) return missing("there is no folder to keep it in: set DYNOSIM_CACHE");
    const path = joinPath(cache, file.sha256);
    let why = "";
    if (from !== null) {
      try {
        await download(new URL(encodeURIComponent(file.path.replace(/^.*[/\\]/, "")), from).href, path, {
          sha256: file.sha256,
          signal: this.#options.signal,
        });
        return { path };
      } catch (problem) {
        this.#options.signal.throwIfAborted();
        why = `${reason(problem)}; `;
      }
    }
    try {
      return { path: await this.#asked(file, keys, path) };
    } catch (problem) {
      this.#options.signal.throwIfAborted();
      return missing(why + reason(problem));
    }
  }

  /** A file with this digest in the folder or the cache. */
  async #here({ sha256, bytes }: RunFile): Promise<string | null> {
    const { folder, cache } = this.#options;
    const candidates = [
      ...cache === null ? [] : [joinPath(cache, sha256)],
      ...folder === null ? [] : filesAt(folder, [""]),
    ];
    for (const path of candidates) {
      if (host().fileBytes(path) !== bytes || host().kind(path) !== "file") continue;
      try {
        if (await this.#digest(path) === sha256) return path;
      } catch {
        // a file that cannot be read is none of ours
      }
    }
    return null;
  }

  /** Digests are found once: files do not change while a worker runs. */
  #digest(path: string): Promise<string> {
    let digest = this.#digests.get(path);
    if (digest === undefined) {
      digest = sha256OfFile(path);
      this.#digests.set(path, digest);
      digest.catch(() => this.#digests.delete(path));
    }
    return digest;
  }

  /** Asks the coordinator and waits until the file is in Redis. */
  async #asked(file: RunFile, keys: RunKeys, path: string): Promise<string> {
    const { signal } = this.#options;
    const key = keys.file(file.sha256);
    const deadline = performance.now() + ANSWER_WITHIN_MS;
    await this.#redis.hdel(keys.withheld, file.sha256);
    for (;;) {
      signal.throwIfAborted();
      const pieces = Number(await this.#redis.hget(key, "pieces"));
      if (pieces > 0 || file.bytes === 0) return await this.#fetched(file, key, pieces, path);
      const why = await this.#redis.hget(keys.withheld, file.sha256);
      if (why !== null) throw new Error(why);
      if (performance.now() > deadline) throw new Error("the coordinator does not answer");
      await this.#redis.sadd(keys.wanted, file.sha256);
      await this.#redis.expire(keys.wanted, KEPT_SECONDS);
      await pause(LOOK_AGAIN_MS);
    }
  }

  async #fetched({ sha256, bytes }: RunFile, key: string, pieces: number, path: string): Promise<string> {
    const digest = sha256Stream();
    const file = await AtomicFile.open(path, { gzip: false });
    try {
      let taken = 0;
      for (let at = 0; at < pieces; at++) {
        const piece = await this.#redis.hgetBuffer(key, String(at));
        if (piece === null || (taken += piece.length) > bytes) throw new Error("what is in Redis is another file");
        digest.update(piece);
        await file.write(new Uint8Array(piece));
      }
      if (digest.hex() !== sha256) throw new Error("what is in Redis is another file: its digest is wrong");
      await file.commit();
    } catch (problem) {
      file.abort();
      throw problem;
    }
    return path;
  }
}
