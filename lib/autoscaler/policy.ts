/**
 * Autoscalers of roles as the scaling policy of a cluster: each role is looked at in periods of its own, and what was
 * seen and decided is told to a listener.
 *
 * @module
 */
import { noFindings, type PlannerListener, type TickView } from "../planner/listener.ts";
import { nonDraining, type RoleName, ROLES } from "../planner/observations.ts";
import type { Decision, ScalingPolicy, Snapshot } from "../planner/policy.ts";
import type { ScheduledTick } from "../planner/schedule.ts";
import { type MeasuredRole, Metrics } from "./metrics.ts";
import type { RoleState, RoleVerdict } from "./role_scaler.ts";

/** Something that is done for a role in a period. */
export interface ScalingLoop {
  /** Whose replicas it decides. */
  role: RoleName;
  /** Seconds between its turns; the first comes after that time. */
  everySeconds: number;
  /** Decides; null leaves it to the loops after it. */
  decide(state: RoleState): RoleVerdict | null;
}

/** A tick with what was decided for each role that was looked at. */
export interface AutoscalerTick extends TickView {
  /** By role. */
  verdicts: Partial<Record<RoleName, RoleVerdict>>;
}

/** Hears from autoscalers. */
export interface AutoscalerListener extends Pick<PlannerListener, "scaled"> {
  /** A tick was decided. */
  ticked(tick: AutoscalerTick): void;
}

/** What a policy is made of. */
export interface AutoscalerPolicyOptions {
  /** In the order in which loops that are due at the same time are asked. */
  loops: readonly ScalingLoop[];
  /** What is known of each role. */
  measured: Partial<Record<RoleName, MeasuredRole>>;
  /** Hears of ticks and changes. */
  listener?: AutoscalerListener;
}

/** Times are compared with this slack. */
const SLACK_S = 1e-9;

/** Scales each role by its loops. */
export class AutoscalerPolicy implements ScalingPolicy {
  readonly #loops: { loop: ScalingLoop; turns: number }[];
  readonly #metrics: Metrics;
  readonly #listener: AutoscalerListener | null;
  readonly #disaggregated: boolean;
  #lastS = 0;

  constructor({ loops, measured, listener }: AutoscalerPolicyOptions) {
    this.#loops = loops.map((loop) => ({ loop, turns: 0 }));
    this.#metrics = new Metrics(measured);
    this.#disaggregated = measured.prefill !== undefined;
    this.#listener = listener ?? null;
  }

  initialTickMs(): number {
    return this.#nextS() * 1000;
  }

  onTick(snapshot: Snapshot): Decision {
    const atS = snapshot.nowMs / 1000;
    const traffic = this.#metrics.update(snapshot);
    const verdicts: Partial<Record<RoleName, RoleVerdict>> = {};
    for (const entry of this.#loops) {
      const { loop, turns } = entry;
      if ((turns + 1) * loop.everySeconds > atS + SLACK_S) continue;
      entry.turns++;
      if (verdicts[loop.role]) continue;
      const { active, starting, draining } = snapshot[loop.role];
      const verdict = loop.decide({
        nowS: atS,
        active: active.length,
        starting: starting.length,
        draining: draining.length,
        sample: (metric) => this.#metrics.sample(loop.role, metric),
      });
      if (verdict !== null) verdicts[loop.role] = verdict;
    }
    const targets = { prefill: null as number | null, decode: null as number | null };
    for (const role of ROLES) {
      const verdict = verdicts[role], from = nonDraining(snapshot[role]);
      if (!verdict || verdict.replicas === from) continue;
      targets[role] = verdict.replicas;
      const component = this.#disaggregated ? role : "agg";
      this.#listener?.scaled({ atS, component, from, to: verdict.replicas });
    }
    const nextS = this.#nextS();
    const decision: Decision = {
      targetPrefill: targets.prefill,
      targetDecode: targets.decode,
      nextTickMs: nextS * 1000,
    };
    this.#listener?.ticked(this.#view(snapshot, { atS, nextS, traffic, verdicts, decision }));
    this.#lastS = atS;
    return decision;
  }

  #nextS(): number {
    return Math.min(...this.#loops.map(({ loop, turns }) => (turns + 1) * loop.everySeconds));
  }

  #view(
    snapshot: Snapshot,
    { atS, nextS, traffic, verdicts, decision }: Pick<AutoscalerTick, "traffic" | "verdicts" | "decision"> & {
      atS: number;
      nextS: number;
    },
  ): AutoscalerTick {
    const plan = (at: number, since: number): ScheduledTick => ({
      atS: at,
      runLoadScaling: true,
      runThroughputScaling: false,
      needTraffic: true,
      useFullTraffic: false,
      trafficDurationS: at - since,
      needPasses: true,
    });
    const prefill = this.#metrics.observed("prefill"), decode = this.#metrics.observed("decode");
    const { targetPrefill, targetDecode } = decision;
    const changes = targetPrefill !== null || targetDecode !== null;
    const reasons = { prefill: verdicts.prefill?.reason ?? null, decode: verdicts.decode?.reason ?? null };
    return {
      tick: plan(atS, this.#lastS),
      next: plan(nextS, atS),
      snapshot,
      traffic,
      counts: { prefill: prefill.counts, decode: decode.counts },
      rows: { prefill: prefill.rows, decode: decode.rows },
      findings: {
        ...noFindings({ prefill: 0, decode: 0 }),
        loadReason: this.#disaggregated ? null : reasons.decode,
        loadReasons: this.#disaggregated ? reasons : { prefill: null, decode: null },
      },
      scaleTo: changes ? { prefill: targetPrefill, decode: targetDecode } : null,
      decision,
      verdicts,
    };
  }
}
