/**
 * Load that no trace tells: independent requests, or sessions of turns, of constant length.
 *
 * @module
 */
import { checkOptions, ConfigError, type OptionNames } from "../errors.ts";
import { MOST_TIME_MS } from "../trace/clock.ts";
import { type ArrivalProcess, arrivalTimes } from "./arrivals.ts";
import { StdRng } from "../random/chacha.ts";
import { numberText } from "./numbers.ts";
import { PromptHistory } from "./prompt_history.ts";
import { RequestQueue } from "./request_queue.ts";
import { SessionDriver } from "./session_driver.ts";
import { checkSpeedup } from "./session_rows.ts";
import { Arrivals, TimestampQueue } from "./timestamp_queue.ts";
import type { Traffic, Workload } from "./workload.ts";
import { WorkloadBuilder } from "./workload_builder.ts";

/** Options of {@linkcode syntheticTraffic}: exactly one of `concurrency`, `requestsPerSecond` and `arrivalIntervalMs`. */
export interface SyntheticOptions {
  /** Prompt tokens of a request. */
  inputTokens: number;
  /** Output tokens of a request. */
  outputTokens: number;
  /** Number of requests; of sessions when the load has sessions. */
  count: number;
  /** Requests (or sessions) open at the same time. */
  concurrency?: number;
  /** Random arrivals with this mean rate (of sessions when the load has sessions). */
  requestsPerSecond?: number;
  /** Arrivals at this distance; 0 lets all arrive at once. */
  arrivalIntervalMs?: number;
  /** Seed of random arrivals. Default 42. */
  seed?: number;
  /** Divides arrival times (and delays between turns). Default 1. Ignored with `concurrency`. */
  speedup?: number;
  /** Turns of a session. Default 1: independent requests. */
  turns?: number;
  /** Share of a prompt that sessions of one group have in common, 0 … 1. Default 0. */
  sharedPrefixRatio?: number;
  /** Number of groups; 0 shares nothing. Default 0. */
  prefixGroups?: number;
  /** Time between the end of a turn and the next one. Default 0. */
  interTurnDelayMs?: number;
  /**
   * A turn's prompt is the whole conversation: all prompts and outputs of the session so far, then `inputTokens` of its
   * own. The share of a group then counts in the first turn. Default false.
   */
  growingPrompts?: boolean;
  /** First tokens that all prompts of independent requests have in common; whole blocks of them. Default 0. */
  cachedPrefixTokens?: number;
  /** Tokens of a block of shared content: the engine's block size. Default 512. */
  blockTokens?: number;
}

const OPTIONS: OptionNames<SyntheticOptions> = {
  inputTokens: true,
  outputTokens: true,
  count: true,
  concurrency: true,
  requestsPerSecond: true,
  arrivalIntervalMs: true,
  seed: true,
  speedup: true,
  turns: true,
  sharedPrefixRatio: true,
  prefixGroups: true,
  interTurnDelayMs: true,
  growingPrompts: true,
  blockTokens: true,
  cachedPrefixTokens: true,
};

/** Seeds of the draws of groups: of sessions whose prompts stand alone, and of growing ones (newest release, engine stack). */
const GROUP_SEED = 42, GROWING_GROUP_SEED = 0;

/**
 * Makes a synthetic load. With several turns, groups, a shared prefix or a delay it consists of sessions `session_0`,
 * `session_1` …; turns of a session share only the prefix of its group, unless prompts grow.
 *
 * @example
 * ```ts
 * import { syntheticTraffic } from "dynosim";
 *
 * const traffic = syntheticTraffic({ inputTokens: 1024, outputTokens: 128, count: 100, requestsPerSecond: 8 });
 * const source = traffic.start();
 * source.admit(0);
 * console.log(source.nextReadyMs()); // 93.46557720508706
 * ```
 *
 * @throws {ConfigError} when an option is out of range.
 */
export function syntheticTraffic(options: SyntheticOptions): Traffic {
  checkOptions("syntheticTraffic()", options, OPTIONS);
  const process = checked(options);
  const { turns = 1, sharedPrefixRatio = 0, prefixGroups = 0, interTurnDelayMs = 0 } = options;
  const plain = turns <= 1 && sharedPrefixRatio <= 0 && prefixGroups === 0 && interTurnDelayMs <= 0;
  return plain ? requests(options, process) : sessions(options, process);
}

/** What no memory holds the blocks or the records of. */
const MOST = { input_tokens: 10_000_000, output_tokens: 1_000_000_000, request_count: 1_000_000_000 };

function checked(options: SyntheticOptions): ArrivalProcess | null {
  const { concurrency, requestsPerSecond, arrivalIntervalMs } = options;
  const fail = (what: string): never => {
    throw new ConfigError(what);
  };
  if (!(options.inputTokens >= 1)) fail("input_tokens must be at least 1");
  if (!(options.outputTokens >= 1)) fail("output_tokens must be at least 1");
  if (!(options.count >= 1)) fail("request_count must be at least 1");
  for (
    const [name, value] of [
      ["input_tokens", options.inputTokens],
      ["output_tokens", options.outputTokens],
      ["request_count", options.count],
    ] as const
  ) {
    if (!Number.isInteger(value)) fail(`${name} must be a whole number, got ${numberText(value)}`);
    if (value > MOST[name]) fail(`${name} must be at most ${MOST[name]}, got ${numberText(value)}`);
  }
  if ([concurrency, requestsPerSecond, arrivalIntervalMs].filter((value) => value !== undefined).length !== 1) {
    fail("synthetic replay requires exactly one of replay_concurrency, request_rate, or arrival_interval_ms");
  }
  if (concurrency !== undefined) {
    if (!(concurrency >= 1)) fail("replay_concurrency must be at least 1");
    return null;
  }
  if (requestsPerSecond !== undefined) {
    if (!(requestsPerSecond > 0 && requestsPerSecond < Infinity)) {
      fail(`request_rate must be a finite positive number, got ${numberText(requestsPerSecond)}`);
    }
    return { requestsPerSecond, seed: options.seed ?? 42 };
  }
  const intervalMs = arrivalIntervalMs!;
  if (!(intervalMs >= 0 && intervalMs < Infinity)) {
    fail(`arrival_interval_ms must be a finite non-negative number, got ${numberText(intervalMs)}`);
  }
  return { intervalMs };
}

/** Requests that have nothing in common. */
function requests(options: SyntheticOptions, process: ArrivalProcess | null): Traffic {
  const { inputTokens, outputTokens, count, concurrency, speedup = 1, blockTokens = 512 } = options;
  const builder = new WorkloadBuilder(blockTokens);
  const row = { inputTokens, outputTokens };
  const ids = new Array<number>(Math.ceil(inputTokens / blockTokens));
  const shared = Math.floor((options.cachedPrefixTokens ?? 0) / blockTokens);
  for (let r = 0, next = shared; r < count; r++) {
    for (let i = 0; i < ids.length; i++) ids[i] = i < shared ? i : next++;
    builder.add(row, ids);
  }
  const workload = builder.finish(null);
  if (process === null) return { workload, start: () => new RequestQueue(workload, concurrency!) };
  checkSpeedup(speedup, "arrival_speedup_ratio");
  const times = withinClock(arrivalTimes(count, process).map((time) => time / speedup));
  const arrivals = new Arrivals(times);
  return { workload, start: () => new TimestampQueue(workload, arrivals, null) };
}

/** @throws {ConfigError} for arrivals so far apart that no clock tells their times */
function withinClock<Times extends ArrayLike<number>>(arrivals: Times): Times {
  const last = arrivals.length > 0 ? arrivals[arrivals.length - 1] : 0;
  if (last <= MOST_TIME_MS) return arrivals;
  const message = `the last request would arrive after ${numberText(last)} ms, beyond what a clock tells: ` +
    "arrivals are too rare";
  throw new ConfigError(message, [{ path: "traffic.load", message }]);
}

function sessions(options: SyntheticOptions, process: ArrivalProcess | null): Traffic {
  const { inputTokens, outputTokens, count, concurrency, speedup = 1, blockTokens = 512 } = options;
  const { turns = 1, sharedPrefixRatio: ratio = 0, prefixGroups: groups = 0, interTurnDelayMs = 0 } = options;
  if (!(turns >= 1)) throw new ConfigError("turns_per_session must be at least 1");
  if (!(interTurnDelayMs >= 0 && interTurnDelayMs < Infinity)) {
    throw new ConfigError("inter_turn_delay_ms must be a finite non-negative number");
  }
  if (!(ratio >= 0 && ratio <= 1)) {
    throw new ConfigError(`shared_prefix_ratio must be between 0.0 and 1.0, got ${numberText(ratio)}`);
  }
  const blocks = Math.ceil(inputTokens / blockTokens);
  const shared = groups > 0 && ratio > 0 ? Math.min(blocks, Math.round(blocks * ratio)) : 0;
  const random = new StdRng(options.growingPrompts ? GROWING_GROUP_SEED : GROUP_SEED);
  const builder = new WorkloadBuilder(blockTokens);
  const row = { inputTokens, outputTokens }, ids = new Array<number>(blocks);
  // groups own the first ids, what nobody shares comes behind
  let next = groups * shared;
  for (let s = 0; s < count; s++) {
    const group = groups > 0 && ratio > 0 ? random.below(groups) : 0;
    for (let turn = 0; turn < turns; turn++) {
      for (let i = 0; i < blocks; i++) ids[i] = i < shared ? group * shared + i : next++;
      builder.add(row, ids);
    }
  }
  const total = count * turns;
  const session = Int32Array.from({ length: total }, (_, r) => Math.floor(r / turns));
  const turn = session.map((s, r) => r - s * turns);
  const rows = builder.finish({ session, turn, sessionName: (s) => `session_${s}`, sessionMadeUp: null });
  const grows = options.growingPrompts === true && turns > 1;
  const workload = grows ? { ...rows, outputTokenIds: outputs(rows, turns) } : rows;
  if (process !== null) checkSpeedup(speedup);
  const scale = process === null ? 1 : speedup;
  const delaysMs = Float64Array.from(turn, (k) => k === 0 ? 0 : interTurnDelayMs / scale);
  const start = process === null ? { concurrency: concurrency! } : {
    arrivals: new Arrivals(withinClock(arrivalTimes(count, process).map((time) => time / scale))),
    order: null,
  };
  const firstRequest = Int32Array.from({ length: count + 1 }, (_, s) => s * turns);
  return {
    workload,
    start: () => {
      const history = grows ? new PromptHistory(workload) : undefined;
      return new SessionDriver(workload, { start, firstRequest, session, delaysMs, history });
    },
  };
}

/** The outputs that later turns repeat: of each request one token of its own, above those of all prompts. */
function outputs({ count, outputTokens }: Workload, turns: number): Map<number, Uint32Array> {
  const tokens = new Map<number, Uint32Array>();
  for (let r = 0; r < count; r++) {
    if ((r + 1) % turns !== 0) tokens.set(r, new Uint32Array(outputTokens[r]).fill(2 ** 32 - 1 - r));
  }
  return tokens;
}
