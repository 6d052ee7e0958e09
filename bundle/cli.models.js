import {
  jsonText
} from "./config.js";
import {
  PerfCatalog,
  findModel,
  modelSupport,
  shippedModels,
  unknownModel
} from "./timing.js";
import {
  BACKENDS,
  ConfigError,
  ProgressBar,
  alignedRows,
  choice,
  command,
  csvLine,
  list,
  shareLine,
  stopPoint,
  writeText
} from "./base.js";

// cli/models.ts
var LINE = {
  command: "models",
  summary: "Tells which models come with facts and whether they can be timed, for every system and backend.",
  options: {
    hardware: list("GPU system; repeat for several; default: all whose measurements are on this machine", {
      value: "NAME"
    }),
    backend: list(`serving framework (${BACKENDS.join(", ")}); repeat for several; default: all`, {
      value: "NAME"
    }),
    format: choice("a table, or rows as JSON or CSV", [
      "text",
      "json",
      "csv"
    ], {
      fallback: "text"
    })
  },
  operands: {
    name: "MODEL",
    help: "only these; also a folder with a config.json",
    least: 0,
    most: Infinity
  },
  notes: [
    "A model is timed on the smallest number of GPUs that hold it and a KV cache: tp is tensor-parallel ranks, dp attention-data-parallel ones, ep and mtp expert- and tensor-parallel ranks of the experts. A row: model, architecture, hardware, backend, status (timed or refused), reason, shape."
  ]
};
var modelsCommand = command(LINE, async (options, operands) => {
  const catalog = new PerfCatalog();
  const systems = options.hardware.length > 0 ? options.hardware : systemsHere(catalog);
  const names = operands.length > 0 ? operands : shippedModels();
  const places = systems.flatMap((system) => {
    const measured = Object.keys(catalog.system(system).backends);
    return (options.backend.length > 0 ? options.backend : BACKENDS.filter((name) => measured.includes(name))).map((backend) => ({
      system,
      backend
    }));
  });
  for (const { system, backend } of places) {
    await stopPoint();
    catalog.load({
      system,
      backend,
      version: catalog.version(system, backend)
    });
  }
  const models = names.map((name) => {
    const found = findModel(name);
    if (found === void 0) throw unknownModel(name);
    return found;
  });
  const rows = [], bar = new ProgressBar(), wanted = models.length * places.length;
  const table = new SupportTable(names, places.map(placeText));
  const print = (text) => {
    bar.clear();
    return writeText("stdout", text);
  };
  try {
    if (options.format === "text") print(table.head());
    for (const [i, model] of models.entries()) {
      const own = [];
      for (const { system, backend } of places) {
        await stopPoint();
        own.push(modelSupport(model, system, backend, catalog));
        const share = (rows.length + own.length) / wanted, what = `${i + 1} of ${models.length} models`;
        bar.draw((elapsedMs, columns) => shareLine(share, what, elapsedMs, columns));
      }
      const line = options.format === "text" ? table.line(own) : options.format === "csv" ? csvRows(own, i === 0) : "";
      if (line !== "" && !print(line)) return;
      rows.push(...own);
    }
  } finally {
    bar.clear();
  }
  if (options.format === "text") print(table.end());
  if (options.format === "json") print(jsonText(rows));
});
function csvRows(rows, first) {
  const lines = rows.map((row) => csvLine(Object.values({
    ...row,
    shape: row.shape === null ? null : shapeText(row)
  })));
  return [
    ...first ? [
      csvLine(Object.keys(rows[0]))
    ] : [],
    ...lines
  ].join("");
}
function systemsHere(catalog) {
  const here = catalog.systemNames().filter((system) => catalog.setsOnThisMachine(system).length > 0);
  if (here.length === 0) throw new ConfigError("no measurements are on this machine; name a system with --hardware");
  return here;
}
var placeText = ({ system, backend }) => `${system} ${backend}`;
var SHAPE_WIDTH = "tp1 dp16 ep16".length;
var SupportTable = class {
  #places;
  #widths;
  #reasons = /* @__PURE__ */ new Map();
  #timed;
  #models = 0;
  /**
   * @param models names of all that come
   * @param places system and backend
   */
  constructor(models, places) {
    this.#places = places;
    const longest = Math.max(...[
      "model",
      ...models
    ].map(({ length }) => length));
    this.#widths = [
      longest,
      ...places.map(({ length }) => Math.max(length, SHAPE_WIDTH))
    ];
    this.#timed = places.map(() => 0);
  }
  /** The heads of the columns. */
  head() {
    return this.#line([
      "model",
      ...this.#places
    ]);
  }
  /** A model: its rows in the order of the places. */
  line(rows) {
    this.#models++;
    const cells = rows.map((row, i) => {
      if (row.status !== "timed") return `(${this.#reason(summary(row.reason))})`;
      this.#timed[i]++;
      return shapeText(row);
    });
    return this.#line([
      rows[0].model,
      ...cells
    ]);
  }
  /** How many models are timed at each place, and the reasons. */
  end() {
    const counts = this.#places.map((place, i) => `${place}: ${this.#timed[i]} of ${this.#models} models are timed`);
    return [
      "",
      ...counts,
      "",
      ...[
        ...this.#reasons
      ].map(([text, number]) => `(${number}) ${text}`),
      ""
    ].join("\n");
  }
  #reason(text) {
    const number = this.#reasons.get(text) ?? this.#reasons.size + 1;
    this.#reasons.set(text, number);
    return number;
  }
  #line(cells) {
    return `${alignedRows([
      cells
    ], {
      left: cells.length,
      least: this.#widths
    })[0]}
`;
  }
};
function shapeText({ shape }) {
  const { tensor, attentionData, moeTensor, moeExpert } = shape;
  return [
    `tp${tensor}`,
    ...attentionData > 1 ? [
      `dp${attentionData}`
    ] : [],
    ...moeExpert > 1 ? [
      `ep${moeExpert}`
    ] : [],
    ...moeTensor > 1 ? [
      `mtp${moeTensor}`
    ] : []
  ].join(" ");
}
function summary(reason) {
  return reason.replace(/^perf database error: /, "").replace(/ \(supported: .*\)$/, "").replace(/, topk: .*/, ", \u2026 }").replace(/, n_kv_lookup: .*/, ", \u2026 }").replace(/\s+at query=.*|\{m=.*?\}/, "").trim();
}
export {
  SupportTable,
  modelsCommand
};
