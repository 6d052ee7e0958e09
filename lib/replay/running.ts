/**
 * A run on its way: it goes on by pieces while somebody asks for its report or reads its streams. Whoever reads the
 * streams slowly slows it down; whoever reads none pays for none.
 *
 * @module
 */
import type { RequestRecords } from "../engine/records.ts";
import { checkOptions, SimulationError } from "../errors.ts";
import type { RequestRecord } from "../report/per_request.ts";
import type { Report } from "../report/report.ts";
import type { Traffic } from "../traffic/workload.ts";
import { assemble, type Assembled } from "./assemble.ts";
import { type FittedRole, whyStuck } from "./fit.ts";
import { calibrationWarnings, countedPasses } from "./run_metadata.ts";
import { type ReplayRunOptions, RUN_OPTIONS, SPEC } from "./run_options.ts";
import { type ReplayTick, RunStreams, type StreamBuffer } from "./run_streams.ts";
import type { ReplaySpec } from "./spec.ts";

/** A run on its way; it starts when one of its results is asked for. {@linkcode ReplayRun} shows it to scripts. */
export class Running {
  readonly #spec: ReplaySpec;
  readonly #options: ReplayRunOptions;
  readonly #streams = new RunStreams();
  #report: Promise<Report> | null = null;
  #started: Assembled | null = null;
  #records: RequestRecords | null = null;
  #result: Report | null = null;
  #stepping: Promise<void> | null = null;
  /** What ended the run before its time; everybody who asks is told. */
  #failure: { problem: unknown } | null = null;

  /**
   * A run that starts when its report or one of its streams is asked for.
   *
   * @param spec what is run
   */
  constructor(spec: ReplaySpec, options: ReplayRunOptions) {
    checkOptions("run(): spec", spec, SPEC);
    checkOptions("run()", options, RUN_OPTIONS);
    this.#spec = spec;
    this.#options = options;
  }

  /** The record of every request, in the order in which they end, in batches for one reader. */
  requests(): AsyncGenerator<RequestRecord[], void, void> {
    return this.#read(this.#streams.requests);
  }

  /** Every tick of the autoscaler, in batches for one reader; none without one. */
  ticks(): AsyncGenerator<ReplayTick[], void, void> {
    return this.#read(this.#streams.ticks);
  }

  /** The report, once everything has happened. Streams that were asked for must be read to their end for it. */
  get report(): Promise<Report> {
    return this.#report ??= this.#finish();
  }

  async #finish(): Promise<Report> {
    while (this.#result === null) await this.#step();
    return this.#result;
  }

  #read<T>(buffer: StreamBuffer<T>): AsyncGenerator<T[], void, void> {
    buffer.open = true; // from now on, not from the first batch on
    return this.#batches(buffer);
  }

  async *#batches<T>(buffer: StreamBuffer<T>): AsyncGenerator<T[], void, void> {
    try {
      for (;;) {
        const items = buffer.take();
        if (items.length > 0) yield items;
        else if (this.#result !== null) return;
        else await this.#step();
      }
    } finally {
      buffer.close();
    }
  }

  /** Goes on by one piece of the replay, once for everybody who asks. */
  #step(): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure.problem);
    return this.#stepping ??= this.#advance().catch((problem) => {
      this.#failure = { problem };
      this.#started?.retune?.close();
      throw problem;
    }).finally(() => this.#stepping = null);
  }

  async #advance(): Promise<void> {
    const started = this.#started ??= await assemble(this.#spec, this.#options, {
      observe: (records) => this.#records = records,
      streamed: () => this.#streams.requests.open,
    });
    const { driver, traffic, roles, autoscaler, retune, metadata } = started;
    await this.#streams.room();
    const report = await driver.step().catch((problem) => {
      throw problem instanceof SimulationError ? explained(problem, traffic, roles) : problem;
    });
    const ticks = () => autoscaler === null ? [] : autoscaler.ticks();
    this.#streams.tell(this.#records!, traffic.workload, ticks, report !== null);
    if (report === null) return;
    retune?.close();
    await autoscaler?.finish(report);
    this.#options.onSequences?.(started.sequences.map(({ needed }) => needed));
    const counted = countedPasses(metadata, started.closed);
    if (this.#options.onWarning) {
      const found = [...calibrationWarnings(counted), ...started.evidence?.played() ?? []];
      for (const warning of found) this.#options.onWarning(warning);
    }
    if (started.operations !== null) this.#options.onOperations?.(started.operations.totals());
    const summary = { ...report.summary, ...started.stackSummary, ...started.power?.power() };
    this.#result = { ...report, summary, metadata: counted };
  }
}

/** The error of a replay that came to a dead end, with what cannot be served; any other as it is. */
function explained(problem: SimulationError, { workload }: Traffic, roles: readonly FittedRole[]): SimulationError {
  if (!problem.message.startsWith("replay invariant violated")) return problem;
  return new SimulationError(`${problem.message} (${whyStuck(workload, roles)})`, { cause: problem });
}
