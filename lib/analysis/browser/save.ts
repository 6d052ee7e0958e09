/** The buttons that save a figure as SVG and its data as CSV. */
export const SAVE = `
const save = (name, type, text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};
const quoted = (value) => value === null || value === undefined ? ""
  : /[",\\n]/.test(value) ? '"' + String(value).replaceAll('"', '""') + '"' : String(value);
/** A row for each x that any series has, a column for each series. */
const csvOf = ({ x, xs, series }) => {
  const all = [...new Set(xs.flat())];
  if (all.every((value) => typeof value === "number")) all.sort((a, b) => a - b);
  const columns = series.map(({ x, y }) => new Map(xs[x].map((value, i) => [value, y[i]])));
  const heads = series.map(({ of, part, unit }) => of + (part ? " " + part : "") + " (" + unit + ")");
  const rows = all.map((value) => [value, ...columns.map((column) => column.get(value))]);
  return [[x, ...heads], ...rows].map((row) => row.map(quoted).join(",")).join("\\n") + "\\n";
};
/** The figure as it is on the page, with its words, as a file of its own. */
const svgOf = (figure) => {
  const panels = figure.querySelector(".panels").getBoundingClientRect(), style = getComputedStyle(figure);
  const svg = element("svg", { xmlns: "http://www.w3.org/2000/svg", class: "dynosim", "font-family": "system-ui, sans-serif", "font-size": 12, fill: "currentColor" });
  svg.appendChild(element("style")).textContent = document.getElementById("figure-style").textContent;
  let y = 16;
  const write = (text, x, at, kind) => {
    const line = svg.appendChild(element("text", { x, y: at, class: kind }));
    line.textContent = text;
  };
  const lines = (text, kind, room) => {
    let line = "";
    for (const word of text.split(" ")) {
      if (line !== "" && (line + word).length * 6.6 > room) {
        write(line, 0, y, kind);
        y += 17;
        line = "";
      }
      line += (line === "" ? "" : " ") + word;
    }
    write(line, 0, y, kind);
    y += 18;
  };
  lines(figure.querySelector("h3").textContent, "title", panels.width * 0.85);
  const subtitle = figure.querySelector("figcaption p");
  if (subtitle) lines(subtitle.textContent, "quiet", panels.width);
  let x = 0;
  for (const entry of figure.querySelectorAll(".legend li")) {
    const label = entry.querySelector("span").firstChild.textContent, room = 40 + label.length * 6.6;
    if (x > 0 && x + room > panels.width) {
      x = 0;
      y += 18;
    }
    const sign = svg.appendChild(element("g", { transform: "translate(" + x + " " + (y - 4) + ")" }));
    sign.append(...[...entry.querySelector("svg").childNodes].map((node) => node.cloneNode(true)));
    write(label, x + 22, y, "");
    x += room;
  }
  if (x > 0) y += 14;
  for (const panel of figure.querySelectorAll(".panel")) {
    const box = panel.querySelector("svg").getBoundingClientRect(), heading = panel.querySelector("h4");
    const copy = panel.querySelector("svg").cloneNode(true);
    copy.querySelector(".cursor").remove();
    copy.setAttribute("x", box.left - panels.left);
    copy.setAttribute("y", y + box.top - panels.top);
    if (heading) write(heading.querySelector(".clamp").textContent, box.left - panels.left, y + box.top - panels.top - 5, "heading");
    svg.append(copy);
  }
  const [width, height] = [Math.ceil(panels.width), Math.ceil(y + panels.height + 4)];
  svg.setAttribute("viewBox", "0 0 " + width + " " + height);
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
  return new XMLSerializer().serializeToString(svg);
};
for (const { figure, data } of charts) {
  const name = figure.querySelector("h3").textContent.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "figure";
  for (const button of figure.querySelectorAll("[data-save]")) {
    button.addEventListener("click", () => button.dataset.save === "csv"
      ? save(name + ".csv", "text/csv", csvOf(data))
      : save(name + ".svg", "image/svg+xml", svgOf(figure)));
  }
}
`;
