/**
 * What figures rest on: whether much of a pass comes from far beyond what was measured, or from tables of which a large
 * part cannot be right.
 *
 * @module
 */
import { ConfigError, SimulationError } from "../../errors.ts";
import type { FlaggedTable } from "./catalog.ts";
import type { Deployment } from "./deployment.ts";
import type { OperatorTime, PassLoad } from "./forward_pass_model.ts";
import type { OperatorSpec } from "./operator_spec.ts";
import { ATTENTION, isLogits } from "./pass_plan.ts";
import { PROBES } from "./precision_check.ts";
import { type Reading, readingsOf } from "./readings.ts";

/** Share of the time that may rest on such measurements before a warning. */
const SHARE = 0.25;
/** How many times the largest measurement may be exceeded. */
const FAR = 2;
/** Share of a table's points that break a rule before the table is doubted. */
const DOUBTFUL = 0.2;

/** Part of a pass: operators of one list, asked at one point. */
interface Part {
  readonly list: "context" | "generation";
  readonly specs: readonly OperatorSpec[];
  readonly batch: number;
  readonly seq: number;
  readonly prefix: number;
}

/** A plain operator in a pass, with what it read. */
interface Row extends OperatorTime {
  readonly readings: readonly Reading[];
}

/**
 * Warnings about figures of which more than a quarter rests on measurements more than twice exceeded, or on tables of
 * which more than a fifth cannot be right; empty when there is nothing to say, or nothing measured is used.
 *
 * @param loads the passes to judge, all together. Default: a prompt of 2048 tokens and decode steps of 1 and 32
 *   sequences of that length, one by one
 *
 * @example
 * ```ts
 * import { deploy, evidenceWarnings } from "dynosim";
 *
 * const deployment = deploy({ model: "meta-llama/Meta-Llama-3.1-8B", hardware: "h200_sxm" });
 * const far = { num_decode_requests: 8, sum_decode_kv_tokens: 8 * 4_000_000 };
 * console.log(evidenceWarnings(deployment, [far]).length); // 1
 * ```
 */
export function evidenceWarnings(deployment: Deployment, loads?: readonly PassLoad[]): string[] {
  if (deployment.databaseMode === "SOL" || deployment.databaseMode === "EMPIRICAL") return [];
  if (!Object.hasOwn(deployment.catalog.system(deployment.hardware.name).backends, deployment.backend)) return [];
  const judge = new Judge(deployment);
  const { context, generation } = deployment.lists;
  const passes: [string, Part[]][] = loads
    ? [[
      loads.length === 1 ? "the pass" : `the ${loads.length} passes looked at`,
      loads.flatMap((load) => partsOf(load, deployment)),
    ]]
    : PROBES.map(({ what, batch, seq, list }) => {
      return [what, [{ list, specs: list === "context" ? context : generation, batch, seq, prefix: 0 }]];
    });
  return judge.warnings(passes);
}

/** As `ForwardPassModel.passMs` asks for a load. */
function partsOf(load: PassLoad, { lists: { context, generation } }: Deployment): Part[] {
  const { num_prefill_requests: prompts = 0, sum_prefill_tokens: fresh = 0, sum_prefill_kv_tokens: prior = 0 } = load;
  const { num_decode_requests: decodes = 0, sum_decode_kv_tokens: known = 0 } = load;
  const each = (sum: number, count: number) => Math.floor(sum / count);
  if (fresh === 0) {
    if (decodes === 0) return [];
    return [{ list: "generation", specs: generation, batch: decodes, seq: each(known, decodes), prefix: 0 }];
  }
  if (decodes === 0) {
    return [{
      list: "context",
      specs: context,
      batch: prompts,
      seq: each(fresh, prompts),
      prefix: each(prior, prompts),
    }];
  }
  const seq = Math.max(each(fresh, prompts), 1), prefix = each(prior, prompts);
  const batch = Math.max(each(fresh + seq - 1, seq), 1), length = Math.max(each(known, decodes), 1);
  const others = context.filter(({ name }) => name !== ATTENTION.context);
  return [
    { list: "context", specs: others, batch: 1, seq: fresh + decodes, prefix: prior },
    { list: "context", specs: context.filter(({ name }) => name === ATTENTION.context), batch, seq, prefix },
    {
      list: "generation",
      specs: generation.filter(({ name }) => name === ATTENTION.generation),
      batch: decodes,
      seq: length,
      prefix: 0,
    },
  ];
}

class Judge {
  readonly #deployment: Deployment;
  readonly #flagged: Readonly<Record<string, FlaggedTable>>;

  constructor(deployment: Deployment) {
    this.#deployment = deployment;
    const { hardware: { name: system }, backend, backendVersion: version, catalog } = deployment;
    this.#flagged = catalog.flaggedTables({ system, backend, version });
  }

  warnings(passes: readonly (readonly [string, readonly Part[]])[]): string[] {
    const far: string[] = [], doubted: string[] = [];
    const farReadings = new Map<string, string>(), doubtedTables = new Map<string, string>();
    for (const [what, parts] of passes) {
      const rows = parts.flatMap((part) => this.#rows(part));
      const total = sum(rows);
      if (!(total > 0)) continue;
      const beyond = rows.filter((row) => row.readings.some(isFar));
      if (sum(beyond) > total * SHARE) {
        far.push(`${percent(sum(beyond) / total)} of ${what}`);
        for (const row of beyond) {
          const worst = row.readings.reduce((a, b) => b.beyond > a.beyond ? b : a);
          farReadings.set(`${row.name} ${worst.table}`, `${row.name}: ${placeOf(worst)}`);
        }
      }
      const wrong = rows.filter((row) => row.readings.some(({ table }) => this.#doubt(table) !== undefined));
      if (sum(wrong) > total * SHARE) {
        doubted.push(
          `${percent(sum(wrong) / total)} of ${what} (${[...new Set(wrong.map((row) => row.name))].join(", ")})`,
        );
        for (const { readings } of wrong) {
          for (const { table } of readings) {
            const doubt = this.#doubt(table);
            if (doubt !== undefined) doubtedTables.set(table, `${table}: ${doubt}`);
          }
        }
      }
    }
    const { hardware: { name }, backend } = this.#deployment;
    const about = `${name} ${backend}`;
    return [
      ...far.length === 0 ? [] : [
        `${about}: ${listed(far)} is extrapolated from measurements far away (${[...farReadings.values()].join("; ")})`,
      ],
      ...doubted.length === 0 ? [] : [
        `${about}: ${listed(doubted)} rests on tables of which much cannot be right ` +
        `(${[...doubtedTables.values()].join("; ")}); see perf-data check ${name}`,
      ],
    ];
  }

  /** What is wrong with much of a table. */
  #doubt(table: string): string | undefined {
    if (!Object.hasOwn(this.#flagged, table)) return undefined;
    const rules = Object.entries(this.#flagged[table]).filter(([, [points, of]]) => points > of * DOUBTFUL);
    if (rules.length === 0) return undefined;
    return rules.map(([rule, [points, of]]) => `${rule} at ${percent(points / of)} of its points`).join(", ");
  }

  /** Plain operators of a part of a pass; none where measurements have no answer. */
  #rows({ list, specs, batch, seq, prefix }: Part): Row[] {
    const { catalog, hardware: { name: system }, backend, backendVersion: version } = this.#deployment;
    const ask = (asked: readonly OperatorSpec[]): readonly OperatorTime[] | undefined => {
      try {
        const none: OperatorSpec[] = [];
        return list === "context"
          ? this.#deployment.modelOf({ context: asked, generation: none }).contextRows(batch, seq, prefix)
          : this.#deployment.modelOf({ context: none, generation: asked }).generationRows(batch, seq);
      } catch (problem) {
        if (problem instanceof SimulationError || problem instanceof ConfigError) return undefined;
        throw problem;
      }
    };
    const plain = specs.flatMap((spec) => plainOf(spec, (inside) => sum(ask(inside) ?? [{ name: "", ms: NaN }])));
    const times = ask(plain);
    if (times === undefined) return [];
    const set = catalog.load({ system, backend, version });
    return times.map(({ name, ms }, i) => {
      const perSequence = list === "generation" || isLogits(name);
      const tokens = perSequence ? batch : batch * seq;
      return { name, ms, readings: readingsOf(plain[i], { tokens, batch, seq, prefix }, set) };
    });
  }
}

/** The operators that an operator made of others takes its time from. */
function plainOf(spec: OperatorSpec, time: (specs: readonly OperatorSpec[]) => number): OperatorSpec[] {
  const inside = (specs: readonly OperatorSpec[]) => specs.flatMap((one) => plainOf(one, time));
  switch (spec.kind) {
    case "fallback":
      return inside(Number.isNaN(time([spec.primary])) ? spec.list : [spec.primary]);
    case "overlap": {
      const [first, second] = spec.groups;
      return inside(time(first) >= time(second) ? first : second);
    }
    default:
      return [spec];
  }
}

const isFar = ({ beyond }: Reading) => beyond > FAR;
const sum = (rows: readonly OperatorTime[]) => rows.reduce((total, row) => total + row.ms, 0);
const percent = (share: number) => `${Math.round(share * 100)} %`;
const listed = (texts: readonly string[]) => texts.join(" and ");

function placeOf({ table, axis, asked, measured, beyond }: Reading): string {
  const whole = (value: number) => value.toLocaleString("en");
  return `${table} was asked for ${whole(asked)} ${axis}, ${beyond.toFixed(1)} times the ${whole(measured)} measured`;
}
