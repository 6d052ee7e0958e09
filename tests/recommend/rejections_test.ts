import assert from "node:assert/strict";
import { test } from "node:test";
import "../without_user_cache.ts";
import { ConfigError } from "../../lib/errors.ts";
import { loadRecommendation } from "../../lib/recommend/load.ts";
import { recommend } from "../../lib/recommend/recommend.ts";
import { readDgd } from "../../lib/recommend/dgd.ts";
import { readGolden } from "./goldens.ts";

interface Case {
  name: string;
  stack: string;
  edits: [path: string, value: unknown][];
  args: string[];
  exit_code: number;
  stderr: string;
}

const { base, cases } = readGolden("rejections.json.gz") as { base: Record<string, unknown>; cases: Case[] };

/** The document of a case. */
function edited(edits: Case["edits"]): Record<string, unknown> {
  const document = structuredClone(base);
  for (const [path, value] of edits) {
    const keys = path.split(".");
    let at = document as any;
    for (const key of keys.slice(0, -1)) at = at[key] ??= {};
    if (value === "DEL") delete at[keys.at(-1)!];
    else at[keys.at(-1)!] = value;
  }
  return document;
}

/** What ours says of a case without a replay; null when nothing is wrong. */
async function refusal({ stack, edits, args }: Case): Promise<ConfigError | null> {
  const after = (option: string) => args.flatMap((argument, i) => argument === option ? [args[i + 1]] : []);
  try {
    const search = loadRecommendation(JSON.stringify(edited(edits)), {
      name: "c.yaml",
      stack,
      set: after("--set"),
      outputs: after("--output"),
    });
    if ("dgd" in search.outputs) readDgd(search.outputs.dgd, search.optimization.target);
    await recommend(search).open;
    return null;
  } catch (problem) {
    assert.ok(problem instanceof ConfigError, String(problem));
    return problem;
  }
}

/** Cases that dynosim takes: its own algorithms, and a field that no replay reads. */
const TAKEN: readonly string[] = [];
/** Ended while running, or by the command line's own parser. */
const NOT_HERE = ["capture-flag", "infeasible-all"];

for (const one of cases.filter(({ name }) => !NOT_HERE.includes(name))) {
  const refused = one.exit_code !== 0 && !TAKEN.includes(one.name);
  test(`loadRecommendation ${refused ? "refuses" : "takes"} ${one.name}`, async () => {
    const problem = await refusal(one);
    assert.equal(problem !== null, refused, `${problem?.message ?? "taken"}\n${one.stderr}`);
    if (problem === null) return;
    assert.ok(problem.message.length > 10);
    // the rule's own words, where the reference states a rule
    const rule = /Value error, ([^\n[]+?) \[type=/.exec(one.stderr)?.[1];
    if (rule !== undefined && !/Choices\[/.test(one.stderr)) {
      const words = (text: string): string[] => text.toLowerCase().match(/[a-z_]{4,}/g) ?? [];
      const told = words([problem.message, ...problem.issues.map(({ message }) => message)].join(" "));
      const missing = words(rule).filter((word) => !told.includes(word));
      assert.ok(missing.length <= words(rule).length / 3, `${problem.message}\n${rule}`);
    }
  });
}
