/**
 * How fast replicas may change: stabilisation windows and scaling policies of `autoscaling/v2` (Kubernetes
 * documentation, "Configurable scaling behavior").
 *
 * @module
 */

/** Most change within a period: so many replicas, or percent of what there was at its start. */
export interface RatePolicy {
  /** What `value` counts. */
  type: "Pods" | "Percent";
  /** How much. */
  value: number;
  /** Length of the period. */
  period_seconds: number;
}

/** Rules of one direction. */
export interface ScalingRules {
  /** The most cautious recommendation of so many seconds counts. */
  stabilization_window_seconds: number;
  /** Which of several policies counts: the one that allows most, least, or no change at all. */
  select_policy: "Max" | "Min" | "Disabled";
  /** The policies; without any the speed is not limited. */
  policies: readonly RatePolicy[];
}

/** Rules of both directions. */
export interface Behavior {
  /** When replicas are added. */
  scale_up: ScalingRules;
  /** When replicas are taken away. */
  scale_down: ScalingRules;
}

/** Bounds of the number of replicas. */
export interface ReplicaBounds {
  /** At least. */
  least: number;
  /** At most. */
  most: number;
}

/** What limits a recommendation, and what is left of it. */
export interface Limited {
  /** Replicas. */
  replicas: number;
  /** What held it back; null when nothing did. */
  by: "stabilization" | "policy" | "bounds" | null;
}

interface Remembered {
  atS: number;
  count: number;
}

const sumSince = (events: readonly Remembered[], atS: number) =>
  events.reduce((sum, event) => event.atS > atS ? sum + event.count : sum, 0);

/** Remembers recommendations and changes of one set of replicas. */
export class Stabilizer {
  readonly #behavior: Behavior;
  readonly #bounds: ReplicaBounds;
  #recommendations: Remembered[] | null = null;
  #added: Remembered[] = [];
  #removed: Remembered[] = [];

  constructor(behavior: Behavior, bounds: ReplicaBounds) {
    this.#behavior = behavior;
    this.#bounds = bounds;
  }

  /** What becomes of a recommendation at a time. */
  limit(wanted: number, current: number, nowS: number): Limited {
    const steady = this.#stabilized(wanted, current, nowS);
    const replicas = this.#paced(steady, current, nowS);
    const by = replicas === wanted
      ? null
      : steady !== wanted && replicas === steady
      ? "stabilization"
      : replicas === this.#bounds.most || replicas === this.#bounds.least
      ? "bounds"
      : "policy";
    return { replicas, by };
  }

  /** The number of replicas was changed. */
  changed(from: number, to: number, nowS: number): void {
    if (to > from) this.#added.push({ atS: nowS, count: to - from });
    else if (to < from) this.#removed.push({ atS: nowS, count: from - to });
    const { scale_up, scale_down } = this.#behavior;
    const longest = Math.max(
      0,
      ...[scale_up, scale_down].flatMap(({ policies }) => policies.map(({ period_seconds }) => period_seconds)),
    );
    this.#added = this.#added.filter(({ atS }) => atS > nowS - longest);
    this.#removed = this.#removed.filter(({ atS }) => atS > nowS - longest);
  }

  /** The least of the upward window, and the most of the downward one, if the replicas are outside of these. */
  #stabilized(wanted: number, current: number, nowS: number): number {
    const { scale_up, scale_down } = this.#behavior;
    const up = scale_up.stabilization_window_seconds, down = scale_down.stabilization_window_seconds;
    // the first thing that is known is what there is
    this.#recommendations ??= [{ atS: nowS, count: current }];
    let least = wanted, most = wanted;
    for (const { atS, count } of this.#recommendations) {
      if (atS > nowS - up) least = Math.min(least, count);
      if (atS > nowS - down) most = Math.max(most, count);
    }
    this.#recommendations = this.#recommendations.filter(({ atS }) => atS > nowS - Math.max(up, down));
    this.#recommendations.push({ atS: nowS, count: wanted });
    return Math.min(Math.max(current, least), most);
  }

  #paced(wanted: number, current: number, nowS: number): number {
    const { least, most } = this.#bounds;
    if (wanted > current) return Math.min(wanted, most, Math.max(this.#upTo(current, nowS), current));
    if (wanted < current) return Math.max(wanted, least, Math.min(this.#downTo(current, nowS), current));
    return wanted;
  }

  #upTo(current: number, nowS: number): number {
    const { select_policy, policies } = this.#behavior.scale_up;
    if (select_policy === "Disabled") return current;
    if (policies.length === 0) return Infinity;
    const allowed = policies.map((policy) => {
      const start = this.#atStartOf(policy, current, nowS);
      return policy.type === "Pods" ? start + policy.value : Math.ceil(start * (100 + policy.value) / 100);
    });
    return select_policy === "Min" ? Math.min(...allowed) : Math.max(...allowed);
  }

  #downTo(current: number, nowS: number): number {
    const { select_policy, policies } = this.#behavior.scale_down;
    if (select_policy === "Disabled") return current;
    if (policies.length === 0) return 0;
    const allowed = policies.map((policy) => {
      const start = this.#atStartOf(policy, current, nowS);
      return policy.type === "Pods" ? start - policy.value : Math.trunc(start * (100 - policy.value) / 100);
    });
    return select_policy === "Min" ? Math.max(...allowed) : Math.min(...allowed);
  }

  /** Replicas when the period of a policy began. */
  #atStartOf({ period_seconds }: RatePolicy, current: number, nowS: number): number {
    const since = nowS - period_seconds;
    return current - sumSince(this.#added, since) + sumSince(this.#removed, since);
  }
}
