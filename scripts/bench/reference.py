"""Runs the reference once or more on a trace and prints its own wall time and its processor time, in milliseconds:
reference.py TRACE REPEAT OPTIONS_JSON"""
import json
import os
import resource
import sys

os.environ.setdefault("DYN_LOG", "error")
trace, repeat, options = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
if "planner_config" in options:
    # The layer above, which makes the Planner; loading it takes long.
    from dynamo.replay.api import run_trace_replay as replay
else:
    from dynamo._core import run_mocker_trace_replay as replay
walls, users = [], []
for _ in range(repeat):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    walls.append(replay([trace], **options).summary["wall_time_ms"])
    users.append(1000 * (resource.getrusage(resource.RUSAGE_SELF).ru_utime - before))
print(json.dumps({"wall_ms": min(walls), "user_ms": min(users)}))
