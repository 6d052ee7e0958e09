"""Runs the reference once or more on a trace and prints its own wall time: reference.py TRACE REPEAT OPTIONS_JSON"""
import json
import os
import sys

os.environ.setdefault("DYN_LOG", "error")
from dynamo._core import run_mocker_trace_replay

trace, repeat, options = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
walls = [run_mocker_trace_replay([trace], **options).summary["wall_time_ms"] for _ in range(repeat)]
print(json.dumps({"wall_ms": min(walls)}))
