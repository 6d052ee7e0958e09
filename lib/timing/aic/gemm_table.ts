/**
 * Measured matrix products. A shape that was measured answers from its own curve over m; another one takes the distance
 * to the bound from its four nearest shapes (by the ratios of n and k). Where powers come with the times, energies are the
 * answer, the power being found from the same measurements with the same weights.
 *
 * @module
 */
import type { GemmBound } from "./bounds.ts";
import { lowerBound } from "./curve.ts";
import type { GemmSite, GemmSites } from "./perf_member.ts";

/** Farthest a shape may be, in doublings of n and k. */
const REACH = 2;
const NEIGHBOURS = 4;

/** The products of one number format. */
export class GemmTable {
  readonly #sites: GemmSites;
  readonly #bound: GemmBound;

  constructor(sites: GemmSites, bound: GemmBound) {
    this.#sites = sites;
    this.#bound = bound;
  }

  /** The product with k × n weights. */
  shape(n: number, k: number): GemmCurve {
    for (let i = 0; i < this.#sites.length; i++) {
      if (this.#sites.n(i) === n && this.#sites.k(i) === k) return new MeasuredGemm(this.#sites.site(i), this.#bound);
    }
    return new NeighbourGemm(n, k, this.#sites, this.#bound);
  }
}

/** Milliseconds (of energies watt-milliseconds) of a product with fixed weights; NaN where the table has nothing to say. */
export interface GemmCurve {
  at(m: number): number;
}

/** The curve of a measured shape. Beyond its ends the median distance to the bound of the last three points holds. */
class MeasuredGemm implements GemmCurve {
  readonly #site: GemmSite;
  readonly #keys: Uint32Array;
  readonly #bound: GemmBound;
  /** Latencies, decoded at the first question: of many neighbours only a few are asked. */
  #values: Float64Array | undefined;
  readonly #powers: Float64Array | undefined;

  constructor(site: GemmSite, bound: GemmBound) {
    this.#site = site;
    this.#keys = site.keys;
    this.#powers = site.powers;
    this.#bound = bound;
  }

  get site(): GemmSite {
    return this.#site;
  }

  /** Whether `m` lies between the ends of the curve. */
  covers(m: number): boolean {
    const keys = this.#keys;
    return keys[0] <= m && m <= keys[keys.length - 1];
  }

  at(m: number): number {
    return this.#powers === undefined ? this.ms(m) : this.ms(m) * this.watts(m);
  }

  ms(m: number): number {
    const inside = this.#within(this.#values ??= this.#site.values, m), { n, k } = this.#site;
    return inside === inside ? inside : this.#bound.ms(m, n, k) / median(this.#end(m).map(({ util }) => util));
  }

  /** Power of a table of energies. */
  watts(m: number): number {
    const inside = this.#within(this.#powers!, m);
    return inside === inside ? inside : median(this.#end(m).map(({ watts }) => watts));
  }

  /** The value at `m` between measurements, NaN beyond them. */
  #within(values: Float64Array, m: number): number {
    const keys = this.#keys;
    const at = lowerBound(keys, 0, keys.length, m);
    if (at < keys.length && keys[at] === m) return values[at];
    if (at === 0 || at === keys.length || keys.length === 1) return NaN;
    const low = values[at - 1];
    return low + (values[at] - low) * ((m - keys[at - 1]) / (keys[at] - keys[at - 1]));
  }

  /** The three measurements at the end beyond which `m` lies. */
  #end(m: number): { util: number; watts: number }[] {
    const { keys, values, n, k } = this.#site, powers = this.#powers;
    const start = m < keys[0] ? 0 : Math.max(0, keys.length - 3);
    const found: { util: number; watts: number }[] = [];
    for (let i = start; i < Math.min(start + 3, keys.length); i++) {
      const util = this.#bound.ms(keys[i], n, k) / values[i];
      if (util > 0) found.push({ util, watts: powers?.[i] ?? 0 });
    }
    return found;
  }
}

/** The middle one, or the mean of the two in the middle; NaN of none. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b), middle = sorted.length >> 1;
  if (sorted.length === 0) return NaN;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

interface Neighbour {
  readonly curve: MeasuredGemm;
  readonly distance: number;
}

/** A shape that was not measured. */
class NeighbourGemm implements GemmCurve {
  readonly #n: number;
  readonly #k: number;
  readonly #sites: GemmSites;
  readonly #bound: GemmBound;
  /** Shapes within reach, nearest first, equally near ones in table order. */
  readonly #near: readonly Neighbour[];

  constructor(n: number, k: number, sites: GemmSites, bound: GemmBound) {
    this.#n = n;
    this.#k = k;
    this.#sites = sites;
    this.#bound = bound;
    this.#near = this.#neighbours((distance) => distance <= REACH);
  }

  at(m: number): number {
    let utils = 0;
    let watts = 0;
    let weights = 0;
    for (const { curve, distance } of this.#chosen(m)) {
      const value = curve.ms(m);
      if (!(value > 0)) continue;
      const { n, k, powers } = curve.site;
      const weight = 1 / (distance * distance + 1e-12);
      utils += weight * (this.#bound.ms(m, n, k) / value);
      watts += weight * (powers === undefined ? 1 : curve.watts(m));
      weights += weight;
    }
    return weights > 0 ? this.#bound.ms(m, this.#n, this.#k) / (utils / weights) * (watts / weights) : NaN;
  }

  /** All shapes whose distance is accepted, nearest first. */
  #neighbours(accept: (distance: number) => boolean): Neighbour[] {
    const logN = Math.log2(this.#n);
    const logK = Math.log2(this.#k);
    const found: Neighbour[] = [];
    for (let i = 0; i < this.#sites.length; i++) {
      const dn = Math.log2(this.#sites.n(i)) - logN;
      const dk = Math.log2(this.#sites.k(i)) - logK;
      const distance = Math.sqrt(dn * dn + dk * dk);
      if (accept(distance)) found.push({ curve: new MeasuredGemm(this.#sites.site(i), this.#bound), distance });
    }
    return found.sort((a, b) => a.distance - b.distance);
  }

  /** The nearest shapes whose curve covers `m`; those of all shapes when no curve at all covers it. */
  #chosen(m: number): readonly Neighbour[] {
    const covering: Neighbour[] = [];
    for (const neighbour of this.#near) {
      if (neighbour.curve.covers(m) && covering.push(neighbour) === NEIGHBOURS) return covering;
    }
    if (covering.length > 0) return covering;
    const all = this.#neighbours(() => true);
    const everywhere = all.filter((neighbour) => neighbour.curve.covers(m));
    if (everywhere.length > 0) return this.#scaledUp(everywhere).slice(0, NEIGHBOURS);
    return (this.#near.length > 0 ? this.#near : this.#scaledUp(all)).slice(0, NEIGHBOURS);
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
