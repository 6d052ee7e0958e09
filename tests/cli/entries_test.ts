import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Checkout, ran, skip } from "./checkout.ts";
import type { Ended } from "./support.ts";

/** A copy of the project, and a folder with a script that imports from it. */
class Elsewhere {
  readonly checkout = new Checkout();
  readonly folder = mkdtempSync(join(tmpdir(), "dynosim-script-"));

  /** Runs a script for which the two names are these files of the project. */
  async run(text: string, { entries = ["start/mod.js", "start/replay.js"], flags = ["-A"], env = {} } = {}) {
    const [dynosim, replay] = entries.map((name) => this.checkout.at(name));
    writeFileSync(join(this.folder, "deno.json"), JSON.stringify({ imports: { dynosim, "dynosim/replay": replay } }));
    writeFileSync(join(this.folder, "script.ts"), text);
    // the interface of Node would allow it everything
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", ...flags, "script.ts"],
      cwd: this.folder,
      env: { NO_COLOR: "1", ...env },
      stdin: "null",
    }).output();
    const [printed, complained] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    return { code, stdout: printed, stderr: complained };
  }

  remove(): void {
    this.checkout.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

let made: Elsewhere | undefined;
const elsewhere = () => made ??= new Elsewhere();
after(() => made?.remove());

const BOTH = `
import * as all from "dynosim";
import * as replays from "dynosim/replay";

const shared = Object.entries(replays).filter(([name, value]) => (all as Record<string, unknown>)[name] === value);
const problem = await replays.loadPrediction("enginee: 1").then(() => null, (problem) => problem);
console.log(JSON.stringify({
  all: Object.keys(all).sort(),
  replays: Object.keys(replays).sort(),
  shared: shared.length,
  undefined: Object.values(all).filter((value) => value === undefined).length,
  known: problem instanceof all.ConfigError,
}));
`;

const SOURCES = { entries: ["mod.ts", "replay.ts"] };

test(
  "scripts run the bundle through start/, or the sources as soon as any of them is edited, in both entries alike",
  { skip },
  async () => {
    const exported = (ended: Ended) => {
      assert.equal(ended.code, 0, ended.stderr);
      return JSON.parse(ended.stdout);
    };
    const sources = await elsewhere().run(BOTH, SOURCES), expected = exported(sources);
    assert.equal(ran(sources), "sources");
    assert.equal(expected.shared, expected.replays.length);
    assert.equal(expected.undefined, 0);
    assert.equal(expected.known, true);

    const bundled = async (what: "bundle" | "sources", options = {}) => {
      const ended = await elsewhere().run(BOTH, options);
      assert.deepEqual(exported(ended), expected);
      assert.equal(ran(ended), what);
    };
    await bundled("bundle");
    await bundled("bundle", { flags: ["--allow-read"] });
    await bundled("sources", { env: { DYNOSIM_SOURCES: "1" } });
    // both of them, though replays do without this source
    elsewhere().checkout.edit("lib/analysis/units.ts", (text) => `${text}\n`);
    await bundled("sources");
    elsewhere().checkout.edit("lib/analysis/units.ts", (text) => text.slice(0, -1));
    await bundled("bundle");
    elsewhere().checkout.edit("cli/inspect.ts", (text) => `${text}\n`);
    await bundled("bundle");
    elsewhere().checkout.edit("cli/inspect.ts", (text) => text.slice(0, -1));

    // scripts and commands keep compiled code apart: they load the same files by different addresses
    const address = JSON.stringify(elsewhere().checkout.at("bundle/mod.js"));
    const apart = await elsewhere().run(
      `import { ConfigError } from "dynosim";\nconsole.log((await import(${address})).ConfigError === ConfigError);`,
    );
    assert.equal(apart.stdout, "false\n", apart.stderr);

    let whole = "";
    elsewhere().checkout.edit("replay.ts", (text) => (whole = text).replace(/export \{ fixed \} from .*\n/, ""));
    const gone = await elsewhere().run(`import { polynomial } from "dynosim/replay";\nconsole.log(typeof polynomial);`);
    elsewhere().checkout.edit("replay.ts", () => whole);
    assert.notEqual(gone.code, 0);
    assert.match(gone.stderr, /replay\.ts exports no fixed, start\/replay\.js does: run `deno task bundle`/);
  },
);

const PIECES = `
import { capacity, latencyPlot, loadPrediction, requestsTable, threads, toRun } from "dynosim";
import { readTrace, replay, type Report, type RouterContext, SimpleRouter, TraceError } from "dynosim/replay";

class First extends SimpleRouter {
  readonly #ranks: number[] = [];
  constructor(readonly context: RouterContext) {
    super();
  }
  override join(_worker: number, firstRank: number): void {
    this.#ranks.push(firstRank);
  }
  override leave(): void {}
  override place(): number {
    return this.#ranks[0];
  }
}

const trace = Deno.args[0];
const report: Report = await replay(readTrace(trace), {
  cluster: { replicas: 2 },
  router: (context) => new First(context),
  capturePerRequest: true,
}).report;
// @ts-expect-error: the types come along
report.summary.completed_requests satisfies string;
const svg = await latencyPlot([toRun(report, { name: "first" })], "ttft_ms");
const { plan } = await loadPrediction(\`
traffic: {source: {type: synthetic}, load: {concurrency: 8}, stop: {requests: 40}}
engine:
  model: Qwen/Qwen3-32B
  hardware: h200_sxm
  workers: {aggregated: {parallelism: {tensor: 2}, timing: {type: fixed, prefill_ms: 20, decode_ms: 10}}}
evaluation: {sla: {ttft_ms: 500, itl_ms: 5}}
\`);
const { points } = await capacity(plan, { attainment: 0.9, executor: threads(2, { always: true }) });
let refused = false;
try {
  await replay(readTrace(trace + ".none"), {}).report;
} catch (problem) {
  refused = problem instanceof Error && problem.name === "FileError" || problem instanceof TraceError;
}
console.log(JSON.stringify([
  report.summary.completed_requests, report.summary.p95_ttft_ms, requestsTable(report).numRows(), svg, refused, points.length,
]));
`;

test("routers, tables, figures, threads and types of a script are the same in the bundle and the sources", {
  skip,
}, async () => {
  const results = [];
  const ways = { bundle: { flags: ["-A", "--check"] }, sources: SOURCES };
  for (const [what, options] of Object.entries(ways)) {
    const text = PIECES.replace("Deno.args[0]", JSON.stringify(elsewhere().checkout.at("fixtures/traces/chat.jsonl")));
    const ended = await elsewhere().run(text, options);
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(ran(ended), what);
    results.push(JSON.parse(ended.stdout));
  }
  assert.deepEqual(results[0], results[1]);
  const [completed, , rows, svg, refused, tried] = results[0];
  assert.equal(rows, completed);
  assert.match(svg, /^<svg/);
  assert.ok(tried > 0);
  assert.equal(refused, true);
});

test("a script that may read nothing imports mod.ts and replay.ts; start/ tells it so", { skip }, async () => {
  const text = `
import { runSyntheticTraceReplay } from "dynosim/replay";
const { summary } = await runSyntheticTraceReplay(500, 20, 30, { replayConcurrency: 4 });
console.log(summary.completed_requests);`;
  const flags = ["--no-prompt"];
  const refused = await elsewhere().run(text, { flags });
  assert.notEqual(refused.code, 0);
  assert.match(
    refused.stderr,
    /start\/replay\.js cannot load its project: Requires read access .*imports \/.*\/replay\.ts/,
  );
  const free = await elsewhere().run(text, { ...SOURCES, flags });
  assert.equal(free.stdout, "30\n", free.stderr);
});
