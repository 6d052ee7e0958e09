import {
  MARGINS,
  draw,
  figureHtml,
  grid,
  minutesAxis,
  page,
  runRows,
  valueAxis
} from "./drawing.js";
import {
  LIGHT,
  amount,
  duration,
  runColor,
  safe
} from "./analysis.js";
import "./shared.js";
import {
  moneyText,
  time
} from "./config.js";
import "./timing.js";
import "./base.js";

// lib/analysis/diagnostics_charts.ts
import * as Plot from "@observablehq/plot";
var LOAD_COLORS = {
  scale_up: LIGHT.green,
  scale_down: LIGHT.blue,
  scale_down_capped_by_throughput: LIGHT.purple,
  no_fpm_data: LIGHT.amber,
  scaling_in_progress: LIGHT.vermilion,
  worker_count_mismatch: LIGHT.vermilion,
  insufficient_data: LIGHT.purple,
  missing_engine_metadata: LIGHT.vermilion
};
var THROUGHPUT_COLORS = {
  scale: LIGHT.green,
  set_lower_bound: LIGHT.blue,
  no_traffic_data: LIGHT.amber,
  predict_failed: LIGHT.vermilion,
  model_not_ready: LIGHT.vermilion,
  missing_engine_metadata: LIGHT.vermilion,
  partner_not_ready: LIGHT.purple
};
var WIDTH = 500;
var HEIGHT = 190;
var MOST_LEGEND = 4;
function chart(snapshots, title, unit, series, format = amount) {
  const untilS = endOf(snapshots);
  const drawn = series.map((one) => {
    const rows = snapshots.flatMap((snapshot) => {
      const value = one.of(snapshot);
      return value === null || !Number.isFinite(value) ? [] : [
        {
          at: snapshot.timestamp_s / 60,
          value
        }
      ];
    });
    const kept = one.kind === "diamond" ? apart(rows, ({ value }) => value, untilS / 60) : rows.filter(bends);
    return {
      ...one,
      rows: kept
    };
  }).filter(({ rows }) => rows.length > 0);
  const marks = drawn.map(({ rows, color, kind = "line" }) => kind === "diamond" ? Plot.dot(rows, {
    x: "at",
    y: "value",
    symbol: "diamond",
    fill: color,
    r: 3.5
  }) : Plot.lineY(rows, {
    x: "at",
    y: "value",
    stroke: color,
    strokeWidth: kind === "dashed" ? 1.25 : 1.75,
    strokeDasharray: kind === "dashed" ? "4 3" : void 0,
    curve: kind === "step" ? "step-after" : "linear"
  }));
  const signs = {
    line: "line",
    step: "line",
    dashed: "dashed",
    diamond: "dot"
  };
  const legend = drawn.slice(0, MOST_LEGEND).map(({ label, color, kind = "line" }) => ({
    label,
    color,
    mark: signs[kind]
  }));
  const more = drawn.length > MOST_LEGEND ? `, ${drawn.length} lines` : "";
  return {
    title,
    subtitle: drawn.length === 0 ? "no data" : unit + more,
    untilMs: untilS * 1e3,
    legend,
    panels: [
      {
        plot: draw({
          ...MARGINS,
          marginTop: 14,
          marginBottom: 28,
          width: WIDTH,
          height: HEIGHT,
          x: {
            domain: [
              0,
              untilS / 60
            ]
          },
          y: {
            zero: true,
            nice: true,
            domain: drawn.length === 0 ? [
              0,
              1
            ] : void 0
          },
          marks: [
            grid(3),
            minutesAxis(4),
            valueAxis("", format, 3),
            ...marks
          ]
        })
      }
    ],
    data: {
      x: "time (s)",
      series: drawn.map(({ label, rows, kind }) => ({
        of: label,
        part: "",
        unit: format === amount ? unit : "ms",
        x: rows.map(({ at }) => at * 60),
        y: rows.map(({ value }) => value),
        step: kind === "step"
      }))
    }
  };
}
var bends = ({ value }, i, points) => value !== points[i - 1]?.value || value !== points[i + 1]?.value;
function apart(markers, rowOf, length) {
  const last = /* @__PURE__ */ new Map(), least = length / (2 * WIDTH);
  return markers.filter((marker) => {
    const row = rowOf(marker);
    if (marker.at - (last.get(row) ?? -Infinity) < least) return false;
    last.set(row, marker.at);
    return true;
  });
}
function decisions(snapshots, title, loop) {
  const colors = loop === "load" ? LOAD_COLORS : THROUGHPUT_COLORS;
  const byRole = snapshots.some((snapshot) => snapshot[`${loop}_decision_reason_prefill`] !== null || snapshot[`${loop}_decision_reason_decode`] !== null);
  const roles = byRole ? [
    "prefill",
    "decode"
  ] : [
    null
  ];
  const all = snapshots.flatMap((snapshot) => roles.flatMap((role) => {
    const whole = snapshot[`${loop}_decision_reason`];
    const reason = role === null ? whole : snapshot[`${loop}_decision_reason_${role}`] ?? whole;
    const words = reason?.replaceAll("_", " ") ?? "";
    return !reason ? [] : [
      {
        at: snapshot.timestamp_s,
        reason,
        name: role === null ? words : `${role}: ${words}`
      }
    ];
  }));
  const names = [
    ...new Set(all.map(({ name }) => name))
  ].sort();
  const untilS = endOf(snapshots);
  const marks = apart(all, ({ name }) => name, untilS);
  return {
    title,
    subtitle: marks.length === 0 ? "no data" : "one marker a tick",
    untilMs: untilS * 1e3,
    panels: [
      {
        plot: draw({
          width: WIDTH,
          height: Math.max(HEIGHT, 40 + 34 * names.length),
          marginLeft: 12,
          marginRight: 16,
          marginTop: 14,
          marginBottom: 28,
          x: {
            domain: [
              0,
              untilS / 60
            ]
          },
          y: {
            domain: [
              0,
              Math.max(names.length, 1)
            ],
            reverse: true,
            axis: null
          },
          color: {
            type: "identity"
          },
          marks: [
            minutesAxis(4),
            ...runRows(names.map((name) => ({
              name
            }))),
            Plot.dot(marks, {
              x: ({ at }) => at / 60,
              y: ({ name }) => names.indexOf(name) + 0.7,
              fill: ({ reason }) => Object.hasOwn(colors, reason) ? colors[reason] : LIGHT.grey,
              r: 3,
              title: ({ at, name }) => `${time(at)}  ${name}`
            })
          ]
        })
      }
    ],
    data: {
      x: "time (s)",
      series: names.map((name) => {
        const own = marks.filter((mark) => mark.name === name);
        return {
          of: name,
          part: "",
          unit: "decisions",
          x: own.map(({ at }) => at),
          y: own.map(() => 1)
        };
      })
    }
  };
}
var endOf = (snapshots) => Math.max(snapshots.at(-1)?.timestamp_s ?? 1, 1);

// lib/analysis/diagnostics_page.ts
function diagnosticsPage(snapshots, options) {
  const { ttftMs, itlMs } = options;
  const bounds = (label, limit) => ({
    label,
    color: "currentColor",
    of: () => limit,
    kind: "dashed"
  });
  const split = snapshots.some(({ num_prefill_replicas }) => num_prefill_replicas > 0);
  const floors = (role) => snapshots.some((snapshot) => snapshot[`throughput_lower_bound_${role}`] > 1) ? [
    {
      label: `lower bound, ${role}`,
      color: role === "prefill" ? LIGHT.vermilion : LIGHT.blue,
      of: (snapshot) => snapshot[`throughput_lower_bound_${role}`],
      kind: "dashed"
    }
  ] : [];
  const replicas = (role, color) => [
    {
      label: role,
      color,
      of: (snapshot) => snapshot[`num_${role}_replicas`],
      kind: "step"
    },
    {
      label: `Recommended ${role === "prefill" ? "Prefill" : "Decode"} Replicas`,
      color,
      of: (snapshot) => snapshot[`scale_to_${role}`],
      kind: "diamond"
    },
    ...floors(role)
  ];
  const line = (label, color, of) => ({
    label,
    color,
    of
  });
  const charts = [
    chart(snapshots, "Replica Counts", "workers", [
      ...split ? replicas("prefill", LIGHT.vermilion) : [],
      ...replicas("decode", LIGHT.blue)
    ]),
    chart(snapshots, "Request Rate (Observed vs Predicted)", "requests/s", [
      line("observed", LIGHT.blue, (snapshot) => snapshot.observed_requests_per_second),
      line("predicted", LIGHT.vermilion, (snapshot) => snapshot.predicted_requests_per_second)
    ]),
    chart(snapshots, "Observed TTFT vs SLA", "TTFT", [
      line("observed", LIGHT.blue, (snapshot) => snapshot.observed_ttft_ms),
      bounds(`SLA ${duration(ttftMs)}`, ttftMs)
    ], duration),
    chart(snapshots, "Observed ITL vs SLA", "ITL", [
      line("observed", LIGHT.blue, (snapshot) => snapshot.observed_itl_ms),
      bounds(`SLA ${duration(itlMs)}`, itlMs)
    ], duration),
    chart(snapshots, "Estimated TTFT vs SLA", "TTFT", [
      line("estimated", LIGHT.purple, (snapshot) => snapshot.estimated_ttft_ms),
      bounds(`SLA ${duration(ttftMs)}`, ttftMs)
    ], duration),
    chart(snapshots, "Estimated ITL vs SLA", "ITL", [
      line("estimated", LIGHT.purple, (snapshot) => snapshot.estimated_itl_ms),
      bounds(`SLA ${duration(itlMs)}`, itlMs)
    ], duration),
    chart(snapshots, "Prefill Engine Load", "queued prefill tokens", engines(snapshots, split ? "prefill_engines" : "decode_engines", (load) => load.queued_prefill_tokens)),
    chart(snapshots, "Decode Engine Load", "queued and in-flight KV tokens", [
      ...engines(snapshots, "decode_engines", (load) => load.queued_decode_kv_tokens + load.inflight_decode_kv_tokens),
      ...options.kvCapacityTokens ? [
        bounds("KV Capacity", options.kvCapacityTokens)
      ] : []
    ]),
    chart(snapshots, "Engine Capacity (req/s)", "requests/s", [
      line("prefill", LIGHT.vermilion, (snapshot) => snapshot.engine_rps_prefill),
      line("decode", LIGHT.blue, (snapshot) => snapshot.engine_rps_decode)
    ]),
    chart(snapshots, "Sequence Lengths (Observed vs Predicted)", "tokens", [
      line("ISL observed", LIGHT.blue, (snapshot) => snapshot.observed_input_sequence_tokens),
      line("ISL predicted", LIGHT.vermilion, (snapshot) => snapshot.predicted_input_sequence_tokens),
      line("OSL observed", LIGHT.green, (snapshot) => snapshot.observed_output_sequence_tokens),
      line("OSL predicted", LIGHT.purple, (snapshot) => snapshot.predicted_output_sequence_tokens)
    ]),
    decisions(snapshots, "Load Scaling Decisions", "load"),
    decisions(snapshots, "Throughput Scaling Decisions", "throughput"),
    chart(snapshots, "Cumulative GPU Hours", "GPU hours", [
      line("GPU hours", LIGHT.green, (snapshot) => snapshot.gpu_hours)
    ])
  ];
  return page({
    title: "Planner Diagnostics Report",
    facts: facts(snapshots, options, split),
    main: safe`<section><div class="grid">${charts.map(figureHtml)}</div></section>`
  });
}
function facts(snapshots, options, split) {
  const first = snapshots[0]?.timestamp_s ?? 0, last = snapshots.at(-1)?.timestamp_s ?? 0;
  const changes = (role) => snapshots.filter((snapshot, i) => i > 0 && snapshot[`num_${role}_replicas`] !== snapshots[i - 1][`num_${role}_replicas`]).length;
  const transitions = split ? `${changes("prefill")} prefill and ${changes("decode")} decode replica transitions` : `${changes("decode")} replica transitions`;
  const hours = snapshots.at(-1)?.gpu_hours ?? 0, { cost } = options;
  const money = cost ? ` (${moneyText(hours * cost.price_per_gpu_hour, cost.currency)})` : "";
  return `${time(first)} to ${time(last)}, ${snapshots.length} ticks; ${transitions}; ${hours.toFixed(3)} GPU hours${money}; SLA targets TTFT ${duration(options.ttftMs)}, ITL ${duration(options.itlMs)}`;
}
function engines(snapshots, role, of) {
  const names = new Set(snapshots.flatMap((snapshot) => snapshot[role].map(nameOf)));
  return [
    ...names
  ].map((name, i) => ({
    label: name,
    color: runColor(i),
    of: (snapshot) => {
      const load = snapshot[role].find((engine) => nameOf(engine) === name);
      return load === void 0 ? null : of(load);
    }
  }));
}
var nameOf = ({ worker_id, dp_rank }) => `worker ${worker_id}${dp_rank > 0 ? ` rank ${dp_rank}` : ""}`;
export {
  diagnosticsPage
};
