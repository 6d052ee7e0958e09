/**
 * The shapes a worker may have under the default preset: how a model is split over the GPUs of one worker, and how many
 * workers there are.
 *
 * @module
 */

/** How one worker is split, and how many of them there are. */
export interface Replicas {
  /** Tensor-parallel ranks. */
  readonly tensor: number;
  /** Pipeline-parallel stages. */
  readonly pipeline: number;
  /** Attention data-parallel ranks. */
  readonly attentionData: number;
  /** Tensor-parallel ranks of the experts. */
  readonly moeTensor: number;
  /** Expert-parallel ranks. */
  readonly moeExpert: number;
  /** Workers of that shape. */
  readonly replicas: number;
}

/** Names of the sizes in configuration files, in the order in which candidates list them. */
export const PARALLELISM_KEYS = [
  ["tensor", "tensor"],
  ["pipeline", "pipeline"],
  ["attention_data", "attentionData"],
  ["moe_tensor", "moeTensor"],
  ["moe_expert", "moeExpert"],
  ["replicas", "replicas"],
] as const;

/** GPUs of one worker. */
export const workerGpus = ({ tensor, pipeline, attentionData }: Replicas): number => tensor * pipeline * attentionData;

/** GPUs of all workers. */
export const allGpus = (one: Replicas): number => workerGpus(one) * one.replicas;

/** Whether two are the same. */
export const sameReplicas = (a: Replicas, b: Replicas): boolean =>
  PARALLELISM_KEYS.every(([, key]) => a[key] === b[key]);

/** GPUs a worker may have; more than a node of 16 is not listed. */
const WORKER_SIZES = [1, 2, 4, 8, 16];
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128];

/** One worker's sizes without a count. */
const shape = (tensor: number, attentionData = 1, moeTensor = 1, moeExpert = 1): Replicas => ({
  tensor,
  pipeline: 1,
  attentionData,
  moeTensor,
  moeExpert,
  replicas: 1,
});

/**
 * The shapes of one worker with up to `budget` GPUs, in the order in which a search lists them. Dense models are split
 * by tensor only; a mixture of experts runs attention either tensor- or data-parallel, and its experts either whole on
 * different GPUs or split over all of them.
 */
export function* workerShapes(mixture: boolean, budget: number): Generator<Replicas> {
  for (const gpus of WORKER_SIZES) {
    if (gpus > budget) return;
    if (!mixture) yield shape(gpus);
    else yield* mixtureShapes(gpus);
  }
}

function* mixtureShapes(gpus: number): Generator<Replicas> {
  if (gpus === 1) {
    yield shape(1);
    return;
  }
  for (const tensor of SIZES.filter((size) => size <= gpus)) {
    const attentionData = gpus / tensor;
    if (tensor > 1 && attentionData > 1) continue;
    yield shape(tensor, attentionData, 1, gpus);
    yield shape(tensor, attentionData, gpus, 1);
  }
}

/** Every count of every shape within the budget. */
export function* replicaConfigs(shapes: Iterable<Replicas>, budget: number, minimum = 0): Generator<Replicas> {
  for (const one of shapes) {
    for (let replicas = 1; replicas * workerGpus(one) <= budget; replicas++) {
      if (replicas * workerGpus(one) >= minimum) yield { ...one, replicas };
    }
  }
}

/** What a split is called: `tp`, `tep` and `dep` (whole experts), `dtp`, `mixed`. */
export function strategyOf({ tensor, attentionData, moeTensor, moeExpert }: Replicas): string {
  if (moeExpert === 1) {
    if (moeTensor === 1 || (tensor > 1 && attentionData === 1)) return "tp";
    return attentionData > 1 && tensor === 1 ? "dtp" : "mixed";
  }
  if (moeTensor > 1 || (tensor > 1 && attentionData > 1)) return "mixed";
  return attentionData > 1 ? "dep" : "tep";
}
