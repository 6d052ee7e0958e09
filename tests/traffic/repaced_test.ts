import assert from "node:assert/strict";
import { test } from "node:test";
import "../without_user_cache.ts";
import { type AdmissionSource, loadTrace, type Pace, SharedData, type Traffic } from "../../mod.ts";

const ROWS: Record<string, string[]> = {
  "one turn each": [
    '{"timestamp": 1037, "input_length": 700, "output_length": 4, "hash_ids": [1, 2]}',
    '{"timestamp": 10, "input_length": 600, "output_length": 3, "hash_ids": [1, 7]}',
    '{"timestamp": 333, "input_length": 10, "output_length": 3, "hash_ids": [9]}',
  ],
  sessions: [
    '{"session_id": "b", "timestamp": 1037, "input_length": 700, "output_length": 4, "hash_ids": [1, 2]}',
    '{"session_id": "a", "timestamp": 10, "input_length": 600, "output_length": 3, "hash_ids": [1, 7]}',
    '{"session_id": "b", "timestamp": 2333, "input_length": 10, "output_length": 3, "hash_ids": [9]}',
    '{"session_id": "a", "delay": 77, "input_length": 10, "output_length": 3, "hash_ids": [9]}',
  ],
};

/** When which request comes, if each takes 5 ms. */
function admissions({ start }: Traffic): [request: number, arrivalMs: number][] {
  const source: AdmissionSource = start(), seen: [number, number][] = [];
  let now = 0;
  while (!source.exhausted()) {
    now = Math.max(now, source.nextReadyMs());
    const request = source.admit(now);
    seen.push([request, source.arrivalMs]);
    source.dispatched(request, now);
    source.ended(request, now += 5, "completed", 3);
  }
  return seen;
}

const PACES: Pace[] = [{}, { speedup: 3 }, { speedup: 0.7 }, { concurrency: 1 }, { concurrency: 2 }];
const load = (rows: readonly string[], pace: Pace) => loadTrace(new Blob([rows.join("\n")]).stream(), pace);

for (const [name, rows] of Object.entries(ROWS)) {
  test(`Traffic.repaced is the load read at that pace: ${name}`, async () => {
    for (const first of PACES) {
      const traffic = await load(rows, first);
      for (const pace of PACES) {
        const read = await load(rows, pace), repaced = traffic.repaced!(pace);
        assert.deepEqual(admissions(repaced), admissions(read));
        assert.deepEqual(repaced.workload.inputTokens, read.workload.inputTokens);
        assert.deepEqual(repaced.workload.session, read.workload.session);
      }
      assert.deepEqual(admissions(traffic), admissions(await load(rows, first)));
    }
  });
}

test("Traffic.repaced refuses what is no pace", async () => {
  const traffic = await load(ROWS.sessions, {});
  assert.throws(() => traffic.repaced!({ speedup: 0 }), /must be a finite positive number, got 0/);
  assert.throws(() => traffic.repaced!({ concurrency: 0 }), /replay_concurrency must be at least 1/);
});

test("SharedData reads recorded requests once for all paces", async () => {
  const shared = new SharedData();
  let read = 0;
  const at = (pace: Pace) => shared.recorded("requests", pace, () => (read++, load(ROWS.sessions, pace)));
  for (const pace of PACES) assert.deepEqual(admissions(await at(pace)), admissions(await load(ROWS.sessions, pace)));
  assert.equal(read, 2); // once by recorded times, once for a number of sessions
  await assert.rejects(at({ speedup: -1 }), /must be a finite positive number/);
  assert.deepEqual(admissions(await at({})), admissions(await load(ROWS.sessions, {})));
});
