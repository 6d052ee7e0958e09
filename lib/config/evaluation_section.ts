/**
 * The `evaluation` section: the service-level bounds that goodput counts against.
 *
 * @module
 */
import type * as v from "valibot";
import { orNull, section, strictNumber } from "./schema_parts.ts";

const bound = () => orNull(strictNumber({ gt: 0 }));

const sla = section("SlaConfig", { ttft_ms: bound(), itl_ms: bound(), e2e_ms: bound() }, [
  ({ ttft_ms, itl_ms, e2e_ms }) =>
    e2e_ms !== null && (ttft_ms !== null || itl_ms !== null)
      ? "e2e_ms is mutually exclusive with ttft_ms/itl_ms"
      : undefined,
]);

/** Schema of `evaluation`. */
export const evaluationSection = section("EvaluationConfig", { sla: orNull(sla) });
/** `evaluation` as the file has it. */
export type EvaluationSection = v.InferOutput<typeof evaluationSection>;
