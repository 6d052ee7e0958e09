/**
 * Writes files of powers in the form that `lib/timing/aic/power_file.ts` describes and reads.
 *
 * @module
 */
import { gzip } from "../io/gzip.ts";
import { BESIDE, POWER_MAGIC, type PowerHeader } from "../timing/aic/power_file.ts";
import type { MemberWriter } from "./set_writer.ts";

/** The file of the powers of some members; null when none were measured. */
export function writePowers(
  about: Omit<PowerHeader, "members" | "format">,
  writers: ReadonlyMap<string, MemberWriter>,
): Uint8Array | null {
  const members: Record<string, [number, number]> = {}, packed: Uint8Array[] = [];
  let at = 0;
  for (const [name, { slices, sites }] of writers) {
    const all = sites.length > 0 ? sites.map(({ curve }) => curve) : [...slices.values()];
    if (!all.some(({ powers }) => powers?.some((watts) => watts > 0))) continue;
    const bytes = gzip(plainPowers(all.map(({ values, powers }) => powers ?? values.map(() => 0))));
    members[name] = [at, bytes.length];
    packed.push(bytes);
    at += bytes.length;
  }
  if (packed.length === 0) return null;
  const header = new TextEncoder().encode(JSON.stringify({ format: 1, ...about, members }));
  const file = new Uint8Array(12 + header.length + at);
  file.set(new TextEncoder().encode(POWER_MAGIC));
  new DataView(file.buffer).setUint32(8, header.length, true);
  file.set(header, 12);
  at = 12 + header.length;
  for (const bytes of packed) {
    file.set(bytes, at);
    at += bytes.length;
  }
  return file;
}

function plainPowers(slices: readonly (readonly number[])[]): Uint8Array {
  const watts = slices.flat(), means = watts.map(meanOf), beside = watts.filter((_, i) => means[i].readings === BESIDE);
  const besideAt = 8 + 4 * slices.length, readingsAt = besideAt + 8 * beside.length, sumsAt = readingsAt + watts.length;
  const plain = new Uint8Array(sumsAt + 4 * watts.length), view = new DataView(plain.buffer);
  view.setUint32(0, slices.length, true);
  view.setUint32(4, beside.length, true);
  slices.forEach(({ length }, i) => view.setUint32(8 + 4 * i, length, true));
  beside.forEach((value, i) => view.setFloat64(besideAt + 8 * i, value, true));
  means.forEach(({ readings, sum }, i) => {
    plain[readingsAt + i] = readings;
    for (let plane = 0, rest = sum; plane < 4; plane++, rest = Math.floor(rest / 256)) {
      plain[sumsAt + plane * watts.length + i] = rest % 256;
    }
  });
  return plain;
}

/** Most readings that a mean is taken to be of. */
const MOST_READINGS = 40;

/** The fewest readings of whole milliwatts that have this mean. */
function meanOf(watts: number): { readings: number; sum: number } {
  if (!(watts > 0)) return { readings: 0, sum: 0 };
  for (let readings = 1; readings <= MOST_READINGS; readings++) {
    const sum = Math.round(watts * 1000 * readings), mean = sum / (1000 * readings);
    if (sum < 2 ** 32 && Math.abs(mean - watts) <= 2 * Number.EPSILON * watts) return { readings, sum };
  }
  return { readings: BESIDE, sum: 0 };
}
