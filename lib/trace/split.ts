/**
 * One trace into two files by time.
 *
 * @module
 */
import type { TraceRequest } from "./request.ts";
import { Sink } from "./stage.ts";

/**
 * A sink that gives requests before `seconds` (counted from the first one) to one sink and the rest to another. Times stay
 * as they are, so the two belong to one clock. A turn without a time goes where the turn before it went.
 */
export function splitSink(before: Sink<TraceRequest>, rest: Sink<TraceRequest>, seconds: number): Sink<TraceRequest> {
  let originMs = NaN;
  const sessions = new Map<string, boolean>();
  const early = ({ timestampMs, sessionId }: TraceRequest): boolean => {
    if (timestampMs === undefined) return sessionId !== undefined && sessions.get(sessionId) === true;
    if (Number.isNaN(originMs)) originMs = timestampMs;
    const result = timestampMs - originMs < seconds * 1000;
    if (sessionId !== undefined) sessions.set(sessionId, result);
    return result;
  };
  return new Sink({
    async write(batch) {
      const first = batch.filter(early);
      if (first.length > 0) await before.parts.write(first);
      if (first.length < batch.length) {
        const chosen = new Set(first);
        await rest.parts.write(batch.filter((request) => !chosen.has(request)));
      }
    },
    async close() {
      await before.parts.close();
      await rest.parts.close();
    },
    async abort(reason) {
      await before.parts.abort(reason);
      await rest.parts.abort(reason);
    },
  });
}
