/**
 * The running process: its arguments, environment, terminal, memory and interrupts, on Deno by its own calls (the `node:`
 * modules are slow to load), elsewhere by `process`.
 *
 * @module
 */
import { fileError, isClosedPipe } from "./failures.ts";

interface Stream {
  isTerminal(): boolean;
  writeSync(bytes: Uint8Array): number;
}

interface DenoLike {
  args: string[];
  cwd(): string;
  chdir(folder: string): void;
  env: { get(name: string): string | undefined };
  stdout: Stream;
  stderr: Stream;
  exit(code: number): never;
  consoleSize(): { columns: number };
  hostname(): string;
  memoryUsage(): { rss: number; heapUsed: number };
  systemMemoryInfo(): { total: number; available: number };
  addSignalListener(signal: StopSignal | "SIGXFSZ", handler: () => void): void;
  removeSignalListener(signal: StopSignal | "SIGXFSZ", handler: () => void): void;
}

/** Ctrl-C, a request to end, a terminal that closes. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

interface NodeStream {
  isTTY?: boolean;
  columns?: number;
}

interface ProcessLike {
  argv: string[];
  env: Record<string, string | undefined>;
  stdout: NodeStream;
  stderr: NodeStream;
  exit(code: number): never;
  memoryUsage: { rss(): number };
  constrainedMemory?(): number;
  on(event: StopSignal | "SIGXFSZ" | "uncaughtException", handler: (problem: unknown) => void): void;
  off(event: StopSignal | "SIGXFSZ", handler: () => void): void;
  getBuiltinModule(name: string): any;
}

const runtime = globalThis as unknown as { Deno?: DenoLike; process: ProcessLike; navigator?: Navigator };

/** Arguments after the script's name. */
export const commandArguments = (): string[] => runtime.Deno?.args ?? runtime.process.argv.slice(2);

/** A variable of the environment; undefined when it is unset, empty, or may not be read. */
export function environment(name: string): string | undefined {
  try {
    return (runtime.Deno ? runtime.Deno.env.get(name) : runtime.process.env[name]) || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Takes the directory from which a task runner was called for the current one, so that relative paths are the caller's:
 * `deno task` itself goes to the folder of its configuration.
 *
 * @param root that folder; a process that starts elsewhere stays there
 */
export function goToCaller(root: URL): void {
  const caller = environment("INIT_CWD");
  if (caller === undefined || !runtime.Deno) return;
  try {
    const here = runtime.Deno.cwd().replace(/\/+$/, "");
    if (here === decodeURIComponent(root.pathname).replace(/\/+$/, "") && caller !== here) runtime.Deno.chdir(caller);
  } catch {
    // a folder that is gone, or may not be looked at: paths are then relative to where we are
  }
}

/** Ends the process. */
export const exit = (code: number): never => runtime.Deno ? runtime.Deno.exit(code) : runtime.process.exit(code);

/** Standard output or standard error. */
export type StreamName = "stdout" | "stderr";

/** Whether a person is looking. */
export const isTerminal = (stream: StreamName): boolean =>
  runtime.Deno ? runtime.Deno[stream].isTerminal() : runtime.process[stream].isTTY === true;

/** Columns of the terminal; 80 without one. */
export function terminalColumns(): number {
  try {
    return (runtime.Deno ? runtime.Deno.consoleSize().columns : runtime.process.stderr.columns) || 80;
  } catch {
    return 80;
  }
}

/**
 * Writes text at once, all of it. A reader that went away (`| head`) is no error, and neither is a standard error that
 * cannot be written to: there is nowhere left to tell it.
 *
 * @returns whether there was somebody to read it
 * @throws {FileError} when standard output cannot be written to
 */
export function writeText(stream: StreamName, text: string): boolean {
  let bytes = new TextEncoder().encode(text);
  const fs = runtime.Deno ? undefined : runtime.process.getBuiltinModule("node:fs");
  while (bytes.length > 0) {
    try {
      const written = runtime.Deno
        ? runtime.Deno[stream].writeSync(bytes)
        : fs.writeSync(stream === "stdout" ? 1 : 2, bytes);
      bytes = bytes.subarray(written);
    } catch (error) {
      const { name, code } = error as { name: string; code?: string };
      if (code === "EAGAIN" || name === "WouldBlock") continue;
      if (stream === "stderr" || isClosedPipe(error)) return false;
      throw fileError("write", "standard output", error);
    }
  }
  return true;
}

/** Calls `handler` when the process is asked to end, until the returned function is called. */
export function onStopRequest(handler: (signal: StopSignal) => void): () => void {
  // a file that may grow no further is told by the write that fails, not by the end of the process
  const undo = (["SIGINT", "SIGTERM", "SIGHUP", "SIGXFSZ"] as const).map((signal) => {
    const listener = () => signal === "SIGXFSZ" || handler(signal);
    try {
      if (runtime.Deno) runtime.Deno.addSignalListener(signal, listener);
      else runtime.process.on(signal, listener);
    } catch {
      return () => {}; // not every system has every signal
    }
    return () => {
      if (runtime.Deno) runtime.Deno.removeSignalListener(signal, listener);
      else runtime.process.off(signal, listener);
    };
  });
  return () => undo.forEach((call) => call());
}

/** Calls `handler` with an error that nobody caught, instead of the runtime's own report of it. */
export function onUncaught(handler: (problem: unknown) => void): void {
  if (!runtime.Deno) {
    runtime.process.on("uncaughtException", handler);
    return;
  }
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    handler(event.reason);
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    handler(event.error);
  });
}

/** Resident memory of this process with all its threads, in bytes. */
export const residentBytes = (): number =>
  runtime.Deno ? runtime.Deno.memoryUsage().rss : runtime.process.memoryUsage.rss();

/** Share of what the runtime lets JavaScript objects take that is taken; 0 while they are few. */
export function heapShare(): number {
  const used = runtime.Deno?.memoryUsage().heapUsed ?? 0;
  if (used < 2 ** 29) return 0;
  heapLimit ??= runtime.process.getBuiltinModule("node:v8").getHeapStatistics().heap_size_limit as number;
  return used / heapLimit;
}

let heapLimit: number | undefined;

/**
 * What all processes of this container may take together, in bytes; `Infinity` without such a limit. Deno loads Node's
 * interface for the answer, 20 to 60 ms, so ask only where much memory is needed.
 */
export function containerBytes(): number {
  try {
    return runtime.process.constrainedMemory?.() || Infinity;
  } catch {
    return Infinity;
  }
}

/** Memory of the host in bytes, whatever a container may take of it; undefined when it cannot be told. */
export function hostMemory(): { totalBytes: number; availableBytes: number } | undefined {
  try {
    if (runtime.Deno) {
      const { total, available } = runtime.Deno.systemMemoryInfo();
      return { totalBytes: total, availableBytes: available };
    }
    const os = runtime.process.getBuiltinModule("node:os");
    return { totalBytes: os.totalmem(), availableBytes: availableBytes() ?? os.freemem() };
  } catch {
    return undefined;
  }
}

/** Linux's own estimate; what other calls name free leaves out memory that caches would give back. */
function availableBytes(): number | undefined {
  try {
    const text: string = runtime.process.getBuiltinModule("node:fs").readFileSync("/proc/meminfo", "utf8");
    const found = /^MemAvailable:\s+(\d+) kB/m.exec(text);
    return found ? Number(found[1]) * 1024 : undefined;
  } catch {
    return undefined;
  }
}

/** CPUs this process may use. */
export const cpuCount = (): number => Math.max(1, runtime.navigator?.hardwareConcurrency ?? 1);

/** Name of this machine; `host` where it may not be known. */
export function hostName(): string {
  try {
    return runtime.Deno ? runtime.Deno.hostname() : runtime.process.getBuiltinModule("node:os").hostname();
  } catch {
    return "host";
  }
}
