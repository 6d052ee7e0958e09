/** Every command with work to do, and a way to run one: what the attacks on running processes share. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { DOCUMENTS } from "./documents.ts";
import { SEARCHES } from "./search_documents.ts";

const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
const config = fileURLToPath(new URL("../../deno.json", import.meta.url));

/** A command: its arguments when it writes into `out`, and whether it writes there. */
export interface AttackedCommand {
  args(out: string): string[];
  writes: boolean;
}

/** How a process ended. */
export interface Ended {
  code: number | null;
  signal: string | null;
  stderr: string;
  /** From the start to the end. */
  tookMs: number;
  /** From the signal to the end; -Infinity when it was over before. */
  afterSignalMs: number;
}

/** How a process runs. */
export interface RunOptions {
  /** A signal to send, and when. */
  signal?: NodeJS.Signals;
  afterMs?: number;
  /** Commands of the shell before it, `ulimit -v 1000`. */
  shell?: string;
  /** Where its output goes; default nowhere. `closed`: a pipe whose reader is gone. */
  stdout?: "ignore" | "closed" | "full";
  /** Ends a process that does not end. Default {@linkcode MOST_MS}. */
  mostMs?: number;
  env?: Record<string, string>;
}

/** Time that a command may take on a busy machine. */
export const MOST_MS = 150_000;

/** A folder with traces, configurations and a finished run, and the commands that use them. */
export class CommandBench {
  readonly folder = mkdtempSync(join(tmpdir(), "dynosim-attack-"));
  readonly commands: AttackedCommand[];
  readonly finished = join(this.folder, "finished");

  /** `rows` is the length of the long trace. */
  constructor(rows: number) {
    const text = Array.from(
      { length: rows },
      (_, i) =>
        JSON.stringify({ timestamp: 400 * i, input_length: 600, output_length: 30, hash_ids: [i % 50, 1000 + i] }),
    ).join(
      "\n",
    );
    const packed = this.#file("trace.jsonl.gz", gzipSync(text));
    const json = (name: string, document: unknown) => this.#file(`${name}.json`, JSON.stringify(document));
    const large = json("large", {
      ...DOCUMENTS.aggregated.document,
      traffic: {
        source: { type: "trace", paths: [packed], format: "mooncake" },
        load: { type: "trace_timestamps" },
      },
    });
    const planner = json("planner", DOCUMENTS.planner.document), retune = json("retune", DOCUMENTS.retune.document);
    const search = json("search", SEARCHES.search), measured = json("measured", DOCUMENTS.capacity.document);
    const header = "phase,num_prefill_requests,sum_prefill_tokens,sum_prefill_kv_tokens,num_decode_requests," +
      "sum_decode_kv_tokens,latency_ms";
    const passes = this.#file(
      "passes.csv",
      [
        header,
        ...Array.from(
          { length: 400 },
          (_, i) => `decode,0,0,0,${1 + i % 40},${500 + 300 * (i % 40)},${8 + i % 40 / 9}`,
        ),
      ]
        .join("\n"),
    );
    const dynamo = ["--stack", "dynamo"];
    this.commands = [
      { writes: true, args: (out) => ["predict", "-c", large, "--capture-per-request", "--output-dir", out] },
      { writes: true, args: (out) => ["predict", "-c", planner, ...dynamo, "--output-dir", out] },
      { writes: true, args: (out) => ["predict", "-c", retune, ...dynamo, "--output-dir", out] },
      { writes: true, args: (out) => ["recommend", "-c", search, ...dynamo, "--output-dir", out] },
      { writes: true, args: (out) => ["capacity", "-c", measured, "--figure", join(out, "figure.svg")] },
      { writes: true, args: (out) => ["calibrate", "-c", measured, "-o", join(out, "profile.json"), passes] },
      { writes: true, args: (out) => ["convert", packed, "-o", join(out, "x.jsonl.gz"), "--to", "dynamo"] },
      { writes: true, args: (out) => ["report", this.finished, "-o", join(out, "page.html")] },
      { writes: false, args: () => ["inspect", packed] },
      { writes: false, args: () => ["compare", this.finished, this.finished] },
      { writes: false, args: () => ["explain", this.finished] },
      {
        writes: false,
        args: () => ["estimate", "--model", "Qwen/Qwen3-32B", "--hardware", "h200_sxm", "--capacity"],
      },
      { writes: false, args: () => ["models"] },
      { writes: false, args: () => ["perf-data", "list"] },
      { writes: false, args: () => ["perf-data", "check", "h200_sxm"] },
    ];
    this.planner = planner;
  }

  /** Configuration of a run that takes a moment. */
  readonly planner: string;

  #file(name: string, content: string | Uint8Array): string {
    const path = join(this.folder, name);
    writeFileSync(path, content);
    return path;
  }

  /** Makes the finished run. */
  async prepare(): Promise<void> {
    const { planner, finished } = this;
    const args = ["-c", planner, "--stack", "dynamo", "--capture-per-request", "--output-dir", finished];
    const { code, stderr } = await this.run(["predict", ...args]);
    if (code !== 0) throw new Error(stderr);
  }

  run(args: string[], options: RunOptions = {}): Promise<Ended> {
    const { signal, afterMs = 0, shell, stdout = "ignore", mostMs = MOST_MS, env } = options;
    // the runtime's own cache of code is nothing that is attacked
    const flags = ["run", "-A", "--no-check", "--no-code-cache", "--quiet", "--config", config];
    const own = [process.execPath, ...flags, main, ...args];
    const to = stdout === "full" ? " >/dev/full" : stdout === "closed" ? " | true" : "";
    const line = `${shell ?? "true"}; exec "$@"`;
    const command = to === "" && shell === undefined
      ? own
      : stdout === "closed"
      ? ["bash", "-c", `${shell ?? "true"}; "$@" | true; exit \${PIPESTATUS[0]}`, "bash", ...own]
      : ["bash", "-c", line + to, "bash", ...own];
    const startMs = performance.now();
    const child = spawn(command[0], command.slice(1), {
      cwd: this.folder,
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, NO_COLOR: "1", ...env },
    });
    let stderr = "", sentAt = Infinity;
    child.stderr.on("data", (piece) => stderr += piece);
    const timer = signal && setTimeout(() => {
      sentAt = performance.now();
      child.kill(signal);
    }, afterMs);
    const most = setTimeout(() => child.kill("SIGKILL"), mostMs);
    return new Promise((resolve) =>
      child.on("close", (code, ended) => {
        clearTimeout(timer);
        clearTimeout(most);
        const now = performance.now();
        resolve({ code, signal: ended, stderr, tookMs: now - startMs, afterSignalMs: now - sentAt });
      })
    );
  }

  /** Removes everything. */
  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Arguments with which a command takes a folder that another run left. */
export const again = (args: string[]): string[] =>
  ["predict", "recommend", "convert"].includes(args[0]) ? [...args, "--overwrite"] : args;

/** What no command may say. */
export const NEVER = /mistake in dynosim|\n {4}at |Uncaught|\[object |MaxListeners/;
