#!/usr/bin/env python3
"""How fast tribunal is, as tables in Markdown.

    bench/speed.py peers                 beside SciPy, statsmodels, NumPy and Python's json
    bench/speed.py commands --base REV   beside the program of another commit, the last release if none is named
    bench/speed.py growth --base REV     by size, beside tribunal-calibrate growth of another commit
    bench/speed.py instructions          counted by valgrind, beside those that bench/instructions.json has

The sides take turns, so that a machine that is busy for a while slows both. instructions fails where a command takes a
quarter more than is recorded; --update records what is counted now.
"""

import argparse
import contextlib
import csv
import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
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
    """The seconds that an operation takes, by as many as fit in so many, and its values."""
    count, start = 0, time.perf_counter()
    while True:
        values = run()
        count += 1
        elapsed = time.perf_counter() - start
        if elapsed >= least:
            return elapsed / count, values


def ours(program, name):
    """The same of BenchmarkPeers, by the test program of package bench."""
    pattern = "/".join("^%s$" % part for part in ["BenchmarkPeers"] + name.split("/"))
    printed = subprocess.run([program, "-test.run", "-", "-test.bench", pattern, "-test.benchtime", "0.2s"],
                             check=True, capture_output=True, text=True, cwd=HERE).stdout
    line = next(line for line in printed.splitlines() if line.startswith("BenchmarkPeers/") and "ns/op" in line)
    values = {unit: float(value) for value, unit in re.findall(r"([\d.e+-]+) (\S+)", line)}
    return values.pop("ns/op") / 1e9, values


def peers(arguments):
    program = os.path.join(tempfile.mkdtemp(), "bench.test")
    subprocess.run(["go", "test", "-c", "-o", program, "./bench"], check=True)
    print("| work | tribunal | peer | ratio |\n|---|---:|---:|---:|")
    for name, prepare in WORKS.items():
        try:
            run = prepare()
            run()  # what an import or a first call costs is not the work
        except ModuleNotFoundError as missing:
            print("%s is left out: there is no %s" % (name, missing.name), file=sys.stderr)
            continue
        rounds = [(ours(program, name), timed(run, 0.2)) for _ in range(arguments.rounds)]
        for (_, values), (_, theirs) in rounds:
            for unit in values.keys() & theirs.keys():  # Go prints four digits
                if abs(values[unit] - theirs[unit]) > 1e-3 * abs(theirs[unit]):
                    sys.exit("%s: %s is %g, and %g there" % (name, unit, values[unit], theirs[unit]))
        print("| %s | %s | %s | %.3g |" % (
            name, span(statistics.median(a for (a, _), _ in rounds)), span(statistics.median(b for _, (b, _) in rounds)),
            statistics.median(b / a for (a, _), (b, _) in rounds)), flush=True)


def span(seconds):
    if math.isnan(seconds):
        return "-"
    for unit, size in ("s", 1), ("ms", 1e-3), ("us", 1e-6):
        if seconds >= size:
            return "%.3g %s" % (seconds / size, unit)
    return "%.3g ns" % (seconds * 1e9)


def record(path, trials, seed, line, header=""):
    drawn = random.Random(seed)
    with open(path, "w") as file:
        file.write(header)
        for i in range(trials):
            file.write(line(i, drawn))


def json_line(i, drawn):
    return '{"scenario":"s%02d","trial":%d,"passed":%s,"duration_s":%.3f,"cost_usd":%.4f}\n' % (
        i % 50, i // 50, "true" if drawn.random() < 0.9 else "false", drawn.random() * 9, drawn.random() * 0.02)


def csv_line(i, drawn):
    return "s%02d,%d,%s,%.3f,%.4f\n" % (
        i % 50, i // 50, "true" if drawn.random() < 0.9 else "false", drawn.random() * 9, drawn.random() * 0.02)


def otlp_line(i, drawn):
    def span_of(number, parent, name, *attributes):
        pairs = ",".join('{"key":"%s","value":%s}' % (key, json.dumps({kind: value})) for key, kind, value in attributes)
        return '{"traceId":"%032x","spanId":"%08x%08x","parentSpanId":"%s","name":"%s","startTimeUnixNano":"%d",' \
            '"endTimeUnixNano":"%d","attributes":[%s]}' % (
                i + 1, number, i + 1, parent, name, 1772097937_000000000 + number * 100, 1772097937_000000050 + number * 100,
                pairs)

    root = "%08x%08x" % (0, i + 1)
    spans = [span_of(0, "", "invoke_agent desk", ("gen_ai.operation.name", "stringValue", "invoke_agent"),
                     ("scenario", "stringValue", "s%d" % (i % 50)))]
    for k in range(2 + drawn.randrange(2)):
        spans.append(span_of(2 * k + 1, root, "chat m", ("gen_ai.operation.name", "stringValue", "chat"),
                             ("gen_ai.request.model", "stringValue", "m"),
                             ("gen_ai.usage.input_tokens", "intValue", str(300 + drawn.randrange(300)))))
        spans.append(span_of(2 * k + 2, root, "execute_tool t", ("gen_ai.operation.name", "stringValue", "execute_tool"),
                             ("gen_ai.tool.name", "stringValue", "t%d" % drawn.randrange(5))))
    return '{"resourceSpans":[{"scopeSpans":[{"spans":[%s]}]}]}\n' % ",".join(spans)


def prepare_commands(folder, tribunal, trials):
    """Writes what the commands read, of so many trials, and returns them by their names."""
    os.chdir(folder)
    record("trials.jsonl", trials, 1, json_line)
    record("candidate.jsonl", trials, 2, json_line)
    record("trials.csv", trials, 1, csv_line, "scenario,trial,passed,duration_s,cost_usd\n")
    record("spans.jsonl", trials // 20, 1, otlp_line)
    subprocess.run([tribunal, "verdict", "trials.jsonl", "--threshold", ".85", "--json", "-o", "result.json"],
                   check=True, capture_output=True)
    many, traces = "{:,}".format(trials), "{:,}".format(trials // 20)
    return {
        "start": ["version"],
        "verdict of %s trials" % many: ["verdict", "trials.jsonl", "--threshold", ".85"],
        "the same, inconclusive": ["verdict", "trials.jsonl", "--threshold", ".9"],
        "the same in CSV": ["verdict", "trials.csv", "--threshold", ".85"],
        "import of %s traces (OTLP)" % traces: ["import", "spans.jsonl", "--pass-when", "no-error", "-o", "judged.jsonl"],
        "compare of 2 x %s trials" % many: ["compare", "trials.jsonl", "candidate.jsonl"],
        "verify --recording of %s" % many: ["verify", "result.json", "--recording", "trials.jsonl"],
        "plan --baseline 95/100": ["plan", "--baseline", "95/100", "--delta", ".2"],
    }


AGENT = """import json, sys
for line in sys.stdin:
    request = json.loads(line)
    print("pass" if request["trial"] * 37 % 300 < request["input"] else "fail", flush=True)
"""


def suite(path, test, passes):
    """A suite with one scenario for each number, of whose first 300 trials so many pass."""
    with open(path, "w") as file:
        file.write("version: 1\nname: shop\nlimits: none\nconcurrency: 2\ntest: {%s}\n"
                   "agent: {command: [python3, agent.py], mode: session}\nscenarios:\n" % test)
        for number in passes:
            file.write("  - {name: s%d, input: %d, evaluate: [contains: pass]}\n" % (number, number))


def prepare_long(tribunal):
    """The same of what would take minutes where instructions are counted."""
    with open("agent.py", "w") as file:
        file.write(AGENT)
    suite("record.yaml", "threshold: 0.5, delta: 0.1", range(250, 300))
    suite("check.yaml", "baseline: baseline.json, delta: 0.1", range(250, 300))
    suite("run.yaml", "threshold: 0.8, delta: 0.1", range(270, 280))
    subprocess.run([tribunal, "run", "record.yaml", "--record", "300", "--json", "-o", "baseline.json"],
                   check=True, capture_output=True)
    return {
        "plan --baseline 285/300": ["plan", "--baseline", "285/300", "--delta", ".1"],
        "plan --side-by-side": ["plan", "--side-by-side", "--delta", ".1"],
        "check of 50 scenarios with 50 baselines": ["check", "check.yaml"],
        "run of 100,000 trials of a session agent": ["run", "run.yaml", "--record", "10000"],
    }


def measured(program, command):
    """Wall and processor seconds, and the largest memory in MB, of a command with nothing planned before."""
    with tempfile.TemporaryDirectory() as cache:
        start = time.perf_counter()
        child = subprocess.Popen([program] + command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 env=dict(os.environ, XDG_CACHE_HOME=cache))
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) > 2:
        return math.nan, math.nan, math.nan  # it does not have that command
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def build(folder, name, source=".", package="./cmd/tribunal"):
    program = os.path.join(folder, name)
    subprocess.run(["go", "build", "-ldflags=-s -w", "-o", program, package], check=True, cwd=source,
                   env=dict(os.environ, CGO_ENABLED="0"))
    return program


@contextlib.contextmanager
def beside(base, package="./cmd/tribunal"):
    """A folder, and the program of a commit and that of the working tree in it."""
    with tempfile.TemporaryDirectory() as folder:
        source, here = os.path.join(folder, "base"), os.getcwd()
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", source, base], check=True)
        try:
            yield folder, (build(folder, "before", source, package), build(folder, "now", package=package))
        finally:
            os.chdir(here)
            subprocess.run(["git", "worktree", "remove", "--force", source], check=True)


def last_release():
    tags = subprocess.run(["git", "describe", "--tags", "--abbrev=0", "--match", "v*"], capture_output=True, text=True)
    if tags.returncode != 0:
        sys.exit("nothing is released yet: name a commit with --base")
    return tags.stdout.strip()


def commands(arguments):
    with beside(arguments.base or last_release()) as (folder, programs):
        print("| command | before | now | ratio | processor | memory | its ratio |\n|---|---:|---:|---:|---:|---:|---:|")
        for name, command in (prepare_commands(folder, programs[1], arguments.trials)
                              | prepare_long(programs[1])).items():
            rounds = [[measured(program, command) for program in programs] for _ in range(arguments.rounds)]
            before, now = [[statistics.median(r[side][kind] for r in rounds) for kind in range(3)] for side in (0, 1)]
            print("| %s | %s | %s | %.2f | %.2f | %.0f MB | %.2f |" % (
                name, span(before[0]), span(now[0]), now[0] / before[0], now[1] / before[1], now[2],
                now[2] / before[2]), flush=True)


def grown(program):
    """What tribunal-calibrate growth measured, by operation and size."""
    printed = subprocess.run([program, "growth", "--csv"], check=True, stdout=subprocess.PIPE, text=True)
    return {(row["operation"], row["against"], int(row["size"])): row for row in csv.DictReader(printed.stdout.splitlines())}


def growth(arguments):
    kinds = ["seconds", "cpu_seconds", "allocated_bytes", "peak_bytes"]
    with beside(arguments.base or last_release(), "./bench/cmd/tribunal-calibrate") as (_, programs):
        rounds = [[grown(program) for program in programs] for _ in range(arguments.rounds)]
    print("| growth of | by | up to | before | now | ratio | processor | bytes | peak |\n" + "|---|---|" + "---:|" * 7)
    largest = {key[:2]: key for key in rounds[0][0] if key in rounds[0][1]}  # sizes rise
    for key in largest.values():
        before, now = [[statistics.median(float(r[side][key][kind]) for r in rounds) for kind in kinds] for side in (0, 1)]
        print("| %s | %s | {:,} | %s | %s |".format(key[2]) % (*key[:2], span(before[0]), span(now[0])),
              " | ".join("%.2f" % (y / x if x else math.nan) for x, y in zip(before, now)), "|")


def counted(program, command):
    """The instructions of a command on one processor: valgrind shows every program the same processor."""
    with tempfile.TemporaryDirectory() as cache:
        said = subprocess.run(
            ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program] + command,
            env=dict(os.environ, GOMAXPROCS="1", XDG_CACHE_HOME=cache), capture_output=True, text=True)
    found = re.search(r"I\s+refs:\s+([\d,]+)", said.stderr)
    if said.returncode > 2 or not found:
        sys.exit("%s failed under valgrind: %s" % (" ".join(command), said.stderr[-500:]))
    return int(found.group(1).replace(",", ""))


def instructions(arguments):
    if not shutil.which("valgrind"):
        sys.exit("there is no valgrind: apt-get install valgrind")
    recorded_in, most, slower = os.path.join(HERE, "instructions.json"), 1.25, []
    with open(recorded_in) as file:
        recorded = json.load(file)
    print("| command | recorded | now | ratio |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, "tribunal")
        now = {name: counted(program, command) for name, command in prepare_commands(folder, program, 100_000).items()}
    for name, count in now.items():
        before = recorded.get(name, count)
        print("| %s | %.4g | %.4g | %.2f |" % (name, before, count, count / before))
        if count > most * before:
            slower.append(name)
    if arguments.update:
        with open(recorded_in, "w") as file:
            json.dump(now, file, indent=2)
            file.write("\n")
    elif slower:
        sys.exit("slower by more than a quarter: " + ", ".join(slower))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["peers", "commands", "growth", "instructions"])
    parser.add_argument("--rounds", type=int, default=5, help="times that each work is measured")
    parser.add_argument("--trials", type=int, default=1_000_000, help="of a recording that commands read")
    parser.add_argument("--base", help="the commit whose program is measured beside; the last release")
    parser.add_argument("--update", action="store_true", help="record the instructions")
    arguments = parser.parse_args()
    os.chdir(os.path.dirname(HERE))
    {"peers": peers, "commands": commands, "growth": growth, "instructions": instructions}[arguments.what](arguments)


if __name__ == "__main__":
    main()
