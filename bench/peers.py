#!/usr/bin/env python3
"""The other side of BenchmarkPeers: the same work by SciPy, statsmodels, NumPy and Python's json.

Prints Go's benchmark format under the same names, so that benchstat compares the two:

    go test -run - -bench Peers -count 7 ./bench | tee tribunal.txt
    bench/peers.py --count 7 | tee python.txt
    go run golang.org/x/perf/cmd/benchstat@latest -ignore pkg,goos,goarch,cpu python.txt tribunal.txt

What Python lacks is left out and named on standard error.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

WORKS = {}


def work(*names):
    """Registers what prepares an operation under its names; preparing it is not timed."""

    def register(prepare):
        for name in names:
            WORKS[name] = prepare
        return prepare

    return register


@work("Fisher/n=100")
def fisher():
    from scipy.stats import fisher_exact

    return lambda: {"p": fisher_exact([[85, 93], [15, 7]], alternative="less")[1]}


def boschloo(n, passes):
    from scipy.stats import boschloo_exact

    tables = [[[candidate, baseline], [n - candidate, n - baseline]] for baseline, candidate in passes]
    return lambda: {"p": sum(boschloo_exact(t, alternative="less").pvalue for t in tables) / len(tables)}


@work("Boschloo/n=30")
def boschloo_30():
    return boschloo(30, [(28, 22), (24, 20), (29, 25), (20, 15)])


@work("Boschloo/n=100")
def boschloo_100():
    return boschloo(100, [(95, 85), (91, 83), (66, 55), (89, 79)])


@work("Wilson/rows=1000000")
def wilson():
    import numpy as np
    from statsmodels.stats.proportion import proportion_confint

    i = np.arange(1_000_000)
    trials = 50 + i % 951
    passes = i * 7919 % (trials + 1)

    def run():
        low, high = proportion_confint(passes, trials, alpha=0.05, method="wilson")
        return {"low": low.mean(), "high": high.mean()}

    return run


@work("Judge/trials=1000000/readers=one", "Judge/trials=1000000/readers=all")
def judge():
    path = os.path.join(tempfile.mkdtemp(), "trials.jsonl")
    with open(path, "w") as lines:
        for i in range(1_000_000):
            outcome = "fail" if i // 50 % 10 == 0 else "pass"
            lines.write(
                '{"scenario":"s%d","trial":%d,"variant":"v","outcome":"%s","cost_usd":0.01,'
                '"input_tokens":123,"output_tokens":45}\n' % (i % 50, i // 50, outcome)
            )

    def run():
        seen = set()
        tallies = {}
        with open(path, "rb") as lines:
            for line in lines:
                trial = json.loads(line)
                scenario = trial["scenario"]
                key = (scenario, trial.get("trial"), trial.get("variant"))
                if key in seen:
                    raise ValueError("trial %r is recorded twice" % (key,))
                seen.add(key)
                tally = tallies.setdefault(scenario, {"pass": 0, "fail": 0, "error": 0, "cost": 0.0})
                outcome = trial["outcome"]
                if outcome not in ("pass", "fail", "error"):
                    raise ValueError("outcome %r" % outcome)
                tally[outcome] += 1
                tally["cost"] += trial.get("cost_usd") or 0
        k = sum(t["pass"] for t in tallies.values())
        n = k + sum(t["fail"] for t in tallies.values())
        z = 1.959963984540054
        centre = (k + z * z / 2) / (n + z * z)
        half = z / (n + z * z) * (k * (n - k) / n + z * z / 4) ** 0.5
        return {"low": centre - half, "high": centre + half}

    return run


def relabelling(shift):
    """T² on the shrunk covariance. That of all rows about their mean is the same for
    every relabelling, so all of them together are two products of matrices."""
    import numpy as np

    random = np.random.default_rng(1)
    x = random.standard_normal((200, 20))
    x[100:, :2] += shift
    n, m, permutations, block = 200, 100, 9999, 1000
    x -= x.mean(axis=0)
    covariance = x.T @ x / n
    scale = np.trace(covariance) / x.shape[1]
    noise = (((x * x).sum(axis=1) ** 2).sum() / n - (covariance**2).sum()) / n
    distance = ((covariance - scale * np.eye(x.shape[1])) ** 2).sum()
    shrinkage = min(max(noise / distance, 0) * (n - 1) / (n - 2), 1)

    def run():
        shrunk = (1 - shrinkage) * covariance + shrinkage * scale * np.eye(x.shape[1])
        white = x @ np.linalg.inv(np.linalg.cholesky(shrunk)).T
        observed = (white[n - m :].sum(axis=0) ** 2).sum()
        hits = 0
        for start in range(0, permutations, block):
            size = min(block, permutations - start)
            picked = random.permuted(np.tile(np.arange(n) < m, (size, 1)), axis=1)
            sums = picked.astype(float) @ white
            hits += int(((sums * sums).sum(axis=1) >= observed * (1 - 1e-9)).sum())
        return {}

    return run


@work("T2/changed", "Default/changed")
def changed():
    return relabelling(0.6)


@work("T2/same", "Default/same")
def same():
    return relabelling(0)


def starting(code):
    def run():
        subprocess.run([sys.executable, "-c", code], check=True)
        return {}

    return run


@work("Start/version")
def start():
    return starting("pass")


@work("Start/help")
def start_scipy():
    import scipy  # or there is nothing to start

    return starting("import scipy")


@work("Start/verdict")
def start_stats():
    import scipy.stats  # or there is nothing to start

    return starting("import scipy.stats")


def timed(run, least):
    """The times that an operation was done in so many seconds, what one took, and its values."""
    count, start = 0, time.perf_counter()
    while True:
        values = run()
        count += 1
        elapsed = time.perf_counter() - start
        if elapsed >= least:
            return count, elapsed / count, values


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1, help="times that each work is measured")
    parser.add_argument("--seconds", type=float, default=0.2, help="least time of a measurement")
    parser.add_argument("--only", default="", help="measure works whose names contain this")
    arguments = parser.parse_args()
    processors = os.cpu_count() or 1
    suffix = "-%d" % processors if processors > 1 else ""
    for name, prepare in WORKS.items():
        if arguments.only not in name:
            continue
        try:
            run = prepare()
            run()  # what an import or a first call costs is not the work
        except ModuleNotFoundError as missing:
            print("%s is left out: there is no %s" % (name, missing.name), file=sys.stderr)
            continue
        for _ in range(arguments.count):
            count, seconds, values = timed(run, arguments.seconds)
            metrics = "".join("\t%.9g %s" % (value, unit) for unit, value in values.items())
            print("BenchmarkPeers/%s%s\t%d\t%.9g ns/op%s" % (name, suffix, count, 1e9 * seconds, metrics), flush=True)


if __name__ == "__main__":
    main()
