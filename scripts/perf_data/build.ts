/**
 * Builds performance sets and the catalogue of systems from the package's tree of tables.
 *
 * @module
 */
import { gzipSync } from "node:zlib";
import type { FlopsType, Hardware } from "../../lib/timing/aic/hardware.ts";
import { writePerfSet } from "../../lib/timing/aic/perf_set.ts";
import { buildGdn, buildMamba2 } from "./state_tables.ts";
import {
  buildAllReduce,
  buildCollectives,
  buildContextAttention,
  buildGemm,
  buildGenerationAttention,
  buildMla,
  buildMoe,
  buildQuantize,
  Members,
} from "./tables.ts";
import { BACKENDS, type DataTree, type Slots } from "./tree.ts";

/** Where the tables come from; stands in every set. */
export const ORIGIN = { package: "aiconfigurator-core", release: "0.12.0", licence: "Apache-2.0" };

/** One entry of the catalogue of systems. */
export interface SystemEntry {
  hardware: Hardware;
  backends: Partial<Record<string, Slots>>;
}

/** Hardware facts of a system from its specification. */
export function hardwareOf(tree: DataTree, system: string): Hardware {
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
      const backends: SystemEntry["backends"] = {};
      for (const backend of BACKENDS) {
        const slots = tree.slots(system, backend);
        if (slots) backends[backend] = slots;
      }
      return [system, { hardware: hardwareOf(tree, system), backends }];
    }),
  );
}

/** The performance set of one (system, backend, version). */
export async function buildSet(tree: DataTree, system: string, backend: string, version: string): Promise<Uint8Array> {
  const hardware = hardwareOf(tree, system);
  const request = { tree, system, backend, version, hardware };
  const members = new Members();
  await buildGemm(request, members);
  const context = await buildContextAttention(request, members);
  const generation = await buildGenerationAttention(request, members);
  await buildMoe(request, members);
  await buildAllReduce(request, members);
  await buildCollectives(request, members);
  await buildQuantize(request, members);
  await buildMla(request, members);
  await buildGdn(request, members);
  await buildMamba2(request, members);
  const packed = new Map<string, Uint8Array>();
  for (const [name, writer] of members.writers) packed.set(name, gzipSync(writer.plain(), { level: 9 }));
  return writePerfSet({
    ...{ system, backend, version, origin: ORIGIN, hardware },
    lanes: { context, generation },
    sources: members.sources,
  }, packed);
}
