/**
 * Parts of a search that need nothing of each other: each tries its share of the configurations, and one merges what
 * their journals hold into what the whole search would have come to.
 *
 * @module
 */
import * as v from "valibot";
import { ConfigError } from "../errors.ts";
import { joinPath } from "../io/folders.ts";
import type { Executor } from "../jobs/job.ts";
import type { Candidate } from "./candidate.ts";
import { Journal } from "./journal.ts";
import { familyOf, type KnownOutcome } from "./replays.ts";

/** Part `index` of `of`, from 1. */
export interface Shard {
  /** Its number, from 1. */
  readonly index: number;
  /** How many there are. */
  readonly of: number;
}

/** A shard as it is written. */
export const shardText = ({ index, of }: Shard): string => `${index}/${of}`;

/** Most parts of a search. */
const MOST_SHARDS = 100_000;

/** Reads `2/8`; undefined when it is none. */
export function readShard(text: string): Shard | undefined {
  const found = /^(\d{1,6})\/(\d{1,6})$/.exec(text);
  if (found === null) return undefined;
  const shard = { index: Number(found[1]), of: Number(found[2]) };
  return shard.index >= 1 && shard.index <= shard.of && shard.of <= MOST_SHARDS ? shard : undefined;
}

/** The candidates of a shard. What one replay may answer together stays together. */
export function* candidatesOf(candidates: Iterable<Candidate>, { index, of }: Shard): Generator<Candidate> {
  const shards = new Map<string, number>();
  for (const candidate of candidates) {
    if (candidate.document === null) continue;
    const family = familyOf(candidate.document, null);
    let shard = shards.get(family);
    if (shard === undefined) shards.set(family, shard = shards.size % of + 1);
    if (shard === index) yield candidate;
  }
}

/** What the shards of a search have come to. */
export interface Shards {
  /** Name of the search. */
  search: string;
  /** Version of dynosim. */
  version: string;
  /** The search as it was written. */
  document: Record<string, unknown>;
  /** Its stack. */
  stack: string;
  /** Outcomes by job. */
  known: ReadonlyMap<string, KnownOutcome>;
}

const header = v.looseObject({
  search: v.string(),
  version: v.string(),
  stack: v.string(),
  document: v.record(v.string(), v.unknown()),
  shard: v.string(),
});

/**
 * Reads the shards of a search, all of them.
 *
 * @throws {ConfigError} when one is missing, unfinished or of another search
 */
export async function readShards(folders: readonly string[]): Promise<Shards> {
  const refuse = (message: string): never => {
    throw new ConfigError(message);
  };
  let first: { folder: string; text: string; value: v.InferOutput<typeof header>; of: number } | undefined;
  const known = new Map<string, KnownOutcome>();
  const seen = new Map<number, string>();
  for (const folder of folders) {
    const path = joinPath(folder, "execution-events.jsonl");
    const journal = await Journal.read(path);
    const read = v.safeParse(header, journal?.header);
    const shard = read.success ? readShard(read.output.shard) : undefined;
    if (journal === null || !read.success || shard === undefined) {
      return refuse(`${folder} holds no shard of a search: ${path} is ${journal === null ? "missing" : "no shard's"}`);
    }
    if (!journal.completed) {
      refuse(`${folder}: shard ${shardText(shard)} is not finished; its command again goes on where it was`);
    }
    const { shard: _, ...rest } = read.output;
    const text = JSON.stringify(rest);
    first ??= { folder, text, value: read.output, of: shard.of };
    if (text !== first.text) refuse(`${folder} and ${first.folder} hold shards of different searches`);
    if (shard.of !== first.of) refuse(`${folder} holds shard ${shardText(shard)}, ${first.folder} one of ${first.of}`);
    if (seen.has(shard.index)) refuse(`${folder} and ${seen.get(shard.index)} hold the same shard ${shardText(shard)}`);
    seen.set(shard.index, folder);
    for (const [job, outcome] of journal.known) known.set(job, outcome);
  }
  if (first === undefined) return refuse("no folder with a shard is named");
  const { of, value: { search, version, document, stack } } = first;
  const missing = Array.from({ length: of }, (_, i) => i + 1).filter((index) => !seen.has(index));
  if (missing.length > 0) {
    const few = missing.slice(0, 10).map((index) => `${index}/${of}`).join(", ");
    const more = missing.length > 10 ? ` and ${missing.length - 10} more` : "";
    refuse(
      `shard${missing.length > 1 ? "s" : ""} ${few}${more} of the search ${missing.length > 1 ? "are" : "is"} missing`,
    );
  }
  return { search, version, document, stack, known };
}

/** An executor for searches whose every outcome is known. */
export const nobody: Executor = {
  parallel: 1,
  remote: true,
  open: () => ({
    parallel: 1,
    do: () =>
      Promise.reject(new ConfigError("the shards lack a candidate of the search: they were made from other files")),
    close() {},
  }),
};
