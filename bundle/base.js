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
var __freeze = Object.freeze;
var __defProp = Object.defineProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __template = (cooked, raw) => __freeze(__defProp(cooked, "raw", { value: __freeze(raw || cooked.slice()) }));

// lib/errors.ts
var TraceError = class extends Error {
  place;
  /** The class by name. */
  name;
  /** An error about a place in a trace. */
  constructor(message, place = {}, options) {
    super(message, options), this.place = place, this.name = "TraceError";
  }
};
var ConfigError = class extends Error {
  issues;
  /** The class by name. */
  name;
  /** An error with one issue for each option that is wrong. */
  constructor(message, issues = [], options) {
    super(message, options), this.issues = issues, this.name = "ConfigError";
  }
};
var SimulationError = class extends Error {
  /** The class by name. */
  name = "SimulationError";
};
var ResourceLimitError = class extends Error {
  /** The class by name. */
  name = "ResourceLimitError";
};
var FileError = class extends Error {
  place;
  /** The class by name. */
  name;
  /** An error about a file. */
  constructor(message, place = {}, options) {
    super(message, options), this.place = place, this.name = "FileError";
  }
};
var QueueError = class extends Error {
  /** The class by name. */
  name = "QueueError";
};
function checkOptions(of, given, known) {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    const message = `the options of ${of} must be an object, got ${given === null ? "null" : typeof given}`;
    throw new ConfigError(message, [
      {
        path: "",
        message
      }
    ]);
  }
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue;
    const near = nearName(name, Object.keys(known));
    const message = `unknown option '${name}' of ${of}`;
    const hint = near === void 0 ? void 0 : `did you mean '${near}'?`;
    throw new ConfigError(hint === void 0 ? message : `${message}, ${hint}`, [
      {
        path: name,
        message,
        hint
      }
    ]);
  }
}
function checkNumber(name, value, { least, above, most, whole = false } = {}) {
  if (value === void 0) return;
  const fits = typeof value === "number" && (whole ? Number.isSafeInteger(value) : Number.isFinite(value)) && !(value < least || value <= above || value > most);
  if (fits) return;
  const bounds = [
    ...least === void 0 ? [] : [
      `at least ${least}`
    ],
    ...above === void 0 ? [] : [
      `above ${above}`
    ],
    ...most === void 0 ? [] : [
      `at most ${most}`
    ]
  ];
  const what = `a ${whole ? "whole" : "finite"} number${bounds.length > 0 ? `, ${bounds.join(" and ")}` : ""}`;
  const got = typeof value === "number" ? String(value) : typeof value === "string" ? `'${value}'` : typeof value;
  const message = `${name} must be ${what}, got ${got}`;
  throw new ConfigError(message, [
    {
      path: name,
      message
    }
  ]);
}
function nearName(name, candidates) {
  const wanted = plain(name).slice(0, 100);
  const known = Array.from(candidates, (candidate) => ({
    candidate,
    text: plain(candidate)
  }));
  const same = known.find(({ text: text2 }) => text2 === wanted);
  if (same || wanted === "") return same?.candidate;
  const shortest = (fits) => known.filter(({ text: text2 }) => wanted.length >= 3 && fits(text2)).sort((a, b) => a.text.length - b.text.length)[0]?.candidate;
  return shortest((text2) => text2.startsWith(wanted) || `_${text2}_`.includes(`_${wanted}_`)) ?? fewestEdits(wanted, known) ?? shortest((text2) => 2 * wanted.length >= text2.length && isSpreadIn(wanted, text2)) ?? shortest((text2) => 2 * commonStart(wanted, text2) >= Math.max(wanted.length, text2.length));
}
var plain = (name) => name.toLowerCase().replace(/^--?/, "").replace(/[-. ]/g, "_");
function fewestEdits(wanted, known) {
  let best;
  let bestEdits = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const { candidate, text: text2 } of known) {
    if (Math.abs(text2.length - wanted.length) >= bestEdits) continue;
    const edits = editDistance(wanted, text2);
    if (edits < bestEdits) [best, bestEdits] = [
      candidate,
      edits
    ];
  }
  return best;
}
function isSpreadIn(part, whole) {
  let at = 0;
  for (const letter of whole) if (letter === part[at]) at++;
  return at === part.length;
}
function commonStart(a, b) {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}
function editDistance(a, b) {
  let beforeLast = [];
  let last = Array.from({
    length: b.length + 1
  }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [
      i
    ];
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
      }
    }
    [beforeLast, last] = [
      last,
      row
    ];
  }
  return last[b.length];
}

// lib/engine/settings.ts
var BACKENDS = [
  "vllm",
  "sglang",
  "trtllm"
];
var BLOCK_TOKENS = {
  vllm: 64,
  sglang: 1,
  trtllm: 32
};

// lib/timing/aic/assumptions.ts
function assumptionsOf(deployment) {
  const { gemm, moe, kvcache, comm } = deployment.impliedModes;
  const { backends } = deployment.catalog.system(deployment.hardware.name);
  const measured = Object.hasOwn(backends, deployment.backend);
  return {
    data_version: deployment.catalog.origin.release,
    backend_version: measured ? deployment.backendVersion : null,
    weights: gemm,
    expert_weights: deployment.facts.experts > 0 ? moe : null,
    attention: attentionMode(deployment),
    kv_cache: kvcache,
    communication: comm === "half" ? "bfloat16" : comm,
    kv_bytes_per_token: deployment.kvBytesPerToken
  };
}
function attentionMode(deployment) {
  try {
    return deployment.modes.fmha;
  } catch (problem) {
    if (problem instanceof ConfigError) return null;
    throw problem;
  }
}
function assumptionsText(assumed) {
  const { weights, expert_weights: experts, attention, kv_cache, communication, kv_bytes_per_token } = assumed;
  return [
    `weights ${weights}${experts === null || experts === weights ? "" : ` (experts ${experts})`}`,
    ...attention === null ? [] : [
      `attention ${attention}`
    ],
    `KV cache ${kv_cache} (${kv_bytes_per_token} bytes a token)`,
    `communication ${communication}`,
    assumed.backend_version === null ? "nothing measured" : `backend version ${assumed.backend_version}`,
    `data version ${assumed.data_version}`
  ].join(", ");
}

// lib/timing/aic/database_mode.ts
var DATABASE_MODES = [
  "SILICON",
  "HYBRID",
  "EMPIRICAL",
  "SOL"
];
function databaseMode(name = null) {
  const wanted = (name ?? "SILICON").toUpperCase();
  const found = DATABASE_MODES.find((mode) => mode === wanted);
  if (found !== void 0) return found;
  const near = nearName(wanted, DATABASE_MODES);
  throw new ConfigError(`unknown database mode '${name}'${near ? `, did you mean '${near}'?` : ""} (known: ${DATABASE_MODES.join(", ")})`);
}

// lib/timing/aic/transfer_policy.ts
var TRANSFER_KINDS = [
  "xop",
  "xprofile",
  "xquant",
  "xshape"
];
var PRESETS = {
  off: [],
  conservative: [
    "xshape"
  ],
  balanced: [
    "xshape",
    "xquant"
  ],
  aggressive: TRANSFER_KINDS
};
function transferKinds(policy = null) {
  if (policy === null) return new Set(TRANSFER_KINDS);
  const entries = (typeof policy === "string" ? [
    policy
  ] : policy).flatMap((entry) => entry.split(","));
  return new Set(entries.map((entry) => entry.trim().toLowerCase()).flatMap(kindsNamed));
}
function kindsNamed(name) {
  if (Object.hasOwn(PRESETS, name)) return PRESETS[name];
  const kind = TRANSFER_KINDS.find((known) => known === name);
  if (kind !== void 0) return [
    kind
  ];
  const presets = Object.keys(PRESETS).sort();
  const near = nearName(name, [
    ...TRANSFER_KINDS,
    ...presets
  ]);
  const message = `unknown transfer kind/preset '${name}'${near ? `, did you mean '${near}'?` : ""}; valid kinds: ${TRANSFER_KINDS.join(", ")}; presets: ${presets.join(", ")}`;
  throw new ConfigError(message, [
    {
      path: "transfer_policy",
      message
    }
  ]);
}

// valibot/1.5.0/dist/index.mjs
var store$4;
var DEFAULT_CONFIG = {
  lang: void 0,
  message: void 0,
  abortEarly: void 0,
  abortPipeEarly: void 0
};
// @__NO_SIDE_EFFECTS__
function getGlobalConfig(config$1) {
  if (!config$1 && !store$4) return DEFAULT_CONFIG;
  return {
    lang: config$1?.lang ?? store$4?.lang,
    message: config$1?.message,
    abortEarly: config$1?.abortEarly ?? store$4?.abortEarly,
    abortPipeEarly: config$1?.abortPipeEarly ?? store$4?.abortPipeEarly
  };
}
var store$3;
// @__NO_SIDE_EFFECTS__
function getGlobalMessage(lang) {
  return store$3?.get(lang);
}
var store$2;
// @__NO_SIDE_EFFECTS__
function getSchemaMessage(lang) {
  return store$2?.get(lang);
}
var store$1;
// @__NO_SIDE_EFFECTS__
function getSpecificMessage(reference, lang) {
  return store$1?.get(reference)?.get(lang);
}
// @__NO_SIDE_EFFECTS__
function _stringify(input) {
  const type = typeof input;
  if (type === "string") return `"${input}"`;
  if (type === "number" || type === "bigint" || type === "boolean") return `${input}`;
  if (type === "object" || type === "function") return (input && Object.getPrototypeOf(input)?.constructor?.name) ?? "null";
  return type;
}
function _addIssue(context, label, dataset, config$1, other) {
  const input = other && "input" in other ? other.input : dataset.value;
  const expected = other?.expected ?? context.expects ?? null;
  const received = other?.received ?? /* @__PURE__ */ _stringify(input);
  const issue = {
    kind: context.kind,
    type: context.type,
    input,
    expected,
    received,
    message: `Invalid ${label}: ${expected ? `Expected ${expected} but r` : "R"}eceived ${received}`,
    requirement: context.requirement,
    path: other?.path,
    issues: other?.issues,
    lang: config$1.lang,
    abortEarly: config$1.abortEarly,
    abortPipeEarly: config$1.abortPipeEarly
  };
  const isSchema = context.kind === "schema";
  const message$1 = other?.message ?? context.message ?? /* @__PURE__ */ getSpecificMessage(context.reference, issue.lang) ?? (isSchema ? /* @__PURE__ */ getSchemaMessage(issue.lang) : null) ?? config$1.message ?? /* @__PURE__ */ getGlobalMessage(issue.lang);
  if (message$1 !== void 0) issue.message = typeof message$1 === "function" ? message$1(issue) : message$1;
  if (isSchema) dataset.typed = false;
  if (dataset.issues) dataset.issues.push(issue);
  else dataset.issues = [
    issue
  ];
}
// @__NO_SIDE_EFFECTS__
function _isSameValueZero(value1, value2) {
  return value1 === value2 || Number.isNaN(value1) && Number.isNaN(value2);
}
// @__NO_SIDE_EFFECTS__
function _isValidObjectKey(object$1, key) {
  return Object.prototype.hasOwnProperty.call(object$1, key) && key !== "__proto__" && key !== "prototype" && key !== "constructor";
}
// @__NO_SIDE_EFFECTS__
function _joinExpects(values$1, separator) {
  const list2 = [
    ...new Set(values$1)
  ];
  if (list2.length > 1) return `(${list2.join(` ${separator} `)})`;
  return list2[0] ?? "never";
}
function _standardSchema(schema) {
  schema["~standard"] = {
    version: 1,
    vendor: "valibot",
    validate: (value$1) => schema["~run"]({
      value: value$1
    }, /* @__PURE__ */ getGlobalConfig())
  };
  return schema;
}
// @__NO_SIDE_EFFECTS__
function getDotPath(issue) {
  if (issue.path) {
    let key = "";
    for (const item of issue.path) if (typeof item.key === "string" || typeof item.key === "number") if (key) key += `.${item.key}`;
    else key += item.key;
    else return null;
    return key;
  }
  return null;
}
var ValiError = class extends Error {
  /**
  * Creates a Valibot error with useful information.
  *
  * @param issues The error issues.
  */
  constructor(issues) {
    super(issues[0].message);
    this.name = "ValiError";
    this.issues = issues;
  }
};
// @__NO_SIDE_EFFECTS__
function check(requirement, message$1) {
  return {
    kind: "validation",
    type: "check",
    reference: check,
    async: false,
    expects: null,
    requirement,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && !this.requirement(dataset.value)) _addIssue(this, "input", dataset, config$1);
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function finite(message$1) {
  return {
    kind: "validation",
    type: "finite",
    reference: finite,
    async: false,
    expects: null,
    requirement: Number.isFinite,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && !this.requirement(dataset.value)) _addIssue(this, "finite", dataset, config$1);
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function gtValue(requirement, message$1) {
  return {
    kind: "validation",
    type: "gt_value",
    reference: gtValue,
    async: false,
    expects: `>${requirement instanceof Date ? requirement.toJSON() : /* @__PURE__ */ _stringify(requirement)}`,
    requirement,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && !(dataset.value > this.requirement)) _addIssue(this, "value", dataset, config$1, {
        received: dataset.value instanceof Date ? dataset.value.toJSON() : /* @__PURE__ */ _stringify(dataset.value)
      });
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function integer(message$1) {
  return {
    kind: "validation",
    type: "integer",
    reference: integer,
    async: false,
    expects: null,
    requirement: Number.isInteger,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && !this.requirement(dataset.value)) _addIssue(this, "integer", dataset, config$1);
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function maxLength(requirement, message$1) {
  return {
    kind: "validation",
    type: "max_length",
    reference: maxLength,
    async: false,
    expects: `<=${requirement}`,
    requirement,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && dataset.value.length > this.requirement) _addIssue(this, "length", dataset, config$1, {
        received: `${dataset.value.length}`
      });
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function maxValue(requirement, message$1) {
  return {
    kind: "validation",
    type: "max_value",
    reference: maxValue,
    async: false,
    expects: `<=${requirement instanceof Date ? requirement.toJSON() : /* @__PURE__ */ _stringify(requirement)}`,
    requirement,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && !(dataset.value <= this.requirement)) _addIssue(this, "value", dataset, config$1, {
        received: dataset.value instanceof Date ? dataset.value.toJSON() : /* @__PURE__ */ _stringify(dataset.value)
      });
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function minLength(requirement, message$1) {
  return {
    kind: "validation",
    type: "min_length",
    reference: minLength,
    async: false,
    expects: `>=${requirement}`,
    requirement,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && dataset.value.length < this.requirement) _addIssue(this, "length", dataset, config$1, {
        received: `${dataset.value.length}`
      });
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function minValue(requirement, message$1) {
  return {
    kind: "validation",
    type: "min_value",
    reference: minValue,
    async: false,
    expects: `>=${requirement instanceof Date ? requirement.toJSON() : /* @__PURE__ */ _stringify(requirement)}`,
    requirement,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && !(dataset.value >= this.requirement)) _addIssue(this, "value", dataset, config$1, {
        received: dataset.value instanceof Date ? dataset.value.toJSON() : /* @__PURE__ */ _stringify(dataset.value)
      });
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function rawCheck(action) {
  return {
    kind: "validation",
    type: "raw_check",
    reference: rawCheck,
    async: false,
    expects: null,
    "~run"(dataset, config$1) {
      action({
        dataset,
        config: config$1,
        addIssue: (info) => _addIssue(this, info?.label ?? "input", dataset, config$1, info)
      });
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function rawTransform(action) {
  return {
    kind: "transformation",
    type: "raw_transform",
    reference: rawTransform,
    async: false,
    "~run"(dataset, config$1) {
      const output = action({
        dataset,
        config: config$1,
        addIssue: (info) => _addIssue(this, info?.label ?? "input", dataset, config$1, info),
        NEVER: null
      });
      if (dataset.issues) dataset.typed = false;
      else dataset.value = output;
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function regex(requirement, message$1) {
  return {
    kind: "validation",
    type: "regex",
    reference: regex,
    async: false,
    expects: `${requirement}`,
    requirement,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && !this.requirement.test(dataset.value)) _addIssue(this, "format", dataset, config$1);
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function safeInteger(message$1) {
  return {
    kind: "validation",
    type: "safe_integer",
    reference: safeInteger,
    async: false,
    expects: null,
    requirement: Number.isSafeInteger,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && !this.requirement(dataset.value)) _addIssue(this, "safe integer", dataset, config$1);
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function transform(operation) {
  return {
    kind: "transformation",
    type: "transform",
    reference: transform,
    async: false,
    operation,
    "~run"(dataset) {
      dataset.value = this.operation(dataset.value);
      return dataset;
    }
  };
}
var ABORT_EARLY_CONFIG = {
  abortEarly: true
};
// @__NO_SIDE_EFFECTS__
function getFallback(schema, dataset, config$1) {
  return typeof schema.fallback === "function" ? schema.fallback(dataset, config$1) : schema.fallback;
}
// @__NO_SIDE_EFFECTS__
function getDefault(schema, dataset, config$1) {
  return typeof schema.default === "function" ? schema.default(dataset, config$1) : schema.default;
}
// @__NO_SIDE_EFFECTS__
function is(schema, input) {
  return !schema["~run"]({
    value: input
  }, ABORT_EARLY_CONFIG).issues;
}
// @__NO_SIDE_EFFECTS__
function array(item, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "array",
    reference: array,
    expects: "Array",
    async: false,
    item,
    message: message$1,
    "~run"(dataset, config$1) {
      const input = dataset.value;
      if (Array.isArray(input)) {
        dataset.typed = true;
        dataset.value = [];
        for (let key = 0; key < input.length; key++) {
          const value$1 = input[key];
          const itemDataset = this.item["~run"]({
            value: value$1
          }, config$1);
          if (itemDataset.issues) {
            const pathItem = {
              type: "array",
              origin: "value",
              input,
              key,
              value: value$1
            };
            for (const issue of itemDataset.issues) {
              if (issue.path) issue.path.unshift(pathItem);
              else issue.path = [
                pathItem
              ];
              dataset.issues?.push(issue);
            }
            if (!dataset.issues) dataset.issues = itemDataset.issues;
            if (config$1.abortEarly) {
              dataset.typed = false;
              break;
            }
          }
          if (!itemDataset.typed) dataset.typed = false;
          dataset.value.push(itemDataset.value);
        }
      } else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function boolean(message$1) {
  return _standardSchema({
    kind: "schema",
    type: "boolean",
    reference: boolean,
    expects: "boolean",
    async: false,
    message: message$1,
    "~run"(dataset, config$1) {
      if (typeof dataset.value === "boolean") dataset.typed = true;
      else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function custom(check$1, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "custom",
    reference: custom,
    expects: "unknown",
    async: false,
    check: check$1,
    message: message$1,
    "~run"(dataset, config$1) {
      if (this.check(dataset.value)) dataset.typed = true;
      else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function instance(class_, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "instance",
    reference: instance,
    expects: class_.name,
    async: false,
    class: class_,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.value instanceof this.class) dataset.typed = true;
      else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function lazy(getter) {
  return _standardSchema({
    kind: "schema",
    type: "lazy",
    reference: lazy,
    expects: "unknown",
    async: false,
    getter,
    "~run"(dataset, config$1) {
      return this.getter(dataset.value)["~run"](dataset, config$1);
    }
  });
}
// @__NO_SIDE_EFFECTS__
function literal(literal_, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "literal",
    reference: literal,
    expects: /* @__PURE__ */ _stringify(literal_),
    async: false,
    literal: literal_,
    message: message$1,
    "~run"(dataset, config$1) {
      if (/* @__PURE__ */ _isSameValueZero(dataset.value, this.literal)) dataset.typed = true;
      else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function looseObject(entries$1, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "loose_object",
    reference: looseObject,
    expects: "Object",
    async: false,
    entries: entries$1,
    message: message$1,
    "~run"(dataset, config$1) {
      const input = dataset.value;
      if (input && typeof input === "object") {
        dataset.typed = true;
        dataset.value = {};
        for (const key in this.entries) {
          const valueSchema = this.entries[key];
          if (key in input || (valueSchema.type === "exact_optional" || valueSchema.type === "optional" || valueSchema.type === "nullish") && valueSchema.default !== void 0) {
            const value$1 = key in input ? input[key] : /* @__PURE__ */ getDefault(valueSchema);
            const valueDataset = valueSchema["~run"]({
              value: value$1
            }, config$1);
            if (valueDataset.issues) {
              const pathItem = {
                type: "object",
                origin: "value",
                input,
                key,
                value: value$1
              };
              for (const issue of valueDataset.issues) {
                if (issue.path) issue.path.unshift(pathItem);
                else issue.path = [
                  pathItem
                ];
                dataset.issues?.push(issue);
              }
              if (!dataset.issues) dataset.issues = valueDataset.issues;
              if (config$1.abortEarly) {
                dataset.typed = false;
                break;
              }
            }
            if (!valueDataset.typed) dataset.typed = false;
            dataset.value[key] = valueDataset.value;
          } else if (valueSchema.fallback !== void 0) dataset.value[key] = /* @__PURE__ */ getFallback(valueSchema);
          else if (valueSchema.type !== "exact_optional" && valueSchema.type !== "optional" && valueSchema.type !== "nullish") {
            _addIssue(this, "key", dataset, config$1, {
              input: void 0,
              expected: `"${key}"`,
              path: [
                {
                  type: "object",
                  origin: "key",
                  input,
                  key,
                  value: input[key]
                }
              ]
            });
            if (config$1.abortEarly) break;
          }
        }
        if (!dataset.issues || !config$1.abortEarly) {
          for (const key in input) if (/* @__PURE__ */ _isValidObjectKey(input, key) && !Object.prototype.hasOwnProperty.call(this.entries, key)) dataset.value[key] = input[key];
        }
      } else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function null_(message$1) {
  return _standardSchema({
    kind: "schema",
    type: "null",
    reference: null_,
    expects: "null",
    async: false,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.value === null) dataset.typed = true;
      else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function nullable(wrapped2, default_) {
  return _standardSchema({
    kind: "schema",
    type: "nullable",
    reference: nullable,
    expects: `(${wrapped2.expects} | null)`,
    async: false,
    wrapped: wrapped2,
    default: default_,
    "~run"(dataset, config$1) {
      if (dataset.value === null) {
        if (this.default !== void 0) dataset.value = /* @__PURE__ */ getDefault(this, dataset, config$1);
        if (dataset.value === null) {
          dataset.typed = true;
          return dataset;
        }
      }
      return this.wrapped["~run"](dataset, config$1);
    }
  });
}
// @__NO_SIDE_EFFECTS__
function nullish(wrapped2, default_) {
  return _standardSchema({
    kind: "schema",
    type: "nullish",
    reference: nullish,
    expects: `(${wrapped2.expects} | null | undefined)`,
    async: false,
    wrapped: wrapped2,
    default: default_,
    "~run"(dataset, config$1) {
      if (dataset.value === null || dataset.value === void 0) {
        if (this.default !== void 0) dataset.value = /* @__PURE__ */ getDefault(this, dataset, config$1);
        if (dataset.value === null || dataset.value === void 0) {
          dataset.typed = true;
          return dataset;
        }
      }
      return this.wrapped["~run"](dataset, config$1);
    }
  });
}
// @__NO_SIDE_EFFECTS__
function number(message$1) {
  return _standardSchema({
    kind: "schema",
    type: "number",
    reference: number,
    expects: "number",
    async: false,
    message: message$1,
    "~run"(dataset, config$1) {
      if (typeof dataset.value === "number" && !isNaN(dataset.value)) dataset.typed = true;
      else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function object(entries$1, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "object",
    reference: object,
    expects: "Object",
    async: false,
    entries: entries$1,
    message: message$1,
    "~run"(dataset, config$1) {
      const input = dataset.value;
      if (input && typeof input === "object") {
        dataset.typed = true;
        dataset.value = {};
        for (const key in this.entries) {
          const valueSchema = this.entries[key];
          if (key in input || (valueSchema.type === "exact_optional" || valueSchema.type === "optional" || valueSchema.type === "nullish") && valueSchema.default !== void 0) {
            const value$1 = key in input ? input[key] : /* @__PURE__ */ getDefault(valueSchema);
            const valueDataset = valueSchema["~run"]({
              value: value$1
            }, config$1);
            if (valueDataset.issues) {
              const pathItem = {
                type: "object",
                origin: "value",
                input,
                key,
                value: value$1
              };
              for (const issue of valueDataset.issues) {
                if (issue.path) issue.path.unshift(pathItem);
                else issue.path = [
                  pathItem
                ];
                dataset.issues?.push(issue);
              }
              if (!dataset.issues) dataset.issues = valueDataset.issues;
              if (config$1.abortEarly) {
                dataset.typed = false;
                break;
              }
            }
            if (!valueDataset.typed) dataset.typed = false;
            dataset.value[key] = valueDataset.value;
          } else if (valueSchema.fallback !== void 0) dataset.value[key] = /* @__PURE__ */ getFallback(valueSchema);
          else if (valueSchema.type !== "exact_optional" && valueSchema.type !== "optional" && valueSchema.type !== "nullish") {
            _addIssue(this, "key", dataset, config$1, {
              input: void 0,
              expected: `"${key}"`,
              path: [
                {
                  type: "object",
                  origin: "key",
                  input,
                  key,
                  value: input[key]
                }
              ]
            });
            if (config$1.abortEarly) break;
          }
        }
      } else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function optional(wrapped2, default_) {
  return _standardSchema({
    kind: "schema",
    type: "optional",
    reference: optional,
    expects: `(${wrapped2.expects} | undefined)`,
    async: false,
    wrapped: wrapped2,
    default: default_,
    "~run"(dataset, config$1) {
      if (dataset.value === void 0) {
        if (this.default !== void 0) dataset.value = /* @__PURE__ */ getDefault(this, dataset, config$1);
        if (dataset.value === void 0) {
          dataset.typed = true;
          return dataset;
        }
      }
      return this.wrapped["~run"](dataset, config$1);
    }
  });
}
// @__NO_SIDE_EFFECTS__
function picklist(options, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "picklist",
    reference: picklist,
    expects: /* @__PURE__ */ _joinExpects(options.map(_stringify), "|"),
    async: false,
    options,
    message: message$1,
    "~run"(dataset, config$1) {
      if (this.options.includes(dataset.value)) dataset.typed = true;
      else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function record(key, value$1, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "record",
    reference: record,
    expects: "Object",
    async: false,
    key,
    value: value$1,
    message: message$1,
    "~run"(dataset, config$1) {
      const input = dataset.value;
      if (input && typeof input === "object") {
        dataset.typed = true;
        dataset.value = {};
        for (const entryKey in input) if (/* @__PURE__ */ _isValidObjectKey(input, entryKey)) {
          const entryValue = input[entryKey];
          const keyDataset = this.key["~run"]({
            value: entryKey
          }, config$1);
          if (keyDataset.issues) {
            const pathItem = {
              type: "object",
              origin: "key",
              input,
              key: entryKey,
              value: entryValue
            };
            for (const issue of keyDataset.issues) {
              issue.path = [
                pathItem
              ];
              dataset.issues?.push(issue);
            }
            if (!dataset.issues) dataset.issues = keyDataset.issues;
            if (config$1.abortEarly) {
              dataset.typed = false;
              break;
            }
          }
          const valueDataset = this.value["~run"]({
            value: entryValue
          }, config$1);
          if (valueDataset.issues) {
            const pathItem = {
              type: "object",
              origin: "value",
              input,
              key: entryKey,
              value: entryValue
            };
            for (const issue of valueDataset.issues) {
              if (issue.path) issue.path.unshift(pathItem);
              else issue.path = [
                pathItem
              ];
              dataset.issues?.push(issue);
            }
            if (!dataset.issues) dataset.issues = valueDataset.issues;
            if (config$1.abortEarly) {
              dataset.typed = false;
              break;
            }
          }
          if (!keyDataset.typed || !valueDataset.typed) dataset.typed = false;
          if (keyDataset.typed) dataset.value[keyDataset.value] = valueDataset.value;
        }
      } else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function strictObject(entries$1, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "strict_object",
    reference: strictObject,
    expects: "Object",
    async: false,
    entries: entries$1,
    message: message$1,
    "~run"(dataset, config$1) {
      const input = dataset.value;
      if (input && typeof input === "object") {
        dataset.typed = true;
        dataset.value = {};
        for (const key in this.entries) {
          const valueSchema = this.entries[key];
          if (key in input || (valueSchema.type === "exact_optional" || valueSchema.type === "optional" || valueSchema.type === "nullish") && valueSchema.default !== void 0) {
            const value$1 = key in input ? input[key] : /* @__PURE__ */ getDefault(valueSchema);
            const valueDataset = valueSchema["~run"]({
              value: value$1
            }, config$1);
            if (valueDataset.issues) {
              const pathItem = {
                type: "object",
                origin: "value",
                input,
                key,
                value: value$1
              };
              for (const issue of valueDataset.issues) {
                if (issue.path) issue.path.unshift(pathItem);
                else issue.path = [
                  pathItem
                ];
                dataset.issues?.push(issue);
              }
              if (!dataset.issues) dataset.issues = valueDataset.issues;
              if (config$1.abortEarly) {
                dataset.typed = false;
                break;
              }
            }
            if (!valueDataset.typed) dataset.typed = false;
            dataset.value[key] = valueDataset.value;
          } else if (valueSchema.fallback !== void 0) dataset.value[key] = /* @__PURE__ */ getFallback(valueSchema);
          else if (valueSchema.type !== "exact_optional" && valueSchema.type !== "optional" && valueSchema.type !== "nullish") {
            _addIssue(this, "key", dataset, config$1, {
              input: void 0,
              expected: `"${key}"`,
              path: [
                {
                  type: "object",
                  origin: "key",
                  input,
                  key,
                  value: input[key]
                }
              ]
            });
            if (config$1.abortEarly) break;
          }
        }
        if (!dataset.issues || !config$1.abortEarly) {
          for (const key in input) if (!Object.prototype.hasOwnProperty.call(this.entries, key)) {
            _addIssue(this, "key", dataset, config$1, {
              input: key,
              expected: "never",
              path: [
                {
                  type: "object",
                  origin: "key",
                  input,
                  key,
                  value: input[key]
                }
              ]
            });
            break;
          }
        }
      } else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function string(message$1) {
  return _standardSchema({
    kind: "schema",
    type: "string",
    reference: string,
    expects: "string",
    async: false,
    message: message$1,
    "~run"(dataset, config$1) {
      if (typeof dataset.value === "string") dataset.typed = true;
      else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function tuple(items, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "tuple",
    reference: tuple,
    expects: "Array",
    async: false,
    items,
    message: message$1,
    "~run"(dataset, config$1) {
      const input = dataset.value;
      if (Array.isArray(input)) {
        dataset.typed = true;
        dataset.value = [];
        for (let key = 0; key < this.items.length; key++) {
          const value$1 = input[key];
          const itemDataset = this.items[key]["~run"]({
            value: value$1
          }, config$1);
          if (itemDataset.issues) {
            const pathItem = {
              type: "array",
              origin: "value",
              input,
              key,
              value: value$1
            };
            for (const issue of itemDataset.issues) {
              if (issue.path) issue.path.unshift(pathItem);
              else issue.path = [
                pathItem
              ];
              dataset.issues?.push(issue);
            }
            if (!dataset.issues) dataset.issues = itemDataset.issues;
            if (config$1.abortEarly) {
              dataset.typed = false;
              break;
            }
          }
          if (!itemDataset.typed) dataset.typed = false;
          dataset.value.push(itemDataset.value);
        }
      } else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function _subIssues(datasets) {
  let issues;
  if (datasets) for (const dataset of datasets) if (issues) for (const issue of dataset.issues) issues.push(issue);
  else issues = dataset.issues;
  return issues;
}
// @__NO_SIDE_EFFECTS__
function union(options, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "union",
    reference: union,
    expects: /* @__PURE__ */ _joinExpects(options.map((option) => option.expects), "|"),
    async: false,
    options,
    message: message$1,
    "~run"(dataset, config$1) {
      let validDataset;
      let typedDatasets;
      let untypedDatasets;
      for (const schema of this.options) {
        const optionDataset = schema["~run"]({
          value: dataset.value
        }, config$1);
        if (optionDataset.typed) if (optionDataset.issues) if (typedDatasets) typedDatasets.push(optionDataset);
        else typedDatasets = [
          optionDataset
        ];
        else {
          validDataset = optionDataset;
          break;
        }
        else if (untypedDatasets) untypedDatasets.push(optionDataset);
        else untypedDatasets = [
          optionDataset
        ];
      }
      if (validDataset) return validDataset;
      if (typedDatasets) {
        if (typedDatasets.length === 1) return typedDatasets[0];
        _addIssue(this, "type", dataset, config$1, {
          issues: /* @__PURE__ */ _subIssues(typedDatasets)
        });
        dataset.typed = true;
      } else if (untypedDatasets?.length === 1) return untypedDatasets[0];
      else _addIssue(this, "type", dataset, config$1, {
        issues: /* @__PURE__ */ _subIssues(untypedDatasets)
      });
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function unknown() {
  return _standardSchema({
    kind: "schema",
    type: "unknown",
    reference: unknown,
    expects: "unknown",
    async: false,
    "~run"(dataset) {
      dataset.typed = true;
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function variant(key, options, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "variant",
    reference: variant,
    expects: "Object",
    async: false,
    key,
    options,
    message: message$1,
    "~run"(dataset, config$1) {
      const input = dataset.value;
      if (input && typeof input === "object") {
        let outputDataset;
        let maxDiscriminatorPriority = 0;
        let invalidDiscriminatorKey = this.key;
        let expectedDiscriminators = [];
        const parseOptions = (variant$1, allKeys) => {
          for (const schema of variant$1.options) {
            if (schema.type === "variant") parseOptions(schema, new Set(allKeys).add(schema.key));
            else {
              let keysAreValid = true;
              let currentPriority = 0;
              for (const currentKey of allKeys) {
                const discriminatorSchema = schema.entries[currentKey];
                if (currentKey in input ? discriminatorSchema["~run"]({
                  typed: false,
                  value: input[currentKey]
                }, ABORT_EARLY_CONFIG).issues : discriminatorSchema.type !== "exact_optional" && discriminatorSchema.type !== "optional" && discriminatorSchema.type !== "nullish") {
                  keysAreValid = false;
                  if (invalidDiscriminatorKey !== currentKey && (maxDiscriminatorPriority < currentPriority || maxDiscriminatorPriority === currentPriority && currentKey in input && !(invalidDiscriminatorKey in input))) {
                    maxDiscriminatorPriority = currentPriority;
                    invalidDiscriminatorKey = currentKey;
                    expectedDiscriminators = [];
                  }
                  if (invalidDiscriminatorKey === currentKey) expectedDiscriminators.push(schema.entries[currentKey].expects);
                  break;
                }
                currentPriority++;
              }
              if (keysAreValid) {
                const optionDataset = schema["~run"]({
                  value: input
                }, config$1);
                if (!outputDataset || !outputDataset.typed && optionDataset.typed) outputDataset = optionDataset;
              }
            }
            if (outputDataset && !outputDataset.issues) break;
          }
        };
        parseOptions(this, /* @__PURE__ */ new Set([
          this.key
        ]));
        if (outputDataset) return outputDataset;
        _addIssue(this, "type", dataset, config$1, {
          input: input[invalidDiscriminatorKey],
          expected: /* @__PURE__ */ _joinExpects(expectedDiscriminators, "|"),
          path: [
            {
              type: "object",
              origin: "value",
              input,
              key: invalidDiscriminatorKey,
              value: input[invalidDiscriminatorKey]
            }
          ]
        });
      } else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
function parse(schema, input, config$1) {
  const dataset = schema["~run"]({
    value: input
  }, /* @__PURE__ */ getGlobalConfig(config$1));
  if (dataset.issues) throw new ValiError(dataset.issues);
  return dataset.value;
}
// @__NO_SIDE_EFFECTS__
function partial(schema, keys) {
  const entries$1 = {};
  for (const key in schema.entries) entries$1[key] = !keys || keys.includes(key) ? /* @__PURE__ */ optional(schema.entries[key]) : schema.entries[key];
  return _standardSchema({
    ...schema,
    entries: entries$1
  });
}
// @__NO_SIDE_EFFECTS__
function pipe(...pipe$1) {
  return _standardSchema({
    ...pipe$1[0],
    pipe: pipe$1,
    "~run"(dataset, config$1) {
      for (const item of pipe$1) if (item.kind !== "metadata") {
        if (dataset.issues && (item.kind === "schema" || item.kind === "transformation")) {
          dataset.typed = false;
          break;
        }
        if (!dataset.issues || !config$1.abortEarly && !config$1.abortPipeEarly) dataset = item["~run"](dataset, config$1);
      }
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function safeParse(schema, input, config$1) {
  const dataset = schema["~run"]({
    value: input
  }, /* @__PURE__ */ getGlobalConfig(config$1));
  return {
    typed: dataset.typed,
    success: !dataset.issues,
    output: dataset.value,
    issues: dataset.issues
  };
}

// lib/report/text_table.ts
function alignedRows(rows, { left = 1, least = [] } = {}) {
  const widths = rows[0].map((_, column) => Math.max(least[column] ?? 0, ...rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) => row.map((text2, column) => column < left ? text2.padEnd(widths[column]) : text2.padStart(widths[column])).join("  ").trimEnd());
}
function wrapped(text2, columns, indent = 0) {
  const lines = [];
  let line = "";
  for (const word of text2.split(" ")) {
    if (line.trim() !== "" && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = " ".repeat(indent) + word;
    } else line += (line === "" || line.trim() === "" ? "" : " ") + word;
  }
  return [
    ...lines,
    line
  ];
}

// cli/arguments.ts
var UsageError = class extends Error {
  name = "UsageError";
};
var flag = (help) => ({
  kind: "flag",
  help,
  fallback: false
});
function text(help, settings) {
  return {
    kind: "value",
    help,
    ...settings
  };
}
var choice = (help, choices, settings) => ({
  kind: "value",
  help,
  choices,
  ...settings
});
var list = (help, settings) => ({
  kind: "list",
  help,
  fallback: [],
  ...settings
});
function number2(help, settings) {
  const { least = -Infinity, integer: integer2 = false, ...rest } = settings;
  return {
    kind: "value",
    help,
    ...rest,
    read(text2) {
      const value = text2.trim() === "" ? NaN : Number(text2);
      if (!Number.isFinite(value) || integer2 && !Number.isInteger(value)) {
        throw new UsageError(`invalid ${integer2 ? "int" : "float"} value: '${text2}'`);
      }
      if (value < least) throw new UsageError(`must be at least ${least}`);
      return value;
    }
  };
}
var HELP = {
  kind: "flag",
  help: "show this and exit",
  short: "h",
  fallback: false
};
var kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
var shown = (name, option) => option.short ? `-${option.short}/--${kebab(name)}` : `--${kebab(name)}`;
var optionsOf = ({ options }) => ({
  ...options,
  help: HELP
});
function parseArguments(line, args) {
  const options = optionsOf(line);
  const values = {};
  const operands = [];
  const unknown2 = [];
  const queue = [
    ...args
  ];
  while (queue.length > 0) {
    const argument = queue.shift();
    if (argument === "--") operands.push(...queue.splice(0));
    else if (argument === "-" || !argument.startsWith("-")) operands.push(argument);
    else if (!takeOption(options, values, argument, queue)) unknown2.push(argument);
  }
  if (values.help) return void 0;
  checkRest(line, values, operands, unknown2);
  for (const [name, option] of Object.entries(line.options)) values[name] ??= option.fallback;
  return {
    options: values,
    operands
  };
}
function takeOption(options, values, argument, queue) {
  let name, attached;
  if (argument.startsWith("--")) {
    const equals = argument.indexOf("=");
    const written = equals < 0 ? argument.slice(2) : argument.slice(2, equals);
    if (equals >= 0) attached = argument.slice(equals + 1);
    name = longName(options, written);
  } else {
    name = Object.keys(options).find((key) => options[key].short === argument[1]);
    if (argument.length > 2) attached = argument.slice(argument[2] === "=" ? 3 : 2);
  }
  if (name === void 0) return false;
  const option = options[name];
  const refuse = (message) => {
    throw new UsageError(`argument ${shown(name, option)}: ${message}`);
  };
  if (option.kind === "flag") {
    if (attached !== void 0) refuse(`ignored explicit argument '${attached}'`);
    values[name] = true;
    return true;
  }
  const given = attached ?? takeValue(queue);
  if (given === void 0) return refuse("expected one argument");
  if (option.choices && !option.choices.includes(given)) refuse(invalidChoice(given, option.choices));
  let value = given;
  try {
    if (option.read) value = option.read(given);
  } catch (error) {
    refuse(error.message);
  }
  values[name] = option.kind === "list" ? [
    ...values[name] ?? [],
    value
  ] : value;
  return true;
}
function invalidChoice(given, choices) {
  const near = nearName(given, choices);
  const known = choices.map((word) => `'${word}'`).join(", ");
  return `invalid choice: '${given}' (choose from ${known})${near ? `; did you mean '${near}'?` : ""}`;
}
function takeValue(queue) {
  if (queue.length === 0 || /^--?[A-Za-z]/.test(queue[0])) return void 0;
  return queue.shift();
}
function longName(options, written) {
  const names = Object.keys(options);
  const exact = names.find((name) => kebab(name) === written);
  if (exact !== void 0 || written === "") return exact;
  const matching = names.filter((name) => kebab(name).startsWith(written));
  if (matching.length > 1) {
    const all = matching.map((name) => `--${kebab(name)}`).join(", ");
    throw new UsageError(`ambiguous option: --${written} could match ${all}`);
  }
  return matching[0];
}
function checkRest(line, values, operands, unknown2) {
  const missing = Object.entries(line.options).filter(([name2, { required }]) => required && values[name2] === void 0).map(([name2, option]) => shown(name2, option));
  const { name = "", least = 0, most = 0, choices } = line.operands ?? {};
  if (operands.length < least) missing.push(least === 1 ? name : `${name} (at least ${least}, not ${operands.length})`);
  const surplus = [
    ...operands.slice(most),
    ...unknown2
  ];
  const names = Object.keys(optionsOf(line)).map((key) => `--${kebab(key)}`);
  const near = unknown2.length > 0 ? nearName(unknown2[0].split("=")[0], names) : void 0;
  const problems = [
    missing.length > 0 ? `the following arguments are required: ${missing.join(", ")}` : [],
    surplus.length > 0 ? `unrecognized arguments: ${surplus.join(" ")}` : [],
    near ? `did you mean ${near}?` : []
  ].flat();
  if (problems.length > 0) throw new UsageError(problems.join("; "));
  if (choices && operands.length > 0 && !choices.includes(operands[0])) {
    throw new UsageError(`argument ${name.split(" ")[0]}: ${invalidChoice(operands[0], choices)}`);
  }
}
var valueName = ({ kind, value, choices }) => kind === "flag" ? "" : ` ${value ?? (choices ? `{${choices.join(",")}}` : "TEXT")}`;
var FIXED = "\xA0";
function usageText({ command: command2, options, operands }, columns = 80) {
  const parts = Object.entries(options).map(([name, option]) => {
    const call = (option.short ? `-${option.short}` : `--${kebab(name)}`) + valueName(option);
    return option.required ? call : `[${call}]${option.kind === "list" ? "\u2026" : ""}`;
  });
  if (operands) {
    const one = `${operands.name.replace("\u2026", "")} `;
    parts.push(operands.least > 0 ? one.repeat(operands.least - 1) + operands.name : `[${operands.name}]`);
  }
  const usage = [
    "usage:",
    "dynosim",
    command2,
    ...parts.map((part) => part.replaceAll(" ", FIXED))
  ].join(" ");
  return wrapped(usage, columns, "usage: ".length).join("\n").replaceAll(FIXED, " ");
}
var MOST_NAME = 28;
function describedLines(rows, columns) {
  const width = Math.max(...rows.map(([name]) => name.length).filter((length) => length <= MOST_NAME), 0);
  const indent = " ".repeat(width + 4);
  return rows.flatMap(([name, text2]) => {
    const [first, ...others] = wrapped(text2, Math.max(20, columns - indent.length));
    const head = name.length > width ? [
      `  ${name}`,
      indent + first
    ] : [
      `  ${name.padEnd(width)}  ${first}`
    ];
    return [
      ...head,
      ...others.map((line) => indent + line)
    ];
  });
}
var noteLines = (note, columns) => note.length <= columns ? [
  note
] : wrapped(note, columns, /^\S+ {2,}/.exec(note)?.[0].length ?? 0);
function helpText(line, columns = 80) {
  const rows = [];
  if (line.operands) rows.push([
    line.operands.name,
    line.operands.help
  ]);
  for (const [name, option] of Object.entries(optionsOf(line))) {
    const call = `${option.short ? `-${option.short}, ` : "    "}--${kebab(name)}${valueName(option)}`;
    const fallback = option.fallbackText ?? (option.kind === "value" && option.fallback !== void 0 ? String(option.fallback) : void 0);
    rows.push([
      call,
      option.help + (fallback === void 0 ? "" : ` (default ${fallback})`)
    ]);
  }
  const notes = line.notes ? [
    "",
    ...line.notes.flatMap((note) => noteLines(note, columns))
  ] : [];
  return [
    usageText(line, columns),
    "",
    ...wrapped(line.summary, columns),
    "",
    ...describedLines(rows, columns),
    ...notes,
    ""
  ].join("\n");
}

// lib/io/failures.ts
function reason(problem) {
  const { name, cause } = problem ?? {};
  if (problem instanceof FileError && cause !== void 0) return reason(cause);
  if (name === "NotCapable") return "Deno opens it only with --allow-all";
  const text2 = problem instanceof Error ? problem.message : String(problem);
  const plain2 = text2.replace(/^\w+: /, "").replace(/ \(os error \d+\).*$/s, "").replace(/, \w+( '[^']*'.*)?$/s, "");
  return plain2.charAt(0).toLowerCase() + plain2.slice(1);
}
function isClosedPipe(problem) {
  const { name, code, cause } = problem ?? {};
  return code === "EPIPE" || name === "BrokenPipe" || cause !== void 0 && isClosedPipe(cause);
}
function fileError(action, path, cause) {
  if (cause instanceof FileError) return cause;
  return new FileError(`cannot ${action} ${path}: ${reason(cause)}`, {
    file: path
  }, {
    cause
  });
}
function orFileError(action, path, call) {
  try {
    return call();
  } catch (cause) {
    throw fileError(action, path, cause);
  }
}

// lib/io/deno_host.ts
var kindOf = (entry) => entry.isFile ? "file" : entry.isDirectory ? "directory" : "other";
var result = (call) => new Promise((resolve) => resolve(call()));
var CREATE = {
  read: true,
  write: true,
  create: true
};
function denoHost(deno) {
  const stream = (file2) => ({
    read: async (buffer) => await file2.read(buffer) ?? 0,
    write: async (bytes) => {
      for (let done = 0; done < bytes.length; ) done += await file2.write(bytes.subarray(done));
    },
    close: () => file2.close()
  });
  const file = (opened) => ({
    read: (buffer) => result(() => opened.readSync(buffer) ?? 0),
    write: (bytes) => result(() => {
      for (let done = 0; done < bytes.length; ) done += opened.writeSync(bytes.subarray(done));
    }),
    close: () => opened.close()
  });
  const wrap = (opened) => opened.statSync().isFile ? file(opened) : stream(opened);
  return {
    openForReading: async (path) => wrap(await deno.open(path, {
      read: true
    })),
    async openForWriting(path) {
      const file2 = await deno.open(path, {
        write: true,
        create: true,
        truncate: true
      });
      tryLock(file2);
      return wrap(file2);
    },
    openForAppending: async (path) => wrap(await deno.open(path, {
      append: true,
      create: true
    })),
    kind(path) {
      try {
        return kindOf(deno.statSync(path));
      } catch (problem) {
        const { NotFound, NotADirectory, PermissionDenied, NotCapable } = deno.errors;
        if (problem instanceof NotFound || problem instanceof NotADirectory) return "missing";
        if (problem instanceof PermissionDenied || problem instanceof NotCapable) return "denied";
        throw problem;
      }
    },
    fileBytes(path) {
      try {
        return deno.statSync(path).size;
      } catch {
        return 0;
      }
    },
    list: (path) => [
      ...deno.readDirSync(path)
    ].map((entry) => ({
      name: entry.name,
      kind: kindOf(entry)
    })),
    makeDirectory: (path) => deno.mkdirSync(path, {
      recursive: true
    }),
    rename: (from, to) => deno.renameSync(from, to),
    remove: (path) => deno.removeSync(path),
    lock(path) {
      for (; ; ) {
        const file2 = deno.openSync(path, CREATE);
        if (!tryLock(file2)) {
          file2.close();
          return null;
        }
        if (isNamed(deno, file2, path)) {
          file2.truncateSync(0);
          file2.writeSync(new TextEncoder().encode(String(deno.pid)));
          return {
            release() {
              deno.removeSync(path);
              file2.close();
            }
          };
        }
        file2.close();
      }
    },
    abandoned(path) {
      try {
        const file2 = deno.openSync(path, {
          read: true,
          write: true
        });
        const free = tryLock(file2);
        file2.close();
        return free;
      } catch {
        return false;
      }
    },
    processId: deno.pid,
    standardStream: (name) => stream(deno[name])
  };
}
function tryLock(file) {
  try {
    return file.tryLockSync(true);
  } catch {
    return true;
  }
}
function isNamed(deno, file, path) {
  try {
    return deno.statSync(path).ino === file.statSync().ino;
  } catch {
    return false;
  }
}

// lib/io/node_host.ts
var codeOf = (problem) => problem.code ?? "";
var DESCRIPTORS = {
  stdin: 0,
  stdout: 1,
  stderr: 2
};
var kindOf2 = (entry) => entry.isFile() ? "file" : entry.isDirectory() ? "directory" : "other";
function nodeHost() {
  const process = globalThis.process;
  const fs = process.getBuiltinModule("node:fs");
  let asked;
  const tryLock2 = () => asked === void 0 ? asked = systemLock() : asked;
  const call = (start) => new Promise((resolve, reject) => start((problem, value) => problem ? reject(problem) : resolve(value)));
  const wrap = (descriptor) => ({
    read: (buffer) => call((done) => fs.read(descriptor, buffer, 0, buffer.length, null, done)).catch((problem) => {
      if (codeOf(problem) === "EOF") return 0;
      throw problem;
    }),
    write: async (bytes) => {
      for (let done = 0; done < bytes.length; ) {
        try {
          done += await call((end) => fs.write(descriptor, bytes, done, bytes.length - done, null, end));
        } catch (problem) {
          if (codeOf(problem) !== "EAGAIN") throw problem;
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      }
    },
    close: () => fs.closeSync(descriptor)
  });
  const lives = (processId) => {
    try {
      process.kill(processId, 0);
      return true;
    } catch (problem) {
      return codeOf(problem) !== "ESRCH";
    }
  };
  const holderOf = (path) => {
    try {
      return Number(fs.readFileSync(path, "utf8"));
    } catch {
      return 0;
    }
  };
  const lockedFile = (path, locks) => {
    for (; ; ) {
      const descriptor = fs.openSync(path, "a+");
      if (!locks(descriptor)) {
        fs.closeSync(descriptor);
        return null;
      }
      if (fs.statSync(path, {
        throwIfNoEntry: false
      })?.ino === fs.fstatSync(descriptor).ino) {
        fs.ftruncateSync(descriptor);
        fs.writeSync(descriptor, String(process.pid));
        return {
          release() {
            fs.unlinkSync(path);
            fs.closeSync(descriptor);
          }
        };
      }
      fs.closeSync(descriptor);
    }
  };
  return {
    openForReading: async (path) => wrap(await call((done) => fs.open(path, "r", done))),
    async openForWriting(path) {
      const descriptor = await call((done) => fs.open(path, "w", done));
      tryLock2()?.(descriptor);
      return wrap(descriptor);
    },
    openForAppending: async (path) => wrap(await call((done) => fs.open(path, "a", done))),
    kind(path) {
      try {
        return kindOf2(fs.statSync(path));
      } catch (problem) {
        if ([
          "ENOENT",
          "ENOTDIR"
        ].includes(codeOf(problem))) return "missing";
        if ([
          "EACCES",
          "EPERM"
        ].includes(codeOf(problem))) return "denied";
        throw problem;
      }
    },
    fileBytes(path) {
      try {
        return fs.statSync(path).size;
      } catch {
        return 0;
      }
    },
    list: (path) => fs.readdirSync(path, {
      withFileTypes: true
    }).map((entry) => ({
      name: entry.name,
      kind: kindOf2(entry)
    })),
    makeDirectory: (path) => fs.mkdirSync(path, {
      recursive: true
    }),
    rename: (from, to) => fs.renameSync(from, to),
    remove: (path) => fs.unlinkSync(path),
    lock(path) {
      const locks = tryLock2();
      if (locks !== null) return lockedFile(path, locks);
      for (let attempt = 0; ; attempt++) {
        try {
          fs.writeFileSync(path, String(process.pid), {
            flag: "wx"
          });
          return {
            release: () => fs.unlinkSync(path)
          };
        } catch (problem) {
          if (codeOf(problem) !== "EEXIST") throw problem;
          const holder = holderOf(path);
          if (attempt > 3 || holder > 0 && lives(holder)) return null;
          fs.rmSync(path, {
            force: true
          });
        }
      }
    },
    abandoned(path, processId) {
      const locks = tryLock2();
      if (locks === null || lives(processId)) return !lives(processId);
      try {
        const descriptor = fs.openSync(path, "r+"), free = locks(descriptor);
        fs.closeSync(descriptor);
        return free;
      } catch {
        return false;
      }
    },
    processId: process.pid,
    standardStream: (name) => wrap(DESCRIPTORS[name])
  };
}
var EXCLUSIVE_AT_ONCE = 6;
function systemLock() {
  const { require: require2 } = import.meta;
  if (!("Bun" in globalThis) || require2 === void 0) return null;
  for (const library of [
    "libc.so.6",
    "libc.so",
    "libSystem.B.dylib"
  ]) {
    try {
      const { symbols } = require2("bun:ffi").dlopen(library, {
        flock: {
          args: [
            "int",
            "int"
          ],
          returns: "int"
        }
      });
      return (descriptor) => symbols.flock(descriptor, EXCLUSIVE_AT_ONCE) === 0;
    } catch {
    }
  }
  return null;
}

// lib/io/host.ts
var STREAM_PATHS = {
  "0": "stdin",
  "1": "stdout",
  "2": "stderr"
};
function streamOf(path) {
  const [, number3, name] = /^(?:\/dev\/fd\/|\/proc\/self\/fd\/)([012])$|^\/dev\/(std(?:in|out|err))$/.exec(path) ?? [];
  return number3 === void 0 ? name : STREAM_PATHS[number3];
}
var isStandardOutput = (path) => path === "-" || streamOf(path) === "stdout";
function named(path, file) {
  const told = (action) => (cause) => {
    throw fileError(action, path, cause);
  };
  return {
    read: (buffer) => file.read(buffer).catch(told("read")),
    write: (bytes) => file.write(bytes).catch(told("write")),
    close: () => orFileError("close", path, () => file.close())
  };
}
function telling(inner) {
  const standardStream = (name) => named(STREAM_NAMES[name], inner.standardStream(name));
  const opening = async (action, path, open2) => {
    const stream = streamOf(path);
    if (stream !== void 0) return {
      ...standardStream(stream),
      close() {
      }
    };
    try {
      return named(path, await open2());
    } catch (cause) {
      throw fileError(action, path, cause);
    }
  };
  return {
    openForReading: (path) => opening("read", path, () => inner.openForReading(path)),
    openForWriting: (path) => opening("write", path, () => inner.openForWriting(path)),
    openForAppending: (path) => opening("write", path, () => inner.openForAppending(path)),
    kind: (path) => streamOf(path) ? "other" : orFileError("look at", path, () => inner.kind(path)),
    fileBytes: (path) => inner.fileBytes(path),
    list: (path) => orFileError("list the folder", path, () => inner.list(path)),
    makeDirectory: (path) => orFileError("make the folder", path, () => inner.makeDirectory(path)),
    rename: (from, to) => orFileError("write", to, () => inner.rename(from, to)),
    remove: (path) => orFileError("remove", path, () => inner.remove(path)),
    lock: (path) => orFileError("write", path, () => inner.lock(path)),
    abandoned: (path, processId) => inner.abandoned(path, processId),
    processId: inner.processId,
    standardStream
  };
}
var STREAM_NAMES = {
  stdin: "standard input",
  stdout: "standard output",
  stderr: "standard error"
};
var current;
function host() {
  const deno = globalThis.Deno;
  return current ??= telling(deno ? denoHost(deno) : nodeHost());
}

// lib/io/timers.ts
var onDeno = "Deno" in globalThis;
var LONGEST_ALARM_MS = 2 ** 31 - 1;
function after(ms, call) {
  const delay = Math.min(ms, LONGEST_ALARM_MS);
  if (!onDeno) {
    const timer = setTimeout(call, delay);
    return () => clearTimeout(timer);
  }
  const alarm = AbortSignal.timeout(delay);
  alarm.addEventListener("abort", call);
  return () => alarm.removeEventListener("abort", call);
}
function every(ms, call) {
  let cancel = () => {
  }, ended = false;
  const next = () => {
    cancel = after(ms, () => {
      try {
        call();
      } finally {
        if (!ended) next();
      }
    });
  };
  next();
  return () => {
    ended = true;
    cancel();
  };
}
var pause = (ms = 0) => new Promise((resume) => void after(ms, resume));

// lib/io/stop.ts
var PAUSE_EVERY_MS = 50;
var processSignal;
var pausedAt = 0;
var stopSignal = () => processSignal;
function stopEverythingBy(signal) {
  processSignal = signal;
}
async function breathe() {
  if (performance.now() - pausedAt < PAUSE_EVERY_MS) return;
  await pause();
  pausedAt = performance.now();
}
async function stopPoint(signal = processSignal) {
  await breathe();
  signal?.throwIfAborted();
}
async function unlessStopped(work, signal) {
  if (signal === void 0) return await work;
  work.catch(() => {
  });
  signal.throwIfAborted();
  let stop = () => {
  };
  const stopped = new Promise((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([
      work,
      stopped
    ]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

// lib/io/atomic.ts
var BUFFER_BYTES = 1 << 18;
var unfinished = /* @__PURE__ */ new Set();
var counter = 0;
var AtomicFile = class _AtomicFile {
  path;
  #file;
  #temporary;
  #gzip;
  #encoder = new TextEncoder();
  /** Where text is encoded: memory that is used again is not asked for anew. */
  #buffer = null;
  #open = true;
  constructor(path, file, temporary, gzip) {
    this.path = path;
    this.#file = file;
    this.#temporary = temporary;
    this.#gzip = gzip;
    if (temporary !== void 0) unfinished.add(this);
  }
  /**
   * Starts a file. Its folder is made when it is missing.
   *
   * @throws {ConfigError} when nothing can be written there, or another process is writing it
   */
  static async open(path, options = {}) {
    if (path === "") throw new ConfigError("the name of the file to write is empty");
    const packed = options.gzip ?? path.endsWith(".gz");
    const kind = path === "-" ? "other" : orRefuse(path, () => host().kind(path));
    if (kind === "directory") throw new ConfigError(`cannot write ${path}: it is a directory`);
    let file, temporary;
    if (path === "-") {
      file = host().standardStream("stdout");
    } else if (kind === "other") {
      file = await openForWriting(path, path);
    } else {
      const cut = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
      const folder = path.slice(0, cut), name = path.slice(cut);
      if (cut > 1 && host().kind(folder) === "missing") orRefuse(path, () => host().makeDirectory(folder));
      else removeAbandoned(path, folder, name);
      const mark = `${(counter++).toString(36)}${Math.random().toString(36).slice(2, 8)}`;
      temporary = `${folder}.${name}.${host().processId}-${mark}.part`;
      file = await openForWriting(temporary, path);
    }
    return new _AtomicFile(path, file, temporary, packed ? await gzipWriter(file) : void 0);
  }
  /** Appends text (as UTF-8) or bytes. */
  async write(data) {
    try {
      if (typeof data !== "string") await (this.#gzip ?? this.#file).write(data);
      else if (this.#gzip) await this.#gzip.write(this.#encoder.encode(data));
      else await this.#writeText(data);
    } catch (cause) {
      throw fileError("write", this.path === "-" ? "standard output" : this.path, cause instanceof FileError ? cause.cause : cause);
    }
    await breathe();
  }
  async #writeText(text2) {
    const buffer = this.#buffer ??= new Uint8Array(BUFFER_BYTES);
    for (let rest = text2; rest !== ""; ) {
      const { read, written } = this.#encoder.encodeInto(rest, buffer);
      await this.#file.write(buffer.subarray(0, written));
      rest = rest.slice(read);
    }
  }
  /** Ends the file and gives it its name. */
  async commit() {
    if (!this.#open) return;
    try {
      await this.#gzip?.end();
      this.#close();
      if (this.#temporary !== void 0) host().rename(this.#temporary, this.path);
      unfinished.delete(this);
    } catch (problem) {
      this.abort();
      throw problem;
    }
  }
  /** Removes what was written. Does nothing after {@linkcode commit}. */
  abort() {
    this.#close();
    if (!unfinished.delete(this)) return;
    try {
      host().remove(this.#temporary);
    } catch {
    }
  }
  #close() {
    if (!this.#open) return;
    this.#open = false;
    if (this.path !== "-") this.#file.close();
  }
};
function orRefuse(path, call) {
  try {
    return call();
  } catch (cause) {
    throw new ConfigError(`cannot write ${path}: ${reason(cause)}`, [], {
      cause
    });
  }
}
function removeAbandoned(path, folder, name) {
  let names;
  try {
    names = host().list(folder || ".").map((entry) => entry.name);
  } catch {
    return;
  }
  for (const part of names) {
    const processId = partOf(part, name);
    if (processId === void 0 || processId === host().processId) continue;
    if (!host().abandoned(folder + part, processId)) {
      throw new ConfigError(`cannot write ${path}: another process is writing it`);
    }
    try {
      host().remove(folder + part);
    } catch {
    }
  }
}
function partOf(part, name) {
  if (!part.startsWith(`.${name}.`)) return void 0;
  const processId = /^(\d+)-\w+\.part$/.exec(part.slice(name.length + 2))?.[1];
  return processId === void 0 ? void 0 : Number(processId);
}
async function openForWriting(path, shown3) {
  try {
    return await host().openForWriting(path);
  } catch (cause) {
    throw new ConfigError(`cannot write ${shown3}: ${reason(cause)}`, [], {
      cause
    });
  }
}
async function writeFileAtomically(path, data, options = {}) {
  const file = await AtomicFile.open(path, options);
  try {
    if (typeof data === "string" || data instanceof Uint8Array) await file.write(data);
    else for await (const piece of data) await file.write(piece);
    await file.commit();
  } catch (problem) {
    file.abort();
    throw problem;
  }
}
function removeUnfinishedFiles() {
  for (const file of [
    ...unfinished
  ]) file.abort();
}
async function gzipWriter(file) {
  const { createGzip } = await import("node:zlib");
  const gzip = createGzip({
    level: 6
  });
  const drained = (async () => {
    for await (const piece of gzip) await file.write(piece);
  })();
  drained.catch(() => {
  });
  return {
    async write(bytes) {
      if (!gzip.write(bytes)) {
        await Promise.race([
          new Promise((resolve) => gzip.once("drain", () => resolve())),
          drained
        ]);
      }
    },
    async end() {
      gzip.end();
      await drained;
    }
  };
}

// lib/io/folder_lock.ts
var LOCK_FILE = ".dynosim.lock";
var held = /* @__PURE__ */ new Map();
function takeFolder(folder) {
  if (held.has(folder)) return;
  const lock = host().lock(folder.endsWith("/") ? folder + LOCK_FILE : `${folder}/${LOCK_FILE}`);
  if (lock === null) {
    throw new ConfigError(`output directory ${folder} is in use by another process; wait for it or name another one`);
  }
  held.set(folder, lock);
}
function releaseFolders() {
  for (const [folder, lock] of held) {
    held.delete(folder);
    try {
      lock.release();
    } catch {
    }
  }
}

// lib/io/process.ts
var runtime = globalThis;
var commandArguments = () => runtime.Deno?.args ?? runtime.process.argv.slice(2);
function environment(name) {
  try {
    return (runtime.Deno ? runtime.Deno.env.get(name) : runtime.process.env[name]) || void 0;
  } catch {
    return void 0;
  }
}
function goToCaller(root) {
  const caller = environment("INIT_CWD");
  if (caller === void 0 || !runtime.Deno) return;
  try {
    const here = runtime.Deno.cwd().replace(/\/+$/, "");
    if (here === decodeURIComponent(root.pathname).replace(/\/+$/, "") && caller !== here) runtime.Deno.chdir(caller);
  } catch {
  }
}
var exit = (code) => runtime.Deno ? runtime.Deno.exit(code) : runtime.process.exit(code);
var isTerminal = (stream) => runtime.Deno ? runtime.Deno[stream].isTerminal() : runtime.process[stream].isTTY === true;
function terminalColumns() {
  try {
    return (runtime.Deno ? runtime.Deno.consoleSize().columns : runtime.process.stderr.columns) || 80;
  } catch {
    return 80;
  }
}
function writeText(stream, text2) {
  let bytes = new TextEncoder().encode(text2);
  const fs = runtime.Deno ? void 0 : runtime.process.getBuiltinModule("node:fs");
  while (bytes.length > 0) {
    try {
      const written = runtime.Deno ? runtime.Deno[stream].writeSync(bytes) : fs.writeSync(stream === "stdout" ? 1 : 2, bytes);
      bytes = bytes.subarray(written);
    } catch (error) {
      const { name, code } = error;
      if (code === "EAGAIN" || name === "WouldBlock") continue;
      if (stream === "stderr" || isClosedPipe(error)) return false;
      throw fileError("write", "standard output", error);
    }
  }
  return true;
}
function onStopRequest(handler) {
  const undo = [
    "SIGINT",
    "SIGTERM",
    "SIGHUP",
    "SIGXFSZ"
  ].map((signal) => {
    const listener2 = () => signal === "SIGXFSZ" || handler(signal);
    try {
      if (runtime.Deno) runtime.Deno.addSignalListener(signal, listener2);
      else runtime.process.on(signal, listener2);
    } catch {
      return () => {
      };
    }
    return () => {
      if (runtime.Deno) runtime.Deno.removeSignalListener(signal, listener2);
      else runtime.process.off(signal, listener2);
    };
  });
  return () => undo.forEach((call) => call());
}
function onUncaught(handler) {
  if (!runtime.Deno) {
    runtime.process.on("uncaughtException", handler);
    return;
  }
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    handler(event.reason);
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    handler(event.error);
  });
}
var residentBytes = () => runtime.Deno ? runtime.Deno.memoryUsage().rss : runtime.process.memoryUsage.rss();
function heapShare() {
  const used = runtime.Deno?.memoryUsage().heapUsed ?? 0;
  if (used < 2 ** 29) return 0;
  heapLimit ??= runtime.process.getBuiltinModule("node:v8").getHeapStatistics().heap_size_limit;
  return used / heapLimit;
}
var heapLimit;
function containerBytes() {
  try {
    return runtime.process.constrainedMemory?.() || Infinity;
  } catch {
    return Infinity;
  }
}
function hostMemory() {
  try {
    if (runtime.Deno) {
      const { total, available } = runtime.Deno.systemMemoryInfo();
      return {
        totalBytes: total,
        availableBytes: available
      };
    }
    const os = runtime.process.getBuiltinModule("node:os");
    return {
      totalBytes: os.totalmem(),
      availableBytes: availableBytes() ?? os.freemem()
    };
  } catch {
    return void 0;
  }
}
function availableBytes() {
  try {
    const text2 = runtime.process.getBuiltinModule("node:fs").readFileSync("/proc/meminfo", "utf8");
    const found = /^MemAvailable:\s+(\d+) kB/m.exec(text2);
    return found ? Number(found[1]) * 1024 : void 0;
  } catch {
    return void 0;
  }
}
var cpuCount = () => Math.max(1, runtime.navigator?.hardwareConcurrency ?? 1);
function hostName() {
  try {
    return runtime.Deno ? runtime.Deno.hostname() : runtime.process.getBuiltinModule("node:os").hostname();
  } catch {
    return "host";
  }
}

// cli/module_problem.ts
var ROOT = new URL("../", import.meta["url"]).href;
function moduleProblem(problem) {
  const { code, name, message } = Object(problem);
  if (typeof message !== "string") return null;
  if (name === "SyntaxError" || message.startsWith("SyntaxError")) {
    const [, file2, place] = / at file:\/\/(\/\S+?)(:\d+:\d+)/.exec(message) ?? [];
    if (file2 === void 0) return null;
    const [what] = message.replace(/^SyntaxError: /, "").split(/\n| at file:/);
    return `${shown2(file2)}${place} cannot be loaded: ${what}; ${remedy(file2)}`;
  }
  if (code !== "ERR_MODULE_NOT_FOUND" && !message.startsWith("Module not found")) return null;
  const [, file] = /["'](?:file:\/\/)?(\/[^"']+|[A-Za-z]:[^"']+)["']/.exec(message) ?? [];
  return file === void 0 ? null : `${shown2(file)} is missing: ${remedy(file)}`;
}
var own = (file) => {
  const { href } = new URL(file, "file:///");
  return href.startsWith(ROOT) && !href.includes("/node_modules/") ? decodeURIComponent(href.slice(ROOT.length)) : null;
};
var shown2 = (file) => own(file) ?? file;
function remedy(file) {
  if (own(file) !== null) {
    return "'git status' in the folder of dynosim tells what differs and 'git restore FILE' gets it back, or install dynosim anew";
  }
  if (file.includes("/node_modules/")) return "install the packages anew (npm install, bun install)";
  const [folder] = /^.*\/npm\/[^/]+\/(?:@[^/]+\/)?[^/]+\/[^/]+(?=\/)/.exec(file) ?? [];
  return folder === void 0 ? "install dynosim anew" : `delete the folder ${folder}, and Deno downloads it again`;
}

// lib/io/reading.ts
var listener;
function followReading(told) {
  listener = told;
}
function tellReading(path, bytes) {
  listener?.(path, bytes);
}

// cli/terminal.ts
var CODES = {
  red: 31,
  green: 32,
  yellow: 33,
  cyan: 36,
  dim: 2,
  bold: 1
};
var colourful = (stream) => !environment("NO_COLOR") && isTerminal(stream);
var paint = (colour, text2, stream = "stderr") => colourful(stream) ? `\x1B[${CODES[colour]}m${text2}\x1B[0m` : text2;
function warn(command2, message) {
  writeText("stderr", `dynosim ${command2}: ${paint("yellow", "warning:")} ${message}
`);
}
function clock(ms) {
  const seconds2 = Math.floor(ms / 1e3);
  const two = (value) => String(value).padStart(2, "0");
  const minutes = `${two(Math.floor(seconds2 / 60) % 60)}:${two(seconds2 % 60)}`;
  return seconds2 < 3600 ? minutes : `${Math.floor(seconds2 / 3600)}:${minutes}`;
}
function barLine(share, facts, columns) {
  const width = Math.min(30, columns - facts.length - 3);
  if (width < 5) return facts.slice(0, columns);
  const filled = Math.round(share * width);
  return `${"\u2588".repeat(filled)}${"\u2591".repeat(width - filled)} ${facts}`;
}
var percentText = (share) => `${String(Math.floor(share * 100)).padStart(3)} %`;
function leftText(share, elapsedMs) {
  if (!(share > 0 && elapsedMs >= 500)) return "";
  const leftMs = elapsedMs / share * (1 - share);
  return leftMs < 6e4 ? `  ${Math.ceil(leftMs / 1e3)} s left` : `  ${clock(leftMs)} left`;
}
function progressLine(progress, elapsedMs, columns) {
  const { requestsDone, requestsTotal, virtualMs, sweep } = progress;
  const share = requestsTotal > 0 ? Math.min(1, requestsDone / requestsTotal) : 0;
  const facts = `${percentText(share)}  ${grouped(requestsDone)}/${grouped(requestsTotal)} requests  virtual ${clock(virtualMs)}${sweep ? `  retune ${sweep.done}/${sweep.known} candidates` : ""}` + leftText(share, elapsedMs);
  return barLine(share, facts, columns);
}
var shareLine = (share, what, elapsedMs, columns) => barLine(share, `${percentText(share)}  ${what}${leftText(share, elapsedMs)}`, columns);
function readingLine(name, read, total, elapsedMs, columns) {
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
  if (total <= 0) return `reading ${name}  ${megabytes(read)} MB`.slice(0, columns);
  const share = Math.min(1, read / total);
  const facts = `${percentText(share)}  reading ${name}  ${megabytes(read)}/${megabytes(total)} MB` + leftText(share, elapsedMs);
  return barLine(share, facts, columns);
}
var outputColumns = () => isTerminal("stdout") ? Math.max(40, terminalColumns()) : 80;
var SHOW_AFTER_MS = 300;
var ProgressBar = class {
  #started = performance.now();
  #drawn = -Infinity;
  #visible = isTerminal("stderr") && environment("TERM") !== "dumb";
  /** Shows where the replay is. */
  update(progress) {
    this.draw((elapsedMs, columns) => progressLine(progress, elapsedMs, columns));
  }
  /** Shows a line that is made when it is shown. */
  draw(line) {
    if (!this.#visible) return;
    const now = performance.now();
    if (now - this.#drawn < 100 || now - this.#started < SHOW_AFTER_MS) return;
    this.#drawn = now;
    writeText("stderr", `\r\x1B[2K${paint("cyan", line(now - this.#started, terminalColumns() - 1))}`);
  }
  /** Takes the bar away. */
  clear() {
    if (this.#drawn > -Infinity) writeText("stderr", "\r\x1B[2K");
    this.#drawn = -Infinity;
  }
};
function showReading(paths) {
  const bar = new ProgressBar(), counted = new Set(paths);
  const total = counted.has("-") ? 0 : [
    ...counted
  ].reduce((sum, path) => sum + host().fileBytes(path), 0);
  let read = 0;
  followReading((path, bytes) => {
    if (!counted.has(path)) return;
    read += bytes;
    const name = path === "-" ? "standard input" : path.split("/").at(-1);
    bar.draw((elapsedMs, columns) => readingLine(name, read, total, elapsedMs, columns));
  });
  return () => {
    followReading(void 0);
    bar.clear();
  };
}
function grouped(value) {
  const [whole, fraction] = String(value).split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (fraction === void 0 ? "" : `.${fraction}`);
}
var seconds = (ms) => `${grouped(Math.round(ms) / 1e3)} s`;
var moment = (ms) => ms >= 1e11 && ms <= 864e13 ? new Date(ms).toISOString() : seconds(ms);
var BARS = "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588";
function sparkline(values) {
  const most = Math.max(...values, 0);
  return values.map((value) => most > 0 ? BARS[Math.min(7, Math.floor(value / most * 8))] : BARS[0]).join("");
}

// cli/command.ts
var EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  resources: 3,
  timeout: 124,
  interrupted: 130,
  closedPipe: 141
};
var MEANINGS = {
  [EXIT.ok]: "done",
  [EXIT.failed]: "failed",
  [EXIT.usage]: "command line or configuration",
  [EXIT.resources]: "not enough memory",
  [EXIT.interrupted]: "Ctrl-C"
};
var exitLine = ({ exits }) => `Exit codes: ${Object.entries({
  ...MEANINGS,
  ...exits
}).map((entry) => entry.join(" ")).join(", ")}.`;
var Interrupted = class extends Error {
  signal;
  name;
  message;
  constructor(signal = "SIGINT") {
    super(), this.signal = signal, this.name = "Interrupted", this.message = "execution cancelled";
  }
};
var SIGNAL_CODES = {
  SIGHUP: 129,
  SIGINT: EXIT.interrupted,
  SIGTERM: 143
};
var STOP_WITHIN_MS = 350;
var TimedOut = class extends Error {
  name = "TimedOut";
};
function command(line, body, { stopWithinMs = STOP_WITHIN_MS } = {}) {
  return {
    line,
    async run(args) {
      const control = new AbortController();
      const stopListening = endOnRequest(line.command, control, stopWithinMs);
      stopEverythingBy(control.signal);
      try {
        const parsed = parseArguments(line, args);
        if (parsed === void 0) {
          writeText("stdout", helpText({
            ...line,
            notes: [
              ...line.notes ?? [],
              exitLine(line)
            ]
          }, outputColumns()));
          return EXIT.ok;
        }
        return await body(parsed.options, parsed.operands, control) ?? EXIT.ok;
      } catch (problem) {
        const error = control.signal.aborted ? control.signal.reason : problem;
        cleanUp();
        if (error instanceof UsageError) writeText("stderr", `${usageText(line)}
`);
        tell(line.command, error);
        return exitCode(error);
      } finally {
        cleanUp();
        if (!control.signal.aborted) stopListening();
        stopEverythingBy(void 0);
      }
    }
  };
}
function cleanUp() {
  removeUnfinishedFiles();
  releaseFolders();
}
function tell(command2, error) {
  if (!isClosedPipe(error)) writeText("stderr", `${failureText(command2, error)}
`);
}
function endOnRequest(command2, control, stopWithinMs) {
  let askedAt = Infinity;
  return onStopRequest((signal) => {
    const interrupted = new Interrupted(signal);
    const end = () => {
      cleanUp();
      tell(command2, interrupted);
      exit(exitCode(interrupted));
    };
    if (control.signal.aborted) {
      if (performance.now() > askedAt + STOP_WITHIN_MS) end();
      return;
    }
    askedAt = performance.now();
    control.abort(interrupted);
    setTimeout(end, stopWithinMs);
  });
}
function exitCode(error) {
  if (error instanceof UsageError || error instanceof ConfigError) return EXIT.usage;
  if (error instanceof ResourceLimitError || isOutOfMemory(error)) return EXIT.resources;
  if (error instanceof Interrupted) return SIGNAL_CODES[error.signal];
  if (isClosedPipe(error)) return EXIT.closedPipe;
  if (error instanceof TimedOut) return EXIT.timeout;
  return EXIT.failed;
}
var isOutOfMemory = (error) => error instanceof RangeError && /allocation|Invalid (typed )?array (buffer )?length|Invalid string length|Out of memory/i.test(error.message);
function failureText(name, error) {
  const { message: whole, name: type, stack } = error instanceof Error ? error : new Error(String(error));
  const message = whole.trimEnd();
  const trace = environment("DYNOSIM_DEBUG") && stack ? `
${stack}` : "";
  const line = (kind, text2) => `dynosim${name && ` ${name}`}${paint("red", kind)} ${text2}${trace}`;
  if (error instanceof UsageError || error instanceof ConfigError) return line(": error:", message);
  if (error instanceof ResourceLimitError) return line(": resource_limited:", message);
  if (isOutOfMemory(error)) return line(": resource_limited:", `the runtime has no more memory to give (${message})`);
  if (error instanceof Interrupted || error instanceof TimedOut) return line(":", message);
  if (error instanceof FileError || error instanceof QueueError) return line(" failed:", message);
  if (error instanceof TraceError || error instanceof SimulationError) return line(" failed:", `${type}: ${message}`);
  const missing = moduleProblem(error);
  if (missing !== null) return line(" failed:", missing);
  const advice = trace ? "" : "; set DYNOSIM_DEBUG=1 to see where";
  return line(" failed:", `${type}: ${message} (this is a mistake in dynosim${advice})`);
}

// lib/arithmetic/rounding.ts
function roundHalfEven(value) {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return rest < 0.5 ? below : below + 1;
  return below % 2 === 0 ? below : below + 1;
}

// lib/collections/growing.ts
var FEW = 8;
function longer(column, size = column.length * 2, fill = 0) {
  const copy = new column.constructor(size);
  copy.set(column);
  if (fill !== 0) copy.fill(fill, column.length);
  return copy;
}
function reaching(column, last, fill = 0) {
  return last < column.length ? column : longer(column, Math.max(last + 1, column.length * 2), fill);
}

// lib/collections/mapping.ts
var isMapping = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

// lib/io/bytes.ts
var ByteSourceError = class extends Error {
  stage;
  name;
  constructor(stage, message, options) {
    super(message, options), this.stage = stage, this.name = "ByteSourceError";
  }
};
function readBytes(path, options = {}) {
  const signal = options.signal ?? stopSignal();
  const packed = readPacked(path, options.chunkBytes ?? 1 << 18, signal);
  return options.raw ? packed : gunzipped(packed, signal);
}
async function* readPacked(path, chunkBytes, signal) {
  const file = await open(path, signal);
  const buffer = new Uint8Array(chunkBytes);
  try {
    for (; ; ) {
      await stopPoint(signal);
      let count;
      try {
        count = await unlessStopped(file.read(buffer), signal);
      } catch (cause) {
        signal?.throwIfAborted();
        throw new ByteSourceError("read", reason(cause), {
          cause
        });
      }
      if (count === 0) return;
      tellReading(path, count);
      yield buffer.subarray(0, count);
    }
  } finally {
    if (path !== "-") file.close();
  }
}
async function open(path, signal) {
  if (path === "-") return host().standardStream("stdin");
  if (path === "") throw new ByteSourceError("open", "the name of the file is empty");
  if (path.includes("\0")) throw new ByteSourceError("open", "the name of the file holds a zero byte");
  const opening = host().openForReading(path);
  try {
    return await unlessStopped(opening, signal);
  } catch (cause) {
    opening.then((file) => file.close(), () => {
    });
    signal?.throwIfAborted();
    throw new ByteSourceError("open", reason(cause), {
      cause
    });
  }
}
async function* gunzipped(source, signal = stopSignal(), cut = false) {
  const input = source[Symbol.asyncIterator]();
  try {
    let first = await input.next();
    let head = first.done ? new Uint8Array(0) : first.value;
    while (!first.done && head.length < 6) {
      const start = head.slice();
      first = await input.next();
      if (!first.done) head = joined(start, first.value);
      else head = start;
    }
    const rest = {
      [Symbol.asyncIterator]: () => input
    };
    if (head.length >= 2 && head[0] === 31 && head[1] === 139) {
      yield* unpack(head, rest, signal, cut);
    } else {
      const packed = packedAs(head);
      if (packed !== void 0) throw new ByteSourceError("read", packed);
      if (head.length > 0) yield head;
      yield* rest;
    }
  } finally {
    await input.return?.();
  }
}
async function* unpack(head, rest, signal, cut) {
  const { constants, createGunzip } = await import("node:zlib");
  const gunzip = createGunzip({
    chunkSize: 1 << 17,
    ...cut && {
      finishFlush: constants.Z_SYNC_FLUSH
    }
  });
  let failure;
  let goOn = () => {
  };
  gunzip.on("drain", () => goOn());
  gunzip.on("close", () => goOn());
  const feed = (async () => {
    try {
      for await (const piece of prefixed(head, rest)) {
        if (gunzip.destroyed) return;
        const taken = new Promise((resolve) => goOn = resolve);
        if (!gunzip.write(piece.slice())) await taken;
      }
      gunzip.end();
    } catch (problem) {
      failure = problem;
      gunzip.destroy(problem);
    }
  })();
  try {
    for await (const piece of gunzip) {
      await stopPoint(signal);
      yield piece;
    }
  } catch (cause) {
    signal?.throwIfAborted();
    if (failure !== void 0) throw failure;
    throw new ByteSourceError("read", `the gzip data is damaged: ${reason(cause)}`, {
      cause
    });
  } finally {
    gunzip.destroy();
    await feed;
  }
}
var UNREAD = [
  [
    [
      40,
      181,
      47,
      253
    ],
    "it is compressed with Zstandard, and only gzip is unpacked: unpack it first (zstd -d)"
  ],
  [
    [
      253,
      55,
      122,
      88,
      90,
      0
    ],
    "it is compressed with xz, and only gzip is unpacked: unpack it first (xz -d)"
  ],
  [
    [
      66,
      90,
      104,
      57,
      49,
      65
    ],
    "it is compressed with bzip2, and only gzip is unpacked: unpack it first"
  ],
  [
    [
      4,
      34,
      77,
      24
    ],
    "it is compressed with LZ4, and only gzip is unpacked: unpack it first (lz4 -d)"
  ],
  [
    [
      80,
      75,
      3,
      4
    ],
    "it is a zip archive: unpack it first"
  ],
  [
    [
      80,
      65,
      82,
      49
    ],
    "it is a Parquet file, and only lines of text are read: write its rows as JSON Lines or CSV"
  ],
  [
    [
      255,
      254
    ],
    "it is UTF-16 text, and only UTF-8 is read: convert it first (iconv -f utf-16 -t utf-8)"
  ],
  [
    [
      254,
      255
    ],
    "it is UTF-16 text, and only UTF-8 is read: convert it first (iconv -f utf-16 -t utf-8)"
  ]
];
var packedAs = (head) => UNREAD.find(([mark]) => mark.every((byte, i) => head[i] === byte))?.[1];
async function* prefixed(head, rest) {
  yield head;
  yield* rest;
}
function joined(a, b) {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

// lib/io/text.ts
async function readText(path, { mostBytes, ...options }) {
  const decoder = new TextDecoder("utf-8", {
    fatal: true
  });
  let text2 = "", bytes = 0;
  const decoded = (piece) => {
    try {
      return piece === void 0 ? decoder.decode() : decoder.decode(piece, {
        stream: true
      });
    } catch (cause) {
      throw new ByteSourceError("read", "it is not UTF-8 text", {
        cause
      });
    }
  };
  for await (const piece of readBytes(path, options)) {
    bytes += piece.length;
    if (bytes > mostBytes) {
      throw new ByteSourceError("read", `it is larger than ${sizeText(mostBytes)}, the most for such a file`);
    }
    text2 += decoded(piece);
  }
  return text2 + decoded();
}
var sizeText = (bytes) => bytes >= 2 ** 20 ? `${Math.round(bytes / 2 ** 20)} MiB` : `${Math.round(bytes / 2 ** 10)} KiB`;

// lib/report/csv.ts
function cell(value) {
  if (value === null || value === void 0) return "";
  const text2 = typeof value === "object" ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text2) ? `"${text2.replaceAll('"', '""')}"` : text2;
}
var csvLine = (values) => `${values.map(cell).join()}
`;
function csvText(rows) {
  const columns = [
    ...new Set(rows.flatMap((row) => Object.keys(row)))
  ];
  return [
    columns,
    ...rows.map((row) => columns.map((name) => row[name]))
  ].map(csvLine).join("");
}

export {
  __export,
  __template,
  getDotPath,
  check,
  finite,
  gtValue,
  integer,
  maxLength,
  maxValue,
  minLength,
  minValue,
  rawCheck,
  rawTransform,
  regex,
  safeInteger,
  transform,
  is,
  array,
  boolean,
  custom,
  instance,
  lazy,
  literal,
  looseObject,
  null_,
  nullable,
  nullish,
  number,
  object,
  optional,
  picklist,
  record,
  strictObject,
  string,
  tuple,
  union,
  unknown,
  variant,
  parse,
  partial,
  pipe,
  safeParse,
  TraceError,
  ConfigError,
  SimulationError,
  ResourceLimitError,
  FileError,
  QueueError,
  checkOptions,
  checkNumber,
  nearName,
  alignedRows,
  wrapped,
  UsageError,
  flag,
  text,
  choice,
  list,
  number2,
  kebab,
  optionsOf,
  invalidChoice,
  describedLines,
  reason,
  fileError,
  isStandardOutput,
  host,
  after,
  every,
  pause,
  stopPoint,
  unlessStopped,
  AtomicFile,
  partOf,
  writeFileAtomically,
  removeUnfinishedFiles,
  LOCK_FILE,
  takeFolder,
  commandArguments,
  environment,
  goToCaller,
  exit,
  isTerminal,
  writeText,
  onUncaught,
  residentBytes,
  heapShare,
  containerBytes,
  hostMemory,
  cpuCount,
  hostName,
  paint,
  warn,
  clock,
  barLine,
  shareLine,
  outputColumns,
  ProgressBar,
  showReading,
  grouped,
  moment,
  sparkline,
  EXIT,
  Interrupted,
  TimedOut,
  command,
  exitCode,
  failureText,
  roundHalfEven,
  FEW,
  longer,
  reaching,
  isMapping,
  BACKENDS,
  BLOCK_TOKENS,
  ByteSourceError,
  readBytes,
  gunzipped,
  readText,
  csvLine,
  csvText,
  assumptionsOf,
  assumptionsText,
  DATABASE_MODES,
  databaseMode,
  TRANSFER_KINDS,
  transferKinds
};
