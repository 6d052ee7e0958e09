/**
 * Measured matrix products. A shape that was measured answers from its own curve over m; another one takes the distance
 * to the bound from its four nearest shapes (by the ratios of n and k). Imports the table form and the bounds.
 *
 * @module
 */
import type { GemmBound } from "./bounds.ts";
import { lowerBound } from "./curve.ts";
import type { GemmSite } from "./perf_set.ts";

/** Farthest a shape may be, in doublings of n and k. */
const REACH = 2;
const NEIGHBOURS = 4;

/** The products of one number format. */
export class GemmTable {
  readonly #sites: readonly GemmSite[];
  readonly #bound: GemmBound;
  readonly #siteOf = new Map<string, GemmSite>();

  constructor(sites: readonly GemmSite[], bound: GemmBound) {
    this.#sites = sites;
    this.#bound = bound;
    for (const site of sites) this.#siteOf.set(`${site.n} ${site.k}`, site);
  }

  /** The product with k × n weights. */
  shape(n: number, k: number): GemmCurve {
    const site = this.#siteOf.get(`${n} ${k}`);
    return site ? new MeasuredGemm(site, this.#bound) : new NeighbourGemm(n, k, this.#sites, this.#bound);
  }
}

/** A product with fixed weights; NaN where the table has nothing to say. */
export interface GemmCurve {
  at(m: number): number;
}

/** The curve of a measured shape. Beyond its ends the median distance to the bound of the last three points holds. */
class MeasuredGemm implements GemmCurve {
  readonly #site: GemmSite;
  readonly #bound: GemmBound;

  constructor(site: GemmSite, bound: GemmBound) {
    this.#site = site;
    this.#bound = bound;
  }

  get site(): GemmSite {
    return this.#site;
  }

  /** Whether `m` lies between the ends of the curve. */
  covers(m: number): boolean {
    const { keys } = this.#site;
    return keys[0] <= m && m <= keys[keys.length - 1];
  }

  at(m: number): number {
    const { keys, values } = this.#site;
    const at = lowerBound(keys, 0, keys.length, m);
    if (at < keys.length && keys[at] === m) return values[at];
    if (at === 0 || at === keys.length || keys.length === 1) return this.#beyond(m);
    const low = values[at - 1];
    return low + (values[at] - low) * ((m - keys[at - 1]) / (keys[at] - keys[at - 1]));
  }

  #beyond(m: number): number {
    const { keys, values, n, k } = this.#site;
    const start = m < keys[0] ? 0 : Math.max(0, keys.length - 3);
    const utils: number[] = [];
    for (let i = start; i < Math.min(start + 3, keys.length); i++) {
      const util = this.#bound.ms(keys[i], n, k) / values[i];
      if (util > 0) utils.push(util);
    }
    if (utils.length === 0) return NaN;
    utils.sort((a, b) => a - b);
    const middle = utils.length >> 1;
    const median = utils.length % 2 === 1 ? utils[middle] : (utils[middle - 1] + utils[middle]) / 2;
    return this.#bound.ms(m, n, k) / median;
  }
}

interface Neighbour {
  readonly curve: MeasuredGemm;
  readonly distance: number;
}

/** A shape that was not measured. */
class NeighbourGemm implements GemmCurve {
  readonly #n: number;
  readonly #k: number;
  readonly #bound: GemmBound;
  /** All shapes, nearest first, equally near ones in table order. */
  readonly #byDistance: readonly Neighbour[];

  constructor(n: number, k: number, sites: readonly GemmSite[], bound: GemmBound) {
    this.#n = n;
    this.#k = k;
    this.#bound = bound;
    const logN = Math.log2(n);
    const logK = Math.log2(k);
    this.#byDistance = sites.map((site) => {
      const dn = Math.log2(site.n) - logN;
      const dk = Math.log2(site.k) - logK;
      return { curve: new MeasuredGemm(site, bound), distance: Math.sqrt(dn * dn + dk * dk) };
    }).sort((a, b) => a.distance - b.distance);
  }

  at(m: number): number {
    let utils = 0;
    let weights = 0;
    for (const { curve, distance } of this.#neighbours(m)) {
      const value = curve.at(m);
      if (!(value > 0)) continue;
      const { n, k } = curve.site;
      const weight = 1 / (distance * distance + 1e-12);
      utils += weight * (this.#bound.ms(m, n, k) / value);
      weights += weight;
    }
    return weights > 0 ? this.#bound.ms(m, this.#n, this.#k) / (utils / weights) : NaN;
  }

  /** The nearest shapes whose curve covers `m`, or of all shapes when none does. */
  #neighbours(m: number): readonly Neighbour[] {
    const covering = this.#take((neighbour) => neighbour.curve.covers(m));
    if (covering.length > 0) return covering;
    const anyCovers = this.#byDistance.some((neighbour) => neighbour.curve.covers(m));
    const candidates = anyCovers ? this.#byDistance.filter((neighbour) => neighbour.curve.covers(m)) : this.#byDistance;
    const near = candidates.filter((neighbour) => neighbour.distance <= REACH);
    return (near.length > 0 ? near : this.#scaledUp(candidates)).slice(0, NEIGHBOURS);
  }

  /** The first few near shapes that `accept` takes. */
  #take(accept: (neighbour: Neighbour) => boolean): Neighbour[] {
    const taken: Neighbour[] = [];
    for (const neighbour of this.#byDistance) {
      if (neighbour.distance > REACH || taken.length === NEIGHBOURS) break;
      if (accept(neighbour)) taken.push(neighbour);
    }
    return taken;
  }

  /** A shape that exceeds everything measured on one axis only may take its neighbours from the other axis alone. */
  #scaledUp(candidates: readonly Neighbour[]): readonly Neighbour[] {
    const sites = candidates.map((neighbour) => neighbour.curve.site);
    const ns = sites.map((site) => site.n);
    const ks = sites.map((site) => site.k);
    if (this.#n < Math.min(...ns) || this.#k < Math.min(...ks)) return [];
    const wider = this.#n > Math.max(...ns);
    const deeper = this.#k > Math.max(...ks);
    if (wider === deeper) return [];
    return candidates.filter(({ curve: { site } }) => {
      const [measured, wanted] = wider ? [site.k, this.#k] : [site.n, this.#n];
      return Math.abs(Math.log2(measured) - Math.log2(wanted)) <= REACH;
    });
  }
}
