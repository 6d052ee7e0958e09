/**
 * What the performance model knows of a GPU system: bandwidths, peak rates, memory, topology, and the two formulas that
 * need nothing else.
 *
 * @module
 */
import { ConfigError } from "../../errors.ts";

/** Number formats for which a system has a peak rate. */
export type FlopsType = "bfloat16" | "int8" | "fp8" | "fp4";

/** Facts of one GPU system. Bandwidths are bytes per second, one direction, per GPU. */
export interface Hardware {
  /** Name of the system, e.g. `h200_sxm`. */
  readonly name: string;
  /** Bandwidth of the GPU memory. */
  readonly memoryBandwidth: number;
  /** Share of that bandwidth that memory-bound kernels reach. */
  readonly memoryScaling: number;
  /** Fixed cost of a memory-bound kernel in seconds. */
  readonly memoryLatencySeconds: number;
  /** GPU memory in bytes. */
  readonly memoryBytes: number;
  /** Peak operations per second by number format; absent formats are not supported by the hardware. */
  readonly flops: Readonly<Partial<Record<FlopsType, number>>>;
  /** Compute capability times ten, e.g. 90. */
  readonly smVersion: number;
  /** GPUs of one node. */
  readonly gpusPerNode: number;
  /** GPUs that share the fast fabric between nodes; null when nodes are the only level. */
  readonly gpusPerRack: number | null;
  /** Bandwidth between GPUs of a node. */
  readonly intraNodeBandwidth: number;
  /** Bandwidth between nodes. */
  readonly interNodeBandwidth: number;
  /** Bandwidth between racks; null when nodes are the only level. */
  readonly interRackBandwidth: number | null;
  /** Fixed cost of a transfer between two GPUs in seconds. */
  readonly p2pLatencySeconds: number;
  /** Memory that the collectives library takes, by GPUs per worker. */
  readonly ncclBytes: Readonly<Record<string, number>>;
  /** Memory that the framework's runtime takes. */
  readonly otherBytes: number;
}

/** Milliseconds of a kernel that only moves `bytes` through the GPU memory. */
export function memoryMs(hardware: Hardware, bytes: number): number {
  return (bytes / (hardware.memoryBandwidth * hardware.memoryScaling) + hardware.memoryLatencySeconds) * 1000;
}

/** Bytes per second that one GPU reaches towards a group of `gpus`. */
export function peerBandwidth(hardware: Hardware, gpus: number): number {
  if (gpus <= hardware.gpusPerNode) return hardware.intraNodeBandwidth;
  if (hardware.gpusPerRack === null || gpus <= hardware.gpusPerRack) return hardware.interNodeBandwidth;
  return hardware.interRackBandwidth ?? hardware.interNodeBandwidth;
}

/**
 * Peak operations per second for a number format that quantisation `mode` computes in.
 *
 * @throws {ConfigError} when the hardware has no such format.
 */
export function flopsOf(hardware: Hardware, type: FlopsType, mode: string): number {
  const rate = hardware.flops[type];
  if (rate !== undefined && rate > 0) return rate;
  throw new ConfigError(
    `missing system flops: quant mode '${mode}' needs '${type}_tc_flops', which ${hardware.name} does not have`,
  );
}
