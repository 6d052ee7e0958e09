/**
 * Gets the package of a release: a file the user names, or a download. Only files whose digest is known are used.
 *
 * @module
 */
import { download, sha256OfFile } from "../io/download.ts";
import { host } from "../io/host.ts";
import type { Release } from "./releases.ts";

/** Options of {@linkcode findPackage}. */
export interface FindPackageOptions {
  release: Release;
  /** The package's file on this machine; absent: download it. */
  file?: string;
  /** Folder for downloads; a download that is there already is used again. */
  folder: string;
  /** Called with a line about what is being done. */
  note: (line: string) => void;
  /** Stops a download. */
  signal?: AbortSignal;
}

/**
 * Path of the release's package, its digest checked.
 *
 * @throws {Error} when it cannot be downloaded, or the file is another one.
 */
export async function findPackage({ release, file, folder, note, signal }: FindPackageOptions): Promise<string> {
  if (file !== undefined) {
    if (host().kind(file) !== "file") throw new Error(`there is no file ${file}`);
    await check(release, file);
    return file;
  }
  const path = `${folder.replace(/\/+$/, "")}/${release.file}`;
  if (host().kind(path) === "file") {
    note(`checking ${path}`);
    await check(release, path);
    return path;
  }
  note(`downloading ${release.url}`);
  try {
    await download(release.url, path, { sha256: release.sha256, signal });
  } catch (cause) {
    throw new Error(
      `cannot download ${release.package} ${release.version}: ${(cause as Error).message}. ` +
        `Get ${release.file} on a machine that can and name the file with --package`,
      { cause },
    );
  }
  return path;
}

async function check(release: Release, file: string): Promise<void> {
  const hash = await sha256OfFile(file);
  if (hash === release.sha256) return;
  throw new Error(
    `${file} is not the known package of ${release.package} ${release.version}: its SHA-256 is ${hash}, ` +
      `expected ${release.sha256}`,
  );
}
