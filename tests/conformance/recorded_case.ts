/**
 * Runs a case that was recorded with everything the reference tells, and finds every difference. Where a kv_router's
 * picks were recorded they are imposed, since the reference breaks ties at random.
 */
import { readPolicyFile } from "../../lib/router/policy_file.ts";
import { compareSnapshots, type Difference } from "./compare.ts";
import { Playback, type RecordedPick, settingsOf } from "./playback_router.ts";
import { type Case, differences, runCase } from "./replay_case.ts";

/**
 * A pick of the kv_router: scheduler, cost, leading resident blocks; or, with four values, the scheduler as a worker and
 * one of its ranks.
 */
type Pick = [number, number, number] | [number, number, number, number];

/** A case of a pack. */
export interface RecordedCase extends Case {
  /** What it is a case of. */
  kind?: string;
  fmt?: string;
  /** What the kv_router picked, in order. */
  picks?: Pick[];
  /** The router's policy file. */
  policy_file?: Record<string, unknown>;
}

/** Every difference between the recorded run and ours. */
export async function recordedDifferences(given: RecordedCase): Promise<Difference[]> {
  const playback = given.picks && playbackOf(given, given.picks);
  const result = await runCase(given, { router: playback?.router });
  const found = differences(given, result);
  // A run that fails has no report, but its policy was asked before.
  if (given.expected.error && given.expected.snapshots) {
    found.push(...compareSnapshots(result.snapshots ?? [], given.expected.snapshots));
  }
  for (const problem of playback?.problems ?? []) {
    found.push({ path: "router", expected: "the recorded pick", actual: problem });
  }
  if (playback && !given.expected.hang && playback.imposed !== given.picks!.length) {
    found.push({ path: "router.picks", expected: given.picks!.length, actual: playback.imposed });
  }
  return found;
}

function playbackOf(given: RecordedCase, picks: readonly Pick[]): Playback {
  const { engine_args, extra_engine_args, prefill_engine_args, decode_engine_args, policy_file } = given;
  const sizes: Record<string, unknown> = {
    agg: (engine_args ?? extra_engine_args)?.dp_size,
    prefill: prefill_engine_args?.dp_size,
    decode: decode_engine_args?.dp_size,
  };
  const settings = settingsOf(given.options);
  const profile = policy_file ? readPolicyFile(policy_file).profile : settings.profile;
  let next = 0;
  return new Playback({ ...settings, profile }, (_arrival, pool): RecordedPick | undefined => {
    const pick = picks[next++];
    if (pick === undefined) return undefined;
    if (pick.length === 3) return { rank: pick[0], cost: pick[1], overlap: pick[2] };
    const [worker, rank, cost, overlap] = pick;
    return { rank: worker * ((sizes[pool] ?? 1) as number) + rank, cost, overlap };
  });
}
