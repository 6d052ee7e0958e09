/** Tables that are sorted by a click on a heading: first up, then down; empty cells stay last. */
export const TABLES = `
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = head.querySelector("button");
    if (!button) return;
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => row.cells[column].dataset.value === undefined ? row.cells[column].textContent.trim() : row.cells[column].dataset.value;
      const missing = (text) => text === "" || text === "–";
      body.append(...[...body.rows].sort((a, b) => {
        const x = value(a), y = value(b);
        if (missing(x) || missing(y)) return missing(x) - missing(y);
        const order = isNaN(x) || isNaN(y) ? x.localeCompare(y, undefined, { numeric: true }) : x - y;
        return down ? -order : order;
      }));
    });
  });
}
for (const filter of document.querySelectorAll("input[data-filters]")) {
  const rows = [...document.getElementById(filter.dataset.filters).tBodies[0].rows];
  filter.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase().split(",").map((text) => text.trim());
    for (const row of rows) row.hidden = !wanted.every((text) => row.textContent.toLowerCase().includes(text));
  });
}
`;
