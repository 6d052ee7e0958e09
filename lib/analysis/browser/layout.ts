/**
 * Fits panels to the width of the page: what lies inside the axes is stretched along x, texts keep their size. Zooming is
 * the same with another part of the time axis.
 *
 * @module
 */
import { placeLabels } from "../labelled_points.ts";

/** `charts`, `zoomed` and `layout()` for the other parts of the script. */
export const LAYOUT = `
const placeLabels = ${placeLabels};
const element = (name, attributes = {}) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  return made;
};
const panelOf = (svg, i) => {
  const [left, right, width, height, top, bottom] = svg.dataset.frame.split(" ").map(Number);
  const marks = svg.querySelector(".marks");
  const clip = element("clipPath", { id: "clip" + i });
  const hole = clip.appendChild(element("rect", { y: -4, height: height + 4 }));
  svg.prepend(clip);
  const cursor = svg.appendChild(element("g", { class: "cursor", visibility: "hidden" }));
  cursor.append(element("rect", { class: "chosen" }), element("line"), element("text"));
  return { svg, marks, left, right, width, height, top, bottom, clip, hole, cursor };
};
const charts = [...document.querySelectorAll("figure.chart")].map((figure) => ({
  figure,
  data: JSON.parse(figure.dataset.figure),
  until: figure.dataset.until === undefined ? null : Number(figure.dataset.until),
  panels: [],
}));
let panelCount = 0;
for (const chart of charts) {
  chart.panels = [...chart.figure.querySelectorAll(".panel > svg")].map((svg) => panelOf(svg, panelCount++));
}
const timed = charts.filter(({ until }) => until !== null);
const whole = Math.max(0, ...timed.map(({ until }) => until));
/** The part of the time axis that is shown, in seconds. */
let zoomed = { from: 0, to: whole };
const isZoomed = () => zoomed.from > 0 || zoomed.to < whole;
const clock = (seconds) => {
  const shown = Math.round(seconds * 10) / 10, total = Math.floor(shown), rest = total % 60;
  const tenth = whole < 20 ? "." + Math.round((shown - total) * 10) : "";
  const two = (value) => String(value).padStart(2, "0");
  return total < 3600 ? Math.floor(total / 60) + ":" + two(rest) + tenth
    : Math.floor(total / 3600) + ":" + two(Math.floor(total / 60) % 60) + ":" + two(rest);
};
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400];
const minutes = (seconds, step, unit) => step < 60 ? clock(seconds) : Math.round(seconds / 6) / 10 + unit;
const move = (node, x, panel) => node.setAttribute("transform", "translate(" + (panel.k * x + panel.b - x).toFixed(2) + " 0)");
/** Ticks of the time axis for what is shown. */
const drawTicks = (panel, { from, to }, room) => {
  const unit = panel.svg.querySelector(".end") ? "" : " min";
  const apart = unit === "" ? 70 : 56;
  const step = STEPS.find((length) => (to - from) / length * apart <= room) || Math.ceil((to - from) / room * apart / 86400) * 86400;
  for (const group of panel.svg.querySelectorAll(".ticks")) {
    const first = group.pattern || (group.pattern = group.querySelector(".move"));
    if (!first) continue;
    group.replaceChildren();
    for (let i = Math.ceil(from / step); i * step <= to * 1.000001; i++) {
      const holder = group.appendChild(first.cloneNode(true));
      const own = Number(first.dataset.x);
      holder.setAttribute("transform", "translate(" + (panel.x(i * step) - own).toFixed(2) + " 0)");
      if (group.classList.contains("labels")) holder.firstElementChild.textContent = minutes(i * step, step, unit);
    }
  }
};
/** Ticks of other axes keep their places; those that would lie on another are left out. */
const thinTicks = (panel, inner) => {
  let end = -Infinity;
  for (const holder of panel.svg.querySelectorAll(".ticks.labels .move")) {
    const label = holder.firstElementChild, x = panel.k * Number(holder.dataset.x) + panel.b, half = label.getComputedTextLength() / 2;
    const fits = x - half > end + 6 && x + half <= inner + 4;
    holder.setAttribute("visibility", fits ? "visible" : "hidden");
    move(holder, Number(holder.dataset.x), panel);
    if (fits) end = x + half;
  }
  for (const holder of panel.svg.querySelectorAll(".ticks:not(.labels) .move")) move(holder, Number(holder.dataset.x), panel);
};
const layoutPanel = (chart, panel, inner) => {
  const { svg, left, right, width, height } = panel;
  const end = inner - (width - right), until = chart.until === null ? 1 : chart.until;
  const shown = chart.until === null ? { from: 0, to: 1 } : zoomed;
  // A time on the page's axis lies at k x + b of the drawn one.
  panel.k = (end - left) / (right - left) * until / (shown.to - shown.from);
  panel.b = left - (left + shown.from / until * (right - left)) * panel.k;
  panel.end = end;
  panel.x = (seconds) => left + (seconds - shown.from) / (shown.to - shown.from) * (end - left);
  panel.time = (x) => shown.from + (x - left) / (end - left) * (shown.to - shown.from);
  svg.setAttribute("viewBox", "0 0 " + inner + " " + height);
  svg.setAttribute("width", inner);
  svg.setAttribute("height", height);
  // Marks at the ends are wider than the axes; what is zoomed away is cut at them.
  const over = isZoomed() ? 1 : 7;
  panel.hole.setAttribute("x", left - over);
  panel.hole.setAttribute("width", Math.max(end - left + 2 * over, 0));
  if (chart.until !== null) panel.marks.setAttribute("clip-path", "url(#" + panel.clip.id + ")");
  for (const group of svg.querySelectorAll(".marks .stretch")) group.setAttribute("transform", "matrix(" + panel.k + " 0 0 1 " + panel.b + " 0)");
  // Grid lines span the axes whatever part is shown.
  for (const line of svg.querySelectorAll(":scope > .stretch line")) line.setAttribute("x2", end);
  for (const node of panel.marks.querySelectorAll(".move")) move(node, Number(node.dataset.x), panel);
  for (const group of svg.querySelectorAll(".end")) {
    group.own = group.own || group.getAttribute("transform") || "";
    group.setAttribute("transform", "translate(" + (inner - width) + " 0) " + group.own);
  }
  if (chart.until !== null) drawTicks(panel, shown, end - left);
  else thinTicks(panel, inner);
  placeNames(panel);
};
const placeNames = (panel) => {
  const names = [...panel.svg.querySelectorAll(".name")];
  if (names.length === 0) return;
  const points = names.map((text) => ({
    x: panel.k * Number(text.dataset.x) + panel.b,
    y: Number(text.dataset.y),
    widths: JSON.parse(text.dataset.names).map((name) => (text.textContent = name, text.getComputedTextLength())),
  }));
  const frame = { left: panel.left + 2, right: panel.end + panel.width - panel.right - 2, top: 2, bottom: panel.bottom };
  placeLabels(points, frame).forEach((place, i) => {
    names[i].setAttribute("visibility", place === null ? "hidden" : "visible");
    if (place === null) return;
    names[i].textContent = JSON.parse(names[i].dataset.names)[place.name];
    names[i].setAttribute("x", place.x);
    names[i].setAttribute("y", place.y);
  });
};
const layout = () => {
  // All widths first: measuring between changes would lay the page out again and again.
  const widths = charts.map(({ panels }) => panels.map(({ svg }) => svg.parentNode.clientWidth));
  charts.forEach((chart, i) => chart.panels.forEach((panel, j) => widths[i][j] > 0 && layoutPanel(chart, panel, widths[i][j])));
};
const main = document.querySelector("main");
let lastWidth = main.clientWidth;
new ResizeObserver(() => {
  if (lastWidth === main.clientWidth) return;
  lastWidth = main.clientWidth;
  hideCursor();
  layout();
}).observe(main);
`;
