import {
  readReport
} from "./drawing.js";
import "./analysis.js";
import "./shared.js";
import {
  FIGURES,
  figuresOf,
  firstDivergence
} from "./config.js";
import "./timing.js";
import {
  alignedRows,
  choice,
  clock,
  command,
  csvText,
  outputColumns,
  paint,
  writeText
} from "./base.js";

// cli/comparison_texts.ts
var MOST_COLUMNS = 6;
function comparisonText(comparison, columns) {
  const { runs } = comparison;
  const wide = columnTable(comparison);
  const fits = runs.length <= MOST_COLUMNS && plain(wide).every(({ length }) => length <= columns);
  const [lines, sentences] = fits ? [
    wide,
    comparison.divergences.map(divergenceText)
  ] : [
    rowTable(comparison, columns),
    comparison.divergences.map(shortText)
  ];
  return `${[
    ...lines,
    ...sentences.length > 0 ? [
      "",
      ...sentences
    ] : []
  ].join("\n")}
`;
}
var plain = (lines) => lines.map((line) => line.replaceAll(/\x1b\[\d+m/g, ""));
function columnTable({ runs, figures }) {
  const table = [
    [
      "",
      ...runs
    ],
    ...figures.map(({ key, label, values }) => [
      label,
      ...values.map((_, run) => cellText(values, run, key.endsWith("_percent")))
    ])
  ];
  return coloured(table, (row, column) => ({
    figure: figures[row],
    run: column
  }));
}
var TELLING = [
  [
    "attainment_percent",
    "SLA %"
  ],
  [
    "gpu_hours",
    "GPU h"
  ],
  [
    "cost",
    "cost"
  ],
  [
    "p95_ttft_ms",
    "TTFT p95"
  ],
  [
    "p95_tpot_ms",
    "TPOT p95"
  ],
  [
    "output_throughput_tok_s",
    "tok/s"
  ],
  [
    "scaling_events",
    "events"
  ],
  [
    "p95_itl_ms",
    "ITL p95"
  ],
  [
    "p95_e2e_latency_ms",
    "E2E p95"
  ],
  [
    "median_ttft_ms",
    "TTFT p50"
  ],
  [
    "median_tpot_ms",
    "TPOT p50"
  ],
  [
    "rejected_requests",
    "rejected"
  ],
  [
    "p99_ttft_ms",
    "TTFT p99"
  ],
  [
    "p99_tpot_ms",
    "TPOT p99"
  ],
  [
    "p99_itl_ms",
    "ITL p99"
  ],
  [
    "goodput_output_throughput_tok_s",
    "good tok/s"
  ],
  [
    "prefix_cache_reused_ratio",
    "reuse"
  ]
];
var NAME = 28;
function rowTable({ runs, figures }, columns) {
  const told = TELLING.flatMap(([key, head]) => {
    const figure = figures.find((one) => one.key === key);
    return figure === void 0 ? [] : [
      {
        figure,
        head
      }
    ];
  });
  for (let shown = told.length; ; shown--) {
    const picked = told.slice(0, shown);
    const table = [
      [
        "",
        ...picked.map(({ head }) => head)
      ],
      ...runs.map((name, run) => [
        name.length > NAME ? `\u2026${name.slice(1 - NAME)}` : name,
        ...picked.map(({ figure: { values } }) => values[run] === null ? "\u2013" : numberText(values[run]))
      ])
    ];
    if (shown > 1 && Math.max(...alignedRows(table).map(({ length }) => length)) > columns) continue;
    const left = figures.length - shown;
    return [
      ...coloured(table, (run, column) => ({
        figure: picked[column].figure,
        run
      })),
      ...left > 0 ? [
        "",
        `${left} more figures: --format csv`
      ] : []
    ];
  }
}
function coloured(table, of) {
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  return table.map((row, index) => row.map((text, column) => {
    if (column === 0) return text.padEnd(widths[0]);
    const padded = text.padStart(widths[column]);
    if (index === 0) return paint("bold", padded, "stdout");
    const { figure, run } = of(index - 1, column - 1);
    return judged(padded, figure, run);
  }).join("  ").trimEnd());
}
function divergenceText({ run, against, divergence }) {
  if (divergence === null) return `The autoscalers of ${against} and ${run} decide alike at every tick.`;
  const { ordinal, at_ms, what, first, second } = divergence;
  return `The autoscalers of ${against} and ${run} part at tick ${ordinal} (${clock(at_ms)}), ${what}:
  ${against}: ${first}
  ${run}: ${second}`;
}
var shortText = ({ run, against, divergence }) => divergence === null ? `${run} decides as ${against} does` : `${run} parts from ${against} at tick ${divergence.ordinal} (${clock(divergence.at_ms)}), ${divergence.what}`;
function judged(text, { better, values }, run) {
  const [base, value] = [
    values[0],
    values[run]
  ];
  if (better === null || base === null || value === null || Math.abs(value - base) <= Math.abs(base) / 1e3) {
    return text;
  }
  return paint(value > base === (better === "higher") ? "green" : "red", text, "stdout");
}
function cellText(values, run, percentage = false) {
  const [base, value] = [
    values[0],
    values[run]
  ];
  if (value === null) return "\u2013";
  const shown = numberText(value);
  if (run === 0 || base === null) return shown;
  if (value === base) return `${shown} (=)`;
  const sign = value > base ? "+" : "\u2212";
  const distance = Math.abs(value - base);
  if (percentage) return `${shown} (${sign}${distance.toFixed(2)} points)`;
  return `${shown} (${sign}${base === 0 ? numberText(distance) : `${(distance / Math.abs(base) * 100).toFixed(1)} %`})`;
}
function numberText(value) {
  const digits = Number.isInteger(value) || Math.abs(value) >= 1e3 ? 0 : Math.abs(value) >= 10 ? 2 : 4;
  const [whole, decimals] = value.toFixed(digits).split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (decimals === void 0 ? "" : `.${decimals}`);
}

// cli/compare.ts
var LINE = {
  command: "compare",
  summary: "Puts the reports of several runs side by side; differences are to the first one.",
  options: {
    format: choice("what is printed", [
      "table",
      "json",
      "csv"
    ], {
      fallback: "table"
    })
  },
  operands: {
    name: "DIR\u2026",
    help: "output directories of predict (or prediction.json files), at least two",
    least: 2,
    most: Infinity
  }
};
var compareCommand = command(LINE, async ({ format }, paths) => {
  const names = distinct(paths);
  const runs = {};
  for (const [index, path] of paths.entries()) runs[names[index]] = await readReport(path);
  const comparison = compared(runs);
  writeText("stdout", TEXTS[format](comparison));
});
var TEXTS = {
  table: (comparison) => comparisonText(comparison, outputColumns()),
  json: (comparison) => `${JSON.stringify(comparison)}
`,
  csv: ({ runs, figures }) => csvText(runs.map((name, run) => ({
    name,
    ...Object.fromEntries(figures.map(({ key, values }) => [
      key,
      values[run]
    ]))
  })))
};
function distinct(paths) {
  const parts = paths.map((path) => path.replace(/\/(prediction\.json)?$/, "").split("/"));
  const inside = (index) => parts.every((part) => part.length > index + 1 && part[index] === parts[0][index]);
  let shared = 0;
  while (inside(shared)) shared++;
  const names = parts.map((part) => part.slice(shared).join("/") || ".");
  return names.map((name, index) => {
    const earlier = names.slice(0, index).filter((other) => other === name).length;
    return earlier === 0 ? name : `${name} (${earlier + 1})`;
  });
}
function inCurrency(figure, units) {
  if (!figure.key.startsWith("cost") || units.size === 0) return figure;
  const label = `${figure.label} (${[
    ...units
  ].join(", ")})`;
  return units.size === 1 ? {
    ...figure,
    label
  } : {
    ...figure,
    label,
    better: null
  };
}
function compared(runs) {
  const names = Object.keys(runs), reports = Object.values(runs);
  const values = reports.map(figuresOf);
  const [base] = reports;
  const units = new Set(reports.flatMap(({ evaluation }) => evaluation?.cost ? [
    evaluation.cost.currency
  ] : []));
  return {
    runs: names,
    figures: FIGURES.map((figure) => ({
      ...inCurrency(figure, units),
      values: values.map((of) => of[figure.key])
    })).filter((figure) => figure.values.some((value) => value !== null)),
    divergences: reports.flatMap((report, index) => index === 0 || !base.planner || !report.planner ? [] : [
      {
        run: names[index],
        against: names[0],
        divergence: firstDivergence(base, report)
      }
    ])
  };
}
export {
  compareCommand,
  compared,
  distinct
};
