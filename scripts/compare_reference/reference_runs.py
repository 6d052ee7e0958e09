"""Runs predictions with the installed reference: a case a line on standard input, its outcome in WORK/NAME.json.

    VENV/bin/python reference_runs.py WORK <cases.jsonl

Each case runs in a fork of one process that has imported everything, without the resource supervisor and without the
limit that the Planner sets a tick on the clock of the machine. Paths of cases are those of a checkout's root. Cases
whose outcome is there already are skipped.
"""
import asyncio
import io
import json
import os
import pathlib
import sys
import tempfile
import traceback
import types

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("DYN_LOG", "error")

import aisimulate.main as command
import aisimulate.stack as stack

for name in ("dynamo", "engine"):
    stack.resolve_runner_factory(name)
try:
    import dynamo.planner.simulation.provider  # noqa: F401
    import dynamo.planner.plugins.orchestrator.pipeline as pipeline
    import pmdarima, filterpy, prophet  # noqa: F401,E401
except ImportError:
    pipeline = None


async def without_limit(awaitable, timeout=None):
    return await awaitable


# On a busy machine the limit ends ticks, and the outcome would depend on what else runs.
if pipeline is not None:
    pipeline.asyncio = types.SimpleNamespace(**{**vars(asyncio), "wait_for": without_limit})


def outcome(case, place):
    config = place / "config.json"
    config.write_text(json.dumps(case["config"]))
    out = place / "out"
    code = 0
    # What the supervisor tells the process it watches: without it, replays of traces are refused.
    os.environ["_AISIMULATE_SUPERVISED_BUDGET"] = json.dumps({
        "memory_limit_bytes": 6 * 10**9,
        "cpu_limit": 1,
        "reserved_host_memory_bytes": 10**9,
        "supervisor_pid": os.getppid(),
        "events_path": str(place / "events.jsonl"),
        "ready_path": str(place / "ready"),
    })
    sys.stdout = io.StringIO()
    try:
        code = command.main(["predict", *case["args"], "-c", str(config), "--output-dir", str(out), "--format", "json"])
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 70
    report = out / "prediction.json"
    return {"exit_code": code, "report": json.loads(report.read_text()) if report.exists() else None}


work = pathlib.Path(sys.argv[1])
work.mkdir(parents=True, exist_ok=True)
for line in sys.stdin:
    case = json.loads(line)
    target = work / f"{case['name']}.json"
    if target.exists() and json.loads(target.read_text())["case"] == case:
        continue
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        child = os.fork()
        if child == 0:
            with open(place / "stderr.txt", "w") as errors:
                os.dup2(errors.fileno(), 2)
                os.dup2(errors.fileno(), 1)
                sys.stderr = errors
                result = outcome(case, place)
                errors.flush()
            (place / "result.json").write_text(json.dumps(result))
            os._exit(0)
        os.waitpid(child, 0)
        found = place / "result.json"
        result = json.loads(found.read_text()) if found.exists() else {"exit_code": None, "report": None}
        stderr = (place / "stderr.txt").read_text()[-6000:]
        target.write_text(json.dumps({"case": case, **result, "stderr": stderr}))
    print(case["name"], result["exit_code"], flush=True)
