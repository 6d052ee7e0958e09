/**
 * Replays the requests that were measured on the deployment that a configuration describes, and puts both side by side.
 *
 * @module
 */
import type { PredictionPlan } from "../config/plan.ts";
import { ConfigError, SimulationError } from "../errors.ts";
import { planSpec } from "../replay/predict.ts";
import { run } from "../replay/run.ts";
import type { SharedData } from "../replay/shared_data.ts";
import type { PassTimingSpec, ReplaySpec } from "../replay/spec.ts";
import type { TraceRequest } from "../trace/request.ts";
import { loadRequests } from "../traffic/load_trace.ts";
import type { Traffic } from "../traffic/workload.ts";
import type { Measured, MeasuredRequest } from "./measured.ts";

/** Figures of a request that are compared, in milliseconds. */
export const REQUEST_METRICS = ["ttft_ms", "tpot_ms", "e2e_latency_ms"] as const;
/** One of {@linkcode REQUEST_METRICS}. */
export type RequestMetric = typeof REQUEST_METRICS[number];

/** Figures of every request, in the order of the measurements; NaN where one does not exist. */
export type RequestFigures = Readonly<Record<RequestMetric, Float64Array>>;

const BLOCK_TOKENS = 512;
/** Replays of a search for a scale. */
export const MOST_SCALE_REPLAYS = 8;
/** Replays that a fit takes at most: without a correction, for the scale (or two of passes), for the constant. */
const MOST_FIT_REPLAYS = MOST_SCALE_REPLAYS + 5;

/** The measured figures. */
export function measuredFigures(requests: readonly MeasuredRequest[]): RequestFigures {
  const column = (of: (request: MeasuredRequest) => number | null) =>
    Float64Array.from(requests, (request) => of(request) ?? NaN);
  return {
    ttft_ms: column(({ ttftMs }) => ttftMs),
    tpot_ms: column(({ tpotMs }) => tpotMs),
    e2e_latency_ms: column(({ e2eMs }) => e2eMs),
  };
}

/** Replays measured requests again and again, with one correction after the other. */
export class RequestReplay {
  readonly #spec: ReplaySpec;
  readonly #traffic: Promise<Traffic>;
  readonly #shared: SharedData;
  readonly #onShare: ((share: number) => void) | undefined;
  #replays = 0;
  /** Requests in the order in which they came. */
  readonly #order: readonly number[];

  /**
   * @param plan its load says how many requests are open at a time, where the measurements tell no arrivals
   * @param onShare hears how much is done of as many replays as a fit may take
   * @throws {ConfigError} when neither says when requests came
   */
  constructor(measured: Measured, plan: PredictionPlan, shared: SharedData, onShare?: (share: number) => void) {
    this.#onShare = onShare;
    const { requests } = measured, { load } = plan.traffic;
    const timed = requests.every(({ arrivalMs }) => arrivalMs !== null);
    const concurrency = measured.concurrency ?? (!timed && load.type === "concurrency" ? load.concurrency : undefined);
    if (!timed && concurrency === undefined) {
      throw new ConfigError(
        "the measurements do not say when requests arrived, nor how many were open at a time: " +
          "set traffic.load to {type: concurrency, concurrency: N}",
      );
    }
    const rows = requests.map((_, row) => row);
    this.#order = timed ? rows.toSorted((a, b) => requests[a].arrivalMs! - requests[b].arrivalMs!) : rows;
    this.#shared = shared;
    const spec = planSpec(plan, { perRequest: true });
    this.#spec = { ...spec, traffic: null, autoscaler: null, retune: null, sla: null, maxVirtualMs: null };
    this.#traffic = loadRequests(asTrace(measured, this.#order), {
      blockTokens: measured.blockTokens ?? BLOCK_TOKENS,
      ...(concurrency === undefined ? {} : { concurrency }),
      name: "<measured requests>",
    });
  }

  /** Figures of the requests with a correction. */
  async figures(passTiming: PassTimingSpec | null): Promise<RequestFigures> {
    const roles = this.#spec.roles.map((role) => passTiming === null ? role : { ...role, passTiming });
    const traffic = await this.#traffic;
    const tell = (ofThis: number) => this.#onShare?.((this.#replays + ofThis) / MOST_FIT_REPLAYS);
    const { per_request } = await run({ ...this.#spec, roles }, {
      shared: this.#shared,
      ready: { traffic },
      onProgress: ({ requestsDone, requestsTotal }) => tell(requestsDone / requestsTotal),
    }).report;
    this.#replays++;
    tell(0);
    const order = this.#order, empty = () => new Float64Array(order.length).fill(NaN);
    if (per_request!.length !== order.length) {
      throw new SimulationError(`${order.length - per_request!.length} measured requests came to no end in the replay`);
    }
    const figures = { ttft_ms: empty(), tpot_ms: empty(), e2e_latency_ms: empty() };
    let next = 0;
    for (const record of per_request!) {
      const request = order[next++];
      figures.ttft_ms[request] = record.ttft_ms ?? NaN;
      figures.tpot_ms[request] = record.itl_ms ?? NaN;
      figures.e2e_latency_ms[request] = record.e2e_latency_ms ?? NaN;
    }
    return figures;
  }
}

/** Measured requests as a trace in the order in which they came, which is also that of a replay's records. */
async function* asTrace({ requests, blockTokens }: Measured, order: readonly number[]): AsyncGenerator<TraceRequest> {
  const first = requests.reduce((least, { arrivalMs }) => Math.min(least, arrivalMs ?? 0), Infinity);
  let fresh = 0;
  const unlike = (tokens: number) =>
    Array.from({ length: Math.ceil(tokens / (blockTokens ?? BLOCK_TOKENS)) }, () => FRESH + fresh++);
  for (let i = 0; i < order.length; i++) {
    const { arrivalMs, inputTokens, outputTokens, hashIds } = requests[order[i]];
    yield {
      timestampMs: arrivalMs === null ? 0 : arrivalMs - first,
      inputTokens,
      outputTokens,
      hashIds: hashIds ?? unlike(inputTokens),
      line: i + 1,
    };
  }
}

/** Numbers of blocks that share nothing; recorded ones are smaller, or hashes far above. */
const FRESH = 2 ** 40;

/** Most requests that were open at a time. */
export function mostOpen({ requests, concurrency }: Measured): number {
  if (concurrency !== null) return Math.min(concurrency, requests.length);
  const events: [number, number][] = requests.flatMap(({ arrivalMs, e2eMs }) =>
    arrivalMs === null || e2eMs === null ? [] : [[arrivalMs, 1], [arrivalMs + e2eMs, -1]] as [number, number][]
  );
  let open = 0, most = 1;
  for (const [, change] of events.toSorted((a, b) => a[0] - b[0])) most = Math.max(most, open += change);
  return most;
}
