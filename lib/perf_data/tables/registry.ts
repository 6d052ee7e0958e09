/**
 * All kinds of tables. A new one is a builder (most are a few lines: see `simple.ts`) and a line here.
 *
 * @module
 */
import { buildContextAttention, buildGenerationAttention } from "./attention.ts";
import { buildAllReduce, buildCollectives } from "./collectives.ts";
import { buildExperts } from "./experts.ts";
import { buildGemm } from "./gemm.ts";
import {
  buildContextMla,
  buildContextMlaModule,
  buildGenerationMla,
  buildGenerationMlaModule,
  buildMlaProducts,
} from "./latent_attention.ts";
import type { TableBuilder } from "./members.ts";
import { scalingKernel } from "./scaling_kernels.ts";
import {
  buildContextDsa,
  buildContextMsa,
  buildGenerationDsa,
  buildGenerationMsa,
  buildHyperConnections,
  buildPickingOverhead,
  COMPRESSED_ATTENTION,
} from "./sparse_attention.ts";
import { buildGdn, buildKda, buildMamba2 } from "./state_kernels.ts";

/** The builders of all tables, in the order in which their members stand in a set. */
export const TABLE_BUILDERS: readonly TableBuilder[] = [
  buildGemm,
  buildContextAttention,
  buildGenerationAttention,
  buildExperts,
  buildAllReduce,
  buildCollectives,
  scalingKernel("computescale"),
  scalingKernel("scale_matrix"),
  buildContextMla,
  buildGenerationMla,
  buildContextMlaModule,
  buildGenerationMlaModule,
  buildMlaProducts,
  buildGdn,
  buildMamba2,
  buildKda,
  buildContextDsa,
  buildGenerationDsa,
  buildContextMsa,
  buildGenerationMsa,
  ...COMPRESSED_ATTENTION,
  buildPickingOverhead,
  buildHyperConnections,
];
