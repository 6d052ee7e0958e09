/**
 * The numbers that a figure shows: for the values beside the pointer, and to be saved as CSV.
 *
 * @module
 */

/** What numbers are: `ms` for durations, `share` for parts of 1; any other text is told as it is. */
export type Unit = string;

/** One column. */
export interface SeriesData {
  /** Whose it is: a run's name as a rule. */
  of: string;
  /** What it is: `median`, `waiting` … */
  part: string;
  unit: Unit;
  /** Where: seconds of the trace, milliseconds, tokens or names, the same for all series of a figure. */
  x: readonly (number | string)[];
  y: readonly (number | null)[];
  /** A value holds until the next one; else it stands for its surroundings. */
  step?: boolean;
  /** Place that shows the value under the pointer: the label of a legend entry or heading of a panel. Default `of`. */
  at?: string;
}

/** All columns. */
export interface FigureData {
  /** Head of the first column of the CSV. */
  x: string;
  series: readonly SeriesData[];
}

/** The data as JSON for a page: values with five significant digits, equal lists of x only once. */
export function packed({ x, series }: FigureData): string {
  const lists = new Map<string, number>();
  const place = (list: readonly (number | string)[]): number => {
    const text = JSON.stringify(list.map(short));
    return lists.get(text) ?? (lists.set(text, lists.size), lists.size - 1);
  };
  const columns = series.map(({ of, part, unit, x, y, step, at }) => ({
    of,
    part,
    unit,
    x: place(x),
    y: y.map(short),
    ...(step ? { step } : {}),
    ...(at === undefined || at === of ? {} : { at }),
  }));
  return `{"x":${JSON.stringify(x)},"xs":[${[...lists.keys()].join()}],"series":${JSON.stringify(columns)}}`;
}

const short = <V extends number | string | null>(value: V) =>
  typeof value === "number" ? Number(value.toPrecision(5)) : value;
