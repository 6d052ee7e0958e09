/**
 * A cluster that never makes anybody wait, for tests of admission: every request takes as long as the caller says.
 */
import assert from "node:assert/strict";
import type { AdmissionSource, EndStatus, Traffic } from "../../lib/traffic/workload.ts";

/** One admitted request. */
export interface Visit {
  request: number;
  arrivalMs: number;
  dispatchedMs: number;
  endMs: number;
  /** Prompt tokens, history included. */
  inputTokens: number;
  status: EndStatus;
}

/** How a request fares: how long it takes and how it ends. */
export type Service = (request: number, inputTokens: number) => { ms: number; status?: EndStatus };

/** Plays a load to its end; visits come in the order of admission. */
export function visits(traffic: Traffic, service: Service): Visit[] {
  const source: AdmissionSource = traffic.start();
  const { workload } = traffic;
  const all: Visit[] = [], running: Visit[] = [];
  for (;;) {
    const soonest = () => running.toSorted((a, b) => a.endMs - b.endMs)[0];
    const now = Math.min(source.nextReadyMs(), soonest()?.endMs ?? Infinity);
    if (now === Infinity) break;
    for (let more = true; more;) {
      more = false;
      for (let visit; (visit = soonest()) !== undefined && visit.endMs <= now; more = true) {
        running.splice(running.indexOf(visit), 1);
        const emitted = visit.status === "completed" ? workload.outputTokens[visit.request] : 0;
        source.ended(visit.request, now, visit.status, emitted);
      }
      for (let request; (request = source.admit(now)) >= 0; more = true) {
        const inputTokens = source.promptRuns(request)?.inputTokens ?? workload.inputTokens[request];
        const { ms, status = "completed" } = service(request, inputTokens);
        const visit: Visit = {
          request,
          arrivalMs: source.arrivalMs,
          dispatchedMs: now,
          endMs: now + ms,
          inputTokens,
          status,
        };
        all.push(visit);
        running.push(visit);
        source.dispatched(request, now);
      }
    }
  }
  assert.equal(source.exhausted(), true);
  return all;
}
