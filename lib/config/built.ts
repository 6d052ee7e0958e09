/**
 * What the schema accepts and nothing behind it does yet: one line for each, taken out as parts arrive.
 *
 * @module
 */
import { rolesOf } from "./engine_section.ts";
import type { Broken, Sections } from "./rules.ts";

interface NotBuilt {
  what: string;
  /** The key that asks for it, or undefined when the document does not. */
  askedBy(sections: Sections): string | undefined;
}

const NOT_BUILT: readonly NotBuilt[] = [
  {
    what: "timing from the operator database (timing.type: default)",
    askedBy: ({ engine }) => roleWith(engine, ({ timing }) => timing.type === "default", "timing.type"),
  },
  {
    what: "KV capacity from the memory model (capacity.type: default)",
    askedBy: ({ engine }) =>
      roleWith(engine, ({ kv_cache }) => kv_cache.capacity.type === "default", "kv_cache.capacity.type"),
  },
  {
    what: "the model's own context length (context_length: max)",
    askedBy: ({ engine }) =>
      engine.backend === "vllm" &&
        rolesOf(engine).some(([, role]) => (role.context_length ?? engine.context_length) === "max")
        ? "engine.context_length"
        : undefined,
  },
  {
    what: "SGLang and TensorRT-LLM engines",
    askedBy: ({ engine }) => engine.backend === "vllm" ? undefined : "engine.backend",
  },
  {
    what: "disaggregated serving",
    askedBy: ({ engine }) => engine.mode === "disaggregated" ? "engine.mode" : undefined,
  },
  {
    what: "the KV router",
    askedBy: ({ router }) => router?.policy === "kv_router" ? "router.policy" : undefined,
  },
  { what: "the Planner", askedBy: ({ planner }) => planner ? "planner.policy" : undefined },
  {
    what: "trace formats other than mooncake",
    askedBy: ({ traffic: { source } }) =>
      source.type === "trace" && source.format !== "mooncake" ? "traffic.source.format" : undefined,
  },
  {
    what: "synthetic traffic",
    askedBy: ({ traffic: { source } }) => source.type === "trace" ? undefined : "traffic.source.type",
  },
];

type Engine = Sections["engine"];
type Worker = ReturnType<typeof rolesOf>[number][1];

function roleWith(engine: Engine, asks: (worker: Worker) => boolean, key: string): string | undefined {
  const found = rolesOf(engine).find(([, worker]) => asks(worker));
  return found && `engine.workers.${found[0]}.${key}`;
}

/** What the document asks for that is not there yet. */
export function notBuilt(sections: Sections): Broken[] {
  return NOT_BUILT.flatMap(({ what, askedBy }) => {
    const path = askedBy(sections);
    return path === undefined ? [] : [{ path, message: `${path}: ${what} cannot be simulated yet` }];
  });
}
