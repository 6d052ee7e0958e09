/**
 * Which measurements of a set are the version's own, as opposed to those of declared donors, older versions and other
 * backends: as names of slices where the two do not mix, else as a second copy of the member.
 *
 * @module
 */
import type { PerfSetHeader } from "../timing/aic/perf_set.ts";
import { MemberWriter, type PlainSlice } from "./set_writer.ts";

/** What the header says of a set's members, and the members to add. */
export interface OwnTables {
  readonly own: NonNullable<PerfSetHeader["own"]>;
  readonly members: ReadonlyMap<string, MemberWriter>;
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
  const members = new Map<string, MemberWriter>();
  for (const [name, writer] of whole) {
    const mine = primary.get(name);
    if (mine === undefined) {
      own[name] = "none";
      continue;
    }
    if (sameSites(writer, mine) && sameSlices(writer, mine) && writer.slices.size === mine.slices.size) continue;
    const named = mine.sites.length === 0 && sameSlices(writer, mine);
    own[name] = named ? "named" : "apart";
    members.set(name, named ? namesOf(mine) : mine);
  }
  return { own, members };
}

/** Whether the whole has all slices of the part, as they are. */
function sameSlices(whole: MemberWriter, part: MemberWriter): boolean {
  return [...part.slices].every(([name, slice]) => sameSlice(whole.slices.get(name), slice));
}

function sameSites(whole: MemberWriter, part: MemberWriter): boolean {
  return whole.sites.length === part.sites.length &&
    whole.sites.every(({ n, k, curve }, i) =>
      n === part.sites[i].n && k === part.sites[i].k && sameSlice(curve, part.sites[i].curve)
    );
}

function sameSlice(a: PlainSlice | undefined, b: PlainSlice): boolean {
  if (a === undefined) return false;
  const lists = (slice: PlainSlice) => [...slice.keys, ...slice.starts, slice.values];
  const [mine, theirs] = [lists(a), lists(b)];
  return mine.length === theirs.length &&
    mine.every((list, i) => list.length === theirs[i].length && list.every((value, j) => value === theirs[i][j]));
}

/** A member that only names slices. */
function namesOf({ slices }: MemberWriter): MemberWriter {
  const writer = new MemberWriter();
  for (const name of slices.keys()) writer.addCurve(name, [], []);
  return writer;
}
