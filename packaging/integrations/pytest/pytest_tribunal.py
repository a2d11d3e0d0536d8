"""Tests that pass often enough: a plugin of pytest, over the program tribunal.

    @pytest.mark.tribunal(threshold=0.9, delta=0.1)
    def test_refund(trial):
        assert "refunded" in agent.ask("refund order 7", seed=trial.seed)

A marked test is repeated, with setup and teardown, until it is decided whether it passes in 90 % of its
trials. See README.md. Needs pytest 7 and the program tribunal: beside Python, in PATH or named by the
variable TRIBUNAL.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sysconfig
import textwrap

import pytest
from _pytest.runner import runtestprotocol

__version__ = "0.1.0"

# What a mark may say, and the flag of the program for it.
_FLAGS = {"threshold": "--threshold", "delta": "--delta", "alpha": "--alpha", "beta": "--beta",
          "max_trials": "--max-trials", "save": "--output"}
_OTHERS = ("errors", "seed", "undecided")

# So many errors in a row end a test. Chosen.
_MOST_ERRORS = 3

_WORDS = {"pass": ("PASS", "green"), "fail": ("FAIL", "red"), "inconclusive": ("UNDECIDED", "yellow"),
          "recorded": ("RECORDED", "green")}


def pytest_addoption(parser):
    parser.getgroup("tribunal").addoption(
        "--tribunal", choices=("marked", "all", "none"), default="marked", metavar="TESTS",
        help="tests to repeat until it is decided whether they pass often enough: marked (default), all or none")


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "tribunal(threshold=0.9, delta=0.1, alpha, beta, max_trials, errors=(), seed=1, save, undecided='fail'): "
        "repeat the test until it is decided whether it passes in a share threshold of its trials")


class Trial:
    """A trial: its number from 0, a seed of its own, and what the test tells of it."""

    def __init__(self, number=0, seed=1):
        self.number, self.seed, self.record = number, (seed * 1_000_003 + number) % (1 << 53), {}

    def charge(self, usd):
        """Adds US dollars to what the trial cost."""
        self.record["cost_usd"] = self.record.get("cost_usd", 0.0) + float(usd)

    def tokens(self, input, output):
        """Adds to the tokens that went in and came out."""
        self.record["input_tokens"] = self.record.get("input_tokens", 0) + int(input)
        self.record["output_tokens"] = self.record.get("output_tokens", 0) + int(output)

    def output(self, answer):
        """Keeps the answer for reports: text, or whatever JSON can hold."""
        self.record["output"] = answer


_trial = pytest.StashKey()
_raised = pytest.StashKey()


@pytest.fixture
def trial(request):
    """The trial: number, seed, charge(usd), tokens(input, output), output(answer)."""
    return request.node.stash.get(_trial, None) or Trial()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    yield
    if call.when == "call":
        item.stash[_raised] = call.excinfo


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    which, mark = item.config.getoption("tribunal"), item.get_closest_marker("tribunal")
    if which == "none" or not (mark or which == "all") or not isinstance(item, pytest.Function):
        return None
    if item.config.getoption("setuponly", False):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    try:
        reports = _Test(item, mark).reports()
    except _Wrong as error:
        reports = {"setup": _report(item, "setup", error)}
    last = _report(item, "teardown", lambda: item.session._setupstate.teardown_exact(nextitem))
    if "teardown" not in reports or last.failed and not reports["teardown"].failed:
        reports["teardown"] = last
    for report in reports.values():
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_terminal_summary(terminalreporter):
    tr, width = terminalreporter, terminalreporter._tw.fullwidth
    rows = []
    for report in (r for reports in tr.stats.values() for r in reports):
        told = dict(getattr(report, "user_properties", ()))
        if getattr(report, "when", None) == "teardown" and "tribunal.summary" in told:
            rows.append((report.nodeid, told["tribunal.verdict"], told["tribunal.summary"]))
    if rows:
        tr.section("tribunal")
    for name, verdict, summary in sorted(rows):
        word, colour = _WORDS[verdict]
        tr.write(f"{word:<9} ", **{colour: True})
        lines = textwrap.wrap(f"{summary}  {name}", max(width - 10, 40), break_long_words=False, break_on_hyphens=False)
        tr.write_line(("\n" + 10 * " ").join(lines))


class _Wrong(Exception):
    """The test cannot be decided, for a reason that is not its own."""


def _report(item, when, problem):
    """The report of a step: what a function comes to, or a problem."""
    def step():
        if isinstance(problem, _Wrong):
            raise problem
        problem()
    call = pytest.CallInfo.from_call(step, when, reraise=(pytest.exit.Exception, KeyboardInterrupt))
    report = item.ihook.pytest_runtest_makereport(item=item, call=call)
    if isinstance(problem, _Wrong):
        report.outcome, report.longrepr = "failed", f"tribunal: {problem}"
    return report


class _Test:
    """A test under way: its trials, and the program that says whether another one is needed."""

    def __init__(self, item, mark):
        given = dict(mark.kwargs) if mark else {}
        unknown = sorted(set(given) - set(_FLAGS) - set(_OTHERS))
        if mark and mark.args or unknown:
            raise _Wrong("the mark takes " + ", ".join([*_FLAGS, *_OTHERS]) + " by name")
        self.item, self.seed, self.undecided = item, given.get("seed", 1), given.get("undecided", "fail")
        if self.undecided not in ("fail", "skip"):
            raise _Wrong('undecided must be "fail" or "skip"')
        self.errors = given.get("errors", ())
        self.shown = {}  # number and reports of the first trial of each outcome
        self.duration = {}  # of all trials, by step
        self.broken = None  # the first teardown that failed
        flags = {_FLAGS[key]: value for key, value in given.items() if key in _FLAGS}
        flags.update(_of_the_run(item, flags))
        self.arguments = [str(x) for flag, value in flags.items() if value is not None for x in (flag, value)]

    def reports(self):
        """The reports that stand for all trials, by step."""
        with _Program(self.item.nodeid, self.arguments) as program:
            answer, number, in_a_row = program.hear(), 0, 0
            while "need" in answer:
                outcome, record = self.attempt(number)
                if outcome == "skip":
                    return self.shown["skip"][1]
                in_a_row = in_a_row + 1 if outcome == "error" else 0
                program.tell(record)
                answer, number = program.hear() if in_a_row < _MOST_ERRORS else program.end(), number + 1
            if in_a_row == _MOST_ERRORS:
                answer["text"] = f"{in_a_row} trials in a row ended in errors"
        return self.told(answer)

    def attempt(self, number):
        """Makes a trial, and returns its outcome and its record."""
        item = self.item
        this = item.stash[_trial] = Trial(number, self.seed)
        item.stash[_raised] = None
        kept = list(item.user_properties)
        item._report_sections.clear()  # of the trial before
        # Only what belongs to the test alone is torn down between its trials.
        steps = {r.when: r for r in runtestprotocol(item, nextitem=item.parent, log=False)}
        item.user_properties[:] = kept
        if item.cls is not None:  # a new trial has a new instance
            item.__dict__.pop("_obj", None)
            item.__dict__.pop("_instance", None)
        for when, report in steps.items():
            self.duration[when] = self.duration.get(when, 0) + report.duration
        if steps["teardown"].failed and self.broken is None:
            self.broken = steps["teardown"]
        outcome, report = self.outcome(steps)
        self.shown.setdefault(outcome, (number, steps))
        record = {"trial": number, "outcome": "fail" if outcome == "xfail" else outcome,
                  "duration_s": report.duration, **this.record}
        if outcome in ("fail", "xfail", "error"):
            record["error"] = {"message": _reason(report)}
        if outcome == "error":
            record["error"]["origin"] = "infrastructure"
        return outcome, record

    def outcome(self, steps):
        """The outcome of a trial, and the report that says so."""
        call = steps.get("call")
        if call is None:
            return "error" if steps["setup"].failed else "skip", steps["setup"]
        raised, expected = self.item.stash[_raised], hasattr(call, "wasxfail")
        if call.skipped and not expected:
            return "skip", call
        if raised is None:  # an unexpected pass too, which pytest lets fail where the mark xfail is strict
            return "pass", call
        if self.errors and isinstance(raised.value, self.errors):
            return "error", call
        return "xfail" if expected else "fail", call

    def told(self, answer):
        """Of the trials those that show what the verdict says, with the numbers of all."""
        verdict = answer["verdict"]
        wanted = {"pass": ["pass"], "recorded": ["pass", "fail", "xfail", "error"],
                  "fail": ["fail", "xfail"]}.get(verdict, ["error", "fail", "xfail", "pass"])
        number, steps = next(self.shown[x] for x in wanted if x in self.shown)
        call = steps.get("call")
        if self.broken is not None:
            steps["teardown"] = self.broken
        if verdict == "recorded" and call is not None:
            call.outcome, call.longrepr = "passed", None
        elif verdict == "recorded":
            raise _Wrong("no trial could be made: " + _reason(steps["setup"]))
        elif verdict != "pass":
            self.explain(steps, answer, number)
        told = [("tribunal." + key, answer[key]) for key in (
            "verdict", "passes", "trials", "errors", "rate", "p_value", "h0", "more_trials", "summary") if key in answer]
        if "interval" in answer:
            told += [("tribunal." + key, answer["interval"][key]) for key in ("low", "high", "level")]
        for when, report in steps.items():
            report.duration = self.duration[when]
            report.user_properties = [*report.user_properties, *told]
        return steps

    def explain(self, steps, answer, number):
        """Puts the verdict, and why trials did not pass, to the report that is shown."""
        undecided = answer["verdict"] != "fail"
        first = ("undecided: " if undecided else "") + answer["text"]
        text = "\n".join([first, *(f'  {x["count"]} × {x["text"]}' for x in answer.get("causes", ()))])
        report = steps.get("call", steps["setup"])
        if undecided and self.undecided == "skip":
            path, line, _ = self.item.location
            report.outcome, report.longrepr = "skipped", (path, (line or 0) + 1, "Skipped: " + text)
        elif hasattr(report, "wasxfail") and report.skipped:
            report.wasxfail = "; ".join(x for x in (report.wasxfail, first) if x)
        elif hasattr(report.longrepr, "addsection"):
            report.longrepr.addsection(f"tribunal: above is trial {number}", text, "-")
            if report.longrepr.reprcrash is not None:
                report.longrepr.reprcrash.message = first
        else:
            report.outcome, report.longrepr = "failed", text


def _reason(report):
    """Why a step failed: what was raised."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return crash.message if crash is not None else str(report.longrepr)


def _of_the_run(item, flags):
    """What the variables say of the result of a test, and of the one that it is compared with."""
    file = item.nodeid
    for letter in "%/\\:*?\"<>|":
        file = file.replace(letter, "%{:02X}".format(ord(letter)))
    file += ".result.json"
    given = {}
    results, baseline, record = (os.environ.get("TRIBUNAL_" + x) for x in ("RESULTS", "BASELINE", "RECORD"))
    if results and "--output" not in flags:
        os.makedirs(results, exist_ok=True)
        given["--output"] = os.path.join(results, file)
    if record:
        given["--record"] = record
    elif baseline:
        if not os.path.isdir(baseline):
            raise _Wrong(f"TRIBUNAL_BASELINE: {baseline} is no folder; name the one that TRIBUNAL_RESULTS made")
        given["--baseline"] = os.path.join(baseline, file)
        if not os.path.exists(given["--baseline"]):
            item.warn(pytest.PytestWarning(
                f'there is no baseline {given.pop("--baseline")}, so the threshold alone decides'))
    return given


class _Program:
    """The program: a line about each trial goes in, and how many more are needed comes out."""

    def __init__(self, name, arguments):
        places = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
        program = os.environ.get("TRIBUNAL") or shutil.which("tribunal", path=places) or "tribunal"
        # It would take the variables of a whole run for its own.
        ours = ("TRIBUNAL_RESULTS", "TRIBUNAL_BASELINE", "TRIBUNAL_RECORD")
        try:
            self.process = subprocess.Popen(
                [program, "verdict", "decide", "--name", name, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, encoding="utf-8", bufsize=1,
                env={key: value for key, value in os.environ.items() if key not in ours})
        except OSError as error:
            raise _Wrong(f"the program {program} cannot be started: {error}; put it in PATH, or name it by the "
                         "variable TRIBUNAL") from error

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                pipe.close()
        self.process.wait()

    def tell(self, record):
        with contextlib.suppress(OSError):  # it has ended, and says why
            self.process.stdin.write(json.dumps(record, default=str) + "\n")
            self.process.stdin.flush()

    def end(self):
        """Says that there are no more trials, and returns the last line."""
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        answer = self.hear()
        while "need" in answer:
            answer = self.hear()
        return answer

    def hear(self):
        line = self.process.stdout.readline()
        try:
            return json.loads(line)
        except ValueError:
            said = (line + self.process.stderr.read()).strip()
            raise _Wrong(f"{self.process.args[0]} verdict decide: {said or 'it said nothing'}") from None
