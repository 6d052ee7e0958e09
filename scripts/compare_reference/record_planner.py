"""Records the Planner's goldens anew: the inputs of fixtures/goldens/planner stay, what the reference answers is replaced.

    VENV/bin/python record_planner.py FIXTURES/planner TRACES [NAME…]

Whole runs (agg_*.json, disagg_*.json) are replayed; the snapshots of snapshot_streams.json are fed to the Planner's
replay adapter without engines. Where a case names a performance model, an analytic one takes the place of the hardware
database: 10 + 0.05 ms a prompt token, 8 + 0.02 ms a sequence + 0.00001 ms a KV token.
"""
import json
import os
import pathlib
import sys
import tempfile

os.environ.setdefault("DYN_LOG", "error")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import dynamo.replay.planner as preparation
from dynamo.replay import run_trace_replay

REFERENCE = "aisimulate 0.13.0.dev202610160000000073, ai-dynamo 1.7.0.dev20261026"


class Analytic:
    def predict_prefill(self, batch, tokens, prefix):
        return 10 + 0.05 * (batch * tokens)

    def predict_decode(self, batch, context, output):
        return 8 + 0.02 * batch + 0.00001 * (batch * (context + 1))


preparation.create_session = lambda **identity: Analytic()

SCHEDULE = [
    "run_load_scaling", "run_throughput_scaling", "need_traffic_metrics", "use_full_traffic_metrics",
    "traffic_metrics_duration_s", "need_worker_fpm",
]
COUNTS = [
    "ready_num_prefill", "ready_num_decode", "expected_num_prefill", "expected_num_decode",
    "prefill_scaling_in_progress", "decode_scaling_in_progress",
]
TRAFFIC = ["duration_s", "num_req", "isl", "osl", "kv_hit_rate", "accept_length"]
WINDOW = [
    "duration_s", "num_req", "shape_count", "avg_isl", "avg_osl", "avg_ttft_ms", "ttft_count", "avg_itl_ms",
    "itl_count", "avg_accept_length", "accept_length_forward_count", "avg_kv_hit_rate", "hit_rate_count",
]
ROW = [
    "worker_id", "dp_rank", "wall_time", "num_prefill_requests", "sum_prefill_tokens", "sum_prefill_kv_tokens",
    "num_decode_requests", "sum_decode_kv_tokens", "num_queued_prefill", "sum_queued_prefill_tokens",
    "num_queued_decode", "sum_queued_decode_kv_tokens",
]


def pick(mapping, names):
    return [mapping[name] for name in names]


def diagnostics(tick):
    return {key: value for key, value in tick["effects"]["diagnostics"].items() if value not in (None, "", [], {})}


def scale_to(tick):
    to = tick["effects"]["scale_to"]
    return to and [to["num_prefill"], to["num_decode"]]


def target(tick):
    return pick(tick["runtime_decision"], ["target_prefill", "target_decode"])


def topology(role):
    return pick(role, ["active", "starting", "draining"])


def row(observation):
    metrics = observation["metrics"]
    scheduled, queued = metrics["scheduled_requests"], metrics["queued_requests"]
    return [
        int(metrics["worker_id"]), observation["dp_rank"], metrics["wall_time"],
        *pick(scheduled, ["num_prefill_requests", "sum_prefill_tokens", "sum_prefill_kv_tokens"]),
        *pick(scheduled, ["num_decode_requests", "sum_decode_kv_tokens"]),
        *pick(queued, ["num_prefill_requests", "sum_prefill_tokens"]),
        *pick(queued, ["num_decode_requests", "sum_decode_kv_tokens"]),
    ]


def whole_tick(tick):
    seen = tick["input"]["fpm_observations"]
    rows = seen and {role: seen[role] and [row(each) for each in seen[role]] for role in ("prefill", "decode")}
    return {
        "ordinal": tick["ordinal"],
        "at_ms": tick["at_ms"],
        "sched": pick(tick["scheduled_tick"], SCHEDULE),
        "workers": pick(tick["input"]["worker_counts"], COUNTS),
        "topology": {role: topology(tick["topology"][role]) for role in ("prefill", "decode")},
        "traffic": tick["input"]["traffic"] and {name: tick["input"]["traffic"][name] for name in TRAFFIC},
        "fpm": rows,
        "scale_to": scale_to(tick),
        "diagnostics": diagnostics(tick),
        "target": target(tick),
        "next_tick_ms": tick["runtime_decision"]["next_tick_ms"],
    }


def record_run(golden, traces, folder):
    lines = (traces / golden["trace"]["file"]).read_text().splitlines(True)
    part = folder / "trace.jsonl"
    part.write_text("".join(lines[: golden["trace"]["lines_used"]]))
    config = dict(golden["planner_config"])
    if config.get("load_predictor_warmup_trace"):
        warmup = folder / "warmup.jsonl"
        warmup.write_text("".join((traces / "conversation_trace.jsonl").read_text().splitlines(True)[:2000]))
        config["load_predictor_warmup_trace"] = str(warmup)
    report = run_trace_replay(str(part), planner_config=config, **golden["options"]).to_dict()
    planner, expected = report["planner"], golden["expected"]
    digest = expected["metadata"]["planner_config_digest"]
    metadata = dict(planner["metadata"])
    if digest.startswith("<"):
        metadata["planner_config_digest"] = digest
    golden["reference"] = REFERENCE
    golden["expected"] = {
        "total_ticks": planner["total_ticks"],
        "metadata": metadata,
        "scaling_events": planner["scaling_events"],
        "lifecycle_operations": planner["lifecycle_operations"],
        "summary": {key: report["summary"][key] for key in expected["summary"] if key in report["summary"]},
        "ticks": [whole_tick(tick) for tick in planner["ticks"]],
    }


def snapshot(tick, ordinal):
    result = {"tick_ordinal": ordinal, "now_ms": tick["now_ms"], "traffic": dict(zip(WINDOW, tick["window"]))}
    for role in ("prefill", "decode"):
        states = dict(zip(("active", "starting", "draining"), tick["topology"][role]))
        for state, ids in states.items():
            result[f"{state}_{role}_ids"] = ids
            result[f"{state}_{role}_count"] = len(ids)
        result[f"non_draining_{role}_count"] = len(states["active"]) + len(states["starting"])
        result[f"total_{role}_count"] = sum(map(len, states.values()))
        result[f"{role}_fpm_snapshots"] = [
            {
                "var_prefill_length": 0.0, "var_decode_kv_tokens": 0.0, "var_queued_prefill_length": 0.0,
                "var_queued_decode_kv_tokens": 0.0, **dict(zip(ROW, each)),
            }
            for each in tick["rows"].get(role) or []
        ]
    return result


def record_stream(case):
    options = dict(case["options"])
    adapter = preparation.prepare_planner_replay(
        options.get("extra_engine_args"), options.get("prefill_engine_args"), options.get("decode_engine_args"),
        json.dumps(case["planner_config"]), performance_model_metadata=options.get("performance_model_metadata"),
    )
    with adapter:
        adapter.start()
        for ordinal, tick in enumerate(case["ticks"]):
            adapter.on_tick(snapshot(tick, ordinal))
        details = adapter.finalize()
    ticks = details.ticks
    for given, tick in zip(case["ticks"], ticks):
        seen = tick["input"]["fpm_observations"]
        traffic = tick["input"]["traffic"]
        workers = {
            role: seen[role] and [[str(each["worker_id"]), each["dp_rank"]] for each in seen[role]]
            for role in ("prefill", "decode")
        } if seen else None
        given["expect"] = {
            "sched": pick(tick["scheduled_tick"], SCHEDULE),
            "workers": pick(tick["input"]["worker_counts"], COUNTS),
            "traffic": traffic and pick(traffic, TRAFFIC),
            "fpm_workers": workers,
            "scale_to": scale_to(tick),
            "diagnostics": diagnostics(tick),
            "target": target(tick),
            "next_tick_ms": tick["runtime_decision"]["next_tick_ms"],
        }
    case["bootstrap"] = details.metadata["bootstrap"]
    case["scaling_events"] = [vars(event) for event in details.scaling_events]


root, traces = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
for path in sorted(root.glob("*.json")):
    if sys.argv[3:] and path.stem not in sys.argv[3:]:
        continue
    golden = json.loads(path.read_text())
    if path.stem == "snapshot_streams":
        for case in golden["cases"]:
            record_stream(case)
        golden["source"] = f"{REFERENCE}: the Planner's replay adapter fed with generated snapshots"
    elif path.stem.startswith(("agg_", "disagg_")):
        with tempfile.TemporaryDirectory() as folder:
            record_run(golden, traces, pathlib.Path(folder))
    else:
        continue
    path.write_text(json.dumps(golden, separators=(",", ":")) + "\n")
    print(path.stem, flush=True)
