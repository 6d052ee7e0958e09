import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import "../without_user_cache.ts";
import { loadPrediction } from "../../lib/config/load.ts";
import { effectiveConfig } from "../../lib/config/effective.ts";
import { ConfigError, TraceError } from "../../lib/errors.ts";
import { inline } from "../../lib/jobs/inline.ts";
import type { Executor } from "../../lib/jobs/job.ts";
import { attainment } from "../../lib/report/evaluation.ts";
import { threads } from "../../lib/jobs/threads.ts";
import { predict } from "../../lib/replay/predict.ts";
import { Journal } from "../../lib/recommend/journal.ts";
import { ledgerOf } from "../../lib/recommend/ledger.ts";
import { loadRecommendation } from "../../lib/recommend/load.ts";
import type { OpenSearch } from "../../lib/recommend/open_search.ts";
import { recommend } from "../../lib/recommend/recommend.ts";
import { searchSpace } from "../../lib/recommend/space.ts";
import { ledgerTable, ledgerText } from "../../lib/recommend/result_files.ts";
import { inFolder } from "../cli/support.ts";

const SEARCH = `
traffic: {source: {type: synthetic, input_tokens: 512, output_tokens: 16}, load: {concurrency: {choices: [2, 8, 24]}}, stop: {requests: 48}}
engine:
  mode: aggregated
  model: Qwen/Qwen3-32B
  hardware: h200_sxm
  backend: vllm
  context_length: 8192
  workers:
    aggregated:
      parallelism: {preset: false, tensor: {choices: [1, 2]}, replicas: {range: {min: 1, max: 4, step: 1}}}
      scheduler: {max_batched_tokens: {choices: [2048, 8192]}, max_sequences: 64}
      kv_cache: {block_size: 64, capacity: {type: fixed, blocks: 1000}}
      timing: {type: polynomial}
evaluation: {sla: {ttft_ms: 200, itl_ms: 20}}
optimization: {target: goodput_per_gpu, constraints: {max_candidate_gpus: 4}}
router: {policy: {choices: [round_robin, kv_router]}, prefill_load_model: {type: none}, overlap_score_credit: 1.0, prefill_load_scale: 1.0, temperature: 0.0}
`;

const open = (set: string[] = []) => loadRecommendation(SEARCH, { stack: "dynamo", set });
const header = ({ id }: OpenSearch) => ({ search: id });

/** Everything that a search writes. */
async function written(executor: Executor, set: string[] = []): Promise<string> {
  const { ledger } = ledgerOf(await recommend(open(set), { executor }).result, "test");
  return [...ledgerText(ledger), ...ledgerTable(ledger)].join("");
}

for (const algorithm of ["random", "exhaustive", "halving"]) {
  const set = [
    `optimizer={algorithm: ${algorithm}, max_trials: ${algorithm === "exhaustive" ? 200 : 100}, parallelism: 3}`,
    "traffic.stop.requests=300",
    "engine.workers.aggregated.scheduler.max_sequences={choices: [6, 64]}",
  ];
  test(`recommend with ${algorithm} writes the same however many workers there are`, async () => {
    const alone = await written(inline(), set);
    assert.equal(await written(threads(2), set), alone);
    assert.equal(await written(threads(4), set), alone);
  });
}

test("recommend tries every distinct deployment once when they fit the trials", async () => {
  const { evaluated, open: { plan } } = await recommend(open()).result;
  assert.equal(plan.algorithm, "exhaustive");
  // 6 shapes × 3 loads × 2 budgets × 2 routers, less the KV routers in front of one worker
  assert.equal(evaluated.length, 6 * 3 * 2 * 2 - 2 * 3 * 2);
});

test("recommend's ranked predictions give the same figures to the last bit", async () => {
  const { ranked } = await recommend(open(["optimizer={algorithm: random, max_trials: 10}"])).result;
  for (const { trial: { candidate: { document } }, metrics } of ranked) {
    const { plan } = await loadPrediction(effectiveConfig(document!), { stack: "dynamo" });
    const { summary } = await predict(plan);
    for (const [name, value] of Object.entries(metrics!)) {
      assert.equal(summary[name as keyof typeof summary], value, name);
    }
  }
});

test("halvingSearch comes within 1 % of the best at a quarter of the replays", async () => {
  const space = [
    "traffic.stop.requests=300",
    "engine.workers.aggregated.scheduler.max_sequences={choices: [8, 16, 32, 64]}",
  ];
  const all = await recommend(open([...space, "optimizer.algorithm=exhaustive"]), { executor: inline() }).result;
  const quarter = Math.floor(all.evaluated.length / 4);
  const some = await recommend(open([...space, `optimizer={algorithm: halving, max_trials: ${quarter}}`])).result;
  assert.ok(some.evaluated.length + some.screened.length <= quarter);
  assert.ok(some.ranked[0].score! >= all.ranked[0].score! * 0.99, `${some.ranked[0].score} of ${all.ranked[0].score}`);
});

test("recommend says when halving has to replay the whole load each time", async () => {
  const halving = "optimizer={algorithm: halving, max_trials: 4}";
  const sessions = "traffic={source: {type: synthetic-session, session: {turns: 2}}, " +
    "load: {concurrency: {choices: [2, 8]}}, stop: {sessions: 12}}";
  const { space: { warnings } } = await recommend(open([halving, sessions])).open;
  assert.deepEqual(warnings, [
    "halving replays the whole load each time: a load of sessions cannot be cut off after some requests",
  ]);
  const { space } = await recommend(open([halving, "traffic.stop.requests=300"])).open;
  assert.deepEqual(space.warnings, []);
});

test("recommend refuses a trace that is not there, and one from standard input, before it searches", async () => {
  const trace = (path: string) => [
    `traffic={source: {type: trace, paths: ["${path}"]}, load: {type: trace_timestamps}}`,
  ];
  for (const [path, message] of [["absent.jsonl", /could not open trace file absent.jsonl: /], ["-", /name a file/]]) {
    const search = open(trace(path as string));
    await assert.rejects(recommend(search).open, (problem) => {
      assert.ok(problem instanceof ConfigError);
      assert.match(problem.message, message as RegExp);
      assert.deepEqual(problem.issues.map(({ path }) => path), ["traffic.source.paths[0]"]);
      assert.match(search.place(problem).message, /--set/);
      return true;
    });
  }
});

for (const algorithm of ["random", "exhaustive"]) {
  test(`recommend with ${algorithm} refuses a trace that cannot be understood once, with its place`, () =>
    inFolder(async (folder) => {
      const path = join(folder, "trace.jsonl"), journalPath = join(folder, "events.jsonl");
      const row = { timestamp: 0, input_length: 100, output_length: 5, hash_ids: [1] };
      writeFileSync(path, `${JSON.stringify(row)}\n${JSON.stringify({ ...row, output_length: "x" })}\n`);
      const search = recommend(open([
        `traffic={source: {type: trace, paths: ["${path}"]}, load: {type: trace_timestamps}}`,
        `optimizer={algorithm: ${algorithm}, max_trials: 100}`,
      ]));
      const journal = await Journal.open(journalPath, await search.open, header);
      await assert.rejects(search.result, (problem) => {
        assert.ok(problem instanceof TraceError);
        assert.match(problem.message, /line 2 .*trace\.jsonl.*output_length/);
        return true;
      });
      journal.close();
      assert.ok(!existsSync(journalPath));
    }));
}

test("Journal goes on wherever a search was stopped, and ends as if it never was", () =>
  inFolder(async (folder) => {
    const path = join(folder, "events.jsonl");
    const run = async (executor = inline()) => {
      const search = recommend(open(), { executor });
      const journal = await Journal.open(path, await search.open, header);
      const again = recommend(open(), { executor, known: journal.known });
      let count = 0;
      for await (const result of again) await journal.add(result, `c${++count}`);
      journal.close();
      return {
        text: readFileSync(path, "utf8"),
        ledger: [...ledgerText(ledgerOf(await again.result, "test").ledger)].join(""),
      };
    };
    const whole = await run();
    for (const share of [0, 0.001, 0.3, 0.62, 0.97, 1]) {
      writeFileSync(path, whole.text.slice(0, Math.floor(whole.text.length * share)));
      assert.deepEqual(await run(), whole);
    }
  }));

test("Journal refuses that of another search", () =>
  inFolder(async (folder) => {
    const path = join(folder, "events.jsonl");
    const search = recommend(open());
    const journal = await Journal.open(path, await search.open, header);
    for await (const result of search) {
      await journal.add(result, "candidate-000001");
      break;
    }
    journal.close();
    const other = await recommend(open(["optimizer.seed=7"])).open;
    await assert.rejects(Journal.open(path, other, header), /another search/);
  }));

test("recommend goes on with less, or more, of the machine: names of searches and jobs leave that out", async () => {
  const named = async (set: string[]) => {
    const run = recommend(open(["optimizer={algorithm: random, max_trials: 2}", ...set]));
    return { id: (await run.open).id, jobs: (await run.result).evaluated.map(({ job }) => job) };
  };
  assert.deepEqual(await named(["execution.resources.cpu_limit=1"]), await named([]));
  assert.notEqual((await named(["optimizer.seed=7"])).id, (await named([])).id);
});

test("searchSpace says which size no legal shape has", async () => {
  const refusal = async (parallelism: string) => {
    const search = open([`engine.workers.aggregated.parallelism={preset: false, ${parallelism}}`]);
    try {
      await searchSpace(search);
    } catch (problem) {
      assert.ok(problem instanceof ConfigError);
      return problem.issues.map(({ path, hint }) => `${path.replace("engine.workers.aggregated.", "")}: ${hint}`)
        .join();
    }
    return assert.fail("not refused");
  };
  assert.equal(await refusal("tensor: {choices: [3]}"), "parallelism.tensor: within 4 GPUs, tensor can be 1, 2, 4");
  assert.match(await refusal("replicas: {choices: [9]}"), /^parallelism.replicas: .*can be 1, 2, 3, 4$/);
  assert.match(await refusal("replicas: {choices: [4]}, tensor: {choices: [4]}"), /^parallelism: .*but not together$/);
});

test("halvingSearch with fewer trials than rungs replays whole loads", async () => {
  const set = ["optimizer={algorithm: halving, max_trials: 2}", "traffic.stop.requests=300"];
  const { evaluated, screened } = await recommend(open(set)).result;
  assert.deepEqual([evaluated.length, screened.length], [2, 0]);
});

test("recommend ranks what is done when it is ended", async () => {
  const control = new AbortController();
  const run = recommend(open(), { signal: control.signal });
  let count = 0;
  for await (const _ of run) if (++count === 7) control.abort(new Error("enough"));
  const { interrupted, evaluated, ranked } = await run.result;
  assert.ok(interrupted && evaluated.length >= 7 && evaluated.length < 20 && ranked.length > 0);
});

for (
  const [what, set, path] of [
    ["an SLA out of reach", ["evaluation={sla: {ttft_ms: 0.5, itl_ms: 20}}"], "evaluation.sla"],
    ["a trace too short for halving", ["optimizer.algorithm=halving"], "optimizer.algorithm"],
    ["too few trials for all", ["optimizer={algorithm: exhaustive, max_trials: 5}"], "optimizer.max_trials"],
    ["a range without steps for all", [
      "optimizer.algorithm=exhaustive",
      "router={policy: kv_router, temperature: {range: {min: 0, max: 1}}}",
    ], "optimizer.algorithm"],
  ] as const
) {
  test(`recommend refuses ${what} before any replay`, async () => {
    let replays = 0;
    await assert.rejects(async () => {
      for await (const _ of recommend(open([...set]))) replays++;
    }, (error: any) => error.name === "ConfigError" && error.issues[0].path === path);
    assert.equal(replays, 0);
  });
}

test("recommend ranks only what keeps min_attainment within the SLA", async () => {
  const set = ["optimizer={algorithm: exhaustive, max_trials: 200}"], bound = "optimization.constraints.min_attainment";
  const free = await recommend(open(set)).result;
  const shares = free.ranked.map(({ metrics }) => attainment(metrics!)!);
  const least = shares.toSorted((a, b) => a - b)[Math.floor(shares.length / 2)];
  const wanted = free.ranked.filter((_, i) => shares[i] >= least).map(({ score }) => score);
  assert.ok(wanted.length > 0 && wanted.length < free.ranked.length, String(shares));
  const held = await recommend(open([...set, `${bound}=${least}`])).result;
  assert.deepEqual(held.ranked.map(({ score }) => score), wanted);
  const out = held.evaluated.filter(({ status }) => status !== "feasible");
  assert.equal(out.length, free.ranked.length - wanted.length);
  for (const { status, category, reason } of out) {
    assert.deepEqual([status, category], ["infeasible", "sla_constraint"]);
    assert.match(reason!, /^attainment constraint: 0[.\d]* of the requests within the SLA < min_attainment=/);
  }
  assert.throws(() => open([`${bound}=1.01`]), /less than or equal to 1/);
  const boundless = ["evaluation={}", "optimization.target=throughput", `${bound}=0.9`];
  assert.throws(() => open(boundless), /min_attainment requires at least one evaluation\.sla bound/);
});
