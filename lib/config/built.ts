/**
 * What the schema accepts and nothing behind it does yet: one line for each, taken out as parts arrive.
 *
 * @module
 */
import type { Broken, Sections } from "./rules.ts";

interface NotBuilt {
  what: string;
  /** The key that asks for it, or undefined when the document does not. */
  askedBy(sections: Sections): string | undefined;
}

const NOT_BUILT: readonly NotBuilt[] = [
  {
    what: "the trace format weka",
    askedBy: ({ traffic: { source } }) =>
      source.type === "trace" && source.format === "weka" ? "traffic.source.format" : undefined,
  },
];

/** What the document asks for that is not there yet. */
export function notBuilt(sections: Sections): Broken[] {
  return NOT_BUILT.flatMap(({ what, askedBy }) => {
    const path = askedBy(sections);
    return path === undefined ? [] : [{ path, message: `${path}: ${what} cannot be simulated yet` }];
  });
}
