/**
 * The part of `predict --detail` about energy: what the passes of a run took of a GPU, by phase and operator, as far as
 * power was measured.
 *
 * @module
 */
import type { OperationTime } from "./details.ts";
import { COVERAGE_GATE, powerOf } from "./power.ts";
import { alignedRows } from "./text_table.ts";

/** Operators of one phase. */
export interface EnergyPhase {
  readonly name: string;
  readonly operations: readonly OperationTime[];
}

/** What is said of energy. */
export type EnergyPart = ReturnType<typeof energyPart>;

const NOT_MEASURED = "timing provider returned latency without positive energy evidence";
const NO_TIMES = "one or more replay roles have no timing provider";
const NOTHING_RAN = "no forward-pass timing evidence was observed";

/** The part; without phases where the times of a role are not measured. */
export function energyPart(phases: readonly EnergyPhase[] | null) {
  const scope = "active_forward_pass_per_gpu";
  const about = {
    ...{ schema_version: "1.0", scope, coverage_gate: COVERAGE_GATE },
    ...{ latency_unit: "ms", energy_unit: "W-ms", power_w_unit: "W" },
  };
  if (phases === null) {
    const status = "unsupported";
    const unknown = { power_w: null, power_coverage: null, publication_status: status, unavailable_reason: NO_TIMES };
    return { status, scope, diagnostics: { ...about, ...unknown, phases: [] as PhaseEnergy[] } };
  }
  const totals = totalsOf(phases.flatMap(({ operations }) => operations)), status = totals.publication_status;
  const reason = status === "not_observed" ? { unavailable_reason: NOTHING_RAN } : {};
  return { status, scope, diagnostics: { ...about, ...totals, ...reason, phases: phases.map(phaseEnergy) } };
}

type PhaseEnergy = ReturnType<typeof phaseEnergy>;

/** Latency, energy where there is some, power and coverage of operators together, and whether the power is told. */
function totalsOf(operations: readonly OperationTime[]) {
  const sum = (of: (operation: OperationTime) => number) => operations.reduce((all, one) => all + of(one), 0);
  const [ms, coveredMs, energy] = [sum(({ ms }) => ms), sum(({ coveredMs }) => coveredMs), sum(({ energy }) => energy)];
  const power = powerOf({ ms, coveredMs, energy });
  return {
    latency_ms: ms,
    covered_latency_ms: coveredMs,
    ...energy > 0 ? { energy_wms: energy } : {},
    ...power,
    publication_status: ms === 0 ? "not_observed" : power.power_w === null ? "withheld" : "available",
  };
}

function phaseEnergy({ name, operations }: EnergyPhase) {
  const totals = totalsOf(operations),
    all = operations.map((operation) => operationEnergy(operation, totals.energy_wms));
  return {
    name,
    ...totals,
    source: common(all.map(({ source }) => source)),
    source_kind: totals.energy_wms === undefined ? "missing" : common(all.map(({ source_kind }) => source_kind)),
    operations: all,
  };
}

const common = (names: readonly string[]) => new Set(names).size > 1 ? "mixed" : names[0] ?? "missing";

/** How energies are known, by where the times are from. */
const KINDS: Readonly<Record<string, string>> = { silicon: "measured", estimated: "modeled", mixed: "mixed" };

function operationEnergy({ name, ms, coveredMs, energy, source }: OperationTime, ofPhase: number | undefined) {
  const about = { name, latency_ms: ms, covered_latency_ms: coveredMs, source };
  const power_coverage = ms > 0 ? coveredMs / ms : 0;
  if (!(energy > 0)) {
    return { ...about, power_coverage, status: "missing", source_kind: "missing", uncovered_reason: NOT_MEASURED };
  }
  const partial = power_coverage < 1 - 1e-12;
  return {
    ...about,
    power_coverage,
    energy_wms: energy,
    energy_contribution: energy / ofPhase!,
    status: partial ? "partial" : "available",
    source_kind: KINDS[source] ?? "modeled",
    ...partial ? { uncovered_reason: NOT_MEASURED } : {},
  };
}

/** Lines for people: phases, and in each the operators that took most energy. */
export function energyText({ diagnostics }: EnergyPart, top: number): string[] {
  const { power_w, power_coverage, publication_status, phases } = diagnostics;
  const share = (value: number | null) => value === null ? "unknown" : `${(value * 100).toFixed(1)} %`;
  const watts = (value: number | null) => value === null ? "not told" : `${value.toFixed(1)} W`;
  const reason = "unavailable_reason" in diagnostics ? ` (${diagnostics.unavailable_reason})` : "";
  const lines = [
    `  power of a GPU while passes run: ${watts(power_w)}, ${publication_status}${reason}`,
    `  share of the passes' time with a known energy: ${share(power_coverage)} (told from ${share(COVERAGE_GATE)})`,
  ];
  for (const { name, operations, ...phase } of phases) {
    const joules = ((phase.energy_wms ?? 0) / 1e6).toFixed(3);
    lines.push(`  ${name}: ${joules} kJ, ${watts(phase.power_w)}, ${share(phase.power_coverage)} known`);
    const known = operations.flatMap((operation) => "energy_wms" in operation ? [operation] : [])
      .sort((a, b) => b.energy_wms! - a.energy_wms! || (a.name < b.name ? -1 : 1));
    const rows = known.slice(0, top).map(({ name, energy_wms, energy_contribution, latency_ms, source_kind }) => [
      name,
      (energy_wms! / 1e3).toFixed(1),
      share(energy_contribution!),
      (energy_wms! / latency_ms).toFixed(1),
      source_kind,
    ]);
    if (rows.length > 0) {
      lines.push(...alignedRows([["operation", "J", "share", "W", "source"], ...rows]).map((line) => `    ${line}`));
    }
    if (known.length > top) lines.push(`    … ${known.length - top} more in prediction.json`);
  }
  return lines;
}
