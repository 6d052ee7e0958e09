/**
 * What a deployment carries, in a table and in words.
 *
 * @module
 */
import { moneyText } from "../report/price.ts";
import { BOTTLENECKS, type CapacityResult, type TriedLoad } from "./read_capacity.ts";

const short = (value: number) => String(Number(value.toPrecision(4)));
const share = (value: number) => `${(value * 100).toFixed(2)} %`;

type LoadColumn = readonly [head: string, of: (point: TriedLoad, found: CapacityResult) => string];

const LOAD_COLUMNS: readonly LoadColumn[] = [
  ["", ({ value }, { largest, beyond }) => value === largest ? "largest" : value === beyond ? "too much" : ""],
  ["load", ({ value }) => short(value)],
  ["within SLA", ({ attainment }) => share(attainment)],
  ["requests/s", ({ request_throughput_rps }) => short(request_throughput_rps)],
  ["TTFT p95 (ms)", ({ p95_ttft_ms }) => short(p95_ttft_ms)],
  ["TPOT p95 (ms)", ({ p95_tpot_ms }) => short(p95_tpot_ms)],
];

/** Columns of the table of loads; what good requests cost is the last where there is a price. */
export function loadColumns({ points }: CapacityResult): readonly LoadColumn[] {
  if (points.every(({ cost }) => cost === undefined)) return LOAD_COLUMNS;
  return [...LOAD_COLUMNS, ["cost of 1,000 good", ({ cost }) => goodCost(cost) ?? "–"]];
}

const goodCost = (cost: TriedLoad["cost"]): string | null =>
  cost?.per_thousand_good_requests == null ? null : moneyText(cost.per_thousand_good_requests, cost.currency);

/** What is carried, in a sentence. */
export function carriedText({ largest, beyond, over, attainment, written, points }: CapacityResult): string {
  const asked = `${share(attainment)} within the SLA`;
  if (largest === null) return `does not keep ${asked} at any load down to ${over} ${short(points[0].value)}`;
  const load = over === "speedup"
    ? `${short(largest / written)} × this traffic (speedup ${short(largest)})`
    : over === "rate"
    ? `${short(largest)} arrivals a second`
    : `${largest} at a time`;
  const cost = goodCost(points.find(({ value }) => value === largest)?.cost);
  const carried = `carries ${load} with ${asked}${cost === null ? "" : `, at ${cost} a thousand of those requests`}`;
  return beyond === null ? `${carried}; no load up to ${short(points.at(-1)!.value)} was too much` : carried;
}

/** Why the answer depends on how long the load is; null when queues were steady. */
export function brevityText({ largest, points }: CapacityResult): string | null {
  if (!points.some(({ value, queues_growing }) => value === largest && queues_growing)) return null;
  return "queues still grew at that load when its last request came: a longer load of this size would be served worse, " +
    "so the answer holds for a burst of this length only";
}

/** What runs out in words; prompts that hold up the tokens of others are named apart. */
function whatRunsOut({ bottleneck, missed_ttft, missed_itl }: NonNullable<CapacityResult["saturation"]>): string {
  return bottleneck === "prefill_compute" && missed_itl > missed_ttft
    ? "prompts that are computed between decode steps hold tokens up"
    : BOTTLENECKS[bottleneck];
}

/** What runs out beyond that, in a sentence; null when no load was too much. */
export function saturationText({ saturation }: CapacityResult): string | null {
  if (saturation === null) return null;
  const { value, kv_usage, preemptions_per_minute, missed_ttft, missed_itl } = saturation;
  return `at ${short(value)} ${whatRunsOut(saturation)} (${share(kv_usage)} of the KV blocks in use while requests ` +
    `wait, ${short(preemptions_per_minute)} preemptions a minute; ${missed_ttft} requests miss by their first ` +
    `token, ${missed_itl} by the time between tokens)`;
}

/** What runs out and what that was told from, as names and figures; none when no load was too much. */
export function saturationRows({ saturation }: CapacityResult): [string, string][] {
  if (saturation === null) return [];
  return [
    ["runs out first", whatRunsOut(saturation)],
    ["looked at load", short(saturation.value)],
    ["KV blocks in use while requests wait", share(saturation.kv_usage)],
    ["preemptions a minute", short(saturation.preemptions_per_minute)],
    ["samples with as many sequences as may run", share(saturation.at_sequence_limit)],
    ["requests waiting in schedulers, on average", short(saturation.waiting_requests)],
    ["requests waiting in the router, on average", short(saturation.router_queue)],
    ["requests that miss by their first token", String(saturation.missed_ttft)],
    ["requests that miss by the time between tokens", String(saturation.missed_itl)],
  ];
}

/**
 * What a deployment carries as sentences, the answer first.
 *
 * @example
 * ```ts ignore
 * for (const line of explainCapacity(await readCapacity("runs/capacity"))) console.log(line);
 * ```
 */
export function explainCapacity(found: CapacityResult): string[] {
  const sentences = [brevityText(found), saturationText(found)].filter((text) => text !== null)
    .map((text) => `${text[0].toUpperCase()}${text.slice(1)}.`);
  const tried = `${found.points.length} loads were tried, from ${short(found.points[0].value)} to ` +
    `${short(found.points.at(-1)!.value)} (${found.over}).`;
  return [`It ${carriedText(found)}.`, ...sentences, tried];
}
