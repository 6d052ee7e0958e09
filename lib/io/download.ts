/**
 * Files from the network, checked against a digest while they arrive. Imports atomic files and the runtime's digests.
 *
 * @module
 */
import { AtomicFile } from "./atomic.ts";
import { readBytes } from "./bytes.ts";
import { sha256Of, sha256Stream } from "./digest.ts";

/** Options of {@linkcode download}. */
export interface DownloadOptions {
  /** SHA-256 that the file must have, in hexadecimal. */
  sha256: string;
  /** Stops the download. */
  signal?: AbortSignal;
}

/** SHA-256 of a file, in hexadecimal. */
export function sha256OfFile(path: string): Promise<string> {
  return sha256Of(readBytes(path, { raw: true }));
}

/**
 * Downloads `url` to `path`. The file has its name only once all of it has arrived and its digest is right.
 *
 * @throws {Error} when the server cannot be reached or refuses, or what it sends is another file.
 */
export async function download(url: string, path: string, options: DownloadOptions): Promise<void> {
  let answer: Response;
  try {
    answer = await fetch(url, { signal: options.signal });
  } catch (cause) {
    throw new Error(`cannot reach ${url}: ${(cause as Error).message}`, { cause });
  }
  if (!answer.ok || answer.body === null) {
    await answer.body?.cancel();
    throw new Error(`${url} answered ${answer.status} ${answer.statusText}`.trim());
  }
  const hash = sha256Stream();
  const file = await AtomicFile.open(path, { gzip: false });
  try {
    for await (const piece of answer.body) {
      hash.update(piece);
      await file.write(piece);
    }
    const found = hash.hex();
    if (found !== options.sha256) {
      throw new Error(`${url} sent another file: its SHA-256 is ${found}, expected ${options.sha256}`);
    }
    await file.commit();
  } catch (problem) {
    file.abort();
    throw problem;
  }
}
