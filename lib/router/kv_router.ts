/**
 * Sends each request to the rank where it costs least, counting the prompt blocks already resident there against the
 * prompt work and the blocks that the rank has taken on. What it knows of caches comes from the engines' events, what
 * it knows of load from its own bookings.
 *
 * @module
 */
import type { CacheListener } from "../engine/rank.ts";
import { Pool, POOL_NAMES } from "../engine/records.ts";
import { SimulationError } from "../errors.ts";
import type { RouterKnobs } from "../planner/policy.ts";
import { ActiveBlocks } from "./active_blocks.ts";
import { CacheView } from "./cache_view.ts";
import { reaching } from "../collections/growing.ts";
import { type KvRouterSettings, poolSettings, type QueueProfile, singleClass } from "./kv_settings.ts";
import { type Chooser, Picker } from "./pick.ts";
import { PrefillLoad, type PrefillLoadModel } from "./prefill_load.ts";
import { type QueueClass, RequestQueue, score, type Waiting } from "./queue.ts";
import type { PlacementView, Router, RouterContext } from "./router.ts";
import { WyRand } from "../random/wyrand.ts";

/** Budget of a pass where it is unlimited, for thresholds that are a part of it. */
const UNLIMITED_BUDGET = 10_000_000;

/** Router of one pool. */
export class KvRouter implements Router {
  readonly needsState = true;
  readonly needsEnds = true;
  readonly needsPrefillDone: boolean;
  readonly mayQueue: boolean;
  readonly cache: CacheListener | null;
  readonly placement: PlacementView = { overlapTokens: 0, overlapBlocks: 0, bestOverlapBlocks: 0 };
  placedRank = -1;
  revision = 0;

  readonly #context: RouterContext;
  readonly #settings: KvRouterSettings;
  #knobs: RouterKnobs;
  /** Routable ranks, ascending, and where each worker's begin. */
  readonly #ranks: number[] = [];
  readonly #workers = new Map<number, { firstRank: number; ranks: number }>();
  readonly #view: CacheView | null;
  readonly #blocks: ActiveBlocks | null;
  readonly #load: PrefillLoad | null;
  readonly #chooser: Chooser;
  readonly #profile: QueueProfile;
  readonly #queue: RequestQueue | null;
  #hasRoomAtMs = 0;
  readonly #hasRoom = (kind: QueueClass): boolean => !this.#allBusy(kind, this.#hasRoomAtMs);
  /** By rank: requests, blocks when reuse is not assumed, and scratch for the request being placed. */
  #requests = new Int32Array(16);
  #plainBlocks = new Float64Array(16);
  #overlaps = new Int32Array(16);
  #shared = new Int32Array(16);
  /** By position in `#ranks`. */
  #tokens = new Float64Array(16);
  #costs = new Float64Array(16);

  /**
   * @param common settings of all pools of the cluster
   * @param model expected prefill durations; used when the settings ask for the load model
   * @param chooser who chooses by the costs; by default the cheapest rank, or a draw, as the settings say
   */
  constructor(
    context: RouterContext,
    common: KvRouterSettings,
    model: PrefillLoadModel | null = null,
    chooser: Chooser = new Picker(new WyRand(common.seed)),
  ) {
    const settings = this.#settings = poolSettings(common, POOL_NAMES[context.pool]);
    this.#context = context;
    this.#knobs = {
      overlap_score_credit: settings.overlapScoreCredit,
      prefill_load_scale: settings.prefillLoadScale,
      temperature: settings.temperature,
    };
    const decode = context.pool === Pool.decode;
    this.cache = this.#view = decode ? null : new CacheView(context.prompts, settings.kvEventLagMs);
    this.#blocks = settings.trackActiveBlocks && settings.assumeKvReuse ? new ActiveBlocks(context.prompts) : null;
    this.#load = settings.trackPrefillTokens
      ? new PrefillLoad(settings.prefillLoadModel === "none" ? null : model)
      : null;
    this.#chooser = chooser;
    this.#profile = settings.profile ?? singleClass(settings);
    const queues = this.#profile.classes.some((kind) => kind.busyTokens !== null || kind.busyFraction !== null);
    this.#queue = queues ? new RequestQueue(this.#profile.classes) : null;
    this.mayQueue = queues;
    this.needsPrefillDone = settings.trackPrefillTokens;
  }

  get knobs(): RouterKnobs {
    return this.#knobs;
  }

  update(knobs: RouterKnobs): void {
    this.#knobs = { ...knobs };
    this.revision++;
  }

  join(worker: number, firstRank: number, ranks: number): void {
    const at = this.#ranks.findIndex((rank) => rank > firstRank);
    this.#ranks.splice(at < 0 ? this.#ranks.length : at, 0, ...Array.from({ length: ranks }, (_, i) => firstRank + i));
    this.#workers.set(worker, { firstRank, ranks });
    const last = firstRank + ranks - 1;
    this.#requests = reaching(this.#requests, last);
    this.#plainBlocks = reaching(this.#plainBlocks, last);
    this.#overlaps = reaching(this.#overlaps, last);
    this.#shared = reaching(this.#shared, last);
    this.#tokens = reaching(this.#tokens, this.#ranks.length);
    this.#costs = reaching(this.#costs, this.#ranks.length);
  }

  leave(worker: number): void {
    const member = this.#workers.get(worker);
    const at = member === undefined ? -1 : this.#ranks.indexOf(member.firstRank);
    if (at >= 0) this.#ranks.splice(at, member!.ranks);
  }

  forget(worker: number): void {
    this.leave(worker);
    const { firstRank, ranks } = this.#workers.get(worker) ?? { firstRank: 0, ranks: 0 };
    this.#workers.delete(worker);
    for (let rank = firstRank; rank < firstRank + ranks; rank++) {
      this.#view?.forget(rank);
      this.#load?.forget(rank);
    }
  }

  place(request: number, nowMs: number): number {
    const blocks = this.#promptBlocks(request);
    if (this.#view !== null) this.#view.count(request, blocks, nowMs, this.#overlaps);
    if (this.#queue !== null && this.#enqueue(this.#queue, request, nowMs)) return -1;
    return this.#assign(request, this.#overlaps, nowMs);
  }

  prefillDone(request: number, rank: number, nowMs: number): void {
    this.#load?.remove(request, rank, nowMs);
  }

  ended(request: number, rank: number, nowMs: number): void {
    this.#load?.remove(request, rank, nowMs);
    this.#requests[rank]--;
    const blocks = this.#promptBlocks(request);
    if (this.#blocks !== null) this.#blocks.remove(request, rank, blocks);
    else this.#plainBlocks[rank] -= blocks;
  }

  nextReleased(nowMs: number): number {
    if (this.#queue === null) return -1;
    this.#hasRoomAtMs = nowMs;
    const waiting = this.#queue.pop(this.#hasRoom);
    if (waiting === null) return -1;
    this.placedRank = this.#assign(waiting.request, waiting.overlaps, nowMs);
    return waiting.request;
  }

  #promptBlocks(request: number): number {
    return Math.floor(this.#context.records.inputTokens[request] / this.#context.prompts.blockTokens);
  }

  /** Leading blocks on the routable rank that has most; ranks that joined after the look-up have none. */
  #best(overlaps: Int32Array): number {
    let best = 0;
    for (const rank of this.#ranks) if (rank < overlaps.length && overlaps[rank] > best) best = overlaps[rank];
    return best;
  }

  /** Keeps the request if its class must wait. */
  #enqueue(queue: RequestQueue, request: number, nowMs: number): boolean {
    const { workload, prompts, records } = this.#context;
    const inputTokens = records.inputTokens[request];
    const cachedTokens = Math.min(inputTokens, this.#best(this.#overlaps) * prompts.blockTokens);
    const classIndex = this.#classOf(request, inputTokens - cachedTokens), kind = this.#profile.classes[classIndex];
    if (!queue.waits(classIndex) && !this.#allBusy(kind, nowMs)) return false;
    const waiting: Omit<Waiting, "order"> = {
      request,
      inputTokens,
      cachedTokens,
      strictPriority: workload.strictPriority?.[request] ?? 0,
      score: score(kind.policy, workload.priority?.[request] ?? 0, nowMs / 1000, inputTokens - cachedTokens),
      overlaps: this.#overlaps.slice(),
    };
    const full = queue.push(classIndex, waiting, this.#ranks.length);
    if (full !== null) {
      throw new SimulationError(`placement policy error: router policy class "${kind.name}" queue ${full}`);
    }
    return true;
  }

  #classOf(request: number, uncachedTokens: number): number {
    const { explicit, families, defaultFamily, bucketTokens } = this.#profile;
    const name = this.#context.workload.policyClass?.get(request);
    const own = name === undefined ? undefined : explicit.get(name);
    if (own !== undefined) return own;
    const family = (name === undefined ? undefined : families.get(name)) ?? families.get(defaultFamily)!;
    let bucket = bucketTokens.length - 1;
    while (bucketTokens[bucket] > uncachedTokens) bucket--;
    return family[bucket];
  }

  #allBusy(kind: QueueClass, nowMs: number): boolean {
    if (kind.busyTokens === null && kind.busyFraction === null) return false;
    const budget = this.#context.maxBatchedTokens, perPass = budget === Infinity ? UNLIMITED_BUDGET : budget;
    const absolute = kind.busyTokens ?? Infinity;
    const relative = kind.busyFraction === null ? Infinity : kind.busyFraction * perPass;
    const limit = Math.min(absolute, relative);
    for (const rank of this.#ranks) if (!((this.#load?.on(rank, nowMs) ?? 0) > limit)) return false;
    return true;
  }

  /** Scores every routable rank, picks one and counts the request there. */
  #assign(request: number, overlaps: Int32Array, nowMs: number): number {
    const { prompts, records } = this.#context, inputTokens = records.inputTokens[request];
    this.#score(request, overlaps, nowMs);
    const rank = this.#ranks[this.#chooser.choose(this.#costs, this.#ranks, this.#knobs.temperature, request)];
    const overlap = rank < overlaps.length ? overlaps[rank] : 0, cached = overlap * prompts.blockTokens;
    const { placement } = this;
    placement.overlapBlocks = overlap;
    placement.overlapTokens = cached;
    placement.bestOverlapBlocks = this.#best(overlaps);
    this.#requests[rank]++;
    const blocks = this.#promptBlocks(request);
    if (this.#blocks !== null) this.#blocks.add(request, rank, blocks);
    else this.#plainBlocks[rank] += blocks;
    this.#load?.book(request, rank, inputTokens - cached, cached, nowMs);
    return rank;
  }

  /** Fills `#costs`. The order of operations is the reference's, so that equal costs are equal bit by bit. */
  #score(request: number, overlaps: Int32Array, nowMs: number): void {
    const ranks = this.#ranks, tokens = this.#tokens, costs = this.#costs, load = this.#load;
    if (ranks.length === 0) throw new SimulationError("placement policy error: no endpoints available to route work");
    const { trackActiveBlocks, overlapScoreCreditDecay, decodeActiveRequestWeight } = this.#settings;
    const { overlap_score_credit: fullCredit, prefill_load_scale: scale } = this.#knobs;
    const { prompts, records } = this.#context, size = prompts.blockTokens, inputTokens = records.inputTokens[request];
    const blocks = this.#promptBlocks(request), allBlocks = Math.max(1, Math.ceil(inputTokens / size));
    this.#blocks?.count(request, blocks, this.#shared);
    let least = Infinity;
    for (let i = 0; i < ranks.length; i++) {
      tokens[i] = load === null ? 0 : load.on(ranks[i], nowMs);
      if (tokens[i] < least) least = tokens[i];
    }
    for (let i = 0; i < ranks.length; i++) {
      const rank = ranks[i];
      let decode = 0;
      if (this.#blocks !== null) decode = this.#blocks.on(rank) + (blocks - this.#shared[rank]);
      else if (trackActiveBlocks) decode = this.#plainBlocks[rank] + blocks;
      let prefill = 0;
      if (load !== null) {
        const decay = overlapScoreCreditDecay > 0
          ? 1 / (1 + overlapScoreCreditDecay * ((tokens[i] - least) / size / allBlocks))
          : 1;
        const credit = (fullCredit * decay) * (rank < overlaps.length ? overlaps[rank] : 0);
        prefill = Math.max(0, (tokens[i] + inputTokens) / size - credit);
      }
      costs[i] = (scale * prefill + decode) + decodeActiveRequestWeight * this.#requests[rank];
      if (!Number.isFinite(costs[i])) {
        throw new SimulationError(`placement policy error: scorer 0 produced a non-finite cost for candidate row ${i}`);
      }
    }
  }
}
