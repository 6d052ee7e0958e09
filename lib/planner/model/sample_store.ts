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
  low: number;
  high: number;

  constructor(low = Infinity, high = -Infinity) {
    this.low = low;
    this.high = high;
  }

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

/** Samples that are near each other, oldest first. */
interface Bin {
  key: number;
  samples: Stored[];
}

/** A bounded, evenly spread set of samples. */
export class SampleStore {
  readonly #options: SampleStoreOptions;
  #axes: readonly [Axis, Axis] = [new Axis(), new Axis()];
  /** Bins that hold something, in the order in which they began to. */
  #bins: Bin[] = [];
  #byKey = new Map<number, Bin>();
  #size = 0;
  #arrivals = 0;

  constructor(options: SampleStoreOptions) {
    this.#options = options;
  }

  /** The same samples, which go on by themselves. A choice of ties that is drawn goes on in common. */
  clone(): SampleStore {
    const clone = new SampleStore(this.#options), [first, second] = this.#axes;
    clone.#axes = [new Axis(first.low, first.high), new Axis(second.low, second.high)];
    for (const { key, samples } of this.#bins) clone.#open(key, samples.slice());
    clone.#size = this.#size;
    clone.#arrivals = this.#arrivals;
    return clone;
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
    if (this.#size > this.#options.capacity) this.#dropOne();
  }

  /** Writes the samples, bin by bin, into columns at least `size` long. */
  copyTo(columns: SampleColumns): void {
    let at = 0;
    for (const { samples } of this.#bins) {
      for (let i = 0; i < samples.length; i++, at++) {
        columns.x1[at] = samples[i].x1;
        columns.x2[at] = samples[i].x2;
        columns.y[at] = samples[i].y;
      }
    }
  }

  #put(sample: Stored): void {
    const count = this.#options.binsPerAxis;
    const key = this.#axes[0].bin(sample.z1, count) * count + this.#axes[1].bin(sample.z2, count);
    const bin = this.#byKey.get(key);
    if (bin) bin.samples.push(sample);
    else this.#open(key, [sample]);
  }

  #open(key: number, samples: Stored[]): void {
    const bin = { key, samples };
    this.#bins.push(bin);
    this.#byKey.set(key, bin);
  }

  #rebin(): void {
    const bins = this.#bins, { random } = this.#options;
    if (random) shuffle(bins, random);
    else bins.sort((a, b) => a.samples[0].order - b.samples[0].order);
    this.#bins = [];
    this.#byKey = new Map();
    for (const { samples } of bins) for (const sample of samples) this.#put(sample);
  }

  #dropOne(): void {
    const { random } = this.#options;
    const { key, samples } = random === undefined ? this.#firstOfFullest() : this.#drawnOfFullest(random);
    samples.shift();
    if (samples.length === 0) {
      this.#bins.splice(this.#bins.findIndex((bin) => bin.key === key), 1);
      this.#byKey.delete(key);
    }
    this.#size--;
  }

  /** Of the fullest bins the one whose front sample arrived first. */
  #firstOfFullest(): Bin {
    const bins = this.#bins;
    let chosen = bins[0];
    for (let i = 1; i < bins.length; i++) {
      const { samples } = bins[i], lead = samples.length - chosen.samples.length;
      if (lead > 0 || (lead === 0 && samples[0].order < chosen.samples[0].order)) chosen = bins[i];
    }
    return chosen;
  }

  #drawnOfFullest(random: () => number): Bin {
    let fullest: Bin[] = [];
    for (const bin of this.#bins) {
      const lead = bin.samples.length - (fullest[0]?.samples.length ?? 0);
      if (lead > 0) fullest = [bin];
      else if (lead === 0) fullest.push(bin);
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
