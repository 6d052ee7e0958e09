/**
 * One line that follows the pointer (or the arrow keys) through all figures over time, and the values of every series
 * at that time.
 *
 * @module
 */
import { amount, duration, percentage } from "../units.ts";

/** `show(seconds)` and `hideCursor()` for the other parts of the script. */
export const POINTER = `
const amount = ${amount};
const duration = ${duration};
const percentage = ${percentage};
const valueText = (value, unit) => value === null || value === undefined ? "–"
  : unit === "ms" ? duration(value) : unit === "share" ? percentage(value) : amount(value)
    + (unit === "workers" || unit === "requests" ? "" : " " + unit);
/** The value of a series at a time: the last one before it where values hold on, else the nearest. */
const valueAt = (xs, { y, step }, seconds) => {
  let low = 0, high = xs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] <= seconds) low = middle + 1;
    else high = middle;
  }
  if (step) return low === 0 ? null : y[low - 1];
  if (xs.length === 0) return null;
  const before = Math.max(low - 1, 0), after = Math.min(low, xs.length - 1);
  return y[seconds - xs[before] <= xs[after] - seconds ? before : after];
};
for (const chart of charts) {
  const places = [...chart.figure.querySelectorAll(".now")];
  chart.readouts = places.map((place) => ({
    place,
    series: chart.data.series.filter((one) => (one.at === undefined ? one.of : one.at) === place.dataset.at),
  }));
}
let shownAt = null;
const read = (chart, seconds) => {
  for (const { place, series } of chart.readouts) {
    const distinct = new Set(series.map(({ part }) => part));
    place.textContent = series.map((one) => {
      const value = valueText(valueAt(chart.data.xs[one.x], one, seconds), one.unit);
      return distinct.size > 1 ? one.part + " " + value : value;
    }).join(", ");
  }
};
const show = (seconds) => {
  shownAt = seconds;
  for (const chart of timed) {
    for (const panel of chart.panels) {
      const x = panel.x(seconds), inside = x >= panel.left - 0.5 && x <= panel.end + 0.5;
      panel.cursor.setAttribute("visibility", inside ? "visible" : "hidden");
      if (!inside) continue;
      const [, line, text] = panel.cursor.children;
      line.setAttribute("x1", x);
      line.setAttribute("x2", x);
      line.setAttribute("y1", panel.top);
      line.setAttribute("y2", panel.bottom);
      text.textContent = clock(seconds);
      const half = text.getComputedTextLength() / 2;
      text.setAttribute("x", Math.min(Math.max(x, panel.left + half), panel.end - half));
      text.setAttribute("y", panel.top - 4);
    }
    read(chart, seconds);
  }
};
const hideCursor = () => {
  shownAt = null;
  for (const chart of timed) {
    for (const panel of chart.panels) panel.cursor.setAttribute("visibility", "hidden");
    for (const { place } of chart.readouts) place.textContent = "";
  }
};
/** The panel under a pointer and the time there; null beside the axes. */
const timeUnder = (chart, event) => {
  for (const panel of chart.panels) {
    const box = panel.svg.getBoundingClientRect();
    if (event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom) continue;
    return { panel, seconds: Math.min(Math.max(panel.time(event.clientX - box.left), zoomed.from), zoomed.to) };
  }
  return null;
};
`;
