"""Random small replays and everything the installed reference tells of them, a case a line (.jsonl.gz).

    $DYNAMO_PYTHON random_replays.py KIND FIRST_SEED COUNT OUT.jsonl.gz

KIND is one of KINDS below. Each case runs in a fork of this process, for five seconds at most. What is recorded: summary,
every field of every request, lifecycle operations, snapshots, telemetry, coverage, the kv_router's picks, or the error.
`replays.ts` compares dynosim with it.
"""
import gzip
import json
import os
import random
import re
import signal
import sys
import tempfile
import time

os.environ["DYN_LOG"] = "off,dynamo_kv_router::scheduling::selector=info"

from dynamo._core import KvRouterConfig, run_mocker_trace_replay

# A run of this script ends here; what it has done by then is whole.
LIMIT_SECONDS = float(os.environ.get("LIMIT_SECONDS", "inf"))

NUMBER = r"=([-\d.einf]+)"
PICK = re.compile("worker_id" + NUMBER + ".*dp_rank" + NUMBER + ".*logit" + NUMBER + ".*effective_cached_blocks" + NUMBER)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
KINDS = ("plain", "telemetry", "kv-disagg", "kv-agg", "dp-interval", "agents", "kv-scaled", "policy")


def engine(g, backend, tokens, tight=False):
    blocks = {"vllm": [2, 4, 4, 8, 16], "trtllm": [2, 4, 8, 32], "sglang": [1, 1, 2, 4, 4, 16]}
    block = g.choice(blocks[backend])
    e = {"backend": backend, "block_size": block, "num_gpu_blocks": max(4, tokens // block)}
    if g.random() < 0.7:
        e["timing_model"] = {
            "type": "fixed", "prefill_ms": g.choice([3.0, 10.0, 1.1, 0.0]), "decode_ms": g.choice([1.0, 2.0, 0.7]),
        }
    if g.random() < 0.4:
        e["max_num_seqs"] = g.choice([1, 2, 3, 5, 8])
    if g.random() < 0.15:
        e["enable_prefix_caching"] = False
    if g.random() < (0.4 if tight else 0.15):
        e["max_model_len"] = g.randint(10, 90)
    if g.random() < 0.15:
        e["speedup_ratio"] = g.choice([0.5, 1.7, 3.0])
    if g.random() < 0.1:
        e["decode_speedup_ratio"] = g.choice([0.7, 2.9])
    if backend != "sglang":
        if g.random() < 0.5:
            e["max_num_batched_tokens"] = g.choice([8, 16, 32, 64])
        if g.random() < 0.15:
            e["enable_chunked_prefill"] = False
    if backend == "vllm" and g.random() < 0.5:
        e["preemption_mode"] = g.choice(["fifo", "lifo"])
    if g.random() < 0.12:
        e["aic_nextn"] = g.randint(1, 3)
        e["aic_nextn_accept_rates"] = ",".join(str(g.choice([0.0, 0.5, 0.8, 1.0])) for _ in range(e["aic_nextn"]))
    if backend == "sglang":
        s = {}
        if g.random() < 0.5:
            s["chunked_prefill_size"] = block * g.randint(1, max(1, 40 // block))
        if g.random() < 0.3:
            s["max_prefill_tokens"] = g.randint(10, 100)
        if g.random() < 0.4:
            s["schedule_policy"] = "lpm"
        if g.random() < 0.3:
            s["schedule_conservativeness"] = g.choice([0.0, 0.3, 1.5])
        if g.random() < 0.3:
            s["clip_max_new_tokens"] = g.randint(1, 30)
        if s:
            e["sglang"] = s
        if g.random() < 0.2:
            e["prefill_decode_interval"] = g.randint(1, 4)
    return e


def pools(g, c, disagg, tokens, most=3, tight=False, backend=None, dp=0.2):
    """Engine arguments and numbers of workers."""
    options = c["options"]
    backend = backend or g.choice(["vllm", "sglang", "trtllm"])
    if not disagg:
        c["engine_args"] = {"engine": engine(g, backend, tokens, tight)}
        if g.random() < dp:
            c["engine_args"]["dp_size"] = g.randint(2, 3)
        options["num_workers"] = g.randint(1, most)
        return
    transfer = {}
    if g.random() < 0.7:
        transfer = {
            "kv_transfer_bytes_per_token": 1000,
            "kv_transfer_bandwidth": g.choice([0.001, 0.01, 1.0]),
            "kv_transfer_timing_mode": g.choice(["full_prompt", "destination_missing"]),
        }
    p = engine(g, backend, tokens, tight)
    d = engine(g, backend, g.choice([tokens, tokens // 2, 40]) if tight else tokens, tight)
    for key in ("aic_nextn", "aic_nextn_accept_rates"):
        p.pop(key, None)
    d["num_gpu_blocks"] = max(4, d["num_gpu_blocks"] * d["block_size"] // p["block_size"])
    d["block_size"] = p["block_size"]
    if "sglang" in d and "chunked_prefill_size" in d["sglang"]:
        d["sglang"]["chunked_prefill_size"] = d["block_size"] * 3
    c["prefill_engine_args"] = {"engine": {**p, **transfer, "worker_type": "prefill"}}
    c["decode_engine_args"] = {"engine": {**d, **transfer, "worker_type": "decode"}}
    for key in ("prefill_engine_args", "decode_engine_args"):
        if g.random() < dp:
            c[key]["dp_size"] = g.randint(2, 3)
    options["num_prefill_workers"] = g.randint(1, most)
    options["num_decode_workers"] = g.randint(1, most)


def load(g, c, limit, fields=lambda row: None):
    options = c["options"]
    block = options["trace_block_size"] = g.choice([1, 3, 4, 5, 8, 16])
    r = g.random()
    if r < 0.15:
        options["replay_concurrency"] = g.randint(1, 8)
    elif r < 0.3:
        options["arrival_speedup_ratio"] = g.choice([2.0, 0.3, 7.0])
    if g.random() < 0.1:
        options["max_sim_time_ms"] = g.choice([25.0, 100.0, 300.0])
    if g.random() < 0.2:
        options.update(g.choice([{"sla_ttft_ms": 40.0, "sla_itl_ms": 20.0}, {"sla_e2e_ms": 120.0}]))
    families = [[g.randint(1, 9) for _ in range(14)] for _ in range(g.randint(1, 3))]
    sessions, at, fresh = g.random() < 0.2, 0, 1000
    c["trace"] = []
    for _ in range(g.randint(2, 24)):
        at += g.choice([0, 0, 1, 3, 10, 25, 60])
        length = g.randint(1, max(2, limit))
        need = -(-length // block)
        ids = g.choice(families)[: g.randint(0, 14)][:need]
        ids = ids + list(range(fresh, fresh + need - len(ids)))
        fresh += need
        row = {
            "timestamp": at, "input_length": length, "output_length": g.choice([0, 1, 1, 2, 3, 5, 8, 12, 20, 33]),
            "hash_ids": ids,
        }
        if sessions and g.random() < 0.6:
            row["session_id"] = f"s{g.randint(0, 3)}"
        fields(row)
        c["trace"].append(row)


def router(g, c, queue=0.5):
    c["options"]["router_mode"] = "kv_router"
    config = {}
    if g.random() < queue:
        config["router_queue_threshold"] = g.choice([0.0, 0.0, 0.5, 1.0, 4.0])
        config["router_queue_policy"] = g.choice(["fcfs", "lcfs", "wspt"])
    if g.random() < 0.2:
        config["overlap_score_credit"] = g.choice([0.0, 0.5, 2.0])
    if g.random() < 0.2:
        config["prefill_load_scale"] = g.choice([0.0, 0.5, 8.0])
    if g.random() < 0.2:
        config["decode_active_request_weight"] = g.choice([1.0, 10.0])
    if g.random() < 0.15:
        config["overlap_score_credit_decay"] = g.choice([0.1, 1.0])
    if g.random() < 0.1:
        config["router_assume_kv_reuse"] = False
    if g.random() < 0.1:
        config["router_track_active_blocks"] = False
    if g.random() < 0.1:
        config["router_track_prefill_tokens"] = False
    if config:
        c["options"]["router_config"] = config
    if g.random() < 0.15:
        c["options"]["kv_event_lag_ms"] = g.choice([1.0, 5.0, 40.0])


def priorities(g):
    def add(row):
        if g.random() < 0.3:
            row["priority"] = g.choice([-1, 1, 5])
        if g.random() < 0.2:
            row["strict_priority"] = g.choice([0, 1, 2])
    return add


def scaling(g, c, disagg):
    """A list of ticks with targets."""
    for key in ("engine_args", "prefill_engine_args", "decode_engine_args"):
        if key in c and g.random() < 0.6:
            c[key]["startup_time"] = g.choice([0, 0.004, 0.035, 0.2])
    at, c["policy"] = g.choice([0.0, 5.0, 17.0]), []
    for _ in range(g.randint(2, 14)):
        target = lambda: g.choice([None, None, 1, 2, 3, 4])
        entry = {"at_ms": at, "target_prefill": target() if disagg else None, "target_decode": target()}
        c["policy"].append(entry)
        at += g.choice([2.0, 13.0, 30.0, 61.5, 90.0])


def classes(g, c):
    """A policy file and requests that name its classes."""
    buckets = [0] + ([g.choice([8, 20, 40])] if g.random() < 0.6 else [])
    names = [f"b{i}" for i in range(len(buckets))]
    families = ["a"] + (["f"] if g.random() < 0.6 else [])
    def one(name, **more):
        k = {"name": name, "quantum": g.choice([1, 8, 60, 500]), "queue_policy": g.choice(["fcfs", "wspt"]), **more}
        if g.random() < 0.5:
            k["prefill_busy_threshold"] = g.choice([0, 8, 30])
        if g.random() < 0.3:
            k["prefill_busy_threshold_frac"] = g.choice([0.0, 0.5, 1.0])
        if g.random() < 0.08:
            k["request_queue_limit_per_worker"] = g.choice([0, 1, 3])
        if g.random() < 0.05:
            k["raw_isl_token_queue_limit_per_worker"] = g.choice([20, 100])
        if g.random() < 0.05:
            k["cached_token_queue_limit_per_worker"] = g.choice([0, 20])
        return k
    listed = [one(f"{f}-{b}", policy_family=f, cache_bucket=b) for f in families for b in names]
    listed += [one(f"x{i}") for i in range(g.randint(0, 2))]
    c["policy_file"] = {
        "default_policy_family": "a",
        "uncached_isl_buckets": [{"min_tokens": m, "bucket": b} for m, b in zip(buckets, names)],
        "policy_classes": listed,
    }
    for row in c["trace"]:
        if g.random() < 0.5:
            row["policy_class"] = g.choice(["a", "f", "x0", "x1", "nobody"])


LINKS = [
    {"trigger": "completion", "relation": "sequence"},
    {"trigger": "completion", "relation": "join"},
    {"trigger": "dispatch", "relation": "spawn"},
]


def agents(g, c):
    nodes, known = [], []
    header = {
        "schema": "dynamo.agentic_mooncake", "version": 2, "block_size": g.choice([4, 4, 8]), "hash_id_scope": "local",
        "source": {"format": "f", "digest": "d"},
    }
    block, plays = header["block_size"], g.randint(1, 5)
    for p in range(plays):
        own = []
        for k in range(g.randint(1, 5)):
            length = g.choice([3, 8, 8, 12, 30, 45])
            shared = [70 + p + i for i in range(g.choice([0, 0, 1, 3]))][: -(-length // block)]
            ids = shared + [1000 + 100 * len(nodes) + i for i in range(-(-length // block) - len(shared))]
            parents = g.sample(own, min(len(own), g.choice([0, 1, 1, 2])))
            nodes.append({
                "request_id": f"r{p}{k}", "play_id": f"p{p}", "session_id": f"s{p}{g.choice(['', '', 'x'])}", "model": "m",
                "input_length": length, "output_length": g.choice([0, 1, 1, 2, 3, 8]), "hash_ids": ids,
                "not_before_ms": 0 if parents else g.choice([0, 0, 5, 12, 40]),
                "dependencies": [
                    {"request_id": q, "delay_ms": g.choice([0, 0, 2, 10]), **g.choice(LINKS)} for q in parents
                ],
            })
            own.append(nodes[-1]["request_id"])
    c["files"] = [{"name": "t.jsonl", "lines": [header, *nodes]}]
    c["options"].update(trace_format="agentic_mooncake", execution_model="m")
    if g.random() < 0.6:
        c["options"]["agentic_lanes"] = g.randint(1, 3)


def interval(g, c):
    for key in ("engine_args", "prefill_engine_args", "decode_engine_args"):
        if key in c:
            c[key]["dp_size"] = g.choice([1, 2, 2, 2, 3])
            c[key]["engine"]["prefill_schedule_interval"] = g.choice([2, 3, 3, 5])
            if g.random() < 0.5:
                c[key]["engine"]["max_num_batched_tokens"] = g.choice([16, 24, 40])
                c[key]["engine"]["enable_chunked_prefill"] = False


def case(seed, kind):
    g = random.Random(f"{kind} {seed}")
    c = {"seed": seed, "kind": kind, "options": {}}
    tokens = g.randint(60, 200) if g.random() < 0.6 else g.randint(300, 4000)
    limit = min(tokens - 45, 100) if g.random() < 0.9 else tokens + 20
    disagg = {"kv-disagg": 1, "kv-agg": 0}.get(kind, 0.3 if kind == "dp-interval" else 0.5) > g.random()
    if kind == "agents":
        pools(g, c, disagg, g.choice([60, 100, 1000]), tight=True)
        agents(g, c)
        if g.random() < 0.4:
            router(g, c)
        if g.random() < 0.1:
            c["options"]["max_sim_time_ms"] = g.choice([25.0, 100.0])
    else:
        pools(g, c, disagg, tokens, tight=kind in ("kv-disagg", "policy"), backend="vllm" if kind == "dp-interval" else None)
        load(g, c, limit, priorities(g) if kind in ("kv-disagg", "kv-agg", "policy") else lambda row: None)
    if kind in ("kv-disagg", "kv-agg", "kv-scaled"):
        router(g, c)
    if kind == "kv-scaled" or (kind == "telemetry" and g.random() < 0.4):
        scaling(g, c, disagg)
    if kind == "dp-interval":
        interval(g, c)
    if kind == "policy":
        router(g, c, queue=0)
        classes(g, c)
    if kind == "telemetry":
        if g.random() < 0.4:
            router(g, c)
        c["options"].update(capture_telemetry=True, telemetry_sample_interval_ms=g.choice([7.0, 20.0, 33.3, 500.0]))
    return c


class Scripted:
    """Each tick answers its entry's targets and asks for the next entry's time."""

    def __init__(self, entries):
        self.entries, self.next, self.snapshots = entries, 0, []

    def initial_tick_ms(self):
        return self.entries[0]["at_ms"]

    def on_tick(self, snapshot):
        self.snapshots.append(snapshot)
        entry = self.entries[self.next]
        self.next += 1
        following = self.entries[self.next]["at_ms"] if self.next < len(self.entries) else None
        return {**{k: entry[k] for k in ("target_prefill", "target_decode")}, "next_tick_ms": following}


def reference(c, folder):
    paths = []
    for file in c.get("files", [{"name": "trace.jsonl", "lines": c.get("trace")}]):
        paths.append(os.path.join(folder, file["name"]))
        with open(paths[-1], "w") as out:
            out.write("".join(json.dumps(row) + "\n" for row in file["lines"]))
    args = {k: c[k] for k in ("prefill_engine_args", "decode_engine_args") if k in c}
    args = args or {"extra_engine_args": c["engine_args"]}
    options = dict(c["options"])
    try:
        return replayed(c, folder, paths, args, options)
    except Exception as problem:
        return {"error": str(problem).replace(folder + "/", "")}


def replayed(c, folder, paths, args, options):
    if "policy_file" in c:
        path = os.path.join(folder, "policy.yaml")
        with open(path, "w") as out:
            json.dump(c["policy_file"], out)
        options["router_config"] = {**options.get("router_config", {}), "router_policy_config": path}
    if "router_config" in options:
        options["router_config"] = KvRouterConfig.from_json(json.dumps(options["router_config"]))
    policy = Scripted(c["policy"]) if "policy" in c else None
    if policy:
        options["scaling_policy"] = policy
    result = run_mocker_trace_replay(paths, **args, **options, capture_per_request=True)
    told = {"summary": dict(result.summary), "requests": list(result.per_request), "coverage": dict(result.coverage)}
    if policy:
        told.update(lifecycle=list(result.lifecycle_operations), snapshots=policy.snapshots)
    if options.get("capture_telemetry"):
        told["telemetry"] = result.telemetry
    return told


def picks(log):
    """Worker, rank of the worker, cost and overlap of every placement, in order."""
    matches = (PICK.search(COLOUR.sub("", line)) for line in log.splitlines())
    found = [[float(part) for part in match.groups()] for match in matches if match]
    return [[int(worker), int(rank), cost, overlap] for worker, rank, cost, overlap in found]


def guarded(c, seconds=5):
    with tempfile.TemporaryDirectory() as folder:
        log, answer = os.path.join(folder, "log"), os.path.join(folder, "answer.json")
        child = os.fork()
        if child == 0:
            with open(log, "w") as out:
                os.dup2(out.fileno(), 1)
                os.dup2(out.fileno(), 2)
            try:
                told = reference(c, folder)
                with open(answer, "w") as out:
                    json.dump(told, out)
            finally:
                os._exit(0)
        end = time.time() + seconds
        while os.waitpid(child, os.WNOHANG)[0] == 0:
            if time.time() > end:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return {"hang": True}
            time.sleep(0.001)
        if not os.path.exists(answer):
            return {"crash": open(log).read()[-500:]}
        if c["options"].get("router_mode") == "kv_router":
            c["picks"] = picks(open(log).read())
        return json.load(open(answer))


if __name__ == "__main__":
    kind, first, count, path = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    if kind not in KINDS:
        sys.exit(f"unknown kind {kind}; there are {', '.join(KINDS)}")
    tally, started = {}, time.time()
    with gzip.GzipFile(path, "w", mtime=0) as out:
        for seed in range(first, first + count):
            if time.time() - started > LIMIT_SECONDS:
                break
            c = case(seed, kind)
            c["expected"] = guarded(c)
            what = next(iter(c["expected"]))
            tally[what] = tally.get(what, 0) + 1
            out.write((json.dumps(c, separators=(",", ":")) + "\n").encode())
    print(kind, tally)
