"""Lets an agent work in a fresh copy of the folder workspace, with a home of its own, and prints what it said and what
became of the files: what an evaluator judges is the world, not the agent's word.

python3 in_workspace.py COMMAND...
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # at a limit; the folder goes away with it
here = pathlib.Path(__file__).resolve().parent
with tempfile.TemporaryDirectory() as folder:
    home, work = pathlib.Path(folder, "home"), pathlib.Path(folder, "work")
    shutil.copytree(here / "workspace", work)
    if pathlib.Path("home").is_dir():  # the agent's settings, beside its suite
        shutil.copytree("home", home)
    home.mkdir(exist_ok=True)
    env = os.environ | {"HOME": str(home), "TMPDIR": folder, "SUITE": os.getcwd()}
    agent = subprocess.run(sys.argv[1:], cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    tests = subprocess.run([sys.executable, "test_calc.py"], cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    files = {str(f.relative_to(work)): f.read_text() for f in sorted(work.glob("*.py"))}
    print(json.dumps({
        "said": agent.stdout,
        "exit_code": agent.returncode,
        "tests": "passed" if tests.returncode == 0 else "failed",
        "files": files,
    }))
