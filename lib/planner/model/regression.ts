/**
 * Learns pass times from observed passes: linear in attention work and in tokens, slopes never negative, as if
 * refitted with every sample. One regression serves one role; an aggregated worker's passes fall into three kinds with a fit each.
 *
 * @module
 */
import type { ModelRole, Pass, PassEstimator } from "./pass.ts";
import { type Sample, type SampleColumns, SampleStore } from "./sample_store.ts";

/** Settings of a regression; see the Planner's configuration. */
export interface RegressionSettings {
  max_num_fpm_samples: number;
  /** Bins of the sample store: a perfect square. */
  fpm_sample_bucket_size: number;
  load_min_observations: number;
}

/** `intercept + slope1 * z1 + slope2 * z2` over standardised features. */
interface Fit {
  intercept: number;
  mean: [number, number];
  deviation: [number, number];
  slope: [number, number];
}

const SMALLEST_MS = 1e-6;
/** Relative deviation below which a feature counts as constant. */
const CONSTANT = 1e-12;
const SMALLEST_PIVOT = 1e-12;
const RIDGE = 1e-9;
/** Errors closer than this share of the total variation are ties: where features are collinear, round-off would decide. */
const SAME_ERROR = 1e-12;

/** Samples that wait for a fit at most. */
const MOST_WAITING = 256;

/**
 * Samples of one kind of pass with the fit they allow: that of the last sample that allowed one, or none when a later
 * one showed that no feature varies. It is made when it is asked for. Mostly the samples there are then decide alone;
 * where they allow none, those that came since the fit before are gone through one by one.
 */
class FittedStore {
  readonly #samples: SampleStore;
  readonly #minimum: number;
  /** Samples that came since the fit, and what there was before them. */
  #waiting: Sample[] = [];
  #before: SampleStore;
  readonly #most: number;
  #columns: SampleColumns = { x1: new Float64Array(0), x2: new Float64Array(0), y: new Float64Array(0) };
  #fit: Fit | null = null;

  constructor(settings: RegressionSettings, random?: () => number) {
    this.#samples = this.#before = new SampleStore({
      capacity: settings.max_num_fpm_samples,
      binsPerAxis: Math.round(Math.sqrt(settings.fpm_sample_bucket_size)),
      random,
    });
    this.#minimum = settings.load_min_observations;
    // What was drawn once cannot be gone through again.
    this.#most = random === undefined ? MOST_WAITING : 1;
  }

  get size(): number {
    return this.#samples.size;
  }

  get ready(): boolean {
    return this.#fitted() !== null;
  }

  add(sample: Sample): void {
    if (this.#waiting.length === 0 && this.#most > 1) this.#before = this.#samples.clone();
    this.#waiting.push(sample);
    this.#samples.add(sample);
    if (this.#waiting.length === this.#most) this.#fitted();
  }

  #fitted(): Fit | null {
    const waiting = this.#waiting;
    if (waiting.length === 0) return this.#fit;
    this.#waiting = [];
    if (this.#take(this.#samples) || waiting.length === 1) return this.#fit;
    for (const sample of waiting) {
      this.#before.add(sample);
      this.#take(this.#before);
    }
    return this.#fit;
  }

  /** Takes the fit that samples allow; false when they allow none. */
  #take(samples: SampleStore): boolean {
    if (samples.size < this.#minimum) return false;
    const fitted = fit(this.#copied(samples), samples.size);
    // A flat fit over enough samples says nothing; what was known before is worth more.
    if (fitted !== null && !fitted.usable) return false;
    this.#fit = fitted && fitted.fit;
    return true;
  }

  #copied(samples: SampleStore): SampleColumns {
    const { size } = samples;
    if (this.#columns.y.length < size) {
      const column = () => new Float64Array(Math.max(2 * size, 64));
      this.#columns = { x1: column(), x2: column(), y: column() };
    }
    samples.copyTo(this.#columns);
    return this.#columns;
  }

  estimate(x1: number, x2: number): number | null {
    const fit = this.#fitted();
    if (fit === null) return null;
    const { intercept, mean, deviation, slope } = fit;
    let value = intercept;
    if (slope[0] !== 0) value += slope[0] * ((x1 - mean[0]) / deviation[0]);
    if (slope[1] !== 0) value += slope[1] * ((x2 - mean[1]) / deviation[1]);
    return Math.max(SMALLEST_MS, value);
  }
}

/** Best non-negative least-squares fit; null when no feature varies. */
function fit({ x1, x2, y }: SampleColumns, n: number): { fit: Fit; usable: boolean } | null {
  let s1 = 0, s2 = 0, sy = 0;
  for (let i = 0; i < n; i++) s1 += x1[i], s2 += x2[i], sy += y[i];
  const m1 = s1 / n, m2 = s2 / n, my = sy / n;
  let c11 = 0, c22 = 0, c12 = 0, c1y = 0, c2y = 0, total = 0;
  for (let i = 0; i < n; i++) {
    const d1 = x1[i] - m1, d2 = x2[i] - m2, dy = y[i] - my;
    c11 += d1 * d1, c22 += d2 * d2, c12 += d1 * d2, c1y += d1 * dy, c2y += d2 * dy, total += dy * dy;
  }
  const deviation: [number, number] = [Math.sqrt(c11 / n), Math.sqrt(c22 / n)];
  const active = [
    deviation[0] > CONSTANT * Math.max(1, Math.abs(m1)),
    deviation[1] > CONSTANT * Math.max(1, Math.abs(m2)),
  ];
  if (!active[0] && !active[1]) return null;
  // Normal equations of the standardised features; the intercept stands apart because they have mean zero.
  const own = n, cross = active[0] && active[1] ? c12 / (deviation[0] * deviation[1]) : 0;
  const with1 = active[0] ? c1y / deviation[0] : 0, with2 = active[1] ? c2y / deviation[1] : 0;

  // Candidates in the order that decides ties: no axis, the first, the second, both. Slopes are never negative, and a
  // candidate must be clearly better than the best before it.
  const slope: [number, number] = [0, 0];
  let least = total;
  const consider = (slope1: number, slope2: number) => {
    if (slope1 < 0 || slope2 < 0) return;
    let error = 0;
    // Held against the estimate itself: slopes that vanish in its rounding make nothing better.
    // An axis that is not used has slope 0; dividing by 1 keeps it out of the sum.
    const by1 = slope1 === 0 ? 1 : deviation[0], by2 = slope2 === 0 ? 1 : deviation[1];
    for (let i = 0; i < n; i++) {
      const residual = y[i] - (my + slope1 * ((x1[i] - m1) / by1) + slope2 * ((x2[i] - m2) / by2));
      error += residual * residual;
    }
    if (!(error < least - SAME_ERROR * total)) return;
    least = error;
    slope[0] = slope1;
    slope[1] = slope2;
  };
  if (active[0]) consider(with1 / own, 0);
  if (active[1]) consider(0, with2 / own);
  if (active[0] && active[1]) {
    const [slope1, slope2] = solvePair(own, cross, with1, with2);
    consider(slope1, slope2);
  }
  const activeCount = (active[0] ? 1 : 0) + (active[1] ? 1 : 0);
  const usable = slope[0] !== 0 || slope[1] !== 0 || n <= activeCount;
  return { fit: { intercept: my, mean: [m1, m2], deviation, slope }, usable };
}

/** Solves `[own cross; cross own] s = [with1 with2]`, with a small ridge when it is singular. */
function solvePair(own: number, cross: number, with1: number, with2: number): [number, number] {
  let diagonal = own;
  if (Math.abs(own - (cross * cross) / own) < SMALLEST_PIVOT) diagonal += RIDGE * Math.max(1, 2 * own);
  const pivot = diagonal - (cross * cross) / diagonal;
  const second = (with2 - (cross / diagonal) * with1) / pivot;
  return [(with1 - cross * second) / diagonal, second];
}

/** Query-key pairs a prefill computes: prompts attend to what is cached and, half of the time, to each other. */
function attentionPairs({ prefillRequests: requests, prefillTokens: tokens, prefillKvTokens: cached }: Pass): number {
  if (tokens === 0 || requests === 0) return 0;
  return (cached * tokens) / requests + (tokens * tokens) / (2 * requests) + tokens / 2;
}

/** Why a pass cannot belong to a worker of this role, or null. */
export function invalidPass(role: ModelRole, pass: Pass): string | null {
  const problem = (text: string) => `invalid forward pass metrics: ${text}`;
  if (role === "prefill" && (pass.decodeRequests > 0 || pass.decodeKvTokens > 0)) {
    return problem("prefill regression worker received scheduled decode work");
  }
  if (role === "decode" && pass.prefillTokens > 0) {
    return problem("decode regression worker received scheduled prefill work");
  }
  if (pass.prefillRequests === 0 && (pass.prefillTokens > 0 || pass.prefillKvTokens > 0)) {
    return problem("scheduled prefill tokens without a prefill request");
  }
  if (pass.decodeRequests === 0 && pass.decodeKvTokens > 0) {
    return problem("scheduled decode tokens without a decode request");
  }
  return null;
}

/** Pass times of one role, learnt from what its ranks reported. */
export class PassRegression implements PassEstimator {
  readonly #role: ModelRole;
  /** By kind of pass: prefill only, decode only, both. */
  readonly #stores: { prefill: FittedStore; decode: FittedStore; mixed: FittedStore };

  constructor(role: ModelRole, settings: RegressionSettings, options: { random?: () => number } = {}) {
    this.#role = role;
    const store = () => new FittedStore(settings, options.random);
    this.#stores = { prefill: store(), decode: store(), mixed: store() };
  }

  /** Samples held. */
  get size(): number {
    return this.#stores.prefill.size + this.#stores.decode.size + this.#stores.mixed.size;
  }

  /** Whether any kind of pass can be estimated. */
  get ready(): boolean {
    return this.#stores.prefill.ready || this.#stores.decode.ready || this.#stores.mixed.ready;
  }

  /**
   * Learns one pass; passes without work or without a time teach nothing.
   *
   * @returns why the pass was refused, or null
   */
  observe(pass: Pass, wallTimeS: number): string | null {
    const problem = invalidPass(this.#role, pass);
    if (problem) return problem;
    const store = this.#storeOf(pass);
    if (store && wallTimeS > 0) {
      const { x1, x2 } = features(this.#role, pass);
      store.add({ x1, x2, y: wallTimeS * 1000 });
    }
    return null;
  }

  estimateMs(pass: Pass): number | null {
    if (invalidPass(this.#role, pass)) return null;
    const store = this.#storeOf(pass);
    if (!store) return 0;
    const { x1, x2 } = features(this.#role, pass);
    return store.estimate(x1, x2);
  }

  #storeOf({ prefillTokens, decodeRequests }: Pass): FittedStore | null {
    if (prefillTokens > 0) return decodeRequests > 0 ? this.#stores.mixed : this.#stores.prefill;
    return decodeRequests > 0 ? this.#stores.decode : null;
  }
}

/** Attention work and tokens of a pass. */
function features(role: ModelRole, pass: Pass): { x1: number; x2: number } {
  if (role === "decode") return { x1: pass.decodeKvTokens, x2: pass.decodeRequests };
  const cached = pass.prefillTokens > 0 ? pass.prefillKvTokens : 0;
  const attention = cached + attentionPairs(pass);
  if (role === "prefill") return { x1: attention, x2: pass.prefillTokens };
  return { x1: attention + pass.decodeKvTokens, x2: pass.prefillTokens + pass.decodeRequests };
}
