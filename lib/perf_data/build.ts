/**
 * Builds performance sets and the catalogue of systems from the package's tree of tables.
 *
 * @module
 */
import { stopPoint } from "../io/stop.ts";
import type { FlopsType, Hardware } from "../timing/aic/hardware.ts";
import type { SystemEntry, VersionSlots } from "../timing/aic/catalog.ts";
import { type Origin, OWN } from "../timing/aic/perf_set.ts";
import { ownTables } from "./own_tables.ts";
import type { Release } from "./releases.ts";
import { writePowers } from "./power_writer.ts";
import { writePerfSet } from "./set_writer.ts";
import { Members } from "./tables/members.ts";
import { TABLE_BUILDERS } from "./tables/registry.ts";
import { BACKENDS, type DataTree } from "./tree.ts";

/** Where the tables of a release come from; stands in every set and in the catalogue. */
export function originOf(release: Release): Origin {
  return { package: release.package, release: release.version, licence: release.licence };
}

/** Hardware facts of a system from its specification. */
function hardwareOf(tree: DataTree, system: string): Hardware {
  const { gpu, node, misc } = tree.specification(system);
  const flops: Partial<Record<FlopsType, number>> = {};
  for (const type of ["bfloat16", "int8", "fp8", "fp4"] as const) {
    if (gpu[`${type}_tc_flops`] > 0) flops[type] = gpu[`${type}_tc_flops`];
  }
  return {
    name: system,
    memoryBandwidth: gpu.mem_bw,
    memoryScaling: gpu.mem_bw_empirical_scaling_factor ?? 1,
    memoryLatencySeconds: gpu.mem_empirical_constant_latency ?? 0,
    memoryBytes: gpu.mem_capacity,
    flops,
    smVersion: gpu.sm_version ?? 0,
    gpusPerNode: node.num_gpus_per_node,
    gpusPerRack: node.num_gpus_per_rack ?? null,
    intraNodeBandwidth: node.intra_node_bw,
    interNodeBandwidth: node.inter_node_bw,
    interRackBandwidth: node.inter_rack_bw ?? null,
    p2pLatencySeconds: node.p2p_latency ?? 0,
    ncclBytes: misc?.nccl_mem ?? {},
    otherBytes: misc?.other_mem ?? 0,
  };
}

/** All systems of the tree with their hardware and version slots. */
export function catalogue(tree: DataTree): Record<string, SystemEntry> {
  return Object.fromEntries(
    tree.systems().map((system) => {
      const backends: Partial<Record<string, VersionSlots>> = {};
      for (const backend of BACKENDS) {
        const slots = tree.slots(system, backend);
        if (slots) backends[backend] = slots;
      }
      return [system, { hardware: hardwareOf(tree, system), backends }];
    }),
  );
}

/** What one set is built from. */
export interface SetRequest {
  readonly release: Release;
  readonly tree: DataTree;
  readonly system: string;
  readonly backend: string;
  readonly version: string;
}

/** The performance set of one (system, backend, version), and its powers; null when none were measured. */
export async function buildSet(
  { release, tree, system, backend, version }: SetRequest,
): Promise<{ set: Uint8Array; powers: Uint8Array | null }> {
  const hardware = hardwareOf(tree, system);
  const build = async (from: DataTree) => {
    const members = new Members();
    for (const table of TABLE_BUILDERS) {
      await stopPoint();
      await table({ tree: from, system, backend, version, hardware }, members);
    }
    return members;
  };
  const { writers, lanes, sources } = await build(tree);
  const { own, members } = ownTables(writers, (await build(tree.withoutDonors())).writers);
  const all = new Map([...writers, ...[...members].map(([name, writer]) => [OWN + name, writer] as const)]);
  const origin = originOf(release);
  return {
    set: await writePerfSet({ system, backend, version, origin, hardware, lanes, sources, own }, all),
    powers: writePowers({ system, backend, version, origin }, writers),
  };
}
