/*!
 * Made by `deno task bundle`, not to be edited; see scripts/bundle/main.ts.
 *
 * It holds three packages: yaml (ISC, Eemeli Aro, license in vendor/yaml.js), valibot (MIT, Fabian Hiller) and
 * @noble/hashes (MIT, Paul Miller), whose license is:
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
 * documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
 * rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
 * persons to whom the Software is furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
 * Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
 * WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
 * COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
 * OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 */
import {
  CAPACITY_FILE,
  LIGHT,
  MOST_COLORS,
  amount,
  bucketsOf,
  capacityFile,
  checkReport,
  descriptionOf,
  dimensionEffects,
  duration,
  endOfRun,
  explainCapacity,
  explainRecommendation,
  figureStyle,
  goodputOverTime,
  gpuHoursByPhase,
  loadColumns,
  markup,
  percentage,
  percentilesOverTime,
  poolsOf,
  queueOverTime,
  rankedCandidates,
  readCapacity,
  readRecommendation,
  recommendationFile,
  replicaSteps,
  roundBucketMs,
  runColor,
  runStyle,
  safe,
  saturationRows,
  searchPrice,
  shortened,
  swatch,
  targetOf,
  tickReason,
  trafficOverTime,
  ttftByInputLength
} from "./analysis.js";
import {
  attainment,
  attainmentText,
  autoscalerName,
  counted,
  joinPath,
  missesText,
  moneyText,
  overloadText,
  percentileRank,
  plannerHealth,
  sectionedReport,
  time
} from "./config.js";
import {
  ByteSourceError,
  ConfigError,
  __template,
  checkOptions,
  host,
  readText,
  showReading
} from "./base.js";

// lib/analysis/capacity_plot.ts
import * as Plot3 from "@observablehq/plot";

// lib/analysis/axes.ts
import * as Plot from "@observablehq/plot";
var MARGINS = {
  marginLeft: 56,
  marginRight: 16,
  marginTop: 26
};
function grid(ticks = 4) {
  return Plot.gridY({
    stroke: "currentColor",
    strokeOpacity: 0.1,
    ticks
  });
}
var zeroLine = () => Plot.ruleY([
  0
], {
  stroke: "currentColor",
  strokeOpacity: 0.5
});
function bottomAxis(label, ticks, tickFormat) {
  return Plot.axisX({
    label,
    labelAnchor: "right",
    labelArrow: "none",
    tickSize: 4,
    ticks,
    ...tickFormat ? {
      tickFormat
    } : {}
  });
}
function minutesAxis(ticks = 10) {
  return bottomAxis(ticks > 4 ? "minutes of the trace" : null, ticks, String);
}
function valueAxis(label, tickFormat, ticks = 4) {
  return Plot.axisY({
    label,
    labelArrow: "none",
    labelAnchor: "top",
    tickSize: 0,
    ticks,
    ...tickFormat ? {
      tickFormat
    } : {}
  });
}

// lib/analysis/draw.ts
import * as Plot2 from "@observablehq/plot";
import { parseHTML } from "linkedom/worker";
function draw(options) {
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  const { width, height, marginLeft, marginRight, marginTop, marginBottom } = options;
  const element = Plot2.plot({
    ...options,
    document
  });
  element.querySelector("style")?.remove();
  for (const name of [
    "class",
    "style",
    "font-size",
    "font-family"
  ]) element.removeAttribute(name);
  element.setAttribute("overflow", "visible");
  const marks = document.createElementNS("http://www.w3.org/2000/svg", "g");
  marks.setAttribute("class", "marks");
  for (const group of [
    ...element.children
  ]) {
    const kind = group.getAttribute("aria-label") ?? "";
    group.removeAttribute("aria-label");
    group.removeAttribute("aria-hidden");
    if (kind === "x-axis label") group.setAttribute("class", "end");
    else if (kind.startsWith("x-axis")) {
      group.setAttribute("class", kind.endsWith("label") ? "ticks labels" : "ticks");
      wrapPoints(document, group);
    } else if (!kind.startsWith("y-axis")) {
      if (MOVING.test(kind) || group.querySelector("[transform]")) wrapPoints(document, group);
      else group.setAttribute("class", "stretch");
      if (kind !== "y-grid") marks.append(group);
      else element.insertBefore(group, element.firstChild);
    }
  }
  element.append(marks);
  const frame = {
    width,
    height,
    marginLeft,
    marginRight,
    marginTop,
    marginBottom
  };
  return {
    ...frame,
    markup: rounded(element.outerHTML)
  };
}
var MOVING = /^(dot|text)$/;
function wrapPoints(document, group) {
  for (const point of [
    ...group.children
  ]) {
    const placed = point.querySelector("[cx],[transform]") ?? point;
    const x = placed.getAttribute("cx") ?? /translate\(([^,]+)/.exec(placed.getAttribute("transform") ?? "")?.[1];
    if (x === void 0 || x === null) continue;
    const holder = document.createElementNS("http://www.w3.org/2000/svg", "g");
    holder.setAttribute("class", "move");
    holder.setAttribute("data-x", x);
    group.replaceChild(holder, point);
    holder.append(point);
  }
}
var rounded = (svg) => svg.replace(/ (?:d|transform|data-x|points|width|height|[xy][12]?|c[xy])="[^"]*"/g, (attribute) => attribute.replace(/-?\d+\.\d{2,}/g, (text2) => String(Number(Number(text2).toFixed(1)))));

// lib/analysis/capacity_plot.ts
var WIDTH = 960;
var loadAxis = (label) => bottomAxis(label, 6, (value) => String(Number(value.toPrecision(6))));
function series(points, y, told) {
  return [
    Plot3.line(points, {
      x: "value",
      y,
      stroke: LIGHT.blue,
      strokeWidth: 1.6
    }),
    Plot3.dot(points, {
      x: "value",
      y,
      fill: LIGHT.blue,
      r: 3.5,
      title: told
    })
  ];
}
var edge = (largest) => largest === null ? [] : [
  Plot3.ruleX([
    largest
  ], {
    stroke: LIGHT.green
  })
];
var EDGE = {
  label: "largest load",
  color: LIGHT.green,
  mark: "line"
};
var TRIED = {
  label: "replayed",
  color: LIGHT.blue,
  mark: "dot"
};
var column = (points, of, unit, y) => ({
  of,
  part: "",
  unit,
  x: points.map(({ value }) => value),
  y: points.map(y)
});
function capacityPlot({ largest, over, attainment: attainment2, points }) {
  const plot2 = draw({
    width: WIDTH,
    height: 280,
    ...MARGINS,
    marginBottom: 40,
    x: {
      type: "log"
    },
    y: {
      domain: [
        0,
        1
      ]
    },
    marks: [
      grid(),
      loadAxis(over),
      valueAxis("requests within the SLA", (value) => `${Math.round(value * 100)} %`),
      Plot3.ruleY([
        attainment2
      ], {
        stroke: LIGHT.vermilion,
        strokeDasharray: "4 3"
      }),
      ...edge(largest),
      ...series(points, ({ attainment: attainment3 }) => attainment3, ({ value, attainment: attainment3 }) => `${over} ${value}: ${(attainment3 * 100).toFixed(2)} % within the SLA`)
    ]
  });
  return {
    title: "Load that is carried",
    subtitle: `share of requests within the SLA by ${over}`,
    legend: [
      TRIED,
      {
        label: "asked for",
        color: LIGHT.vermilion,
        mark: "dashed"
      },
      EDGE
    ],
    panels: [
      {
        plot: plot2
      }
    ],
    data: {
      x: over,
      series: [
        column(points, "requests within the SLA", "share", ({ attainment: attainment3 }) => attainment3)
      ]
    }
  };
}
function capacityLatencyPlot({ largest, over, sla, points }) {
  const panel3 = (heading, unit, y, { bound = null, log = true, last = false }) => {
    const shown = points.filter((point) => Number.isFinite(y(point)) && (!log || y(point) > 0));
    return {
      heading,
      plot: draw({
        width: WIDTH,
        height: last ? 170 : 150,
        ...MARGINS,
        marginBottom: last ? 40 : 20,
        x: {
          type: "log",
          domain: [
            points[0].value,
            points.at(-1).value
          ]
        },
        y: {
          type: log ? "log" : "linear",
          zero: !log
        },
        marks: [
          grid(),
          loadAxis(last ? over : null),
          valueAxis(unit, (value) => Number(value.toPrecision(3)).toLocaleString("en")),
          ...bound === null ? [] : [
            Plot3.ruleY([
              bound
            ], {
              stroke: LIGHT.vermilion,
              strokeDasharray: "4 3"
            })
          ],
          ...edge(largest),
          ...series(shown, y, (point) => `${over} ${point.value}: ${Number(y(point).toPrecision(4))} ${unit}`)
        ]
      })
    };
  };
  const ttft = ({ p95_ttft_ms }) => p95_ttft_ms, tpot = ({ p95_tpot_ms }) => p95_tpot_ms;
  const served = ({ request_throughput_rps }) => request_throughput_rps;
  return {
    title: "What the load does",
    subtitle: `95th percentiles and requests served by ${over}`,
    legend: [
      TRIED,
      {
        label: "bound of the SLA",
        color: LIGHT.vermilion,
        mark: "dashed"
      },
      EDGE
    ],
    panels: [
      panel3("Time to first token", "ms", ttft, {
        bound: sla.ttft_ms
      }),
      panel3("Time per output token", "ms", tpot, {
        bound: sla.itl_ms
      }),
      panel3("Requests served", "a second", served, {
        log: false,
        last: true
      })
    ],
    data: {
      x: over,
      series: [
        column(points, "TTFT p95", "ms", ttft),
        column(points, "TPOT p95", "ms", tpot),
        column(points, "requests served", "requests/s", served)
      ]
    }
  };
}

// lib/analysis/figure_data.ts
function packed({ x, series: series2 }) {
  const lists = /* @__PURE__ */ new Map();
  const place = (list) => {
    const text2 = JSON.stringify(list.map(short));
    return lists.get(text2) ?? (lists.set(text2, lists.size), lists.size - 1);
  };
  const columns2 = series2.map(({ of, part, unit, x: x2, y, step: step2, at }) => ({
    of,
    part,
    unit,
    x: place(x2),
    y: y.map(short),
    ...step2 ? {
      step: step2
    } : {},
    ...at === void 0 || at === of ? {} : {
      at
    }
  }));
  return `{"x":${JSON.stringify(x)},"xs":[${[
    ...lists.keys()
  ].join()}],"series":${JSON.stringify(columns2)}}`;
}
var short = (value) => typeof value === "number" ? Number(value.toPrecision(5)) : value;

// lib/analysis/figure_html.ts
function figureHtml(figure) {
  const { title, subtitle, legend = [], panels, cells = false, untilMs } = figure;
  const time2 = untilMs === void 0 ? null : safe` data-until="${Number((untilMs / 1e3).toFixed(3))}"`;
  const shown = new Set(figure.data.series.map(({ of, at }) => at ?? of));
  const how = untilMs === void 0 ? "" : ". Arrow keys move through time, plus and minus zoom, 0 shows everything";
  return safe`<figure class="chart" data-figure="${packed(figure.data)}"${time2}><figcaption><div class="head"><div><h3>${title}</h3>${subtitle && safe`<p class="quiet">${subtitle}</p>`}</div><div class="tools"><button type="button" data-save="svg" aria-label="Save ${title} as SVG">SVG</button><button type="button" data-save="csv" aria-label="Save the data of ${title} as CSV">CSV</button></div></div>${legend.length === 0 ? null : safe`<ul class="legend">${legend.map((entry) => legendItem(entry, shown))}</ul>`}</figcaption><div class="panels${markup(cells ? " cells" : "")}"${untilMs === void 0 ? null : safe` tabindex="0" role="group" aria-label="${title}${how}"`}>${panels.map(({ heading, plot: plot2 }) => safe`<div class="panel">${heading === void 0 ? null : safe`<h4><span class="clamp" title="${heading}">${heading}</span>${shown.has(heading) ? readout(heading) : null}</h4>`}${markup(plot2.markup.replace("<svg ", `${safe`<svg class="dynosim" role="img" aria-label="${heading ?? title}" data-frame="${frameOf(plot2)}" `}`))}</div>`)}</div></figure>\n`;
}
var frameOf = ({ width, height, marginLeft, marginRight, marginTop, marginBottom }) => [
  marginLeft,
  width - marginRight,
  width,
  height,
  marginTop,
  height - marginBottom
].join(" ");
var readout = (at) => safe` <span class="now" data-at="${at}"></span>`;
function legendItem(entry, shown) {
  return safe`<li><svg class="dynosim key" viewBox="0 -6 16 12" aria-hidden="true">${swatch(entry)}</svg><span>${entry.label}${shown.has(entry.label) ? readout(entry.label) : null}</span></li>`;
}

// @noble/hashes/2.4.0/_u64.js
var fromNumH = (n) => n / 2 ** 32 | 0;
var fromNumL = (n) => n >>> 0;
function setU64FromNum(view, byteOffset, n, isLE) {
  const h = fromNumH(n);
  const l = fromNumL(n);
  view.setUint32(byteOffset, isLE ? l : h, isLE);
  view.setUint32(byteOffset + 4, isLE ? h : l, isLE);
}

// @noble/hashes/2.4.0/utils.js
function isBytes(a) {
  return a instanceof Uint8Array || ArrayBuffer.isView(a) && a.constructor.name === "Uint8Array" && "BYTES_PER_ELEMENT" in a && a.BYTES_PER_ELEMENT === 1;
}
var atitle = (title) => title ? `"${title}" ` : "";
function anumber(n, title = "") {
  if (typeof n !== "number") throw new TypeError(atitle(title) + "expected number, got " + typeof n);
  if (!Number.isSafeInteger(n) || n < 0) throw new RangeError(atitle(title) + "expected integer >= 0, got " + n);
  return n;
}
function abytes(value, length, title = "") {
  if (isBytes(value) && (length === void 0 || value.length === length)) return value;
  if (length !== void 0) anumber(length, "length");
  const bytes = isBytes(value);
  const ofLen = length !== void 0 ? ` of length ${length}` : "";
  const got = bytes ? `length=${value.length}` : `type=${typeof value}`;
  const message = atitle(title) + "expected Uint8Array" + ofLen + ", got " + got;
  if (!bytes) throw new TypeError(message);
  throw new RangeError(message);
}
var aobject = (value, label) => {
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new TypeError((label === "object" ? "" : `"${label}" `) + "expected object, got type=" + typeof value);
};
var aopts = (value, label) => {
  aobject(value, label);
  const proto = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) throw new TypeError(`"${label}" expected plain object`);
  if (Object.hasOwn(value, "__proto__")) throw new TypeError(`"${label}.__proto__" is not allowed`);
};
function aexists(instance, checkFinished = true) {
  if (instance.destroyed) throw new Error("hash was destroyed");
  if (checkFinished && instance.finished) throw new Error("digest() was already called");
}
function aoutput(out, instance) {
  abytes(out, void 0, "output");
  const min = instance.outputLen;
  if (!(out.length >= min)) {
    throw new RangeError('"output" expected length >= ' + min);
  }
}
function clean(...arrays) {
  for (let i = 0; i < arrays.length; i++) {
    arrays[i].fill(0);
  }
}
function createView(arr) {
  return new DataView(arr.buffer, arr.byteOffset, arr.byteLength);
}
function rotr(word, shift) {
  return word << 32 - shift | word >>> shift;
}
var hasHexBuiltin = /* @__PURE__ */ (() => (
  // @ts-ignore
  typeof Uint8Array.from([]).toHex === "function" && typeof Uint8Array.fromHex === "function"
))();
var hexes = /* @__PURE__ */ Array.from({
  length: 256
}, (_, i) => i.toString(16).padStart(2, "0"));
function bytesToHex(bytes) {
  abytes(bytes);
  if (hasHexBuiltin) return bytes.toHex();
  let hex = "";
  for (let i = 0; i < bytes.length; i++) {
    hex += hexes[bytes[i]];
  }
  return hex;
}
function utf8ToBytes(str) {
  if (typeof str !== "string") throw new TypeError("string expected");
  const encoded = new TextEncoder().encode(str);
  try {
    return new Uint8Array(encoded);
  } finally {
    clean(encoded);
  }
}
function checkOpts(defaults, opts, title = "opts") {
  aopts(defaults, "defaults");
  if (opts !== void 0) aopts(opts, title);
  const merged = Object.assign(/* @__PURE__ */ Object.create(null), defaults, opts);
  return merged;
}
function createHasher(hashCons, info = {}) {
  if (typeof hashCons !== "function") throw new TypeError('"hashCons" expected function, got type=' + typeof hashCons);
  info = checkOpts({}, info, "info");
  const hashC = (msg, opts) => hashCons(opts).update(msg).digest();
  const tmp = hashCons(void 0);
  hashC.outputLen = tmp.outputLen;
  hashC.blockLen = tmp.blockLen;
  hashC.canXOF = tmp.canXOF;
  hashC.create = (opts) => hashCons(opts);
  Object.assign(hashC, info);
  return Object.freeze(hashC);
}
var oidNist = (suffix) => ({
  // Current NIST hashAlgs suffixes used here fit in one DER subidentifier octet.
  // Larger suffix values would need base-128 OID encoding and a different length byte.
  oid: Uint8Array.from([
    6,
    9,
    96,
    134,
    72,
    1,
    101,
    3,
    4,
    2,
    suffix
  ])
});

// @noble/hashes/2.4.0/_md.js
function Chi(a, b, c) {
  return a & b ^ ~a & c;
}
function Maj(a, b, c) {
  return a & b ^ a & c ^ b & c;
}
var HashMD = class {
  blockLen;
  outputLen;
  canXOF = false;
  padOffset;
  isLE;
  // For partial updates less than block size
  buffer;
  view;
  finished = false;
  length = 0;
  pos = 0;
  destroyed = false;
  constructor(blockLen, outputLen, padOffset, isLE) {
    this.blockLen = blockLen;
    this.outputLen = outputLen;
    this.padOffset = padOffset;
    this.isLE = isLE;
    this.buffer = new Uint8Array(blockLen);
    this.view = createView(this.buffer);
  }
  update(data) {
    aexists(this);
    abytes(data);
    const { view, buffer, blockLen } = this;
    const len = data.length;
    let processed = false;
    for (let pos = 0; pos < len; ) {
      const take = Math.min(blockLen - this.pos, len - pos);
      if (take === blockLen) {
        const dataView = createView(data);
        for (; blockLen <= len - pos; pos += blockLen) this.process(dataView, pos);
        processed = true;
        continue;
      }
      buffer.set(pos === 0 && take === len ? data : data.subarray(pos, pos + take), this.pos);
      this.pos += take;
      pos += take;
      if (this.pos === blockLen) {
        this.process(view, 0);
        this.pos = 0;
        processed = true;
      }
    }
    this.length += data.length;
    if (processed) this.roundClean();
    return this;
  }
  digestInto(out) {
    aexists(this);
    aoutput(out, this);
    this.finished = true;
    const { buffer, view, blockLen, isLE } = this;
    let { pos } = this;
    buffer[pos++] = 128;
    buffer.fill(0, pos);
    if (this.padOffset > blockLen - pos) {
      this.process(view, 0);
      buffer.fill(0);
    }
    setU64FromNum(view, blockLen - 8, this.length * 8, isLE);
    this.process(view, 0);
    this.roundClean();
    const oview = out === buffer ? view : createView(out);
    const len = this.outputLen;
    const outLen = len / 4;
    const state = this.get();
    if (len % 4 || outLen > state.length) throw new Error("invalid outputLen");
    for (let i = 0; i < outLen; i++) oview.setUint32(4 * i, state[i], isLE);
  }
  digest() {
    const { buffer, outputLen } = this;
    this.digestInto(buffer);
    const res = buffer.slice(0, outputLen);
    this.destroy();
    return res;
  }
  _cloneIntoMeta(to) {
    const { buffer, length, finished, destroyed, pos } = this;
    to.destroyed = destroyed;
    to.finished = finished;
    to.length = length;
    to.pos = pos;
    if (pos) to.buffer.set(buffer);
    return to;
  }
  clone() {
    return this._cloneInto();
  }
};
var SHA256_IV = /* @__PURE__ */ Uint32Array.from([
  1779033703,
  3144134277,
  1013904242,
  2773480762,
  1359893119,
  2600822924,
  528734635,
  1541459225
]);

// @noble/hashes/2.4.0/sha2.js
var SHA256_K = /* @__PURE__ */ Uint32Array.from([
  1116352408,
  1899447441,
  3049323471,
  3921009573,
  961987163,
  1508970993,
  2453635748,
  2870763221,
  3624381080,
  310598401,
  607225278,
  1426881987,
  1925078388,
  2162078206,
  2614888103,
  3248222580,
  3835390401,
  4022224774,
  264347078,
  604807628,
  770255983,
  1249150122,
  1555081692,
  1996064986,
  2554220882,
  2821834349,
  2952996808,
  3210313671,
  3336571891,
  3584528711,
  113926993,
  338241895,
  666307205,
  773529912,
  1294757372,
  1396182291,
  1695183700,
  1986661051,
  2177026350,
  2456956037,
  2730485921,
  2820302411,
  3259730800,
  3345764771,
  3516065817,
  3600352804,
  4094571909,
  275423344,
  430227734,
  506948616,
  659060556,
  883997877,
  958139571,
  1322822218,
  1537002063,
  1747873779,
  1955562222,
  2024104815,
  2227730452,
  2361852424,
  2428436474,
  2756734187,
  3204031479,
  3329325298
]);
var SHA256_W = /* @__PURE__ */ new Uint32Array(64);
var SHA2_32B = class extends HashMD {
  // We cannot use array here since array allows indexing by variable
  // which means optimizer/compiler cannot use registers.
  // Numeric initializers matter: starting the fields as `undefined` changes
  // V8's field representation and makes sha256 3x slower (measured).
  A = 0;
  B = 0;
  C = 0;
  D = 0;
  E = 0;
  F = 0;
  G = 0;
  H = 0;
  constructor(outputLen, IV) {
    super(64, outputLen, 8, false);
    this.A = IV[0] | 0;
    this.B = IV[1] | 0;
    this.C = IV[2] | 0;
    this.D = IV[3] | 0;
    this.E = IV[4] | 0;
    this.F = IV[5] | 0;
    this.G = IV[6] | 0;
    this.H = IV[7] | 0;
  }
  get() {
    const { A, B, C, D, E, F, G, H } = this;
    return [
      A,
      B,
      C,
      D,
      E,
      F,
      G,
      H
    ];
  }
  // prettier-ignore
  set(A, B, C, D, E, F, G, H) {
    this.A = A | 0;
    this.B = B | 0;
    this.C = C | 0;
    this.D = D | 0;
    this.E = E | 0;
    this.F = F | 0;
    this.G = G | 0;
    this.H = H | 0;
  }
  _cloneInto(to) {
    (to ||= new this.constructor()).set(...this.get());
    return this._cloneIntoMeta(to);
  }
  process(view, offset) {
    for (let i = 0; i < 16; i++, offset += 4) SHA256_W[i] = view.getUint32(offset, false);
    for (let i = 16; i < 64; i++) {
      const W15 = SHA256_W[i - 15];
      const W2 = SHA256_W[i - 2];
      const s0 = rotr(W15, 7) ^ rotr(W15, 18) ^ W15 >>> 3;
      const s1 = rotr(W2, 17) ^ rotr(W2, 19) ^ W2 >>> 10;
      SHA256_W[i] = s1 + SHA256_W[i - 7] + s0 + SHA256_W[i - 16] | 0;
    }
    let { A, B, C, D, E, F, G, H } = this;
    for (let i = 0; i < 64; i++) {
      const sigma1 = rotr(E, 6) ^ rotr(E, 11) ^ rotr(E, 25);
      const T1 = H + sigma1 + Chi(E, F, G) + SHA256_K[i] + SHA256_W[i] | 0;
      const sigma0 = rotr(A, 2) ^ rotr(A, 13) ^ rotr(A, 22);
      const T2 = sigma0 + Maj(A, B, C) | 0;
      H = G;
      G = F;
      F = E;
      E = D + T1 | 0;
      D = C;
      C = B;
      B = A;
      A = T1 + T2 | 0;
    }
    A = A + this.A | 0;
    B = B + this.B | 0;
    C = C + this.C | 0;
    D = D + this.D | 0;
    E = E + this.E | 0;
    F = F + this.F | 0;
    G = G + this.G | 0;
    H = H + this.H | 0;
    this.set(A, B, C, D, E, F, G, H);
  }
  roundClean() {
    clean(SHA256_W);
  }
  destroy() {
    this.destroyed = true;
    this.set(0, 0, 0, 0, 0, 0, 0, 0);
    clean(this.buffer);
  }
};
var _SHA256 = class extends SHA2_32B {
  constructor() {
    super(32, SHA256_IV);
  }
};
var sha256 = /* @__PURE__ */ createHasher(() => new _SHA256(), /* @__PURE__ */ oidNist(1));

// lib/io/text_digest.ts
var textSha256 = (text2) => bytesToHex(sha256(utf8ToBytes(text2)));

// lib/analysis/labelled_points.ts
function placeLabels(points, frame) {
  const height = 14, gap = 8;
  const taken = points.map(({ x, y }) => ({
    left: x - 6,
    right: x + 6,
    top: y - 6,
    bottom: y + 6
  }));
  return points.map(({ x, y, widths }) => {
    for (let name = 0; name < widths.length; name++) {
      const width = widths[name];
      const places = [
        [
          x + gap,
          y + 4
        ],
        [
          x - gap - width,
          y + 4
        ],
        [
          x - width / 2,
          y - gap - 2
        ],
        [
          x - width / 2,
          y + gap + 11
        ],
        [
          x + gap - 2,
          y - gap
        ],
        [
          x + gap - 2,
          y + gap + 9
        ],
        [
          x - gap + 2 - width,
          y - gap
        ],
        [
          x - gap + 2 - width,
          y + gap + 9
        ]
      ];
      for (const [left, baseline] of places) {
        const box = {
          left: left - 2,
          right: left + width + 2,
          top: baseline - 11,
          bottom: baseline - 11 + height
        };
        const inside = box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
        const free = taken.every((other) => other.left >= box.right || other.right <= box.left || other.top >= box.bottom || other.bottom <= box.top);
        if (!inside || !free) continue;
        taken.push(box);
        return {
          x: left,
          y: baseline,
          name
        };
      }
    }
    return null;
  });
}
var CHARACTER = 6.6;
function labelled(plot2, points) {
  const frame = {
    left: plot2.marginLeft + 2,
    right: plot2.width - 2,
    top: 2,
    bottom: plot2.height - plot2.marginBottom
  };
  const placed = placeLabels(points.map(({ x, y, names }) => ({
    x,
    y,
    widths: names.map(({ length }) => length * CHARACTER)
  })), frame);
  const short3 = (value) => Number(value.toFixed(1));
  const labels = points.map(({ x, y, names }, i) => {
    const place = placed[i];
    const at = place === null ? safe` visibility="hidden"` : safe` x="${short3(place.x)}" y="${short3(place.y)}"`;
    return safe`<text class="name" text-anchor="start" data-x="${short3(x)}" data-y="${short3(y)}" data-names="${JSON.stringify(names)}"${at}>${names[place?.name ?? 0]}</text>`;
  });
  return {
    ...plot2,
    markup: plot2.markup.replace(/<\/svg>$/, `${safe`<g class="names">${labels}</g></svg>`}`)
  };
}

// lib/analysis/browser/layout.ts
var LAYOUT = `
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

// lib/analysis/browser/pointer.ts
var POINTER = `
const amount = ${amount};
const duration = ${duration};
const percentage = ${percentage};
const valueText = (value, unit) => value === null || value === undefined ? "\u2013"
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

// lib/analysis/browser/save.ts
var SAVE = `
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

// lib/analysis/browser/tables.ts
var TABLES = `
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
      const missing = (text) => text === "" || text === "\u2013";
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

// lib/analysis/browser/theme.ts
var THEME = `
const root = document.documentElement;
const themeButton = document.getElementById("theme");
const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
const tellTheme = () => themeButton.setAttribute("aria-pressed", String(isDark()));
themeButton.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  tellTheme();
});
tellTheme();
`;

// lib/analysis/browser/zoom.ts
var ZOOM = `
const bar = document.getElementById("zoom"), said = document.getElementById("said");
const zoomTo = (from, to) => {
  const least = Math.max(whole / 1000, 0.05);
  if (to - from < least) return;
  zoomed = { from: Math.max(from, 0), to: Math.min(to, whole) };
  bar.hidden = !isZoomed();
  bar.firstElementChild.textContent = clock(zoomed.from) + " \u2013 " + clock(zoomed.to);
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

// lib/analysis/browser/script.ts
var SCRIPT = `(() => {
"use strict";${THEME}${TABLES}${LAYOUT}${POINTER}${ZOOM}${SAVE}layout();
})();`;

// lib/analysis/page_style.ts
var DARK_VARIABLES = "--ink:#e6e9ee;--quiet:#a3acb8;--ground:#0f1216;--card:#14171c;--line:#262b33;--accent:#5ab0ea;--better:#35c79a;--worse:#ff8e55;color-scheme:dark";
var STYLE = `
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
.sortable th button::after{content:"\\00a0\u2195";color:var(--quiet);font-weight:400}
.sortable th[aria-sort=ascending] button::after{content:"\\00a0\u2191";color:inherit}
.sortable th[aria-sort=descending] button::after{content:"\\00a0\u2193";color:inherit}
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

// lib/analysis/page.ts
var policy = (script) => {
  const digest = textSha256(script).replace(/../g, (byte) => String.fromCharCode(parseInt(byte, 16)));
  return `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${btoa(digest)}'; base-uri 'none'; form-action 'none'`;
};
var _a;
function page({ title, facts, header, main, footer }) {
  const whole2 = safe(_a || (_a = __template(['<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta http-equiv="Content-Security-Policy" content="', '">\n<meta name="color-scheme" content="light dark">\n<title>', " \u2013 dynosim</title>\n<style>", '</style>\n<style id="figure-style">', "</style>\n</head>\n<body>\n<header>\n<h1>", '</h1>\n<p class="quiet">', "</p>\n", '<button id="theme" type="button" aria-label="Dark" title="Light or dark">\u25D0</button>\n</header>\n<main>\n', "\n</main>\n", '<div id="zoom" hidden><span></span><button type="button">Show everything</button></div>\n<div id="said" class="unseen" aria-live="polite"></div>\n<script>', "<\/script>\n</body>\n</html>\n"])), markup(policy(SCRIPT)), title, markup(STYLE), markup(figureStyle()), title, facts, header, main, footer, markup(SCRIPT));
  return whole2.toString();
}

// lib/analysis/capacity_page.ts
var STYLE2 = `<style>#loads td{text-align:right;font-variant-numeric:tabular-nums}#loads td:first-child{text-align:left}
#loads tr.largest{font-weight:600}#loads tr.beyond{color:var(--quiet)}</style>`;
function loads(found) {
  const { largest, beyond, points } = found, columns2 = loadColumns(found);
  const kind = (value) => value === largest ? "largest" : beyond !== null && value >= beyond ? "beyond" : "";
  return safe`<div class="scroll"><table id="loads"><thead><tr>${columns2.map(([label]) => safe`<th>${label}</th>`)}</tr></thead>
<tbody>${points.map((point) => safe`<tr class="${kind(point.value)}">${columns2.map(([, of]) => safe`<td>${of(point, found)}</td>`)}</tr>\n`)}</tbody></table></div>`;
}
function runsOut(found) {
  const rows = saturationRows(found);
  if (rows.length === 0) return safe`<p class="quiet">No load that was tried is too much.</p>`;
  return safe`<div class="scroll"><table id="saturation"><tbody>${rows.map(([name, value]) => safe`<tr><th>${name}</th><td>${value}</td></tr>`)}</tbody></table></div>`;
}
function boundsText({ sla: { ttft_ms, itl_ms, e2e_ms } }) {
  const bounds = [
    ttft_ms === null ? "" : `TTFT up to ${ttft_ms} ms`,
    itl_ms === null ? "" : `a mean of up to ${itl_ms} ms between its tokens (TPOT)`,
    e2e_ms === null ? "" : `${e2e_ms} ms for the whole request`
  ].filter((text2) => text2 !== "");
  return `A request is good with ${bounds.join(" and ")}.`;
}
function capacityPage(found, options) {
  const [facts, ...story] = explainCapacity(found);
  return page({
    title: options.title ?? "What it carries",
    facts,
    main: safe`${markup(STYLE2)}
<h2>The knee</h2>
${figureHtml(capacityPlot(found))}${figureHtml(capacityLatencyPlot(found))}
<p>${boundsText(found)} ${story.join(" ")}</p>
<h2>What runs out there</h2>
${runsOut(found)}
<h2>Loads</h2>
${loads(found)}`
  });
}

// lib/analysis/comparison_plot.ts
import * as Plot4 from "@observablehq/plot";
function tradeOffPlot(runs, options = {}) {
  const bounded = runs.every(({ summary }) => summary.goodput_output_throughput_tok_s !== void 0);
  const key = options.against ?? (bounded ? "goodput_output_throughput_tok_s" : "output_throughput_tok_s");
  const isLatency = key.endsWith("_ms");
  const format = isLatency ? duration : amount;
  const points = runs.map((run, i) => ({
    name: run.name,
    color: runs.length > MOST_COLORS ? LIGHT.blue : runColor(i),
    hours: run.summary.gpu_hours,
    cost: costText(run, run.summary.gpu_hours),
    value: Number(run.summary[key] ?? 0)
  }));
  const [x0, x1] = around(points.map(({ hours }) => hours)), [y0, y1] = around(points.map(({ value }) => value));
  const size = {
    ...MARGINS,
    width: options.width ?? 472,
    height: options.height ?? 230,
    marginBottom: 40
  };
  const plot2 = labelled(draw({
    ...size,
    color: {
      type: "identity"
    },
    x: {
      domain: [
        x0,
        x1
      ]
    },
    y: {
      domain: [
        y0,
        y1
      ]
    },
    marks: [
      grid(),
      bottomAxis("GPU hours", 5),
      valueAxis(LABELS[key] ?? key, format),
      ...y0 === 0 ? [
        zeroLine()
      ] : [],
      Plot4.dot(points, {
        x: "hours",
        y: "value",
        fill: (point) => point.color,
        r: 5,
        title: (point) => `${point.name}: ${format(point.value)} for ${amount(point.hours)} GPU hours${point.cost}`
      })
    ]
  }), points.map(({ name, hours, value }, i) => ({
    x: size.marginLeft + (hours - x0) / (x1 - x0) * (size.width - size.marginLeft - size.marginRight),
    y: size.height - size.marginBottom - (value - y0) / (y1 - y0) * (size.height - size.marginBottom - size.marginTop),
    names: [
      shortened(name, 34),
      `#${i + 1}`
    ]
  })));
  return {
    title: options.title ?? (isLatency ? "Cost against latency" : "Cost against goodput"),
    subtitle: `${isLatency ? "down" : "up"} and to the left is better` + (key.startsWith("goodput_output") ? "; only tokens of good requests count" : ""),
    panels: [
      {
        plot: plot2
      }
    ],
    data: {
      x: "run",
      series: [
        {
          of: "GPU hours",
          part: "",
          unit: "GPU hours",
          x: points.map(({ name }) => name),
          y: points.map(({ hours }) => hours)
        },
        {
          of: LABELS[key] ?? key,
          part: "",
          unit: isLatency ? "ms" : "tokens/s",
          x: points.map(({ name }) => name),
          y: points.map(({ value }) => value)
        }
      ]
    }
  };
}
function around(values) {
  const low = Math.min(...values), high = Math.max(...values);
  if (high <= 0) return [
    0,
    1
  ];
  if (low < high * 0.7 || low === high) return [
    0,
    high * 1.12
  ];
  const room = (high - low) * 0.15;
  return [
    low - room,
    high + room
  ];
}
var LABELS = {
  goodput_output_throughput_tok_s: "good output tokens/s",
  output_throughput_tok_s: "output tokens/s",
  mean_ttft_ms: "TTFT, mean",
  p95_ttft_ms: "TTFT, 95th percentile",
  mean_itl_ms: "ITL, mean",
  p95_itl_ms: "ITL, 95th percentile"
};
function costText({ evaluation }, hours) {
  const cost2 = evaluation?.cost;
  return cost2 ? ` (${moneyText(hours * cost2.price_per_gpu_hour, cost2.currency)})` : "";
}
var ROW = 40;
function gpuHoursPlot(runs, options = {}) {
  const colors = {
    active: LIGHT.blue,
    starting: LIGHT.amber,
    draining: LIGHT.grey
  };
  const rows = runs.flatMap((run, i) => {
    const phases = gpuHoursByPhase(run).objects();
    let from = 0;
    return Object.keys(colors).map((phase) => {
      const hours = phases.filter((row) => row.phase === phase).reduce((sum, row) => sum + row.gpu_hours, 0);
      return {
        row: i,
        name: run.name,
        phase,
        hours,
        from,
        to: from += hours,
        cost: costText(run, from)
      };
    });
  });
  const most = Math.max(...rows.map(({ to }) => to), 1e-9);
  const plot2 = draw({
    width: options.width ?? 472,
    height: options.height ?? 46 + ROW * runs.length,
    marginLeft: 12,
    marginRight: 56 + 6.6 * Math.max(...rows.map(({ cost: cost2 }) => cost2.length)),
    marginTop: 6,
    marginBottom: 40,
    x: {
      domain: [
        0,
        most
      ]
    },
    y: {
      domain: [
        0,
        runs.length
      ],
      reverse: true,
      axis: null
    },
    marks: [
      bottomAxis("GPU hours", 5),
      ...runRows(runs),
      Plot4.rect(rows.filter(({ hours }) => hours > 0), {
        x1: "from",
        x2: "to",
        y1: (bar) => bar.row + 0.5,
        y2: (bar) => bar.row + 0.88,
        fill: (bar) => colors[bar.phase],
        fillOpacity: 0.6,
        title: (bar) => `${bar.phase}: ${bar.hours.toFixed(3)} GPU hours`
      }),
      Plot4.text(rows.filter(({ phase }) => phase === "draining"), {
        x: "to",
        y: (bar) => bar.row + 0.69,
        text: (bar) => bar.to.toFixed(2) + bar.cost,
        dx: 6,
        textAnchor: "start"
      })
    ],
    color: {
      type: "identity"
    }
  });
  return {
    title: options.title ?? "GPU hours",
    subtitle: "by phase of the workers' lives",
    legend: Object.entries(colors).map(([label, color]) => ({
      label,
      color,
      mark: "area"
    })),
    panels: [
      {
        plot: plot2
      }
    ],
    data: {
      x: "run",
      series: Object.keys(colors).map((phase) => ({
        of: phase,
        part: "",
        unit: "GPU hours",
        x: runs.map(({ name }) => name),
        y: rows.filter((row) => row.phase === phase).map(({ hours }) => hours)
      }))
    }
  };
}
function runRows(runs) {
  return [
    Plot4.text(runs.map(({ name }, row) => ({
      name: shortened(name, 44),
      row
    })), {
      frameAnchor: "left",
      y: (one) => one.row + 0.28,
      text: "name",
      textAnchor: "start"
    })
  ];
}

// lib/analysis/kv_plot.ts
import * as Plot6 from "@observablehq/plot";

// lib/analysis/kv_use.ts
function sampledShares({ telemetry }) {
  const mean = (rows) => rows.reduce((sum, row) => sum + row.active_cache_usage, 0) / Math.max(rows.length, 1);
  return (telemetry?.samples ?? []).map((sample) => ({
    minute: sample.sampled_at_ms / 6e4,
    value: mean([
      ...sample.prefill_scheduler_metrics,
      ...sample.decode_scheduler_metrics
    ]),
    capacity: null
  }));
}
function contextTokens(run, buckets) {
  const points = run.requests ? tokensOfRequests(run.requests, buckets) : tokensOfTicks(run.planner);
  const capacityAt = capacityOf(run);
  return points.map(({ minute, value }) => ({
    minute,
    value,
    capacity: capacityAt(minute * 6e4)
  }));
}
function tokensOfRequests(requests2, buckets) {
  const column2 = (name) => requests2.column(name);
  const [admitted, decoding, first, last, end, input, output] = [
    "first_admit_ms",
    "decode_admit_ms",
    "first_token_ms",
    "last_token_ms",
    "terminal_time_ms",
    "input_length",
    "output_length"
  ].map(column2);
  let runEnd = 0;
  requests2.scan((row) => void (runEnd = Math.max(runEnd, end.at(row) ?? 0)));
  const bucketMs = roundBucketMs(runEnd, buckets);
  const sums = new Float64Array(Math.floor(runEnd / bucketMs) + 2);
  requests2.scan((row) => {
    const from = decoding.at(row) ?? admitted.at(row), until = end.at(row);
    if (from === null || until === null) return;
    const start = first.at(row) ?? until, span = (last.at(row) ?? start) - start, tokens = output.at(row) ?? 0;
    for (let i = Math.ceil(from / bucketMs); i * bucketMs < until; i++) {
      const done = span > 0 ? Math.min(Math.max((i * bucketMs - start) / span, 0), 1) : 0;
      sums[i] += (input.at(row) ?? 0) + tokens * done;
    }
  });
  return Array.from(sums, (value, i) => ({
    minute: i * bucketMs / 6e4,
    value
  }));
}
function tokensOfTicks(planner) {
  return (planner?.ticks ?? []).flatMap((tick) => {
    const seen = tick.input.fpm_observations?.decode;
    if (!seen) return [];
    const value = seen.reduce((sum, { metrics }) => sum + (metrics.scheduled_requests?.sum_decode_kv_tokens ?? 0), 0);
    return [
      {
        minute: tick.at_ms / 6e4,
        value
      }
    ];
  });
}
function capacityOf({ summary, planner, metadata }) {
  const role = metadata?.roles.find(({ role: role2 }) => role2 !== "prefill");
  if (role === void 0 || summary === void 0) return () => null;
  const source = {
    summary,
    planner
  };
  const steps = replicaSteps(source, poolsOf(summary).at(-1));
  const worker = role.kv_blocks * role.kv_block_tokens * (role.kv_ranks ?? 1);
  const end = endOfRun(source);
  return (atMs) => {
    const step2 = steps.findLast(({ at_ms }) => at_ms <= Math.min(atMs, end)) ?? steps[0];
    const workers = step2.active + step2.draining;
    return workers > 0 ? worker * workers : null;
  };
}

// lib/analysis/multiples.ts
var BEHIND = {
  color: LIGHT.grey,
  dash: null
};
var crowded = (runs) => runs > MOST_COLORS;
function panelsOf(runs, { apart, width, height }, draw2) {
  if (!apart) {
    const size2 = {
      ...MARGINS,
      width,
      height,
      marginBottom: 40,
      ticks: {
        x: 10,
        y: 4
      },
      small: false
    };
    return {
      panels: [
        {
          plot: draw2(runs.flatMap(({ marks, style }) => marks(style)), size2)
        }
      ],
      cells: false,
      series: runs.flatMap(({ data }) => data)
    };
  }
  const groups = grouped(runs, ({ data }) => JSON.stringify(data.map(({ x, y }) => [
    x,
    y
  ])));
  const size = {
    ...CELL,
    ticks: {
      x: 4,
      y: 3
    },
    small: true
  };
  const panels = groups.map((same, i) => {
    const [run] = same;
    const behind = i === 0 ? [] : runs[0].marks(BEHIND);
    return {
      heading: namesOf(same),
      plot: draw2([
        ...behind,
        ...run.marks({
          color: LIGHT.blue,
          dash: null
        })
      ], size)
    };
  });
  const series2 = groups.flatMap((same, i) => same.flatMap(({ data }, j) => data.map((one) => ({
    ...one,
    at: j === 0 ? panels[i].heading : ""
  }))));
  return {
    panels,
    cells: true,
    series: series2
  };
}
var CELL = {
  ...MARGINS,
  width: 300,
  height: 120,
  marginTop: 16,
  marginBottom: 26
};
function grouped(entries, keyOf) {
  const groups = /* @__PURE__ */ new Map();
  for (const entry of entries) {
    const key = keyOf(entry), group = groups.get(key);
    if (group === void 0) groups.set(key, [
      entry
    ]);
    else group.push(entry);
  }
  return [
    ...groups.values()
  ];
}
var namesOf = (runs) => runs.map(({ name }) => name).join(", ");

// lib/analysis/request_figures.ts
import * as Plot5 from "@observablehq/plot";
var METRICS = {
  ttft_ms: {
    name: "TTFT",
    long: "Time to first token (TTFT)",
    bound: "ttftMs"
  },
  itl_ms: {
    name: "TPOT",
    long: "Time per output token (TPOT), mean of a request",
    bound: "itlMs"
  },
  e2e_latency_ms: {
    name: "latency",
    long: "End-to-end latency",
    bound: "e2eMs"
  }
};
var LINEAR_RANGE = 25;
function describeSla(sla) {
  return Object.values(METRICS).flatMap(({ bound, name }) => {
    const limit = sla[bound];
    return limit == null ? [] : [
      `${name} \u2264 ${duration(limit)}`
    ];
  }).join(", ");
}
function captured(runs) {
  return runs.map((run, i) => ({
    run,
    style: runStyle(i)
  })).filter(({ run }) => run.requests !== null);
}
function lastArrivalMs(runs) {
  let last = 0;
  for (const { run } of captured(runs)) {
    const arrivals = run.requests.column("arrival_time_ms");
    run.requests.scan((row) => void (last = Math.max(last, arrivals.at(row))));
  }
  return last;
}
function runLegend(runs, limit) {
  return [
    ...runs.map(({ name, color, dash }) => ({
      label: name,
      color,
      dash,
      mark: "line"
    })),
    ...boundLegend(limit)
  ];
}
var boundLegend = (limit) => limit === void 0 ? [] : [
  {
    label: `SLA ${duration(limit)}`,
    color: "currentColor",
    mark: "dashed"
  }
];
function boundMarks(limit) {
  if (limit === void 0) return [];
  return [
    Plot5.ruleY([
      limit
    ], {
      stroke: "currentColor",
      strokeDasharray: "4 3",
      strokeOpacity: 0.8
    })
  ];
}
function powers(lowest, highest) {
  const decades = [];
  for (let power = Math.floor(Math.log10(lowest)); 10 ** power <= highest * 1.15; power++) decades.push(10 ** power);
  const inside = (ticks) => ticks.filter((tick) => tick >= lowest / 1.15 && tick <= highest * 1.15);
  const few = inside(decades);
  return few.length >= 3 ? few : inside(decades.flatMap((tick) => [
    tick,
    3 * tick
  ]));
}

// lib/analysis/kv_plot.ts
function kvPlot(runs, options = {}) {
  const { apart = false } = options;
  const sampled = runs.every(({ telemetry }) => telemetry !== null);
  const found = runs.map((run, i) => ({
    run,
    style: runStyle(i),
    rows: sampled ? sampledShares(run) : contextTokens(run, apart ? 60 : void 0)
  })).filter(({ rows }) => rows.length > 0);
  if (found.length === 0) return null;
  const known = found.every(({ rows }) => rows.every(({ capacity }) => capacity !== null));
  const measure = sampled ? "sampled" : known ? "share" : "tokens";
  const valueOf = ({ value, capacity }) => measure === "share" ? value / capacity : value;
  const untilMinute = options.untilMs === void 0 ? Math.max(...found.map(({ rows }) => rows.at(-1).minute)) : options.untilMs / 6e4;
  const series2 = found.map(({ run, style, rows }) => {
    const points = rows.map((row) => ({
      minute: row.minute,
      value: valueOf(row),
      capacity: row.capacity
    }));
    return {
      name: run.name,
      style,
      marks: ({ color, dash }) => [
        Plot6.lineY(points, {
          x: "minute",
          y: "value",
          stroke: color,
          strokeWidth: 1.75,
          strokeDasharray: dash ?? void 0
        })
      ],
      data: [
        {
          of: run.name,
          part: measure === "tokens" ? "context" : "KV in use",
          unit: measure === "tokens" ? "tokens" : "share",
          x: points.map(({ minute }) => minute * 60),
          y: points.map(({ value }) => value)
        }
      ]
    };
  });
  const shares2 = measure !== "tokens";
  const most = Math.max(...series2.flatMap(({ data: data2 }) => data2.flatMap(({ y }) => y)));
  const highest = shares2 ? Math.max(1, most) : Math.max(most, 1);
  const size = {
    apart,
    width: options.width ?? 960,
    height: 160
  };
  const { panels, cells, series: data } = panelsOf(series2, size, (marks, { ticks, small, ...panel3 }) => {
    const levels = shares2 && highest < 1.5 ? [
      0,
      0.5,
      1
    ] : ticks.y;
    return draw({
      ...panel3,
      x: {
        domain: [
          0,
          untilMinute
        ]
      },
      y: {
        domain: [
          0,
          highest * 1.06
        ]
      },
      marks: [
        grid(levels),
        minutesAxis(ticks.x),
        valueAxis(small ? "" : shares2 ? "of capacity" : "tokens", shares2 ? (value) => `${Number((value * 100).toPrecision(3))} %` : amount, levels),
        ...marks,
        ...shares2 ? [
          Plot6.ruleY([
            1
          ], {
            stroke: "currentColor",
            strokeDasharray: "4 3",
            strokeOpacity: 0.8
          })
        ] : [],
        zeroLine()
      ]
    });
  });
  const unknown = runs.filter((run) => !found.some((one) => one.run === run));
  return {
    untilMs: untilMinute * 6e4,
    title: options.title ?? "KV cache in use",
    subtitle: SUBTITLES[measure] + (unknown.length === 0 ? "" : `; not known of ${namesOf(unknown)}`),
    legend: [
      ...apart ? [] : runLegend(found.map(({ run, style }) => ({
        name: run.name,
        ...style
      }))),
      ...shares2 ? [
        {
          label: "capacity",
          color: "currentColor",
          mark: "dashed"
        }
      ] : []
    ],
    panels,
    cells,
    data: {
      x: "time (s)",
      series: data
    }
  };
}
var SUBTITLES = {
  sampled: "mean share of KV blocks that running requests hold, over all ranks",
  share: "context tokens of running requests, as a share of what the workers' KV caches hold (shared prefixes count for each request)",
  tokens: "context tokens of running requests, all workers"
};

// lib/analysis/latency_distribution_plot.ts
import * as Plot7 from "@observablehq/plot";
function latencyCdfPlot(runs, metric, options = {}) {
  const { long, bound, name } = METRICS[metric];
  const limit = options.sla?.[bound] ?? void 0;
  const series2 = captured(runs).map(({ run, style }) => ({
    run,
    style,
    rows: quantiles(run.requests, metric)
  }));
  const values = series2.flatMap(({ rows }) => rows.map(({ value }) => value)).filter((value) => value > 0);
  const lowest = Math.min(...values, limit ?? Infinity), highest = Math.max(...values, limit ?? 0);
  const log = values.length > 0 && highest / lowest > LINEAR_RANGE;
  const plot2 = draw({
    ...MARGINS,
    marginBottom: 40,
    width: options.width ?? 472,
    height: options.height ?? 230,
    x: log ? {
      type: "log",
      domain: [
        lowest,
        highest * 1.1
      ],
      clamp: true
    } : {
      domain: [
        0,
        values.length > 0 ? highest * 1.05 : 1
      ],
      clamp: true
    },
    y: {
      domain: [
        0,
        1
      ]
    },
    marks: [
      grid(),
      bottomAxis(log ? `${name} (log scale)` : name, log ? powers(lowest, highest) : 5, duration),
      valueAxis("requests", (share2) => `${Math.round(share2 * 100)} %`),
      ...series2.map(({ rows, style }) => Plot7.lineY(rows, {
        x: "value",
        y: "share",
        stroke: style.color,
        strokeWidth: 2,
        strokeDasharray: style.dash ?? void 0
      })),
      ...limit === void 0 ? [] : [
        Plot7.ruleX([
          limit
        ], {
          stroke: "currentColor",
          strokeDasharray: "4 3",
          strokeOpacity: 0.8
        })
      ]
    ]
  });
  return {
    title: options.title ?? long,
    subtitle: "share of requests that waited at most so long",
    legend: runLegend(series2.map(({ run, style }) => ({
      name: run.name,
      ...style
    })), limit),
    panels: [
      {
        plot: plot2
      }
    ],
    data: {
      x: "share of requests",
      series: series2.map(({ run, rows }) => ({
        of: run.name,
        part: name,
        unit: "ms",
        x: rows.map(({ share: share2 }) => share2),
        y: rows.map(({ value }) => value)
      }))
    }
  };
}
function ttftByLengthPlot(runs, options = {}) {
  const series2 = captured(runs).map(({ run, style }) => ({
    run,
    style,
    rows: ttftByInputLength(run.requests).objects().map((row) => ({
      from: row.from_tokens,
      tokens: row.from_tokens * Math.SQRT2,
      p50: row.p50_ttft_ms,
      p95: row.p95_ttft_ms,
      count: row.count
    }))
  }));
  const limit = options.sla?.ttftMs ?? void 0;
  const values = series2.flatMap(({ rows }) => rows.flatMap(({ p50, p95 }) => [
    p50,
    p95
  ])).filter((value) => value > 0);
  const lowest = Math.min(...values, limit ?? Infinity), highest = Math.max(...values, limit ?? 1);
  const plot2 = draw({
    ...MARGINS,
    marginBottom: 40,
    width: options.width ?? 472,
    height: options.height ?? 230,
    x: {
      type: "log",
      base: 2
    },
    y: {
      type: "log",
      domain: [
        Math.min(lowest, highest) / 1.15,
        highest * 1.15
      ],
      clamp: true
    },
    marks: [
      grid(powers(lowest, highest)),
      bottomAxis("prompt tokens (log scale)", 6, (tokens) => tokens >= 1024 ? `${tokens / 1024}k` : String(tokens)),
      valueAxis("TTFT (log scale)", duration, powers(lowest, highest)),
      ...series2.flatMap(({ rows, style: { color, dash } }) => [
        Plot7.lineY(rows, {
          x: "tokens",
          y: "p95",
          stroke: color,
          strokeWidth: 1
        }),
        Plot7.lineY(rows, {
          x: "tokens",
          y: "p50",
          stroke: color,
          strokeWidth: 2,
          strokeDasharray: dash ?? void 0
        }),
        Plot7.dot(rows, {
          x: "tokens",
          y: "p50",
          fill: color,
          r: 2.5,
          title: (row) => `${row.count} requests`
        })
      ]),
      ...boundMarks(limit)
    ]
  });
  return {
    title: options.title ?? "TTFT by prompt length",
    subtitle: "median (thick) and 95th percentile (thin)",
    legend: runLegend(series2.map(({ run, style }) => ({
      name: run.name,
      ...style
    })), limit),
    panels: [
      {
        plot: plot2
      }
    ],
    data: {
      x: "prompt tokens from",
      series: series2.flatMap(({ run, rows }) => {
        const x = rows.map(({ from }) => from);
        return [
          {
            of: run.name,
            part: "TTFT median",
            unit: "ms",
            x,
            y: rows.map(({ p50 }) => p50)
          },
          {
            of: run.name,
            part: "TTFT p95",
            unit: "ms",
            x,
            y: rows.map(({ p95 }) => p95)
          }
        ];
      })
    }
  };
}
var CDF_POINTS = 240;
function quantiles(requests2, metric) {
  const column2 = requests2.column(metric);
  const values = [];
  requests2.scan((row) => {
    const value = column2.at(row);
    if (value !== null) values.push(value);
  });
  const ascending = Float64Array.from(values).sort();
  if (ascending.length === 0) return [];
  return Array.from({
    length: CDF_POINTS + 1
  }, (_, i) => ({
    value: ascending[percentileRank(ascending.length, 100 * i / CDF_POINTS)],
    share: i / CDF_POINTS
  }));
}

// lib/analysis/latency_plot.ts
import * as Plot8 from "@observablehq/plot";
function latencyPlot(runs, metric, options = {}) {
  const { long, bound, name } = METRICS[metric];
  const { apart = false } = options;
  const bucketMs = bucketOf(runs, options);
  const found = captured(runs).map(({ run, style }) => ({
    run,
    style,
    rows: bands(run.requests, metric, {
      by: options.by,
      bucketMs
    })
  }));
  const limit = options.sla?.[bound] ?? void 0;
  const values = found.flatMap(({ rows }) => rows.flatMap(({ p50, p95 }) => [
    p50,
    p95
  ]));
  const lowest = Math.min(...values, limit ?? Infinity), highest = Math.max(...values, limit ?? 0);
  const log = lowest > 0 && highest / lowest > LINEAR_RANGE;
  const untilMinute = untilMinutes(found.map(({ rows }) => rows), options);
  const series2 = found.map(({ run, style, rows }) => {
    const x = rows.map(({ minute }) => minute * 60);
    return {
      name: run.name,
      style,
      marks: ({ color, dash }) => [
        Plot8.areaY(rows, {
          x: "minute",
          y1: "p50",
          y2: "p95",
          z: "piece",
          fill: color,
          fillOpacity: apart ? 0.3 : 0.2
        }),
        Plot8.lineY(rows, {
          x: "minute",
          y: "p95",
          z: "piece",
          stroke: color,
          strokeWidth: 1
        }),
        Plot8.lineY(rows, {
          x: "minute",
          y: "p50",
          z: "piece",
          stroke: color,
          strokeWidth: 2,
          strokeDasharray: dash ?? void 0
        })
      ],
      data: [
        {
          of: run.name,
          part: "median",
          unit: "ms",
          x,
          y: rows.map(({ p50 }) => p50)
        },
        {
          of: run.name,
          part: "p95",
          unit: "ms",
          x,
          y: rows.map(({ p95 }) => p95)
        }
      ]
    };
  });
  const size = {
    apart,
    width: options.width ?? 960,
    height: options.height ?? 210
  };
  const { panels, cells, series: data } = panelsOf(series2, size, (marks, { ticks, small, ...panel3 }) => {
    const levels = log ? powers(lowest, highest) : ticks.y;
    return draw({
      ...panel3,
      x: {
        domain: [
          0,
          untilMinute
        ]
      },
      y: log ? {
        type: "log",
        domain: [
          lowest / 1.15,
          highest * 1.15
        ],
        clamp: true
      } : {
        domain: [
          0,
          highest * 1.06
        ],
        clamp: true
      },
      marks: [
        grid(levels),
        minutesAxis(ticks.x),
        valueAxis(small ? "" : log ? `${name} (log scale)` : name, duration, levels),
        ...marks,
        ...boundMarks(limit)
      ]
    });
  });
  return {
    untilMs: untilMinute * 6e4,
    title: options.title ?? long,
    subtitle: `median (thick) to 95th percentile (thin), by arrival, every ${duration(bucketMs)}` + (apart ? "; the first run in grey" : ""),
    legend: apart ? boundLegend(limit) : runLegend(found.map(({ run, style }) => ({
      name: run.name,
      ...style
    })), limit),
    panels,
    cells,
    data: {
      x: "time (s)",
      series: data
    }
  };
}
function goodputPlot(runs, sla, options = {}) {
  const { apart = false } = options;
  const bucketMs = bucketOf(runs, options);
  const found = captured(runs).map(({ run, style }) => ({
    run,
    style,
    rows: shares(run.requests, sla, {
      by: options.by,
      bucketMs
    })
  }));
  const untilMinute = untilMinutes(found.map(({ rows }) => rows), options);
  const series2 = found.map(({ run, style, rows }) => ({
    name: run.name,
    style,
    marks: ({ color, dash }) => [
      Plot8.lineY(rows, {
        x: "minute",
        y: "share",
        z: "piece",
        stroke: color,
        strokeWidth: apart ? 1.75 : 2,
        strokeDasharray: dash ?? void 0
      })
    ],
    data: [
      {
        of: run.name,
        part: "good",
        unit: "share",
        x: rows.map(({ minute }) => minute * 60),
        y: rows.map(({ share: share2 }) => share2)
      }
    ]
  }));
  const size = {
    apart,
    width: options.width ?? 960,
    height: options.height ?? 170
  };
  const { panels, cells, series: data } = panelsOf(series2, size, (marks, { ticks, small, ...panel3 }) => draw({
    ...panel3,
    x: {
      domain: [
        0,
        untilMinute
      ]
    },
    y: {
      domain: [
        0,
        1.02
      ]
    },
    marks: [
      grid(HALVES),
      minutesAxis(ticks.x),
      valueAxis(small ? "" : "good requests", (share2) => `${Math.round(share2 * 100)} %`, HALVES),
      ...marks
    ]
  }));
  return {
    untilMs: untilMinute * 6e4,
    title: options.title ?? "Good requests",
    subtitle: `share of completed requests with ${describeSla(sla)}, by arrival` + (apart ? "; the first run in grey" : ""),
    legend: apart ? [] : runLegend(found.map(({ run, style }) => ({
      name: run.name,
      ...style
    }))),
    panels,
    cells,
    data: {
      x: "time (s)",
      series: data
    }
  };
}
var HALVES = [
  0,
  0.5,
  1
];
function shares(requests2, sla, options) {
  let piece = 0;
  return goodputOverTime(requests2, sla, options).objects().flatMap((bucket) => {
    const { from_ms, to_ms, good_share: share2 } = bucket;
    if (share2 === null) piece++;
    return share2 === null ? [] : [
      {
        minute: (from_ms + to_ms) / 12e4,
        share: share2,
        piece
      }
    ];
  });
}
function bands(requests2, metric, buckets) {
  const rows = percentilesOverTime(requests2, metric, {
    ...buckets,
    percentiles: [
      50,
      95
    ]
  }).objects();
  let piece = 0;
  return rows.flatMap(({ from_ms, to_ms, p50, p95 }) => {
    if (p50 === null || p95 === null) {
      piece++;
      return [];
    }
    return [
      {
        minute: (from_ms + to_ms) / 12e4,
        p50,
        p95,
        piece
      }
    ];
  });
}
function untilMinutes(series2, options) {
  if (options.untilMs !== void 0) return options.untilMs / 6e4;
  return Math.max(1e-3, ...series2.flatMap((rows) => rows.map(({ minute }) => minute)));
}
function bucketOf(runs, { bucketMs, apart }) {
  return bucketMs ?? roundBucketMs(lastArrivalMs(runs), apart ? SMALL_BUCKETS : void 0);
}
var SMALL_BUCKETS = 60;

// lib/analysis/replicas_plot.ts
import * as Plot9 from "@observablehq/plot";

// lib/analysis/replica_facts.ts
function hasHistory(run) {
  return (run.planner?.recommended_scaling_events?.length ?? 0) > 0 || poolsOf(run.summary).some((pool) => new Set(replicaSteps(run, pool).map(stateOf)).size > 1);
}
var stateOf = ({ active, starting, draining, target }) => [
  active,
  starting,
  draining,
  target
].join();
function constantWorkers(run) {
  const pools = poolsOf(run.summary);
  return pools.map((pool) => {
    const count = replicaSteps(run, pool)[0].active;
    return `${count} ${pools.length > 1 ? `${pool} ` : ""}worker${count === 1 ? "" : "s"}`;
  }).join(" and ");
}
function mostWorkers(run) {
  const totals = poolsOf(run.summary).flatMap((pool) => replicaSteps(run, pool).map(({ active, starting, draining }) => active + starting + draining));
  return Math.max(1, ...totals);
}
function describeScaling({ planner, summary, evaluation }) {
  const money = evaluation?.cost ? ` (${moneyText(evaluation.cost.total, evaluation.cost.currency)})` : "";
  const cost2 = `${Number(summary.gpu_hours.toPrecision(3))} GPU hours${money}`;
  if (planner === null) return `fixed number of workers, ${cost2}`;
  const ups = planner.scaling_events.filter(({ reason }) => reason === "scale_up").length;
  const downs = planner.scaling_events.length - ups;
  const advice = planner.recommended_scaling_events?.length ?? 0;
  const { autoscaler } = planner.metadata, who = autoscaler ? autoscalerName(autoscaler) : "the Planner";
  return `${counted(ups, "scale-up")}, ${counted(downs, "scale-down")} in ${counted(planner.total_ticks, "tick")} of ${who}` + (advice > 0 ? `, ${advice} recommendations` : "") + `; ${cost2}`;
}

// lib/analysis/replicas_plot.ts
var POOL_TITLES = {
  agg: "aggregated workers",
  prefill: "prefill workers",
  decode: "decode workers"
};
function replicasPlot(run, options = {}) {
  const title = options.title ?? "Replicas";
  const untilMs = options.untilMs ?? endOfRun(run);
  const pools = poolsOf(run.summary);
  const size = {
    ...MARGINS,
    width: options.width ?? 960,
    ticks: 10
  };
  return {
    untilMs,
    title,
    subtitle: describeScaling(run),
    legend: legendOf([
      run
    ]),
    panels: pools.map((pool, i) => {
      const lowest = i === pools.length - 1;
      const frame = {
        ...size,
        height: lowest ? 168 : 140,
        marginBottom: lowest ? 40 : 14,
        lowest
      };
      return {
        heading: pools.length > 1 ? POOL_TITLES[pool] : void 0,
        plot: panel(run, pool, {
          ...frame,
          untilMs,
          maxWorkers: options.maxWorkers
        })
      };
    }),
    data: {
      x: "time (s)",
      series: pools.flatMap((pool) => columns(run, pool, untilMs).map((column2) => ({
        ...column2,
        of: title,
        part: pools.length > 1 ? `${pool} ${column2.part}` : column2.part,
        at: column2.part
      })))
    }
  };
}
function replicasCells(runs, { untilMs, maxWorkers }) {
  const size = {
    ...CELL,
    ticks: 4,
    lowest: true
  };
  const cells = runs.flatMap((run) => poolsOf(run.summary).map((pool, _, { length }) => {
    const of = length > 1 ? `${run.name}: ${pool}` : run.name;
    return {
      run,
      pool,
      name: of,
      data: columns(run, pool, untilMs)
    };
  }));
  const groups = grouped(cells, ({ data }) => JSON.stringify(data.map(({ x, y }) => [
    x,
    y
  ])));
  return {
    untilMs,
    title: "Replicas",
    subtitle: "workers over time, the same axes everywhere",
    legend: legendOf(runs),
    panels: groups.map((same) => ({
      heading: namesOf(same),
      plot: panel(same[0].run, same[0].pool, {
        ...size,
        untilMs,
        maxWorkers
      })
    })),
    cells: true,
    data: {
      x: "time (s)",
      series: groups.flatMap((same) => same.flatMap(({ name, data }, i) => data.map((column2) => {
        const shown = i === 0 && (column2.part === "active" || column2.part === "wanted");
        return {
          ...column2,
          of: name,
          at: shown ? namesOf(same) : ""
        };
      })))
    }
  };
}
function legendOf(runs) {
  const scaled = runs.some(({ planner }) => planner !== null);
  const moved = runs.some(({ planner }) => (planner?.scaling_events.length ?? 0) > 0);
  const advised = runs.some(({ planner }) => (planner?.recommended_scaling_events?.length ?? 0) > 0);
  return [
    {
      label: "active",
      color: LIGHT.blue,
      mark: "area"
    },
    ...scaled ? [
      {
        label: "starting",
        color: LIGHT.amber,
        mark: "area"
      },
      {
        label: "draining",
        color: LIGHT.grey,
        mark: "area"
      },
      {
        label: "wanted",
        color: LIGHT.vermilion,
        mark: "line"
      }
    ] : [],
    ...moved ? [
      {
        label: "scale up",
        color: LIGHT.green,
        mark: "up"
      },
      {
        label: "scale down",
        color: LIGHT.purple,
        mark: "down"
      }
    ] : [],
    ...advised ? [
      {
        label: "recommended only",
        color: LIGHT.amber,
        mark: "dot"
      }
    ] : []
  ];
}
function lastingSteps(run, pool, untilMs) {
  const steps = replicaSteps(run, pool), last = steps.at(-1);
  return [
    ...steps,
    {
      ...last,
      at_ms: Math.max(untilMs, last.at_ms)
    }
  ];
}
function columns(run, pool, untilMs) {
  const steps = lastingSteps(run, pool, untilMs);
  const x = steps.map(({ at_ms }) => at_ms / 1e3);
  const states = run.planner === null ? [
    "active"
  ] : [
    "active",
    "starting",
    "draining",
    "target"
  ];
  return states.map((state) => ({
    of: "",
    part: state === "target" ? "wanted" : state,
    unit: "workers",
    x,
    y: steps.map((step2) => step2[state]),
    step: true
  }));
}
function panel(run, pool, { lowest, untilMs, maxWorkers, ticks: timeTicks, ...size }) {
  const ofPool = (events2 = []) => events2.filter(({ component }) => component === pool);
  const events = ofPool(run.planner?.scaling_events);
  const rows = lastingSteps(run, pool, untilMs).map((step3) => ({
    minute: step3.at_ms / 6e4,
    active: step3.active,
    starting: step3.active + step3.starting,
    draining: step3.active + step3.starting + step3.draining,
    wanted: step3.target
  }));
  const most = Math.max(maxWorkers ?? 1, ...rows.map(({ draining }) => draining));
  const step2 = Math.max(1, Math.ceil(most / (size.height > 130 ? 5 : 3)));
  const ticks = Array.from({
    length: Math.floor(most / step2) + 1
  }, (_, i) => i * step2);
  const area = (y1, y2, fill) => Plot9.areaY(rows, {
    x: "minute",
    y1,
    y2,
    fill,
    fillOpacity: 0.45,
    curve: "step-after"
  });
  return draw({
    ...size,
    x: {
      domain: [
        0,
        untilMs / 6e4
      ],
      axis: lowest ? void 0 : null
    },
    y: {
      domain: [
        0,
        most * 1.02
      ]
    },
    marks: [
      grid(ticks),
      area(0, "active", LIGHT.blue),
      ...run.planner === null ? [] : [
        area("active", "starting", LIGHT.amber),
        area("starting", "draining", LIGHT.grey),
        Plot9.lineY(rows, {
          x: "minute",
          y: "wanted",
          stroke: LIGHT.vermilion,
          strokeWidth: 1.25,
          curve: "step-after"
        })
      ],
      zeroLine(),
      ...lowest ? [
        minutesAxis(timeTicks)
      ] : [],
      valueAxis(timeTicks > 4 ? "workers" : "", String, ticks),
      eventMarks(events, "scale_up", LIGHT.green),
      eventMarks(events, "scale_down", LIGHT.purple),
      Plot9.dot(ofPool(run.planner?.recommended_scaling_events), {
        x: (event) => event.at_s / 60,
        fill: LIGHT.amber,
        r: 2.5,
        frameAnchor: "top",
        dy: -7,
        title: eventTitle
      })
    ]
  });
}
function eventMarks(events, reason, color) {
  return Plot9.dot(events.filter((event) => event.reason === reason), {
    x: (event) => event.at_s / 60,
    symbol: "triangle",
    rotate: reason === "scale_up" ? 0 : 180,
    fill: color,
    r: 3,
    frameAnchor: "top",
    dy: reason === "scale_up" ? -10 : -4,
    title: eventTitle
  });
}
function eventTitle(event) {
  const change = `${event.component} ${event.from_count} \u2192 ${event.to_count} (${event.reason.replace("_", " ")})`;
  return `${time(event.at_s)}  ${change}`;
}

// lib/analysis/traffic_plot.ts
import * as Plot10 from "@observablehq/plot";
function trafficPlot(runs, options = {}) {
  const width = options.width ?? 960;
  const run = captured(runs)[0]?.run;
  const rows = run === void 0 ? [] : trafficOverTime(run.requests, bucketsOf(options)).objects().map((row) => ({
    minute: row.from_ms / 6e4,
    requests: row.requests_per_s,
    input: row.input_tokens_per_s,
    output: row.output_tokens_per_s,
    until: row.to_ms / 6e4
  }));
  if (rows.length > 0) rows.push({
    ...rows.at(-1),
    minute: rows.at(-1).until
  });
  const untilMinute = options.untilMs === void 0 ? rows.at(-1)?.until ?? 1 : options.untilMs / 6e4;
  const steps = (y, color, opacity) => [
    Plot10.areaY(rows, {
      x: "minute",
      y,
      fill: color,
      fillOpacity: opacity,
      curve: "step-after"
    }),
    Plot10.lineY(rows, {
      x: "minute",
      y,
      stroke: color,
      strokeWidth: 1.25,
      curve: "step-after"
    })
  ];
  const x = rows.map(({ minute }) => minute * 60);
  const column2 = (of, unit, values) => ({
    of,
    part: "",
    unit,
    x,
    y: values,
    step: true
  });
  return {
    untilMs: untilMinute * 6e4,
    title: options.title ?? "Traffic",
    subtitle: "requests and tokens per second, by arrival",
    legend: [
      {
        label: "requests",
        color: LIGHT.green,
        mark: "line"
      },
      {
        label: "prompt tokens",
        color: LIGHT.blue,
        mark: "line"
      },
      {
        label: "output tokens asked for",
        color: LIGHT.purple,
        mark: "line"
      }
    ],
    panels: [
      {
        plot: panel2(wide(width, false), untilMinute, "requests/s", steps("requests", LIGHT.green, 0.2))
      },
      {
        plot: panel2(wide(width, true), untilMinute, "tokens/s", [
          ...steps("input", LIGHT.blue, 0.15),
          ...steps("output", LIGHT.purple, 0)
        ])
      }
    ],
    data: {
      x: "time (s)",
      series: [
        column2("requests", "requests/s", rows.map(({ requests: requests2 }) => requests2)),
        column2("prompt tokens", "tokens/s", rows.map(({ input }) => input)),
        column2("output tokens asked for", "tokens/s", rows.map(({ output }) => output))
      ]
    }
  };
}
var WAITING = "waiting";
var RUNNING = "running";
function queuePlot(runs, options = {}) {
  const { apart = false, width = 960 } = options;
  const bucketMs = options.bucketMs ?? (apart ? roundBucketMs(lastArrivalMs(runs), 60) : void 0);
  const found = captured(runs).map(({ run, style }) => ({
    run,
    style,
    rows: queueOverTime(run.requests, {
      bucketMs
    }).objects().map(({ at_ms, waiting, running }) => ({
      minute: at_ms / 6e4,
      waiting,
      running
    }))
  }));
  const untilMinute = options.untilMs === void 0 ? Math.max(1e-3, ...found.map(({ rows }) => rows.at(-1)?.minute ?? 0)) : options.untilMs / 6e4;
  const most = Math.max(4, ...found.flatMap(({ rows }) => rows.flatMap(({ waiting, running }) => [
    waiting,
    running
  ])));
  const line3 = (rows, y, color, dash) => Plot10.lineY(rows, {
    x: "minute",
    y,
    stroke: color,
    strokeWidth: 1.75,
    strokeDasharray: dash ?? void 0
  });
  const data = (name, rows, part) => ({
    of: name,
    part,
    unit: "requests",
    x: rows.map(({ minute }) => minute * 60),
    y: rows.map((row) => row[part])
  });
  const frame = {
    untilMs: untilMinute * 6e4,
    title: options.title ?? "Requests in the cluster",
    subtitle: "waiting for their first admission, and running"
  };
  if (apart) {
    const series2 = found.map(({ run, style, rows }) => ({
      name: run.name,
      style,
      marks: ({ color }) => color === LIGHT.grey ? [] : [
        line3(rows, RUNNING, color, null),
        line3(rows, WAITING, LIGHT.vermilion, null)
      ],
      data: [
        data(run.name, rows, WAITING),
        data(run.name, rows, RUNNING)
      ]
    }));
    const { panels, cells, series: columns2 } = panelsOf(series2, {
      apart,
      width,
      height: 0
    }, (marks, size) => panel2(size, untilMinute, "requests", [
      ...marks,
      ceiling(most)
    ]));
    return {
      ...frame,
      legend: [
        {
          label: WAITING,
          color: LIGHT.vermilion,
          mark: "line"
        },
        {
          label: RUNNING,
          color: LIGHT.blue,
          mark: "line"
        }
      ],
      panels,
      cells,
      data: {
        x: "time (s)",
        series: columns2
      }
    };
  }
  const lines = (part) => found.map(({ rows, style }) => line3(rows, part, style.color, style.dash));
  return {
    ...frame,
    legend: runLegend(found.map(({ run, style }) => ({
      name: run.name,
      ...style
    }))),
    panels: [
      {
        plot: panel2(wide(width, false), untilMinute, WAITING, [
          ...lines(WAITING),
          ceiling(4)
        ])
      },
      {
        plot: panel2(wide(width, true), untilMinute, RUNNING, [
          ...lines(RUNNING),
          ceiling(4)
        ])
      }
    ],
    data: {
      x: "time (s)",
      series: found.flatMap(({ run, rows }) => [
        data(run.name, rows, WAITING),
        data(run.name, rows, RUNNING)
      ])
    }
  };
}
function ceiling(count) {
  return Plot10.ruleY([
    count
  ], {
    strokeOpacity: 0
  });
}
var wide = (width, lowest) => ({
  ...MARGINS,
  width,
  height: lowest ? 150 : 126,
  marginBottom: lowest ? 40 : 14,
  ticks: {
    x: lowest ? 10 : 0,
    y: 3
  },
  small: false
});
function panel2({ ticks, small, ...size }, untilMinute, label, marks) {
  return draw({
    ...size,
    x: {
      domain: [
        0,
        untilMinute
      ],
      axis: ticks.x > 0 ? void 0 : null
    },
    y: {
      zero: true,
      nice: true
    },
    marks: [
      grid(ticks.y),
      ...ticks.x > 0 ? [
        minutesAxis(ticks.x)
      ] : [],
      valueAxis(small ? "" : label, amount, ticks.y),
      ...marks,
      zeroLine()
    ]
  });
}

// lib/analysis/assumed_table.ts
var ROWS = [
  [
    "Data version",
    ({ data_version }) => data_version
  ],
  [
    "Backend version",
    (role) => role.backend_version === null ? "nothing measured" : role.backend_version
  ],
  [
    "Weights",
    ({ weights }) => weights
  ],
  [
    "Weights of experts",
    ({ expert_weights }) => expert_weights ?? void 0
  ],
  [
    "Attention over prompts",
    ({ attention }) => attention ?? void 0
  ],
  [
    "KV cache",
    ({ kv_cache }) => kv_cache
  ],
  [
    "KV bytes a token and rank",
    ({ kv_bytes_per_token: bytes }) => bytes?.toLocaleString("en")
  ],
  [
    "Communication",
    ({ communication }) => communication
  ],
  [
    "KV blocks of a rank",
    ({ kv_blocks, kv_block_tokens, kv_blocks_from }) => `${kv_blocks.toLocaleString("en")} of ${kv_block_tokens} tokens (${kv_blocks_from})`
  ],
  [
    "Longest sequence",
    ({ max_model_tokens: tokens }) => tokens === null ? "no limit" : `${tokens.toLocaleString("en")} tokens`
  ],
  [
    "Calibration",
    ({ calibration }) => {
      if (calibration === void 0) return void 0;
      const { level, passes, passes_outside: outside, forced_from: differs = [] } = calibration;
      const beyond = outside === 0 ? "" : `, ${outside.toLocaleString("en")} of them outside of what was measured`;
      const forced = differs.length === 0 ? "" : `; forced, fitted to another deployment (${differs.join("; ")})`;
      return `${level}: ${passes.toLocaleString("en")} passes corrected${beyond}${forced}`;
    }
  ]
];
function assumedTable(runs) {
  const roles = runs.flatMap((run) => (run.metadata?.roles ?? []).map((role) => ({
    name: runs.length > 1 ? `${run.name}: ${role.role}` : role.role,
    values: ROWS.map(([, of]) => of(role))
  })));
  if (roles.length === 0) return null;
  const columns2 = grouped(roles, ({ values }) => JSON.stringify(values));
  const all = columns2.length === 1 && roles.length > 1 && runs.every(({ metadata }) => metadata !== null);
  const head = columns2.map((same) => safe`<th scope="col">${all ? "all runs" : namesOf(same)}</th>`);
  const body = ROWS.flatMap(([label], i) => {
    const values = columns2.map(([{ values: values2 }]) => values2[i]);
    if (values.every((value) => value === void 0)) return [];
    return [
      safe`<tr><th scope="row">${label}</th>${values.map((value) => safe`<td class="number">${value ?? "\u2013"}</td>`)}</tr>`
    ];
  });
  return safe`<div class="scroll" tabindex="0" role="group" aria-label="what the figures rest on"><table class="facts"><thead><tr><td></td>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

// lib/analysis/latency_ranges_plot.ts
import * as Plot11 from "@observablehq/plot";
var PERCENTILES = [
  "median",
  "p90",
  "p95",
  "p99"
];
function rowOf(name, { summary }, metric, limit) {
  const [median, p90, p95, p99] = PERCENTILES.map((key) => summary[`${key}_${metric}`]);
  if (median === null || p90 === null || p95 === null || p99 === null) return [];
  return [
    {
      name,
      median,
      p90,
      p95,
      p99,
      limit: limit ?? null
    }
  ];
}
function latencyRangesPlot(runs, metric, options = {}) {
  const { long, name, bound } = METRICS[metric];
  const limit = options.sla?.[bound];
  const rows = runs.flatMap((run) => rowOf(run.name, run, metric === "itl_ms" ? "tpot_ms" : metric, limit));
  return figureOf(rows.map((one, row) => ({
    ...one,
    row
  })), {
    title: long,
    axis: name,
    width: options.width
  });
}
function latenciesPlot(run, options = {}) {
  const { ttftMs, itlMs, e2eMs } = options.sla ?? {};
  const rows = [
    ...rowOf("time to first token (TTFT)", run, "ttft_ms", ttftMs),
    ...rowOf("time per output token of a request (TPOT)", run, "tpot_ms", itlMs),
    ...rowOf("time between tokens (ITL)", run, "itl_ms"),
    ...rowOf("end to end", run, "e2e_latency_ms", e2eMs)
  ];
  return figureOf(rows.map((one, row) => ({
    ...one,
    row
  })), {
    title: "Latencies",
    axis: "",
    width: options.width
  });
}
function figureOf(rows, { title, axis, width = 960 }) {
  if (rows.length === 0) return null;
  const limits = rows.flatMap(({ limit }) => limit === null ? [] : [
    limit
  ]);
  const values = [
    ...rows.flatMap(({ median, p99 }) => [
      median,
      p99
    ]),
    ...limits
  ];
  const lowest = Math.min(...values.filter((value) => value > 0), 1e9), highest = Math.max(...values, 1e-9);
  const log = highest / lowest > LINEAR_RANGE;
  const from = (one) => Math.max(one.median, log ? lowest : 0);
  const bar = (to, half, opacity) => Plot11.rect(rows, {
    x1: from,
    x2: to,
    y1: (one) => one.row + 0.7 - half,
    y2: (one) => one.row + 0.7 + half,
    fill: LIGHT.blue,
    fillOpacity: opacity,
    title: (one) => PERCENTILES.map((key) => `${key} ${duration(one[key])}`).join(", ")
  });
  const plot2 = draw({
    width,
    height: 46 + 40 * rows.length,
    marginLeft: 12,
    marginRight: 24,
    marginTop: 6,
    marginBottom: 40,
    x: log ? {
      type: "log",
      domain: [
        lowest / 1.1,
        highest * 1.1
      ],
      clamp: true
    } : {
      domain: [
        0,
        highest * 1.05
      ]
    },
    y: {
      domain: [
        0,
        rows.length
      ],
      reverse: true,
      axis: null
    },
    marks: [
      bottomAxis(log ? `${axis} (log scale)`.trim() : axis, log ? powers(lowest, highest) : 5, duration),
      ...runRows(rows),
      bar("p99", 0.05, 0.45),
      bar("p95", 0.15, 0.5),
      Plot11.dot(rows, {
        x: from,
        y: (one) => one.row + 0.7,
        fill: LIGHT.blue,
        r: 4.5
      }),
      Plot11.ruleX(rows.filter(({ limit }) => limit !== null), {
        x: "limit",
        y1: (one) => one.row + 0.44,
        y2: (one) => one.row + 0.96,
        stroke: LIGHT.vermilion,
        strokeWidth: 2,
        title: (one) => `SLA ${duration(one.limit)}`
      })
    ]
  });
  return {
    title,
    subtitle: "median (dot), to the 95th (thick) and 99th percentile (thin)",
    legend: limits.length === 0 ? [] : [
      {
        label: new Set(limits).size === 1 ? `SLA ${duration(limits[0])}` : "SLA",
        color: LIGHT.vermilion,
        mark: "line"
      }
    ],
    panels: [
      {
        plot: plot2
      }
    ],
    data: {
      x: "of",
      series: PERCENTILES.map((key) => ({
        of: key,
        part: "",
        unit: "ms",
        x: rows.map(({ name }) => name),
        y: rows.map((row) => row[key])
      }))
    }
  };
}

// lib/analysis/report_decisions.ts
var MOST_ROWS = 1500;
function timeline({ planner, name }, most, named) {
  if (planner === null) return null;
  const tickAt = new Map(planner.ticks.map((tick) => [
    tick.at_ms,
    tick
  ]));
  const scaled = (event, advice) => {
    const tick = tickAt.get(event.at_s * 1e3) ?? null;
    const reason = tick === null ? "" : (tickReason(tick) ?? "").replaceAll("_", " ");
    const change = safe`${step(event)}${advice ? " (recommended)" : ""}`;
    const row = timelineRow(event.at_s, event.component, change, tick ? observed(tick) : "", reason);
    return {
      atS: event.at_s,
      row
    };
  };
  const retuned = (event) => {
    const { num_requests, start_s, end_s } = event.window;
    const span = `${num_requests} requests from ${time(start_s)} to ${time(end_s)}`;
    const row = timelineRow(event.decided_at_s, "retune", event.outcome, span, event.reason ?? settingsOf(event));
    return {
      atS: event.decided_at_s,
      row
    };
  };
  const decisions = [
    ...planner.scaling_events.map((event) => scaled(event, false)),
    ...(planner.recommended_scaling_events ?? []).map((event) => scaled(event, true)),
    ...(planner.retune_events ?? []).map(retuned)
  ].sort((a, b) => a.atS - b.atS);
  if (decisions.length === 0) {
    return named ? null : safe`<p class="quiet">The Planner changed nothing.</p>`;
  }
  const more = decisions.length - most;
  return safe`<details><summary>${named ? `${name}: ` : null}${counted(decisions.length, "decision")}</summary><div class="scroll" tabindex="0" role="group" aria-label="decisions of ${name}"><table><thead><tr><th scope="col">time</th><th scope="col">pool</th><th scope="col">change</th><th scope="col">seen</th><th scope="col">reason</th></tr></thead><tbody>${decisions.slice(0, most).map(({ row }) => row)}</tbody></table>${more > 0 ? safe`<p class="quiet">${more} more: <code>dynosim explain</code></p>` : null}</div></details>`;
}
var timelineRow = (atS, pool, change, seen, reason) => safe`<tr><td class="number">${time(atS)}</td><td>${pool}</td><td>${change}</td><td>${seen}</td><td>${reason}</td></tr>`;
function step({ from_count, to_count, reason }) {
  return safe`<span class="${reason === "scale_up" ? "up" : "down"}">${from_count} \u2192 ${to_count}</span>`;
}
function observed({ input, topology }) {
  const parts = [];
  const { traffic: traffic2 } = input;
  if (traffic2 !== null && traffic2.duration_s > 0) {
    parts.push(`${(traffic2.num_req / traffic2.duration_s).toFixed(2)} requests/s`);
    if (traffic2.isl > 0) parts.push(`${Math.round(traffic2.isl)} \u2192 ${Math.round(traffic2.osl)} tokens`);
  }
  for (const role of [
    "prefill",
    "decode"
  ]) {
    const passes = input.fpm_observations?.[role] ?? [];
    const sum = (of) => passes.reduce((total, { metrics }) => total + (of(metrics) ?? 0), 0);
    const queued = sum(({ queued_requests: work }) => work.num_prefill_requests) + sum(({ queued_requests: work }) => work.num_decode_requests);
    const running = sum(({ scheduled_requests: work }) => work.num_decode_requests);
    const context = sum(({ scheduled_requests: work }) => work.sum_decode_kv_tokens);
    const where = topology.prefill.active_count > 0 ? ` in ${role}` : "";
    if (running > 0) parts.push(`${running} decoding with ${amount(context)} tokens of context${where}`);
    if (queued > 0) parts.push(`${queued} queued${where}`);
  }
  return parts.join(", ");
}
function retuneTables(runs) {
  const tables = runs.flatMap((run) => {
    const events = run.planner?.retune_events ?? [];
    if (events.length === 0) return [];
    return [
      safe`<h3>${run.name}</h3><div class="scroll"><table><thead><tr><th scope="col">window</th><th scope="col">decided</th><th scope="col">outcome</th><th scope="col">score</th><th scope="col">chosen</th></tr></thead><tbody>${events.map(retuneRow)}</tbody></table></div>`
    ];
  });
  return tables.length === 0 ? null : safe`${tables}`;
}
function settingsOf({ chosen }) {
  return Object.entries({
    ...chosen?.router,
    ...chosen?.planner
  }).map(([name, value]) => `${name} ${value}`).join(", ");
}
function retuneRow(event) {
  const { window, decided_at_s, outcome, reason, current, chosen, improvement_percentage } = event;
  const score = (value) => typeof value === "number" ? value.toPrecision(5) : "\u2013";
  const gain = typeof improvement_percentage === "number" ? ` (${improvement_percentage.toFixed(1)} %)` : "";
  return safe`<tr><td class="number">${time(window.start_s)} \u2013 ${time(window.end_s)}</td><td class="number">${time(decided_at_s)}</td><td>${outcome}${reason ? `: ${reason}` : null}</td><td class="number">${score(current?.score)} \u2192 ${score(chosen?.score)}${gain}</td><td>${settingsOf(event)}</td></tr>`;
}

// lib/analysis/run_notes.ts
var whole = (count) => count.toLocaleString("en");
var requests = (count) => `${whole(count)} request${count === 1 ? "" : "s"}`;
function notesOf({ summary, planner, metadata, evaluation }, brief = false) {
  const notes = [];
  if (evaluation?.overload) notes.push(overloadText(evaluation.overload));
  const missed = evaluation?.sla && !brief ? missesText(evaluation.sla, summary.p95_itl_ms) : null;
  if (missed !== null) notes.push(`${attainmentText(evaluation.sla)}; ${missed}`);
  if (summary.prediction_status === "invalid") notes.push("no request completed, so there are no latencies and rates");
  const { rejected_requests: rejected = 0, failed_requests: failed = 0, largest_prompt_tokens: longest } = summary;
  if (rejected > 0) {
    notes.push(`${requests(rejected)} rejected` + (longest === void 0 ? "" : `; the longest prompt that fits has ${whole(longest)} tokens`));
  }
  if (failed > 0) notes.push(`${requests(failed)} failed`);
  const { cutoff_unadmitted_requests: keptOut, cutoff_unfinished_requests: unfinished = 0 } = summary;
  if (keptOut !== void 0 && keptOut + unfinished > 0) {
    notes.push(`the cutoff of virtual time kept ${requests(keptOut)} out and left ${whole(unfinished)} unfinished`);
  }
  for (const { role, calibration } of metadata?.roles ?? []) {
    if (calibration === void 0 || calibration.passes_outside === 0) continue;
    const share2 = percentage(calibration.passes_outside / Math.max(calibration.passes, 1));
    notes.push(`${share2} of the ${role} passes are outside of what was measured for the calibration`);
  }
  return [
    ...notes,
    ...plannerHealth({
      planner
    })
  ];
}

// lib/analysis/summary_rows.ts
var HEADLINES = [
  {
    label: "Within the SLA",
    of: ({ summary }) => attainment(summary),
    format: (share2) => `${(share2 * 100).toFixed(1)} %`,
    share: true,
    better: "higher"
  },
  {
    label: "GPU hours",
    of: ({ summary }) => summary.gpu_hours,
    format: amount,
    better: "lower"
  },
  {
    label: "Cost",
    of: ({ evaluation }) => evaluation?.cost?.total ?? null,
    format: (value, { evaluation }) => moneyText(value, evaluation?.cost?.currency),
    better: "lower"
  },
  {
    label: "Goodput",
    of: ({ summary }) => summary.goodput_output_throughput_tok_s ?? null,
    format: (rate) => `${amount(rate)} tok/s`,
    better: "higher"
  },
  latency("TTFT, median", "median_ttft_ms"),
  latency("TTFT, p95", "p95_ttft_ms"),
  latency("TPOT, p95", "p95_tpot_ms"),
  latency("ITL, mean", "mean_itl_ms"),
  latency("ITL, p95", "p95_itl_ms"),
  {
    label: "Output",
    of: ({ summary }) => summary.output_throughput_tok_s,
    format: (rate) => `${amount(rate)} tok/s`,
    better: "higher"
  },
  {
    label: "Prefix reuse",
    of: ({ summary }) => summary.prefix_cache_reused_ratio,
    format: (share2) => `${(share2 * 100).toFixed(1)} %`,
    share: true,
    better: "higher"
  },
  {
    label: "Scaling events",
    of: ({ planner }) => planner?.scaling_events.length ?? null,
    format: String,
    better: "lower"
  },
  {
    label: "Not completed",
    of: ({ summary }) => summary.num_requests + (summary.cutoff_unadmitted_requests ?? 0) - summary.completed_requests || null,
    format: (count) => count.toLocaleString("en"),
    better: "lower"
  }
];
function latency(label, key) {
  return {
    label,
    of: ({ summary }) => summary[key],
    format: duration,
    better: "lower"
  };
}
function headlines(runs) {
  return HEADLINES.flatMap(({ label, of, format, better, share: share2 }) => {
    const values = runs.map(of);
    if (values.every((value) => value === null)) return [];
    return [
      {
        label,
        values: values.map((value, i) => ({
          text: value === null ? "\u2013" : format(value, runs[i]),
          value,
          ...i === 0 ? {
            difference: null,
            verdict: "same"
          } : compare(values[0], value, better, share2)
        }))
      }
    ];
  });
}
var SAME = 5e-3;
var SAME_SHARE = 5e-4;
function compare(first, value, better, share2 = false) {
  if (share2 && first !== null && value !== null) {
    const change2 = value - first;
    if (Math.abs(change2) < SAME_SHARE) return {
      difference: "same",
      verdict: "same"
    };
    const text3 = `${change2 < 0 ? "\u2212" : "+"}${(Math.abs(change2) * 100).toFixed(1)} points`;
    return {
      difference: text3,
      verdict: verdictOf(change2, better)
    };
  }
  if (first === null || value === null || first === 0) return {
    difference: null,
    verdict: "same"
  };
  const change = (value - first) / Math.abs(first);
  if (Math.abs(change) < SAME) return {
    difference: "same",
    verdict: "same"
  };
  const text2 = change >= 2 ? `${Number((value / first).toPrecision(3))}\xD7` : `${change < 0 ? "\u2212" : "+"}${(Math.abs(change) * 100).toFixed(Math.abs(change) < 0.1 ? 1 : 0)} %`;
  return {
    difference: text2,
    verdict: verdictOf(change, better)
  };
}
var verdictOf = (change, better) => change < 0 === (better === "lower") ? "better" : "worse";
function summaryRows(runs) {
  const keys = [
    ...new Set(runs.flatMap(({ summary }) => Object.keys(summary)))
  ];
  return keys.flatMap((key) => {
    const values = runs.map(({ summary }) => summary[key]);
    if (!values.some((value) => typeof value === "number")) return [];
    const text2 = (value) => typeof value === "number" ? value.toLocaleString("en", {
      maximumFractionDigits: 4
    }) : "\u2013";
    return [
      {
        label: key,
        values: values.map(text2)
      }
    ];
  });
}

// lib/analysis/report_overview.ts
var section = (title, content) => safe`<section><h2>${title}</h2>${content}</section>`;
var MOST_IN_CARDS = 3;
function titleOf(runs) {
  const [first, second] = runs;
  if (second === void 0) return first.name;
  const names = `${second.name} against ${first.name}`;
  if (runs.length === 2 && names.length <= 72) return names;
  return `${runs.length === 2 ? "A run" : `${runs.length - 1} runs`} compared with ${shortened(first.name, 48)}`;
}
function factsOf({ summary }, sla) {
  const parts = [
    `${summary.num_requests.toLocaleString("en")} requests over ${duration(summary.duration_ms)}`
  ];
  if (sla !== null) parts.push(`good means ${describeSla(sla)}`);
  return parts.join("; ");
}
function runNames(runs, title) {
  if (runs.length > MOST_COLORS || runs.length === 1 && title === runs[0].name) return void 0;
  return safe`<p class="runs">${runs.map((run, i) => safe`<span>${dot6(i)}${run.name}</span>`)}</p>\n`;
}
function overview(runs) {
  const figures2 = headlines(runs), brief = runs.length > MOST_IN_CARDS;
  const values = brief ? comparisonTable(runs, figures2) : cards(runs, figures2);
  const notes = runs.flatMap((run) => notesOf(run, brief).map((note) => ({
    name: run.name,
    note
  })));
  return section("At a glance", safe`${values}${notes.length === 0 ? null : safe`<ul class="notes" aria-label="What to know">${notes.map(({ name, note }) => safe`<li>${runs.length > 1 ? safe`<b>${name}</b>: ` : null}${note}</li>`)}</ul>`}`);
}
function cards(runs, figures2) {
  return safe`<div class="cards">${figures2.map(({ label, values }) => safe`<div class="card"><div class="label">${label}</div>${values.map(({ text: text2, difference, verdict }, i) => safe`<div class="value">${runs.length > 1 ? dot6(i) : null}<b>${text2}</b>${difference === null ? null : safe`<span class="${verdict}">${difference}</span>`}</div>`)}</div>`)}</div>`;
}
function comparisonTable(runs, figures2) {
  const head = (label) => safe`<th scope="col"><button type="button">${label}</button></th>`;
  const rows = runs.map((run, i) => safe`<tr><th scope="row" data-value="${run.name}"><div class="run">${runs.length > MOST_COLORS ? safe`<span class="quiet">#${i + 1}</span>` : dot6(i)}<span class="clamp" title="${run.name}">${run.name}</span></div></th>${figures2.map(({ values }) => {
    const { text: text2, value, difference, verdict } = values[i];
    return safe`<td class="number" data-value="${value}">${text2}${difference === null ? null : safe`<small class="${verdict}">${difference}</small>`}</td>`;
  })}</tr>`);
  return safe`<div class="scroll whole"><table class="sortable compared"><caption class="unseen">Figures of every run; differences are to the first</caption><thead><tr>${head("run")}${figures2.map(({ label }) => head(label))}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
function dot6(i) {
  return safe`<svg class="dynosim dot" viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="4.5" fill="${runColor(i)}"/></svg>`;
}

// lib/analysis/workers_table.ts
var COLUMNS = [
  [
    "requests a worker",
    ({ completed_requests }) => completed_requests,
    amount
  ],
  [
    "KV in use, mean",
    ({ kv_use_mean }) => kv_use_mean,
    percentage
  ],
  [
    "KV in use, peak",
    ({ kv_use_peak }) => kv_use_peak,
    percentage
  ]
];
function workersTable(runs) {
  const pools = runs.flatMap(({ name, workers }) => [
    ...Map.groupBy(workers, ({ pool }) => pool)
  ].filter(([, { length }]) => length > 1).map(([pool, rows]) => ({
    name,
    pool,
    rows
  })));
  if (pools.length === 0) return null;
  const head = (label) => safe`<th scope="col"><button type="button">${label}</button></th>`;
  const body = pools.map(({ name, pool, rows }) => safe`<tr><th scope="row">${runs.length > 1 ? `${name}: ` : null}${pool}</th><td class="number">${rows.length}</td>${COLUMNS.map(([, of, text2]) => {
    const values = rows.map(of).filter((value) => value !== null);
    if (values.length === 0) return safe`<td class="number">\u2013</td>`;
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const [least, most] = [
      Math.min(...values),
      Math.max(...values)
    ].map(text2);
    const spread = least === most ? null : safe`<small class="quiet">${least} to ${most}</small>`;
    return safe`<td class="number" data-value="${mean}">${text2(mean)}${spread}</td>`;
  })}</tr>`);
  return safe`<div class="scroll" tabindex="0" role="group" aria-label="how even the workers were"><table class="sortable facts"><thead><tr>${head("pool")}${head("workers")}${COLUMNS.map(([label]) => head(label))}</tr></thead><tbody>${body}</tbody></table></div>`;
}

// lib/analysis/html_report.ts
function htmlReport(runs, options = {}) {
  const steps = htmlReportSteps(runs, options);
  let step2 = steps.next();
  while (!step2.done) step2 = steps.next();
  return step2.value;
}
function* htmlReportSteps(runs, options = {}) {
  checkOptions("htmlReport()", options, {
    title: true
  });
  if (runs.length === 0) throw new RangeError("A report needs at least one run");
  const title = options.title ?? titleOf(runs);
  const sla = runs.find((run) => run.sla !== null)?.sla ?? null;
  const untilMs = Math.max(...runs.map(endOfRun));
  const retuned = retuneTables(runs), assumed = assumedTable(runs), workers = workersTable(runs);
  const sections = [
    overview(runs),
    ...runs.length > 1 ? [
      section("What does it cost, and what does it bring?", yield* within(0, cost(runs)))
    ] : [],
    section("When did we have how many replicas, and why?", yield* within(1, replicas(runs, untilMs))),
    section("Did users feel it?", yield* within(2, users(runs, sla, untilMs))),
    yield* within(3, traffic(runs, untilMs)),
    ...yield* within(4, distributions(runs, sla)),
    workers && section("How even were the workers?", workers),
    figures(runs),
    retuned && section("What did retune choose?", retuned),
    assumed && section("What do the figures rest on?", assumed),
    configurations(runs)
  ];
  return page({
    title,
    facts: factsOf(runs[0], sla),
    header: runNames(runs, title),
    main: sections.flatMap((part) => [
      part,
      safe`\n`
    ]),
    footer: safe`<footer class="quiet">Replayed in virtual time by dynosim. Percentiles are values that occurred (nearest rank); those of ITL and
output rate come from a sketch with 0.1 % accuracy. Drag over a figure to zoom into a part of the time, double click to see
everything again.</footer>
`
  });
}
var PARTS = 5;
function* within(part, steps, parts = PARTS) {
  for (; ; ) {
    const step2 = steps.next();
    if (step2.done) return step2.value;
    yield (part + step2.value) / parts;
  }
}
function* drawn(...figures2) {
  const boxes = [];
  for (const [i, draw2] of figures2.entries()) {
    yield i / figures2.length;
    const figure = draw2();
    if (figure !== null) boxes.push(figureHtml(figure));
  }
  return boxes;
}
function* cost(runs) {
  const many = crowded(runs.length);
  const size = many ? {
    width: 960,
    height: 380
  } : {};
  const figures2 = yield* drawn(() => tradeOffPlot(runs, {
    ...size,
    ...many ? {} : {
      height: 260
    }
  }), () => gpuHoursPlot(runs, many ? {
    width: 960
  } : {}));
  return many ? safe`${figures2}` : safe`<div class="grid">${figures2}</div>`;
}
function* replicas(runs, untilMs) {
  const maxWorkers = Math.max(...runs.map(mostWorkers));
  const moving = runs.filter(hasHistory), constant = runs.filter((run) => !hasHistory(run));
  const fixed = grouped(constant, constantWorkers).map((same) => safe`<p>${constantWorkers(same[0])} all the time${runs.length > 1 ? `: ${namesOf(same)}` : ""}.</p>`);
  const most = Math.ceil(MOST_ROWS / runs.length);
  if (crowded(moving.length)) {
    const cells = yield* drawn(() => replicasCells(moving, {
      untilMs,
      maxWorkers
    }));
    return safe`${fixed}${cells}${runs.map((run) => timeline(run, most, true))}`;
  }
  const boxes = [];
  for (const [i, run] of moving.entries()) {
    const figures2 = drawn(() => replicasPlot(run, {
      title: run.name,
      untilMs,
      maxWorkers
    }));
    boxes.push(...yield* within(i, figures2, moving.length));
    const decisions = timeline(run, most, false);
    if (decisions !== null) boxes.push(decisions);
  }
  return safe`${fixed}${boxes}${constant.map((run) => timeline(run, most, true))}`;
}
function* users(runs, sla, untilMs) {
  if (runs.every(({ requests: requests2 }) => requests2 === null)) {
    const figures3 = runs.length === 1 ? yield* drawn(() => latenciesPlot(runs[0], {
      sla
    })) : yield* ranges(runs, sla);
    return safe`${figures3}${UNCAPTURED}`;
  }
  const options = {
    sla,
    untilMs,
    apart: crowded(runs.length)
  };
  const figures2 = yield* drawn(...sla === null ? [] : [
    () => goodputPlot(runs, sla, options)
  ], () => latencyPlot(runs, "ttft_ms", options), () => latencyPlot(runs, "itl_ms", options));
  return safe`${figures2}`;
}
var LATENCIES = [
  "ttft_ms",
  "itl_ms",
  "e2e_latency_ms"
];
function* ranges(runs, sla) {
  const width = crowded(runs.length) ? 960 : 472;
  const figures2 = yield* drawn(...LATENCIES.map((metric) => () => latencyRangesPlot(runs, metric, {
    sla,
    width
  })));
  return crowded(runs.length) ? safe`${figures2}` : safe`<div class="grid">${figures2}</div>`;
}
function* traffic(runs, untilMs) {
  const options = {
    untilMs,
    apart: crowded(runs.length)
  };
  const recorded = runs.some((run) => run.requests !== null);
  const figures2 = yield* drawn(...recorded ? [
    () => trafficPlot(runs, {
      untilMs
    }),
    () => queuePlot(runs, options)
  ] : [], () => kvPlot(runs, options));
  return figures2.length === 0 ? null : section("What came in, and where did it wait?", safe`${figures2}`);
}
function* distributions(runs, sla) {
  if (runs.every(({ requests: requests2 }) => requests2 === null)) return [];
  const title = "How is latency distributed?";
  if (crowded(runs.length)) return [
    section(title, yield* ranges(runs, sla))
  ];
  const figures2 = yield* drawn(...LATENCIES.map((metric) => () => latencyCdfPlot(runs, metric, {
    sla
  })), () => ttftByLengthPlot(runs, {
    sla
  }), ...runs.length === 1 && hasHistory(runs[0]) ? [
    () => gpuHoursPlot(runs)
  ] : []);
  return [
    section(title, safe`<div class="grid">${figures2}</div>`)
  ];
}
function figures(runs) {
  const head = runs.map((run, i) => safe`<th scope="col">${crowded(runs.length) ? null : dot6(i)}${run.name}</th>`);
  const body = summaryRows(runs).map(({ label, values }) => safe`<tr><th scope="row">${label}</th>${values.map((value) => safe`<td class="number">${value}</td>`)}</tr>`);
  return section("All figures", safe`<details><summary>${body.length} figures of the summary</summary><div class="scroll" tabindex="0" role="group" aria-label="all figures"><table class="facts"><thead><tr><td></td>${head}</tr></thead><tbody>${body}</tbody></table></div></details>`);
}
function configurations(runs) {
  const known = runs.filter(({ config }) => config !== null);
  if (known.length === 0) return null;
  const open = markup(known.length === 1 ? " open" : "");
  const texts = grouped(known, ({ config }) => config).map((same) => safe`<details${open}><summary>${namesOf(same)}</summary><pre tabindex="0">${same[0].config}</pre></details>`);
  return section("How was it configured?", safe`${texts}`);
}
var UNCAPTURED = safe`<p class="quiet">No per-request records were kept. Run the prediction with <code>--capture-per-request</code> to see latencies, traffic and queues over time.</p>`;

// lib/analysis/recommendation_plot.ts
import * as Plot12 from "@observablehq/plot";
function axesOf(target) {
  if (target === "pareto") {
    return {
      x: {
        label: "output tokens a second for each user",
        unit: "tokens/s",
        of: ({ objectives }) => objectives?.throughput_per_user ?? null
      },
      y: {
        label: "output tokens a second for each GPU",
        unit: "tokens/s",
        of: ({ objectives }) => objectives?.throughput_per_gpu ?? null
      }
    };
  }
  const latency2 = target === "ttft" || target === "e2e_latency";
  return {
    x: {
      label: "GPUs",
      unit: "GPUs",
      of: ({ used_gpus }) => used_gpus
    },
    y: {
      label: latency2 ? `${target} (ms)` : target,
      unit: latency2 ? "ms" : "score",
      of: ({ score }) => score === null ? null : Math.abs(score)
    }
  };
}
var SIZE = {
  ...MARGINS,
  width: 960,
  height: 380,
  marginBottom: 40
};
function candidatesPlot(result) {
  const { x, y } = axesOf(targetOf(result));
  const points = result.candidates.flatMap((one) => {
    const at = [
      x.of(one),
      y.of(one)
    ];
    return one.status === "feasible" && at.every((value) => value !== null) ? [
      {
        one,
        x: at[0],
        y: at[1]
      }
    ] : [];
  });
  if (points.length === 0) return null;
  const ends = (values) => {
    const low = Math.min(...values), high = Math.max(...values), pad = (high - low || Math.abs(high) || 1) * 0.08;
    return [
      low - pad,
      high + pad
    ];
  };
  const [x0, x1] = ends(points.map((point) => point.x)), [y0, y1] = ends(points.map((point) => point.y));
  const front = new Set(result.views.pareto_front.length > 0 ? result.views.pareto_front : envelope(result, points));
  const isBest = ({ one }) => front.has(one.candidate_id);
  const best = points.filter(isBest).toSorted((a, b) => a.x - b.x || a.y - b.y);
  const ranks = new Map(rankedCandidates(result).map((one, i) => [
    one.candidate_id,
    i + 1
  ]));
  const dots = (chosen, color, r, fillOpacity) => Plot12.dot(chosen, {
    x: "x",
    y: "y",
    fill: color,
    fillOpacity,
    r,
    href: ({ one }) => `#${one.candidate_id}`,
    title: ({ one, x: x2, y: y2 }) => `${one.candidate_id}: ${descriptionOf(one)} \u2013 ${amount(x2)} / ${amount(y2)}`
  });
  const plot2 = labelled(draw({
    ...SIZE,
    x: {
      domain: [
        x0,
        x1
      ]
    },
    y: {
      domain: [
        y0,
        y1
      ]
    },
    marks: [
      grid(5),
      bottomAxis(x.label, x.label === "GPUs" ? wholeTicks(x0, x1) : 6, amount),
      valueAxis(y.label, amount, 5),
      Plot12.line(best, {
        x: "x",
        y: "y",
        stroke: LIGHT.vermilion,
        strokeWidth: 1.5
      }),
      dots(points.filter((point) => !isBest(point)), LIGHT.blue, 3.5, 0.55),
      dots(best, LIGHT.vermilion, 5, 1)
    ]
  }), best.map(({ one, x: x2, y: y2 }) => ({
    x: SIZE.marginLeft + (x2 - x0) / (x1 - x0) * (SIZE.width - SIZE.marginLeft - SIZE.marginRight),
    y: SIZE.height - SIZE.marginBottom - (y2 - y0) / (y1 - y0) * (SIZE.height - SIZE.marginBottom - SIZE.marginTop),
    names: [
      `#${ranks.get(one.candidate_id) ?? "?"}`
    ]
  })));
  return {
    title: `${y.label} against ${x.label}`,
    subtitle: "a dot leads to its row of the ledger",
    legend: [
      {
        label: "no other beats it, with its rank",
        color: LIGHT.vermilion,
        mark: "dot"
      },
      {
        label: "feasible",
        color: LIGHT.blue,
        mark: "dot"
      }
    ],
    panels: [
      {
        plot: plot2
      }
    ],
    data: {
      x: "candidate",
      series: [
        {
          of: x.label,
          part: "",
          unit: x.unit,
          x: points.map(idOf),
          y: points.map((point) => point.x)
        },
        {
          of: y.label,
          part: "",
          unit: y.unit,
          x: points.map(idOf),
          y: points.map((point) => point.y)
        }
      ]
    }
  };
}
var idOf = ({ one }) => one.candidate_id;
function wholeTicks(from, to) {
  const step2 = Math.max(1, Math.ceil((to - from) / 8)), first = Math.ceil(from / step2) * step2;
  return Array.from({
    length: Math.max(0, Math.floor((to - first) / step2) + 1)
  }, (_, i) => first + i * step2);
}
function envelope(result, points) {
  const score = (one) => one.score ?? -Infinity;
  const sorted = points.map(({ one }) => one).toSorted((a, b) => (a.used_gpus ?? 0) - (b.used_gpus ?? 0) || score(b) - score(a));
  const found = [];
  let best = -Infinity;
  for (const one of sorted) {
    if (score(one) <= best) continue;
    best = score(one);
    found.push(one.candidate_id);
  }
  return result.candidates.length === 0 ? [] : found;
}

// lib/analysis/recommendation_page.ts
var short2 = (value) => value == null ? "" : String(Number(value.toPrecision(4)));
var LEDGER = [
  [
    "#",
    (_, rank) => rank
  ],
  [
    "candidate",
    (one) => one.candidate_id
  ],
  [
    "status",
    (one) => one.status
  ],
  [
    "GPUs",
    (one) => one.used_gpus
  ],
  [
    "within SLA (%)",
    ({ metrics }) => share(metrics)
  ],
  [
    "score",
    (one) => short2(one.score)
  ],
  [
    "TTFT p95 (ms)",
    ({ metrics }) => short2(metrics?.p95_ttft_ms)
  ],
  [
    "TPOT p95 (ms)",
    ({ metrics }) => short2(metrics?.p95_tpot_ms)
  ],
  [
    "tokens/s",
    ({ metrics }) => short2(metrics?.output_throughput_tok_s)
  ],
  [
    "what",
    (one) => one.reason === null ? descriptionOf(one) : `${descriptionOf(one)} \u2013 ${one.reason}`
  ]
];
function share(metrics) {
  const within2 = metrics && attainment(metrics);
  return within2 === null ? "" : short2(within2 * 100);
}
function candidates(result) {
  const figure = candidatesPlot(result);
  return figure === null ? safe`<p class="quiet">No feasible candidate to draw.</p>` : figureHtml(figure);
}
function ledger(result) {
  const ranks = new Map(rankedCandidates(result).map((one, i) => [
    one.candidate_id,
    String(i + 1)
  ]));
  const price = searchPrice(result);
  const hourly = (one) => one.used_gpus === null ? "" : (one.used_gpus * price.perGpuHour).toFixed(2);
  const columns2 = price === null ? LEDGER : LEDGER.flatMap((column2) => column2[0] === "GPUs" ? [
    column2,
    [
      `${price.currency}/h`,
      hourly
    ]
  ] : [
    column2
  ]);
  return safe`<p><input class="filter" id="filter" data-filters="ledger" type="search" placeholder="filter, e.g. tensor 2, feasible" aria-label="filter"></p>
<div class="scroll"><table id="ledger" class="sortable"><thead><tr>${columns2.map(([label]) => safe`<th scope="col"><button type="button">${label}</button></th>`)}</tr></thead>
<tbody>${result.candidates.map((one) => safe`<tr id="${one.candidate_id}">${columns2.map(([, of]) => safe`<td>${of(one, ranks.get(one.candidate_id) ?? "")}</td>`)}</tr>\n`)}</tbody></table></div>
<h3>Configurations of the best</h3>
${rankedCandidates(result).slice(0, 20).map((one, i) => safe`<details><summary>${i + 1}: ${descriptionOf(one)}</summary><pre>${JSON.stringify(one.config, null, 2)}</pre></details>`)}`;
}
function dimensions(result) {
  const found = dimensionEffects(result);
  if (found.length === 0) return safe`<p class="quiet">Nothing had more than one value.</p>`;
  return safe`<div class="scroll"><table><thead><tr><th scope="col">dimension</th><th scope="col">value</th><th scope="col" class="number">candidates</th><th scope="col" class="number">best score</th><th scope="col" class="number">middle score</th></tr></thead><tbody>${found.flatMap(({ name, values }) => values.map(({ value, candidates: candidates2, best, median }, i) => safe`<tr><th>${i === 0 ? name : ""}</th><td>${String(value)}</td><td class="number">${candidates2}</td><td class="number">${short2(best)}</td><td class="number">${short2(median)}</td></tr>`))}</tbody></table></div>`;
}
function recommendationPage(result, options) {
  const [facts, ...story] = explainRecommendation(result);
  return page({
    title: options.title ?? "What to run",
    facts,
    main: safe`<h2>Candidates</h2>
${candidates(result)}
<h2>In words</h2>
${story.map((line3) => safe`<p>${line3}</p>`)}
<h2>What each dimension did</h2>
${dimensions(result)}
<h2>Ledger</h2>
${ledger(result)}`
  });
}

// cli/reports.ts
function reportFile(path) {
  if (path === "-") return path;
  const file = host().kind(path) === "directory" ? joinPath(path, "prediction.json") : path;
  if (host().kind(file) === "missing") throw refusal(`there is no report: ${file} does not exist`, file);
  return file;
}
async function readReport(path) {
  const file = reportFile(path);
  let value;
  try {
    const hide = showReading([
      file
    ]);
    value = JSON.parse(await readText(file, {
      mostBytes: MOST_REPORT_BYTES
    }).finally(hide));
  } catch (cause) {
    if (!(cause instanceof ByteSourceError || cause instanceof SyntaxError)) throw cause;
    throw refusal(`cannot read the report ${file}: ${cause.message}`, file, cause);
  }
  const { summary, planner, evaluation } = checkReport(sectionedReport(value), file);
  return {
    summary,
    planner,
    evaluation
  };
}
var MOST_REPORT_BYTES = 2 ** 28;
var refusal = (message, file, cause) => new ConfigError(message, [
  {
    path: "",
    message,
    file
  }
], {
  cause
});
async function capacityResult(path) {
  if (path === "-") return null;
  const file = capacityFile(path);
  if (!file.endsWith(CAPACITY_FILE) || host().kind(file) !== "file") return null;
  return host().kind(joinPath(path, "prediction.json")) === "file" ? null : await readCapacity(path);
}
async function searchResult(path) {
  if (path === "-") return null;
  const file = recommendationFile(path);
  if (!file.endsWith("recommendation.json") || host().kind(file) !== "file") return null;
  return host().kind(joinPath(path, "prediction.json")) === "file" ? null : await readRecommendation(path);
}

export {
  reportFile,
  readReport,
  capacityResult,
  searchResult,
  MARGINS,
  grid,
  zeroLine,
  minutesAxis,
  valueAxis,
  draw,
  capacityPlot,
  capacityLatencyPlot,
  figureHtml,
  page,
  capacityPage,
  tradeOffPlot,
  gpuHoursPlot,
  runRows,
  kvPlot,
  latencyCdfPlot,
  ttftByLengthPlot,
  latencyPlot,
  goodputPlot,
  replicasPlot,
  replicasCells,
  trafficPlot,
  queuePlot,
  htmlReport,
  htmlReportSteps,
  recommendationPage
};
