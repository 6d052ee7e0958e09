/**
 * Which measurements of a set are the version's own, as opposed to those of declared donors, older versions and other
 * backends: as names of slices where the two do not mix, else as a second copy of the member.
 *
 * @module
 */
import { Member, MemberWriter, type PerfSetHeader } from "../timing/aic/perf_set.ts";

/** What the header says of a set's members, and the members to add. */
export interface OwnTables {
  readonly own: NonNullable<PerfSetHeader["own"]>;
  readonly members: ReadonlyMap<string, Uint8Array>;
}

/**
 * @param whole members built from all sources
 * @param primary the same from the version's own files
 */
export function ownTables(
  whole: ReadonlyMap<string, MemberWriter>,
  primary: ReadonlyMap<string, MemberWriter>,
): OwnTables {
  const own: Record<string, "none" | "named" | "apart"> = {};
  const members = new Map<string, Uint8Array>();
  for (const [name, writer] of whole) {
    const mine = primary.get(name);
    if (mine === undefined) {
      own[name] = "none";
      continue;
    }
    const [all, part] = [writer.plain(), mine.plain()];
    if (equalBytes(all, part)) continue;
    const names = sameSlices(new Member(all), new Member(part));
    own[name] = names === undefined ? "apart" : "named";
    members.set(name, names === undefined ? part : listOf(names));
  }
  return { own, members };
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** Names of the slices of `part` when all of them are in `whole` as they are; undefined otherwise. */
function sameSlices(whole: Member, part: Member): string[] | undefined {
  const names = part.names();
  if (names.includes("sites")) return undefined;
  const same = names.every((name) => {
    if (!whole.has(name)) return false;
    const [a, b] = [whole.levels(name)!, part.levels(name)!];
    const lists = (levels: typeof a) => [...levels.keys, ...levels.starts, levels.values];
    const [mine, theirs] = [lists(a), lists(b)];
    return mine.length === theirs.length &&
      mine.every((list, i) => list.length === theirs[i].length && list.every((value, j) => value === theirs[i][j]));
  });
  return same ? names : undefined;
}

/** A member that only names slices. */
function listOf(names: readonly string[]): Uint8Array {
  const writer = new MemberWriter();
  for (const name of names) writer.addCurve(name, [], []);
  return writer.plain();
}
