/**
 * What is ruled out without a replay because it is too slow or cannot be timed: every shape is asked for its best pass
 * over the shortest prompt and its best decode step. What misses the SLA then misses it always.
 *
 * @module
 */
import { ConfigError } from "../errors.ts";
import type { Backend } from "../engine/settings.ts";
import type { JobRunner } from "../jobs/job.ts";
import type { Branch, PoolEntry, Suggestion } from "./branch.ts";
import { CandidateMaker } from "./candidate.ts";
import type { CandidateAnswer, CandidateTask, IdleRole, LoadFacts } from "./candidate_jobs.ts";
import { type RoleKey, rolesOfMode } from "./engine_domain.ts";
import type { Recommendation } from "./recommendation.ts";
import { Points } from "./points.ts";
import type { RuledOut } from "./pool.ts";
import type { Goal } from "./score.ts";
import { PARALLELISM_KEYS, type Replicas } from "./shapes.ts";
import type { SearchSpace } from "./space.ts";

/** A space with nothing in it that cannot be wanted, and the sizes of its load. */
export interface Surveyed {
  space: SearchSpace;
  load: LoadFacts | null;
}

/** An idle pass must miss its bound by this factor: estimates are not smooth to the last percent. */
const MARGIN = 1.01;

const keyOf = (role: RoleKey, backend: Backend, shape: Replicas): string =>
  [role, backend, ...PARALLELISM_KEYS.map(([key, name]) => key === "replicas" ? "" : shape[name])].join(" ");

/** Asks about every shape of a space once. */
export async function survey(
  search: Recommendation,
  space: SearchSpace,
  goal: Goal,
  runner: JobRunner<CandidateTask, CandidateAnswer>,
  signal?: AbortSignal,
): Promise<Surveyed> {
  const maker = new CandidateMaker(search, space);
  const idle = new Map<string, IdleRole>();
  let load: LoadFacts | null = null;
  const ask = async (point: Suggestion, keys: readonly string[]): Promise<void> => {
    const { document } = maker.make(point);
    if (document === null) return;
    const outcome = await runner.do(
      { id: null, data: { ask: "idle", document, stack: search.stack, requests: null } },
      { signal },
    );
    if (outcome.status !== "done" || !outcome.result.ok || !("idle" in outcome.result)) return;
    load ??= outcome.result.load;
    for (const [i, found] of outcome.result.idle.entries()) idle.set(keys[i], found);
  };
  const questions: Promise<void>[] = [];
  const asked = new Set<string>();
  for (const branch of space.branches) {
    for (const { entry, backend } of pairsOf(branch)) {
      const keys = rolesOfMode(branch.mode).map((role, i) => keyOf(role, backend, entry.roles[i]));
      if (keys.every((key) => asked.has(key))) continue;
      for (const key of keys) asked.add(key);
      const point = firstPoint({ ...branch, pool: [entry] }, backend);
      if (point !== null) questions.push(ask(point, keys));
    }
  }
  await Promise.all(questions);
  if (load === null) return { space, load };
  return { space: narrowed(space, goal, idle, load), load };
}

function* pairsOf({ pool, choices }: Branch): Generator<{ entry: PoolEntry; backend: Backend }> {
  for (const entry of pool) {
    for (const backend of choices.get("backend") as readonly Backend[]) {
      if (entry.backends.has(backend)) yield { entry, backend };
    }
  }
}

function firstPoint(branch: Branch, backend: Backend): Suggestion | null {
  for (const point of new Points([branch]).spread(0)) if (point.backend === backend) return point;
  return null;
}

/** The space without what has no times or misses the SLA. */
function narrowed(space: SearchSpace, goal: Goal, idle: ReadonlyMap<string, IdleRole>, load: LoadFacts): SearchSpace {
  const ruledOut = new Map<string, RuledOut>();
  const branches = space.branches.map((branch) => {
    const roles = rolesOfMode(branch.mode);
    const pool = branch.pool.map((entry): PoolEntry => {
      const backends = [...entry.backends].filter((backend) => {
        const found = roles.map((role, i) => idle.get(keyOf(role, backend, entry.roles[i])));
        const why = objection(found, goal, load);
        if (why === null) return true;
        const { role, reason, kind } = why;
        const key = keyOf(roles[role], backend, entry.roles[role]);
        const known = ruledOut.get(key) ?? {
          mode: branch.mode,
          backend,
          role: roles[role],
          shape: { ...entry.roles[role], replicas: 1 },
          why: kind,
          reason,
          combinations: 0,
        };
        known.combinations++;
        ruledOut.set(key, known);
        return false;
      });
      return { ...entry, backends: new Set(backends) };
    }).filter(({ backends }) => backends.size > 0);
    const left = (branch.choices.get("backend") as readonly Backend[])
      .filter((backend) => pool.some(({ backends }) => backends.has(backend)));
    const choices = new Map(branch.choices);
    choices.set("backend", left);
    return { ...branch, pool, choices };
  }).filter(({ pool }) => pool.length > 0);
  if (branches.length === 0) throw nothingLeft([...ruledOut.values()]);
  return { ...space, branches, ruledOut: [...space.ruledOut, ...ruledOut.values()] };
}

interface Objection {
  role: number;
  kind: "data" | "sla";
  reason: string;
}

/** Why a choice of shapes is out; null when nothing speaks against it. */
function objection(roles: readonly (IdleRole | undefined)[], goal: Goal, load: LoadFacts): Objection | null {
  const untimed = roles.findIndex((found) => found !== undefined && "problem" in found);
  if (untimed >= 0) return { role: untimed, kind: "data", reason: (roles[untimed] as { problem: string }).problem };
  const counts = goal.strictSla || goal.minAttainment !== null ||
    ["goodput", "goodput_per_gpu", "min_gpus"].includes(goal.target);
  if (goal.sla === null || !counts || roles.includes(undefined)) return null;
  const times = roles as readonly { prefillMs: number; decodeMs: number }[];
  const first = times[0].prefillMs, step = times.at(-1)!.decodeMs;
  const { ttft_ms, itl_ms, e2e_ms } = goal.sla;
  const misses = (ms: number, bound: number | null) => bound !== null && ms > bound * MARGIN;
  const told = (what: string, ms: number, bound: number | null) =>
    `${what} takes ${ms.toFixed(1)} ms when idle, more than ${bound} ms`;
  if (misses(first, ttft_ms)) return { role: 0, kind: "sla", reason: told("the shortest prompt", first, ttft_ms) };
  if (load.shortestOutput > 1 && misses(step, itl_ms)) {
    return { role: times.length - 1, kind: "sla", reason: told("a decode step", step, itl_ms) };
  }
  const whole = first + (load.shortestOutput - 1) * step;
  return misses(whole, e2e_ms)
    ? { role: times.length - 1, kind: "sla", reason: told("the shortest request", whole, e2e_ms) }
    : null;
}

function nothingLeft(ruledOut: readonly RuledOut[]): ConfigError {
  const sla = ruledOut.filter(({ why }) => why === "sla");
  const [first] = sla.length > 0 ? sla : ruledOut;
  const message = sla.length > 0
    ? `no legal shape can keep the SLA: on each of them ${first.reason}`
    : `no legal shape can be timed: ${first.reason}`;
  return new ConfigError(message, [{ path: sla.length > 0 ? "evaluation.sla" : "engine", message }]);
}
