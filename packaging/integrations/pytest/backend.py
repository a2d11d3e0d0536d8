"""Makes the wheel of pytest-tribunal for pip, as packaging/pip does that of the program."""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "pip"))

import wheel  # noqa: E402

HEADERS = [
    "Summary: Tests of pytest that pass often enough, with error rates that hold",
    "Classifier: Framework :: Pytest",
    "Requires-Dist: pytest>=7",
]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    module = (HERE / "pytest_tribunal.py").read_bytes()
    version = re.search(rb'__version__ = "(.*)"', module)[1].decode()
    files = {
        "pytest_tribunal.py": module,
        "{stem}.dist-info/entry_points.txt": b"[pytest11]\ntribunal = pytest_tribunal\n",
    }
    return wheel.write(wheel_directory, "pytest-tribunal", version, "any", HEADERS, HERE / "README.md", files)


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("there is no source distribution: the wheel is all of it")
