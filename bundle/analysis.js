import {
  saturationSchema,
  textSha256
} from "./shared.js";
import {
  CURRENCY,
  attainment,
  attainmentText,
  autoscalerName,
  counted,
  joinPath,
  meetsSla,
  missesText,
  moneyText,
  overloadText,
  percentile,
  percentileRank,
  plannerHealth,
  sectionedReport,
  time
} from "./config.js";
import {
  issueText
} from "./timing.js";
import {
  ByteSourceError,
  ConfigError,
  __template,
  array,
  boolean,
  checkOptions,
  finite,
  getDotPath,
  host,
  integer,
  looseObject,
  maxLength,
  minLength,
  minValue,
  null_,
  nullable,
  nullish,
  number,
  object,
  optional,
  picklist,
  pipe,
  rawCheck,
  reaching,
  readText,
  record,
  regex,
  safeParse,
  showReading,
  string,
  tuple,
  union,
  unknown
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
  for (const point2 of [
    ...group.children
  ]) {
    const placed = point2.querySelector("[cx],[transform]") ?? point2;
    const x = placed.getAttribute("cx") ?? /translate\(([^,]+)/.exec(placed.getAttribute("transform") ?? "")?.[1];
    if (x === void 0 || x === null) continue;
    const holder = document.createElementNS("http://www.w3.org/2000/svg", "g");
    holder.setAttribute("class", "move");
    holder.setAttribute("data-x", x);
    group.replaceChild(holder, point2);
    holder.append(point2);
  }
}
var rounded = (svg) => svg.replace(/ (?:d|transform|data-x|points|width|height|[xy][12]?|c[xy])="[^"]*"/g, (attribute) => attribute.replace(/-?\d+\.\d{2,}/g, (text4) => String(Number(Number(text4).toFixed(1)))));

// lib/analysis/palette.ts
var LIGHT = {
  blue: "#0072b2",
  vermilion: "#d0530a",
  green: "#00875f",
  purple: "#a8508a",
  amber: "#c98a00",
  grey: "#7d8590"
};
var DARK = {
  blue: "#5ab0ea",
  vermilion: "#ff8e55",
  green: "#35c79a",
  purple: "#e09ac6",
  amber: "#edbb4a",
  grey: "#8d96a3"
};
var INK = {
  light: "#1f2328",
  dark: "#e6e9ee"
};
var RUN_COLORS = [
  LIGHT.blue,
  LIGHT.vermilion,
  LIGHT.green,
  LIGHT.purple,
  LIGHT.amber,
  LIGHT.grey
];
var MOST_COLORS = RUN_COLORS.length;
var DASHES = [
  null,
  "7 3",
  "2 3",
  "9 3 2 3"
];
function runStyle(i) {
  return {
    color: RUN_COLORS[i % MOST_COLORS],
    dash: DASHES[Math.floor(i / MOST_COLORS) % DASHES.length]
  };
}
var runColor = (i) => runStyle(i).color;
function figureStyle() {
  const colors = Object.keys(LIGHT);
  const dark = (scope) => `${scope}{color:${INK.dark}}` + colors.map((name) => `${scope} [stroke="${LIGHT[name]}"]{stroke:${DARK[name]}}${scope} [fill="${LIGHT[name]}"]{fill:${DARK[name]}}`).join("");
  const preferred = ":is(:root:not([data-theme=light]) .dynosim,:root.dynosim)";
  return `.dynosim{color:${INK.light};font-size:12px;max-width:100%;height:auto}.dynosim text{fill:currentColor;stroke:none}.dynosim .title{font-size:14px;font-weight:600}.dynosim .stretch *{vector-effect:non-scaling-stroke}.dynosim .heading{font-weight:600}.dynosim .quiet{fill-opacity:.75}@media(prefers-color-scheme:dark){${dark(preferred)}}` + dark("[data-theme=dark] .dynosim");
}

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
  const panel3 = (heading, unit, y, { bound: bound2 = null, log = true, last = false }) => {
    const shown = points.filter((point2) => Number.isFinite(y(point2)) && (!log || y(point2) > 0));
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
          ...bound2 === null ? [] : [
            Plot3.ruleY([
              bound2
            ], {
              stroke: LIGHT.vermilion,
              strokeDasharray: "4 3"
            })
          ],
          ...edge(largest),
          ...series(shown, y, (point2) => `${over} ${point2.value}: ${Number(y(point2).toPrecision(4))} ${unit}`)
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

// lib/analysis/comparison_plot.ts
import * as Plot4 from "@observablehq/plot";

// lib/analysis/html.ts
var Html = class {
  #text;
  constructor(text4) {
    this.#text = text4;
  }
  toString() {
    return this.#text;
  }
};
function safe(fixed, ...values) {
  let text4 = fixed[0];
  values.forEach((value, i) => text4 += escaped(value) + fixed[i + 1]);
  return new Html(text4);
}
var markup = (text4) => new Html(text4);
var SIGNS = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
};
function escaped(value) {
  if (value instanceof Html) return value.toString();
  if (Array.isArray(value)) return value.map(escaped).join("");
  return String(value ?? "").replace(/[&<>"']/g, (sign) => SIGNS[sign]);
}

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
  const short4 = (value) => Number(value.toFixed(1));
  const labels = points.map(({ x, y, names }, i) => {
    const place = placed[i];
    const at = place === null ? safe` visibility="hidden"` : safe` x="${short4(place.x)}" y="${short4(place.y)}"`;
    return safe`<text class="name" text-anchor="start" data-x="${short4(x)}" data-y="${short4(y)}" data-names="${JSON.stringify(names)}"${at}>${names[place?.name ?? 0]}</text>`;
  });
  return {
    ...plot2,
    markup: plot2.markup.replace(/<\/svg>$/, `${safe`<g class="names">${labels}</g></svg>`}`)
  };
}

// lib/analysis/arquero.ts
import "@uwdata/flechette";
import { table as untyped } from "arquero/src/table/index.js";
var table = untyped;

// lib/analysis/replicas.ts
function poolsOf(summary2) {
  return summary2.prefill_gpus_per_worker > 0 ? [
    "prefill",
    "decode"
  ] : [
    "agg"
  ];
}
function replicaSteps({ summary: summary2, planner: planner2 }, pool) {
  const fixed = (count2, atMs = 0) => ({
    at_ms: atMs,
    pool,
    active: count2,
    starting: 0,
    draining: 0,
    target: count2
  });
  const firstTick = planner2?.ticks[0]?.topology[pool === "prefill" ? "prefill" : "decode"];
  if (planner2 && firstTick) {
    const operations = planner2.lifecycle_operations.filter((operation) => operation.pool === pool);
    return [
      fixed(firstTick.active_count + firstTick.starting_count),
      ...operations.map(({ at_ms, state_after_batch: { active, starting, draining } }) => ({
        at_ms,
        pool,
        active: active.length,
        starting: starting.length,
        draining: draining.length,
        target: active.length + starting.length
      }))
    ];
  }
  const events = planner2?.scaling_events.filter((event) => event.component === pool) ?? [];
  if (events.length > 0) {
    return [
      fixed(events[0].from_count),
      ...events.map((event) => fixed(event.to_count, event.at_s * 1e3))
    ];
  }
  const seconds = pool === "prefill" ? summary2.prefill_worker_seconds : summary2.decode_worker_seconds;
  return [
    fixed(summary2.duration_ms > 0 ? Math.round(seconds * 1e3 / summary2.duration_ms) : 0)
  ];
}
function endOfRun({ summary: summary2, planner: planner2 }) {
  return Math.max(summary2.duration_ms, planner2?.lifecycle_operations.at(-1)?.at_ms ?? 0);
}
function gpuHoursByPhase(source) {
  const end = endOfRun(source), price = source.evaluation?.cost?.price_per_gpu_hour;
  const phases = [
    "active",
    "starting",
    "draining"
  ];
  const rows = poolsOf(source.summary).flatMap((pool) => {
    const gpus = pool === "prefill" ? source.summary.prefill_gpus_per_worker : source.summary.decode_gpus_per_worker;
    const steps = replicaSteps(source, pool);
    return phases.map((phase) => {
      const workerMs = steps.reduce((sum, step2, i) => {
        const until = Math.min(steps[i + 1]?.at_ms ?? end, end);
        return sum + step2[phase] * Math.max(until - step2.at_ms, 0);
      }, 0);
      return {
        pool,
        phase,
        gpu_hours: workerMs * gpus / 36e5
      };
    });
  });
  return table({
    pool: rows.map(({ pool }) => pool),
    phase: rows.map(({ phase }) => phase),
    gpu_hours: rows.map(({ gpu_hours }) => gpu_hours),
    ...price === void 0 ? {} : {
      cost: rows.map(({ gpu_hours }) => gpu_hours * price)
    }
  });
}

// lib/analysis/units.ts
function duration(ms) {
  const short4 = (value) => String(Number(value.toPrecision(3)));
  if (ms < 1e3) return `${short4(ms)} ms`;
  if (ms < 12e4) return `${short4(ms / 1e3)} s`;
  return `${short4(ms / 6e4)} min`;
}
function amount(value) {
  const short4 = (scaled) => Number(scaled.toPrecision(3)).toLocaleString("en");
  if (Math.abs(value) >= 1e6) return `${short4(value / 1e6)}M`;
  if (Math.abs(value) >= 1e4) return `${short4(value / 1e3)}k`;
  return short4(value);
}
function percentage(share2) {
  return `${Number((share2 * 100).toFixed(1))} %`;
}
function shortened(name, most) {
  if (name.length <= most) return name;
  const head = Math.ceil((most - 1) / 2);
  return `${name.slice(0, head)}\u2026${name.slice(name.length - (most - 1 - head))}`;
}

// lib/analysis/comparison_plot.ts
function tradeOffPlot(runs, options = {}) {
  const bounded = runs.every(({ summary: summary2 }) => summary2.goodput_output_throughput_tok_s !== void 0);
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
        fill: (point2) => point2.color,
        r: 5,
        title: (point2) => `${point2.name}: ${format(point2.value)} for ${amount(point2.hours)} GPU hours${point2.cost}`
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
function costText({ evaluation: evaluation2 }, hours) {
  const cost2 = evaluation2?.cost;
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

// lib/analysis/over_time.ts
var BUCKET_OPTIONS = {
  bucketMs: true,
  by: true
};
var bucketsOf = ({ bucketMs, by }) => ({
  bucketMs,
  by
});
var ROUND_SECONDS = [
  0.1,
  0.2,
  0.5,
  1,
  2,
  5,
  10,
  15,
  30,
  60,
  120,
  300,
  600,
  900,
  1800,
  3600,
  7200,
  14400,
  43200,
  86400
];
var BUCKETS = 150;
function roundBucketMs(spanMs, most = BUCKETS) {
  const seconds = ROUND_SECONDS.find((length) => length * 1e3 * most >= spanMs);
  return 1e3 * (seconds ?? Math.ceil(spanMs / 864e5 / most) * 86400);
}
function percentilesOverTime(requests2, metric, options = {}) {
  checkOptions("percentilesOverTime()", options, {
    ...BUCKET_OPTIONS,
    percentiles: true
  });
  const percentiles = options.percentiles ?? [
    50,
    95,
    99
  ];
  const buckets = split(requests2, options);
  const values = column2(requests2, metric);
  const samples = buckets.rows.map((rows) => Float64Array.from(rows.map((row) => values.at(row)).filter((value) => value !== null)).sort());
  return table({
    ...buckets.edges,
    count: samples.map((ascending2) => ascending2.length),
    ...Object.fromEntries(percentiles.map((p) => [
      `p${p}`,
      samples.map((ascending2) => valueOrNull(ascending2, p))
    ]))
  });
}
function goodputOverTime(requests2, sla, options = {}) {
  checkOptions("goodputOverTime()", options, BUCKET_OPTIONS);
  const buckets = split(requests2, options);
  const seconds = buckets.bucketMs / 1e3;
  const isGood = goodRow(requests2, sla);
  const tokens = column2(requests2, "output_length");
  const completed = completedRow(requests2);
  const counts = buckets.rows.map((rows) => {
    const ended = rows.filter(completed);
    const good = ended.filter(isGood);
    const goodTokens = good.reduce((sum, row) => sum + (tokens.at(row) ?? 0), 0);
    return {
      ended: ended.length,
      good: good.length,
      goodTokens
    };
  });
  return table({
    ...buckets.edges,
    completed: counts.map(({ ended }) => ended),
    good: counts.map(({ good }) => good),
    good_share: counts.map(({ ended, good }) => ended === 0 ? null : good / ended),
    good_requests_per_s: counts.map(({ good }) => good / seconds),
    good_output_tokens_per_s: counts.map(({ goodTokens }) => goodTokens / seconds)
  });
}
function trafficOverTime(requests2, options = {}) {
  checkOptions("trafficOverTime()", options, BUCKET_OPTIONS);
  const buckets = split(requests2, options);
  const seconds = buckets.bucketMs / 1e3;
  const rate = (name) => {
    const values = column2(requests2, name);
    return buckets.rows.map((rows) => rows.reduce((sum, row) => sum + (values.at(row) ?? 0), 0) / seconds);
  };
  return table({
    ...buckets.edges,
    requests_per_s: buckets.rows.map((rows) => rows.length / seconds),
    input_tokens_per_s: rate("input_length"),
    output_tokens_per_s: rate("requested_output_length")
  });
}
function queueOverTime(requests2, options = {}) {
  checkOptions("queueOverTime()", options, {
    bucketMs: true
  });
  const ends = split(requests2, {
    ...options,
    by: "terminal_time_ms"
  });
  const arrived = ascending(requests2, "arrival_time_ms");
  const admitted = ascending(requests2, "first_admit_ms");
  const admit = column2(requests2, "first_admit_ms");
  const neverAdmitted = ascending(requests2, "terminal_time_ms", (row) => admit.at(row) === null);
  const ended = ascending(requests2, "terminal_time_ms", (row) => admit.at(row) !== null);
  const last = Math.max(ended.at(-1) ?? 0, neverAdmitted.at(-1) ?? 0);
  const times = ends.edges.to_ms.map((at) => Math.min(at, last));
  return table({
    at_ms: times,
    waiting: times.map((at) => upTo(arrived, at) - upTo(admitted, at) - upTo(neverAdmitted, at)),
    running: times.map((at) => upTo(admitted, at) - upTo(ended, at))
  });
}
function ttftByInputLength(requests2, options = {}) {
  checkOptions("ttftByInputLength()", options, {
    edges: true
  });
  const lengths = column2(requests2, "input_length");
  const ttft = column2(requests2, "ttft_ms");
  const reused = column2(requests2, "reused_input_tokens");
  const rows = rowsOf(requests2).filter((row) => ttft.at(row) !== null);
  const longest = rows.reduce((most, row) => Math.max(most, lengths.at(row)), 1);
  const edges = options.edges ?? Array.from({
    length: Math.floor(Math.log2(longest)) + 1
  }, (_, power) => 2 ** power);
  const classes = edges.map((from, i) => {
    const to = edges[i + 1] ?? Infinity;
    const members = rows.filter((row) => lengths.at(row) >= from && lengths.at(row) < to);
    const samples = Float64Array.from(members, (row) => ttft.at(row)).sort();
    const share2 = members.reduce((sum, row) => sum + (reused.at(row) ?? 0) / Math.max(lengths.at(row), 1), 0);
    return {
      from,
      to,
      count: members.length,
      samples,
      share: members.length === 0 ? null : share2 / members.length
    };
  }).filter(({ count: count2 }) => count2 > 0);
  return table({
    from_tokens: classes.map(({ from }) => from),
    to_tokens: classes.map(({ to }) => to),
    count: classes.map(({ count: count2 }) => count2),
    p50_ttft_ms: classes.map(({ samples }) => valueOrNull(samples, 50)),
    p95_ttft_ms: classes.map(({ samples }) => valueOrNull(samples, 95)),
    mean_reused_share: classes.map(({ share: share2 }) => share2)
  });
}
function goodRow(requests2, sla) {
  const completed = completedRow(requests2);
  const [tokens, ttft, e2e, arrival, end] = [
    "output_length",
    "ttft_ms",
    "e2e_latency_ms",
    "arrival_time_ms",
    "terminal_time_ms"
  ].map((name) => column2(requests2, name));
  return (row) => completed(row) && meetsSla(tokens.at(row), ttft.at(row) ?? NaN, e2e.at(row) ?? NaN, end.at(row) - arrival.at(row), sla);
}
function split(requests2, options) {
  const times = column2(requests2, options.by ?? "arrival_time_ms");
  const rows = rowsOf(requests2).filter((row) => times.at(row) !== null);
  const last = rows.reduce((latest, row) => Math.max(latest, times.at(row)), 0);
  const bucketMs = options.bucketMs ?? roundBucketMs(last);
  if (!(bucketMs > 0)) throw new RangeError(`bucketMs must be above 0, got ${bucketMs}`);
  const buckets = Array.from({
    length: Math.floor(last / bucketMs) + 1
  }, () => []);
  for (const row of rows) buckets[Math.floor(times.at(row) / bucketMs)].push(row);
  return {
    bucketMs,
    edges: {
      from_ms: buckets.map((_, i) => i * bucketMs),
      to_ms: buckets.map((_, i) => (i + 1) * bucketMs)
    },
    rows: buckets
  };
}
function column2(requests2, name) {
  const found = requests2.column(name);
  if (found === void 0) {
    throw new RangeError(`No column ${name} in the table; it has ${requests2.columnNames().join(", ")}`);
  }
  return found;
}
function completedRow(requests2) {
  const status = requests2.column("terminal_status");
  const admissions = column2(requests2, "admission_count");
  return (row) => status.at(row) === "completed" && (admissions.at(row) ?? 0) > 0;
}
function rowsOf(requests2) {
  const rows = [];
  requests2.scan((row) => void rows.push(row));
  return rows;
}
function ascending(requests2, name, wanted = () => true) {
  const values = column2(requests2, name);
  const rows = rowsOf(requests2).filter((row) => values.at(row) !== null && wanted(row));
  return Float64Array.from(rows, (row) => values.at(row)).sort();
}
function upTo(values, limit) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (values[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
function valueOrNull(ascendingValues, p) {
  return ascendingValues.length === 0 ? null : percentile(ascendingValues, p);
}

// lib/analysis/kv_use.ts
function sampledShares({ telemetry: telemetry2 }) {
  const mean = (rows) => rows.reduce((sum, row) => sum + row.active_cache_usage, 0) / Math.max(rows.length, 1);
  return (telemetry2?.samples ?? []).map((sample) => ({
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
  const column3 = (name) => requests2.column(name);
  const [admitted, decoding, first, last, end, input, output] = [
    "first_admit_ms",
    "decode_admit_ms",
    "first_token_ms",
    "last_token_ms",
    "terminal_time_ms",
    "input_length",
    "output_length"
  ].map(column3);
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
function tokensOfTicks(planner2) {
  return (planner2?.ticks ?? []).flatMap((tick2) => {
    const seen = tick2.input.fpm_observations?.decode;
    if (!seen) return [];
    const value = seen.reduce((sum, { metrics }) => sum + (metrics.scheduled_requests?.sum_decode_kv_tokens ?? 0), 0);
    return [
      {
        minute: tick2.at_ms / 6e4,
        value
      }
    ];
  });
}
function capacityOf({ summary: summary2, planner: planner2, metadata: metadata2 }) {
  const role = metadata2?.roles.find(({ role: role2 }) => role2 !== "prefill");
  if (role === void 0 || summary2 === void 0) return () => null;
  const source = {
    summary: summary2,
    planner: planner2
  };
  const steps = replicaSteps(source, poolsOf(summary2).at(-1));
  const worker2 = role.kv_blocks * role.kv_block_tokens * (role.kv_ranks ?? 1);
  const end = endOfRun(source);
  return (atMs) => {
    const step2 = steps.findLast(({ at_ms }) => at_ms <= Math.min(atMs, end)) ?? steps[0];
    const workers = step2.active + step2.draining;
    return workers > 0 ? worker2 * workers : null;
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
  return Object.values(METRICS).flatMap(({ bound: bound2, name }) => {
    const limit = sla[bound2];
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
  const inside = (ticks) => ticks.filter((tick2) => tick2 >= lowest / 1.15 && tick2 <= highest * 1.15);
  const few = inside(decades);
  return few.length >= 3 ? few : inside(decades.flatMap((tick2) => [
    tick2,
    3 * tick2
  ]));
}

// lib/analysis/kv_plot.ts
function kvPlot(runs, options = {}) {
  const { apart = false } = options;
  const sampled = runs.every(({ telemetry: telemetry2 }) => telemetry2 !== null);
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
  const unknown2 = runs.filter((run) => !found.some((one) => one.run === run));
  return {
    untilMs: untilMinute * 6e4,
    title: options.title ?? "KV cache in use",
    subtitle: SUBTITLES[measure] + (unknown2.length === 0 ? "" : `; not known of ${namesOf(unknown2)}`),
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
  const { long, bound: bound2, name } = METRICS[metric];
  const limit = options.sla?.[bound2] ?? void 0;
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
  const column3 = requests2.column(metric);
  const values = [];
  requests2.scan((row) => {
    const value = column3.at(row);
    if (value !== null) values.push(value);
  });
  const ascending2 = Float64Array.from(values).sort();
  if (ascending2.length === 0) return [];
  return Array.from({
    length: CDF_POINTS + 1
  }, (_, i) => ({
    value: ascending2[percentileRank(ascending2.length, 100 * i / CDF_POINTS)],
    share: i / CDF_POINTS
  }));
}

// lib/analysis/latency_plot.ts
import * as Plot8 from "@observablehq/plot";
function latencyPlot(runs, metric, options = {}) {
  const { long, bound: bound2, name } = METRICS[metric];
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
  const limit = options.sla?.[bound2] ?? void 0;
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
    const count2 = replicaSteps(run, pool)[0].active;
    return `${count2} ${pools.length > 1 ? `${pool} ` : ""}worker${count2 === 1 ? "" : "s"}`;
  }).join(" and ");
}
function mostWorkers(run) {
  const totals = poolsOf(run.summary).flatMap((pool) => replicaSteps(run, pool).map(({ active, starting, draining }) => active + starting + draining));
  return Math.max(1, ...totals);
}
function describeScaling({ planner: planner2, summary: summary2, evaluation: evaluation2 }) {
  const money = evaluation2?.cost ? ` (${moneyText(evaluation2.cost.total, evaluation2.cost.currency)})` : "";
  const cost2 = `${Number(summary2.gpu_hours.toPrecision(3))} GPU hours${money}`;
  if (planner2 === null) return `fixed number of workers, ${cost2}`;
  const ups = planner2.scaling_events.filter(({ reason }) => reason === "scale_up").length;
  const downs = planner2.scaling_events.length - ups;
  const advice = planner2.recommended_scaling_events?.length ?? 0;
  const { autoscaler } = planner2.metadata, who = autoscaler ? autoscalerName(autoscaler) : "the Planner";
  return `${counted(ups, "scale-up")}, ${counted(downs, "scale-down")} in ${counted(planner2.total_ticks, "tick")} of ${who}` + (advice > 0 ? `, ${advice} recommendations` : "") + `; ${cost2}`;
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
      series: pools.flatMap((pool) => columns(run, pool, untilMs).map((column3) => ({
        ...column3,
        of: title,
        part: pools.length > 1 ? `${pool} ${column3.part}` : column3.part,
        at: column3.part
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
      series: groups.flatMap((same) => same.flatMap(({ name, data }, i) => data.map((column3) => {
        const shown = i === 0 && (column3.part === "active" || column3.part === "wanted");
        return {
          ...column3,
          of: name,
          at: shown ? namesOf(same) : ""
        };
      })))
    }
  };
}
function legendOf(runs) {
  const scaled = runs.some(({ planner: planner2 }) => planner2 !== null);
  const moved = runs.some(({ planner: planner2 }) => (planner2?.scaling_events.length ?? 0) > 0);
  const advised = runs.some(({ planner: planner2 }) => (planner2?.recommended_scaling_events?.length ?? 0) > 0);
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
  const column3 = (of, unit, values) => ({
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
        column3("requests", "requests/s", rows.map(({ requests: requests2 }) => requests2)),
        column3("prompt tokens", "tokens/s", rows.map(({ input }) => input)),
        column3("output tokens asked for", "tokens/s", rows.map(({ output }) => output))
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
  const line2 = (rows, y, color, dash) => Plot10.lineY(rows, {
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
        line2(rows, RUNNING, color, null),
        line2(rows, WAITING, LIGHT.vermilion, null)
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
  const lines = (part) => found.map(({ rows, style }) => line2(rows, part, style.color, style.dash));
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
function ceiling(count2) {
  return Plot10.ruleY([
    count2
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
  const all = columns2.length === 1 && roles.length > 1 && runs.every(({ metadata: metadata2 }) => metadata2 !== null);
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

// lib/analysis/figure.ts
var TITLE_HEIGHT = 22;
var SUBTITLE_HEIGHT = 17;
var LEGEND_HEIGHT = 22;
var HEADING_HEIGHT = 18;
var TOP = 6;
var FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";
var CHARACTER2 = 6.6;
function figureSvg(figure2) {
  const width = Math.max(...figure2.panels.map(({ plot: plot2 }) => plot2.width));
  const fitting = Math.floor(width / CHARACTER2);
  const parts = [];
  let y = TOP + 13;
  parts.push(text2(0, y, shortened(figure2.title, Math.floor(fitting * 0.85)), "title"));
  y += TITLE_HEIGHT - 4;
  if (figure2.subtitle) {
    parts.push(text2(0, y, shortened(figure2.subtitle, fitting), "quiet"));
    y += SUBTITLE_HEIGHT;
  }
  if (figure2.legend && figure2.legend.length > 0) {
    const { entries, bottom } = legend(figure2.legend, y, width);
    parts.push(...entries);
    y = bottom + LEGEND_HEIGHT;
  }
  y -= 8;
  for (const { heading, plot: plot2 } of figure2.panels) {
    if (heading !== void 0) {
      parts.push(text2(0, y + 13, shortened(heading, fitting), "heading"));
      y += HEADING_HEIGHT;
    }
    parts.push(markup(plot2.markup.replace("<svg ", `<svg y="${y}" `)));
    y += plot2.height;
  }
  return `${safe`<svg xmlns="http://www.w3.org/2000/svg" class="dynosim" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img" aria-label="${figure2.title}" font-family="${markup(FONT)}" font-size="12"><style>${markup(figureStyle())}</style>${parts}</svg>`}`;
}
function text2(x, y, content, kind) {
  return safe`<text x="${x}" y="${y}"${kind === void 0 ? null : safe` class="${kind}"`}>${content}</text>`;
}
function legend(entries, y, width) {
  let x = 0;
  const drawn2 = entries.flatMap((entry) => {
    const label = shortened(entry.label, 60), room = 22 + label.length * CHARACTER2;
    if (x > 0 && x + room > width) {
      x = 0;
      y += 18;
    }
    const sign = safe`<g transform="translate(${Number(x.toFixed(1))},${y - 4})">${swatch(entry)}</g>`;
    const words = text2(Number((x + 22).toFixed(1)), y, label);
    x += room + 18;
    return [
      sign,
      words
    ];
  });
  return {
    entries: drawn2,
    bottom: y
  };
}
function swatch({ mark, color, dash }) {
  switch (mark) {
    case "area":
      return safe`<rect y="-5" width="16" height="10" rx="1.5" fill="${color}" fill-opacity=".45"/>`;
    case "dot":
      return safe`<circle cx="8" r="4" fill="${color}"/>`;
    case "up":
      return safe`<path d="M3,4h10l-5,-9z" fill="${color}"/>`;
    case "down":
      return safe`<path d="M3,-4h10l-5,9z" fill="${color}"/>`;
    default: {
      const pattern = mark === "dashed" ? "4 3" : dash;
      const dashes = pattern == null ? null : safe` stroke-dasharray="${pattern}"`;
      return safe`<path d="M0,0h16" fill="none" stroke="${color}" stroke-width="2"${dashes}/>`;
    }
  }
}

// lib/analysis/figure_data.ts
function packed({ x, series: series2 }) {
  const lists = /* @__PURE__ */ new Map();
  const place = (list) => {
    const text4 = JSON.stringify(list.map(short));
    return lists.get(text4) ?? (lists.set(text4, lists.size), lists.size - 1);
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
function figureHtml(figure2) {
  const { title, subtitle, legend: legend2 = [], panels, cells = false, untilMs } = figure2;
  const time2 = untilMs === void 0 ? null : safe` data-until="${Number((untilMs / 1e3).toFixed(3))}"`;
  const shown = new Set(figure2.data.series.map(({ of, at }) => at ?? of));
  const how = untilMs === void 0 ? "" : ". Arrow keys move through time, plus and minus zoom, 0 shows everything";
  return safe`<figure class="chart" data-figure="${packed(figure2.data)}"${time2}><figcaption><div class="head"><div><h3>${title}</h3>${subtitle && safe`<p class="quiet">${subtitle}</p>`}</div><div class="tools"><button type="button" data-save="svg" aria-label="Save ${title} as SVG">SVG</button><button type="button" data-save="csv" aria-label="Save the data of ${title} as CSV">CSV</button></div></div>${legend2.length === 0 ? null : safe`<ul class="legend">${legend2.map((entry) => legendItem(entry, shown))}</ul>`}</figcaption><div class="panels${markup(cells ? " cells" : "")}"${untilMs === void 0 ? null : safe` tabindex="0" role="group" aria-label="${title}${how}"`}>${panels.map(({ heading, plot: plot2 }) => safe`<div class="panel">${heading === void 0 ? null : safe`<h4><span class="clamp" title="${heading}">${heading}</span>${shown.has(heading) ? readout(heading) : null}</h4>`}${markup(plot2.markup.replace("<svg ", `${safe`<svg class="dynosim" role="img" aria-label="${heading ?? title}" data-frame="${frameOf(plot2)}" `}`))}</div>`)}</div></figure>\n`;
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

// lib/analysis/latency_ranges_plot.ts
import * as Plot11 from "@observablehq/plot";
var PERCENTILES = [
  "median",
  "p90",
  "p95",
  "p99"
];
function rowOf(name, { summary: summary2 }, metric, limit) {
  const [median, p90, p95, p99] = PERCENTILES.map((key) => summary2[`${key}_${metric}`]);
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
  const { long, name, bound: bound2 } = METRICS[metric];
  const limit = options.sla?.[bound2];
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

// lib/analysis/columns.ts
var INITIAL_ROWS = 1024;
var NO_TEXT = -1;
var NumberColumn = class {
  length = 0;
  #values = null;
  /** Appends a value; anything but a number is null. */
  push(value) {
    const row = this.length++;
    if (typeof value !== "number" || Number.isNaN(value)) {
      if (this.#values !== null) this.#room(row)[row] = NaN;
    } else {
      this.#room(row)[row] = value;
    }
  }
  /** The value of a row, null when it has none. */
  at(row) {
    const value = this.#values?.[row] ?? NaN;
    return Number.isNaN(value) ? null : value;
  }
  *[Symbol.iterator]() {
    for (let row = 0; row < this.length; row++) yield this.at(row);
  }
  #room(row) {
    const values = this.#values ??= new Float64Array(INITIAL_ROWS).fill(NaN);
    return this.#values = reaching(values, row, NaN);
  }
};
var TextColumn = class {
  length = 0;
  #codes = null;
  #texts = [];
  #codeOf = /* @__PURE__ */ new Map();
  /** Appends a value; anything but a text or a truth value is null. */
  push(value) {
    const row = this.length++;
    if (typeof value !== "string" && typeof value !== "boolean") {
      if (this.#codes !== null) this.#room(row)[row] = NO_TEXT;
      return;
    }
    let code = this.#codeOf.get(value);
    if (code === void 0) {
      code = this.#texts.length;
      this.#texts.push(value);
      this.#codeOf.set(value, code);
    }
    this.#room(row)[row] = code;
  }
  /** The value of a row, null when it has none. */
  at(row) {
    const code = this.#codes?.[row] ?? NO_TEXT;
    return code === NO_TEXT ? null : this.#texts[code];
  }
  *[Symbol.iterator]() {
    for (let row = 0; row < this.length; row++) yield this.at(row);
  }
  #room(row) {
    const codes = this.#codes ??= new Int32Array(INITIAL_ROWS).fill(NO_TEXT);
    return this.#codes = reaching(codes, row, NO_TEXT);
  }
};
function makeColumns(kinds) {
  return Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [
    name,
    kind === "number" ? new NumberColumn() : new TextColumn()
  ]));
}
function pushRow(columns2, row) {
  for (const name in columns2) columns2[name].push(row[name]);
}

// lib/analysis/planner_tables.ts
function tickReason(tick2) {
  const { diagnostics } = tick2.effects, own = tick2.autoscaler !== void 0;
  const parts = [];
  for (const loop of [
    "load",
    "throughput"
  ]) {
    const byRole = [
      "prefill",
      "decode"
    ].flatMap((role) => {
      const reason = diagnostics[`${loop}_decision_reason_${role}`];
      return typeof reason === "string" && reason !== "" ? [
        `${own ? "" : `${loop} `}${role}: ${reason}`
      ] : [];
    });
    const whole2 = diagnostics[`${loop}_decision_reason`];
    if (byRole.length > 0) parts.push(...byRole);
    else if (typeof whole2 === "string" && whole2 !== "") parts.push(own ? whole2 : `${loop}: ${whole2}`);
  }
  return parts.length === 0 ? null : parts.join("; ");
}

// lib/analysis/report_decisions.ts
var MOST_ROWS = 1500;
function timeline({ planner: planner2, name }, most, named) {
  if (planner2 === null) return null;
  const tickAt = new Map(planner2.ticks.map((tick2) => [
    tick2.at_ms,
    tick2
  ]));
  const scaled = (event, advice) => {
    const tick2 = tickAt.get(event.at_s * 1e3) ?? null;
    const reason = tick2 === null ? "" : (tickReason(tick2) ?? "").replaceAll("_", " ");
    const change = safe`${step(event)}${advice ? " (recommended)" : ""}`;
    const row = timelineRow(event.at_s, event.component, change, tick2 ? observed(tick2) : "", reason);
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
    ...planner2.scaling_events.map((event) => scaled(event, false)),
    ...(planner2.recommended_scaling_events ?? []).map((event) => scaled(event, true)),
    ...(planner2.retune_events ?? []).map(retuned)
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
    const queued = sum(({ queued_requests: work2 }) => work2.num_prefill_requests) + sum(({ queued_requests: work2 }) => work2.num_decode_requests);
    const running = sum(({ scheduled_requests: work2 }) => work2.num_decode_requests);
    const context = sum(({ scheduled_requests: work2 }) => work2.sum_decode_kv_tokens);
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
var whole = (count2) => count2.toLocaleString("en");
var requests = (count2) => `${whole(count2)} request${count2 === 1 ? "" : "s"}`;
function notesOf({ summary: summary2, planner: planner2, metadata: metadata2, evaluation: evaluation2 }, brief = false) {
  const notes = [];
  if (evaluation2?.overload) notes.push(overloadText(evaluation2.overload));
  const missed = evaluation2?.sla && !brief ? missesText(evaluation2.sla, summary2.p95_itl_ms) : null;
  if (missed !== null) notes.push(`${attainmentText(evaluation2.sla)}; ${missed}`);
  if (summary2.prediction_status === "invalid") notes.push("no request completed, so there are no latencies and rates");
  const { rejected_requests: rejected = 0, failed_requests: failed = 0, largest_prompt_tokens: longest } = summary2;
  if (rejected > 0) {
    notes.push(`${requests(rejected)} rejected` + (longest === void 0 ? "" : `; the longest prompt that fits has ${whole(longest)} tokens`));
  }
  if (failed > 0) notes.push(`${requests(failed)} failed`);
  const { cutoff_unadmitted_requests: keptOut, cutoff_unfinished_requests: unfinished = 0 } = summary2;
  if (keptOut !== void 0 && keptOut + unfinished > 0) {
    notes.push(`the cutoff of virtual time kept ${requests(keptOut)} out and left ${whole(unfinished)} unfinished`);
  }
  for (const { role, calibration } of metadata2?.roles ?? []) {
    if (calibration === void 0 || calibration.passes_outside === 0) continue;
    const share2 = percentage(calibration.passes_outside / Math.max(calibration.passes, 1));
    notes.push(`${share2} of the ${role} passes are outside of what was measured for the calibration`);
  }
  return [
    ...notes,
    ...plannerHealth({
      planner: planner2
    })
  ];
}

// lib/analysis/summary_rows.ts
var HEADLINES = [
  {
    label: "Within the SLA",
    of: ({ summary: summary2 }) => attainment(summary2),
    format: (share2) => `${(share2 * 100).toFixed(1)} %`,
    share: true,
    better: "higher"
  },
  {
    label: "GPU hours",
    of: ({ summary: summary2 }) => summary2.gpu_hours,
    format: amount,
    better: "lower"
  },
  {
    label: "Cost",
    of: ({ evaluation: evaluation2 }) => evaluation2?.cost?.total ?? null,
    format: (value, { evaluation: evaluation2 }) => moneyText(value, evaluation2?.cost?.currency),
    better: "lower"
  },
  {
    label: "Goodput",
    of: ({ summary: summary2 }) => summary2.goodput_output_throughput_tok_s ?? null,
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
    of: ({ summary: summary2 }) => summary2.output_throughput_tok_s,
    format: (rate) => `${amount(rate)} tok/s`,
    better: "higher"
  },
  {
    label: "Prefix reuse",
    of: ({ summary: summary2 }) => summary2.prefix_cache_reused_ratio,
    format: (share2) => `${(share2 * 100).toFixed(1)} %`,
    share: true,
    better: "higher"
  },
  {
    label: "Scaling events",
    of: ({ planner: planner2 }) => planner2?.scaling_events.length ?? null,
    format: String,
    better: "lower"
  },
  {
    label: "Not completed",
    of: ({ summary: summary2 }) => summary2.num_requests + (summary2.cutoff_unadmitted_requests ?? 0) - summary2.completed_requests || null,
    format: (count2) => count2.toLocaleString("en"),
    better: "lower"
  }
];
function latency(label, key) {
  return {
    label,
    of: ({ summary: summary2 }) => summary2[key],
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
    const text5 = `${change2 < 0 ? "\u2212" : "+"}${(Math.abs(change2) * 100).toFixed(1)} points`;
    return {
      difference: text5,
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
  const text4 = change >= 2 ? `${Number((value / first).toPrecision(3))}\xD7` : `${change < 0 ? "\u2212" : "+"}${(Math.abs(change) * 100).toFixed(Math.abs(change) < 0.1 ? 1 : 0)} %`;
  return {
    difference: text4,
    verdict: verdictOf(change, better)
  };
}
var verdictOf = (change, better) => change < 0 === (better === "lower") ? "better" : "worse";
function summaryRows(runs) {
  const keys = [
    ...new Set(runs.flatMap(({ summary: summary2 }) => Object.keys(summary2)))
  ];
  return keys.flatMap((key) => {
    const values = runs.map(({ summary: summary2 }) => summary2[key]);
    if (!values.some((value) => typeof value === "number")) return [];
    const text4 = (value) => typeof value === "number" ? value.toLocaleString("en", {
      maximumFractionDigits: 4
    }) : "\u2013";
    return [
      {
        label: key,
        values: values.map(text4)
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
function factsOf({ summary: summary2 }, sla) {
  const parts = [
    `${summary2.num_requests.toLocaleString("en")} requests over ${duration(summary2.duration_ms)}`
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
  return safe`<div class="cards">${figures2.map(({ label, values }) => safe`<div class="card"><div class="label">${label}</div>${values.map(({ text: text4, difference, verdict: verdict2 }, i) => safe`<div class="value">${runs.length > 1 ? dot6(i) : null}<b>${text4}</b>${difference === null ? null : safe`<span class="${verdict2}">${difference}</span>`}</div>`)}</div>`)}</div>`;
}
function comparisonTable(runs, figures2) {
  const head = (label) => safe`<th scope="col"><button type="button">${label}</button></th>`;
  const rows = runs.map((run, i) => safe`<tr><th scope="row" data-value="${run.name}"><div class="run">${runs.length > MOST_COLORS ? safe`<span class="quiet">#${i + 1}</span>` : dot6(i)}<span class="clamp" title="${run.name}">${run.name}</span></div></th>${figures2.map(({ values }) => {
    const { text: text4, value, difference, verdict: verdict2 } = values[i];
    return safe`<td class="number" data-value="${value}">${text4}${difference === null ? null : safe`<small class="${verdict2}">${difference}</small>`}</td>`;
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
  const body = pools.map(({ name, pool, rows }) => safe`<tr><th scope="row">${runs.length > 1 ? `${name}: ` : null}${pool}</th><td class="number">${rows.length}</td>${COLUMNS.map(([, of, text4]) => {
    const values = rows.map(of).filter((value) => value !== null);
    if (values.length === 0) return safe`<td class="number">\u2013</td>`;
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const [least, most] = [
      Math.min(...values),
      Math.max(...values)
    ].map(text4);
    const spread = least === most ? null : safe`<small class="quiet">${least} to ${most}</small>`;
    return safe`<td class="number" data-value="${mean}">${text4(mean)}${spread}</td>`;
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
    const figure2 = draw2();
    if (figure2 !== null) boxes.push(figureHtml(figure2));
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

// lib/analysis/result_file.ts
async function readResult(file, what, schema3, mostBytes) {
  const refuse = (why, cause) => {
    const message = `cannot read ${what} from ${file}: ${why}`;
    throw new ConfigError(message, [
      {
        path: "",
        message,
        file
      }
    ], {
      cause
    });
  };
  if (host().kind(file) === "missing") return refuse("there is no such file");
  let value;
  try {
    value = JSON.parse(await readText(file, {
      mostBytes
    }));
  } catch (problem) {
    return refuse(problem.message, problem);
  }
  const read = safeParse(schema3, value);
  return read.success ? read.output : refuse(issueText(read.issues[0]));
}

// lib/analysis/read_capacity.ts
var BOTTLENECKS = {
  prefill_compute: "computing prompts takes too long",
  decode_compute: "decode steps take too long",
  kv_blocks: "KV blocks run out",
  sequence_limit: "the limit of sequences a rank may run is reached",
  router_queue: "requests wait in the router"
};
var CAPACITY_FILE = "capacity.json";
var bound = nullable(number());
var schema = looseObject({
  largest: nullable(number()),
  beyond: nullable(number()),
  over: picklist([
    "speedup",
    "concurrency",
    "rate"
  ]),
  attainment: number(),
  sla: object({
    ttft_ms: bound,
    itl_ms: bound,
    e2e_ms: bound
  }),
  written: number(),
  points: pipe(array(looseObject({
    value: number(),
    attainment: number(),
    request_throughput_rps: number(),
    p95_ttft_ms: number(),
    p95_tpot_ms: number(),
    queues_growing: boolean(),
    cost: optional(looseObject({
      currency: pipe(string(), maxLength(20)),
      per_thousand_good_requests: nullable(number())
    }))
  })), minLength(1)),
  saturation: nullable(saturationSchema)
});
var MOST_BYTES = 2 ** 24;
var capacityFile = (path) => host().kind(path) === "directory" ? joinPath(path, CAPACITY_FILE) : path;
async function readCapacity(path) {
  return await readResult(capacityFile(path), "a capacity", schema, MOST_BYTES);
}

// lib/analysis/read_recommendation.ts
function searchPrice({ provenance: { config } }) {
  const { evaluation: evaluation2, optimization } = config;
  for (const [price, currency] of [
    [
      evaluation2?.price_per_gpu_hour,
      evaluation2?.currency
    ],
    [
      optimization?.gpu_hour_price,
      optimization?.currency
    ]
  ]) {
    if (typeof price === "number") {
      return {
        perGpuHour: price,
        currency: typeof currency === "string" ? currency : CURRENCY
      };
    }
  }
  return null;
}
var MOST_BYTES2 = 2 ** 30;
var numbers = record(string(), nullable(number()));
var candidate = looseObject({
  candidate_id: string(),
  status: string(),
  config: record(string(), unknown()),
  used_gpus: nullable(number()),
  score: nullable(number()),
  metrics: nullable(numbers),
  objectives: nullable(numbers),
  reason_category: nullable(string()),
  reason: nullable(string()),
  provenance: optional(looseObject({
    description: optional(string())
  }), {})
});
var ruledOut = looseObject({
  why: string(),
  reason: string(),
  backend: string(),
  role: string(),
  shape: nullable(string()),
  combinations: number()
});
var schema2 = looseObject({
  candidates: array(candidate),
  counts: numbers,
  views: object({
    top_n: array(string()),
    pareto_front: array(string())
  }),
  provenance: looseObject({
    search_strategy: optional(string(), "unknown"),
    config: optional(looseObject({}), {}),
    space: optional(looseObject({
      configurations: nullable(number()),
      interrupted: boolean(),
      ruled_out: array(ruledOut),
      screened: array(looseObject({
        requests: nullable(number()),
        score: nullable(number())
      }))
    }))
  })
});
var recommendationFile = (path) => host().kind(path) === "directory" ? joinPath(path, "recommendation.json") : path;
async function readRecommendation(path) {
  return await readResult(recommendationFile(path), "the result of a search", schema2, MOST_BYTES2);
}
function rankedCandidates({ candidates, views }) {
  const byId = new Map(candidates.map((one) => [
    one.candidate_id,
    one
  ]));
  return [
    ...views.top_n,
    ...views.pareto_front
  ].map((id) => byId.get(id)).filter((one) => one !== void 0);
}

// lib/report/check_report.ts
var number2 = pipe(number(), finite());
var count = pipe(number(), integer(), minValue(0));
var maybe = (schema3) => nullish(schema3);
var figure = maybe(number());
var listOf = (schema3) => optional(array(schema3), []);
var knobs = record(string(), union([
  number(),
  string(),
  boolean(),
  null_()
]));
var STATISTIC = /^(mean|min|max|median|p75|p90|p95|p99|std)_/;
var WORDS = [
  "kv_eviction_policy"
];
var FIGURE = /(_ms|_s|_rps|_requests|_tokens|_seconds|_worker|_hours|_samples|_ratio|_w|_coverage)$|^(num|total|processed)_|gpu|goodput/;
var summary = pipe(record(string(), unknown()), rawCheck(({ dataset, addIssue }) => {
  if (!dataset.typed) return;
  for (const [key, value] of Object.entries(dataset.value)) {
    const figure2 = (STATISTIC.test(key) || FIGURE.test(key)) && !WORDS.includes(key) && typeof value !== "object";
    if (!figure2 || typeof value === "number") continue;
    const path = [
      {
        type: "object",
        origin: "value",
        input: dataset.value,
        key,
        value
      }
    ];
    addIssue({
      message: "a number",
      received: JSON.stringify(value),
      path
    });
  }
}));
var scalingEvent = looseObject({
  at_s: number2,
  component: pipe(string(), regex(/^[a-z_]{1,40}$/, "the name of a pool")),
  from_count: count,
  to_count: count,
  reason: picklist([
    "scale_up",
    "scale_down"
  ])
});
var work = looseObject({
  num_prefill_requests: number2,
  num_decode_requests: number2,
  sum_decode_kv_tokens: number2,
  sum_prefill_tokens: optional(number2)
});
var observations = maybe(array(looseObject({
  worker_id: union([
    string(),
    number()
  ]),
  dp_rank: number2,
  metrics: looseObject({
    wall_time: optional(number2),
    scheduled_requests: work,
    queued_requests: work
  })
})));
var roleTopology = looseObject({
  active_count: count,
  starting_count: count,
  draining_count: count
});
var text3 = maybe(string());
var verdict = optional(looseObject({
  replicas: count,
  wanted: figure,
  reason: string(),
  metrics: array(looseObject({
    name: string(),
    value: figure,
    target: number2,
    replicas: figure
  }))
}));
var tick = looseObject({
  autoscaler: optional(looseObject({
    prefill: verdict,
    decode: verdict
  })),
  ordinal: count,
  at_ms: number2,
  scheduled_tick: optional(looseObject({
    at_s: optional(number2)
  })),
  input: looseObject({
    traffic: maybe(looseObject({
      duration_s: number2,
      num_req: number2,
      isl: number2,
      osl: number2
    })),
    worker_counts: maybe(record(string(), union([
      number(),
      boolean(),
      null_()
    ]))),
    fpm_observations: maybe(looseObject({
      prefill: observations,
      decode: observations
    }))
  }),
  topology: looseObject({
    prefill: roleTopology,
    decode: roleTopology
  }),
  effects: looseObject({
    scale_to: maybe(looseObject({
      num_prefill: figure,
      num_decode: figure
    })),
    diagnostics: looseObject({
      estimated_ttft_ms: figure,
      estimated_itl_ms: figure,
      predicted_num_req: figure,
      predicted_isl: figure,
      predicted_osl: figure,
      predicted_kv_hit_rate: figure,
      engine_rps_prefill: figure,
      engine_rps_decode: figure,
      load_decision_reason: text3,
      throughput_decision_reason: text3,
      load_decision_reason_prefill: text3,
      load_decision_reason_decode: text3,
      throughput_decision_reason_prefill: text3,
      throughput_decision_reason_decode: text3
    })
  }),
  runtime_decision: looseObject({
    target_prefill: figure,
    target_decode: figure
  })
});
var point = looseObject({
  router: maybe(record(string(), unknown())),
  planner: maybe(knobs),
  score: figure
});
var retuneEvent = looseObject({
  window: looseObject({
    index: optional(count),
    start_s: number2,
    end_s: number2,
    num_requests: count
  }),
  launched_at_s: optional(number2),
  decided_at_s: number2,
  outcome: string(),
  reason: text3,
  objective: text3,
  current: maybe(point),
  chosen: maybe(point),
  improvement_percentage: figure,
  planner_changes: maybe(record(string(), unknown())),
  candidates: maybe(array(record(string(), unknown())))
});
var ids = array(number2);
var lifecycle = looseObject({
  at_ms: number2,
  pool: string(),
  transitions: array(looseObject({
    transition: string()
  })),
  state_after_batch: looseObject({
    active: ids,
    starting: ids,
    draining: ids
  })
});
var planner = looseObject({
  metadata: optional(record(string(), unknown()), {}),
  ticks: listOf(tick),
  scaling_events: listOf(scalingEvent),
  recommended_scaling_events: listOf(scalingEvent),
  lifecycle_operations: listOf(lifecycle),
  retune_events: nullish(array(retuneEvent), null),
  total_ticks: optional(count, 0),
  html_report_path: text3
});
var metadata = looseObject({
  roles: array(looseObject({
    role: string(),
    kv_blocks: number2,
    kv_ranks: optional(number2),
    kv_block_tokens: number2,
    kv_blocks_from: string(),
    max_model_tokens: nullable(number2),
    data_version: optional(string()),
    backend_version: text3,
    weights: optional(string()),
    expert_weights: text3,
    attention: text3,
    kv_cache: optional(string()),
    communication: optional(string()),
    kv_bytes_per_token: optional(number2),
    calibration: optional(looseObject({
      level: string(),
      passes: count,
      passes_outside: count,
      request_overhead_ms: optional(number2),
      between_passes: optional(number2),
      fitted_to: optional(looseObject({
        passes: count,
        requests: count
      })),
      held_out: optional(record(string(), nullable(number2))),
      forced_from: optional(array(string()))
    }))
  }))
});
var evaluation = looseObject({
  sla: optional(looseObject({
    bounds: looseObject({
      ttft_ms: figure,
      itl_ms: figure,
      e2e_ms: figure
    }),
    requests: count,
    within: count,
    attainment: number2,
    missed: looseObject({
      ttft: count,
      tpot: count,
      e2e: count,
      unserved: count
    })
  })),
  cost: optional(looseObject({
    price_per_gpu_hour: number2,
    currency: pipe(string(), maxLength(20)),
    total: number2,
    per_million_output_tokens: nullable(number2),
    per_thousand_good_requests: nullable(number2)
  })),
  overload: optional(looseObject({
    queues_growing: boolean(),
    waiting: tuple([
      number2,
      number2,
      number2,
      number2
    ]),
    never_ran: count
  }))
});
var schedulers = array(looseObject({
  active_cache_usage: number2
}));
var telemetry = looseObject({
  samples: array(looseObject({
    sampled_at_ms: number2,
    prefill_scheduler_metrics: schedulers,
    decode_scheduler_metrics: schedulers
  }))
});
var worker = looseObject({
  pool: string(),
  worker_id: count,
  completed_requests: count,
  kv_use_mean: nullable(number2),
  kv_use_peak: number2
});
var report = looseObject({
  summary,
  evaluation: optional(evaluation),
  planner: nullish(planner, null),
  per_request: maybe(array(record(string(), unknown()))),
  coverage: optional(record(string(), unknown()), {}),
  telemetry: maybe(telemetry),
  workers: optional(array(worker)),
  metadata: maybe(metadata)
});
function checkReport(value, file) {
  if (typeof value !== "object" || value === null || !("summary" in value)) {
    throw refusal(file, "", "is not a report: it has no summary");
  }
  const result = safeParse(report, value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = getDotPath(issue) ?? "";
  const expected = issue.expected ?? issue.message;
  const found = issue.received.length > 60 ? `${issue.received.slice(0, 60)}\u2026` : issue.received;
  throw refusal(file, path, `is not a report: ${path} should be ${expected}, not ${found}`);
}
var refusal = (file, path, what) => new ConfigError(`${file} ${what}`, [
  {
    path,
    message: what,
    file
  }
]);

// cli/reports.ts
function reportFile(path) {
  if (path === "-") return path;
  const file = host().kind(path) === "directory" ? joinPath(path, "prediction.json") : path;
  if (host().kind(file) === "missing") throw refusal2(`there is no report: ${file} does not exist`, file);
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
    throw refusal2(`cannot read the report ${file}: ${cause.message}`, file, cause);
  }
  const { summary: summary2, planner: planner2, evaluation: evaluation2 } = checkReport(sectionedReport(value), file);
  return {
    summary: summary2,
    planner: planner2,
    evaluation: evaluation2
  };
}
var MOST_REPORT_BYTES = 2 ** 28;
var refusal2 = (message, file, cause) => new ConfigError(message, [
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

// lib/analysis/capacity_story.ts
var short2 = (value) => String(Number(value.toPrecision(4)));
var share = (value) => `${(value * 100).toFixed(2)} %`;
var LOAD_COLUMNS = [
  [
    "",
    ({ value }, { largest, beyond }) => value === largest ? "largest" : value === beyond ? "too much" : ""
  ],
  [
    "load",
    ({ value }) => short2(value)
  ],
  [
    "within SLA",
    ({ attainment: attainment2 }) => share(attainment2)
  ],
  [
    "requests/s",
    ({ request_throughput_rps }) => short2(request_throughput_rps)
  ],
  [
    "TTFT p95 (ms)",
    ({ p95_ttft_ms }) => short2(p95_ttft_ms)
  ],
  [
    "TPOT p95 (ms)",
    ({ p95_tpot_ms }) => short2(p95_tpot_ms)
  ]
];
function loadColumns({ points }) {
  if (points.every(({ cost: cost2 }) => cost2 === void 0)) return LOAD_COLUMNS;
  return [
    ...LOAD_COLUMNS,
    [
      "cost of 1,000 good",
      ({ cost: cost2 }) => goodCost(cost2) ?? "\u2013"
    ]
  ];
}
var goodCost = (cost2) => cost2?.per_thousand_good_requests == null ? null : moneyText(cost2.per_thousand_good_requests, cost2.currency);
function carriedText({ largest, beyond, over, attainment: attainment2, written, points }) {
  const asked = `${share(attainment2)} within the SLA`;
  if (largest === null) return `does not keep ${asked} at any load down to ${over} ${short2(points[0].value)}`;
  const load = over === "speedup" ? `${short2(largest / written)} \xD7 this traffic (speedup ${short2(largest)})` : over === "rate" ? `${short2(largest)} arrivals a second` : `${largest} at a time`;
  const cost2 = goodCost(points.find(({ value }) => value === largest)?.cost);
  const carried = `carries ${load} with ${asked}${cost2 === null ? "" : `, at ${cost2} a thousand of those requests`}`;
  return beyond === null ? `${carried}; no load up to ${short2(points.at(-1).value)} was too much` : carried;
}
function brevityText({ largest, points }) {
  if (!points.some(({ value, queues_growing }) => value === largest && queues_growing)) return null;
  return "queues still grew at that load when its last request came: a longer load of this size would be served worse, so the answer holds for a burst of this length only";
}
function whatRunsOut({ bottleneck, missed_ttft, missed_itl }) {
  return bottleneck === "prefill_compute" && missed_itl > missed_ttft ? "prompts that are computed between decode steps hold tokens up" : BOTTLENECKS[bottleneck];
}
function saturationText({ saturation }) {
  if (saturation === null) return null;
  const { value, kv_usage, preemptions_per_minute, missed_ttft, missed_itl } = saturation;
  return `at ${short2(value)} ${whatRunsOut(saturation)} (${share(kv_usage)} of the KV blocks in use while requests wait, ${short2(preemptions_per_minute)} preemptions a minute; ${missed_ttft} requests miss by their first token, ${missed_itl} by the time between tokens)`;
}
function saturationRows({ saturation }) {
  if (saturation === null) return [];
  return [
    [
      "runs out first",
      whatRunsOut(saturation)
    ],
    [
      "looked at load",
      short2(saturation.value)
    ],
    [
      "KV blocks in use while requests wait",
      share(saturation.kv_usage)
    ],
    [
      "preemptions a minute",
      short2(saturation.preemptions_per_minute)
    ],
    [
      "samples with as many sequences as may run",
      share(saturation.at_sequence_limit)
    ],
    [
      "requests waiting in schedulers, on average",
      short2(saturation.waiting_requests)
    ],
    [
      "requests waiting in the router, on average",
      short2(saturation.router_queue)
    ],
    [
      "requests that miss by their first token",
      String(saturation.missed_ttft)
    ],
    [
      "requests that miss by the time between tokens",
      String(saturation.missed_itl)
    ]
  ];
}
function explainCapacity(found) {
  const sentences = [
    brevityText(found),
    saturationText(found)
  ].filter((text4) => text4 !== null).map((text4) => `${text4[0].toUpperCase()}${text4.slice(1)}.`);
  const tried = `${found.points.length} loads were tried, from ${short2(found.points[0].value)} to ${short2(found.points.at(-1).value)} (${found.over}).`;
  return [
    `It ${carriedText(found)}.`,
    ...sentences,
    tried
  ];
}

// lib/analysis/recommendation_table.ts
var isScalar = (value) => [
  "number",
  "string",
  "boolean"
].includes(typeof value);
function knobsOf({ config }) {
  const knobs2 = {};
  for (const [name, value] of Object.entries(config)) if (isScalar(value)) knobs2[name] = value;
  const adapters = config.adapters;
  if (typeof adapters !== "object" || adapters === null) return knobs2;
  for (const [adapter, section2] of Object.entries(adapters)) {
    const prefix = adapter.slice(adapter.lastIndexOf(".") + 1);
    for (const [name, value] of Object.entries(Object(section2))) {
      if (isScalar(value)) knobs2[`${prefix}_${name}`] = value;
    }
  }
  return knobs2;
}
var DERIVED = /^(used_gpus|traffic_load|strategy|prefill_strategy|decode_strategy|backend_version|kv_load_|.*_kv_capacity_tokens)/;
function dimensionEffects(result) {
  const scores = /* @__PURE__ */ new Map();
  for (const one of result.candidates) {
    if (one.status !== "feasible" || one.score === null) continue;
    for (const [name, value] of Object.entries(knobsOf(one))) {
      if (DERIVED.test(name)) continue;
      const byValue = scores.get(name) ?? /* @__PURE__ */ new Map();
      scores.set(name, byValue);
      byValue.set(value, [
        ...byValue.get(value) ?? [],
        one.score
      ]);
    }
  }
  const dimensions = [];
  for (const [name, byValue] of scores) {
    if (byValue.size < 2) continue;
    const values = [
      ...byValue
    ].map(([value, all]) => {
      const ordered = all.toSorted((a, b) => a - b);
      return {
        value,
        candidates: all.length,
        best: ordered.at(-1),
        median: ordered[Math.floor(ordered.length / 2)]
      };
    }).toSorted((a, b) => b.best - a.best);
    const [first, second] = values;
    const scale = Math.max(Math.abs(first.best), Math.abs(second.best));
    dimensions.push({
      name,
      values,
      effect: scale > 0 ? (first.best - second.best) / scale : 0
    });
  }
  return dimensions.toSorted((a, b) => b.effect - a.effect);
}

// lib/analysis/recommendation_story.ts
var grouped2 = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
var short3 = (value) => String(Number(Math.abs(value).toPrecision(4)));
var percent = (share2) => `${Number((share2 * 100).toPrecision(2))} %`;
var targetOf = ({ provenance: { config } }) => {
  const { optimization, goal } = config;
  return String(optimization?.target ?? goal?.target ?? "throughput");
};
var descriptionOf = ({ provenance, candidate_id, used_gpus }) => provenance.description ?? `${candidate_id} (${used_gpus} GPUs)`;
var WHY = {
  model: "do not hold the model",
  context: "do not hold one sequence of the longest kind",
  split: "do not divide the model",
  backend: "are not for their backend",
  data: "cannot be timed",
  sla: "miss the SLA even when idle"
};
function lostReasons({ candidates }) {
  const counts = /* @__PURE__ */ new Map();
  for (const { status, reason } of candidates) {
    if (status === "feasible") continue;
    const text4 = `${status}: ${reason ?? "no reason given"}`;
    counts.set(text4, (counts.get(text4) ?? 0) + 1);
  }
  return [
    ...counts
  ].sort(([, a], [, b]) => b - a);
}
function explainRecommendation(result) {
  const { candidates, provenance: { search_strategy, space } } = result;
  const target = targetOf(result);
  const ranked = rankedCandidates(result);
  const feasible = candidates.filter(({ status }) => status === "feasible").length;
  const lines = [];
  const many = space?.configurations == null ? "" : ` of ${grouped2(space.configurations)} configurations`;
  lines.push(`Searched for ${target} (${search_strategy}): ${grouped2(candidates.length)}${many} were replayed whole, ${grouped2(feasible)} of them feasible.` + (space?.interrupted ? " The search was ended before its time." : ""));
  if (space !== void 0 && space.screened.length > 0) {
    lines.push(`${grouped2(space.screened.length)} replays of part of the load decided what was replayed whole.`);
  }
  for (const [why, text4] of Object.entries(WHY)) {
    const out = space?.ruled_out.filter((one) => one.why === why) ?? [];
    if (out.length === 0) continue;
    const sum = out.reduce((total, { combinations }) => total + combinations, 0);
    lines.push(`Ruled out before any replay: ${grouped2(sum)} choices of shapes ${text4} (for instance ${out[0].backend}, ${out[0].role} ${out[0].shape ?? ""}: ${out[0].reason}).`);
  }
  const [best, next] = ranked;
  if (best === void 0) lines.push("Nothing was feasible.");
  else {
    const within2 = best.metrics && attainment(best.metrics), price = searchPrice(result);
    const hourly = price === null || best.used_gpus === null ? "" : ` (${moneyText(best.used_gpus * price.perGpuHour, price.currency)} an hour)`;
    const share2 = within2 === null ? "" : `, ${percent(within2)} of the requests within the SLA`;
    lines.push(`${target === "pareto" ? "First on the front" : "Best"}: ${descriptionOf(best)} on ${best.used_gpus} GPUs${hourly}, ${target === "pareto" ? "throughput_per_gpu" : target} ${short3(best.score ?? 0)}${share2}.`);
    if (next?.score != null && best.score !== null && target !== "pareto") {
      const scale = Math.max(Math.abs(best.score), Math.abs(next.score));
      const behind = scale > 0 ? ` (${percent(Math.abs(best.score - next.score) / scale)} behind)` : "";
      lines.push(`Next: ${descriptionOf(next)}, ${short3(next.score)}${behind}.`);
    }
  }
  for (const { name, values, effect } of dimensionEffects(result).slice(0, 8)) {
    const [first, ...others] = values;
    lines.push(effect === 0 ? `${name}: makes no difference to the best (${values.map(({ value }) => value).join(", ")}).` : `${name}: ${first.value} is best with ${short3(first.best)}; ${others.slice(0, 4).map(({ value, best: best2 }) => `${value} at best ${short3(best2)}`).join(", ")} (giving it up costs ${percent(effect)}).`);
  }
  for (const [reason, count2] of lostReasons(result).slice(0, 5)) {
    lines.push(`Not ranked, ${grouped2(count2)} times: ${reason}.`);
  }
  return lines;
}

export {
  CAPACITY_FILE,
  searchPrice,
  rankedCandidates,
  checkReport,
  reportFile,
  readReport,
  capacityResult,
  searchResult,
  table,
  safe,
  markup,
  MARGINS,
  grid,
  zeroLine,
  bottomAxis,
  minutesAxis,
  valueAxis,
  LIGHT,
  runColor,
  labelled,
  duration,
  amount,
  draw,
  capacityPlot,
  capacityLatencyPlot,
  loadColumns,
  carriedText,
  brevityText,
  saturationText,
  saturationRows,
  explainCapacity,
  makeColumns,
  pushRow,
  tradeOffPlot,
  gpuHoursPlot,
  runRows,
  figureSvg,
  figureHtml,
  kvPlot,
  latencyCdfPlot,
  ttftByLengthPlot,
  latencyPlot,
  goodputPlot,
  page,
  replicasPlot,
  replicasCells,
  trafficPlot,
  queuePlot,
  htmlReport,
  htmlReportSteps,
  dimensionEffects,
  targetOf,
  descriptionOf,
  explainRecommendation
};
