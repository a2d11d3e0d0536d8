"""Tests that pass often enough: a decorator for pytest, over the command tribunal.

    import tribunal

    @tribunal.test(threshold=0.9, delta=0.1)
    def test_refund():
        reply = agent.ask("refund order 7")
        assert "refunded" in reply

The test is tried until it is known whether it passes in 90 % of its trials. A function that passes
that often fails with a probability of at most alpha (0.05), one that passes less often by delta
passes with at most beta (0.1). A trial fails by any exception; raise tribunal.Infrastructure, or
let it come from a with tribunal.infrastructure(ConnectionError), for what is not the fault of what
is tested.

With the variable TRIBUNAL_BASELINE, a folder that TRIBUNAL_RESULTS made of an earlier run, a test fails
where it passes less often than it did then, too; TRIBUNAL_RECORD makes such a run, of so many trials each.

Needs nothing but Python 3.8 and the program tribunal, in PATH or named by the variable TRIBUNAL.
"""

import asyncio
import collections
import contextlib
import functools
import inspect
import json
import os
import subprocess
import sys
import threading
import time
import traceback

__all__ = ["test", "Infrastructure", "Undecided", "infrastructure", "trial"]
__version__ = "0.1.0"


class Infrastructure(Exception):
    """A trial could not be made: the network was down, a service refused."""


class Undecided(AssertionError):
    """Neither enough passes nor enough failures: see the message."""


@contextlib.contextmanager
def infrastructure(*kinds):
    """Turns exceptions of these kinds into Infrastructure."""
    try:
        yield
    except kinds as error:
        raise Infrastructure(f"{type(error).__name__}: {error}") from error


_here = threading.local()


class _Trial:
    """What a function may say of its trial: trial().charge(0.02), trial().number, trial().seed."""

    def __init__(self, number, seed):
        self.number, self.seed, self.record = number, seed, {}

    def charge(self, usd):
        """Adds US dollars to what the trial cost."""
        self.record["cost_usd"] = self.record.get("cost_usd", 0.0) + float(usd)

    def tokens(self, input, output):
        """Adds to the tokens that went in and came out."""
        self.record["input_tokens"] = self.record.get("input_tokens", 0) + int(input)
        self.record["output_tokens"] = self.record.get("output_tokens", 0) + int(output)

    def output(self, answer):
        """Keeps the answer, to be seen in reports. It is text, or whatever JSON can hold."""
        self.record["output"] = answer


def trial():
    """The trial that this thread is in."""
    return _here.trial


def test(threshold=0.9, delta=0.1, alpha=None, beta=None, max_trials=None, concurrency=1, seed=1,
         undecided="fail", save=None):
    """Makes a test of a function that is tried several times. concurrency is how many trials run
    beside each other, in threads. undecided is "fail" or "skip". save names a file for the result,
    which tribunal report, verify and compare read."""
    if callable(threshold):  # @tribunal.test without parentheses
        return test()(threshold)
    if undecided not in ("fail", "skip"):
        raise ValueError('undecided must be "fail" or "skip"')
    options = {"--threshold": threshold, "--delta": delta, "--alpha": alpha, "--beta": beta,
               "--max-trials": max_trials}

    def decorate(function):
        @functools.wraps(function)
        def decided(*args, **kwargs):
            __tracebackhide__ = True
            name = _name(function)
            given = dict(options, **_files(name, save))
            arguments = [str(x) for option, value in given.items() if value is not None for x in (option, value)]
            with _Test(name, arguments) as it:
                verdict, text = it.run(lambda: _call(function, args, kwargs), max(1, concurrency), seed)
            if verdict in ("pass", "recorded"):
                return
            pytest = sys.modules.get("pytest")  # without it the function can be called by anyone
            if verdict != "fail":
                if undecided == "skip" and pytest:
                    pytest.skip(text)
                text = "undecided: " + text
            if pytest:
                pytest.fail(text, pytrace=False)  # the lines of this file say nothing
            raise AssertionError(text) if verdict == "fail" else Undecided(text)

        return decided

    return decorate


def _name(function):
    """The node id of the test under way in pytest, else the name of the function."""
    running = os.environ.get("PYTEST_CURRENT_TEST", "")
    return running[:running.rindex(" (")] if running.endswith(")") and " (" in running else function.__qualname__


def _files(name, save):
    """What the variables say of the result of a test, and of the one that it is compared with."""
    file = name
    for letter in "%/\\:*?\"<>|":
        file = file.replace(letter, "%{:02X}".format(ord(letter)))
    file += ".result.json"
    given = {"--output": save}
    results, baseline, record = (os.environ.get("TRIBUNAL_" + x) for x in ("RESULTS", "BASELINE", "RECORD"))
    if results and not save:
        os.makedirs(results, exist_ok=True)
        given["--output"] = os.path.join(results, file)
    if record:
        given["--record"] = record
    elif baseline:
        if not os.path.isdir(baseline):
            raise RuntimeError(f"TRIBUNAL_BASELINE: {baseline} is no folder; name the one that TRIBUNAL_RESULTS made")
        if os.path.exists(os.path.join(baseline, file)):
            given["--baseline"] = os.path.join(baseline, file)
        else:
            print(f"tribunal: there is no baseline {os.path.join(baseline, file)}, so the threshold alone decides")
    return given


test.__test__ = False  # it is no test itself, whatever its name


def _call(function, args, kwargs):
    result = function(*args, **kwargs)
    if inspect.isawaitable(result):
        async def wait():
            return await result
        asyncio.run(wait())


def _is_skip(error):
    names = [kind.__name__ for kind in type(error).__mro__]
    return "SkipTest" in names or "Skipped" in names and "OutcomeException" in names


def _without_ours():
    """The environment without the variables of a whole run, which the program would take for its own."""
    ours = ("TRIBUNAL_RESULTS", "TRIBUNAL_BASELINE", "TRIBUNAL_RECORD")
    return {name: value for name, value in os.environ.items() if name not in ours}


class _Test:
    """A test under way: the program, and the trials that it asks for."""

    def __init__(self, name, arguments):
        program = os.environ.get("TRIBUNAL", "tribunal")
        try:
            self.program = subprocess.Popen(
                [program, "verdict", "decide", "--name", name] + arguments, env=_without_ours(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True, encoding="utf-8", bufsize=1)
        except OSError as error:
            raise RuntimeError(f"the program {program} cannot be started: {error}; put it in PATH, or name it by the "
                               "variable TRIBUNAL") from error
        self.causes = collections.Counter()
        self.lock = threading.Lock()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pipe in (self.program.stdin, self.program.stdout, self.program.stderr):
            with contextlib.suppress(OSError):
                pipe.close()
        self.program.wait()

    def hear(self):
        line = self.program.stdout.readline()
        if not line:
            raise RuntimeError(self.program.stderr.read().strip() or "tribunal verdict decide ended without a word")
        return json.loads(line)

    def run(self, attempt, concurrency, seed):
        """Tries until there is a verdict, and returns it with its text."""
        ready = threading.Condition(self.lock)
        done, running, begun, stopped = [], 0, 0, None

        def work(number):
            nonlocal running
            record, stop = self.attempt(attempt, number, seed)
            with ready:
                running -= 1
                done.append((record, stop))
                ready.notify()

        answer = self.hear()
        while "need" in answer:
            with ready:
                # Those that run are among the needed ones.
                while running < concurrency and running + len(done) < answer["need"]:
                    running += 1
                    number, begun = begun, begun + 1
                    if concurrency == 1:
                        ready.release()
                        try:
                            work(number)
                        finally:
                            ready.acquire()
                    else:
                        threading.Thread(target=work, args=(number,), daemon=True).start()
                while not done:
                    ready.wait()
                record, stopped = done.pop(0)
            if stopped is not None:
                raise stopped
            self.program.stdin.write(json.dumps(record, default=str) + "\n")
            self.program.stdin.flush()
            answer = self.hear()
        causes = [f"  {count} × {text}" for text, count in self.causes.most_common(10)]
        text = f'{answer["passes"]} of {answer["trials"]} trials passed: {answer["text"]}'
        return answer["verdict"], "\n".join([text] + causes)

    def attempt(self, attempt, number, seed):
        """Makes one trial. The second value is an exception that ends the whole test, such as a skip."""
        this = _here.trial = _Trial(number, (seed * 1_000_003 + number) % (1 << 53))
        record = {"trial": number, "outcome": "pass"}
        began = time.monotonic()
        try:
            attempt()
        except Infrastructure as error:
            record.update(outcome="error", error={"origin": "infrastructure", "message": str(error)})
        except (KeyboardInterrupt, SystemExit) as error:
            return record, error
        except BaseException as error:  # also what pytest raises in pytest.fail
            if _is_skip(error):
                return record, error
            text = "".join(traceback.format_exception_only(type(error), error)).strip()
            record.update(outcome="fail", error={"message": text})
        record["duration_s"] = time.monotonic() - began
        record.update(this.record)
        if "error" in record:
            with self.lock:
                self.causes[record["error"]["message"].splitlines()[0] if record["error"]["message"] else "?"] += 1
        return record, None
