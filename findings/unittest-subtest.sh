#!/usr/bin/env bash
# unittest-xml-reporting 3.2.0 (of the system's Python), tests with subTest: the names of test cases from run to run.
#
# Guessed: the test, failed where a subtest failed, or each of its subtests. Seen: a test whose subtests all pass is
# one test case with its name. Where one fails, that subtest alone is a test case, with a name of its own, and the
# test and the subtests that passed are nowhere. Of a test that fails in one of two runs the reports have one test
# that always passed and another that always failed. A failure and one of its clean-up are two test cases of one name.
set -euo pipefail
[ -x /usr/bin/python3 ] || { echo "this needs the Python of the system"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download python3-xmlrunner=3.2.0-2 >apt.log 2>&1 || { cat apt.log; exit 1; }
dpkg-deb -x python3-xmlrunner_*.deb .
cat >test_x.py <<'PY'
import os
import unittest

class X(unittest.TestCase):
    def test_rows(self):
        for row in range(3):
            with self.subTest(row=row):
                self.assertFalse(row == 1 and "DOWN" in os.environ)

    def test_cleans_up(self):
        self.addCleanup(self.assertNotIn, "DOWN", os.environ)
        self.assertNotIn("DOWN", os.environ)
PY
{
  for run in 1 2; do
    [ $run = 1 ] || export DOWN=yes
    code=0
    PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 -m xmlrunner -o $run test_x >out.txt 2>&1 || code=$?
    echo "exit code $code"
    grep -ohE '<testcase classname="[^"]*" name="[^"]*"|<failure|<error' $run/*.xml
  done
} | tee seen
diff - seen <<'SEEN' || { echo "it does something else now"; exit 1; }
exit code 0
<testcase classname="test_x.X" name="test_cleans_up"
<testcase classname="test_x.X" name="test_rows"
exit code 1
<testcase classname="test_x.X" name="test_cleans_up"
<failure
<testcase classname="test_x.X" name="test_cleans_up"
<failure
<testcase classname="test_x.X" name="test_rows (row=1)"
<failure
SEEN
