/**
 * The `evaluation` section: the service-level bounds that goodput counts against, and what GPUs cost.
 *
 * @module
 */
import type * as v from "valibot";
import { nonemptyText, orNull, strictNumber } from "./schema_parts.ts";
import { section } from "./schema_sections.ts";

const bound = () => orNull(strictNumber({ gt: 0 }));

const sla = section("SlaConfig", { ttft_ms: bound(), itl_ms: bound(), e2e_ms: bound() }, [
  ({ ttft_ms, itl_ms, e2e_ms }) =>
    e2e_ms !== null && (ttft_ms !== null || itl_ms !== null)
      ? "e2e_ms is mutually exclusive with ttft_ms/itl_ms"
      : undefined,
]);

/** What a GPU costs an hour, and the unit. */
export const priceFields = { price_per_gpu_hour: orNull(strictNumber({ gt: 0 })), currency: orNull(nonemptyText()) };

/** Schema of `evaluation`. `price_per_gpu_hour` and `currency` are dynosim's own. */
export const evaluationSection = section("EvaluationConfig", { sla: orNull(sla), ...priceFields }, [
  ({ price_per_gpu_hour, currency }) =>
    currency !== null && price_per_gpu_hour === null ? "currency has no effect without price_per_gpu_hour" : undefined,
]);
/** `evaluation` as the file has it. */
export type EvaluationSection = v.InferOutput<typeof evaluationSection>;
