/**
 * The performance model against what the reference reports: latencies, operators, KV capacity, operator lists, version
 * slots, table sources and kernel lanes.
 */
import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { PerfCatalog } from "../../lib/timing/aic/catalog.ts";
import { Deployment, type DeploymentOptions } from "../../lib/timing/aic/deployment.ts";
import { findModel } from "../../lib/timing/aic/model_sources.ts";
import type { OperatorSpec } from "../../lib/timing/aic/operator_spec.ts";
import { decodeStepMs, generationRunMs, mixedStepMs, promptMs } from "../../lib/timing/aic/step_estimates.ts";

const GOLDENS = new URL("../../fixtures/goldens/perf-model/", import.meta.url);
const read = (name: string) => JSON.parse(readFileSync(new URL(name, GOLDENS), "utf8"));
const catalog = new PerfCatalog();

function deployment(model: string, golden: Record<string, any>, nextn = 0): Deployment {
  const options: DeploymentOptions = {
    hardware: golden.system ?? "h200_sxm",
    backend: golden.backend,
    backendVersion: golden.backend_version,
    tensor: golden.tp_size,
    pipeline: golden.pp_size,
    attentionData: golden.attention_dp_size,
    moeTensor: golden.moe_tp_size,
    moeExpert: golden.moe_ep_size,
    quant: { fmha: golden.fmha_quant_mode },
    nextn,
    databaseMode: golden.database_mode,
    fmhaFallback: false,
  };
  return new Deployment(findModel(model)!.facts, options, catalog);
}

function near(got: number, want: number, what: string): void {
  const error = want === 0 ? Math.abs(got) : Math.abs(got - want) / Math.abs(want);
  assert.ok(error <= 1e-12, `${what}: ${got} is not ${want}`);
}

/** The golden holds a number or an error; `ask` must give the same. */
function agrees(ask: () => number, want: number | { error: string }, what: string): void {
  if (typeof want === "number") near(ask(), want, what);
  else assert.throws(ask, { name: "SimulationError", message: want.error }, what);
}

for (const file of readdirSync(GOLDENS).filter((name) => name.endsWith(".json") && "cases" in read(name)).sort()) {
  const golden = read(file);
  test(`latencies, operators and KV capacity of ${golden.model}`, () => {
    for (const row of golden.cases) {
      const { latency_ms, per_op, kv, ...identity } = row;
      const where = JSON.stringify(identity);
      const deployed = deployment(golden.model, row);
      const model = deployed.forwardPassModel();
      golden.workloads.forEach(([, prompts, fresh, prior, decodes, known]: number[], i: number) => {
        const load = {
          num_prefill_requests: prompts,
          sum_prefill_tokens: fresh,
          sum_prefill_kv_tokens: prior,
          num_decode_requests: decodes,
          sum_decode_kv_tokens: known,
        };
        agrees(() => model.passMs(load), latency_ms[i], `${where} ${JSON.stringify(load)}`);
        if (typeof latency_ms[i] !== "number") return;
        const sum = model.passRows(load).reduce((total, operator) => total + operator.ms, 0);
        near(sum, latency_ms[i], `${where} sum of the operators`);
      });
      golden.per_op_queries.forEach(([phase, batch, seq, prefix]: [string, number, number, number], i: number) => {
        const rows = () => phase === "ctx" ? model.contextRows(batch, seq, prefix) : model.generationRows(batch, seq);
        if (!Array.isArray(per_op[i])) return assert.throws(rows, { message: per_op[i].error });
        const got = rows();
        assert.deepEqual(got.map((operator) => operator.name), per_op[i].map((want: any) => golden.op_names[want[0]]));
        got.forEach((operator, j) => near(operator.ms, per_op[i][j][1], `${where} ${operator.name}`));
      });
      for (const want of kv) {
        const ask = () =>
          deployed.kvCapacity({ memoryFraction: want.memory_fraction, maxBatchedTokens: want.max_num_tokens });
        if (want.error !== undefined) {
          assert.throws(ask, (problem: Error) => problem.message.startsWith(want.error), where);
          continue;
        }
        const got = ask();
        assert.equal(got.bytes, want.total_kv_size_bytes, where);
        assert.equal(got.bytesPerToken, want.kv_size_per_token_bytes, where);
        assert.equal(got.tokens, want.total_kv_size_tokens, where);
        assert.equal(Math.floor(got.tokens / 16), want.blocks_16, where);
        assert.equal(Math.floor(got.tokens / 64), want.blocks_64, where);
        assert.equal(Math.floor(got.memory.weights), want.memory_breakdown.weights_bytes, where);
        assert.equal(Math.floor(got.memory.activations), want.memory_breakdown.activations_bytes, where);
        assert.equal(Math.floor(got.memory.runtime), want.memory_breakdown.runtime_overhead_bytes, where);
        assert.equal(Math.floor(got.memory.collectives), want.memory_breakdown.comm_overhead_bytes, where);
      }
    }
  });
}

test("other calls: prompts, generations, mixed and decode steps, several ranks, wide groups, drafts", () => {
  for (const row of read("misc-calls.json").rows) {
    const model = deployment(row.model, { ...row, ...row.par }, row.nextn ?? 0).forwardPassModel();
    const a = row.args;
    const calls: Record<string, () => number> = {
      predict_prefill_latency: () => promptMs(model, a[0], a[1], a[2]),
      predict_decode_latency: () => generationRunMs(model, a[0], a[1], a[2]),
      decode_step_latency: () => decodeStepMs(model, a[0], a[1], a[2]),
      mixed_step_latency: () =>
        mixedStepMs(
          model,
          { contextTokens: a[0], decodes: a[1], inputLength: a[2], outputLength: a[3], prefix: a[4] },
          { context: a[5], generation: a[6] },
        ),
      "run_static.static_gen": () => generationRunMs(model, a.batch_size, a.isl, a.osl),
      "estimate_forward_pass_time_ms.two_ranks": () =>
        model.passMs(
          a.map(([decodes, known]: number[]) => ({ num_decode_requests: decodes, sum_decode_kv_tokens: known })),
        ),
    };
    near(calls[row.call](), row.ms, JSON.stringify(row));
  }
});

test("bounds alone, empirical and hybrid estimates", () => {
  let identity = "";
  let model = deployment("Qwen/Qwen3-32B", { backend: "vllm" }).forwardPassModel();
  for (const row of read("database-modes.json").rows) {
    const { ask: _ask, ms: _ms, ...own } = row;
    if (identity !== (identity = JSON.stringify(own))) model = deployment(row.model, row).forwardPassModel();
    const [phase, batch, seq, prefix] = row.ask;
    const ms = phase === "ctx" ? model.contextMs(batch, seq, prefix) : model.generationMs(batch, seq);
    near(ms, row.ms, JSON.stringify(row));
  }
});

/** Our descriptions in the golden's words. */
function goldenRow(spec: OperatorSpec): unknown[] {
  const group = (specs: readonly OperatorSpec[]) => specs.map(goldenRow);
  const layout = (moe: { hidden: number; topk: number; experts: number } & Record<string, any>) => ({
    hidden_size: moe.hidden,
    topk: moe.topk,
    num_experts: moe.experts,
    moe_tp_size: moe.moeTensor,
    moe_ep_size: moe.moeExpert,
    attention_dp_size: moe.attentionData,
  });
  const row = (kind: string, fields: Record<string, unknown>) => [kind, spec.name, spec.count, fields];
  switch (spec.kind) {
    case "embedding":
      return row("Embedding", { vocab_size: spec.rows, hidden_size: spec.width, quant_mode: "bfloat16" });
    case "elementwise":
      return row("Elementwise", { bytes_per_token: spec.bytesPerToken });
    case "gemm": {
      const low = spec.lowPrecisionInput ? { low_precision_input: true } : {};
      return row("Gemm", { n: spec.n, k: spec.k, quant_mode: spec.mode, ...low });
    }
    case "context_attention":
    case "generation_attention": {
      const shape = { n: spec.heads, n_kv: spec.kvHeads, head_size: spec.headSize, kv_cache_dtype: spec.kv };
      return spec.kind === "context_attention"
        ? row("ContextAttention", { ...shape, fmha_quant_mode: spec.fmha, use_qk_norm: spec.qkNorm })
        : row("GenerationAttention", { ...shape, use_qk_norm: spec.qkNorm });
    }
    case "all_reduce":
      return row("CustomAllReduce", { hidden_size: spec.width, tp_size: spec.ranks });
    case "p2p":
      return row("P2P", { pp_size: spec.stages, hidden_size: spec.width });
    case "moe": {
      const { inter, mode, distribution } = spec;
      const rest = { inter_size: inter, quant_mode: mode, workload_distribution: distribution };
      return row("Moe", { ...layout(spec), ...rest });
    }
    case "moe_dispatch":
      return row("MoeDispatch", { ...layout(spec), pre_dispatch: spec.pre, moe_quant: spec.mode });
    case "context_mla":
      return row("ContextMla", { num_heads: spec.heads, kv_cache_dtype: spec.kv, fmha_quant_mode: spec.fmha });
    case "generation_mla":
      return row("GenerationMla", { num_heads: spec.heads, kv_cache_dtype: spec.kv });
    case "mla_bmm":
      return row("MlaBmm", { num_heads: spec.heads, quant_mode: spec.mode, is_pre: spec.pre });
    case "mla_context_module":
    case "mla_generation_module":
      return row(spec.kind === "mla_context_module" ? "MlaModuleContext" : "MlaModuleGeneration", {
        num_heads: spec.heads,
        kv_cache_dtype: spec.kv,
        fmha_quant_mode: spec.fmha,
        gemm_quant_mode: spec.mode,
        native_num_heads: spec.nativeHeads,
      });
    case "gdn":
      return row("Gdn", {
        kernel_source: spec.kernel,
        phase: spec.phase,
        d_model: spec.hidden,
        d_conv: spec.taps,
        num_k_heads: spec.keyHeads,
        head_k_dim: spec.keySize,
        num_v_heads: spec.valueHeads,
        head_v_dim: spec.valueSize,
        mamba_ssm_dtype: spec.stateType,
      });
    case "mamba2":
      return row("Mamba2", {
        kernel_source: spec.kernel,
        phase: spec.phase,
        d_model: spec.hidden,
        d_state: spec.stateSize,
        d_conv: spec.taps,
        nheads: spec.heads,
        head_dim: spec.headSize,
        n_groups: spec.groups,
        chunk_size: spec.chunk,
      });
    case "fallback":
      return ["Fallback", spec.name, { primary: goldenRow(spec.primary), fallback: group(spec.list) }];
    case "overlap":
      return ["Overlap", spec.name, { group_a: group(spec.groups[0]), group_b: group(spec.groups[1]) }];
    default:
      // kinds that no model of these goldens has
      return row(spec.kind, { ...spec });
  }
}

test("operator lists and quantisation modes", () => {
  for (const list of read("op-lists.json").lists) {
    const deployed = deployment(list.model, list);
    const { gemm, moe, kvcache, fmha, comm } = deployed.modes;
    assert.deepEqual({ gemm, moe, kvcache, fmha, comm }, list.quant, JSON.stringify(list.model));
    const { context, generation } = deployed.lists;
    assert.deepEqual(context.map(goldenRow), list.context_ops, list.model);
    assert.deepEqual(generation.map(goldenRow), list.generation_ops, list.model);
  }
});

test("version slots of every system; sources and lanes of the shipped sets", () => {
  let shipped = 0;
  for (const { system, backend, slots, sources, lanes } of read("lanes-and-sources.json").rows) {
    assert.deepEqual(catalog.system(system).backends[backend], slots, `${system} ${backend}`);
    if (!["h200_sxm", "h100_sxm", "b200_sxm"].includes(system)) continue;
    const { header } = catalog.load({ system, backend, version: slots.current });
    assert.deepEqual(header.lanes, lanes, `${system} ${backend}`);
    for (const [table, places] of Object.entries(sources)) {
      assert.deepEqual(header.sources[table], places, `${system} ${backend} ${table}`);
    }
    shipped++;
  }
  assert.equal(shipped, 9);
});
