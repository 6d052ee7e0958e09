/**
 * `execution-events.jsonl`: what a search has done so far, written as it goes on, so that one that was killed goes on
 * where it was. Results stand in the order of suggestion; what a search writes is always the beginning of what it would
 * have written at the end.
 *
 * @module
 */
import * as v from "valibot";
import { ConfigError } from "../errors.ts";
import { writeFileAtomically } from "../io/atomic.ts";
import { host, type OpenFile } from "../io/host.ts";
import { readText } from "../io/text.ts";
import type { KnownOutcome } from "./replays.ts";
import type { OpenSearch } from "./open_search.ts";
import type { Evaluated } from "./trial.ts";

/** Largest journal that is read again. */
const MOST_BYTES = 2 ** 30;

const header = v.object({ event: v.literal("requested_config"), value: v.looseObject({ search: v.string() }) });

const metrics = v.record(v.string(), v.nullable(v.number()));
const outcome = v.variant("status", [
  v.object({
    status: v.literal("done"),
    result: v.variant("ok", [
      v.object({ ok: v.literal(true), metrics, sequences: v.optional(v.array(v.number())) }),
      v.object({ ok: v.literal(false), category: v.string(), reason: v.string(), trace: v.optional(v.string()) }),
    ]),
  }),
  v.object({ status: v.literal("failed"), reason: v.string() }),
  v.object({ status: v.literal("timeout") }),
]);
const entry = v.object({
  event: v.picklist(["candidate_completed", "candidate_screened"]),
  value: v.looseObject({ job: v.nullable(v.string()), outcome: v.nullable(outcome) }),
});

/** The journal of a search. */
export class Journal {
  readonly #path: string;
  readonly #known: ReadonlyMap<string, KnownOutcome>;
  readonly #lines: readonly string[];
  readonly #encoder = new TextEncoder();
  #file: OpenFile | null = null;
  /** The first line, which waits for the first result: a search that could not begin leaves nothing. */
  #first: string | null;
  #written = 0;

  private constructor(
    path: string,
    first: string,
    lines: readonly string[],
    known: ReadonlyMap<string, KnownOutcome>,
  ) {
    this.#first = first;
    this.#path = path;
    this.#lines = lines;
    this.#known = known;
  }

  /** Outcomes of the jobs that an earlier run of the search did, by name. */
  get known(): ReadonlyMap<string, KnownOutcome> {
    return this.#known;
  }

  /** Lines that were there. */
  get resumed(): number {
    return this.#lines.length;
  }

  /** What a journal says, and whether its search ended; null when there is none, or it cannot be read. */
  static async read(
    path: string,
  ): Promise<{ header: unknown; known: ReadonlyMap<string, KnownOutcome>; completed: boolean } | null> {
    const lines = await completeLines(path);
    const first = lines.length === 0 ? undefined : v.safeParse(header, parsed(lines[0]));
    if (!first?.success) return null;
    const { known, good } = outcomesIn(lines);
    return { header: first.output.value, known, completed: lines[good] === line("search_completed", {}) };
  }

  /** Name of the search that a journal belongs to; null when there is none, or it cannot be read. */
  static async searchIn(path: string): Promise<string | null> {
    const [first] = await completeLines(path);
    if (first === undefined) return null;
    const read = v.safeParse(header, parsed(first));
    return read.success ? read.output.value.search : null;
  }

  /**
   * Opens the journal of a search, or goes on with the one it has.
   *
   * @throws {ConfigError} when the file belongs to another search or is none
   */
  static async open(path: string, open: OpenSearch, documentOf: (open: OpenSearch) => unknown): Promise<Journal> {
    const first = line("requested_config", documentOf(open));
    const lines = await completeLines(path);
    if (lines.length > 0 && lines[0] !== first) {
      throw new ConfigError(`${path} is the journal of another search; pass --overwrite to replace it`);
    }
    const { known, good } = outcomesIn(lines);
    const journal = new Journal(path, first, lines.slice(0, good), known);
    if (good > 0) await writeFileAtomically(path, lines.slice(0, good).map((text) => `${text}\n`));
    return journal;
  }

  /** Notes a result. */
  async add(result: Evaluated, id: string | null): Promise<void> {
    const { trial: { candidate, requests }, job, outcome, status, score, category, reason } = result;
    await this.#begin();
    await this.#append(line(requests === null ? "candidate_completed" : "candidate_screened", {
      candidate_id: id,
      status,
      score,
      reason_category: category,
      reason,
      used_gpus: candidate.usedGpus,
      requests,
      config: candidate.config,
      job,
      outcome,
    }));
  }

  /** Notes that nothing is left to do. */
  async complete(): Promise<void> {
    await this.#begin();
    await this.#append(line("search_completed", {}));
  }

  async #begin(): Promise<void> {
    if (this.#first !== null) await this.#append(this.#first);
    this.#first = null;
  }

  /** Writes a line, unless an earlier run did. */
  async #append(text: string): Promise<void> {
    const index = this.#written++;
    if (index < this.#lines.length) {
      if (this.#lines[index] === text) return;
      throw new ConfigError(
        `line ${index + 1} of ${this.#path} is not what this search finds: the files it was made from have changed; ` +
          "pass --overwrite to start anew",
      );
    }
    this.#file ??= await host().openForAppending(this.#path);
    await this.#file.write(this.#encoder.encode(`${text}\n`));
  }

  /** Closes the file. */
  close(): void {
    this.#file?.close();
    this.#file = null;
  }
}

const line = (event: string, value: unknown): string => JSON.stringify({ event, value });

/** The outcomes that lines hold after the first, and the lines up to the last of them. */
function outcomesIn(lines: readonly string[]): { known: Map<string, KnownOutcome>; good: number } {
  const known = new Map<string, KnownOutcome>();
  let good = Math.min(lines.length, 1);
  for (const text of lines.slice(1)) {
    const read = v.safeParse(entry, parsed(text));
    if (!read.success) break;
    const { job, outcome } = read.output.value;
    if (job !== null && outcome !== null) known.set(job, outcome as KnownOutcome);
    good++;
  }
  return { known, good };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The lines of a file that have their end; none when there is no such file. */
async function completeLines(path: string): Promise<string[]> {
  if (host().kind(path) !== "file") return [];
  const text = await readText(path, { mostBytes: MOST_BYTES, raw: true });
  return text.slice(0, text.lastIndexOf("\n") + 1).split("\n").slice(0, -1);
}
