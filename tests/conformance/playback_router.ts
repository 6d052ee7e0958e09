/**
 * A kv_router that places where a recorded run of the reference placed, and notes wherever its own view disagrees: its
 * cost of the recorded rank must equal the recorded one and be the lowest, and so must the leading resident blocks. The
 * reference breaks ties at random; with its choices imposed everything else is determined.
 */
import { POOL_NAMES } from "../../lib/engine/records.ts";
import { completeKvSettings, readKvRouterConfig } from "../../lib/router/kv_config.ts";
import { KvRouter } from "../../lib/router/kv_router.ts";
import type { KvRouterSettings } from "../../lib/router/kv_settings.ts";
import type { RouterContext, RouterFactory } from "../../lib/router/router.ts";

/** A recorded placement: rank (scheduler) id, its cost, and the leading blocks resident there. */
export interface RecordedPick {
  rank: number;
  cost: number;
  overlap: number;
}

/** What identifies a request in recorded runs. */
export interface PlacedRequest {
  arrivalMs: number;
  inputTokens: number;
  outputTokens: number;
}

/** Settings of a case's options, as the reference takes them. */
export function settingsOf(options: Readonly<Record<string, unknown>>): KvRouterSettings {
  const { settings } = readKvRouterConfig(options.router_config ?? {});
  return completeKvSettings({ ...settings, kvEventLagMs: (options.kv_event_lag_ms ?? 0) as number });
}

/** The routers of one run. */
export class Playback {
  /** Disagreements, in words. */
  readonly problems: string[] = [];
  /** Placements that were imposed and checked. */
  imposed = 0;
  readonly #settings: KvRouterSettings;
  readonly #recorded: (arrival: number, pool: string) => RecordedPick | undefined;
  /** Arrival ordinal by request: routers see requests in the order in which they arrive. */
  readonly #arrivals = new Map<number, number>();

  readonly #told: (request: PlacedRequest, cost: number, overlap: number) => void;

  /**
   * @param recorded the reference's placement of the n-th request to arrive (from 0) in a pool, asked in the order of our
   * decisions; undefined where none was recorded, which the router then decides itself
   * @param told hears of every placement
   */
  constructor(
    settings: KvRouterSettings,
    recorded: (arrival: number, pool: string) => RecordedPick | undefined,
    told: (request: PlacedRequest, cost: number, overlap: number) => void = () => {},
  ) {
    this.#settings = settings;
    this.#recorded = recorded;
    this.#told = told;
  }

  /** Takes the picks of both pools in the order in which the reference made them. */
  static inOrder(settings: KvRouterSettings, picks: readonly (readonly [number, number, number])[]): Playback {
    let next = 0;
    return new Playback(settings, () => {
      const pick = picks[next++];
      return pick && { rank: pick[0], cost: pick[1], overlap: pick[2] };
    });
  }

  readonly router: RouterFactory = (context) => {
    const pool = POOL_NAMES[context.pool];
    let expected: RecordedPick | undefined, cost = 0;
    const choose = (costs: Float64Array, ranks: readonly number[], request: number) => {
      let cheapest = 0;
      for (let i = 1; i < ranks.length; i++) if (costs[i] < costs[cheapest]) cheapest = i;
      cost = costs[cheapest];
      expected = this.#recorded(this.#arrivals.get(request)!, pool);
      if (expected === undefined) return cheapest;
      this.imposed++;
      const at = ranks.indexOf(expected.rank), about = `${pool} request ${request} on rank ${expected.rank}`;
      if (at < 0) {
        this.problems.push(`${about}: not routable`);
        return cheapest;
      }
      if (costs[at] !== expected.cost) this.problems.push(`${about}: cost ${costs[at]}, recorded ${expected.cost}`);
      if (costs[at] !== costs[cheapest]) {
        this.problems.push(`${about}: cost ${costs[at]}, but ${costs[cheapest]} on rank ${ranks[cheapest]}`);
      }
      return at;
    };
    return new CheckedRouter(context, this.#settings, choose, {
      seen: (request) => {
        if (!this.#arrivals.has(request)) this.#arrivals.set(request, this.#arrivals.size);
      },
      placed: (request, overlap) => {
        const { records, workload } = context;
        this.#told(
          {
            arrivalMs: records.arrivalMs[request],
            inputTokens: records.inputTokens[request],
            outputTokens: workload.outputTokens[request],
          },
          cost,
          overlap,
        );
        if (expected !== undefined && overlap !== expected.overlap) {
          this.problems.push(`${pool} request ${request}: ${overlap} blocks resident, recorded ${expected.overlap}`);
        }
      },
    });
  };
}

/** Hears of requests before and after they are placed. */
interface Listener {
  seen(request: number): void;
  placed(request: number, overlap: number): void;
}

class CheckedRouter extends KvRouter {
  readonly #listener: Listener;

  constructor(
    context: RouterContext,
    settings: KvRouterSettings,
    choose: (costs: Float64Array, ranks: readonly number[], request: number) => number,
    listener: Listener,
  ) {
    super(context, settings, null, { choose: (costs, ranks, _temperature, request) => choose(costs, ranks, request) });
    this.#listener = listener;
  }

  override place(request: number, nowMs: number): number {
    this.#listener.seen(request);
    const rank = super.place(request, nowMs);
    if (rank >= 0) this.#listener.placed(request, this.placement.overlapBlocks);
    return rank;
  }

  override nextReleased(nowMs: number): number {
    const request = super.nextReleased(nowMs);
    if (request >= 0) this.#listener.placed(request, this.placement.overlapBlocks);
    return request;
  }
}
