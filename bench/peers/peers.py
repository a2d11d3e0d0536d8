"""The other side: the same work by SciPy, statsmodels, NumPy and Python's json.

Reads one JSON request a line, {"task": ..., "args": {...}, "seconds": least time},
and answers with one JSON line: the wall and CPU seconds of one operation and its
values, or the module that is missing.
"""

import json
import sys
import time

TASKS = {}


def task(prepare):
    """Registers what makes an operation of its arguments; making it is not timed."""
    TASKS[prepare.__name__] = prepare
    return prepare


@task
def versions():
    import importlib
    import platform

    found = ["Python " + platform.python_version()]
    for name, title in ("scipy", "SciPy"), ("statsmodels", "statsmodels"), ("numpy", "NumPy"):
        try:
            found.append(title + " " + importlib.import_module(name).__version__)
        except ModuleNotFoundError:
            pass
    return lambda: found


@task
def fisher(table):
    from scipy.stats import fisher_exact

    return lambda: [fisher_exact(table, alternative="less")[1]]


@task
def boschloo(tables, points):
    from scipy.stats import boschloo_exact

    return lambda: [boschloo_exact(t, alternative="less", n=points).pvalue for t in tables]


@task
def wilson(rows):
    import numpy as np
    from statsmodels.stats.proportion import proportion_confint

    i = np.arange(rows)
    trials = 50 + i % 951
    passes = i * 7919 % (trials + 1)

    def run():
        low, high = proportion_confint(passes, trials, alpha=0.05, method="wilson")
        return [low.sum(), high.sum()]

    return run


@task
def judge(path):
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
                tally = tallies.get(scenario)
                if tally is None:
                    tally = tallies[scenario] = [0, 0, 0, 0.0]
                outcome = trial["outcome"]
                if outcome == "pass":
                    tally[0] += 1
                elif outcome == "fail":
                    tally[1] += 1
                elif outcome == "error":
                    tally[2] += 1
                else:
                    raise ValueError("outcome %r" % outcome)
                cost = trial.get("cost_usd")
                if cost is not None:
                    tally[3] += cost
        passes = sum(t[0] for t in tallies.values())
        fails = sum(t[1] for t in tallies.values())
        return [passes, fails, *wilson_interval(passes, passes + fails)]

    return run


def wilson_interval(k, n, z=1.959963984540054):
    centre = (k + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * (k * (n - k) / n + z * z / 4) ** 0.5
    return centre - half, centre + half


@task
def permutation(baseline, candidate, permutations, seed):
    """T² on the shrunk covariance. That of all rows about their mean is the same for
    every relabeling, so all of them together are two products of matrices."""
    import numpy as np

    x = np.concatenate([baseline, candidate])
    n, m = len(x), len(candidate)
    x = x - x.mean(axis=0)
    covariance = x.T @ x / n
    scale = np.trace(covariance) / x.shape[1]
    noise = (((x * x).sum(axis=1) ** 2).sum() / n - (covariance**2).sum()) / n
    distance = ((covariance - scale * np.eye(x.shape[1])) ** 2).sum()
    shrinkage = min(max(noise / distance, 0) * (n - 1) / (n - 2), 1)
    random = np.random.default_rng(seed)

    def run():
        shrunk = (1 - shrinkage) * covariance + shrinkage * scale * np.eye(x.shape[1])
        white = x @ np.linalg.inv(np.linalg.cholesky(shrunk)).T
        observed = (white[n - m :].sum(axis=0) ** 2).sum()
        hits = 0
        block = 1000
        for start in range(0, permutations, block):
            size = min(block, permutations - start)
            picked = random.permuted(np.tile(np.arange(n) < m, (size, 1)), axis=1)
            sums = picked.astype(float) @ white
            hits += int(((sums * sums).sum(axis=1) >= observed * (1 - 1e-9)).sum())
        return [(hits + 1) / (permutations + 1)]

    return run


def timed(run, least):
    count, wall, cpu = 0, time.perf_counter(), time.process_time()
    while True:
        value = run()
        count += 1
        elapsed = time.perf_counter() - wall
        if elapsed >= least:
            return elapsed / count, (time.process_time() - cpu) / count, value


def answer(request):
    try:
        run = PREPARED.get(request["id"])
        if run is None:
            run = PREPARED[request["id"]] = TASKS[request["task"]](**(request["args"] or {}))
            run()  # what an import or a first call costs is not the work
        wall, cpu, value = timed(run, request["seconds"])
    except ModuleNotFoundError as missing:
        return {"missing": missing.name}
    return {"wall": wall, "cpu": cpu, "value": value}


PREPARED = {}

if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
