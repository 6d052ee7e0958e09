/**
 * Writing that leaves either the whole file or none: everything goes to a temporary file beside the target, which takes
 * the target's name only when all is written.
 *
 * @module
 */
import { ConfigError, FileError } from "../errors.ts";
import { fileError, reason } from "./failures.ts";
import { host, type OpenFile } from "./host.ts";
import { breathe } from "./stop.ts";

/** Options of {@linkcode AtomicFile.open}. */
export interface AtomicFileOptions {
  /** Compress with gzip. Default: exactly if the name ends in `.gz`. */
  gzip?: boolean;
}

/** Text is encoded in pieces of at most this many bytes. */
const BUFFER_BYTES = 1 << 18;

const unfinished = new Set<AtomicFile>();
let counter = 0;

/** A file in the making. `-` is standard output, and devices and pipes are written as they are. */
export class AtomicFile {
  readonly path: string;
  readonly #file: OpenFile;
  readonly #temporary: string | undefined;
  readonly #gzip: GzipWriter | undefined;
  readonly #encoder = new TextEncoder();
  /** Where text is encoded: memory that is used again is not asked for anew. */
  #buffer: Uint8Array | null = null;
  #open = true;

  private constructor(path: string, file: OpenFile, temporary: string | undefined, gzip: GzipWriter | undefined) {
    this.path = path;
    this.#file = file;
    this.#temporary = temporary;
    this.#gzip = gzip;
    if (temporary !== undefined) unfinished.add(this);
  }

  /**
   * Starts a file. Its folder is made when it is missing.
   *
   * @throws {ConfigError} when nothing can be written there, or another process is writing it
   */
  static async open(path: string, options: AtomicFileOptions = {}): Promise<AtomicFile> {
    if (path === "") throw new ConfigError("the name of the file to write is empty");
    const packed = options.gzip ?? path.endsWith(".gz");
    const kind = path === "-" ? "other" : orRefuse(path, () => host().kind(path));
    if (kind === "directory") throw new ConfigError(`cannot write ${path}: it is a directory`);
    let file: OpenFile, temporary: string | undefined;
    if (path === "-") {
      file = host().standardStream("stdout");
    } else if (kind === "other") {
      file = await openForWriting(path, path);
    } else {
      const cut = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
      const folder = path.slice(0, cut), name = path.slice(cut);
      if (cut > 1 && host().kind(folder) === "missing") orRefuse(path, () => host().makeDirectory(folder));
      else removeAbandoned(path, folder, name);
      const mark = `${(counter++).toString(36)}${Math.random().toString(36).slice(2, 8)}`;
      temporary = `${folder}.${name}.${host().processId}-${mark}.part`;
      file = await openForWriting(temporary, path);
    }
    return new AtomicFile(path, file, temporary, packed ? await gzipWriter(file) : undefined);
  }

  /** Appends text (as UTF-8) or bytes. */
  async write(data: string | Uint8Array): Promise<void> {
    try {
      if (typeof data !== "string") await (this.#gzip ?? this.#file).write(data);
      else if (this.#gzip) await this.#gzip.write(this.#encoder.encode(data));
      else await this.#writeText(data);
    } catch (cause) {
      throw fileError(
        "write",
        this.path === "-" ? "standard output" : this.path,
        cause instanceof FileError ? cause.cause : cause,
      );
    }
    await breathe();
  }

  async #writeText(text: string): Promise<void> {
    const buffer = this.#buffer ??= new Uint8Array(BUFFER_BYTES);
    for (let rest = text; rest !== "";) {
      const { read, written } = this.#encoder.encodeInto(rest, buffer);
      await this.#file.write(buffer.subarray(0, written));
      rest = rest.slice(read);
    }
  }

  /** Ends the file and gives it its name. */
  async commit(): Promise<void> {
    if (!this.#open) return;
    try {
      await this.#gzip?.end();
      this.#close();
      if (this.#temporary !== undefined) host().rename(this.#temporary, this.path);
      unfinished.delete(this);
    } catch (problem) {
      this.abort();
      throw problem;
    }
  }

  /** Removes what was written. Does nothing after {@linkcode commit}. */
  abort(): void {
    this.#close();
    if (!unfinished.delete(this)) return;
    try {
      host().remove(this.#temporary!);
    } catch {
      // it is gone already
    }
  }

  #close(): void {
    if (!this.#open) return;
    this.#open = false;
    if (this.path !== "-") this.#file.close();
  }
}

function orRefuse<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (cause) {
    throw new ConfigError(`cannot write ${path}: ${reason(cause)}`, [], { cause });
  }
}

/**
 * Removes what processes that are gone left of earlier attempts to write this file.
 *
 * @throws {ConfigError} when another process that lives is writing it
 */
function removeAbandoned(path: string, folder: string, name: string): void {
  let names: string[];
  try {
    names = host().list(folder || ".").map((entry) => entry.name);
  } catch {
    return; // a folder that cannot be listed may still be written to
  }
  for (const part of names) {
    const processId = partOf(part, name);
    if (processId === undefined || processId === host().processId) continue;
    if (!host().abandoned(folder + part, processId)) {
      throw new ConfigError(`cannot write ${path}: another process is writing it`);
    }
    try {
      host().remove(folder + part);
    } catch {
      // somebody else removed it
    }
  }
}

/** The process that made a temporary file, or undefined when `part` is none of a file called `name`. */
export function partOf(part: string, name: string): number | undefined {
  if (!part.startsWith(`.${name}.`)) return undefined;
  const processId = /^(\d+)-\w+\.part$/.exec(part.slice(name.length + 2))?.[1];
  return processId === undefined ? undefined : Number(processId);
}

async function openForWriting(path: string, shown: string): Promise<OpenFile> {
  try {
    return await host().openForWriting(path);
  } catch (cause) {
    throw new ConfigError(`cannot write ${shown}: ${reason(cause)}`, [], { cause });
  }
}

/** Writes a whole file at once, or nothing. */
export async function writeFileAtomically(
  path: string,
  data: string | Uint8Array | AsyncIterable<string | Uint8Array> | Iterable<string>,
  options: AtomicFileOptions = {},
): Promise<void> {
  const file = await AtomicFile.open(path, options);
  try {
    if (typeof data === "string" || data instanceof Uint8Array) await file.write(data);
    else for await (const piece of data) await file.write(piece);
    await file.commit();
  } catch (problem) {
    file.abort();
    throw problem;
  }
}

/** Removes the temporary files of everything not yet committed: what an interrupted command calls last. */
export function removeUnfinishedFiles(): void {
  for (const file of [...unfinished]) file.abort();
}

interface GzipWriter {
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

async function gzipWriter(file: OpenFile): Promise<GzipWriter> {
  const { createGzip } = await import("node:zlib");
  const gzip = createGzip({ level: 6 });
  const drained = (async () => {
    for await (const piece of gzip) await file.write(piece as Uint8Array);
  })();
  drained.catch(() => {}); // reported by the next write or by end
  return {
    async write(bytes) {
      if (!gzip.write(bytes)) {
        await Promise.race([new Promise<void>((resolve) => gzip.once("drain", () => resolve())), drained]);
      }
    },
    async end() {
      gzip.end();
      await drained;
    },
  };
}
