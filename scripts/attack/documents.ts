/** Every document of the attack. */
import { type Attacked, PREDICTIONS } from "./prediction_documents.ts";
import { SEARCHES } from "./search_documents.ts";

/** By name. */
export const DOCUMENTS: Readonly<Record<string, Attacked>> = {
  ...PREDICTIONS,
  ...Object.fromEntries(
    Object.entries(SEARCHES).map((
      [name, document],
    ) => [name, { document, stack: "dynamo", use: "recommend" } as const]),
  ),
};
