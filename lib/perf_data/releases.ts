/**
 * The releases of the measurements that this project was checked with: one package each, known by its digest.
 *
 * @module
 */
import { ConfigError, nearName } from "../errors.ts";

/** A release of the measurements. */
export interface Release {
  /** Name of the Python package that holds it. */
  readonly package: string;
  readonly version: string;
  readonly licence: string;
  /** Name of the package's file. The tables are the same for every platform; one platform's file serves all. */
  readonly file: string;
  readonly url: string;
  readonly sha256: string;
  /** Folder inside the package below which everything lies. */
  readonly root: string;
}

const FILES = "https://files.pythonhosted.org/packages";

/** The newest first: that is the one that ships. */
export const RELEASES: readonly [Release, ...Release[]] = [
  release({
    package: "aisimulate",
    version: "0.13.0.dev202610160000000073",
    folder: "d9/f3/90c49b6aeed3e3737905c809c824bf57a4cd88cdfa3b1005823265232341",
    sha256: "27e1effba4f7b4dc34d067689b14c32296edf4e2689795be58886aa729dd9991",
    root: "aisimulate_core",
  }),
  release({
    package: "aiconfigurator-core",
    version: "0.12.0",
    folder: "ea/25/aa0ba62a34b329a1420d9bedeebd6e54bc3780cc79beacb2db9d57ec2b1a",
    sha256: "aadc4aad0a00bf8a61c477c62bef43de479849c3aa0b1c3078068e08309eccc4",
    root: "aiconfigurator_core",
  }),
];

function release(
  { folder, ...about }: { package: string; version: string; folder: string; sha256: string; root: string },
): Release {
  const file = `${about.package.replaceAll("-", "_")}-${about.version}-cp311-abi3-manylinux_2_28_x86_64.whl`;
  return { ...about, licence: "Apache-2.0", file, url: `${FILES}/${folder}/${file}` };
}

/**
 * The release of that version; without one, the newest.
 *
 * @throws {ConfigError} when it is not known.
 */
export function findRelease(version?: string): Release {
  if (version === undefined) return RELEASES[0];
  const found = RELEASES.find((known) => known.version === version);
  if (found) return found;
  const versions = RELEASES.map((known) => known.version);
  const near = nearName(version, versions);
  throw new ConfigError(
    `unknown data release '${version}'${near ? `, did you mean '${near}'?` : ""} (known: ${versions.join(", ")})`,
  );
}
