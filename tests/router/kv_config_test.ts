import { test } from "node:test";
import assert from "node:assert/strict";
import { ConfigError } from "../../lib/errors.ts";
import { completeKvSettings, readKvRouterConfig } from "../../lib/router/kv_config.ts";
import { KV_ROUTER_DEFAULTS } from "../../lib/router/kv_settings.ts";

/** The text after the common prefix. */
function refusal(config: unknown): string {
  try {
    readKvRouterConfig(config);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    assert.ok(error.message.startsWith("Failed to parse KvRouterConfig JSON: "));
    return error.message.slice("Failed to parse KvRouterConfig JSON: ".length);
  }
  return "accepted";
}

test("readKvRouterConfig refuses values with the reference's texts", () => {
  const cases: [unknown, string][] = [
    [1, "invalid type: integer `1`, expected struct KvRouterConfigSerde"],
    [{ overlap_score_credit: -1 }, "overlap_score_credit must be a finite, non-negative number"],
    [{ overlap_score_credit: null }, "invalid type: null, expected f64"],
    [{ overlap_score_credit: "x" }, 'invalid type: string "x", expected f64'],
    [{ overlap_score_credit: true }, "invalid type: boolean `true`, expected f64"],
    [{ overlap_score_credit: Infinity }, "number out of range"],
    [{ overlap_score_credit_decay: -1 }, "overlap_score_credit_decay must be finite and non-negative"],
    [{ prefill_load_scale: -1 }, "prefill_load_scale must be finite and non-negative"],
    [{ overlap_score_weight: -1 }, "prefill_load_scale must be finite and non-negative"],
    [{ decode_active_request_weight: -1 }, "decode_active_request_weight must be finite and non-negative"],
    [{ host_cache_hit_weight: 2 }, "host_cache_hit_weight must be between 0 and 1"],
    [{ disk_cache_hit_weight: -1 }, "disk_cache_hit_weight must be between 0 and 1"],
    [{ router_temperature: -1 }, "router_temperature must be finite and non-negative"],
    [{ shared_cache_multiplier: 3 }, "shared_cache_multiplier must be between 0 and 1"],
    [{ router_track_active_blocks: 1 }, "invalid type: integer `1`, expected a boolean"],
    [{ router_prefill_load_model: "x" }, "unknown variant `x`, expected one of `none`, `aic`, `ais`"],
    [{ shared_cache_type: "x" }, "unknown variant `x`, expected `none` or `hicache`"],
    [{ router_queue_threshold: -1 }, "router_queue_threshold must be greater than or equal to 0"],
    [{ router_queue_policy: "x" }, "unknown variant `x`, expected one of `fcfs`, `lcfs`, `wspt`"],
    [{ router_ttl_secs: -1 }, "router_ttl_secs must be greater than or equal to 0"],
    [{ router_event_threads: -1 }, "invalid value: integer `-1`, expected u32"],
    [{ router_event_threads: 0 }, "router_event_threads must be at least 1"],
    [{ router_policy_config: {} }, "invalid type: map, expected a string"],
    [{ durable_kv_events: true }, "durable_kv_events=true is not supported by this runtime"],
    [
      { router_prefill_load_model: "ais", router_track_prefill_tokens: false },
      "router_prefill_load_model requires router_track_prefill_tokens=true",
    ],
    [
      { router_track_output_blocks: true, router_track_active_blocks: false },
      "router_track_output_blocks requires router_track_active_blocks=true",
    ],
    [{ router_predicted_ttl_secs: 3, use_kv_events: false }, "router_predicted_ttl_secs requires use_kv_events=true"],
    [
      { enable_session_prefix_index: true, use_kv_events: false },
      "enable_session_prefix_index requires use_kv_events=true",
    ],
    [{ use_remote_indexer: true, serve_indexer: true }, "use_remote_indexer and serve_indexer are mutually exclusive"],
    [{ router_tracking_key_id: "a" }, "router tracking key options require router_tracking_hash=keyed-xxh3-v1"],
    [{ router_tracking_hash: "keyed-xxh3-v1" }, "keyed-xxh3-v1 requires router_tracking_key_file"],
    [
      { router_tracking_hash: "keyed-xxh3-v1", router_tracking_key_file: "k" },
      "keyed-xxh3-v1 requires a nonempty router_tracking_key_id",
    ],
  ];
  for (const [config, text] of cases) assert.equal(refusal(config), text);
});

test("readKvRouterConfig names unknown fields with what may have been meant", () => {
  assert.match(refusal({ temperature: 1 }), /^unknown field `temperature`, expected one of `overlap_score_credit`, /);
  try {
    readKvRouterConfig({ router_temprature: 1 });
    assert.fail();
  } catch (error) {
    assert.equal((error as ConfigError).issues[0].hint, "did you mean `router_temperature`?");
  }
});

test("readKvRouterConfig reads what replay uses and tells what it does not", () => {
  assert.deepEqual(readKvRouterConfig({}), { settings: {}, policyFile: null, withoutEffect: [] });
  const read = readKvRouterConfig({
    overlap_score_credit: 0.5,
    router_temperature: 0.2,
    router_prefill_load_model: "ais",
    router_queue_threshold: null,
    router_queue_policy: "lcfs",
    router_policy_config: "policy.yaml",
    router_event_threads: 2,
    host_cache_hit_weight: 1,
  });
  assert.deepEqual(read.settings, {
    overlapScoreCredit: 0.5,
    temperature: 0.2,
    prefillLoadModel: "aic",
    queueThreshold: null,
    queuePolicy: "lcfs",
  });
  assert.equal(read.policyFile, "policy.yaml");
  assert.deepEqual(read.withoutEffect, [
    "router_config.router_event_threads has no effect: it concerns the live router only",
    "router_config.host_cache_hit_weight has no effect: engines in replay have no such cache tier",
  ]);
});

test("readKvRouterConfig translates the deprecated weight, which wins", () => {
  assert.deepEqual(readKvRouterConfig({ overlap_score_weight: 2, prefill_load_scale: 1 }).settings, {
    prefillLoadScale: 2,
  });
  assert.deepEqual(readKvRouterConfig({ overlap_score_weight: 0, overlap_score_credit: 1 }).settings, {
    overlapScoreCredit: 0,
    prefillLoadScale: 0,
  });
  assert.deepEqual(readKvRouterConfig({ overlap_score_weight: null }).settings, {});
});

test("completeKvSettings fills in defaults and checks bounds", () => {
  assert.deepEqual(completeKvSettings({}), KV_ROUTER_DEFAULTS);
  assert.equal(completeKvSettings({ temperature: undefined, kvEventLagMs: 5 }).kvEventLagMs, 5);
  assert.throws(
    () => completeKvSettings({ kvEventLagMs: -5 }),
    /kv_event_lag_ms must be finite and non-negative, got -5/,
  );
  assert.throws(
    () => completeKvSettings({ prefillLoadScale: NaN }),
    /prefill_load_scale must be finite and non-negative/,
  );
});
