/**
 * Zooming into a part of the time axis, in all figures at once: by dragging, by keys, and back by double click.
 *
 * @module
 */

/** Listens to pointer and keys. */
export const ZOOM = `
const bar = document.getElementById("zoom"), said = document.getElementById("said");
const zoomTo = (from, to) => {
  const least = Math.max(whole / 1000, 0.05);
  if (to - from < least) return;
  zoomed = { from: Math.max(from, 0), to: Math.min(to, whole) };
  bar.hidden = !isZoomed();
  bar.firstElementChild.textContent = clock(zoomed.from) + " – " + clock(zoomed.to);
  hideCursor();
  layout();
};
const unzoom = () => zoomTo(0, whole);
const choose = (from, to) => {
  for (const chart of timed) {
    for (const panel of chart.panels) {
      const chosen = panel.cursor.firstElementChild, [a, b] = [panel.x(Math.min(from, to)), panel.x(Math.max(from, to))];
      chosen.setAttribute("x", a);
      chosen.setAttribute("width", Math.max(b - a, 0));
      chosen.setAttribute("y", panel.top);
      chosen.setAttribute("height", panel.bottom - panel.top);
    }
  }
};
const unchoose = () => { for (const chart of timed) for (const panel of chart.panels) panel.cursor.firstElementChild.setAttribute("width", 0); };
const onKey = (event, chart) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const span = zoomed.to - zoomed.from, at = shownAt === null ? zoomed.from + span / 2 : shownAt, step = span / (event.shiftKey ? 10 : 100);
  const moves = { ArrowLeft: at - step, ArrowRight: at + step, Home: zoomed.from, End: zoomed.to };
  if (event.key in moves) show(Math.min(Math.max(moves[event.key], zoomed.from), zoomed.to));
  else if (event.key === "+" || event.key === "=") zoomTo(Math.max(at - span / 4, 0), Math.min(at + span / 4, whole));
  else if (event.key === "-") zoomTo(Math.max(at - span, 0), Math.min(at + span, whole));
  else if (event.key === "0" || event.key === "Escape") unzoom();
  else return;
  event.preventDefault();
  said.textContent = shownAt === null ? "Showing " + bar.firstElementChild.textContent
    : clock(shownAt) + ": " + chart.readouts.map(({ place }) => place.dataset.at + " " + place.textContent).join("; ");
};
for (const chart of timed) {
  const panels = chart.figure.querySelector(".panels");
  let dragged = null;
  panels.addEventListener("pointerdown", (event) => {
    const under = event.button === 0 ? timeUnder(chart, event) : null;
    if (under === null) return;
    dragged = { from: under.seconds, x: event.clientX, panel: under.panel };
    panels.setPointerCapture(event.pointerId);
  });
  panels.addEventListener("pointermove", (event) => {
    if (dragged !== null) {
      const box = dragged.panel.svg.getBoundingClientRect();
      const seconds = Math.min(Math.max(dragged.panel.time(event.clientX - box.left), zoomed.from), zoomed.to);
      dragged.to = seconds;
      show(seconds);
      choose(dragged.from, seconds);
      return;
    }
    const under = timeUnder(chart, event);
    if (under === null) hideCursor();
    else show(under.seconds);
  });
  panels.addEventListener("pointerup", (event) => {
    const drag = dragged;
    dragged = null;
    unchoose();
    if (drag === null || drag.to === undefined || Math.abs(event.clientX - drag.x) < 6) return;
    zoomTo(Math.min(drag.from, drag.to), Math.max(drag.from, drag.to));
  });
  panels.addEventListener("pointercancel", () => (dragged = null, unchoose(), hideCursor()));
  panels.addEventListener("pointerleave", () => dragged === null && hideCursor());
  panels.addEventListener("dblclick", unzoom);
  panels.addEventListener("keydown", (event) => onKey(event, chart));
  panels.addEventListener("blur", hideCursor);
}
if (bar) bar.lastElementChild.addEventListener("click", unzoom);
`;
