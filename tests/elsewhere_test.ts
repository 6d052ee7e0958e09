import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { inFolder } from "./cli/support.ts";

const modTs = fileURLToPath(new URL("../mod.ts", import.meta.url));
const trace = fileURLToPath(new URL("../fixtures/traces/chat.jsonl", import.meta.url));

const SCRIPT = `
import { limit, readTrace, replay, type Report, requestsTable, vllm } from "dynosim";

const requests = readTrace(${JSON.stringify(trace)}).pipeThrough(limit(20));
const report: Report = await replay(requests, {
  cluster: { replicas: 1, engine: vllm({ blocks: 3000 }) },
  capturePerRequest: true,
}).report;
console.log(requestsTable(report).numRows(), report.summary.completed_requests satisfies number);
// @ts-expect-error: the types come along
report.summary.completed_requests satisfies string;
`;

test("a script in another folder imports dynosim through one line of its import map, types included", () =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, "script.ts"), SCRIPT);
    const bun = "Bun" in globalThis;
    const [config, settings] = bun
      ? ["tsconfig.json", { compilerOptions: { paths: { dynosim: [modTs] } } }]
      : ["deno.json", { imports: { dynosim: modTs } }];
    writeFileSync(join(folder, config), JSON.stringify(settings));
    const args = bun ? ["run", "script.ts"] : ["run", "--check", "--quiet", "--allow-read", "--allow-env", "script.ts"];
    const stdout = await new Promise<string>((resolve, reject) => {
      execFile(process.execPath, args, { cwd: folder, env: { ...process.env, NO_COLOR: "1" } }, (problem, out, err) => {
        if (problem) reject(new Error(err || problem.message));
        else resolve(out);
      });
    });
    assert.equal(stdout, "20 20\n");
  }));
