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

/** Runs a notebook; returns the cells that did not show what they promise, throws where a cell failed. */
async function missingOutputs(name: string, data: string): Promise<string[]> {
  // On a busy machine messages may come long after the reply, and the kernel long after its start. The preprocessor would
  // go on without the former after 4 s, and give up after a minute without the latter.
  const patience = ["iopub_timeout=120", "startup_timeout=240"].map((limit) => `--ExecutePreprocessor.${limit}`);
  const args = ["nbconvert", "--to", "notebook", "--execute", ...patience, "--stdout", join(folder, name)];
  const cells = cellsOf(await run("jupyter", args, { JUPYTER_PATH: data, NO_COLOR: "1" }));
  return cells.filter((cell) => cell.cell_type === "code").flatMap(({ id, source, outputs }) => {
    const code = source.join("");
    const kinds = outputs.flatMap((output) => Object.keys(output.data ?? {}));
    const failed = outputs.some(({ output_type }) => output_type === "error");
    assert.ok(!failed, `${name}: ${id} gave ${JSON.stringify(outputs).slice(0, 500)}`);
    const shows = !/^await show\(/m.test(code) || kinds.includes("text/html");
    const draws = !/^await draw\(/m.test(code) || kinds.includes("image/svg+xml");
    return shows && draws ? [] : [id];
  });
}

test("notebooks run under Deno's Jupyter kernel and show what they promise", { skip }, async () => {
  const data = mkdtempSync(join(tmpdir(), "dynosim-"));
  try {
    // A kernel of its own, so that nothing needs to be installed for the user.
    const kernel = join(data, "kernels", "deno");
    mkdirSync(kernel, { recursive: true });
    const spec = { argv: [deno, "jupyter", "--kernel", "--conn", "{connection_file}"], display_name: "Deno" };
    writeFileSync(join(kernel, "kernel.json"), JSON.stringify({ ...spec, language: "typescript" }));
    for (const name of notebooks) {
      // Deno's kernel sends outputs and the end of a cell from two threads. Rarely an output comes after the end, where
      // nbclient no longer listens. So a cell counts as empty when it was empty in each of four runs.
      let empty = await missingOutputs(name, data);
      for (let run = 1; run < 4 && empty.length > 0; run++) {
        const again = await missingOutputs(name, data);
        empty = empty.filter((id) => again.includes(id));
      }
      assert.deepEqual(empty, [], `${name}: cells without what they promise`);
    }
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
});
