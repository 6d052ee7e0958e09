import {
  energyModels
} from "./shared.js";
import {
  addedUp,
  powerOf
} from "./config.js";
import {
  DECODE_QUESTION
} from "./timing.js";
import "./base.js";

// lib/timing/aic/energy_meter.ts
var EnergyMeter = class {
  #base;
  #time;
  #models;
  #width;
  #beyond;
  /** Every question is a pass. */
  inOrder = true;
  ranks;
  mixedMs;
  #ms = 0;
  #coveredMs = 0;
  #sum = 0;
  /**
   * @param base the timing model of `deployment` as the engines of `stack` ask it
   * @param models null where no power was measured: the passes count with their time alone
   */
  constructor(base, deployment, models, stack) {
    this.#base = base;
    this.#time = deployment.forwardPassModel();
    this.#models = models;
    this.#width = this.#time.nextn + 1;
    this.#beyond = DECODE_QUESTION[stack].beyond;
    this.ranks = base.ranks;
    if (base.mixedMs !== void 0) this.mixedMs = this.#mixedMs;
  }
  /** Milliseconds of all passes, those of operators whose energy is known, and their watt-milliseconds of a GPU. */
  get sums() {
    return {
      ms: this.#ms,
      coveredMs: this.#coveredMs,
      energy: this.#sum
    };
  }
  prefillMs(requests, newTokens, prefixTokens) {
    const ms = this.#base.prefillMs(requests, newTokens, prefixTokens);
    this.#add(requests, requests * newTokens, requests * prefixTokens, 0, 0);
    return ms;
  }
  decodeMs(requests, contextTokens, capacityTokens, squaredTokens = 0) {
    const ms = this.#base.decodeMs(requests, contextTokens, capacityTokens, squaredTokens);
    const batch = requests * this.#width;
    this.#add(0, 0, 0, batch, batch * (Math.floor(contextTokens / requests) + this.#beyond));
    return ms;
  }
  #mixedMs(prompts, newTokens, priorTokens, decodes, contextTokens) {
    const ms = this.#base.mixedMs(prompts, newTokens, priorTokens, decodes, contextTokens);
    this.#add(prompts, newTokens, priorTokens, decodes * this.#width, (contextTokens + decodes) * this.#width);
    return ms;
  }
  #add(prompts, newTokens, priorTokens, decodes, decodeTokens) {
    this.#ms += this.#time.sumsMs(prompts, newTokens, priorTokens, decodes, decodeTokens);
    if (this.#models === null) return;
    const { covered, energy } = this.#models;
    this.#coveredMs += covered.sumsMs(prompts, newTokens, priorTokens, decodes, decodeTokens);
    this.#sum += energy.sumsMs(prompts, newTokens, priorTokens, decodes, decodeTokens);
  }
};

// lib/replay/run_power.ts
var RunPower = class {
  #roles;
  #stack;
  #meters = [];
  /** @param stack whose engines ask */
  constructor(roles, stack) {
    this.#roles = roles;
    this.#stack = stack;
  }
  /** The pools, their passes looked at. */
  watched(pools) {
    return pools.map((pool, i) => {
      const deployment = this.#roles[i].measured;
      const meter = new EnergyMeter(pool.timing, deployment, energyModels(deployment), this.#stack);
      this.#meters.push(meter);
      return {
        ...pool,
        timing: meter
      };
    });
  }
  /** What the run drew. */
  power() {
    return powerOf(addedUp(this.#meters.map(({ sums }) => sums)));
  }
};
export {
  RunPower
};
