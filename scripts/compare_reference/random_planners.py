"""Random replays with the Planner and everything the installed reference reports of them, a case a line (.jsonl.gz).

    $DYNAMO_PYTHON random_planners.py FIRST_SEED COUNT OUT.jsonl.gz

Where a case names a performance model, an analytic one takes the place of the hardware database, as in
`record_planner.py`. `replays.ts` compares dynosim with it.
"""
import gzip
import json
import os
import random
import signal
import sys
import tempfile
import time

os.environ.setdefault("DYN_LOG", "off")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import dynamo.replay.planner as preparation
# What runs load: once, not in every fork.
import dynamo.planner.offline.replay_adapter  # noqa: F401
import dynamo.planner.plugins.builtins.local_planner  # noqa: F401
import filterpy.kalman  # noqa: F401
import pmdarima  # noqa: F401
from dynamo.replay import run_trace_replay

SECONDS = int(os.environ.get("CASE_SECONDS", "60"))
# A run of this script ends here; what it has done by then is whole.
LIMIT_SECONDS = float(os.environ.get("LIMIT_SECONDS", "270"))


class Analytic:
    def predict_prefill(self, batch, tokens, prefix):
        return 10 + 0.05 * (batch * tokens)

    def predict_decode(self, batch, context, output):
        return 8 + 0.02 * batch + 0.00001 * (batch * (context + 1))


preparation.create_session = lambda **identity: Analytic()
IDENTITY = {"provider": "ais", "config": {"model": "study/analytic", "system": "h200_sxm", "backend": "vllm"}}


def engine(g, role):
    backend = g.choice(["vllm", "vllm", "sglang", "trtllm"])
    block = g.choice({"vllm": [16, 64], "sglang": [1, 16, 64], "trtllm": [32, 64]}[backend])
    tokens = g.choice([8000, 20000, 60000])
    e = {"backend": backend, "block_size": block, "num_gpu_blocks": tokens // block, "worker_type": role}
    if g.random() < 0.6:
        e["timing_model"] = {
            "type": "fixed", "prefill_ms": g.choice([40.0, 150.0, 400.0, 1100.0]), "decode_ms": g.choice([4.0, 15.0, 40.0]),
        }
    else:
        e["timing_model"] = {"type": "polynomial"}
    if g.random() < 0.5:
        e["max_num_seqs"] = g.choice([2, 4, 8, 32])
    if g.random() < 0.3:
        e["max_model_len"] = g.choice([5000, 8192])
    if g.random() < 0.15:
        e["enable_prefix_caching"] = False
    if backend != "sglang" and g.random() < 0.4:
        e["max_num_batched_tokens"] = g.choice([512, 1024, 4096])
    if backend != "sglang" and role != "prefill" and g.random() < 0.1:
        e["aic_nextn"], e["aic_nextn_accept_rates"] = 1, g.choice(["0.5", "0.8"])
    args = {"engine": e}
    if g.random() < 0.5:
        args["startup_time"] = g.choice([0, 3, 7.5, 20, 60])
    if g.random() < 0.2:
        args["dp_size"] = 2
    if g.random() < 0.2:
        args["tensor_parallel_size"] = 2
    return args


def planner_config(g, disagg):
    target = g.choice(["throughput", "latency", "load", "sla", "sla", "sla"])
    c = {
        "mode": "disagg" if disagg else "agg", "optimization_target": target, "report_interval_hours": None,
        "live_dashboard_port": 0, "max_gpu_budget": g.choice([-1, 4, 6, 8, 12]),
    }
    if g.random() < 0.2:
        c["min_gpu_budget"] = g.choice([2, 3, 4])
    if g.random() < 0.4:
        c["min_endpoint"] = g.choice([1, 2])
    if disagg and g.random() < 0.3:
        c["prefill_min_endpoint"] = g.choice([1, 2])
    if g.random() < 0.6:
        c["load_adjustment_interval_seconds"] = g.choice([1, 2, 3, 5, 10])
    if target == "load":
        c.update(decode_scale_up_kv_rate=g.choice([90, 40, 20]), decode_scale_down_kv_rate=g.choice([10, 5, 15]))
        if disagg:
            c.update(prefill_scale_up_queue_tokens=g.choice([1, 500]), prefill_scale_down_queue_tokens=g.choice([0, 1]))
    if target == "sla":
        c.update(ttft_ms=g.choice([300, 1000, 2500]), itl_ms=g.choice([10, 20, 50]))
        load = g.random() < 0.7
        c["enable_load_scaling"] = load
        c["enable_throughput_scaling"] = not load or g.random() < 0.5
        step = c.get("load_adjustment_interval_seconds", 5)
        c["throughput_adjustment_interval_seconds"] = step * g.choice([2, 4, 6])
        c["load_predictor"] = g.choice(["constant"] * 4 + ["kalman"] * 3 + ["arima"])
        for name, values in {
            "load_predictor_log1p": [True], "load_scaling_down_sensitivity": [0, 50, 95, 100], "load_min_observations": [1, 2, 8],
            "max_num_fpm_samples": [200, 500], "max_throughput_scaling_replicas": [1, 2], "kalman_min_points": [1, 3],
        }.items():
            if g.random() < 0.3:
                c[name] = g.choice(values)
    return c


def case(seed):
    g = random.Random(f"planner {seed}")
    disagg = g.random() < 0.5
    c = {"seed": seed, "kind": "planner", "options": {}, "planner_config": planner_config(g, disagg)}
    options = c["options"]
    if disagg:
        c["prefill_engine_args"], c["decode_engine_args"] = engine(g, "prefill"), engine(g, "decode")
        p, d = c["prefill_engine_args"]["engine"], c["decode_engine_args"]["engine"]
        d["backend"], d["block_size"], d["num_gpu_blocks"] = p["backend"], p["block_size"], p["num_gpu_blocks"]
        if d["backend"] == "sglang":
            for name in ("max_num_batched_tokens", "aic_nextn", "aic_nextn_accept_rates"):
                d.pop(name, None)
        options.update(num_prefill_workers=g.randint(1, 3), num_decode_workers=g.randint(1, 3))
    else:
        c["engine_args"] = engine(g, "aggregated")
        options["num_workers"] = g.randint(1, 4)
    if c["planner_config"]["optimization_target"] == "sla" and g.random() < 0.5:
        c["performance_model_metadata"] = {role: IDENTITY for role in (["prefill", "decode"] if disagg else ["aggregated"])}
        # the analytic model knows nothing of drafts
        for name in ("engine_args", "prefill_engine_args", "decode_engine_args"):
            for key in ("aic_nextn", "aic_nextn_accept_rates"):
                c.get(name, {}).get("engine", {}).pop(key, None)
    options["trace_block_size"] = g.choice([64, 512])
    if g.random() < 0.3:
        options.update(g.choice([{"sla_ttft_ms": 800.0, "sla_itl_ms": 30.0}, {"sla_e2e_ms": 4000.0}]))
    if g.random() < 0.1:
        options["replay_concurrency"] = g.randint(2, 12)
    elif g.random() < 0.3:
        options["arrival_speedup_ratio"] = g.choice([0.5, 3.0])
    if g.random() < 0.1:
        options["max_sim_time_ms"] = g.choice([9000.0, 30000.0])
    at, fresh, c["trace"] = 0, 100, []
    pace = g.choice([[20, 100, 400], [100, 500, 2500], [10, 10, 10, 8000]])
    for _ in range(g.randint(10, 120)):
        at += g.choice(pace) * (6 if g.random() < 0.03 else 1)
        length = g.randint(1, 4000) if g.random() < 0.7 else g.randint(1, 200)
        need = -(-length // options["trace_block_size"])
        ids = [g.randint(1, 3)][:need] + list(range(fresh, fresh + need - 1))
        fresh += need
        c["trace"].append({
            "timestamp": at, "input_length": length, "output_length": g.choice([1, 2, 8, 30, 120]), "hash_ids": ids[:need],
        })
    return c


def reference(c, folder):
    trace = os.path.join(folder, "trace.jsonl")
    with open(trace, "w") as out:
        out.write("".join(json.dumps(row) + "\n" for row in c["trace"]))
    args = {k: c[k] for k in ("prefill_engine_args", "decode_engine_args", "performance_model_metadata") if k in c}
    if "engine_args" in c:
        args["extra_engine_args"] = c["engine_args"]
    try:
        report = run_trace_replay(trace, planner_config=c["planner_config"], capture_per_request=True, **args, **c["options"])
    except Exception as problem:
        return {"error": str(problem).replace(folder + "/", "")}
    told = report.to_dict()
    planner = told["planner"]
    kept = ("ticks", "scaling_events", "lifecycle_operations", "total_ticks", "metadata")
    return {
        "summary": told["summary"], "requests": told["per_request"], "planner": {name: planner[name] for name in kept},
    }


def guarded(c):
    with tempfile.TemporaryDirectory() as folder:
        answer, log = os.path.join(folder, "answer.json"), os.path.join(folder, "log")
        child = os.fork()
        if child == 0:
            with open(log, "w") as out:
                os.dup2(out.fileno(), 1)
                os.dup2(out.fileno(), 2)
            try:
                told = json.dumps(reference(c, folder))
                with open(answer, "w") as out:
                    out.write(told)
            finally:
                os._exit(0)
        end = time.time() + SECONDS
        while os.waitpid(child, os.WNOHANG)[0] == 0:
            if time.time() > end:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return {"hang": True}
            time.sleep(0.001)
        if not os.path.exists(answer):
            return {"crash": open(log).read()[-500:]}
        return json.load(open(answer))


if __name__ == "__main__":
    first, count, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    tally, started = {}, time.time()
    with gzip.GzipFile(path, "w", mtime=0) as out:
        for seed in range(first, first + count):
            c = case(seed)
            if time.time() - started > LIMIT_SECONDS:
                break
            c["expected"] = guarded(c)
            what = next(iter(c["expected"]))
            tally[what] = tally.get(what, 0) + 1
            out.write((json.dumps(c, separators=(",", ":")) + "\n").encode())
    print("planner", tally)
