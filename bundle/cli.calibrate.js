import {
  calibrate,
  readMeasured
} from "./calibrate.js";
import "./retune.js";
import "./router.js";
import "./planner.js";
import {
  figureSvg
} from "./analysis.js";
import "./traces.js";
import "./core.js";
import "./shared.js";
import {
  STACKS,
  configText,
  jsonText,
  loadPrediction,
  writeTogether
} from "./config.js";
import "./timing.js";
import {
  ConfigError,
  ProgressBar,
  alignedRows,
  choice,
  command,
  csvText,
  list,
  shareLine,
  showReading,
  text,
  warn,
  writeText
} from "./base.js";

// cli/calibration_texts.ts
function calibrationText({ before, after, level, tried, groups, skipped, assumed, shared_times, request_overhead_ms, between_passes }) {
  const lines = [];
  const metrics = [
    [
      "metric",
      "n",
      "error",
      "bias",
      ...after === null ? [] : [
        "error after",
        "bias after"
      ]
    ]
  ];
  for (const [name, { mdape, bias, n }] of Object.entries(before)) {
    const later = after?.[name];
    metrics.push([
      name,
      String(n),
      percent(mdape),
      signed(bias),
      ...after === null ? [] : [
        percent(later?.mdape ?? null),
        signed(later?.bias ?? null)
      ]
    ]);
  }
  lines.push("Simulated against measured (median error, in %; after: held out)", "", ...alignedRows(metrics), "");
  for (const [by, rows] of Map.groupBy(groups, ({ by: by2 }) => by2)) {
    const corrected = rows.some(({ after_mdape }) => after_mdape !== null);
    const later = ({ after_mdape, after_bias }) => corrected ? [
      percent(after_mdape),
      signed(after_bias)
    ] : [];
    const table = [
      [
        by,
        "n",
        "measured ms",
        "simulated ms",
        "error",
        "bias",
        ...corrected ? [
          "after",
          "bias"
        ] : []
      ]
    ];
    for (const row of rows) {
      const { group, n, measured_ms, simulated_ms, mdape, bias } = row;
      const sizes = [
        String(n),
        measured_ms.toFixed(2),
        simulated_ms.toFixed(2)
      ];
      table.push([
        group,
        ...sizes,
        percent(mdape),
        signed(bias),
        ...later(row)
      ]);
    }
    lines.push(...alignedRows(table));
    if (by.endsWith("time") && rows.length > 1) {
      const worst = rows.reduce((a, b) => b.mdape > a.mdape ? b : a);
      lines.push(`worst in time: ${worst.group}, ${percent(worst.mdape)} %`);
    }
    lines.push("");
  }
  for (const [phase, steps] of Map.groupBy(tried, ({ phase: phase2 }) => phase2)) {
    const told = steps.map(({ level: level2, error, accepted }) => `${level2} ${error.toFixed(2)} %${accepted ? " \u2713" : ""}`);
    lines.push(`${phase}: ${told.join(", ")}`);
  }
  if (after !== null) lines.push(`correction: ${level}`);
  if (request_overhead_ms > 0) {
    lines.push(`every request waits ${request_overhead_ms.toFixed(1)} ms outside of the passes`);
  }
  if (between_passes > 0) {
    lines.push(`between passes ${(100 * between_passes).toFixed(1)} % of their time passes, which no pass holds`);
  }
  if (shared_times > 0) {
    lines.push(`shared out: the time of ${shared_times} \xD7 two passes that was recorded with the first of them`);
  }
  for (const [reason, count] of Object.entries(skipped)) lines.push(`left out: ${count} \xD7 ${reason}`);
  for (const sentence of assumed) lines.push(`assumed: ${sentence}`);
  return `${lines.join("\n")}
`;
}
var percent = (value) => value === null ? "\u2013" : value.toFixed(1);
var signed = (value) => value === null ? "\u2013" : `${value > 0 ? "+" : ""}${value.toFixed(1)}`;

// cli/calibrate.ts
var LINE = {
  command: "calibrate",
  summary: "Compares measurements of a real system with their simulation, and fits the simplest correction that pays.",
  options: {
    config: text("the deployment that was measured, a prediction's YAML file", {
      value: "FILE",
      short: "c",
      required: true
    }),
    output: text("write the correction here, for timing.calibration", {
      value: "FILE",
      short: "o"
    }),
    stack: choice("which sections the configuration may have", STACKS, {
      fallback: "dynamo"
    }),
    set: list("replaces one value of the configuration", {
      value: "PATH=YAML"
    }),
    role: choice("whose passes were measured", [
      "aggregated",
      "prefill",
      "decode"
    ], {
      fallback: "aggregated"
    }),
    figure: text("also draw the bias by group, without a correction and with it, as SVG", {
      value: "FILE"
    }),
    format: choice("a table, JSON, or the errors by group as CSV", [
      "table",
      "json",
      "csv"
    ], {
      fallback: "table"
    })
  },
  operands: {
    name: "MEASURED",
    help: "measurements, all of one deployment",
    least: 1,
    most: Infinity
  },
  notes: [
    "Measurements: forward passes (Dynamo's recorder, or a CSV table with latency_ms), Dynamo request traces, AIPerf's profile_export.jsonl, detailed results of vllm bench serve and of SGLang's bench_serving.",
    "Errors are (simulated - measured) / measured in percent; those after a fit are of measurements it did not see."
  ]
};
var TEXTS = {
  table: calibrationText,
  json: jsonText,
  csv: ({ groups }) => csvText(groups.map((row) => ({
    ...row
  })))
};
var calibrateCommand = command(LINE, async (options, operands) => {
  const { plan } = await loadPrediction(await configText(options.config), {
    name: options.config,
    stack: options.stack,
    set: options.set
  });
  if (!plan.roles.some(({ role }) => role === options.role)) {
    const roles = plan.roles.map(({ role }) => role).join(", ");
    throw new ConfigError(`${options.config} has no ${options.role} role; name one with --role (${roles})`);
  }
  const hide = showReading(operands);
  const measured = await readMeasured(operands).finally(hide);
  const result = await calibrated(measured, plan, options.role);
  writeText("stdout", TEXTS[options.format](result));
  if (result.refused !== null) warn("calibrate", `${result.refused}; nothing was fitted`);
  if (options.figure !== void 0) {
    const { calibrationPlot } = await import(import.meta.resolve("./lib.analysis.calibration_plot.js"));
    await writeTogether("", [
      [
        options.figure,
        [
          figureSvg(calibrationPlot(result.groups))
        ]
      ]
    ]);
  }
  if (options.output === void 0) return;
  if (result.profile === null) throw new ConfigError(`${options.output} is not written: there is no correction`);
  await writeTogether("", [
    [
      options.output,
      [
        jsonText(result.profile)
      ]
    ]
  ]);
});
async function calibrated(measured, plan, role) {
  let bar = new ProgressBar(), at = "";
  try {
    return await calibrate(measured, plan, {
      role,
      onProgress({ step, share }) {
        if (step !== at) {
          bar.clear();
          [bar, at] = [
            new ProgressBar(),
            step
          ];
        }
        bar.draw((elapsedMs, columns) => shareLine(share, step, elapsedMs, columns));
      }
    });
  } finally {
    bar.clear();
  }
}
export {
  calibrateCommand
};
