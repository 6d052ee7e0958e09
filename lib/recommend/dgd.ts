/**
 * Winners as DynamoGraphDeployments for Kubernetes: a frontend, and the workers with their GPUs and the flags of their
 * engine. Fields as dynamo's operator reads them (`nvidia.com/v1beta1`).
 *
 * @module
 */
import * as v from "valibot";
import { effectiveConfig } from "../config/effective.ts";
import {
  literal,
  nonemptyText,
  orNull,
  Problem,
  type Reads,
  reads,
  strictInt,
  text,
  withDefault,
} from "../config/schema_parts.ts";
import { section } from "../config/schema_sections.ts";
import { ConfigError } from "../errors.ts";
import { issueText } from "../io/issue_text.ts";
import type { Document } from "./candidate_document.ts";
import type { FileText } from "./result_files.ts";
import type { Target } from "./goal_sections.ts";

/** The `dgd` section. */
export interface DgdSection {
  /** Name of the deployment; `{index}` stands for the place on a Pareto front. */
  name: string;
  namespace: string | null;
  generator: "aic" | "direct";
  format: "manifest" | "kustomize";
  /** File of the manifest, below the output directory. */
  output_file: string | null;
  output_dir: string | null;
  runtime_image: string;
  runtime_version_override: string | null;
  num_gpus_per_node: number;
}

const nameText = reads<string>((value) => {
  if (typeof value !== "string" || value === "") return new Problem("Input should be a valid string");
  if (/[/\\]/.test(value)) return new Problem("Value error, name must not contain path separators");
  const other = value.match(/\{(?!index\})[^}]*\}?/);
  return other === null ? value : new Problem(`Value error, only {index} may be templated, found ${other[0]}`);
});

const schema: Reads<DgdSection> = section("DGDOutputConfig", {
  name: nameText,
  namespace: orNull(nonemptyText()),
  generator: withDefault(literal(["aic", "direct"]), "direct"),
  format: withDefault(literal(["manifest", "kustomize"]), "manifest"),
  output_file: orNull(
    text((file) =>
      /\.ya?ml$/.test(file) && !/(^|\/)\.\.?(\/|$)|^\//.test(file)
        ? file
        : new Problem("Value error, output_file must be a .yaml or .yml name inside the output directory")
    ),
  ),
  output_dir: orNull(nonemptyText()),
  runtime_image: nonemptyText(),
  runtime_version_override: orNull(nonemptyText()),
  num_gpus_per_node: strictInt({ gt: 0 }),
}, [
  ({ format, output_file }) =>
    format === "manifest" && output_file === null ? "format manifest requires output_file" : undefined,
  ({ runtime_image, runtime_version_override }) =>
    runtime_version_override === null && !/:\d+\.\d+\.\d+$/.test(runtime_image)
      ? "the tag of runtime_image must be MAJOR.MINOR.PATCH, or runtime_version_override given"
      : undefined,
]);

/**
 * Reads the `dgd` section of a search.
 *
 * @throws {ConfigError} for what is wrong with it, and for what manifests are not written of
 */
export function readDgd(value: unknown, target: Target): DgdSection {
  const refuse = (path: string, message: string): never => {
    throw new ConfigError(message, [{ path, message }]);
  };
  const read = v.safeParse(schema, value);
  if (!read.success) {
    const told = read.issues.map((issue) => {
      const path = ["dgd", v.getDotPath(issue)].filter((part) => part !== null).join(".");
      return { path, message: `dgd${v.getDotPath(issue) === null ? ": " : "."}${issueText(issue)}` };
    });
    throw new ConfigError("the dgd section cannot be used", told);
  }
  const dgd = read.output;
  if (dgd.format === "kustomize") refuse("dgd.format", "format kustomize is not written; use manifest");
  if (dgd.generator === "aic") refuse("dgd.generator", "generator aic is not there; use direct");
  for (const key of ["name", "output_file"] as const) {
    const templated = dgd[key]!.includes("{index}");
    if (target === "pareto" && !templated) {
      refuse(`dgd.${key}`, `a Pareto search writes every front member: ${key} needs {index}`);
    }
    if (target !== "pareto" && templated) {
      refuse(`dgd.${key}`, `only a Pareto search has several winners: ${key} must not have {index}`);
    }
  }
  return dgd;
}

/** The flags of each engine, by what they say. */
const FLAGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  vllm: {
    model: "--model",
    tensor: "--tensor-parallel-size",
    data: "--data-parallel-size",
    block: "--block-size",
    memory: "--gpu-memory-utilization",
    prefix: "--enable-prefix-caching",
    sequences: "--max-num-seqs",
    tokens: "--max-num-batched-tokens",
    served: "--served-model-name",
    context: "--max-model-len",
  },
  sglang: {
    model: "--model-path",
    tensor: "--tp-size",
    data: "--dp-size",
    block: "--page-size",
    memory: "--mem-fraction-static",
    sequences: "--max-running-requests",
    tokens: "--chunked-prefill-size",
    served: "--served-model-name",
    context: "--context-length",
  },
  trtllm: {
    model: "--model-path",
    tensor: "--tensor-parallel-size",
    memory: "--free-gpu-memory-fraction",
    block: "--kv-block-size",
    sequences: "--max-batch-size",
    tokens: "--max-num-tokens",
    served: "--served-model-name",
    context: "--max-seq-len",
  },
};

/** Flags that make experts whole on their GPUs. */
const EXPERT_FLAGS: Readonly<Record<string, (size: number) => string[]>> = {
  vllm: () => ["--enable-expert-parallel"],
  sglang: (size) => ["--ep-size", String(size)],
  trtllm: (size) => ["--expert-parallel-size", String(size)],
};

/** A role of a disaggregated deployment, as each engine is told it. */
const ROLE_FLAGS: Readonly<Record<string, (role: "prefill" | "decode") => string[]>> = {
  vllm: (role) => role === "prefill" ? ["--is-prefill-worker"] : [],
  sglang: (role) => ["--disaggregation-mode", role],
  trtllm: (role) => ["--disaggregation-mode", role],
};

const SECRET = [{ secretRef: { name: "hf-token-secret" } }];

/**
 * The manifest of a prediction.
 *
 * @throws {ConfigError} when the prediction is something that a manifest cannot say
 */
function manifestOf(
  document: Document,
  dgd: DgdSection,
  index: number,
  annotation: Record<string, unknown>,
): Document {
  const { engine, router = {}, planner } = document;
  const refuse = (message: string): never => {
    throw new ConfigError(message, [{ path: "dgd", message }]);
  };
  if (planner?.policy === "enabled") {
    refuse("a Planner cannot be written into a DynamoGraphDeployment here; search with planner.policy: disabled");
  }
  if ((router.prefill_load_model?.type ?? "none") !== "none") {
    refuse("a prefill load model cannot be written into a DynamoGraphDeployment; search with type: none");
  }
  const roles = Object.entries(engine.workers as Record<string, Document>);
  const name = dgd.name.replaceAll("{index}", String(index).padStart(3, "0"));
  return {
    apiVersion: "nvidia.com/v1beta1",
    kind: "DynamoGraphDeployment",
    metadata: {
      name,
      ...(dgd.namespace === null ? {} : { namespace: dgd.namespace }),
      annotations: { "nvidia.com/sweeper-evaluation-context": JSON.stringify(annotation) },
    },
    spec: {
      components: [
        frontend(router, dgd),
        ...roles.map(([role, worker]) => component(role, worker, engine, dgd, refuse)),
      ],
    },
  };
}

function frontend(router: Document, { runtime_image }: DgdSection): Document {
  const kv = router.policy === "kv_router";
  const env: [string, string][] = [["DYN_ROUTER_MODE", kv ? "kv" : "round-robin"]];
  if (kv) {
    env.push(
      ["DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT", decimal(router.overlap_score_credit ?? 1)],
      ["DYN_ROUTER_PREFILL_LOAD_SCALE", decimal(router.prefill_load_scale ?? 1)],
      ["DYN_ROUTER_TEMPERATURE", decimal(router.temperature ?? 0)],
      ["DYN_ROUTER_PREFILL_LOAD_MODEL", "none"],
    );
  }
  return {
    name: "Frontend",
    type: "frontend",
    replicas: 1,
    podTemplate: {
      spec: {
        containers: [{
          name: "main",
          image: runtime_image,
          command: ["python3"],
          args: ["-m", "dynamo.frontend"],
          envFrom: SECRET,
          env: env.map(([name, value]) => ({ name, value })),
        }],
      },
    },
  };
}

/** `1.0` for a whole number. */
const decimal = (value: number): string => Number.isInteger(value) ? `${value}.0` : String(value);

function component(
  role: string,
  worker: Document,
  engine: Document,
  dgd: DgdSection,
  refuse: (message: string) => never,
): Document {
  const { parallelism, kv_cache, scheduler } = worker;
  const { tensor, attention_data: data, moe_tensor: moeTensor, moe_expert: experts } = parallelism;
  const flags = FLAGS[engine.backend];
  if (tensor > 1 && data > 1) refuse("unknown parallelism strategy 'mixed': tensor and attention_data together");
  if (data > 1 && experts === 1 && moeTensor > 1) refuse("unknown parallelism strategy 'dtp'");
  const gpus = tensor * data;
  if (gpus > dgd.num_gpus_per_node) {
    refuse(
      `a worker of ${gpus} GPUs does not fit a node of ${dgd.num_gpus_per_node}; multi-node workers are not written`,
    );
  }
  const args: string[] = [
    flags.model,
    engine.model,
    flags.tensor,
    String(engine.backend === "sglang" || engine.backend === "trtllm" ? gpus : tensor),
  ];
  if (data > 1) {
    if (engine.backend === "trtllm") args.push("--enable-attention-dp");
    else args.push(flags.data, String(data));
    if (engine.backend === "sglang") args.push("--enable-dp-attention");
  }
  if (experts > 1) args.push(...EXPERT_FLAGS[engine.backend](experts));
  args.push(flags.block, String(kv_cache.block_size));
  if (kv_cache.capacity.type === "default") args.push(flags.memory, String(kv_cache.capacity.memory_fraction));
  if (kv_cache.prefix_caching !== false && flags.prefix) args.push(flags.prefix);
  args.push(flags.sequences, String(scheduler.max_sequences), flags.tokens, String(scheduler.max_batched_tokens));
  if (role !== "aggregated") args.push(...ROLE_FLAGS[engine.backend](role as "prefill" | "decode"));
  args.push(flags.served, engine.model, flags.context, String(worker.context_length ?? engine.context_length));
  return {
    name: role === "aggregated" ? "worker" : role,
    type: role === "aggregated" ? "worker" : role,
    replicas: parallelism.replicas,
    podTemplate: {
      spec: {
        containers: [{
          name: "main",
          image: dgd.runtime_image,
          workingDir: `/workspace/examples/backends/${engine.backend}`,
          command: ["python3", "-m", `dynamo.${engine.backend}`],
          args,
          resources: {
            limits: { "nvidia.com/gpu": String(gpus) },
            requests: { "ephemeral-storage": "2Gi", "nvidia.com/gpu": String(gpus) },
          },
          envFrom: SECRET,
        }],
      },
    },
  };
}

/** The manifests of winners, and their index. */
export function dgdFiles(
  winners: readonly { document: Document; config: Record<string, unknown> }[],
  dgd: DgdSection,
): FileText[] {
  const files = winners.map(({ document, config }, index): FileText => {
    const annotation = {
      aic_nextn: null,
      concurrency: config.concurrency ?? null,
      gpu_budget: config.gpu_budget ?? null,
      hardware_sku: config.hardware_sku ?? null,
      min_gpu_budget: config.min_gpu_budget ?? null,
      startup_time: null,
    };
    const name = dgd.output_file!.replaceAll("{index}", String(index).padStart(3, "0"));
    return [name, [effectiveConfig(manifestOf(document, dgd, index, annotation))]];
  });
  const list = { artifacts: files.map(([path]) => ({ path })), output: "dgd", renderer: dgd.generator };
  return [...files, ["index.json", [`${JSON.stringify(list, null, 2)}\n`]]];
}
