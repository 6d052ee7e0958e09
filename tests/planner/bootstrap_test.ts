import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLaunch } from "../../lib/engine/launch/launch.ts";
import { bootstrap, decodeSamples, prefillSamples, samplesText } from "../../lib/planner/bootstrap.ts";
import { canonicalJson, Float, floatText } from "../../lib/planner/canonical_json.ts";
import { capabilitiesOf } from "../../lib/planner/capabilities.ts";
import type { PassEstimator } from "../../lib/planner/model/pass.ts";
import { analytic, near, readGolden, sha256 } from "./helpers.ts";

const units = readGolden("unit_budget_capacity_bootstrap.json");

function engineOf(mapping: unknown) {
  const worker = parseLaunch({ engine: mapping });
  return { ...capabilitiesOf(worker), kvTokens: worker.rank.blocks * worker.rank.blockTokens };
}

test("the bootstrap grids, times and digests are the reference's", () => {
  for (const golden of units.bootstrap) {
    const engine = engineOf(golden.engine);
    const prefill = prefillSamples(engine, analytic, golden.granularity);
    const decode = decodeSamples(engine, analytic, golden.granularity);
    assert.deepEqual(prefill.map((row) => row.prefillTokens), golden.prefill_isl);
    assert.deepEqual(prefill.map((row) => row.wallTimeS), golden.prefill_wall_s);
    assert.deepEqual(decode.map((row) => [row.decodeRequests, row.decodeKvTokens, row.wallTimeS]), golden.decode);
    assert.equal(sha256(samplesText(prefill, decode)), golden.sha256);
  }
});

test("samplesText writes a sample and no samples as the reference does", () => {
  const [first] = prefillSamples(engineOf({}), analytic);
  assert.equal(samplesText([first], []), `{"decode":[],"prefill":[${units.digest_example_first_prefill}]}`);
  assert.equal(sha256(samplesText([], [])), units.digest_empty);
});

test("bootstrap tells why there are no samples", () => {
  const engine = engineOf({});
  const none: PassEstimator = { estimateMs: () => null };
  const status = (prefill: PassEstimator | null | undefined, decode: PassEstimator | null) =>
    bootstrap({
      prefill: prefill === undefined ? null : { engine, estimator: prefill },
      decode: { engine, estimator: decode },
    }, sha256).metadata.status;
  assert.equal(status(undefined, analytic), "installed");
  assert.equal(status(undefined, null), "not_configured_load_only");
  assert.equal(status(undefined, none), "empty");
  assert.equal(status(analytic, null), "not_configured_load_only");
  assert.equal(status(none, analytic), "empty");
});

test("bootstrap estimates speculating engines with their drafted tokens", () => {
  const engine = { ...engineOf({}), speculationDepth: 3 };
  const [first] = decodeSamples(engine, analytic);
  assert.equal(first.decodeRequests, 1);
  near(first.wallTimeS, (8 + 0.02 * 4 + 0.00001 * 501) / 1000, 1e-12);
});

test("floatText tells floats from integers and keeps to the recorded form", () => {
  const wanted: [number, string][] = [
    [0, "0.0"],
    [15, "15.0"],
    [0.06555000000000001, "0.06555000000000001"],
    [1e-5, "1e-05"],
    [1.5e-7, "1.5e-07"],
    [0.0001, "0.0001"],
    [1e16, "1e+16"],
    [123456789012345680, "1.2345678901234568e+17"],
    [9007199254740992, "9007199254740992.0"],
  ];
  for (const [value, text] of wanted) assert.equal(floatText(value), text);
});

test("canonicalJson sorts keys at every level", () => {
  assert.equal(
    canonicalJson({ b: [{ d: 1, c: null }], a: new Float(2), x: undefined }),
    '{"a":2.0,"b":[{"c":null,"d":1}]}',
  );
});
