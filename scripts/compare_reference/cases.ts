/**
 * Documents that whole predictions are compared on: every backend, three GPUs, dense, mixture-of-experts and latent
 * attention models, both stacks, every target of the Planner, routers, topologies and mistakes.
 */
import { BACKENDS, type Case, document, dynamo, GPUS, MODELS, TRAFFIC } from "./case_documents.ts";
import { engines, speculations, topologies } from "./engine_cases.ts";
import { mistakes } from "./mistake_cases.ts";
import { planners } from "./planner_cases.ts";

/** Every case, in a fixed order. */
export function* cases(): Generator<Case> {
  yield* families();
  yield* planners();
  yield* topologies();
  yield* engines();
  yield* speculations();
  yield* routers();
  yield* mistakes();
}

/** Models on all backends and GPUs, in both stacks. */
function* families(): Generator<Case> {
  const loads = Object.keys(TRAFFIC).filter((name) => name !== "gap" && name !== "chat400");
  let turn = 0;
  for (const model of Object.keys(MODELS)) {
    for (const backend of BACKENDS) {
      for (const hardware of GPUS) {
        const traffic = loads[turn++ % loads.length];
        const name = `family-${model}-${backend}-${hardware.split("_")[0]}-${traffic}`;
        const config = document({ model, backend, hardware, traffic });
        if (turn % 3 === 0) {
          yield { name: `${name}-engine`, args: [], config };
        } else {
          yield { name, args: dynamo, config };
        }
      }
    }
  }
}

/** The routers; ties of the kv_router are broken at random by the reference. */
function* routers(): Generator<Case> {
  const router = { policy: "kv_router", overlap_score_credit: 1, temperature: 0 };
  for (const backend of BACKENDS) {
    yield {
      name: `router-kv-${backend}`,
      args: dynamo,
      random: true,
      config: document({ backend, traffic: "chat", parallelism: { replicas: 2 }, rest: { router } }),
    };
    yield {
      name: `router-round-${backend}`,
      args: dynamo,
      config: document({
        backend,
        traffic: "chat",
        parallelism: { replicas: 2 },
        rest: { router: { policy: "round_robin" } },
      }),
    };
  }
}
