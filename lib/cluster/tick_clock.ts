/**
 * When a scaling policy is asked, and what becomes of its answers apart from the workers themselves.
 *
 * @module
 */
import type {
  Pending,
  RoleSnapshot,
  RouterKnobs,
  RouterState,
  ScalingPolicy,
  TrafficWindow,
} from "../planner/policy.ts";
import type { Router } from "../router/router.ts";

/** A cluster as it stands at a tick. */
export interface TickView {
  nowMs: number;
  /** Null in aggregated clusters. */
  prefill: RoleSnapshot | null;
  decode: RoleSnapshot;
  traffic: TrafficWindow;
  routers: { prefill: Router | null; decode: Router };
}

const KNOBS = ["overlap_score_credit", "prefill_load_scale", "temperature"] as const satisfies (keyof RouterKnobs)[];
const NOBODY: RoleSnapshot = { active: [], starting: [], draining: [], passes: [] };

/** The ticks of one run. */
export class TickClock {
  readonly #policy: ScalingPolicy | null;
  /** Time of the next tick, `Infinity` when none is armed; before `arm` anything may be its answer. */
  nextMs: number;
  /** Ticks handled so far. */
  handled = 0;

  constructor(policy: ScalingPolicy | null) {
    this.#policy = policy;
    this.nextMs = policy === null ? Infinity : -Infinity;
  }

  /** Asks for the first tick, once instant `nowMs` has settled. */
  arm(nowMs: number): void {
    if (this.#policy === null) return;
    const first = this.#policy.initialTickMs();
    this.nextMs = Number.isFinite(first) ? Math.max(first, nowMs) : Infinity;
  }

  /** Asks the policy, updates router knobs and arms the next tick. */
  decide(view: TickView): {
    targets: { prefill: number | null; decode: number | null };
    pending: Pending | null;
    armed: boolean;
  } {
    const { prefill, decode } = view.routers;
    const states = { prefill: prefill && stateOf(prefill), decode: stateOf(decode) };
    const routers = states.prefill || states.decode
      ? { ...(states.prefill && { prefill: states.prefill }), ...(states.decode && { decode: states.decode }) }
      : undefined;
    const decision = this.#policy!.onTick({
      tickOrdinal: this.handled++,
      nowMs: view.nowMs,
      prefill: view.prefill ?? NOBODY,
      decode: view.decode,
      traffic: view.traffic,
      ...(routers && { routers }),
    });
    const knobs = decision.routerKnobs;
    if (knobs?.prefill && prefill) turn(prefill, knobs.prefill);
    if (knobs?.decode) turn(decode, knobs.decode);
    const next = decision.nextTickMs;
    this.nextMs = next !== null && Number.isFinite(next) && next > view.nowMs ? next : Infinity;
    return {
      targets: { prefill: decision.targetPrefill, decode: decision.targetDecode },
      pending: decision.pending ?? null,
      armed: this.nextMs < Infinity,
    };
  }
}

/** A policy may name the wanted knobs at every tick; only a difference is a change. */
function turn(router: Router, wanted: RouterKnobs): void {
  const { knobs } = router;
  if (knobs !== null && KNOBS.some((name) => knobs[name] !== wanted[name])) router.update(wanted);
}

function stateOf(router: Router): RouterState | null {
  if (router.knobs === null) return null;
  return { state: "active", revision: router.revision, parameters: { ...router.knobs } };
}
