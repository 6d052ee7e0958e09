/**
 * Look of our HTML pages.
 *
 * @module
 */

const DARK_VARIABLES =
  "--ink:#e6e9ee;--quiet:#a3acb8;--ground:#0f1216;--card:#14171c;--line:#262b33;--accent:#5ab0ea;" +
  "--better:#35c79a;--worse:#ff8e55;color-scheme:dark";

/** The style sheet. Colours of figures are in the figures' own. */
export const STYLE = `
:root{--ink:#1f2328;--quiet:#5d656e;--ground:#f6f7f9;--card:#fff;--line:#dfe3e8;--accent:#0072b2;--better:#00795a;
--worse:#b8440a;color-scheme:light}
@media(prefers-color-scheme:dark){:root:not([data-theme=light]){${DARK_VARIABLES}}}
:root[data-theme=dark]{${DARK_VARIABLES}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,
Arial,sans-serif;-webkit-text-size-adjust:100%}
header,main,footer{max-width:1180px;margin:0 auto;padding:0 24px}
header{position:relative;padding-top:36px}
footer{padding-top:8px;padding-bottom:48px;font-size:13px}
h1{font-size:26px;line-height:1.2;margin:0 56px 6px 0;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:18px;margin:40px 0 12px;letter-spacing:-.005em;overflow-wrap:anywhere}
h3{font-size:15px;line-height:1.35;margin:20px 0 8px;overflow-wrap:anywhere}
h4{font-size:12.5px;line-height:1.35;font-weight:600;margin:10px 0 2px;overflow-wrap:anywhere}
p{margin:4px 0;overflow-wrap:anywhere}
.quiet{color:var(--quiet)}
.runs{display:flex;flex-wrap:wrap;gap:4px 18px;margin-top:10px}
.dot{flex:none;width:10px;height:10px;margin-right:7px;display:inline-block;vertical-align:baseline}
button,input{font:inherit;color:inherit}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
#theme{position:absolute;top:34px;right:24px;width:36px;height:36px;border:1px solid var(--line);border-radius:8px;
background:var(--card);font-size:17px;line-height:1;cursor:pointer}
#zoom{position:fixed;bottom:16px;left:50%;transform:translateX(-50%);display:flex;gap:12px;align-items:center;
padding:7px 8px 7px 14px;background:var(--card);border:1px solid var(--line);border-radius:10px;box-shadow:0 4px 16px #0003;
font-size:13px;font-variant-numeric:tabular-nums;white-space:nowrap;z-index:2}
#zoom[hidden]{display:none}
#zoom button,.tools button{border:1px solid var(--line);border-radius:6px;background:none;cursor:pointer;font-size:12px;
line-height:1;padding:5px 8px}
.tools button{color:var(--quiet)}
#zoom button:hover,.tools button:hover,#theme:hover{border-color:var(--accent);color:var(--accent)}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(196px,1fr));gap:12px}
.card,figure,.scroll,pre,.notes{background:var(--card);border:1px solid var(--line);border-radius:10px}
.card{padding:12px 13px;min-width:0}
.label{font-size:13px;color:var(--quiet);margin-bottom:4px}
.value{display:flex;align-items:baseline;font-variant-numeric:tabular-nums;line-height:1.55}
.value b{font-weight:600;font-size:15px;white-space:nowrap}
.value span{margin-left:auto;padding-left:6px;font-size:12px;white-space:nowrap}
.better{color:var(--better)}.worse{color:var(--worse)}.same{color:var(--quiet)}
.notes{margin:12px 0 0;padding:10px 16px 10px 32px;font-size:14px}
.notes li{margin:2px 0;overflow-wrap:anywhere}.notes b{font-weight:600}
figure{margin:0 0 12px;padding:14px 18px 10px;min-width:0}
.head{display:flex;gap:12px;justify-content:space-between;align-items:start}
.head h3{margin:0}.head p{margin:1px 0 0;font-size:13px}
.tools{display:flex;gap:6px;flex:none}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:3px 18px;margin:8px 0 2px;padding:0;font-size:13px;line-height:1.4}
.legend li{display:flex;min-width:0;overflow-wrap:anywhere}
.key{flex:none;width:16px;height:12px;margin:3px 7px 0 0}
.now{color:var(--quiet);font-weight:400;font-variant-numeric:tabular-nums}
.now:empty{display:none}
.panels{margin-top:8px;touch-action:pan-y;border-radius:6px}
.panel{position:relative;min-width:0}
.panel>svg{display:block;overflow:visible}
.panels[tabindex] .panel>svg{cursor:crosshair}
.panels[tabindex]{user-select:none;-webkit-user-select:none}
.cells{display:grid;grid-template-columns:repeat(auto-fill,minmax(230px,1fr));gap:2px 20px}
.cells .panel{display:flex;flex-direction:column;justify-content:end}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(440px,100%),1fr));gap:12px}
.grid figure{margin:0}
.cursor{pointer-events:none}
.cursor line{stroke:currentColor;stroke-width:1;stroke-opacity:.7}
.cursor text{font-weight:600;text-anchor:middle}
.cursor .chosen{fill:var(--accent);fill-opacity:.16}
details{margin:0 0 4px}
p+figure{margin-top:10px}figure+details{margin-bottom:16px}
.clamp{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:3;overflow:hidden}
summary{cursor:pointer;color:var(--quiet);padding:4px 2px;font-size:14px;overflow-wrap:anywhere}
details[open]>summary{margin-bottom:6px}
.scroll{overflow:auto;max-height:460px}
.scroll.whole{max-height:none}
table{border-collapse:collapse;width:100%;font-size:13px}
th,td{text-align:left;padding:5px 12px;border-bottom:1px solid var(--line);vertical-align:top}
tr:last-child>*{border-bottom:0}
thead .number{white-space:normal}thead th{position:sticky;top:0;background:var(--card);font-weight:600;box-shadow:0 1px 0 var(--line);vertical-align:bottom;z-index:1}
tbody th{font-weight:400;overflow-wrap:anywhere;min-width:120px}
.facts thead th:not(:first-child),.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.facts thead th{overflow-wrap:anywhere;min-width:150px;max-width:320px}
.facts tbody th{min-width:150px}
td{min-width:84px}td.number:first-child{text-align:left}
.number small{display:block;font-size:12px}
.sortable th button{all:unset;cursor:pointer;font-weight:600}
.sortable th button:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.sortable th button::after{content:"\\00a0↕";color:var(--quiet);font-weight:400}
.sortable th[aria-sort=ascending] button::after{content:"\\00a0↑";color:inherit}
.sortable th[aria-sort=descending] button::after{content:"\\00a0↓";color:inherit}
.compared th,.compared td{padding:5px 6px}.compared th:first-child{padding-left:13px}
.compared tbody th{position:sticky;left:0;background:var(--card);min-width:210px}
.compared td{min-width:62px}
.run{display:flex;gap:6px}.run>:first-child{flex:none}.run .dot{margin:5px 1px 0 0}
.compared thead th:first-child{left:0;z-index:2}
.compared thead th:not(:first-child){text-align:right}
.sortable tr:target{outline:2px solid var(--worse)}
.filter{width:100%;max-width:420px;padding:6px 9px;margin-bottom:6px;border:1px solid var(--line);border-radius:8px;background:var(--card)}
.up{color:var(--better)}.down{color:var(--quiet)}
pre{margin:0;padding:14px 16px;overflow:auto;font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
@media(max-width:560px){header,main,footer{padding-left:12px;padding-right:12px}figure{padding:12px 10px 8px}
#theme{right:12px}.cards{grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:8px}.card{padding:9px 10px}
th,td{padding:5px 8px}.compared tbody th{min-width:120px;max-width:150px}
.cells{grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:2px 10px}.facts tbody th{min-width:96px}}
@media print{body{background:#fff}#theme,#zoom,.tools{display:none}figure{break-inside:avoid}.scroll{max-height:none}}
`;
