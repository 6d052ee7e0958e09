/**
 * Checks a profile of a router policy file: its families, its buckets and the classes that belong to them.
 *
 * @module
 */
import type { QueueProfile } from "./kv_settings.ts";
import type { QueueClass } from "./queue.ts";

type Mapping = Readonly<Record<string, unknown>>;

/** A profile as the file has it. */
export interface RawProfile {
  family: string;
  classes: Mapping[];
  buckets: Mapping[];
}

const given = (value: unknown) => value !== undefined && value !== null;
const quoted = (text: unknown) => JSON.stringify(text);

/**
 * Checks a profile whose fields have the right shapes and orders its classes for look-up.
 *
 * @param wrong makes the error to throw
 */
export function queueProfile(
  { family, classes, buckets }: RawProfile,
  wrong: (reason: string) => Error,
): QueueProfile {
  const checkName = (what: string, text: unknown) => {
    if (!/^[A-Za-z0-9_.-]+$/.test(String(text))) throw wrong(`${what} name ${quoted(text)} must match [A-Za-z0-9_.-]+`);
  };
  if (classes.length === 0) throw wrong("policy_classes must not be empty");
  if (buckets.length === 0) throw wrong("uncached_isl_buckets must not be empty");
  checkName("policy family", family);
  const bucketNames: string[] = [];
  buckets.forEach(({ bucket, min_tokens }, i) => {
    checkName("cache bucket", bucket);
    if (i === 0 && min_tokens !== 0) throw wrong("uncached_isl_buckets must start at min_tokens 0");
    if (i > 0 && (min_tokens as number) <= (buckets[i - 1].min_tokens as number)) {
      throw wrong("uncached_isl_buckets min_tokens must be strictly increasing");
    }
    if (bucketNames.includes(bucket as string)) throw wrong(`contains duplicate cache bucket ${quoted(bucket)}`);
    bucketNames.push(bucket as string);
  });
  const explicit = new Map<string, number>(), families = new Map<string, number[]>(), seen = new Set<unknown>();
  classes.forEach((kind, position) => {
    checkName("policy class", kind.name);
    const called = `policy class ${quoted(kind.name)}`;
    if (seen.has(kind.name)) throw wrong(`contains duplicate ${called}`);
    seen.add(kind.name);
    if (kind.quantum === 0) throw wrong(`${called} quantum must be greater than zero`);
    if (!["fcfs", "wspt"].includes((kind.queue_policy ?? "fcfs") as string)) {
      throw wrong(`${called} queue_policy must be fcfs or wspt`);
    }
    const part = kind.prefill_busy_threshold_frac as number | null | undefined;
    if (given(part) && !(part! >= 0 && part! < Infinity)) {
      throw wrong(`${called} prefill_busy_threshold_frac must be finite and non-negative`);
    }
    if (given(kind.policy_family) !== given(kind.cache_bucket)) {
      throw wrong(`${called} must specify both policy_family and cache_bucket or neither for an explicit class`);
    }
    if (!given(kind.policy_family)) {
      explicit.set(kind.name as string, position);
      return;
    }
    checkName("policy family", kind.policy_family);
    const bucket = bucketNames.indexOf(kind.cache_bucket as string);
    if (bucket < 0) throw wrong(`${called} references unknown cache bucket ${quoted(kind.cache_bucket)}`);
    let row = families.get(kind.policy_family as string);
    if (row === undefined) families.set(kind.policy_family as string, row = bucketNames.map(() => -1));
    if (row[bucket] >= 0) {
      throw wrong(
        `contains duplicate policy classes for family ${quoted(kind.policy_family)} and bucket ${
          quoted(kind.cache_bucket)
        }`,
      );
    }
    row[bucket] = position;
  });
  if (!families.has(family)) throw wrong(`default_policy_family ${quoted(family)} does not name a configured family`);
  for (const [called, row] of families) {
    const gap = row.indexOf(-1);
    if (gap >= 0) {
      throw wrong(`is missing a policy class for family ${quoted(called)} and bucket ${quoted(bucketNames[gap])}`);
    }
  }
  return {
    classes: classes.map(queueClass),
    explicit,
    families,
    defaultFamily: family,
    bucketTokens: buckets.map(({ min_tokens }) => min_tokens as number),
  };
}

function queueClass(kind: Mapping): QueueClass {
  const number = (field: string) => (kind[field] ?? null) as number | null;
  return {
    name: kind.name as string,
    quantum: kind.quantum as number,
    policy: (kind.queue_policy ?? "fcfs") as "fcfs" | "wspt",
    busyTokens: number("prefill_busy_threshold"),
    busyFraction: number("prefill_busy_threshold_frac"),
    requestLimit: number("request_queue_limit_per_worker"),
    inputTokenLimit: number("raw_isl_token_queue_limit_per_worker"),
    cachedTokenLimit: number("cached_token_queue_limit_per_worker"),
  };
}
