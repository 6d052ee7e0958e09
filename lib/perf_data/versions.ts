/**
 * Order of framework versions, twice: the order that version slots use, and the order of Python packages (PEP 440),
 * which decides what is older.
 *
 * @module
 */

/** Sort key for version slots: release, whether it is final, candidate number, trailing number. */
export function slotKey(version: string): number[] {
  const text = version.toLowerCase();
  const three = /(\d+)\.(\d+)\.(\d+)/.exec(text);
  const two = /(\d+)\.(\d+)/.exec(text);
  const found = three ?? two;
  if (!found) return [0, 0, 0, 0, 0, 0];
  const rest = text.slice(found.index + found[0].length);
  const release = [Number(found[1]), Number(found[2]), three ? Number(three[3]) : 0];
  const candidate = /rc(\d*)/.exec(rest);
  const trailing = Number(rest.match(/\d+/g)?.at(-1) ?? 0);
  return [...release, candidate ? 0 : 1, candidate ? Number(candidate[1] || 0) : 0, trailing];
}

/** A version as PEP 440 reads it, or undefined when it does not. */
interface PythonVersion {
  readonly release: readonly number[];
  /** Development releases come before candidates, those before the final one, that before post releases. */
  readonly stage: readonly number[];
}

const PYTHON_VERSION =
  /^v?(\d+(?:\.\d+)*)(?:[-_.]?(a|alpha|b|beta|c|rc|pre|preview)[-_.]?(\d*))?(?:[-_.]?(post|rev|r)[-_.]?(\d*)|-(\d+))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+[a-z0-9.]+)?$/;
const PRE_RANK: Record<string, number> = { a: 0, alpha: 0, b: 1, beta: 1, c: 2, rc: 2, pre: 2, preview: 2 };

function pythonVersion(version: string): PythonVersion | undefined {
  const found = PYTHON_VERSION.exec(version.toLowerCase());
  if (!found) return undefined;
  const [, release, pre, preNumber, post, postNumber, bareNumber, dev, devNumber] = found;
  const hasPost = post !== undefined || bareNumber !== undefined;
  const preKey = pre !== undefined
    ? [PRE_RANK[pre], Number(preNumber || 0)]
    : dev !== undefined && !hasPost
    ? [-1, 0]
    : [3, 0];
  const postKey = hasPost ? Number(postNumber || bareNumber || 0) : -1;
  const devKey = dev !== undefined ? Number(devNumber || 0) : Infinity;
  return { release: release.split(".").map(Number), stage: [...preKey, postKey, devKey] };
}

/** Whether a version can be ordered at all. */
export function isPythonVersion(version: string): boolean {
  return pythonVersion(version) !== undefined;
}

/** Negative when `a` is older than `b`, positive when newer; both must be readable. */
export function comparePythonVersions(a: string, b: string): number {
  const [left, right] = [pythonVersion(a), pythonVersion(b)];
  if (!left || !right) throw new Error(`cannot order the versions ${a} and ${b}`);
  for (let i = 0; i < Math.max(left.release.length, right.release.length); i++) {
    const difference = (left.release[i] ?? 0) - (right.release[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return compareKeys(left.stage, right.stage);
}

/** Lexicographic order of number lists. */
export function compareKeys(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}
