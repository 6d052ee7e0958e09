import {
  download,
  sha256OfFile
} from "./shared.js";
import {
  parse
} from "./config.js";
import {
  BESIDE,
  ContextAttentionBound,
  DIVISORS,
  DOUBTFUL,
  FMHA_MODES,
  FORMAT,
  GEMM_MODES,
  GemmBound,
  GenerationAttentionBound,
  KV_MODES,
  LOWEST_EXPONENT,
  MAGIC,
  MOE_MODES,
  MoeBound,
  OWN,
  POWER_MAGIC,
  PerfCatalog,
  PerfSet,
  SHIPPED_DATA,
  SHORTEST_CODE,
  bytesOfCodes,
  checkOf,
  exponentOf,
  gzip,
  modelFacts,
  parsePythonJson,
  powersFile,
  productSlice,
  readFileIfThere,
  releaseFolder,
  setFile,
  userDataFolder
} from "./timing.js";
import {
  ConfigError,
  ProgressBar,
  UsageError,
  alignedRows,
  choice,
  command,
  csvText,
  host,
  nearName,
  shareLine,
  stopPoint,
  text,
  writeFileAtomically,
  writeText
} from "./base.js";

// cli/perf_data.ts
import { fileURLToPath } from "node:url";

// lib/perf_data/check.ts
var SHORTEST_MS = 0.02;
var CHECK_FACTORS = {
  "slower in lower precision": 1.5,
  "falls as work grows": 1.5,
  "below the bound": 1.1,
  "far from siblings": 10
};
var Tally = class {
  table;
  rule;
  #points;
  #of;
  #worst;
  #ratio;
  #slices;
  constructor(table, rule) {
    this.table = table;
    this.rule = rule;
    this.#points = 0;
    this.#of = 0;
    this.#ratio = 0;
    this.#slices = /* @__PURE__ */ new Map();
  }
  /** Holds a time against another; `ratio` says how far apart they are. */
  add(point, against, ratio) {
    let slice = this.#slices.get(point.slice);
    if (slice === void 0) this.#slices.set(point.slice, slice = {
      points: 0,
      of: 0
    });
    this.#of++;
    slice.of++;
    if (!(ratio > CHECK_FACTORS[this.rule])) return;
    this.#points++;
    slice.points++;
    if (ratio <= this.#ratio) return;
    this.#ratio = ratio;
    this.#worst = {
      where: `${point.slice} ${point.keys.join("\xB7")}`.trim(),
      ms: point.ms,
      against
    };
  }
  finding() {
    const { table, rule } = this;
    if (!this.#worst) return [];
    const doubtful = [
      ...this.#slices
    ].filter(([, { points, of }]) => points > of * DOUBTFUL);
    const slices = doubtful.map(([name]) => name);
    return [
      {
        table,
        rule,
        points: this.#points,
        of: this.#of,
        slices,
        worst: this.#worst
      }
    ];
  }
};
async function checkSet(set, siblings = []) {
  const tables = Object.keys(set.header.members).filter((table) => !table.startsWith(OWN));
  const findings = [];
  for (const table of tables) {
    const points = pointsOf(set, table);
    const rules = [
      () => precisionFindings(set, table, points),
      () => fallingFindings(table, points),
      () => boundFindings(set.header.hardware, table, points),
      () => siblingFindings(table, points, siblings)
    ];
    for (const rule of rules) {
      await stopPoint();
      findings.push(...rule());
    }
  }
  return findings;
}
var RAISED = /^(gemm|generation_attention)\//;
function pointsOf(set, table) {
  const member = set.member(table);
  if (table.startsWith("gemm/")) return sitePoints(member);
  return member.names().flatMap((slice) => levelPoints(slice, member.levels(slice)));
}
function sitePoints(member) {
  const sites = member.sites();
  return Array.from({
    length: sites.length
  }, (_, i) => sites.site(i)).flatMap(({ n, k, keys, values }) => Array.from(keys, (m, i) => ({
    slice: productSlice(n, k),
    keys: [
      m
    ],
    ms: values[i]
  })));
}
function levelPoints(slice, levels) {
  const points = [];
  const walk = (level, from, to, path) => {
    for (let i = from; i < to; i++) {
      const keys = [
        ...path,
        levels.keys[level][i]
      ];
      if (level === levels.keys.length - 1) points.push({
        slice,
        keys,
        ms: levels.values[i]
      });
      else walk(level + 1, levels.starts[level][i], levels.starts[level][i + 1], keys);
    }
  };
  walk(0, 0, levels.keys[0].length, []);
  return points;
}
var keyOf = ({ slice, keys }) => `${slice} ${keys.join(" ")}`;
function higherPrecision(table) {
  const [kind, ...modes] = table.split("/");
  if (modes.every((mode) => mode === "bfloat16")) return void 0;
  const bytes = kind === "gemm" ? GEMM_MODES[modes[0]]?.bytes : kind === "moe" ? MOE_MODES[modes[0]]?.bytes : kind === "generation_attention" ? KV_MODES[modes[0]] : void 0;
  return bytes !== void 0 && bytes < 2 ? `${kind}/bfloat16` : void 0;
}
function precisionFindings(set, table, points) {
  const other = higherPrecision(table);
  if (other === void 0 || !Object.hasOwn(set.header.members, other)) return [];
  const times = new Map(pointsOf(set, other).map((point) => [
    keyOf(point),
    point.ms
  ]));
  const tally = new Tally(table, "slower in lower precision");
  for (const point of points) {
    const against = times.get(keyOf(point));
    if (against !== void 0 && against >= SHORTEST_MS) tally.add(point, against, point.ms / against);
  }
  return tally.finding();
}
function fallingFindings(table, points) {
  const tally = new Tally(table, "falls as work grows");
  let row = "", longest = 0;
  for (const point of points) {
    const own = `${point.slice} ${point.keys.slice(0, -1).join(" ")}`;
    if (own !== row) [row, longest] = [
      own,
      0
    ];
    if (longest > 0 && point.ms > 0) tally.add(point, longest, longest / point.ms);
    longest = Math.max(longest, point.ms);
  }
  return tally.finding();
}
function boundFindings(hardware, table, points) {
  const bound = boundOf(hardware, table);
  if (bound === void 0 || RAISED.test(table)) return [];
  const tally = new Tally(table, "below the bound");
  for (const point of points) {
    const least = bound(point);
    if (least > 0 && point.ms > 0) tally.add(point, least, least / point.ms);
  }
  return tally.finding();
}
function boundOf(hardware, table) {
  const [kind, ...modes] = table.split("/");
  try {
    if (kind === "moe" && Object.hasOwn(MOE_MODES, modes[0])) {
      const mode = modes[0];
      return ({ slice, keys }) => {
        const [topk, experts, hidden, inter, moeTensor, moeExpert] = slice.split("|").slice(1).map(Number);
        const shape = {
          topk,
          experts: Math.min(moeExpert, experts),
          hidden,
          inter,
          moeTensor,
          moeExpert,
          gated: false
        };
        return new MoeBound(hardware, shape, MOE_MODES[mode], mode).ms(keys[0]);
      };
    }
    if (kind === "context_attention" && Object.hasOwn(FMHA_MODES, modes[0]) && Object.hasOwn(KV_MODES, modes[1])) {
      return ({ slice, keys: [heads, seq, batch] }) => {
        const [kvHeads, headSize, window] = slice.split("|").map(Number);
        const shape = {
          kvHeads,
          headSize,
          window
        };
        return new ContextAttentionBound(hardware, shape, modes[0], modes[1]).ms(heads, seq, batch);
      };
    }
  } catch {
    return void 0;
  }
  return void 0;
}
function siblingFindings(table, points, siblings) {
  const tally = new Tally(table, "far from siblings");
  for (const sibling of siblings) {
    if (!Object.hasOwn(sibling.header.members, table)) continue;
    const times = new Map(pointsOf(sibling, table).map((point) => [
      keyOf(point),
      point.ms
    ]));
    for (const point of points) {
      const against = times.get(keyOf(point));
      if (against !== void 0 && against > 0 && point.ms > 0) {
        tally.add(point, against, Math.max(point.ms / against, against / point.ms));
      }
    }
  }
  return tally.finding();
}

// lib/perf_data/findings.ts
var WORTH_TELLING = 0.01;
async function findingsText(sets) {
  const lines = [];
  for (const set of sets) {
    const tables = {};
    for (const { table, rule, points, of, slices } of await checkSet(set, sets.filter((other) => other !== set))) {
      if (points < of * WORTH_TELLING) continue;
      (tables[table] ??= {})[rule] = points > of * DOUBTFUL ? [
        points,
        of,
        slices
      ] : [
        points,
        of
      ];
    }
    lines.push(`${JSON.stringify(`${set.header.backend}-${set.header.version}`)}: ${JSON.stringify(tables)}`);
  }
  return `{
${lines.join(",\n")}
}
`;
}

// lib/io/zip_file.ts
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { inflateRawSync } from "node:zlib";
var END_OF_DIRECTORY = 101010256;
var LONGEST_END = 22 + 65535;
var ZipFile = class {
  file;
  paths;
  #descriptor;
  #entries;
  /** @throws {Error} when the file cannot be read or is no zip archive. */
  constructor(file) {
    this.file = file;
    this.#entries = /* @__PURE__ */ new Map();
    this.#descriptor = openSync(file, "r");
    const size = fstatSync(this.#descriptor).size;
    const tail = this.#bytes(Math.max(0, size - LONGEST_END), Math.min(size, LONGEST_END));
    const view = new DataView(tail.buffer, tail.byteOffset);
    let end = tail.length - 22;
    while (end >= 0 && view.getUint32(end, true) !== END_OF_DIRECTORY) end--;
    if (end < 0) {
      this.close();
      throw new Error(`${file} is no zip archive`);
    }
    this.#readDirectory(this.#bytes(view.getUint32(end + 16, true), view.getUint32(end + 12, true)));
    this.paths = [
      ...this.#entries.keys()
    ].sort();
  }
  read(path) {
    const entry = this.#entries.get(path);
    if (!entry) throw new Error(`${this.file} holds no ${path}`);
    const head = new DataView(this.#bytes(entry.at, 30).buffer);
    const start = entry.at + 30 + head.getUint16(26, true) + head.getUint16(28, true);
    const packed = this.#bytes(start, entry.packed);
    if (entry.method === 0) return packed;
    if (entry.method === 8) return new Uint8Array(inflateRawSync(packed));
    throw new Error(`${path} in ${this.file} is packed with method ${entry.method}; expected deflate`);
  }
  close() {
    closeSync(this.#descriptor);
  }
  #readDirectory(directory) {
    const view = new DataView(directory.buffer, directory.byteOffset);
    const text2 = new TextDecoder();
    for (let at = 0; at < directory.length; ) {
      const [nameBytes, extraBytes, noteBytes] = [
        28,
        30,
        32
      ].map((offset) => view.getUint16(at + offset, true));
      const name = text2.decode(directory.subarray(at + 46, at + 46 + nameBytes));
      this.#entries.set(name, {
        method: view.getUint16(at + 10, true),
        packed: view.getUint32(at + 20, true),
        at: view.getUint32(at + 42, true)
      });
      at += 46 + nameBytes + extraBytes + noteBytes;
    }
  }
  #bytes(at, length) {
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const count = readSync(this.#descriptor, bytes, done, length - done, at + done);
      if (count === 0) throw new Error(`${this.file} ends early`);
      done += count;
    }
    return bytes;
  }
};

// lib/perf_data/set_writer.ts
var LONGEST_CODE = 10;
var MemberWriter = class {
  /** Slices by name, in order. */
  slices = /* @__PURE__ */ new Map();
  /** Sites of matrix products, in order; a member has either these or slices. */
  sites = [];
  addCurve(name, keys, values, powers) {
    this.slices.set(name, {
      keys: [
        keys
      ],
      starts: [],
      values,
      powers
    });
  }
  addGrid(name, levels) {
    this.slices.set(name, levels);
  }
  addSite(n, k, keys, values, powers) {
    this.sites.push({
      n,
      k,
      curve: {
        keys: [
          keys
        ],
        starts: [],
        values,
        powers
      }
    });
  }
};
async function writePerfSet(about, writers) {
  const body = new Body(), members = {};
  for (const [name, { slices, sites }] of writers) {
    await stopPoint();
    let before = 0, nameBefore = "";
    const step = (levels) => {
      const place = body.slice(levels), distance = place - before;
      before = place;
      return distance;
    };
    const list = sites.length > 0 ? sites.flatMap(({ n, k, curve }) => [
      n,
      k,
      step(curve)
    ]) : [
      ...slices
    ].flatMap(([slice, levels]) => {
      const shared = sharedStart(nameBefore, slice);
      nameBefore = slice;
      return [
        shared,
        slice.slice(shared),
        step(levels)
      ];
    });
    const text2 = new TextEncoder().encode(JSON.stringify(list));
    members[name] = [
      body.piece(text2),
      text2.length
    ];
  }
  const header = new TextEncoder().encode(JSON.stringify({
    format: FORMAT,
    ...about,
    members
  }));
  const set = new Uint8Array(12 + header.length + body.length);
  set.set(new TextEncoder().encode(MAGIC));
  new DataView(set.buffer).setUint32(8, header.length, true);
  set.set(header, 12);
  body.copyTo(set.subarray(12 + header.length));
  return set;
}
function sharedStart(a, b) {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
var Body = class {
  #pieces = [];
  #places = /* @__PURE__ */ new Map();
  length = 0;
  /** Adds bytes and their check; returns their place. */
  piece(bytes) {
    const key = bytes.join();
    const known = this.#places.get(key);
    if (known !== void 0) return known;
    const place = this.length, check3 = new Uint8Array(4);
    new DataView(check3.buffer).setUint32(0, checkOf(bytes, 0, bytes.length), true);
    this.#pieces.push(bytes, check3);
    this.length += bytes.length + 4;
    this.#places.set(key, place);
    return place;
  }
  slice(levels) {
    const codes = encodeValues(levels.values), slice = new Uint8Array(4 + codes.length);
    new DataView(slice.buffer).setUint32(0, this.piece(encodeKeys(levels)), true);
    slice.set(codes, 4);
    return this.piece(slice);
  }
  copyTo(target) {
    let at = 0;
    for (const piece of this.#pieces) {
      target.set(piece, at);
      at += piece.length;
    }
  }
};
function encodeKeys({ keys, starts }) {
  const bytes = [];
  const put2 = (number) => {
    if (!(Number.isSafeInteger(number) && number >= 0)) throw new Error("keys of a table must ascend");
    for (; number >= 128; number = Math.floor(number / 128)) bytes.push(128 + number % 128);
    bytes.push(number);
  };
  put2(keys.length);
  keys.forEach((list, level) => {
    const start = level === 0 ? [
      0,
      list.length
    ] : starts[level - 1];
    for (let entry = 0; entry + 1 < start.length; entry++) {
      put2(start[entry + 1] - start[entry]);
      for (let i = start[entry], before = 0; i < start[entry + 1]; before = list[i++]) put2(list[i] - before);
    }
  });
  return Uint8Array.from(bytes);
}
function encodeValues(values) {
  let best;
  for (let width2 = SHORTEST_CODE; width2 <= LONGEST_CODE; width2++) {
    for (let divisor2 = 0; divisor2 < DIVISORS.length; divisor2++) {
      const codes2 = [];
      let size2 = bytesOfCodes(values.length, width2);
      for (let i = 0; i < values.length && size2 < (best?.size ?? Infinity); i++) {
        const code = codeOf(values[i], DIVISORS[divisor2], width2);
        if (code === void 0) size2 += 8;
        codes2.push(code);
      }
      if (size2 < (best?.size ?? Infinity)) best = {
        divisor: divisor2,
        width: width2,
        codes: codes2,
        size: size2
      };
    }
  }
  const { divisor, width, codes, size } = best;
  const bytes = new Uint8Array(1 + size), view = new DataView(bytes.buffer);
  bytes[0] = divisor * 8 + width - SHORTEST_CODE;
  let half = 2, beside = 1 + bytesOfCodes(values.length, width);
  codes.forEach((code, i) => {
    if (code === void 0) {
      view.setFloat64(beside, values[i], true);
      beside += 8;
    }
    for (let left = width, rest = code ?? 16 ** width - 1; left > 0; left--, rest = Math.floor(rest / 16)) {
      bytes[half >> 1] |= rest % 16 << 4 * (half++ & 1);
    }
  });
  return bytes;
}
function codeOf(value, divisor, width) {
  if (Object.is(value, 0)) return 0;
  const span = 2 ** (4 * width - 5), scaled = value * divisor;
  const exponent = Math.floor(Math.log2(scaled)), field = exponent - exponentOf(divisor) - LOWEST_EXPONENT;
  if (!(field >= 1 && field < 32)) return void 0;
  const unit = 2 ** exponent / span, nearest = Math.round(scaled / unit);
  for (const whole of [
    nearest,
    nearest - 1,
    nearest + 1
  ]) {
    if (whole >= span && whole < 2 * span && whole * unit / divisor === value) {
      const code = field * span + whole - span;
      return code < 32 * span - 1 ? code : void 0;
    }
  }
  return void 0;
}

// lib/perf_data/own_tables.ts
function ownTables(whole, primary) {
  const own = {};
  const members = /* @__PURE__ */ new Map();
  for (const [name, writer] of whole) {
    const mine = primary.get(name);
    if (mine === void 0) {
      own[name] = "none";
      continue;
    }
    if (sameSites(writer, mine) && sameSlices(writer, mine) && writer.slices.size === mine.slices.size) continue;
    const named = mine.sites.length === 0 && sameSlices(writer, mine);
    own[name] = named ? "named" : "apart";
    members.set(name, named ? namesOf(mine) : mine);
  }
  return {
    own,
    members
  };
}
function sameSlices(whole, part) {
  return [
    ...part.slices
  ].every(([name, slice]) => sameSlice(whole.slices.get(name), slice));
}
function sameSites(whole, part) {
  return whole.sites.length === part.sites.length && whole.sites.every(({ n, k, curve }, i) => n === part.sites[i].n && k === part.sites[i].k && sameSlice(curve, part.sites[i].curve));
}
function sameSlice(a, b) {
  if (a === void 0) return false;
  const lists = (slice) => [
    ...slice.keys,
    ...slice.starts,
    slice.values
  ];
  const [mine, theirs] = [
    lists(a),
    lists(b)
  ];
  return mine.length === theirs.length && mine.every((list, i) => list.length === theirs[i].length && list.every((value, j) => value === theirs[i][j]));
}
function namesOf({ slices }) {
  const writer = new MemberWriter();
  for (const name of slices.keys()) writer.addCurve(name, [], []);
  return writer;
}

// lib/perf_data/power_writer.ts
function writePowers(about, writers) {
  const members = {}, packed = [];
  let at = 0;
  for (const [name, { slices, sites }] of writers) {
    const all = sites.length > 0 ? sites.map(({ curve }) => curve) : [
      ...slices.values()
    ];
    if (!all.some(({ powers }) => powers?.some((watts) => watts > 0))) continue;
    const bytes = gzip(plainPowers(all.map(({ values, powers }) => powers ?? values.map(() => 0))));
    members[name] = [
      at,
      bytes.length
    ];
    packed.push(bytes);
    at += bytes.length;
  }
  if (packed.length === 0) return null;
  const header = new TextEncoder().encode(JSON.stringify({
    format: 1,
    ...about,
    members
  }));
  const file = new Uint8Array(12 + header.length + at);
  file.set(new TextEncoder().encode(POWER_MAGIC));
  new DataView(file.buffer).setUint32(8, header.length, true);
  file.set(header, 12);
  at = 12 + header.length;
  for (const bytes of packed) {
    file.set(bytes, at);
    at += bytes.length;
  }
  return file;
}
function plainPowers(slices) {
  const watts = slices.flat(), means = watts.map(meanOf), beside = watts.filter((_, i) => means[i].readings === BESIDE);
  const besideAt = 8 + 4 * slices.length, readingsAt = besideAt + 8 * beside.length, sumsAt = readingsAt + watts.length;
  const plain = new Uint8Array(sumsAt + 4 * watts.length), view = new DataView(plain.buffer);
  view.setUint32(0, slices.length, true);
  view.setUint32(4, beside.length, true);
  slices.forEach(({ length }, i) => view.setUint32(8 + 4 * i, length, true));
  beside.forEach((value, i) => view.setFloat64(besideAt + 8 * i, value, true));
  means.forEach(({ readings, sum }, i) => {
    plain[readingsAt + i] = readings;
    for (let plane = 0, rest = sum; plane < 4; plane++, rest = Math.floor(rest / 256)) {
      plain[sumsAt + plane * watts.length + i] = rest % 256;
    }
  });
  return plain;
}
var MOST_READINGS = 40;
function meanOf(watts) {
  if (!(watts > 0)) return {
    readings: 0,
    sum: 0
  };
  for (let readings = 1; readings <= MOST_READINGS; readings++) {
    const sum = Math.round(watts * 1e3 * readings), mean = sum / (1e3 * readings);
    if (sum < 2 ** 32 && Math.abs(mean - watts) <= 2 * Number.EPSILON * watts) return {
      readings,
      sum
    };
  }
  return {
    readings: BESIDE,
    sum: 0
  };
}

// lib/perf_data/nested.ts
function getOrAdd(map, key, make) {
  let value = map.get(key);
  if (value === void 0) map.set(key, value = make());
  return value;
}
function put(nest, path, sample) {
  let at = nest;
  for (let level = 0; level < path.length - 1; level++) {
    at = getOrAdd(at, path[level], () => /* @__PURE__ */ new Map());
  }
  const last = path[path.length - 1];
  if (!at.has(last)) at.set(last, sample);
}
var raised = ({ ms, watts }, to) => ({
  ms: to,
  watts: to === ms ? watts : watts * ms / to
});
function countLeaves(nest) {
  let count = 0;
  for (const below of nest.values()) count += below instanceof Map ? countLeaves(below) : 1;
  return count;
}
var sorted = (map) => [
  ...map
].sort(([a], [b]) => a - b);
function curveOf(leaves, raise = (ms) => ms) {
  const samples = sorted(leaves).map(([key, sample]) => [
    key,
    raised(sample, raise(sample.ms, key))
  ]);
  return {
    keys: samples.map(([key]) => key),
    values: samples.map(([, { ms }]) => ms),
    powers: samples.map(([, { watts }]) => watts)
  };
}
function levelsOf(nest, depth, raise = (value) => value) {
  const keys = Array.from({
    length: depth
  }, () => []);
  const starts = Array.from({
    length: depth - 1
  }, () => [
    0
  ]);
  const values = [], powers = [];
  const path = new Array(depth);
  const walk = (at, level) => {
    for (const [key, below] of sorted(at)) {
      path[level] = key;
      keys[level].push(key);
      if (below instanceof Map) {
        walk(below, level + 1);
        starts[level].push(keys[level + 1].length);
      } else {
        const sample = raised(below, raise(below.ms, path));
        values.push(sample.ms);
        powers.push(sample.watts);
      }
    }
  };
  walk(nest, 0);
  return {
    keys,
    starts,
    values,
    powers
  };
}

// lib/perf_data/rows.ts
import { parquetMetadata, parquetRead } from "hyparquet";
import { compressors } from "hyparquet-compressors";
var POWER = "power";
async function forEachRow(tree, system, table, sources, columns, visit) {
  const optional = Object.entries(columns.optional ?? {});
  for (const source of sources) {
    await stopPoint();
    const bytes = tree.read(system, source.folder, table);
    const wanted = [
      ...columns.required,
      ...optional.map(([name]) => name),
      "kernel_source",
      POWER
    ];
    const { data, rows } = await readColumns(bytes, wanted);
    for (const name of columns.required) {
      if (!data.has(name)) throw new Error(`${system}/${source.folder}/${table} has no column ${name}`);
    }
    const lists = [
      ...columns.required.map((name) => data.get(name)),
      ...optional.map(([name, instead]) => data.get(name) ?? new Array(rows).fill(instead))
    ];
    const kernels = source.kernels && new Set(source.kernels);
    const kernelOf = data.get("kernel_source"), power = data.get(POWER);
    const row = new Array(lists.length);
    for (let i = 0; i < rows; i++) {
      if (kernels && !kernels.has(kernelOf?.[i] ?? "")) continue;
      for (let c = 0; c < lists.length; c++) row[c] = lists[c][i];
      visit(row, Number(power?.[i]) || 0);
    }
  }
}
async function readColumns(bytes, names) {
  const file = bytes.slice().buffer;
  const metadata = parquetMetadata(file);
  const rows = Number(metadata.num_rows);
  const present = new Set(metadata.schema.slice(1).map((element) => element.name));
  const columns = [
    ...new Set(names)
  ].filter((name) => present.has(name));
  const data = new Map(columns.map((name) => [
    name,
    new Array(rows)
  ]));
  await parquetRead({
    file,
    columns,
    compressors,
    metadata,
    onChunk({ columnName, columnData, rowStart }) {
      const list = data.get(columnName);
      for (let i = 0; i < columnData.length; i++) {
        const value = columnData[i];
        list[rowStart + i] = typeof value === "bigint" || typeof value === "boolean" ? Number(value) : value ?? "";
      }
    }
  });
  return {
    data,
    rows
  };
}

// lib/perf_data/tables/members.ts
var Members = class {
  writers = /* @__PURE__ */ new Map();
  sources = {};
  lanes = {
    context: [],
    generation: []
  };
  writer(name) {
    return getOrAdd(this.writers, name, () => new MemberWriter());
  }
  /** Adds curves by member and slice. */
  addCurves(curves) {
    for (const [member, byName] of curves) {
      for (const [name, leaves] of byName) {
        const { keys, values, powers } = curveOf(leaves);
        this.writer(member).addCurve(name, keys, values, powers);
      }
    }
  }
};
async function visitTable(request, members, table, columns, visit, sources = request.tree.sources(request.system, request.backend, request.version, table)) {
  members.sources[table] = sources.map(({ folder, channel, kernels }) => [
    folder,
    channel,
    kernels
  ]);
  await forEachRow(request.tree, request.system, table, sources, columns, visit);
}

// lib/perf_data/kernel_order.ts
var KNOWN_KERNELS = [
  "fa3",
  "fla",
  "flashinfer",
  "triton",
  "trtllm_mha"
];
function ranked(kernels, densities2) {
  const of = (kernel) => densities2.get(kernel) ?? {
    slices: 0,
    leaves: 0
  };
  return [
    ...kernels
  ].sort((a, b) => of(b).slices - of(a).slices || of(b).leaves - of(a).leaves || (a < b ? -1 : a > b ? 1 : 0));
}
function kernelOrder(pinned, primary, merged) {
  if (pinned === null) return [
    "default"
  ];
  const head = pinned === "default" ? [] : [
    pinned
  ];
  const order = (densities2) => [
    ...ranked(KNOWN_KERNELS.filter((kernel) => kernel !== pinned), densities2),
    "default",
    ...ranked([
      ...merged.keys()
    ].filter((kernel) => !KNOWN_KERNELS.includes(kernel) && kernel !== "default"), densities2)
  ];
  const own = order(primary).filter((kernel) => primary.has(kernel));
  const rest = order(merged).filter((kernel) => !own.includes(kernel));
  return [
    .../* @__PURE__ */ new Set([
      ...head,
      ...own,
      ...rest
    ])
  ];
}

// lib/perf_data/tables/attention.ts
function densities(kernels) {
  return new Map([
    ...kernels
  ].map(([kernel, slices]) => [
    kernel,
    {
      slices: slices.size,
      leaves: [
        ...slices.values()
      ].reduce((sum, nest) => sum + countLeaves(nest), 0)
    }
  ]));
}
async function buildAttention(request, members, table, columns, read, add) {
  const { tree, system, backend, version, hardware } = request;
  const load = async (sources2) => {
    const kernels2 = /* @__PURE__ */ new Map();
    await visitTable(request, members, table, columns, (row, watts) => {
      const { kernel, slice, key, value } = read(row);
      const slices = getOrAdd(kernels2, kernel || "default", () => /* @__PURE__ */ new Map());
      put(getOrAdd(slices, slice, () => /* @__PURE__ */ new Map()), key, {
        ms: value,
        watts
      });
    }, [
      ...sources2
    ]);
    return kernels2;
  };
  const sources = tree.sources(system, backend, version, table);
  const primary = densities(await load(sources.filter((source) => source.channel === "primary")));
  const kernels = await load(sources);
  const order = kernelOrder(tree.defaultKernel(backend, version, hardware.smVersion), primary, densities(kernels));
  const taken = /* @__PURE__ */ new Set();
  for (const kernel of /* @__PURE__ */ new Set([
    ...order,
    ...kernels.keys()
  ])) {
    for (const [slice, nest] of kernels.get(kernel) ?? []) {
      if (taken.has(slice)) continue;
      taken.add(slice);
      add(slice, nest);
    }
  }
  return order;
}
var kvHeadsKey = (kvHeads, heads) => kvHeads === heads ? 0 : kvHeads;
var buildContextAttention = async (request, members) => {
  const columns = {
    required: [
      ...[
        "kernel_source",
        "attn_dtype",
        "kv_cache_dtype",
        "num_key_value_heads",
        "head_dim",
        "num_heads",
        "isl"
      ],
      ...[
        "batch_size",
        "latency"
      ]
    ],
    optional: {
      window_size: 0
    }
  };
  members.lanes.context = await buildAttention(request, members, "context_attention_perf", columns, (row) => {
    const [kernel, fmha, kv, kvHeads, headSize, heads, isl, batch, latency, window] = row;
    return {
      kernel: String(kernel),
      slice: `${fmha}/${kv}/${kvHeadsKey(+kvHeads, +heads)}|${headSize}|${+window}`,
      key: [
        +heads,
        +isl,
        +batch
      ],
      value: +latency
    };
  }, (slice, nest) => {
    const [fmha, kv, shape] = slice.split("/");
    members.writer(`context_attention/${fmha}/${kv}`).addGrid(shape, levelsOf(nest, 3));
  });
};
var buildGenerationAttention = async (request, members) => {
  const columns = {
    required: [
      ...[
        "kernel_source",
        "kv_cache_dtype",
        "num_key_value_heads",
        "head_dim",
        "num_heads",
        "batch_size",
        "isl"
      ],
      ...[
        "step",
        "latency"
      ]
    ],
    optional: {
      window_size: 0
    }
  };
  members.lanes.generation = await buildAttention(request, members, "generation_attention_perf", columns, (row) => {
    const [kernel, kv, kvHeads, headSize, heads, batch, isl, step, latency, window] = row;
    return {
      kernel: String(kernel),
      slice: `${kv}/${kvHeadsKey(+kvHeads, +heads)}|${headSize}|${+window}`,
      key: [
        +heads,
        +batch,
        +isl + +step
      ],
      value: +latency
    };
  }, (slice, nest) => {
    const [kv, shape] = slice.split("/");
    const [kvHeads, headSize, window] = shape.split("|").map(Number);
    const bound = Object.hasOwn(KV_MODES, kv) ? new GenerationAttentionBound(request.hardware, {
      kvHeads,
      headSize,
      window
    }, kv) : void 0;
    const raise = (value, [heads, batch, tokens]) => bound ? Math.max(value, bound.ms(heads, batch, tokens)) : value;
    members.writer(`generation_attention/${kv}`).addGrid(shape, levelsOf(nest, 3, raise));
  });
};

// lib/perf_data/tables/simple.ts
function curveTable({ table, columns, place, sources }) {
  return async (request, members) => {
    const curves = /* @__PURE__ */ new Map();
    await visitTable(request, members, table, columns, (row, watts) => {
      const found = place(row, request);
      if (found === void 0) return;
      const byName = getOrAdd(curves, found.member, () => /* @__PURE__ */ new Map());
      const leaves = getOrAdd(byName, found.slice, () => /* @__PURE__ */ new Map());
      if (!leaves.has(found.key)) leaves.set(found.key, {
        ms: found.value,
        watts
      });
    }, sources?.(request));
    members.addCurves(curves);
  };
}
function gridTable({ table, columns, place, sources }) {
  return async (request, members) => {
    const grids = /* @__PURE__ */ new Map();
    await visitTable(request, members, table, columns, (row, watts) => {
      const found = place(row, request);
      if (found === void 0) return;
      const byName = getOrAdd(grids, found.member, () => /* @__PURE__ */ new Map());
      const { nest } = getOrAdd(byName, found.slice, () => ({
        depth: found.key.length,
        nest: /* @__PURE__ */ new Map()
      }));
      put(nest, found.key, {
        ms: found.value,
        watts
      });
    }, sources?.(request));
    for (const [member, byName] of grids) {
      for (const [name, { depth, nest }] of byName) members.writer(member).addGrid(name, levelsOf(nest, depth));
    }
  };
}

// lib/perf_data/tables/collectives.ts
var buildAllReduce = curveTable({
  table: "custom_allreduce_perf",
  columns: {
    required: [
      "num_gpus",
      "message_size",
      "latency"
    ],
    optional: {
      kernel_source: "",
      backend: ""
    }
  },
  place([gpus, elements, latency, kernel, variant], { system }) {
    const eager = String(kernel).endsWith("_eager") || String(variant).endsWith("_eager");
    if (eager && system !== "b60") return void 0;
    return {
      member: "all_reduce",
      slice: String(gpus),
      key: +elements,
      value: +latency
    };
  }
});
var buildCollectives = curveTable({
  table: "nccl_perf",
  columns: {
    required: [
      "nccl_dtype",
      "op_name",
      "num_gpus",
      "message_size",
      "latency"
    ]
  },
  sources({ tree, system }) {
    const folder = tree.collectivesFolder(system);
    return folder === void 0 ? [] : [
      {
        folder,
        channel: "primary",
        kernels: null
      }
    ];
  },
  place([format2, operation, gpus, elements, latency]) {
    return {
      member: `nccl/${format2}`,
      slice: `${operation}|${gpus}`,
      key: +elements,
      value: +latency
    };
  }
});

// lib/perf_data/tables/experts.ts
var LOW_LATENCY_KERNEL = "moe_torch_flow_min_latency";
var RENAMED = {
  "w4a8_mxfp4_mxfp8 sglang_mxfp4_flashinfer_trtllm_moe": "w4a8_mxfp4_mxfp8_trtllm",
  "w4a16_mxfp4 sglang_flashinfer_cutlass_moe": "w4a16_mxfp4_cutlass"
};
var buildExperts = curveTable({
  table: "moe_perf",
  columns: {
    required: [
      ...[
        "kernel_source",
        "moe_dtype",
        "distribution",
        "topk",
        "num_experts",
        "hidden_size",
        "inter_size"
      ],
      ...[
        "moe_tp_size",
        "moe_ep_size",
        "num_tokens",
        "latency"
      ]
    ],
    // kernels that the framework takes only when it is told to
    optional: {
      default_eligible: 1
    }
  },
  place([kernel, format2, distribution, ...rest]) {
    const [eligible, latency, tokens] = [
      rest.pop(),
      rest.pop(),
      rest.pop()
    ].map(Number);
    if (!eligible) return void 0;
    const mode = RENAMED[`${format2} ${kernel}`] ?? format2;
    return {
      member: kernel === LOW_LATENCY_KERNEL ? `moe_low_latency/${mode}` : `moe/${mode}`,
      slice: `${distribution}|${rest.join("|")}`,
      key: tokens,
      value: latency
    };
  }
});

// lib/perf_data/tables/gemm.ts
var buildGemm = async (request, members) => {
  const formats = /* @__PURE__ */ new Map();
  const columns = {
    required: [
      "gemm_dtype",
      "m",
      "n",
      "k",
      "latency"
    ]
  };
  await visitTable(request, members, "gemm_perf", columns, ([format2, m, n, k, latency], watts) => {
    if (format2 === "awq" || format2 === "gptq") return;
    put(getOrAdd(formats, String(format2), () => /* @__PURE__ */ new Map()), [
      +m,
      +n,
      +k
    ], {
      ms: +latency,
      watts
    });
  });
  for (const [format2, byM] of formats) {
    const bound = gemmBound(request.hardware, format2);
    const writer = members.writer(`gemm/${format2}`);
    for (const { n, k, leaves } of sitesOf(byM)) {
      const { keys, values, powers } = curveOf(leaves, (ms, m) => bound ? Math.max(ms, bound.ms(m, n, k)) : ms);
      writer.addSite(n, k, keys, values, powers);
    }
  }
};
function sitesOf(byM) {
  const sites = /* @__PURE__ */ new Map();
  for (const [m, byN] of byM) {
    for (const [n, byK] of byN) {
      for (const [k, sample] of byK) {
        getOrAdd(sites, `${n} ${k}`, () => ({
          n,
          k,
          leaves: /* @__PURE__ */ new Map()
        })).leaves.set(m, sample);
      }
    }
  }
  return sites.values();
}
function gemmBound(hardware, format2) {
  if (!Object.hasOwn(GEMM_MODES, format2)) return void 0;
  const mode = format2;
  return hardware.flops[GEMM_MODES[mode].flops] ? new GemmBound(hardware, mode) : void 0;
}

// lib/perf_data/tables/latent_attention.ts
var MODULE_MODEL_HEADS = {
  "deepseek-ai/DeepSeek-V3": 128,
  "deepseek-ai/DeepSeek-R1": 128,
  "nvidia/DeepSeek-V3.1-NVFP4": 128,
  "moonshotai/Kimi-K3": 96
};
function moduleHeads(model) {
  if (Object.hasOwn(MODULE_MODEL_HEADS, model)) return MODULE_MODEL_HEADS[model];
  throw new Error(`the table of attention modules names the unknown model ${model}`);
}
function latentTable(name, by, phase) {
  return gridTable({
    table: `${name}_perf`,
    columns: {
      required: [
        ...by,
        "num_heads",
        "batch_size",
        "isl",
        "step",
        "latency"
      ]
    },
    place(row) {
      const slice = by.map((column, i) => column === "model" ? moduleHeads(String(row[i])) : row[i]);
      const [heads, batch, isl, step, latency] = row.slice(by.length).map(Number);
      const key = phase === "context" ? [
        heads,
        isl,
        batch
      ] : [
        heads,
        batch,
        isl + step
      ];
      return {
        member: name,
        slice: slice.join("|"),
        key,
        value: latency
      };
    }
  });
}
var buildContextMla = latentTable("context_mla", [
  "mla_dtype",
  "kv_cache_dtype"
], "context");
var buildGenerationMla = latentTable("generation_mla", [
  "kv_cache_dtype"
], "generation");
var buildContextMlaModule = latentTable("mla_context_module", [
  "mla_dtype",
  "kv_cache_dtype",
  "gemm_type",
  "model"
], "context");
var buildGenerationMlaModule = latentTable("mla_generation_module", [
  "kv_cache_dtype",
  "gemm_type",
  "model"
], "generation");
var buildMlaProducts = curveTable({
  table: "mla_bmm_perf",
  columns: {
    required: [
      "op_name",
      "bmm_dtype",
      "num_heads",
      "num_tokens",
      "latency"
    ]
  },
  place: ([operation, format2, heads, tokens, latency]) => ({
    member: "mla_bmm",
    slice: `${operation}|${format2}|${heads}`,
    key: +tokens,
    value: +latency
  })
});

// lib/perf_data/tables/scaling_kernels.ts
var scalingKernel = (name) => gridTable({
  table: `${name}_perf`,
  columns: {
    required: [
      "quant_dtype",
      "m",
      "k",
      "latency"
    ]
  },
  place: ([format2, m, k, latency]) => ({
    member: name,
    slice: String(format2),
    key: [
      0,
      +m,
      +k
    ],
    value: +latency
  })
});

// lib/perf_data/tables/sparse_attention.ts
async function replacedRows(request, members, table, columns, place) {
  const { tree, system, backend, version } = request;
  const sources = tree.sources(system, backend, version, table);
  const grids = /* @__PURE__ */ new Map();
  for (const source of sources) {
    const latest = /* @__PURE__ */ new Map();
    await visitTable(request, members, table, {
      required: columns
    }, (row, watts) => {
      for (const found of place(row)) latest.set(`${found.slice}/${found.path.join()}`, {
        ...found,
        watts
      });
    }, [
      source
    ]);
    for (const { slice, path, value: ms, watts } of latest.values()) {
      put(getOrAdd(grids, slice, () => /* @__PURE__ */ new Map()), path, {
        ms,
        watts
      });
    }
  }
  members.sources[table] = sources.map(({ folder, channel, kernels }) => [
    folder,
    channel,
    kernels
  ]);
  return grids;
}
var KERNELS = [
  "trtllm",
  "flashmla_kv"
];
function kernelsOf(source, kv) {
  if (kv === "bfloat16" || source === "sglang_dsa_dense_mha_trtllm_ragged") return KERNELS;
  return source.includes("trtllm") ? [
    "trtllm"
  ] : [
    "flashmla_kv"
  ];
}
var BLOCK_COLUMNS = [
  ...[
    "op_name",
    "kernel_source",
    "architecture",
    "mla_dtype",
    "kv_cache_dtype",
    "gemm_type",
    "num_heads"
  ],
  ...[
    "batch_size",
    "isl",
    "step",
    "latency"
  ]
];
function blockTable(name, phase, slice, kernelNamed) {
  return async (request, members) => {
    const grids = await replacedRows(request, members, `${name}_${phase}_module_perf`, BLOCK_COLUMNS, (row) => {
      const [operation, source, architecture, fmha, kv, mode] = row.map(String);
      const [heads, batch, isl, step, value] = row.slice(6).map(Number);
      const skips = operation.includes("skip_indexer");
      const path = phase === "context" ? [
        heads,
        step,
        isl,
        batch
      ] : [
        heads,
        batch,
        isl + step
      ];
      const block = slice({
        skips,
        architecture,
        fmha,
        kv,
        mode
      });
      return kernelsOf(source, kv).map((kernel) => ({
        slice: `${block}|${kernel}`,
        path,
        value
      }));
    });
    const blocks = new Set([
      ...grids.keys()
    ].map((key) => key.slice(0, key.lastIndexOf("|"))));
    for (const block of blocks) {
      const kernel = KERNELS.find((known) => grids.has(`${block}|${known}`));
      const levels = levelsOf(grids.get(`${block}|${kernel}`), phase === "context" ? 4 : 3);
      members.writer(`${name}_${phase}`).addGrid(kernelNamed ? `${block}|${kernel}` : block, levels);
    }
  };
}
var dsaSlice = ({ skips, architecture, fmha, kv, mode }) => [
  skips ? "skip" : "full",
  architecture,
  fmha,
  kv,
  mode
].join("|");
var buildContextDsa = blockTable("dsa", "context", dsaSlice, true);
var buildGenerationDsa = blockTable("dsa", "generation", dsaSlice, true);
var buildContextMsa = blockTable("msa", "context", ({ fmha, kv, mode }) => [
  fmha,
  kv,
  mode
].join("|"), false);
var buildGenerationMsa = blockTable("msa", "generation", ({ kv, mode }) => [
  kv,
  mode
].join("|"), false);
var format = (name) => name === "fp8_e4m3" ? "fp8" : name;
function compressedTable(kind, phase) {
  const context = phase === "context";
  return gridTable({
    table: `dsv4_${kind}_${phase}_module_perf`,
    columns: {
      required: [
        ...[
          "kv_cache_dtype",
          "gemm_type",
          "num_heads",
          "tp_size",
          "batch_size",
          "isl",
          "step",
          "latency"
        ],
        ...context ? [
          "mla_dtype"
        ] : []
      ]
    },
    place(row) {
      const [kv, mode] = row.slice(0, 2).map(String);
      const [heads, tensor, batch, isl, step, value] = row.slice(2, 8).map(Number);
      const modes = [
        ...context ? [
          format(String(row[8]))
        ] : [],
        format(kv),
        mode
      ];
      const slice = [
        ...modes,
        heads * tensor,
        heads
      ].join("|");
      const key = context ? [
        step,
        isl,
        batch
      ] : [
        0,
        batch,
        isl + step
      ];
      return {
        member: `dsv4_${kind}_${phase}`,
        slice,
        key,
        value
      };
    }
  });
}
var COMPRESSED_ATTENTION = [
  compressedTable("csa", "context"),
  compressedTable("csa", "generation"),
  compressedTable("hca", "context"),
  compressedTable("hca", "generation")
];
var SCORES = {
  v1: "context",
  v2: "generation"
};
async function buildPickingOverhead(request, members) {
  const columns = {
    required: [
      "num_heads",
      "step",
      "isl",
      "batch_size",
      "score_mode",
      "latency"
    ]
  };
  const pairs = /* @__PURE__ */ new Map();
  await visitTable(request, members, "dsv4_csa_topk_calib_perf", columns, (row) => {
    const [heads, step, isl, batch, scores, latency] = row;
    const [kernel, kind] = String(scores).split(/_(.*)/);
    if (!Object.hasOwn(SCORES, kernel)) return;
    const path = [
      +batch,
      +isl,
      +step
    ];
    const slice = getOrAdd(pairs, `${SCORES[kernel]}|${heads}`, () => /* @__PURE__ */ new Map());
    const pair = getOrAdd(slice, path.join(), () => ({
      path
    }));
    if (kind === "flat") pair.flat ??= +latency;
    if (kind === "top_last") pair.real ??= +latency;
  });
  for (const [slice, points] of pairs) {
    const nest = /* @__PURE__ */ new Map();
    for (const { path, flat, real } of points.values()) {
      if (flat !== void 0 && real !== void 0) put(nest, path, {
        ms: Math.max(flat - real, 0),
        watts: 0
      });
    }
    if (nest.size > 0) members.writer("dsv4_topk_overhead").addGrid(slice, levelsOf(nest, 3));
  }
}
var buildHyperConnections = curveTable({
  table: "mhc_module_perf",
  columns: {
    required: [
      "op_name",
      "hc_mult",
      "hidden_size",
      "num_tokens",
      "latency"
    ]
  },
  place: ([part, streams, hidden, tokens, latency]) => ({
    member: "mhc",
    slice: `${part}|${streams}|${hidden}`,
    key: +tokens,
    value: +latency
  })
});

// lib/perf_data/tables/state_kernels.ts
var RENAMED2 = {
  fused_recurrent_gated_delta_rule: "fused_sigmoid_gating_delta_rule_update",
  fused_recurrent_gated_delta_rule_packed_decode: "fused_sigmoid_gating_delta_rule_update"
};
var KEYS = [
  "kernel_source",
  "phase",
  "batch_size",
  "seq_len",
  "latency"
];
function linearAttention(name, kernelName) {
  const about = {
    table: `${name}_perf`,
    columns: {
      required: [
        ...KEYS,
        "d_model",
        "d_conv",
        "num_k_heads",
        "head_k_dim",
        "num_v_heads",
        "head_v_dim"
      ]
    }
  };
  const slice = (kernel, phase, sizes) => [
    kernelName(String(kernel)),
    phase,
    ...sizes
  ].join("|");
  const prompts = gridTable({
    ...about,
    place: ([kernel, phase, batch, seq, latency, ...sizes]) => phase === "context" || phase === "verify" ? {
      member: name,
      slice: slice(kernel, phase, sizes),
      key: [
        0,
        +batch,
        +seq
      ],
      value: +latency
    } : void 0
  });
  const decodes = curveTable({
    ...about,
    place: ([kernel, phase, batch, _seq, latency, ...sizes]) => phase === "generation" ? {
      member: name,
      slice: slice(kernel, phase, sizes),
      key: +batch,
      value: +latency
    } : void 0
  });
  return async (request, members) => {
    await prompts(request, members);
    await decodes(request, members);
  };
}
var buildGdn = linearAttention("gdn", (kernel) => RENAMED2[kernel] ?? kernel);
var buildKda = linearAttention("kda", (kernel) => kernel);
var buildMamba2 = gridTable({
  table: "mamba2_perf",
  columns: {
    required: [
      ...KEYS,
      "d_model",
      "d_state",
      "d_conv",
      "nheads",
      "head_dim",
      "n_groups",
      "chunk_size"
    ]
  },
  place: ([kernel, phase, batch, seq, latency, ...sizes]) => phase === "context" ? {
    member: "mamba2",
    slice: [
      kernel,
      ...sizes
    ].join("|"),
    key: [
      0,
      +batch,
      +seq
    ],
    value: +latency
  } : void 0
});

// lib/perf_data/tables/registry.ts
var TABLE_BUILDERS = [
  buildGemm,
  buildContextAttention,
  buildGenerationAttention,
  buildExperts,
  buildAllReduce,
  buildCollectives,
  scalingKernel("computescale"),
  scalingKernel("scale_matrix"),
  buildContextMla,
  buildGenerationMla,
  buildContextMlaModule,
  buildGenerationMlaModule,
  buildMlaProducts,
  buildGdn,
  buildMamba2,
  buildKda,
  buildContextDsa,
  buildGenerationDsa,
  buildContextMsa,
  buildGenerationMsa,
  ...COMPRESSED_ATTENTION,
  buildPickingOverhead,
  buildHyperConnections
];

// lib/perf_data/versions.ts
function slotKey(version) {
  const text2 = version.toLowerCase();
  const three = /(\d+)\.(\d+)\.(\d+)/.exec(text2);
  const two = /(\d+)\.(\d+)/.exec(text2);
  const found = three ?? two;
  if (!found) return [
    0,
    0,
    0,
    0,
    0,
    0
  ];
  const rest = text2.slice(found.index + found[0].length);
  const release2 = [
    Number(found[1]),
    Number(found[2]),
    three ? Number(three[3]) : 0
  ];
  const candidate = /rc(\d*)/.exec(rest);
  const trailing = Number(rest.match(/\d+/g)?.at(-1) ?? 0);
  return [
    ...release2,
    candidate ? 0 : 1,
    candidate ? Number(candidate[1] || 0) : 0,
    trailing
  ];
}
var PYTHON_VERSION = /^v?(\d+(?:\.\d+)*)(?:[-_.]?(a|alpha|b|beta|c|rc|pre|preview)[-_.]?(\d*))?(?:[-_.]?(post|rev|r)[-_.]?(\d*)|-(\d+))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+[a-z0-9.]+)?$/;
var PRE_RANK = {
  a: 0,
  alpha: 0,
  b: 1,
  beta: 1,
  c: 2,
  rc: 2,
  pre: 2,
  preview: 2
};
function pythonVersion(version) {
  const found = PYTHON_VERSION.exec(version.toLowerCase());
  if (!found) return void 0;
  const [, release2, pre, preNumber, post, postNumber, bareNumber, dev, devNumber] = found;
  const hasPost = post !== void 0 || bareNumber !== void 0;
  const preKey = pre !== void 0 ? [
    PRE_RANK[pre],
    Number(preNumber || 0)
  ] : dev !== void 0 && !hasPost ? [
    -1,
    0
  ] : [
    3,
    0
  ];
  const postKey = hasPost ? Number(postNumber || bareNumber || 0) : -1;
  const devKey = dev !== void 0 ? Number(devNumber || 0) : Infinity;
  return {
    release: release2.split(".").map(Number),
    stage: [
      ...preKey,
      postKey,
      devKey
    ]
  };
}
function isPythonVersion(version) {
  return pythonVersion(version) !== void 0;
}
function comparePythonVersions(a, b) {
  const [left, right] = [
    pythonVersion(a),
    pythonVersion(b)
  ];
  if (!left || !right) throw new Error(`cannot order the versions ${a} and ${b}`);
  for (let i = 0; i < Math.max(left.release.length, right.release.length); i++) {
    const difference = (left.release[i] ?? 0) - (right.release[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return compareKeys(left.stage, right.stage);
}
function compareKeys(a, b) {
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

// lib/perf_data/tree.ts
var METADATA = /* @__PURE__ */ new Set([
  "collection_meta.yaml",
  "reuse.yaml",
  "INCOMPLETE.txt"
]);
var BACKENDS = [
  "vllm",
  "sglang",
  "trtllm"
];
var DataTree = class _DataTree {
  #files;
  #root;
  #donors;
  /** System \u2192 framework \u2192 versions. */
  #versions = /* @__PURE__ */ new Map();
  #slots;
  #manifest;
  /**
   * @param root folder in `files` that holds the systems, without a slash at the end
   * @param donors whether tables are completed from other versions and backends
   */
  constructor(files, root, donors = true) {
    this.#files = files;
    this.#root = root;
    this.#donors = donors;
    this.#slots = parse(this.#text("query_versions.yaml"));
    this.#manifest = parse(this.#text("perf_data_reuse_manifest.yaml")).groups;
    for (const path of files.paths) this.#note(path);
    for (const frameworks of this.#versions.values()) {
      for (const versions of frameworks.values()) dropIncomplete(versions);
    }
  }
  /** The same files, every table from its own version alone. */
  withoutDonors() {
    return new _DataTree(this.#files, this.#root, false);
  }
  /** Names of all systems that have a specification, sorted. */
  systems() {
    const specification = new RegExp(`^${this.#root}/([^/]+)\\.yaml$`);
    return this.#files.paths.flatMap((path) => specification.exec(path)?.[1] ?? []).filter((name) => "gpu" in this.specification(name));
  }
  /** The parsed specification of a system. */
  specification(system) {
    return parse(this.#text(`${system}.yaml`)) ?? {};
  }
  /** Bytes of a table's file. */
  read(system, folder, table) {
    return this.#files.read(`${this.#root}/data/${system}/${folder}/${table}.parquet`);
  }
  /** Version slots, or undefined when the system has no data of that backend. */
  slots(system, backend) {
    if (!this.#frameworkVersions(system, backend).size) return void 0;
    const override = this.#slots.overrides?.[system]?.[backend];
    const entry = override ?? this.#slots.defaults[backend];
    if (!entry) return void 0;
    const next = override ? void 0 : this.#nextVersion(backend, entry.current);
    return {
      current: entry.current,
      ...entry.previous && {
        previous: entry.previous
      },
      ...next && {
        next
      }
    };
  }
  /** The kernel that a framework picks by default; null when none is recorded for this version and GPU. */
  defaultKernel(backend, version, smVersion) {
    const kernels = parse(this.#text("attention_lane_defaults.yaml"));
    const listed2 = Object.keys(kernels[backend] ?? {}).filter((known) => comparePythonVersions(known, version) <= 0).sort(comparePythonVersions);
    return kernels[backend]?.[listed2.at(-1) ?? ""]?.[smVersion] ?? null;
  }
  /** The files that make up `table` (no extension) of a version, in the order in which their rows count. */
  sources(system, backend, version, table) {
    const file = `${table}.parquet`;
    const versions = this.#frameworkVersions(system, backend);
    const folderOf = (of, name) => of.get(name)?.find((place) => place.files.has(file))?.folder;
    const found = [];
    const used = /* @__PURE__ */ new Set();
    const add = (name, channel) => {
      const folder = folderOf(versions, name);
      if (folder === void 0 || used.has(name)) return;
      used.add(name);
      found.push({
        folder,
        channel,
        kernels: null
      });
    };
    add(version, "primary");
    if (!this.#donors) return found;
    const collective = table === "custom_allreduce_perf";
    if (!collective) {
      for (const from of this.#declaredReuse(system, versions.get(version) ?? [], table)) add(from, "declared_reuse");
    }
    const older = [
      ...versions.keys()
    ].filter((name) => isPythonVersion(name) && isPythonVersion(version) && comparePythonVersions(name, version) < 0).sort((a, b) => comparePythonVersions(b, a));
    for (const name of older) add(name, "fallback");
    if (!collective) found.push(...this.#crossBackend(system, backend, file, folderOf));
    return found;
  }
  /** The one file of the collectives library's table, or undefined. */
  collectivesFolder(system) {
    const version = this.specification(system).misc?.nccl_version;
    const folder = `comm/nccl/${version}`;
    return this.#frameworkVersions(system, "nccl").get(String(version))?.some((place) => place.files.has("nccl_perf.parquet")) ? folder : void 0;
  }
  #text(name) {
    return new TextDecoder().decode(this.#files.read(`${this.#root}/${name}`));
  }
  #note(path) {
    if (!path.startsWith(`${this.#root}/data/`)) return;
    const parts = path.slice(this.#root.length + 6).split("/");
    if (parts.length !== 5) return;
    const [system, family, framework, version, file] = parts;
    const frameworks = getOrAdd2(this.#versions, system, () => /* @__PURE__ */ new Map());
    const versions = getOrAdd2(frameworks, framework, () => /* @__PURE__ */ new Map());
    const places = getOrAdd2(versions, version, () => []);
    const folder = `${family}/${framework}/${version}`;
    let place = places.find((known) => known.folder === folder);
    if (!place) places.push(place = {
      folder,
      files: /* @__PURE__ */ new Set()
    });
    place.files.add(file);
  }
  #frameworkVersions(system, framework) {
    return this.#versions.get(system)?.get(framework) ?? /* @__PURE__ */ new Map();
  }
  #nextVersion(backend, current) {
    let best;
    for (const [system, frameworks] of this.#versions) {
      if (this.#slots.overrides?.[system]?.[backend]) continue;
      for (const [version, places] of frameworks.get(backend) ?? []) {
        const holdsData = places.some((place) => [
          ...place.files
        ].some((file) => !METADATA.has(file)));
        if (holdsData && compareKeys(slotKey(version), slotKey(best ?? current)) > 0) best = version;
      }
    }
    return best;
  }
  #declaredReuse(system, places, table) {
    return places.filter((place) => place.files.has("reuse.yaml")).flatMap((place) => {
      const path = `${this.#root}/data/${system}/${place.folder}/reuse.yaml`;
      const declared = parse(new TextDecoder().decode(this.#files.read(path)));
      return (declared.reuse ?? []).filter((entry) => entry.table === table).map((entry) => String(entry.from_version));
    });
  }
  #crossBackend(system, backend, file, folderOf) {
    const groups = this.#manifest.filter((group) => group.op_file === file && [
      "shared",
      "shared_fallback"
    ].includes(group.tier) && group.frameworks.includes(backend));
    const others = new Set(groups.flatMap((group) => group.frameworks));
    others.delete(backend);
    return [
      ...others
    ].sort().flatMap((other) => {
      const kernels = [
        ...new Set(groups.filter((group) => group.frameworks.includes(other)).map((group) => group.kernel_source))
      ];
      const versions = this.#frameworkVersions(system, other);
      return [
        ...versions.keys()
      ].filter(isPythonVersion).sort((a, b) => comparePythonVersions(b, a)).flatMap((name) => {
        const folder = folderOf(versions, name);
        return folder === void 0 ? [] : [
          {
            folder,
            channel: "cross_backend",
            kernels
          }
        ];
      });
    });
  }
};
function dropIncomplete(versions) {
  for (const [version, places] of versions) {
    const kept = places.filter((place) => !place.files.has("INCOMPLETE.txt") || place.files.has("collection_meta.yaml"));
    if (kept.length === 0) versions.delete(version);
    else versions.set(version, kept);
  }
}
function getOrAdd2(map, key, make) {
  let value = map.get(key);
  if (value === void 0) map.set(key, value = make());
  return value;
}

// lib/perf_data/build.ts
function originOf(release2) {
  return {
    package: release2.package,
    release: release2.version,
    licence: release2.licence
  };
}
function hardwareOf(tree, system) {
  const { gpu, node, misc } = tree.specification(system);
  const flops = {};
  for (const type of [
    "bfloat16",
    "int8",
    "fp8",
    "fp4"
  ]) {
    if (gpu[`${type}_tc_flops`] > 0) flops[type] = gpu[`${type}_tc_flops`];
  }
  return {
    name: system,
    memoryBandwidth: gpu.mem_bw,
    memoryScaling: gpu.mem_bw_empirical_scaling_factor ?? 1,
    memoryLatencySeconds: gpu.mem_empirical_constant_latency ?? 0,
    memoryBytes: gpu.mem_capacity,
    flops,
    smVersion: gpu.sm_version ?? 0,
    gpusPerNode: node.num_gpus_per_node,
    gpusPerRack: node.num_gpus_per_rack ?? null,
    intraNodeBandwidth: node.intra_node_bw,
    interNodeBandwidth: node.inter_node_bw,
    interRackBandwidth: node.inter_rack_bw ?? null,
    p2pLatencySeconds: node.p2p_latency ?? 0,
    ncclBytes: misc?.nccl_mem ?? {},
    otherBytes: misc?.other_mem ?? 0
  };
}
function catalogue(tree) {
  return Object.fromEntries(tree.systems().map((system) => {
    const backends = {};
    for (const backend of BACKENDS) {
      const slots = tree.slots(system, backend);
      if (slots) backends[backend] = slots;
    }
    return [
      system,
      {
        hardware: hardwareOf(tree, system),
        backends
      }
    ];
  }));
}
async function buildSet({ release: release2, tree, system, backend, version }) {
  const hardware = hardwareOf(tree, system);
  const build = async (from) => {
    const members2 = new Members();
    for (const table of TABLE_BUILDERS) {
      await stopPoint();
      await table({
        tree: from,
        system,
        backend,
        version,
        hardware
      }, members2);
    }
    return members2;
  };
  const { writers, lanes, sources } = await build(tree);
  const { own, members } = ownTables(writers, (await build(tree.withoutDonors())).writers);
  const all = new Map([
    ...writers,
    ...[
      ...members
    ].map(([name, writer]) => [
      OWN + name,
      writer
    ])
  ]);
  const origin = originOf(release2);
  return {
    set: await writePerfSet({
      system,
      backend,
      version,
      origin,
      hardware,
      lanes,
      sources,
      own
    }, all),
    powers: writePowers({
      system,
      backend,
      version,
      origin
    }, writers)
  };
}

// lib/perf_data/models.ts
var VARIANTS = {
  "meta-llama/Meta-Llama-3.1-8B-Instruct": {
    like: "meta-llama/Meta-Llama-3.1-8B"
  },
  "meta-llama/Llama-3.1-8B-Instruct": {
    like: "meta-llama/Meta-Llama-3.1-8B"
  },
  "nvidia/Llama-3.1-8B-Instruct-FP8": {
    like: "meta-llama/Meta-Llama-3.1-8B",
    quant: "nvidia/Llama-3.1-70B-Instruct-FP8"
  }
};
function modelTable(files, root) {
  const configs = `${root}/model_configs/`, ending = "_config.json";
  const json = (path) => parsePythonJson(new TextDecoder().decode(files.read(path)));
  const table = {};
  for (const path of files.paths) {
    if (!path.startsWith(configs) || !path.endsWith(ending)) continue;
    const stem = path.slice(configs.length, -ending.length);
    if (stem.endsWith("_hf_quant")) continue;
    const quantPath = path.replace(/_config\.json$/, "_hf_quant_config.json");
    const quant = files.paths.includes(quantPath) ? json(quantPath) : {};
    table[stem.replace("--", "/")] = modelFacts(json(path), quant);
  }
  for (const [name, { like, quant }] of Object.entries(VARIANTS)) {
    table[name] = {
      ...table[like],
      quant: table[quant ?? like].quant
    };
  }
  return Object.fromEntries(Object.entries(table).sort(([a], [b]) => a < b ? -1 : 1));
}
function modelTableText(table) {
  const lines = Object.entries(table).map(([name, facts]) => `${JSON.stringify(name)}: ${JSON.stringify(facts)}`);
  return `{
${lines.join(",\n")}
}
`;
}

// lib/perf_data/package.ts
async function findPackage({ release: release2, file, folder, note, signal }) {
  if (file !== void 0) {
    if (host().kind(file) !== "file") throw new Error(`there is no file ${file}`);
    await check(release2, file);
    return file;
  }
  const path = `${folder.replace(/\/+$/, "")}/${release2.file}`;
  if (host().kind(path) === "file") {
    note(`checking ${path}`);
    await check(release2, path);
    return path;
  }
  note(`downloading ${release2.url}`);
  try {
    await download(release2.url, path, {
      sha256: release2.sha256,
      signal
    });
  } catch (cause) {
    throw new Error(`cannot download ${release2.package} ${release2.version}: ${cause.message}. Get ${release2.file} on a machine that can and name the file with --package`, {
      cause
    });
  }
  return path;
}
async function check(release2, file) {
  const hash = await sha256OfFile(file);
  if (hash === release2.sha256) return;
  throw new Error(`${file} is not the known package of ${release2.package} ${release2.version}: its SHA-256 is ${hash}, expected ${release2.sha256}`);
}

// lib/perf_data/commands.ts
async function installSets(request) {
  const shipped = new PerfCatalog();
  if (shipped.origin.release === request.release.version) check2(request, (system) => shipped.system(system));
  const below = releaseFolder(request.folder, request.release.version);
  await withPackage(request, async (tree) => {
    const systems = catalogue(tree);
    check2(request, (system) => entryOf(systems, system));
    await writeFileAtomically(`${below}/systems.json`, catalogText(request.release, systems));
    await writeSets(request, tree, systems, below);
  });
}
async function buildShipped(request) {
  const { release: release2, folder, note } = request;
  await withPackage(request, async (tree, archive) => {
    const systems = catalogue(tree);
    check2(request, (system) => entryOf(systems, system));
    await writeSets(request, tree, systems, `${folder}/perf`);
    await writeFileAtomically(`${folder}/perf/systems.json`, catalogText(release2, systems));
    await writeFileAtomically(`${folder}/models.json`, modelTableText(modelTable(archive, release2.root)));
    for (const system of request.systems) {
      const sets = currentSets(`${folder}/perf`, system, systems[system]);
      await writeFileAtomically(`${folder}/perf/${system}/findings.json`, await findingsText(sets));
    }
    note(`systems, findings and model facts \u2192 ${folder}`);
  });
}
async function withPackage(request, use) {
  const { release: release2, packageFile, downloads, note } = request;
  const archive = new ZipFile(await findPackage({
    release: release2,
    file: packageFile,
    folder: downloads,
    note
  }));
  try {
    await use(new DataTree(archive, `${release2.root}/systems`), archive);
  } finally {
    archive.close();
  }
}
async function writeSets(request, tree, systems, folder) {
  for (const system of request.systems) {
    for (const [backend, version] of versionsOf(request, system, systems[system])) {
      const { set, powers } = await buildSet({
        release: request.release,
        tree,
        system,
        backend,
        version
      });
      const write = async (path, bytes, what = "") => {
        await writeFileAtomically(path, bytes);
        request.note(`${system} ${backend} ${version}${what}: ${(bytes.length / 1e6).toFixed(2)} MB \u2192 ${path}`);
      };
      await write(`${folder}/${setFile({
        system,
        backend,
        version
      })}`, set);
      if (powers !== null) await write(`${folder}/${powersFile({
        system,
        backend,
        version
      })}`, powers, ", powers");
    }
  }
}
function currentSets(folder, system, { backends }) {
  return Object.entries(backends).flatMap(([backend, slots]) => {
    const path = `${folder}/${setFile({
      system,
      backend,
      version: slots.current
    })}`;
    const bytes = readFileIfThere(path);
    return bytes === void 0 ? [] : [
      new PerfSet(bytes, path)
    ];
  });
}
function check2(request, entry) {
  for (const system of request.systems) versionsOf(request, system, entry(system));
}
function entryOf(systems, system) {
  if (Object.hasOwn(systems, system)) return systems[system];
  throw new ConfigError(`the package knows no system '${system}' (known: ${Object.keys(systems).join(", ")})`);
}
function versionsOf({ backend: only, backendVersion }, system, entry) {
  const measured = Object.entries(entry.backends);
  if (measured.length === 0) throw new ConfigError(`nothing was measured on '${system}'`);
  const chosen = measured.filter(([backend]) => only === void 0 || backend === only);
  if (chosen.length === 0) {
    const names = measured.map(([backend]) => backend).join(", ");
    throw new ConfigError(`no measurements of backend '${only}' on '${system}' (measured: ${names})`);
  }
  return chosen.map(([backend, slots]) => {
    const byName = {
      ...slots
    };
    const wanted = backendVersion ?? "current";
    const version = Object.hasOwn(byName, wanted) ? byName[wanted] : Object.values(byName).find((known2) => known2 === wanted);
    if (version !== void 0) return [
      backend,
      version
    ];
    const known = Object.entries(byName).map(([slot, version2]) => `${slot} = ${version2}`).join(", ");
    throw new ConfigError(`unknown version '${wanted}' of backend '${backend}' on '${system}' (known: ${known})`);
  });
}
function catalogText(release2, systems) {
  const file = {
    origin: originOf(release2),
    systems
  };
  const lines = Object.entries(file.systems).map(([name, entry]) => `${JSON.stringify(name)}: ${JSON.stringify(entry)}`);
  return `{
"origin": ${JSON.stringify(file.origin)},
"systems": {
${lines.join(",\n")}
}
}
`;
}

// lib/perf_data/releases.ts
var FILES = "https://files.pythonhosted.org/packages";
var RELEASES = [
  release({
    package: "aisimulate",
    version: "0.13.0.dev202610160000000073",
    folder: "d9/f3/90c49b6aeed3e3737905c809c824bf57a4cd88cdfa3b1005823265232341",
    sha256: "27e1effba4f7b4dc34d067689b14c32296edf4e2689795be58886aa729dd9991",
    root: "aisimulate_core"
  }),
  release({
    package: "aiconfigurator-core",
    version: "0.12.0",
    folder: "ea/25/aa0ba62a34b329a1420d9bedeebd6e54bc3780cc79beacb2db9d57ec2b1a",
    sha256: "aadc4aad0a00bf8a61c477c62bef43de479849c3aa0b1c3078068e08309eccc4",
    root: "aiconfigurator_core"
  })
];
function release({ folder, ...about }) {
  const file = `${about.package.replaceAll("-", "_")}-${about.version}-cp311-abi3-manylinux_2_28_x86_64.whl`;
  return {
    ...about,
    licence: "Apache-2.0",
    file,
    url: `${FILES}/${folder}/${file}`
  };
}
function findRelease(version) {
  if (version === void 0) return RELEASES[0];
  const found = RELEASES.find((known) => known.version === version);
  if (found) return found;
  const versions = RELEASES.map((known) => known.version);
  const near = nearName(version, versions);
  throw new ConfigError(`unknown data release '${version}'${near ? `, did you mean '${near}'?` : ""} (known: ${versions.join(", ")})`);
}

// cli/perf_data.ts
var ACTIONS = [
  "list",
  "install",
  "build",
  "check"
];
var LINE = {
  command: "perf-data",
  summary: "Lists, installs and builds measurements of operators on GPU systems.",
  options: {
    release: text("data release", {
      value: "V",
      fallback: RELEASES[0].version
    }),
    backend: text("only this serving framework", {
      value: "NAME"
    }),
    backendVersion: text("current, previous, next or one of those versions", {
      value: "V",
      fallback: "current"
    }),
    package: text("take the release's package from this file instead of downloading it", {
      value: "FILE"
    }),
    folder: text("write here instead", {
      value: "DIR"
    }),
    format: choice("how list and check print their table", [
      "text",
      "csv"
    ], {
      fallback: "text"
    })
  },
  operands: {
    name: "ACTION [SYSTEM]\u2026",
    help: "what to do (list, install, build, check), and for which systems",
    least: 1,
    most: Infinity,
    choices: ACTIONS
  },
  notes: [
    "list      the systems of a release, with the versions that are on this machine",
    "install   builds the measurements of systems and puts them into the user's folder ($DYNOSIM_CACHE, $XDG_CACHE_HOME/dynosim or ~/.cache/dynosim)",
    "build     builds what ships with the project: measurements of the current versions of the systems named, the catalogue of systems and the facts of models",
    "check     names measurements that cannot be right, in the sets that are on this machine: slower in a lower precision, falling as work grows, below the hardware's bound, far from other backends",
    "",
    `Data releases: ${RELEASES.map((release2) => `${release2.version} (${release2.package})`).join(", ")}.`
  ]
};
var perfDataCommand = command(LINE, async (options, [action, ...systems]) => {
  switch (action) {
    case "list":
      if (systems.length > 0) throw new UsageError(`list takes no systems: ${systems.join(" ")}`);
      return print(options, listed(options));
    case "install":
      if (systems.length === 0) throw new UsageError("install needs the name of a system (see: perf-data list)");
      return await installSets({
        ...requestOf(options),
        systems,
        folder: options.folder ?? ownFolder()
      });
    case "build":
      return await buildShipped({
        ...requestOf(options),
        systems,
        folder: options.folder ?? fileURLToPath(SHIPPED_DATA)
      });
    case "check":
      return print(options, await checked(options, systems));
  }
});
function print({ format: format2 }, { above, rows }) {
  const [head, ...body] = rows;
  const text2 = format2 === "csv" ? csvText(body.map((row) => Object.fromEntries(head.map((name, i) => [
    name,
    row[i]
  ])))) : [
    ...above,
    ...alignedRows(rows, {
      left: head.length
    }),
    ""
  ].join("\n");
  writeText("stdout", text2);
}
function requestOf(options) {
  return {
    release: findRelease(options.release),
    backend: options.backend,
    backendVersion: options.backendVersion,
    packageFile: options.package,
    downloads: `${userDataFolder() ?? options.folder ?? "."}/downloads`,
    note: (line) => writeText("stderr", `${line}
`)
  };
}
function ownFolder() {
  const folder = userDataFolder();
  if (folder === void 0) throw new ConfigError("no folder to install into; set DYNOSIM_CACHE or pass --folder");
  return folder;
}
async function checked(options, wanted) {
  const catalog = new PerfCatalog({
    release: findRelease(options.release).version
  });
  const systems = wanted.length > 0 ? wanted : catalog.systemNames();
  const rows = [], bar = new ProgressBar();
  for (const [i, system] of systems.entries()) {
    const { backends } = catalog.system(system);
    const here = new Set(catalog.setsOnThisMachine(system).map(({ file }) => file));
    const sets = [];
    for (const [backend, slots] of Object.entries(backends)) {
      await stopPoint();
      if (!here.has(`${backend}-${slots.current}.perf`)) continue;
      sets.push(catalog.load({
        system,
        backend,
        version: slots.current
      }));
    }
    for (const [j, set] of sets.entries()) {
      const share = (i + j / sets.length) / systems.length, what = `${system} ${set.header.backend}`;
      bar.draw((elapsedMs, columns) => shareLine(share, what, elapsedMs, columns));
      await stopPoint();
      if (options.backend !== void 0 && set.header.backend !== options.backend) continue;
      const findings = (await checkSet(set, sets.filter((other) => other !== set))).filter(({ points, of }) => points >= of * WORTH_TELLING);
      for (const { table, rule, points, of, worst } of findings) {
        const share2 = `${(100 * points / of).toFixed(1)} % of ${of}`;
        const times = `${worst.ms.toPrecision(3)} ms against ${worst.against.toPrecision(3)}`;
        rows.push([
          system,
          set.header.backend,
          table,
          rule,
          share2,
          `${worst.where}: ${times}`
        ]);
      }
    }
  }
  bar.clear();
  return {
    above: [],
    rows: [
      [
        "system",
        "backend",
        "table",
        "what",
        "points",
        "worst"
      ],
      ...rows
    ]
  };
}
function listed(options) {
  const catalog = new PerfCatalog({
    release: findRelease(options.release).version
  });
  const rows = catalog.systemNames().flatMap((system) => {
    const { backends } = catalog.system(system);
    const here = catalog.setsOnThisMachine(system);
    const names = Object.keys(backends);
    if (names.length === 0) return [
      [
        system,
        "-",
        "-",
        "hardware only"
      ]
    ];
    return names.flatMap((backend) => Object.entries(backends[backend]).map(([slot, version]) => {
      const places = here.filter(({ file }) => file === `${backend}-${version}.perf`).map(({ place }) => place);
      return [
        system,
        backend,
        `${version} (${slot})`,
        places.join(", ") || "not installed"
      ];
    }));
  });
  const { package: name, release: release2, licence } = catalog.origin;
  return {
    above: [
      `data release ${release2} (package ${name}, ${licence})`,
      ""
    ],
    rows: [
      [
        "system",
        "backend",
        "version",
        "measurements"
      ],
      ...rows
    ]
  };
}
export {
  perfDataCommand
};
