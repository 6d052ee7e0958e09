/**
 * What figures rest on: whether much of a pass comes from far beyond what was measured, or from tables of which a large
 * part cannot be right.
 *
 * @module
 */
import { ConfigError } from "../../errors.ts";
import { DOUBTFUL, type FlaggedTable, type PerfCatalog, type SetName } from "./catalog.ts";
import type { Deployment } from "./deployment.ts";
import type { PassLoad } from "./forward_pass_model.ts";
import type { PerfSet } from "./perf_set.ts";
import type { OperatorSpec } from "./operator_spec.ts";
import { type AskedPoint, type PlainRow, plainSpecs } from "./plain_rows.ts";
import { passText, probes } from "./probes.ts";
import { type Reading, readingsOf } from "./readings.ts";

/** Share of the time that may rest on such measurements before a warning. */
const SHARE = 0.25;
/** How many times the largest measurement may be exceeded. */
const FAR = 2;

/** A plain operator in a pass, with what it read. */
interface Row extends PlainRow {
  readonly readings: readonly Reading[];
}

/** A pass, and the share of all time that it stands for; absent: its own time counts. */
export interface JudgedPass {
  readonly load: PassLoad;
  readonly share?: number;
}

/**
 * Warnings about figures of which more than a quarter rests on measurements more than twice exceeded, or on slices of which
 * more than a fifth cannot be right, in tables of which that is true as well; empty when there is nothing to say, or nothing measured is used.
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
  const evidence = new Evidence(deployment);
  if (loads === undefined) return evidence.ofEach(probes());
  const what = loads.length === 1 ? "the pass" : `the ${loads.length} passes looked at`;
  return evidence.ofAll(what, loads.map((load) => ({ load })));
}

/** Judges passes of a deployment, and warns of each measurement once. */
export class Evidence {
  readonly #deployment: Deployment;
  /** Null where nothing measured is read at its place. */
  readonly #set: PerfSet | null;
  readonly #flagged: Readonly<Record<string, FlaggedTable>>;
  readonly #told = new Set<string>();

  constructor(deployment: Deployment) {
    this.#deployment = deployment;
    const { hardware: { name: system }, backend, catalog, databaseMode } = deployment;
    const measured = databaseMode !== "SOL" && databaseMode !== "EMPIRICAL" &&
      Object.hasOwn(catalog.system(system).backends, backend);
    const name = measured ? { system, backend, version: deployment.backendVersion } : null;
    this.#set = name && setIfThere(catalog, name);
    this.#flagged = name === null ? {} : catalog.flaggedTables(name);
  }

  /** Warnings about passes one by one. */
  ofEach(loads: readonly PassLoad[]): string[] {
    return this.#warnings(loads.map((load) => [passText(load), [{ load }]]));
  }

  /** Warnings about the time of passes together. */
  ofAll(what: string, passes: readonly JudgedPass[]): string[] {
    return this.#warnings([[what, passes]]);
  }

  #warnings(groups: readonly (readonly [string, readonly JudgedPass[]])[]): string[] {
    if (this.#set === null || this.#nothingAgainst(groups.flatMap(([, passes]) => passes))) return [];
    const far: string[] = [], doubted: string[] = [];
    const farReadings = new Map<string, string>(), doubtedTables = new Map<string, string>();
    for (const [what, passes] of groups) {
      const rows = passes.flatMap((pass) => this.#rows(pass));
      const total = sum(rows);
      if (!(total > 0)) continue;
      const beyond = rows.filter((row) => row.readings.some(isFar));
      if (sum(beyond) > total * SHARE) {
        far.push(`${percent(sum(beyond) / total)} of ${what}`);
        for (const [place, worst] of worstOf(beyond)) farReadings.set(place, placeOf(worst));
      }
      const wrong = rows.filter((row) => row.readings.some((reading) => this.#doubt(reading) !== undefined));
      if (sum(wrong) > total * SHARE) {
        doubted.push(
          `${percent(sum(wrong) / total)} of ${what} (${[...new Set(wrong.map((row) => row.name))].join(", ")})`,
        );
        for (const { readings } of wrong) {
          for (const reading of readings) {
            const doubt = this.#doubt(reading);
            if (doubt !== undefined) doubtedTables.set(reading.table, `: ${doubt}`);
          }
        }
      }
    }
    const { hardware: { name }, backend } = this.#deployment;
    const about = `${name} ${backend}`;
    return [
      ...this.#new(farReadings)
        ? [`${about}: ${listed(far)} is extrapolated from measurements far away (${entries(farReadings)})`]
        : [],
      ...this.#new(doubtedTables)
        ? [
          `${about}: ${listed(doubted)} rests on tables of which much cannot be right (${entries(doubtedTables)}); ` +
          `see perf-data check ${name}`,
        ]
        : [],
    ];
  }

  /**
   * Whether nothing that passes may read is doubted, or far from what all of them together ask for at most: most
   * deployments are done here, without timing a pass.
   */
  #nothingAgainst(passes: readonly JudgedPass[]): boolean {
    const { context, generation } = this.#deployment.forwardPassModel().lists;
    const asked = mostAsked(passes);
    const sound = (specs: readonly OperatorSpec[], at: AskedPoint) =>
      plainSpecs(specs).every((spec) =>
        readingsOf(spec, at, this.#set!).every((reading) => !isFar(reading) && this.#doubt(reading) === undefined)
      );
    return sound(context, asked.context) && sound(generation, asked.generation);
  }

  /** Whether any of these was not told before; all are from now on. */
  #new(found: ReadonlyMap<string, string>): boolean {
    const before = this.#told.size;
    for (const key of found.keys()) this.#told.add(key);
    return this.#told.size > before;
  }

  /** What is wrong with much of a table, and of the slice that is read. */
  #doubt({ table, slice }: Reading): string | undefined {
    if (!Object.hasOwn(this.#flagged, table)) return undefined;
    const rules = Object.entries(this.#flagged[table]).filter(([, [points, of, doubtful]]) =>
      points > of * DOUBTFUL && (slice === undefined || doubtful === undefined || doubtful.includes(slice))
    );
    if (rules.length === 0) return undefined;
    return rules.map(([rule, [points, of]]) => `${rule} at ${percent(points / of)} of its points`).join(", ");
  }

  /** Plain operators of a pass; none where measurements have no answer. */
  #rows({ load, share }: JudgedPass): Row[] {
    const rows = this.#deployment.forwardPassModel().plainRows(load), total = sum(rows);
    if (Number.isNaN(total)) return [];
    const weight = share === undefined || total === 0 ? 1 : share / total;
    return rows.map((row) => ({
      ...row,
      ms: row.ms * weight,
      readings: readingsOf(row.spec, row.at, this.#set!),
    }));
  }
}

function setIfThere(catalog: PerfCatalog, name: SetName): PerfSet | null {
  try {
    return catalog.load(name);
  } catch (problem) {
    if (problem instanceof ConfigError) return null;
    throw problem;
  }
}

/** The largest of everything that passes ask operators for, in either list. */
function mostAsked(passes: readonly JudgedPass[]): { context: AskedPoint; generation: AskedPoint } {
  const context = { tokens: 0, batch: 0, seq: 0, prefix: 0 }, generation = { ...context };
  const raise = (at: typeof context, tokens: number, batch: number, seq: number, prefix: number) => {
    at.tokens = Math.max(at.tokens, tokens);
    at.batch = Math.max(at.batch, batch);
    at.seq = Math.max(at.seq, seq);
    at.prefix = Math.max(at.prefix, prefix);
  };
  for (const { load } of passes) {
    const { num_prefill_requests: prompts = 0, sum_prefill_tokens: fresh = 0, sum_prefill_kv_tokens: prior = 0 } = load;
    const { num_decode_requests: decodes = 0, sum_decode_kv_tokens: known = 0 } = load;
    if (fresh > 0 && decodes > 0) raise(context, fresh + decodes, prompts, fresh + decodes, prior);
    else if (fresh > 0) raise(context, fresh, prompts, fresh / prompts, prior / prompts);
    if (decodes > 0) raise(generation, decodes, decodes, known / decodes, 0);
  }
  return { context, generation };
}

/** By operator and table, the reading that lies farthest beyond its measurements. */
function worstOf(rows: readonly Row[]): Map<string, Reading> {
  const worst = new Map<string, Reading>();
  for (const { name, readings } of rows) {
    for (const reading of readings.filter(isFar)) {
      const place = `${name}: ${reading.table}`, known = worst.get(place);
      if (known === undefined || reading.beyond > known.beyond) worst.set(place, reading);
    }
  }
  return worst;
}

const isFar = ({ beyond }: Reading) => beyond > FAR;
const sum = (rows: readonly PlainRow[]) => rows.reduce((total, row) => total + row.ms, 0);
const percent = (share: number) => `${Math.round(share * 100)} %`;
const listed = (texts: readonly string[]) => texts.join(" and ");
const entries = (found: ReadonlyMap<string, string>) => [...found].map(([key, text]) => `${key}${text}`).join("; ");

function placeOf({ axis, asked, measured, beyond }: Reading): string {
  const whole = (value: number) => value.toLocaleString("en");
  return ` was asked for ${whole(asked)} ${axis}, ${beyond.toFixed(1)} times the ${whole(measured)} measured`;
}
