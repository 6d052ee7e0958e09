import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../fixtures/notebooks/", import.meta.url));
const notebooks = readdirSync(folder).filter((name) => name.endsWith(".ipynb"));

interface Cell {
  id: string;
  cell_type: string;
  source: string[];
  outputs: { output_type: string; data?: Record<string, string | string[]>; text?: string }[];
}

const cellsOf = (text: string): Cell[] => JSON.parse(text).cells;

function run(program: string, args: string[], env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) =>
    execFile(program, args, { env: { ...process.env, ...env }, maxBuffer: 1 << 28, timeout: 300_000 }, (
      problem,
      stdout,
      stderr,
    ) => problem ? reject(new Error(`${program} ${args.join(" ")}: ${stderr || problem.message}`)) : resolve(stdout))
  );
}

const finds = (program: string, args: string[]) => run(program, args, {}).then(() => true, () => false);

test("notebooks are kept without outputs", () => {
  assert.ok(notebooks.length > 0);
  for (const name of notebooks) {
    for (const cell of cellsOf(readFileSync(join(folder, name), "utf8"))) {
      if (cell.cell_type === "code") assert.deepEqual(cell.outputs, [], `${name}: ${cell.id}`);
    }
  }
});

/** The Deno that runs the tests need not be on the path. */
const deno = "Deno" in globalThis ? process.execPath : "deno";
const missing = [
  await finds("jupyter", ["nbconvert", "--version"]) ? [] : ["jupyter (pip install nbconvert nbclient)"],
  await finds(deno, ["--version"]) ? [] : ["deno"],
].flat();
const skip = missing.length > 0 ? `no ${missing.join(", no ")} on this machine` : false;
if (skip) console.log(`notebooks are not run: ${skip}`);

test("notebooks run under Deno's Jupyter kernel and show what they promise", { skip }, async () => {
  const data = mkdtempSync(join(tmpdir(), "dynosim-"));
  try {
    // A kernel of its own, so that nothing needs to be installed for the user.
    const kernel = join(data, "kernels", "deno");
    mkdirSync(kernel, { recursive: true });
    const spec = { argv: [deno, "jupyter", "--kernel", "--conn", "{connection_file}"], display_name: "Deno" };
    writeFileSync(join(kernel, "kernel.json"), JSON.stringify({ ...spec, language: "typescript" }));
    for (const name of notebooks) {
      // on a busy machine outputs may come long after the reply; the preprocessor would go on without them after 4 s
      const patience = "--ExecutePreprocessor.iopub_timeout=120";
      const args = ["nbconvert", "--to", "notebook", "--execute", patience, "--stdout", join(folder, name)];
      const cells = cellsOf(await run("jupyter", args, { JUPYTER_PATH: data, NO_COLOR: "1" }));
      for (const { id, cell_type, source, outputs } of cells.filter((cell) => cell.cell_type === "code")) {
        const code = source.join("");
        const kinds = outputs.flatMap((output) => Object.keys(output.data ?? {}));
        const at = `${name}: ${id} (${cell_type}) gave ${JSON.stringify(outputs).slice(0, 500)}`;
        assert.ok(!outputs.some(({ output_type }) => output_type === "error"), at);
        if (/^await show\(/m.test(code)) assert.ok(kinds.includes("text/html"), at);
        if (/^await draw\(/m.test(code)) assert.ok(kinds.includes("image/svg+xml"), at);
      }
    }
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
});
