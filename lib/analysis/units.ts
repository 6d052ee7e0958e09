/**
 * Numbers as figures and pages write them. Pages carry these functions in their script, so each stands alone: it uses
 * nothing but its arguments.
 *
 * @module
 */

/** A duration as people write it: `80 ms`, `1.5 s`, `2 min`. */
export function duration(ms: number): string {
  const short = (value: number) => String(Number(value.toPrecision(3)));
  if (ms < 1000) return `${short(ms)} ms`;
  if (ms < 120_000) return `${short(ms / 1000)} s`;
  return `${short(ms / 60_000)} min`;
}

/** A count or rate as people write it: `950`, `1,160`, `12.3k`, `4M`. */
export function amount(value: number): string {
  const short = (scaled: number) => Number(scaled.toPrecision(3)).toLocaleString("en");
  if (Math.abs(value) >= 1e6) return `${short(value / 1e6)}M`;
  if (Math.abs(value) >= 1e4) return `${short(value / 1e3)}k`;
  return short(value);
}

/** A share in percent, to a tenth. */
export function percentage(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}

/** A name that fits into `most` characters: the middle of a longer one is left out, since both ends tell names apart. */
export function shortened(name: string, most: number): string {
  if (name.length <= most) return name;
  const head = Math.ceil((most - 1) / 2);
  return `${name.slice(0, head)}…${name.slice(name.length - (most - 1 - head))}`;
}
