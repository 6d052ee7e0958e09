/**
 * The passes a regression learns from: at most a fixed number, thinned where they are densest, so that a long steady
 * phase does not push out the rare passes that tell the most.
 *
 * Two logarithmic axes are cut into equal bins; over capacity the fullest bin loses its oldest sample. Among equally
 * full bins, and for the order of samples when growing bounds re-bin them, the field's own implementation follows the
 * order of a hash table, which differs from process to process. Here one fixed rule decides, or a seeded choice.
 *
 * @module
 */

/** A pass as a point: two features and the time it took. */
export interface Sample {
  x1: number;
  x2: number;
  /** Milliseconds. */
  y: number;
}

/** Samples in columns. */
export interface SampleColumns {
  x1: Float64Array;
  x2: Float64Array;
  y: Float64Array;
}

interface Stored extends Sample {
  z1: number;
  z2: number;
  /** Place in the order of arrival. */
  order: number;
}

/** How many samples are kept, in how many bins an axis is cut, and who decides ties. */
export interface SampleStoreOptions {
  capacity: number;
  binsPerAxis: number;
  /** Uniform numbers in [0, 1) that decide ties; without it the bin whose front sample arrived first wins. */
  random?: () => number;
}

class Axis {
  low = Infinity;
  high = -Infinity;

  /** Whether the bounds had to grow. */
  include(z: number): boolean {
    const grows = z < this.low || z > this.high;
    this.low = Math.min(this.low, z);
    this.high = Math.max(this.high, z);
    return grows;
  }

  bin(z: number, bins: number): number {
    if (this.high <= this.low) return 0;
    return Math.min(bins - 1, Math.max(0, Math.trunc(((z - this.low) / (this.high - this.low)) * bins)));
  }
}

/** A bounded, evenly spread set of samples. */
export class SampleStore {
  readonly #capacity: number;
  readonly #bins: number;
  readonly #random: (() => number) | undefined;
  readonly #axes = [new Axis(), new Axis()] as const;
  #byBin = new Map<number, Stored[]>();
  #size = 0;
  #arrivals = 0;

  constructor({ capacity, binsPerAxis, random }: SampleStoreOptions) {
    this.#capacity = capacity;
    this.#bins = binsPerAxis;
    this.#random = random;
  }

  /** Samples held. */
  get size(): number {
    return this.#size;
  }

  /** Takes a sample and drops one when there are too many. */
  add(sample: Sample): void {
    const { x1, x2, y } = sample;
    const stored = {
      x1,
      x2,
      y,
      z1: Math.log(1 + x1),
      z2: Math.log(1 + x2),
      order: this.#arrivals++,
    };
    const grown1 = this.#axes[0].include(stored.z1), grown2 = this.#axes[1].include(stored.z2);
    if ((grown1 || grown2) && this.#size > 0) this.#rebin();
    this.#put(stored);
    this.#size++;
    if (this.#size > this.#capacity) this.#dropOne();
  }

  /** Writes the samples, bin by bin, into columns at least `size` long. */
  copyTo(columns: SampleColumns): void {
    let at = 0;
    for (const bin of this.#byBin.values()) {
      for (let i = 0; i < bin.length; i++, at++) {
        columns.x1[at] = bin[i].x1;
        columns.x2[at] = bin[i].x2;
        columns.y[at] = bin[i].y;
      }
    }
  }

  #put(sample: Stored): void {
    const key = this.#axes[0].bin(sample.z1, this.#bins) * this.#bins + this.#axes[1].bin(sample.z2, this.#bins);
    const bin = this.#byBin.get(key);
    if (bin) bin.push(sample);
    else this.#byBin.set(key, [sample]);
  }

  #rebin(): void {
    const bins = [...this.#byBin.values()];
    if (this.#random) shuffle(bins, this.#random);
    else bins.sort((a, b) => a[0].order - b[0].order);
    this.#byBin = new Map();
    for (const bin of bins) for (const sample of bin) this.#put(sample);
  }

  #dropOne(): void {
    const random = this.#random;
    const chosen = random === undefined ? this.#firstOfFullest() : this.#drawnOfFullest(random);
    const [key, bin] = chosen;
    bin.shift();
    if (bin.length === 0) this.#byBin.delete(key);
    this.#size--;
  }

  /** Of the fullest bins the one whose front sample arrived first. */
  #firstOfFullest(): [number, Stored[]] {
    let key = -1, chosen: Stored[] = [];
    for (const [at, bin] of this.#byBin) {
      const lead = bin.length - chosen.length;
      if (lead < 0 || (lead === 0 && bin[0].order >= chosen[0].order)) continue;
      key = at;
      chosen = bin;
    }
    return [key, chosen];
  }

  #drawnOfFullest(random: () => number): [number, Stored[]] {
    let fullest: [number, Stored[]][] = [];
    for (const entry of this.#byBin) {
      const lead = entry[1].length - (fullest[0]?.[1].length ?? 0);
      if (lead > 0) fullest = [entry];
      else if (lead === 0) fullest.push(entry);
    }
    return fullest[Math.floor(random() * fullest.length)];
  }
}

function shuffle<T>(items: T[], random: () => number): void {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [items[i], items[j]] = [items[j], items[i]];
  }
}
