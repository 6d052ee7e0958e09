/**
 * What a run with a model needs of the operator database, as one module: it is loaded when a role of a run has a model,
 * and each module that is loaded while a program runs costs Deno 1 to 2 ms of its own.
 *
 * @module
 */
export { assumptionsOf } from "./assumptions.ts";
export { kvBytesPerToken } from "./capacity.ts";
export { PerfCatalog } from "./catalog.ts";
export { deployIdentity } from "./estimator_identity.ts";
export { Evidence } from "./evidence_check.ts";
export { loadModel, maxContextLength } from "./model_sources.ts";
export { operatorTiming } from "./operator_timing.ts";
export { precisionWarnings } from "./precision_check.ts";
export { probes } from "./probes.ts";
export { quantMode } from "./quant_choice.ts";
export { requireOperators, requireTimes } from "./support.ts";
