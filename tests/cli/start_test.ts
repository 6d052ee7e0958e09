import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { inFolder, start } from "./support.ts";

const skip = "Bun" in globalThis && "Deno's start only";
const preload = `--preload=${fileURLToPath(new URL("without_node.ts", import.meta.url))}`;

/**
 * Modules that Deno looks up before a file's first line runs, as paths from the root of the project; with `atOnce` only
 * those that also run before it.
 */
function lookedUp(file: string, atOnce = false): string[] {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const text = execFileSync(process.execPath, ["info", "--json", file], {
    cwd: root,
    maxBuffer: 1e8,
    encoding: "utf8",
  });
  interface Import {
    specifier: string;
    code?: { specifier: string };
    isDynamic?: boolean;
  }
  const { modules } = JSON.parse(text) as { modules: { specifier: string; dependencies?: Import[] }[] };
  const byName = new Map(modules.map((module) => [module.specifier, module]));
  const seen = new Set<string>();
  const visit = (specifier: string) => {
    if (seen.has(specifier)) return;
    seen.add(specifier);
    for (const { code, isDynamic } of byName.get(specifier)?.dependencies ?? []) {
      if (code && !(atOnce && isDynamic)) visit(code.specifier);
    }
  };
  visit(new URL(`../../${file}`, import.meta.url).href);
  return [...seen].map((specifier) => specifier.replace(new URL("../../", import.meta.url).href, ""));
}

test("commands load nothing of Node on Deno", { skip }, () =>
  inFolder(async (folder) => {
    for (
      const line of [
        ["estimate", "--model", "Qwen/Qwen3-32B", "--hardware", "h200_sxm", "--capacity"],
        ["inspect", "fixtures/traces/chat.jsonl"],
        ["predict", "-c", "fixtures/configs/quickstart.yaml", "--output-dir", `${folder}/plain`],
        ["predict", "-c", "fixtures/configs/planner-chat.yaml", "--output-dir", `${folder}/planner`],
        ["explain", `${folder}/planner`],
        ["report", `${folder}/plain`, "-o", `${folder}/report.html`],
      ]
    ) {
      const { code, stderr } = await start("cli/dynosim.ts", line, { flags: [preload] });
      assert.equal(code, 0, `${line.join(" ")}: ${stderr}`);
    }
  }));

test("a predict looks up nothing of what most runs do without", { skip }, () => {
  const modules = ["cli/main.ts", "cli/predict.ts", "lib/replay/predict.ts"].flatMap((file) => lookedUp(file));
  assert.ok(modules.includes("lib/engine/vllm/rank.ts"), "the graph is read as it is written");
  const optional = [
    "lib/analysis/",
    "lib/jobs/queue/",
    "lib/recommend/",
    "lib/planner/planner.ts",
    "lib/planner/config.ts",
    "lib/forecast/",
    "lib/router/kv_router.ts",
    "lib/timing/aic/families/",
    "lib/trace/dynamo.ts",
  ];
  const needless = modules.filter((path) => optional.some((start) => path.startsWith(start)));
  assert.deepEqual(needless, [], 'import these by import(import.meta.resolve("…")), see docs/speed.md');
});

test(
  "mod.ts names all parts that are loaded by name, so that scripts need no permission to read them",
  { skip },
  () => {
    const graph = new Set(lookedUp("mod.ts")), root = fileURLToPath(new URL("../../", import.meta.url));
    const files = readdirSync(`${root}lib`, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".ts")
    );
    const parts = files.flatMap((name) => {
      const text = readFileSync(`${root}lib/${name}`, "utf8");
      if (!text.includes("import.meta.resolve(")) return [];
      const named = text.matchAll(/typeof import\("(\.[^"]+)"\)/g);
      return [...named].map(([, part]) => new URL(part, `file:///lib/${name}`).pathname.slice(1));
    });
    assert.ok(parts.length > 20, "parts are found");
    assert.deepEqual(parts.filter((part) => !graph.has(part)), []);
  },
);

test("dynosim/replay loads no tables, figures, searches or calibration", { skip }, () => {
  const modules = lookedUp("replay.ts");
  assert.ok(modules.includes("lib/replay/run_trace_replay.ts"));
  const rooms = ["analysis", "calibrate", "capacity", "recommend"];
  assert.deepEqual(modules.filter((path) => rooms.some((room) => path.startsWith(`lib/${room}/`))), []);
});

test("dynosim loads the libraries that draw with the first figure or page", { skip }, () => {
  const drawing = (modules: string[]) =>
    modules.filter((name) => /observablehq|linkedom|analysis\/draw\.ts/.test(name));
  assert.ok(drawing(lookedUp("mod.ts")).length > 2, "they are part of it");
  assert.deepEqual(drawing(lookedUp("mod.ts", true)), []);
});
