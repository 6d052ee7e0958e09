import {
  run
} from "./retune.js";
import {
  splitCsv
} from "./traces.js";
import {
  RefusedRow,
  SharedData,
  arrivalTimes,
  loadRequests,
  planSpec
} from "./core.js";
import {
  LEVELS,
  PHASES,
  PassCorrection,
  USUAL_UNEVEN,
  attentionOf,
  calibrationKey,
  cellPlaces,
  issueText,
  parsePythonJson,
  secondStep,
  sizeStep
} from "./timing.js";
import {
  ByteSourceError,
  ConfigError,
  SimulationError,
  TraceError,
  array,
  boolean,
  checkOptions,
  finite,
  integer,
  literal,
  looseObject,
  maxValue,
  minValue,
  nullable,
  number,
  optional,
  pipe,
  readText,
  safeParse,
  stopPoint,
  string,
  transform,
  union,
  unknown
} from "./base.js";

// lib/calibrate/beside_prompts.ts
var LEAST_OF_MIXED = 20;
var LEAST_SHARE = 1e-3;
function besidePromptsMs({ count: count2, phase, measuredMs }, correctedMs2) {
  const decode = PHASES.indexOf("decode"), mixed = PHASES.indexOf("mixed");
  let beyond = 0, passes = 0, all = 0;
  for (let row = 0; row < count2; row++) {
    all += measuredMs[row];
    if (phase[row] === mixed) passes++;
    if (phase[row] !== decode) continue;
    const before = row > 0 && phase[row - 1] !== decode ? correctedMs2[row - 1] : 0;
    const after = row + 1 < count2 && phase[row + 1] !== decode ? correctedMs2[row + 1] : 0;
    if (before + after > 0) beyond += Math.min(measuredMs[row] - correctedMs2[row], Math.max(before, after));
  }
  return passes >= LEAST_OF_MIXED && beyond > LEAST_SHARE * all ? beyond / passes : 0;
}

// lib/calibrate/statistics.ts
function median(values) {
  const sorted = Float64Array.from(values).sort(), half = sorted.length >> 1;
  if (sorted.length === 0) return NaN;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}
function errorOf(simulated, measured) {
  const n = measured.length;
  if (n === 0) return {
    mdape: null,
    bias: null,
    n
  };
  const signed = Float64Array.from(measured, (value, i) => (simulated[i] - value) / value * 100);
  return {
    mdape: median(signed.map(Math.abs)),
    bias: median(signed),
    n
  };
}

// lib/calibrate/fit_cells.ts
var STEPS = [
  2,
  1,
  0.5,
  0.25,
  0.125
];
var HELD_BACK = 1;
var MOST_DEVIATIONS = 4;
var DEVIATION = 1.4826;
function fitCells({ tokens, priorTokens, decodes, prompts }, rows, ratioOf, over) {
  const all = Float64Array.from(rows, (row) => ratioOf(row) - 1);
  const bound = MOST_DEVIATIONS * DEVIATION * median(all.map(Math.abs));
  const left = all.map((value) => Math.min(Math.max(value, -bound), bound));
  const steps = STEPS.map((step) => {
    const places = Array.from(rows, (row) => cellPlaces(over, step, {
      tokens: tokens[row],
      prior: priorTokens[row],
      decodes: decodes[row],
      prompts: prompts[row]
    }));
    const members = Map.groupBy(rows.keys(), (i) => places[i].join());
    const cells = Array.from(members.values(), (own) => {
      const deviation = median(own.map((i) => left[i])) * own.length / (own.length + HELD_BACK);
      for (const i of own) left[i] -= deviation;
      return [
        ...places[own[0]],
        deviation
      ];
    });
    return {
      step,
      cells
    };
  });
  return {
    over: [
      ...over
    ],
    steps
  };
}

// lib/calibrate/straight_lines.ts
var LEAST_OF_PHASE = 10;
var LEAST_FOR_CONSTANT = 30;
var LEAST_SPREAD = 1.1;
var LEAST_RATIO = 0.25;
var MOST_RATIO = 4;
var ROUNDS = 30;
var held = (ratio) => Math.min(Math.max(ratio, LEAST_RATIO), MOST_RATIO);
var ratiosOf = ({ measuredMs, estimateMs }, rows) => Float64Array.from(rows, (row) => measuredMs[row] / estimateMs[row]);
function straightLines(samples, byPhase, scale, level) {
  const lines = byPhase.map((rows) => ({
    ratio: level === "none" || level === "scale" || rows.length < LEAST_OF_PHASE ? scale : held(median(ratiosOf(samples, rows))),
    constantMs: 0
  }));
  const carries = byPhase.map((rows) => rows.length >= LEAST_FOR_CONSTANT && spread(samples, rows) >= LEAST_SPREAD);
  if (level === "pass_constant") {
    const together = byPhase.filter((_, phase) => carries[phase] && PHASES[phase] !== "mixed");
    if (together.length === 0) return lines;
    const fitted = withConstant(samples, together);
    byPhase.forEach((rows, phase) => {
      if (together.includes(rows)) {
        lines[phase] = {
          ratio: held(fitted.ratios[together.indexOf(rows)]),
          constantMs: fitted.ms
        };
      } else if (rows.length >= LEAST_OF_PHASE) lines[phase] = besideConstant(samples, rows, fitted.ms);
    });
  } else if (level === "phase_constants") {
    byPhase.forEach((rows, phase) => {
      if (!carries[phase]) return;
      const { ratios: [ratio], ms } = withConstant(samples, [
        rows
      ]);
      lines[phase] = {
        ratio: held(ratio),
        constantMs: ms
      };
    });
  }
  return lines;
}
function besideConstant({ measuredMs, estimateMs }, rows, constantMs) {
  const ratio = median(Float64Array.from(rows, (row) => (measuredMs[row] - constantMs) / estimateMs[row]));
  return {
    ratio: held(ratio),
    constantMs
  };
}
function spread({ estimateMs }, rows) {
  const sorted = Float64Array.from(rows, (row) => estimateMs[row]).sort();
  return sorted[Math.floor(sorted.length * 0.9)] / sorted[Math.floor(sorted.length * 0.1)];
}
function withConstant({ measuredMs, estimateMs }, phases) {
  const weights = phases.map((rows) => new Float64Array(rows.length).fill(1));
  let ratios = phases.map(() => 1), ms = 0;
  for (let round = 0; round < ROUNDS; round++) {
    let above = 0, below = 0;
    const sums = phases.map((rows, phase) => {
      let uu = 0, uv = 0, vv = 0, u = 0, v = 0;
      rows.forEach((row, i) => {
        const weight = weights[phase][i], a = estimateMs[row] / measuredMs[row], b = 1 / measuredMs[row];
        uu += weight * a * a;
        uv += weight * a * b;
        vv += weight * b * b;
        u += weight * a;
        v += weight * b;
      });
      above += v - uv * u / uu;
      below += vv - uv * uv / uu;
      return {
        uu,
        uv,
        u
      };
    });
    ms = below > 0 ? Math.max(above / below, 0) : 0;
    ratios = sums.map(({ uu, uv, u }) => (u - ms * uv) / uu);
    const errors = phases.map((rows, phase) => Float64Array.from(rows, (row) => Math.abs((ratios[phase] * estimateMs[row] + ms) / measuredMs[row] - 1)));
    errors.forEach((own, phase) => {
      const bound = Math.max(1.5 * 1.4826 * median(own), 1e-9);
      own.forEach((error, i) => weights[phase][i] = error <= bound ? 1 : bound / error);
    });
  }
  return {
    ratios,
    ms
  };
}

// lib/calibrate/fit_curves.ts
var LEAST_OF_GROUP = 3;
var OWN_KNOT = 10;
var LEAST_OF_LENGTHS = 3;
var MEDIAN_VARIANCE = Math.PI / 2;
var DEVIATION2 = 1.4826;
function shrunk(groups, deviations, alone) {
  const usual = median(deviations);
  const chance = ({ left, apart, n }) => MEDIAN_VARIANCE * (DEVIATION2 * (alone ? Math.max(usual, apart) : usual) * left) ** 2 / n;
  const between = groups.reduce((sum, group) => sum + (group.left - 1) ** 2 - chance(group), 0) / groups.length;
  return groups.map((group) => between > 0 ? held(1 + between / (between + chance(group)) * (group.left - 1)) : 1);
}
function groupOf(ratios, deviations) {
  const left = median(ratios), apart = ratios.map((ratio) => Math.abs(ratio / left - 1));
  deviations.push(...apart);
  return {
    left,
    apart: median(apart),
    n: ratios.length
  };
}
function fitCurve(sizes, rows, ratioOf, overDecodes) {
  const often = /* @__PURE__ */ new Map();
  for (const row of rows) often.set(sizes[row], (often.get(sizes[row]) ?? 0) + 1);
  const members = Map.groupBy(rows, (row) => overDecodes && often.get(sizes[row]) >= OWN_KNOT ? Math.log2(sizes[row]) : Math.round(2 * Math.log2(sizes[row])) / 2);
  const found = [], deviations = [];
  for (const own of members.values()) {
    if (own.length < LEAST_OF_GROUP) continue;
    const x = own.reduce((sum, row) => sum + Math.log2(sizes[row]), 0) / own.length;
    found.push({
      x,
      ...groupOf(Float64Array.from(own, ratioOf), deviations)
    });
  }
  found.sort((a, b) => a.x - b.x);
  const factors = shrunk(found, deviations, false);
  return found.flatMap(({ x }, i) => i === 0 || x > found[i - 1].x ? [
    [
      x,
      factors[i]
    ]
  ] : []);
}
function secondOf({ priorTokens, decodes, contextTokens }, row, over) {
  if (over === "prior_tokens") return priorTokens[row];
  return over === "decode_requests" ? decodes[row] : contextTokens[row] / decodes[row];
}
function fitTable(samples, sizes, rows, ratioOf, over) {
  const place = (row) => [
    sizeStep(Math.log2(sizes[row])),
    secondStep(secondOf(samples, row, over))
  ];
  const found = [], deviations = [];
  for (const own of Map.groupBy(rows, (row) => place(row).join()).values()) {
    if (own.length < (over === "context_tokens" ? OWN_KNOT : LEAST_OF_GROUP)) continue;
    found.push({
      at: place(own[0]),
      ...groupOf(Float64Array.from(own, ratioOf), deviations)
    });
  }
  if (found.length === 0) return null;
  if (over === "context_tokens" && new Set(found.map(({ at }) => at[1])).size < LEAST_OF_LENGTHS) return null;
  const factors = shrunk(found, deviations, true);
  return {
    over,
    cells: found.map(({ at: [i, j] }, k) => [
      i,
      j,
      factors[k]
    ])
  };
}

// lib/calibrate/pass_samples.ts
var phaseOf = ({ promptTokens, decodes }) => promptTokens === 0 ? "decode" : decodes === 0 ? "prefill" : "mixed";
var TELL_EVERY = 1 << 10;
function passSamples(passes, model, onShare) {
  const columns2 = {
    phase: new Uint8Array(passes.length),
    estimateMs: new Float64Array(passes.length),
    measuredMs: new Float64Array(passes.length),
    tokens: new Float64Array(passes.length),
    decodes: new Float64Array(passes.length),
    prompts: new Float64Array(passes.length),
    priorTokens: new Float64Array(passes.length),
    contextTokens: new Float64Array(passes.length),
    unevenMs: new Float64Array(passes.length)
  };
  const width = model.nextn + 1;
  const attention = attentionOf((decodes) => model.sumsMs(0, 0, 0, decodes * width, decodes * width));
  const without = {
    count: 0,
    reason: null
  };
  let count2 = 0;
  for (const [row, pass] of passes.entries()) {
    if (row % TELL_EVERY === 0) onShare?.(row / passes.length);
    const { prompts, promptTokens, priorTokens, decodes, decodeTokens, decodeVariance = 0, ms } = pass;
    let estimate = 0;
    try {
      estimate = model.sumsMs(prompts, promptTokens, priorTokens, decodes * width, decodeTokens * width);
    } catch (problem) {
      if (!(problem instanceof SimulationError)) throw problem;
      without.reason ??= problem.message;
    }
    if (!(estimate > 0)) {
      without.count++;
      continue;
    }
    columns2.phase[count2] = PHASES.indexOf(phaseOf(pass));
    columns2.estimateMs[count2] = estimate;
    columns2.measuredMs[count2] = ms;
    columns2.tokens[count2] = promptTokens;
    columns2.decodes[count2] = decodes;
    columns2.priorTokens[count2] = priorTokens;
    columns2.contextTokens[count2] = decodeTokens;
    columns2.unevenMs[count2] = promptTokens === 0 && decodeVariance > 0 ? Math.sqrt(decodeVariance) / (decodeTokens / decodes) * attention(estimate, decodes) : 0;
    columns2.prompts[count2++] = prompts;
  }
  const samples = {
    count: count2,
    ...cut(columns2, count2),
    without
  };
  return {
    ...samples,
    split: shareSplitTimes(samples)
  };
}
function withUneven(samples, uneven) {
  if (uneven === 0) return samples;
  return {
    ...samples,
    estimateMs: samples.estimateMs.map((ms, row) => ms + uneven * samples.unevenMs[row])
  };
}
var TOO_SHORT = 0.3;
function shareSplitTimes({ count: count2, phase, estimateMs, measuredMs }) {
  const decode = PHASES.indexOf("decode");
  const usual = PHASES.map((_, own) => {
    const rows = Array.from({
      length: count2
    }, (_2, row) => row).filter((row) => phase[row] === own);
    return median(rows.map((row) => measuredMs[row] / estimateMs[row]));
  });
  let pairs = 0;
  for (let row = 1; row < count2; row++) {
    const own = phase[row], before = row - 1;
    if (own === decode || phase[before] === decode) continue;
    if (measuredMs[row] >= TOO_SHORT * usual[own] * estimateMs[row]) continue;
    const ratio = (measuredMs[before] + measuredMs[row]) / (estimateMs[before] + estimateMs[row]);
    measuredMs[before] = ratio * estimateMs[before];
    measuredMs[row] = ratio * estimateMs[row];
    pairs++;
  }
  return pairs;
}
function cut(columns2, count2) {
  return Object.fromEntries(Object.entries(columns2).map(([name, column]) => [
    name,
    column.subarray(0, count2)
  ]));
}

// lib/calibrate/fit_passes.ts
var LEAST_OF_SIDE = 5;
var CUTS = [
  32,
  64,
  128,
  256,
  512,
  1024,
  2048,
  4096
];
var CUT_TAKES_OFF = 0.1;
var LEAST_TAKES_OFF = 0.05;
var TRIED_TIMES = 12;
var ABOVE = 1.08;
var MOST_ERROR = 0.5;
function fitPasses(given, rows, fit) {
  const { level, under = "phases", flat = false, uneven = 0 } = fit, samples = withUneven(given, uneven);
  const byPhase = PHASES.map((_, phase) => rows.filter((row) => samples.phase[row] === phase));
  const curved = level === "curves" || level === "regimes" || level === "tables" || level === "cells";
  const scale = level === "none" || flat && under === "none" ? 1 : held(median(ratiosOf(samples, rows)));
  const lines = straightLines(samples, byPhase, scale, curved ? under : level);
  const phases = PHASES.map((name, phase) => {
    const own = byPhase[phase];
    if (own.length === 0) return null;
    const wanted = curved && (fit.of === void 0 || fit.of === name);
    const part = wanted ? fitCurves(samples, own, name, lines[phase], fit) : partOf(samples, own, lines[phase]);
    return name === "decode" && uneven > 0 ? {
      ...part,
      uneven
    } : part;
  });
  return {
    phases: {
      prefill: phases[0],
      decode: phases[1],
      mixed: phases[2]
    }
  };
}
function partOf(samples, rows, { ratio, constantMs }) {
  return {
    ratio,
    constant_ms: constantMs,
    curve: [],
    n: rows.length,
    seen: {
      decode_requests: rangeOf(samples.decodes, rows),
      prefill_tokens: rangeOf(samples.tokens, rows)
    }
  };
}
function rangeOf(column, rows) {
  let least = Infinity, most = 0;
  for (const row of rows) {
    if (column[row] < least) least = column[row];
    if (column[row] > most) most = column[row];
  }
  return most === 0 ? null : [
    least,
    most
  ];
}
function fitCurves(samples, rows, phase, line, { level, regimes = level === "regimes", flat = false, tables = [], cells }) {
  const fitted = (own) => fitPart(samples, own, phase, regimes ? null : line, {
    flat,
    tables,
    cells
  });
  let best = fitted(rows);
  if (!regimes || phase === "decode") return best;
  let error = errorOf2(samples, rows, phase, best);
  const computed = (row) => samples.tokens[row] + samples.decodes[row];
  for (const tokens of CUTS) {
    const small = rows.filter((row) => computed(row) <= tokens), large = rows.filter((row) => computed(row) > tokens);
    if (small.length < LEAST_OF_SIDE || large.length < LEAST_OF_SIDE) continue;
    const cut2 = {
      ...fitted(small),
      beyond: {
        tokens,
        ...fitted(large)
      }
    };
    const left = errorOf2(samples, rows, phase, cut2);
    if (left < error * (1 - CUT_TAKES_OFF)) [best, error] = [
      cut2,
      left
    ];
  }
  return best;
}
function fitPart(samples, rows, phase, line, { flat, tables, cells }) {
  const { estimateMs, measuredMs } = samples, sizes = phase === "decode" ? samples.decodes : samples.tokens;
  const { leastMs, ...under } = line === null ? withLeast(samples, rows) : {
    ...line,
    leastMs: 0
  };
  const part = {
    ...partOf(samples, rows, under),
    ...leastMs > 0 ? {
      least_ms: leastMs
    } : {}
  };
  const left = (row) => (measuredMs[row] - under.constantMs) / Math.max(under.ratio * estimateMs[row], leastMs);
  if (!flat) part.curve = fitCurve(sizes, rows, left, phase === "decode");
  const ratios = () => {
    const sofar = correctedBy(samples, rows, phase, part), at = new Map(Array.from(rows, (row, i) => [
      row,
      i
    ]));
    return (row) => measuredMs[row] / sofar[at.get(row)];
  };
  for (const over of tables) {
    const table = fitTable(samples, sizes, rows, ratios(), over);
    if (table !== null) part.tables = [
      ...part.tables ?? [],
      table
    ];
  }
  if (cells !== void 0) part.cells = fitCells(samples, rows, ratios(), cells);
  return part;
}
function withLeast({ estimateMs, measuredMs }, rows) {
  const errorWith = (ratio2, leastMs2) => rows.reduce((sum, row) => {
    const error2 = Math.abs(Math.max(ratio2 * estimateMs[row], leastMs2) / measuredMs[row] - 1);
    return sum + Math.min(error2, MOST_ERROR);
  }, 0);
  const ratioAbove = (ms) => {
    const above = rows.filter((row) => measuredMs[row] > ABOVE * ms);
    return above.length < LEAST_OF_SIDE ? 0 : held(median(Float64Array.from(above, (row) => measuredMs[row] / estimateMs[row])));
  };
  const times = Float64Array.from(rows, (row) => measuredMs[row]).sort();
  let ratio = held(median(Float64Array.from(rows, (row) => measuredMs[row] / estimateMs[row]))), leastMs = 0;
  let error = errorWith(ratio, 0);
  for (let i = 0; i < TRIED_TIMES; i++) {
    const ms = times[Math.floor(times.length * 0.9 * i / TRIED_TIMES)], tried = ratioAbove(ms);
    const left = errorWith(tried, ms);
    if (left < error * (1 - LEAST_TAKES_OFF)) [ratio, leastMs, error] = [
      tried,
      ms,
      left
    ];
  }
  return {
    ratio: ratio || held(leastMs / times[times.length - 1]),
    constantMs: 0,
    leastMs
  };
}
function errorOf2(samples, rows, phase, correction) {
  const corrected = correctedBy(samples, rows, phase, correction);
  return rows.reduce((sum, row, i) => sum + Math.min(Math.abs(corrected[i] / samples.measuredMs[row] - 1), MOST_ERROR), 0);
}
var NONE = {
  prefill: null,
  decode: null,
  mixed: null
};
function correctedBy(samples, rows, phase, correction) {
  return correctedMs(samples, rows, {
    phases: {
      ...NONE,
      [phase]: correction
    }
  });
}
function correctedMs(samples, rows, corrections) {
  const correction = new PassCorrection(corrections);
  const { estimateMs, unevenMs, tokens, decodes, priorTokens, contextTokens, prompts } = samples;
  return Float64Array.from(rows, (row) => {
    const ms = estimateMs[row] + correction.uneven * unevenMs[row];
    return correction.passMs(ms, tokens[row], decodes[row], priorTokens[row], contextTokens[row], prompts[row]);
  });
}

// lib/calibrate/choose_level.ts
var LEAST_PASSES = 20;
var mustTakeOff = (passes) => Math.min(Math.max(2 / Math.sqrt(passes), 0.1), 0.2);
var UNEVEN_TAKES_OFF = 0.2;
var SLACK = 0.15;
var SMALL_ENOUGH = 1e-3;
var WORTH_MORE = 5e-3;
var MOST_OF_BLOCK = 50;
var LEAST_BLOCKS = 20;
var FOLDS = 5;
var TRIED = [
  "scale",
  "phases",
  "pass_constant",
  "phase_constants",
  "curves",
  "regimes",
  "tables",
  "cells"
];
var AXES = {
  prefill: [
    "prior_tokens"
  ],
  decode: [
    "context_tokens"
  ],
  mixed: [
    "prior_tokens",
    "decode_requests"
  ]
};
var CELLS = {
  prefill: [
    [
      "prior_tokens",
      "prompts"
    ]
  ],
  decode: [],
  mixed: [
    [
      "prior_tokens",
      "decode_requests",
      "prompts"
    ],
    [
      "prior_tokens",
      "decode_requests"
    ]
  ]
};
var OTHER_UNEVEN = [
  0,
  USUAL_UNEVEN / 2,
  USUAL_UNEVEN * 2
];
function triedOf(level, phase, best) {
  const { uneven } = best;
  if (level === "curves") {
    return [
      .../* @__PURE__ */ new Set([
        "phases",
        best.level
      ])
    ].map((under2) => ({
      level,
      under: under2,
      uneven
    }));
  }
  if (level === "regimes") return phase === "decode" ? [] : [
    {
      level,
      uneven
    }
  ];
  if (level !== "tables" && level !== "cells") return [
    {
      level,
      uneven
    }
  ];
  const regimes = best.level === "regimes", flat = !regimes && best.level !== "curves";
  const under = regimes ? "phases" : flat ? best.level : best.under;
  if (level === "cells") {
    const standing = best.level === "tables" ? [
      best
    ] : [
      {
        level,
        under,
        regimes,
        flat,
        uneven
      }
    ];
    if (phase === "mixed") standing.push({
      level,
      regimes: true,
      uneven
    });
    return standing.flatMap((fit) => CELLS[phase].map((cells) => ({
      ...fit,
      level,
      cells
    })));
  }
  const axes = AXES[phase], tables = axes.length > 1 ? [
    ...axes.map((axis) => [
      axis
    ]),
    axes
  ] : [
    axes
  ];
  return tables.map((tables2) => ({
    level,
    under,
    regimes,
    flat,
    tables: tables2,
    uneven
  }));
}
function chooseLevel(samples, onShare) {
  const all = Int32Array.from({
    length: samples.count
  }, (_, row) => row), folds = foldsOf(samples);
  const tried = [], heldOutMs = new Float64Array(samples.count), phases = {
    ...NOTHING
  };
  let most = 0;
  PHASES.forEach((phase, index) => {
    const own = all.filter((row) => samples.phase[row] === index);
    if (own.length === 0) return;
    const judge = (fit) => {
      const of = {
        ...fit,
        of: phase
      };
      return {
        fit,
        corrections: fitPasses(samples, all, of),
        heldOutMs: heldOut(samples, own, folds, of)
      };
    };
    const tell = (share) => onShare?.((index + share) / PHASES.length);
    const uneven = phase === "decode" && samples.unevenMs.some((ms) => ms > 0) ? USUAL_UNEVEN : 0;
    let chosen = chooseOfPhase(samples, own, phase, judge, uneven, tell);
    for (const other of uneven > 0 && chosen.error > SMALL_ENOUGH ? OTHER_UNEVEN : []) {
      const found = errorOf3(samples, judge({
        ...chosen.best.fit,
        uneven: other
      }), own);
      if (found >= chosen.error * (1 - UNEVEN_TAKES_OFF)) continue;
      chosen = chooseOfPhase(samples, own, phase, judge, other, tell);
    }
    const { best } = chosen;
    phases[phase] = best.corrections.phases[phase];
    own.forEach((row) => heldOutMs[row] = best.heldOutMs[row]);
    tried.push(...chosen.tried);
    most = Math.max(most, LEVELS.indexOf(best.fit.level));
  });
  const besideMs = besidePromptsMs(samples, heldOutMs);
  if (besideMs > 0 && phases.mixed !== null) phases.mixed = {
    ...phases.mixed,
    beside_ms: besideMs
  };
  return {
    level: LEVELS[most],
    corrections: {
      phases
    },
    tried,
    heldOutMs
  };
}
function errorOf3({ measuredMs }, { heldOutMs }, rows) {
  return median(Float64Array.from(rows, (row) => Math.abs(heldOutMs[row] / measuredMs[row] - 1)));
}
function chooseOfPhase(samples, own, phase, judge, uneven, onShare) {
  const sizes = sizesOf(samples, own, phase), tried = [], keep = 1 - mustTakeOff(own.length);
  const whole = (one) => errorOf3(samples, one, own);
  const evenly = (one) => sizes.reduce((sum, rows) => sum + errorOf3(samples, one, rows), 0) / sizes.length;
  let best = judge({
    level: "none",
    uneven
  }), error = whole(best), even = evenly(best);
  tried.push({
    phase,
    level: "none",
    error: error * 100,
    accepted: true
  });
  for (const [i, level] of TRIED.entries()) {
    onShare(i / TRIED.length);
    if (error < WORTH_MORE && LEVELS.indexOf(level) > LEVELS.indexOf("curves")) continue;
    const all = triedOf(level, phase, best.fit).map(judge);
    if (all.length === 0) continue;
    const found = all.reduce((a, b) => whole(b) < whole(a) * 0.95 ? b : a);
    const left = whole(found), evenLeft = evenly(found);
    const pays = left < error * keep;
    const paysEvenly = evenLeft < even * keep && left < error + Math.max(error * SLACK, SMALL_ENOUGH);
    const accepted = error > SMALL_ENOUGH && (pays || paysEvenly);
    tried.push({
      phase,
      level,
      error: left * 100,
      accepted
    });
    if (accepted) [best, error, even] = [
      found,
      left,
      evenLeft
    ];
  }
  return {
    best,
    error,
    tried
  };
}
var LEAST_OF_SIZE = 3;
function sizesOf({ decodes, tokens }, rows, phase) {
  const sizes = phase === "decode" ? decodes : tokens;
  const octaves = [
    ...Map.groupBy(rows, (row) => Math.round(Math.log2(sizes[row]))).values()
  ];
  const rare = octaves.filter(({ length }) => length < LEAST_OF_SIZE).flat();
  return [
    ...octaves.filter(({ length }) => length >= LEAST_OF_SIZE),
    ...rare.length > 0 ? [
      rare
    ] : []
  ];
}
var NOTHING = {
  prefill: null,
  decode: null,
  mixed: null
};
function foldsOf({ phase }) {
  const ofPhase = PHASES.map((_, index) => phase.reduce((sum, own) => own === index ? sum + 1 : sum, 0));
  const block = ofPhase.map((n) => Math.max(1, Math.min(MOST_OF_BLOCK, Math.floor(n / LEAST_BLOCKS))));
  const before = PHASES.map(() => 0);
  return Uint8Array.from(phase, (own) => Math.floor(before[own]++ / block[own]) % FOLDS);
}
function heldOut(samples, rows, folds, fit) {
  const result = new Float64Array(samples.count), all = Int32Array.from(folds, (_, row) => row);
  for (let fold = 0; fold < FOLDS; fold++) {
    const seen = all.filter((row) => folds[row] !== fold), unseen = rows.filter((row) => folds[row] === fold);
    const corrected = correctedMs(samples, unseen, fitPasses(samples, seen, fit));
    unseen.forEach((row, i) => result[row] = corrected[i]);
  }
  return result;
}

// lib/calibrate/simulate_requests.ts
var REQUEST_METRICS = [
  "ttft_ms",
  "tpot_ms",
  "e2e_latency_ms"
];
var BLOCK_TOKENS = 512;
var MOST_SCALE_REPLAYS = 8;
var MOST_FIT_REPLAYS = MOST_SCALE_REPLAYS + 5;
function measuredFigures(requests2) {
  const column = (of) => Float64Array.from(requests2, (request) => of(request) ?? NaN);
  return {
    ttft_ms: column(({ ttftMs }) => ttftMs),
    tpot_ms: column(({ tpotMs }) => tpotMs),
    e2e_latency_ms: column(({ e2eMs }) => e2eMs)
  };
}
var RequestReplay = class {
  #spec;
  #traffic;
  #shared;
  #onShare;
  #replays = 0;
  /** Requests in the order in which they came. */
  #order;
  /**
   * @param plan its load says how many requests are open at a time, where the measurements tell no arrivals
   * @param onShare hears how much is done of as many replays as a fit may take
   * @throws {ConfigError} when neither says when requests came
   */
  constructor(measured, plan, shared, onShare) {
    this.#onShare = onShare;
    const { requests: requests2 } = measured, { load } = plan.traffic;
    const timed = requests2.every(({ arrivalMs }) => arrivalMs !== null);
    const concurrency = measured.concurrency ?? (!timed && load.type === "concurrency" ? load.concurrency : void 0);
    if (!timed && concurrency === void 0) {
      throw new ConfigError("the measurements do not say when requests arrived, nor how many were open at a time: set traffic.load to {type: concurrency, concurrency: N}");
    }
    const rows = requests2.map((_, row) => row);
    this.#order = timed ? rows.toSorted((a, b) => requests2[a].arrivalMs - requests2[b].arrivalMs) : rows;
    this.#shared = shared;
    const spec = planSpec(plan, {
      perRequest: true
    });
    this.#spec = {
      ...spec,
      traffic: null,
      autoscaler: null,
      retune: null,
      sla: null,
      maxVirtualMs: null
    };
    this.#traffic = loadRequests(asTrace(measured, this.#order), {
      blockTokens: measured.blockTokens ?? BLOCK_TOKENS,
      ...concurrency === void 0 ? {} : {
        concurrency
      },
      name: "<measured requests>"
    });
  }
  /** Figures of the requests with a correction. */
  async figures(passTiming) {
    const roles = this.#spec.roles.map((role) => passTiming === null ? role : {
      ...role,
      passTiming
    });
    const traffic = await this.#traffic;
    const tell = (ofThis) => this.#onShare?.((this.#replays + ofThis) / MOST_FIT_REPLAYS);
    const { per_request } = await run({
      ...this.#spec,
      roles
    }, {
      shared: this.#shared,
      ready: {
        traffic
      },
      onProgress: ({ requestsDone, requestsTotal }) => tell(requestsDone / requestsTotal)
    }).report;
    this.#replays++;
    tell(0);
    const order = this.#order, empty = () => new Float64Array(order.length).fill(NaN);
    if (per_request.length !== order.length) {
      throw new SimulationError(`${order.length - per_request.length} measured requests came to no end in the replay`);
    }
    const figures = {
      ttft_ms: empty(),
      tpot_ms: empty(),
      e2e_latency_ms: empty()
    };
    let next = 0;
    for (const record of per_request) {
      const request = order[next++];
      figures.ttft_ms[request] = record.ttft_ms ?? NaN;
      figures.tpot_ms[request] = record.itl_ms ?? NaN;
      figures.e2e_latency_ms[request] = record.e2e_latency_ms ?? NaN;
    }
    return figures;
  }
};
async function* asTrace({ requests: requests2, blockTokens }, order) {
  const first = requests2.reduce((least, { arrivalMs }) => Math.min(least, arrivalMs ?? 0), Infinity);
  let fresh = 0;
  const unlike = (tokens) => Array.from({
    length: Math.ceil(tokens / (blockTokens ?? BLOCK_TOKENS))
  }, () => FRESH + fresh++);
  for (let i = 0; i < order.length; i++) {
    const { arrivalMs, inputTokens, outputTokens, hashIds } = requests2[order[i]];
    yield {
      timestampMs: arrivalMs === null ? 0 : arrivalMs - first,
      inputTokens,
      outputTokens,
      hashIds: hashIds ?? unlike(inputTokens),
      line: i + 1
    };
  }
}
var FRESH = 2 ** 40;
function mostOpen({ requests: requests2, concurrency }) {
  if (concurrency !== null) return Math.min(concurrency, requests2.length);
  const events = requests2.flatMap(({ arrivalMs, e2eMs }) => arrivalMs === null || e2eMs === null ? [] : [
    [
      arrivalMs,
      1
    ],
    [
      arrivalMs + e2eMs,
      -1
    ]
  ]);
  let open = 0, most = 1;
  for (const [, change] of events.toSorted((a, b) => a[0] - b[0])) most = Math.max(most, open += change);
  return most;
}

// lib/calibrate/fit_requests.ts
var LEAST_REQUESTS = 20;
var MUST_TAKE_OFF = 0.2;
var NEAR = 1e-3;
var BETWEEN_REPLAYS = 3;
var LEAST_SCALE = 0.25;
var MOST_SCALE = 4;
function errorShare(metric2, simulated, measured, rows) {
  const own = rows.filter((row) => measured[metric2][row] > 0 && !Number.isNaN(simulated[metric2][row]));
  return median(own.map((row) => Math.abs(simulated[metric2][row] / measured[metric2][row] - 1)));
}
async function fitScale(given, replay, before, measured, profileOf2) {
  const { requests: requests2 } = given, [seen, unseen] = halves(requests2);
  const metric2 = metricOf(measured, seen);
  const middle = (figures) => median(seen.filter((row) => measured[metric2][row] > 0 && !Number.isNaN(figures[metric2][row])).map((row) => figures[metric2][row]));
  const wanted = middle(measured);
  let scale = 1, best = null, nearest = Infinity;
  for (let i = 0; i < MOST_SCALE_REPLAYS && nearest > NEAR; i++) {
    const fit = scaled(given, scale);
    const simulated = await replay.figures({
      calibration: profileOf2(fit),
      forced: true
    });
    const ratio = wanted / middle(simulated);
    if (!(ratio > 0)) return null;
    if (Math.abs(ratio - 1) < nearest) [best, nearest] = [
      {
        fit,
        simulated
      },
      Math.abs(ratio - 1)
    ];
    scale = Math.min(Math.max(scale * ratio, LEAST_SCALE), MOST_SCALE);
  }
  const error = (figures) => errorShare(metric2, figures, measured, unseen);
  const whole = (figures) => errorShare("e2e_latency_ms", figures, measured, unseen);
  const pays = best !== null && error(best.simulated) < error(before) * (1 - MUST_TAKE_OFF) && !(whole(best.simulated) > whole(before));
  return pays ? best : null;
}
async function replayFit(requests2, replay, fit, measured, profileOf2) {
  const [seen, unseen] = halves(requests2), { mixed } = fit.phases;
  const replayed = async (fit2) => {
    return {
      fit: fit2,
      simulated: await replay.figures({
        calibration: profileOf2(fit2),
        forced: true
      })
    };
  };
  const error = ({ simulated }, rows = seen) => errorShare("e2e_latency_ms", simulated, measured, rows);
  const better = (a, b) => error(b) < error(a) ? b : a;
  const starts = [
    await replayed(fit)
  ];
  if (mixed?.beside_ms) {
    const { beside_ms: _, ...alone } = mixed;
    starts.push(await replayed({
      ...fit,
      phases: {
        ...fit.phases,
        mixed: alone
      }
    }));
  }
  const plain = starts.reduce(better), metric2 = metricOf(measured, seen);
  const spread2 = [];
  for (const start of starts) {
    let best2 = start;
    for (let i = 0; i < BETWEEN_REPLAYS; i++) {
      const missing = median(seen.map((row) => measured[metric2][row] / best2.simulated[metric2][row]).filter((ratio) => !Number.isNaN(ratio)));
      const between = (1 + (best2.fit.between_passes ?? 0)) * missing - 1;
      if (!(between > 0 && between < MOST_SCALE) || Math.abs(missing - 1) < NEAR) break;
      best2 = await replayed({
        ...best2.fit,
        between_passes: between
      });
    }
    if (best2 !== start) spread2.push(best2);
  }
  if (spread2.length === 0) return plain;
  const best = spread2.reduce(better);
  return error(best) < error(plain) && error(best, unseen) < error(plain, unseen) * (1 - MUST_TAKE_OFF) ? best : plain;
}
var metricOf = (measured, rows) => rows.some((row) => measured.tpot_ms[row] > 0) ? "tpot_ms" : "e2e_latency_ms";
async function fitOverhead(requests2, replay, { fit, simulated }, measured, profileOf2) {
  const [seen, unseen] = halves(requests2);
  const metric2 = seen.some((row) => measured.ttft_ms[row] > 0) ? "ttft_ms" : "e2e_latency_ms";
  const left = (figures) => median(seen.map((row) => measured[metric2][row] - figures[metric2][row]).filter((ms) => !Number.isNaN(ms)));
  const first = left(simulated);
  if (!(first > 0)) return null;
  const heldBack = async (overheadMs) => {
    const held2 = {
      ...fit,
      request_overhead_ms: overheadMs
    };
    return {
      fit: held2,
      simulated: await replay.figures({
        calibration: profileOf2(held2),
        forced: true
      })
    };
  };
  let best = await heldBack(first);
  const error = (figures, rows = unseen) => errorShare(metric2, figures, measured, rows);
  const more = first + left(best.simulated);
  if (more > 0 && Math.abs(more / first - 1) > NEAR) {
    const other = await heldBack(more);
    if (error(other.simulated, seen) < error(best.simulated, seen)) best = other;
  }
  const whole = (figures) => errorShare("e2e_latency_ms", figures, measured, unseen);
  const { simulated: later } = best;
  const pays = error(later) < error(simulated) * (1 - MUST_TAKE_OFF) && !(whole(later) > whole(simulated) * 1.05);
  return pays ? best : null;
}
function halves(requests2) {
  const rows = requests2.map((_, row) => row);
  return [
    rows.filter((row) => row % 2 === 0),
    rows.filter((row) => row % 2 === 1)
  ];
}
var unscaled = (given) => ({
  ...scaled(given, 1),
  level: "none"
});
function scaled(given, ratio) {
  const inputs = given.requests.map(({ inputTokens }) => inputTokens), open = mostOpen(given);
  const longest = inputs.reduce((a, b) => Math.max(a, b)), all = inputs.reduce((a, b) => a + b);
  const tokens = [
    1,
    Math.min(longest * open, all)
  ];
  const phase = (decodes, prompts) => ({
    ratio,
    constant_ms: 0,
    curve: [],
    n: 0,
    seen: {
      decode_requests: decodes ? [
        1,
        open
      ] : null,
      prefill_tokens: prompts ? tokens : null
    }
  });
  const phases = {
    prefill: phase(false, true),
    decode: phase(true, false),
    mixed: phase(true, true)
  };
  return {
    level: "scale",
    phases,
    request_overhead_ms: 0
  };
}

// lib/calibrate/pass_report.ts
var WINDOWS = 10;
var withAfter = (rows, corrected) => rows.map((row, i) => ({
  ...row,
  after_mdape: corrected[i].mdape,
  after_bias: corrected[i].bias
}));
function octave(size) {
  const most = 2 ** Math.ceil(Math.log2(size));
  return most <= 2 ? String(most) : `${most / 2 + 1}\u2013${most}`;
}
function passErrorRows(samples, simulatedMs, rowOf = errorRow) {
  const { count: count2, phase, tokens, decodes, prompts, measuredMs } = samples;
  const rows = Array.from({
    length: count2
  }, (_, row) => row);
  const grouped = (by, keep, group, order) => {
    const groups = [
      ...Map.groupBy(rows.filter(keep), group)
    ];
    if (order !== void 0) groups.sort(([, a], [, b]) => order(a[0]) - order(b[0]));
    return groups.map(([name, own]) => rowOf(by, name, own.map((row) => simulatedMs[row]), own.map((row) => measuredMs[row])));
  };
  const is = (...names) => (row) => names.includes(PHASES[phase[row]]);
  const window = Math.max(1, Math.ceil(count2 / WINDOWS));
  return [
    ...grouped("phase", () => true, (row) => PHASES[phase[row]], (row) => phase[row]),
    ...grouped("decode batch", is("decode"), (row) => octave(decodes[row]), (row) => decodes[row]),
    ...grouped("prompt tokens", is("prefill"), (row) => octave(tokens[row]), (row) => tokens[row]),
    ...grouped("prompt length", is("prefill"), (row) => octave(tokens[row] / prompts[row]), (row) => tokens[row] / prompts[row]),
    ...grouped("mixed, prompt tokens", is("mixed"), (row) => octave(tokens[row]), (row) => tokens[row]),
    ...grouped("time", () => true, (row) => {
      const first = Math.floor(row / window) * window;
      return `passes ${first + 1}\u2013${Math.min(first + window, count2)}`;
    })
  ];
}
function errorRow(by, group, simulated, measured) {
  const middle = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
  return {
    by,
    group,
    ...errorOf(simulated, measured),
    measured_ms: middle(measured),
    simulated_ms: middle(simulated),
    after_mdape: null,
    after_bias: null
  };
}
function passMetrics(samples, simulatedMs, besideMs = 0) {
  const { count: count2, phase, measuredMs } = samples;
  const metrics = {};
  const of = (keep) => {
    const rows = Array.from({
      length: count2
    }, (_, row) => row).filter(keep);
    return errorOf(rows.map((row) => simulatedMs[row]), rows.map((row) => measuredMs[row]));
  };
  PHASES.forEach((name, i) => {
    const error = of((row) => phase[row] === i);
    if (error.n > 0) metrics[`${name}_pass_ms`] = error;
  });
  metrics.pass_ms = of(() => true);
  const sum = (values) => values.reduce((all, value) => all + value, 0);
  const beside = besideMs * (metrics.mixed_pass_ms?.n ?? 0);
  const total = errorOf([
    sum(simulatedMs) + beside
  ], [
    sum(measuredMs)
  ]);
  metrics.total_pass_ms = {
    ...total,
    n: count2
  };
  return metrics;
}

// lib/calibrate/request_report.ts
var WINDOWS2 = 10;
function both(metric2, simulated, measured, rows) {
  return rows.filter((row) => measured[metric2][row] > 0 && !Number.isNaN(simulated[metric2][row]));
}
function requestMetrics(simulated, measured, rows) {
  const metrics = {};
  for (const metric2 of REQUEST_METRICS) {
    const own = both(metric2, simulated, measured, rows);
    if (own.length === 0) continue;
    metrics[metric2] = errorOf(own.map((row) => simulated[metric2][row]), own.map((row) => measured[metric2][row]));
  }
  return metrics;
}
function requestErrorRows(given, simulated, measured) {
  const { requests: requests2 } = given, rows = requests2.map((_, row) => row), open = openAtArrival(given);
  const arrivals = requests2.map(({ arrivalMs }, row) => arrivalMs ?? row);
  const order = rows.toSorted((a, b) => arrivals[a] - arrivals[b]), place = new Int32Array(rows.length);
  order.forEach((row, i) => place[row] = i);
  const window = Math.max(1, Math.ceil(rows.length / WINDOWS2));
  const result = [];
  for (const metric2 of REQUEST_METRICS) {
    const own = both(metric2, simulated, measured, rows);
    const grouped = (by, size, name) => {
      for (const [group, members] of Map.groupBy(own.toSorted((a, b) => size(a) - size(b)), name)) {
        const values = (figures) => members.map((row) => figures[metric2][row]);
        result.push(errorRow(`${metric2}, ${by}`, group, values(simulated), values(measured)));
      }
    };
    grouped("prompt length", (row) => requests2[row].inputTokens, (row) => octave(requests2[row].inputTokens));
    if (open !== null) grouped("requests open", (row) => open[row], (row) => octave(open[row]));
    grouped("time", (row) => place[row], (row) => {
      const first = Math.floor(place[row] / window) * window;
      return `requests ${first + 1}\u2013${Math.min(first + window, rows.length)}`;
    });
  }
  return result;
}
function openAtArrival({ requests: requests2 }) {
  if (requests2.some(({ arrivalMs, e2eMs }) => arrivalMs === null || e2eMs === null)) return null;
  const ends = requests2.map(({ arrivalMs, e2eMs }) => arrivalMs + e2eMs).toSorted((a, b) => a - b);
  const order = requests2.map((_, row) => row).toSorted((a, b) => requests2[a].arrivalMs - requests2[b].arrivalMs);
  const open = new Int32Array(requests2.length);
  let ended = 0;
  order.forEach((row, before) => {
    while (ended < ends.length && ends[ended] <= requests2[row].arrivalMs) ended++;
    open[row] = before + 1 - ended;
  });
  return open;
}

// lib/calibrate/calibrate.ts
var OPTIONS = {
  role: true,
  shared: true,
  onProgress: true
};
function measuredRole({ roles }, wanted) {
  const found = wanted === void 0 && roles.length === 1 ? roles[0] : roles.find(({ role }) => role === wanted);
  if (found !== void 0) return found;
  const names = roles.map(({ role }) => role).join(", ");
  const what = wanted === void 0 ? "name the role whose passes were measured" : `the plan has no ${wanted} role`;
  throw new ConfigError(`${what} (${names})`);
}
async function calibrate(measured, plan, options = {}) {
  checkOptions("calibrate()", options, OPTIONS);
  const { shared = new SharedData(), onProgress } = options, role = measuredRole(plan, options.role);
  const at = (step) => (share) => onProgress?.({
    step,
    share
  });
  let sharedTimes = 0;
  const deployment = await shared.deployments.of(role.estimator);
  const key = calibrationKey(role.estimator.model, deployment);
  const skipped = Object.fromEntries(measured.skipped);
  const parts = [];
  if (measured.passes.length > 0) {
    const samples = passSamples(measured.passes, deployment.forwardPassModel(), at("estimating passes"));
    sharedTimes = samples.split;
    if (samples.without.count > 0) skipped["passes that cannot be estimated"] = samples.without.count;
    if (samples.count > 0) parts.push(calibratePasses(samples, at("fitting passes")));
    else if (measured.requests.length === 0) {
      throw new SimulationError(`no pass that was measured can be estimated: ${samples.without.reason ?? "no time"}`);
    }
  }
  if (measured.requests.length > 0) {
    const replay = new RequestReplay(measured, plan, shared, at("replaying requests"));
    parts.push(await calibrateRequests(measured, replay, key, parts[0]?.fit ?? null));
  }
  if (parts.length === 0) {
    const left = Object.entries(skipped).map(([reason, count2]) => `${count2} \xD7 ${reason}`).join(", ");
    throw new SimulationError(`nothing that can be compared was measured${left && ` (left out: ${left})`}`);
  }
  const fit = parts.at(-1).fit ?? parts[0].fit;
  if (key.attention_data > 1 && measured.requests.length === 0) delete fit?.phases.mixed?.beside_ms;
  const before = merged(parts.map((part) => part.before)), after = merged(parts.map((part) => part.after));
  const refused = parts.every((part) => part.refused !== null) ? parts[0].refused : null;
  return {
    before,
    after: fit === null ? null : after,
    level: fit?.level ?? "none",
    request_overhead_ms: fit?.request_overhead_ms ?? 0,
    between_passes: fit?.between_passes ?? 0,
    refused,
    tried: parts.flatMap(({ tried }) => tried),
    groups: parts.flatMap(({ groups }) => groups),
    skipped,
    assumed: assumedOf(measured),
    shared_times: sharedTimes,
    profile: fit && {
      ...profileOf(fit, key),
      n: {
        passes: measured.passes.length,
        requests: measured.requests.length
      },
      error: {
        before,
        after
      }
    }
  };
}
function assumedOf({ requests: requests2, assumed }) {
  const unlike = requests2.filter(({ hashIds }) => hashIds === null).length;
  if (unlike === 0) return [
    ...assumed
  ];
  const which = unlike === requests2.length ? "prompts" : `${unlike} of ${requests2.length} prompts`;
  return [
    ...assumed,
    `${which} share no prefix: the files do not hold their content (Dynamo request traces do). If the engine reused prefixes, first tokens are simulated too late here`
  ];
}
var merged = (errors) => Object.assign({}, ...errors);
var profileOf = (fit, key) => ({
  format: "dynosim.calibration.v1",
  key,
  ...fit,
  n: {
    passes: 0,
    requests: 0
  },
  error: {
    before: {},
    after: {}
  }
});
function calibratePasses(samples, onShare) {
  const before = passMetrics(samples, samples.estimateMs), groups = passErrorRows(samples, samples.estimateMs);
  if (samples.count < LEAST_PASSES) {
    const refused = `too few passes for a correction: ${samples.count}, at least ${LEAST_PASSES} are needed`;
    return {
      before,
      after: null,
      level: "none",
      refused,
      tried: [],
      groups,
      fit: null
    };
  }
  const { level, corrections, tried, heldOutMs } = chooseLevel(samples, onShare);
  const fit = {
    level,
    ...corrections,
    request_overhead_ms: 0
  };
  return {
    before,
    after: passMetrics(samples, heldOutMs, corrections.phases.mixed?.beside_ms),
    level,
    refused: null,
    tried,
    groups: withAfter(groups, passErrorRows(samples, heldOutMs)),
    fit
  };
}
async function calibrateRequests(given, replay, key, ofPasses) {
  const { requests: requests2 } = given, measured = measuredFigures(requests2);
  const simulated = await replay.figures(null), all = requests2.map((_, row) => row);
  const before = requestMetrics(simulated, measured, all), groups = requestErrorRows(given, simulated, measured);
  if (requests2.length < LEAST_REQUESTS) {
    const refused = `too few requests for a correction: ${requests2.length}, at least ${LEAST_REQUESTS} are needed`;
    return {
      before,
      after: null,
      level: "none",
      refused,
      tried: [],
      groups,
      fit: null
    };
  }
  const whole = (fit) => profileOf(fit, key);
  const corrected = ofPasses === null ? await fitScale(given, replay, simulated, measured, whole) : await replayFit(requests2, replay, ofPasses, measured, whole);
  const start = corrected ?? {
    fit: unscaled(given),
    simulated
  };
  const best = await fitOverhead(requests2, replay, start, measured, whole) ?? corrected;
  const after = requestMetrics(best?.simulated ?? simulated, measured, halves(requests2)[1]);
  return {
    before,
    after,
    level: best?.fit.level ?? "none",
    refused: null,
    tried: [],
    groups,
    fit: best?.fit ?? null
  };
}

// lib/calibrate/measured.ts
var Measured = class {
  /** Forward passes, in the order in which they were measured. */
  passes = [];
  /** Requests that were served to their end. */
  requests = [];
  /** Rows that were left out, by reason. */
  skipped = /* @__PURE__ */ new Map();
  /** Names of the formats that were read. */
  formats = /* @__PURE__ */ new Set();
  /** Requests that were open at a time, where the benchmark says it held that number. */
  concurrency = null;
  /** Tokens of a prompt that an id stands for. */
  blockTokens = null;
  /** What the files do not say and is assumed, as sentences. */
  assumed = /* @__PURE__ */ new Set();
  /** Counts a row that is left out. */
  skip(reason) {
    this.skipped.set(reason, (this.skipped.get(reason) ?? 0) + 1);
  }
};

// lib/calibrate/formats/format.ts
function shaped(schema, value, { file, line }) {
  const result = safeParse(schema, value);
  if (result.success) return result.output;
  throw new TraceError(`${file}:${line}: ${issueText(result.issues[0])}`, {
    file,
    line
  });
}
var amount = pipe(number(), finite(), minValue(0));
var wholeNumber = pipe(amount, integer(), maxValue(4294967295));
var optional2 = (schema) => optional(nullable(schema), null);

// lib/calibrate/formats/aiperf.ts
var metric = looseObject({
  value: pipe(number(), finite()),
  unit: optional(string(), "")
});
var recordSchema = looseObject({
  metadata: looseObject({
    request_start_ns: optional2(number()),
    benchmark_phase: optional2(string()),
    was_cancelled: optional2(boolean())
  }),
  metrics: looseObject({
    input_sequence_length: optional2(metric),
    output_sequence_length: optional2(metric),
    time_to_first_token: optional2(metric),
    inter_token_latency: optional2(metric),
    request_latency: optional2(metric)
  }),
  error: optional(unknown(), null)
});
var UNITS = {
  ns: 1e-6,
  us: 1e-3,
  "\xB5s": 1e-3,
  ms: 1,
  s: 1e3,
  sec: 1e3
};
function milliseconds(name, found, { file, line }) {
  if (found === null) return null;
  if (!Object.hasOwn(UNITS, found.unit)) {
    const known = Object.keys(UNITS).join(", ");
    throw new TraceError(`${file}:${line}: ${name} is in '${found.unit}', expected one of ${known}`, {
      file,
      line
    });
  }
  return found.value * UNITS[found.unit];
}
var aiperf = {
  name: "aiperf",
  title: "AIPerf profile_export.jsonl",
  recognise: ({ object }) => typeof object?.metadata === "object" && typeof object.metrics === "object",
  json(value, row, into) {
    const { metadata, metrics, error } = shaped(recordSchema, value, row);
    if (metadata.benchmark_phase === "warmup") return into.skip("warm-up");
    if (error !== null) return into.skip("failed requests");
    if (metadata.was_cancelled) return into.skip("cancelled requests");
    const inputTokens = metrics.input_sequence_length?.value, outputTokens = metrics.output_sequence_length?.value;
    if (!inputTokens || !outputTokens) return into.skip("requests without lengths");
    const time = (name) => milliseconds(name, metrics[name], row);
    into.requests.push({
      arrivalMs: metadata.request_start_ns === null ? null : metadata.request_start_ns / 1e6,
      inputTokens,
      outputTokens,
      hashIds: null,
      ttftMs: time("time_to_first_token"),
      tpotMs: time("inter_token_latency"),
      e2eMs: time("request_latency")
    });
  }
};

// lib/calibrate/formats/benchmarks.ts
var columns = looseObject({
  input_lens: array(wholeNumber),
  output_lens: array(wholeNumber),
  ttfts: array(amount),
  itls: array(array(amount)),
  start_times: optional2(array(amount)),
  errors: optional2(array(nullable(string()))),
  max_concurrency: optional2(pipe(amount, minValue(1))),
  request_rate: optional2(union([
    amount,
    string()
  ]))
});
var SEED = 1;
function arrivalsOf({ input_lens: { length }, start_times, max_concurrency, request_rate }, row, into) {
  const held2 = request_rate === null || Number(request_rate) === Infinity || request_rate === "inf";
  const open = held2 ? max_concurrency ?? (start_times === null ? length : null) : null;
  if (open !== null) {
    if (into.concurrency !== null && into.concurrency !== open) {
      const message = `its requests were sent with ${open} open at a time, those before with ${into.concurrency}; give results of one number at a time`;
      throw new TraceError(`${row.file}:${row.line}: ${message}`, row);
    }
    into.concurrency = open;
  }
  if (start_times !== null) return start_times.map((seconds) => seconds * 1e3);
  if (held2 || !(Number(request_rate) > 0)) return null;
  into.assumed.add(`requests came at random, ${Number(request_rate)} a second: the results say the rate alone`);
  const from = into.requests.reduce((last, { arrivalMs, e2eMs }) => Math.max(last, (arrivalMs ?? 0) + (e2eMs ?? 0)), 0);
  return arrivalTimes(length, {
    requestsPerSecond: Number(request_rate),
    seed: SEED
  }).map((ms) => from + ms);
}
function requests(value, row, into) {
  if (typeof value === "object" && value !== null && !("ttfts" in value)) {
    const message = "it holds no times of single requests: write it with --save-detailed (vLLM) or --output-details (SGLang)";
    throw new TraceError(`${row.file}:${row.line}: ${message}`, row);
  }
  const found = shaped(columns, value, row);
  const { input_lens, output_lens, ttfts, itls, start_times, errors } = found;
  const count2 = input_lens.length;
  for (const [name, column] of Object.entries({
    output_lens,
    ttfts,
    itls,
    start_times,
    errors
  })) {
    if (column !== null && column.length !== count2) {
      const message = `${name} has ${column.length} entries, but input_lens has ${count2}`;
      throw new TraceError(`${row.file}:${row.line}: ${message}`, row);
    }
  }
  const arrivals = arrivalsOf(found, row, into);
  for (let i = 0; i < count2; i++) {
    if (errors?.[i]) {
      into.skip("failed requests");
      continue;
    }
    if (input_lens[i] === 0 || output_lens[i] === 0) {
      into.skip("requests without lengths");
      continue;
    }
    const decodeMs = itls[i].reduce((sum, seconds) => sum + seconds, 0) * 1e3, ttftMs = ttfts[i] * 1e3;
    into.requests.push({
      arrivalMs: arrivals === null ? null : arrivals[i],
      inputTokens: input_lens[i],
      outputTokens: output_lens[i],
      hashIds: null,
      ttftMs,
      tpotMs: output_lens[i] > 1 ? decodeMs / (output_lens[i] - 1) : null,
      e2eMs: ttftMs + decodeMs
    });
  }
}
var vllmBench = {
  name: "vllm-bench",
  title: "vllm bench serve result, JSON",
  recognise: ({ object }) => object !== void 0 && ("ttfts" in object || "mean_ttft_ms" in object) && !("sharegpt_output_len" in object),
  json: requests
};
var sglangBench = {
  name: "sglang-bench",
  title: "SGLang bench_serving result, JSON Lines",
  recognise: ({ object }) => object !== void 0 && "sharegpt_output_len" in object && "mean_ttft_ms" in object,
  json: requests
};

// lib/calibrate/formats/dynamo_trace.ts
var SCHEMA = "dynamo.request.trace.v1";
var requestSchema = looseObject({
  output_tokens: optional2(wholeNumber),
  input_tokens: optional2(wholeNumber),
  request_received_ms: optional2(amount),
  ttft_ms: optional2(amount),
  total_time_ms: optional2(amount),
  avg_itl_ms: optional2(amount),
  replay: optional2(looseObject({
    trace_block_size: pipe(wholeNumber, minValue(1)),
    input_length: wholeNumber,
    input_sequence_hashes: array(number())
  }))
});
var recordSchema2 = looseObject({
  event_type: string(),
  request: optional2(requestSchema)
});
var recordOf = (value) => value?.event ?? value;
var dynamoTrace = {
  name: "dynamo",
  title: "Dynamo request trace, JSON Lines",
  recognise: ({ object }) => recordOf(object)?.schema === SCHEMA,
  json(value, row, into) {
    const { event_type, request } = shaped(recordSchema2, recordOf(value), row);
    if (event_type !== "request_end" || request === null) return into.skip("records of something else");
    const { replay, output_tokens: outputTokens, ttft_ms, total_time_ms } = request;
    const inputTokens = replay?.input_length ?? request.input_tokens;
    if (inputTokens === null || inputTokens === 0 || !outputTokens) return into.skip("requests without lengths");
    if (ttft_ms === null && total_time_ms === null) return into.skip("requests without times");
    if (replay !== null) into.blockTokens ??= replay.trace_block_size;
    const between = ttft_ms === null || total_time_ms === null || outputTokens < 2 ? null : Math.max(total_time_ms - ttft_ms, 0) / (outputTokens - 1);
    into.requests.push({
      arrivalMs: request.request_received_ms,
      inputTokens,
      outputTokens,
      hashIds: replay !== null && replay.trace_block_size === into.blockTokens ? replay.input_sequence_hashes : null,
      ttftMs: ttft_ms,
      tpotMs: between ?? request.avg_itl_ms,
      e2eMs: total_time_ms
    });
  }
};

// lib/calibrate/formats/pass_sums.ts
function takePass(sums, known, into) {
  if (known.ms === 0) return into.skip("idle");
  if (sums.sum_prefill_tokens === 0 && sums.num_decode_requests === 0) return into.skip("passes without a load");
  if (sums.num_prefill_requests === 0 && sums.sum_prefill_tokens > 0) {
    return into.skip("prompt tokens without num_prefill_requests");
  }
  into.passes.push({
    prompts: sums.num_prefill_requests,
    promptTokens: sums.sum_prefill_tokens,
    priorTokens: sums.sum_prefill_kv_tokens,
    decodes: sums.num_decode_requests,
    decodeTokens: sums.sum_decode_kv_tokens,
    ...sums.var_decode_kv_tokens === void 0 ? {} : {
      decodeVariance: sums.var_decode_kv_tokens
    },
    ...known
  });
}

// lib/calibrate/formats/fpm_recording.ts
var count = optional(wholeNumber, 0);
var metricsSchema = looseObject({
  version: optional(literal(1)),
  wall_time: amount,
  scheduled_requests: looseObject({
    num_prefill_requests: count,
    sum_prefill_tokens: count,
    sum_prefill_kv_tokens: count,
    num_decode_requests: count,
    sum_decode_kv_tokens: count,
    var_decode_kv_tokens: optional(amount)
  })
});
var fpmRecording = {
  name: "fpm",
  title: "Dynamo forward-pass metrics, JSON Lines",
  recognise: ({ object }) => {
    const metrics = object?.metrics ?? object;
    return metrics?.wall_time !== void 0 && typeof metrics.scheduled_requests === "object";
  },
  json(value, row, into) {
    const received = value?.metrics ?? value;
    const { wall_time, scheduled_requests: sums } = shaped(metricsSchema, received, row);
    takePass(sums, {
      ms: wall_time * 1e3
    }, into);
  }
};

// lib/calibrate/formats/fpm_table.ts
var COLUMNS = [
  "num_prefill_requests",
  "sum_prefill_tokens",
  "sum_prefill_kv_tokens",
  "num_decode_requests",
  "sum_decode_kv_tokens"
];
var cell = pipe(string("the column is missing"), transform((text) => text.trim() === "" ? NaN : Number(text)), number("not a number"), finite("not a finite number"), minValue(0, "must be at least 0"));
var wholeCell = pipe(cell, integer("not a whole number"));
var rowSchema = looseObject({
  num_prefill_requests: wholeCell,
  sum_prefill_tokens: wholeCell,
  sum_prefill_kv_tokens: wholeCell,
  num_decode_requests: wholeCell,
  sum_decode_kv_tokens: wholeCell,
  var_decode_kv_tokens: optional(cell),
  latency_ms: cell,
  workload_segment: optional(string())
});
var fpmTable = {
  name: "fpm-table",
  title: "forward passes with latency_ms, CSV",
  recognise: ({ cells }) => cells.includes("latency_ms") && COLUMNS.every((name) => cells.includes(name)),
  csv(cells, row, into) {
    const sums = shaped(rowSchema, cells, row);
    takePass(sums, {
      ms: sums.latency_ms,
      segment: sums.workload_segment
    }, into);
  }
};

// lib/calibrate/formats/llmservingsim.ts
var rowSchema2 = looseObject({
  input_toks: wholeNumber,
  output_toks: wholeNumber,
  queued_ts: amount,
  first_token_ts: amount,
  last_token_ts: amount
});
var llmServingSimBench = {
  name: "llmservingsim-bench",
  title: "LLMServingSim benchmark requests, JSON Lines",
  recognise: ({ object }) => object?.input_toks !== void 0 && object.first_token_ts !== void 0,
  json(value, row, into) {
    const request = shaped(rowSchema2, value, row);
    const { input_toks: inputTokens, output_toks: outputTokens, queued_ts, first_token_ts, last_token_ts } = request;
    if (inputTokens === 0 || outputTokens === 0) return into.skip("requests without lengths");
    into.requests.push({
      arrivalMs: queued_ts * 1e3,
      inputTokens,
      outputTokens,
      hashIds: null,
      ttftMs: (first_token_ts - queued_ts) * 1e3,
      tpotMs: outputTokens > 1 ? (last_token_ts - first_token_ts) * 1e3 / (outputTokens - 1) : null,
      e2eMs: (last_token_ts - queued_ts) * 1e3
    });
  }
};

// lib/calibrate/formats/registry.ts
var MEASURED_FORMATS = [
  fpmRecording,
  fpmTable,
  dynamoTrace,
  aiperf,
  sglangBench,
  vllmBench,
  llmServingSimBench
];

// lib/calibrate/read_measured.ts
var MOST_BYTES = 400 * 2 ** 20;
var STOP_EVERY = 1 << 14;
async function readMeasured(paths) {
  const measured = new Measured();
  for (const path of paths) await readFile(path, measured);
  return measured;
}
async function readFile(path, into) {
  const file = path === "-" ? "<standard input>" : path;
  let text;
  try {
    text = await readText(path, {
      mostBytes: MOST_BYTES
    });
  } catch (problem) {
    if (!(problem instanceof ByteSourceError)) throw problem;
    throw new TraceError(`failed to ${problem.stage} measurements ${file}: ${problem.message}`, {
      file
    });
  }
  const end = text.indexOf("\n"), first = (end < 0 ? text : text.slice(0, end)).trim();
  const line = jsonOf(first), whole = line === void 0 && /^\s*\{/.test(text) ? jsonOf(text) : void 0;
  const cells = cellsOf(first) ?? [];
  const format = MEASURED_FORMATS.find((each) => each.recognise({
    object: whole ?? line,
    cells
  }));
  if (format === void 0) {
    if (text.trim() === "") throw new TraceError(`${file}: the file is empty`, {
      file
    });
    if (text.trimStart().startsWith("{") && line === void 0 && whole === void 0) {
      throw new TraceError(`${file}: it is neither one JSON object nor one a line: ${syntaxProblem(text)}`, {
        file
      });
    }
    const known = MEASURED_FORMATS.map(({ title }) => title).join("; ");
    throw new TraceError(`${file}: no known format of measurements (known: ${known})`, {
      file,
      line: 1
    });
  }
  into.formats.add(format.name);
  if (whole !== void 0) format.json(whole, {
    file,
    line: 1
  }, into);
  else await readLines(text, file, format, cells, into);
}
async function readLines(text, file, format, columns2, into) {
  let number2 = 0;
  for (let at = 0; at < text.length; ) {
    const feed = text.indexOf("\n", at), end = feed < 0 ? text.length : feed;
    const line = text.slice(at, end).trim(), row = {
      file,
      line: ++number2
    };
    at = end + 1;
    if (number2 % STOP_EVERY === 0) await stopPoint();
    if (line === "" || format.csv !== void 0 && number2 === 1) continue;
    if (format.csv !== void 0) {
      const cells = cellsOf(line);
      if (cells === void 0 || cells.length < columns2.length) {
        throw new TraceError(`${file}:${number2}: the header has ${columns2.length} cells, this row has fewer`, row);
      }
      format.csv(Object.fromEntries(columns2.map((name, i) => [
        name,
        cells[i]
      ])), row, into);
    } else {
      const value = jsonOf(line);
      if (value === void 0) throw new TraceError(`${file}:${number2}: the line is no JSON object`, row);
      format.json(value, row, into);
    }
  }
}
function syntaxProblem(text) {
  try {
    JSON.parse(text);
  } catch (problem) {
    return problem.message;
  }
  return "it cannot be parsed";
}
function jsonOf(text) {
  if (!text.trimStart().startsWith("{")) return void 0;
  try {
    return parsePythonJson(text);
  } catch {
    return void 0;
  }
}
function cellsOf(line) {
  try {
    return splitCsv(line).map((cell2) => cell2.trim());
  } catch (problem) {
    if (problem instanceof RefusedRow) return void 0;
    throw problem;
  }
}

export {
  calibrate,
  Measured,
  readMeasured
};
