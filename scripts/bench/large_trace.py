"""Writes a large trace: python3 scripts/bench/large_trace.py REQUESTS FILE.jsonl.gz [MILLISECONDS BETWEEN REQUESTS]"""
import gzip
import random
import sys

requests, path = int(sys.argv[1]), sys.argv[2]
mean_ms = float(sys.argv[3]) if len(sys.argv) > 3 else 20.0
random.seed(7)
time_ms, own = 0.0, 2000
with gzip.open(path, "wt", compresslevel=1) as file:
    for _ in range(requests):
        time_ms += random.expovariate(1 / mean_ms)
        prompt, output = random.randint(128, 1024), random.randint(4, 48)
        further = (prompt + 511) // 512 - 1
        ids = [random.randrange(2000), *range(own, own + further)]
        own += further
        file.write(
            f'{{"timestamp": {int(time_ms)}, "input_length": {prompt}, "output_length": {output}, "hash_ids": {ids}}}\n'
        )
