"""Records replay goldens anew: inputs stay, what the reference reports is replaced.

    VENV/bin/python record_replays.py [--only TEXT] FILE…

FILE is a golden (.json) or a pack of them, one a line (.jsonl.gz); --only records those whose options contain TEXT.
Choices of a kv_router cannot be recorded with it.
"""
import contextlib
import gzip
import json
import os
import pathlib
import sys
import tempfile
import time

os.environ.setdefault("DYN_LOG", "error")

import dynamo.replay.api as api
from dynamo.replay import run_trace_replay


class Scripted:
    """Scales as a case's list of targets says, in the Planner's place; keeps what it is told."""

    def __init__(self, entries):
        self.entries, self.next, self.snapshots, self.lifecycle = entries, 0, [], None

    def initial_tick_ms(self):
        return self.entries[0]["at_ms"]

    def on_tick(self, snapshot):
        self.snapshots.append(json.loads(json.dumps(snapshot)))
        entry = self.entries[self.next]
        self.next += 1
        later = self.entries[self.next:self.next + 1]
        return {
            "target_prefill": entry.get("target_prefill"),
            "target_decode": entry.get("target_decode", entry.get("target")),
            "next_tick_ms": later[0]["at_ms"] if later else None,
        }

    def finalize(self, operations):
        self.lifecycle = json.loads(json.dumps(operations, default=lambda each: getattr(each, "__dict__", str(each))))
        return None

    @contextlib.contextmanager
    def scope(self, **_):
        yield self


def mapping(case):
    options = {key: case[key] for key in ("extra_engine_args", "prefill_engine_args", "decode_engine_args") if key in case}
    engine = case.get("engine_args")
    if engine and "prefill" in engine:
        options.update(prefill_engine_args=engine["prefill"], decode_engine_args=engine["decode"])
    elif engine:
        options["extra_engine_args"] = engine
    return {**case["options"], **options}


def replay(case, trace, requests, answer):
    options = mapping(case)
    scripted = Scripted(case["policy"]) if case.get("policy") else None
    if scripted:
        api._planner_replay_adapter = lambda: scripted.scope
        options["planner_config"] = "{}"
    try:
        report = run_trace_replay(str(trace), report_jsonl_path=str(requests), **options).to_dict()
        if scripted:
            report.update(snapshots=scripted.snapshots, lifecycle=scripted.lifecycle)
    except Exception as error:
        report = {"error": str(error)}
    answer.write_text(json.dumps(report))


def replayed(work, seconds=30):
    """Does work in a child; whether it came to an end."""
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    for _ in range(seconds * 20):
        if os.waitpid(child, os.WNOHANG)[0]:
            return True
        time.sleep(0.05)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return False


def record(case):
    expected = case["expected"]
    with tempfile.TemporaryDirectory() as folder:
        trace, requests = pathlib.Path(folder, "trace.jsonl"), pathlib.Path(folder, "requests.jsonl")
        rows = [row if isinstance(row, str) else json.dumps(row) for row in case["trace"]]
        trace.write_text("\n".join(rows) + "\n")
        answer = pathlib.Path(folder, "answer.json")
        if not replayed(lambda: replay(case, trace, requests, answer)):
            case["expected"] = {"hang": True}
            return
        report = json.loads(answer.read_text())
        if "error" in report:
            case["expected"] = report
            return
        records = [json.loads(line) for line in requests.read_text().splitlines()]
    known = expected.get("summary", report["summary"])
    result = {"summary": {key: value for key, value in report["summary"].items() if key in known}}
    if "requests" in expected:
        keys = set().union(*expected["requests"]) if expected["requests"] else set(records[0] if records else ())
        result["requests"] = [{key: value for key, value in each.items() if key in keys} for each in records]
    if "coverage" in expected:
        result["coverage"] = {key: report["coverage"][key] for key in expected["coverage"]}
    for name in ("snapshots", "lifecycle"):
        if name in expected:
            result[name] = report[name]
    left = set(expected) - set(result) - {"error"}
    if left:
        raise SystemExit(f"cannot record {left}")
    case["expected"] = result


def wanted(case):
    return only in json.dumps({key: value for key, value in case.items() if key not in ("expected", "trace")})


names = sys.argv[1:]
only = ""
if names[0] == "--only":
    only, names = names[1], names[2:]
for name in names:
    path = pathlib.Path(name)
    if path.suffix == ".gz":
        cases = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
        for case in filter(wanted, cases):
            record(case)
        text = "".join(json.dumps(case, separators=(",", ":")) + "\n" for case in cases)
        path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    else:
        case = json.loads(path.read_text())
        record(case)
        path.write_text(json.dumps(case, indent=1) + "\n")
    print(path.name, flush=True)
