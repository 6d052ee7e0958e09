/**
 * Look and behaviour of the HTML report.
 *
 * @module
 */

const DARK_VARIABLES = "--ink:#e6e9ee;--quiet:#9aa3af;--ground:#0f1216;--card:#14171c;--line:#262b33;" +
  "--better:#35c79a;--worse:#ff8e55;color-scheme:dark";

/** The style sheet. Colours of figures are in the figures. */
export const STYLE = `
:root{--ink:#1f2328;--quiet:#656d76;--ground:#f6f7f9;--card:#fff;--line:#dfe3e8;--better:#00875f;--worse:#b8440a;
color-scheme:light}
@media(prefers-color-scheme:dark){:root:not([data-theme=light]){${DARK_VARIABLES}}}
:root[data-theme=dark]{${DARK_VARIABLES}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,
Arial,sans-serif;-webkit-text-size-adjust:100%}
header,main,footer{max-width:1060px;margin:0 auto;padding:0 24px}
header{position:relative;padding-top:36px}
footer{padding-top:8px;padding-bottom:48px;font-size:13px}
h1{font-size:26px;line-height:1.2;margin:0 56px 6px 0;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:18px;margin:40px 0 12px;letter-spacing:-.005em}
h3{font-size:15px;margin:20px 0 8px}
p{margin:4px 0}
.quiet{color:var(--quiet)}
.runs{display:flex;flex-wrap:wrap;gap:4px 18px;margin-top:10px}
.dot{flex:none;width:10px;height:10px;margin-right:7px;display:inline-block;vertical-align:baseline}
#theme{position:absolute;top:34px;right:24px;width:34px;height:34px;border:1px solid var(--line);border-radius:8px;
background:var(--card);color:var(--ink);font-size:17px;line-height:1;cursor:pointer}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(186px,1fr));gap:12px}
.card,figure,.scroll,pre{background:var(--card);border:1px solid var(--line);border-radius:10px}
.card{padding:12px 13px}
.label{font-size:13px;color:var(--quiet);margin-bottom:4px}
.value{display:flex;align-items:baseline;font-variant-numeric:tabular-nums;line-height:1.55}
.value b{font-weight:600;font-size:15px;white-space:nowrap}
.value span{margin-left:auto;padding-left:6px;font-size:12px;white-space:nowrap}
.better{color:var(--better)}.worse{color:var(--worse)}.same{color:var(--quiet)}
figure{margin:0 0 12px;padding:16px 18px 10px;position:relative;overflow-x:auto}
figure>svg{display:block;width:100%;height:auto;min-width:560px}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(440px,1fr));gap:12px}
.grid figure{margin:0}.grid figure>svg{min-width:0}
.cursor{position:absolute;width:0;border-left:1px solid var(--quiet);pointer-events:none;display:none}
.cursor span{position:absolute;bottom:100%;transform:translateX(-50%);font-size:11px;background:var(--card);
border:1px solid var(--line);border-radius:4px;padding:0 5px;white-space:nowrap}
details{margin:0 0 14px}
summary{cursor:pointer;color:var(--quiet);padding:4px 2px;font-size:14px}
details[open]>summary{margin-bottom:6px}
.scroll{overflow:auto;max-height:420px}
table{border-collapse:collapse;width:100%;font-size:13px}
th,td{text-align:left;padding:5px 12px;border-bottom:1px solid var(--line);vertical-align:top}
tr:last-child>*{border-bottom:0}
thead th{position:sticky;top:0;background:var(--card);font-weight:600;box-shadow:0 1px 0 var(--line)}
tbody th{font-weight:400}
.facts thead th:not(:first-child),.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td.number:first-child{text-align:left}
.up{color:var(--better)}.down{color:var(--quiet)}
pre{margin:0;padding:14px 16px;overflow:auto;font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
@media(max-width:560px){header,main,footer{padding-left:14px;padding-right:14px}.grid{grid-template-columns:1fr}}
@media print{body{background:#fff}#theme,.cursor{display:none}figure{break-inside:avoid}}
`;

/** Switches the theme, and moves one line with the time through all figures that share the time axis. */
export const SCRIPT = `
(() => {
  const root = document.documentElement;
  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  const figures = [...document.querySelectorAll("svg[data-time]")].map((svg) => {
    const [left, right, untilMs] = svg.dataset.time.split(" ").map(Number);
    const line = svg.parentNode.appendChild(document.createElement("div"));
    line.className = "cursor";
    line.appendChild(document.createElement("span"));
    return { svg, line, left, right, untilMs };
  });
  const hide = () => figures.forEach(({ line }) => line.style.display = "none");
  const show = (ms) => {
    const seconds = Math.round(ms / 1000);
    const label = Math.floor(seconds / 60) + ":" + String(seconds % 60).padStart(2, "0");
    for (const { svg, line, left, right, untilMs } of figures) {
      const scale = svg.clientWidth / svg.viewBox.baseVal.width;
      const inside = ms >= 0 && ms <= untilMs;
      line.style.display = inside ? "block" : "none";
      line.style.left = svg.offsetLeft + (left + (ms / untilMs) * (right - left)) * scale + "px";
      line.style.top = svg.offsetTop + 62 * scale + "px";
      line.style.height = (svg.clientHeight - 98 * scale) + "px";
      line.firstChild.textContent = label;
    }
  };
  for (const { svg, left, right, untilMs } of figures) {
    svg.addEventListener("pointermove", (event) => {
      const scale = svg.clientWidth / svg.viewBox.baseVal.width;
      show(((event.clientX - svg.getBoundingClientRect().left) / scale - left) / (right - left) * untilMs);
    });
    svg.addEventListener("pointerleave", hide);
  }
})();
`;
