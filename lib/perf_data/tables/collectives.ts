/**
 * Collectives between GPUs: curves over elements.
 *
 * @module
 */
import { curveTable } from "./simple.ts";

/** All-reduce of the framework's own kernels, by fan-out. */
export const buildAllReduce = curveTable({
  table: "custom_allreduce_perf",
  columns: { required: ["num_gpus", "message_size", "latency"], optional: { kernel_source: "", backend: "" } },
  place([gpus, elements, latency, kernel, variant], { system }) {
    const eager = String(kernel).endsWith("_eager") || String(variant).endsWith("_eager");
    if (eager && system !== "b60") return undefined;
    return { member: "all_reduce", slice: String(gpus), key: +elements, value: +latency };
  },
});

/** Collectives of the vendor's library, by operation and fan-out; a member a number format. */
export const buildCollectives = curveTable({
  table: "nccl_perf",
  columns: { required: ["nccl_dtype", "op_name", "num_gpus", "message_size", "latency"] },
  sources({ tree, system }) {
    const folder = tree.collectivesFolder(system);
    return folder === undefined ? [] : [{ folder, channel: "primary", kernels: null }];
  },
  place([format, operation, gpus, elements, latency]) {
    return { member: `nccl/${format}`, slice: `${operation}|${gpus}`, key: +elements, value: +latency };
  },
});
