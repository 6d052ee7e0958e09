/**
 * Every format of measurements, in the order in which they are tried.
 *
 * @module
 */
import { aiperf } from "./aiperf.ts";
import { sglangBench, vllmBench } from "./benchmarks.ts";
import { dynamoTrace } from "./dynamo_trace.ts";
import type { MeasuredFormat } from "./format.ts";
import { fpmRecording } from "./fpm_recording.ts";
import { fpmTable } from "./fpm_table.ts";
import { llmServingSimBench } from "./llmservingsim.ts";

/** All formats. */
export const MEASURED_FORMATS: readonly MeasuredFormat[] = [
  fpmRecording,
  fpmTable,
  dynamoTrace,
  aiperf,
  sglangBench,
  vllmBench,
  llmServingSimBench,
];
