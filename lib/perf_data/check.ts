/**
 * Measurements that cannot be right: a lower precision slower than a higher one at the same shape, a time that falls as
 * work grows, a time below the hardware's bound, an order of magnitude from what another backend takes for the same.
 *
 * @module
 */
import { stopPoint } from "../io/stop.ts";
import { ContextAttentionBound, MoeBound } from "../timing/aic/bounds.ts";
import type { Hardware } from "../timing/aic/hardware.ts";
import type { Levels, Member } from "../timing/aic/perf_member.ts";
import { productSlice } from "../timing/aic/readings.ts";
import { DOUBTFUL } from "../timing/aic/catalog.ts";
import { OWN, type PerfSet } from "../timing/aic/perf_set.ts";
import {
  FMHA_MODES,
  type FmhaMode,
  GEMM_MODES,
  type GemmMode,
  KV_MODES,
  type KvMode,
  MOE_MODES,
  type MoeMode,
} from "../timing/aic/quant.ts";

/** What is wrong with points of a table. */
export type CheckRule = "slower in lower precision" | "falls as work grows" | "below the bound" | "far from siblings";

/** Points of one table that break a rule. */
export interface Finding {
  /** Member of the set, e.g. `gemm/fp8_block`. */
  readonly table: string;
  readonly rule: CheckRule;
  /** Points that break it, and points that were looked at. */
  readonly points: number;
  readonly of: number;
  /** Slices of the table of which a doubtful share breaks it. */
  readonly slices: readonly string[];
  /** The worst of them: where, its milliseconds, and what it was held against. */
  readonly worst: { readonly where: string; readonly ms: number; readonly against: number };
}

/** Kernels shorter than this (milliseconds, in the higher precision) are all overhead: precision does not show. */
const SHORTEST_MS = 0.02;

/** How far apart two times may be. */
export const CHECK_FACTORS: Readonly<Record<CheckRule, number>> = {
  "slower in lower precision": 1.5,
  "falls as work grows": 1.5,
  "below the bound": 1.1,
  "far from siblings": 10,
};

/** A measured point: the table's slice, the keys in it, milliseconds. */
interface Point {
  readonly slice: string;
  readonly keys: readonly number[];
  readonly ms: number;
}

/** Collects the points of one rule in one table. */
class Tally {
  #points = 0;
  #of = 0;
  #worst: Finding["worst"] | undefined;
  #ratio = 0;
  readonly #slices = new Map<string, { points: number; of: number }>();

  constructor(readonly table: string, readonly rule: CheckRule) {}

  /** Holds a time against another; `ratio` says how far apart they are. */
  add(point: Point, against: number, ratio: number): void {
    let slice = this.#slices.get(point.slice);
    if (slice === undefined) this.#slices.set(point.slice, slice = { points: 0, of: 0 });
    this.#of++;
    slice.of++;
    if (!(ratio > CHECK_FACTORS[this.rule])) return;
    this.#points++;
    slice.points++;
    if (ratio <= this.#ratio) return;
    this.#ratio = ratio;
    this.#worst = { where: `${point.slice} ${point.keys.join("·")}`.trim(), ms: point.ms, against };
  }

  finding(): Finding[] {
    const { table, rule } = this;
    if (!this.#worst) return [];
    const doubtful = [...this.#slices].filter(([, { points, of }]) => points > of * DOUBTFUL);
    const slices = doubtful.map(([name]) => name);
    return [{ table, rule, points: this.#points, of: this.#of, slices, worst: this.#worst }];
  }
}

/**
 * What is wrong with a set.
 *
 * @param siblings sets of other backends on the same system
 */
export async function checkSet(set: PerfSet, siblings: readonly PerfSet[] = []): Promise<Finding[]> {
  // What a version measured itself is part of the table of the same name without the prefix.
  const tables = Object.keys(set.header.members).filter((table) => !table.startsWith(OWN));
  const findings: Finding[] = [];
  for (const table of tables) {
    const points = pointsOf(set, table);
    const rules = [
      () => precisionFindings(set, table, points),
      () => fallingFindings(table, points),
      () => boundFindings(set.header.hardware, table, points),
      () => siblingFindings(table, points, siblings),
    ];
    for (const rule of rules) {
      await stopPoint(); // large tables take seconds
      findings.push(...rule());
    }
  }
  return findings;
}

/** Tables whose values were raised to the bound when they were built, so that none lies below it. */
const RAISED = /^(gemm|generation_attention)\//;

function pointsOf(set: PerfSet, table: string): Point[] {
  const member = set.member(table)!;
  if (table.startsWith("gemm/")) return sitePoints(member);
  return member.names().flatMap((slice) => levelPoints(slice, member.levels(slice)!));
}

function sitePoints(member: Member): Point[] {
  const sites = member.sites();
  return Array.from({ length: sites.length }, (_, i) => sites.site(i)).flatMap(({ n, k, keys, values }) =>
    Array.from(keys, (m, i) => ({ slice: productSlice(n, k), keys: [m], ms: values[i] }))
  );
}

/** Points of a grid with any number of axes; of a curve, whose index has the same form with one. */
function levelPoints(slice: string, levels: Levels): Point[] {
  const points: Point[] = [];
  const walk = (level: number, from: number, to: number, path: number[]) => {
    for (let i = from; i < to; i++) {
      const keys = [...path, levels.keys[level][i]];
      if (level === levels.keys.length - 1) points.push({ slice, keys, ms: levels.values[i] });
      else walk(level + 1, levels.starts[level][i], levels.starts[level][i + 1], keys);
    }
  };
  walk(0, 0, levels.keys[0].length, []);
  return points;
}

const keyOf = ({ slice, keys }: Point) => `${slice} ${keys.join(" ")}`;

/** The same table in bfloat16, where the table's own format is a narrower one that the hardware computes faster in. */
function higherPrecision(table: string): string | undefined {
  const [kind, ...modes] = table.split("/");
  if (modes.every((mode) => mode === "bfloat16")) return undefined;
  const bytes = kind === "gemm"
    ? GEMM_MODES[modes[0] as GemmMode]?.bytes
    : kind === "moe"
    ? MOE_MODES[modes[0] as MoeMode]?.bytes
    : kind === "generation_attention"
    ? KV_MODES[modes[0] as KvMode]
    : undefined;
  return bytes !== undefined && bytes < 2 ? `${kind}/bfloat16` : undefined;
}

function precisionFindings(set: PerfSet, table: string, points: readonly Point[]): Finding[] {
  const other = higherPrecision(table);
  if (other === undefined || !Object.hasOwn(set.header.members, other)) return [];
  const times = new Map(pointsOf(set, other).map((point) => [keyOf(point), point.ms]));
  const tally = new Tally(table, "slower in lower precision");
  for (const point of points) {
    const against = times.get(keyOf(point));
    if (against !== undefined && against >= SHORTEST_MS) tally.add(point, against, point.ms / against);
  }
  return tally.finding();
}

/** Along the last axis. */
function fallingFindings(table: string, points: readonly Point[]): Finding[] {
  const tally = new Tally(table, "falls as work grows");
  let row = "", longest = 0;
  for (const point of points) {
    const own = `${point.slice} ${point.keys.slice(0, -1).join(" ")}`;
    if (own !== row) [row, longest] = [own, 0];
    if (longest > 0 && point.ms > 0) tally.add(point, longest, longest / point.ms);
    longest = Math.max(longest, point.ms);
  }
  return tally.finding();
}

function boundFindings(hardware: Hardware, table: string, points: readonly Point[]): Finding[] {
  const bound = boundOf(hardware, table);
  if (bound === undefined || RAISED.test(table)) return [];
  const tally = new Tally(table, "below the bound");
  for (const point of points) {
    const least = bound(point);
    if (least > 0 && point.ms > 0) tally.add(point, least, least / point.ms);
  }
  return tally.finding();
}

/** Bounds of the tables whose slices say all that a bound needs. */
function boundOf(hardware: Hardware, table: string): ((point: Point) => number) | undefined {
  const [kind, ...modes] = table.split("/");
  try {
    if (kind === "moe" && Object.hasOwn(MOE_MODES, modes[0])) {
      const mode = modes[0] as MoeMode;
      return ({ slice, keys }) => {
        const [topk, experts, hidden, inter, moeTensor, moeExpert] = slice.split("|").slice(1).map(Number);
        // how many experts a skewed routing reaches is not known: the weights of one a rank must be read
        const shape = {
          topk,
          experts: Math.min(moeExpert, experts),
          hidden,
          inter,
          moeTensor,
          moeExpert,
          gated: false,
        };
        return new MoeBound(hardware, shape, MOE_MODES[mode], mode).ms(keys[0]);
      };
    }
    if (kind === "context_attention" && Object.hasOwn(FMHA_MODES, modes[0]) && Object.hasOwn(KV_MODES, modes[1])) {
      return ({ slice, keys: [heads, seq, batch] }) => {
        const [kvHeads, headSize, window] = slice.split("|").map(Number);
        const shape = { kvHeads, headSize, window };
        return new ContextAttentionBound(hardware, shape, modes[0] as FmhaMode, modes[1] as KvMode)
          .ms(heads, seq, batch);
      };
    }
  } catch {
    return undefined;
  }
  return undefined;
}

function siblingFindings(table: string, points: readonly Point[], siblings: readonly PerfSet[]): Finding[] {
  const tally = new Tally(table, "far from siblings");
  for (const sibling of siblings) {
    if (!Object.hasOwn(sibling.header.members, table)) continue;
    const times = new Map(pointsOf(sibling, table).map((point) => [keyOf(point), point.ms]));
    for (const point of points) {
      const against = times.get(keyOf(point));
      if (against !== undefined && against > 0 && point.ms > 0) {
        tally.add(point, against, Math.max(point.ms / against, against / point.ms));
      }
    }
  }
  return tally.finding();
}
