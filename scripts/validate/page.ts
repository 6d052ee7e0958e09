/** The page about how far simulated figures are from measured ones. */
import { overall, type PointErrors } from "./operating_points.ts";
import { mean, table } from "./tables.ts";
import { unevenText } from "./unevenness.ts";

type Row = readonly string[];

/** What the page shows: tables, each with its head as the first row. */
export interface Figures {
  passes: readonly Row[];
  sweeps: readonly Row[];
  totals: readonly Row[];
  requests: readonly Row[];
  points: PointErrors;
  /** What has no figure, as lines of a list. */
  without: readonly string[];
}

/** Which phases are within 2 %, which as near as their twins, which neither. */
function boundText(passes: readonly Row[]): string {
  return (["decode", "prefill", "mixed"] as const).map((phase) => {
    const own = passes.slice(1).filter((row) => row[1] === phase);
    const [within, over] = [true, false].map((met) => own.filter((row) => Number(row[5]) < 2 === met));
    const twins = over.filter((row) => Number(row[5]) <= 1.1 * Number(row[9]));
    const left = over.filter((row) => !twins.includes(row));
    return `${phase} ${within.length} of ${own.length}` +
      (twins.length > 0 ? `, ${twins.length} more at most a tenth above what twins differ by (${named(twins)})` : "") +
      (left.length > 0 ? `, not ${named(left)}` : "");
  }).join("; ") + ".";
}
const named = (rows: readonly (readonly string[])[]) =>
  rows.map(([run, , , , , error]) => `${run} ${error}`).join(", ");

/** The text of `docs/validation.md`. */
export function page({ passes, sweeps, totals, requests, points, without }: Figures): string {
  return `# How far simulated figures are from real GPUs

Made by \`deno task validate\`. An error is the median of |simulated − measured| / measured, a bias the median with its
sign, both in percent. Passes and requests were measured with vLLM 0.19 and 0.20 on B300 and RTX PRO 6000 by the authors of
aiconfigurator (Apache-2.0) and LLMServingSim (MIT); operators come from tables of vLLM 0.24. Names of runs: model,
tensor-parallel ranks (tp), expert-parallel ranks (ep). qwen36 was estimated with the facts of Qwen3.5-35B-A3B: both are said
to have the same layers, which has not been checked. "Held out" is of passes that the fit did not see: five parts of the
same run, made of blocks of neighbours, of which each is left out once; so it says nothing of another day's run of the
same system. Engines that schedule ahead record the time of two chunks of a prompt now and then with the first of them; it
is shared out in proportion to the estimates before anything is compared.

- [Forward passes](#forward-passes)
- [From a small sweep to a real run](#from-a-small-sweep-to-a-real-run)
- [Time of all passes together](#time-of-all-passes-together)
- [Requests](#requests)
- [Operating points of public benchmarks](#operating-points-of-public-benchmarks)
- [Without a figure](#without-a-figure)

## Forward passes

"Twins differ by" says what no correction can be below for long: for each pass those whose recorded load (tokens, prior
tokens, prompts, sequences, contexts, their unevenness) is most like it, of these pairs the nearest quarter, their median
difference by the square root of two. Where it is as large as the error that is left, the recording disagrees with itself;
where it is smaller, a correction that knew more shapes, or a recording with more passes of that size, could do better;
but twins are often the loads that a sweep repeats, and others are noisier. "Chosen apart" is the error when not only the
fit but also the choice of the level did not see the part that judges.

Bound of 2 % within a run, held out: ${boundText(passes)}

Means of the runs, held out: ${
    ["prefill", "decode", "mixed"].map((phase) => {
      const own = passes.slice(1).filter((row) => row[1] === phase).map((row) => Number(row[5]));
      return `${phase} ${mean(own)} % (worst ${Math.max(...own).toFixed(1)})`;
    }).join(", ")
  }.

${table(passes).join("\n")}

## From a small sweep to a real run

The correction is fitted to the sweep that came before the run alone. The decode batches of a sweep are of even lengths,
those of a run are not, and take longer for it. What unevenness costs, as a share of the time of attention for each unit of
the coefficient of variation, a sweep cannot tell: ${unevenText()}.

Mean of the runs: ${mean(sweeps.slice(1).map((row) => Number(row[3])))} % before, ${
    mean(sweeps.slice(1).map((row) => Number(row[4])))
  } % after.

${table(sweeps).join("\n")}

Why two are above 8 %: in dsv4 verified_online2 a decode step of one sequence takes 12.2 ms in the run and 10.0 ms in the
sweep, where in the run before it both take 10.1 ms: what makes it longer, most likely waiting for the other three ranks, is
not in the recording. In qwen36_moe_tp1_ep1 a step of one sequence takes 3.6 ms in both, but batches of 11 to 31 uneven
sequences take a fifth longer than even ones of the sweep; unevenness does that to no other run so much, and whether it is
the experts (sequences that are alike use fewer of them) a recording does not tell. Scaling attention and all else apart was
tried (least squares on the sweep, by the estimator's own operators): the lengths of a sweep differ too little for it, and it
leaves 4 to 16 % in runs where one ratio a batch leaves 1 to 5 %.

## Time of all passes together

Bias in percent. Uncalibrated, we estimate as the newest reference does; its column is known for two runs and is of the
real run alone, where ours are of sweep and run together. Runs whose attention is data-parallel (dp, and dsv4 with ep above
tp) stay far too fast even with a calibration: their recordings hold the first rank alone, whose passes wait now and
then ten times their own work for the prompts of ranks that nobody recorded. Of ranks that are recorded together nothing
is known here, so they are not joined.

${table(totals).join("\n")}

## Requests

B300: 128 requests, closed loop of 32, the correction fitted to the passes of the same run. RTX: open loop, one scale found
by replaying, fitted to every other request and judged by the rest. The B300 figures with a calibration are therefore not
held out as the RTX ones are: passes of the same run were fitted, and only what lies between passes is fitted to every
other request and judged by the rest. The last two columns are held out of the run (error, and bias in brackets): fitted to
the sweep and the first half of the run, judged by the requests of its second half; and fitted to the sweep alone, which
holds no request, so that nothing is known of the time between passes. The first 32 requests, which were sent at once, take
up to a quarter longer than simulated on the small model: what a server does with so many prompts at once is in no pass.

${table(requests).join("\n")}

## Operating points of public benchmarks

The sample of InferenceX and vendor results that comes with the reference's data (aggregated, half of it): a decode step at
the benchmark's concurrency against the measured TPOT, where prompts are short (up to 2,048 tokens, at least 512 output
tokens, up to 64 sequences a rank), and a prompt alone against the measured TTFT, where up to 4 requests ran at a time.
What servers add to a prompt (HTTP, tokenizer, a queue) is in the measured TTFT and in no estimate. Engines were vLLM
0.8 to 0.20, SGLang and TensorRT-LLM of their time; the estimates are of one newer version of each. The server's settings
(sequence limit, token budget, multi-token prediction) are not in the sample.

All: TPOT ${overall(points.tpot)}, TTFT ${overall(points.ttft)}.

${table(points.rows).join("\n")}

## Without a figure

${without.length === 0 ? "Nothing." : without.join("\n")}
`;
}
