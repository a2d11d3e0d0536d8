#!/usr/bin/env bash
# bats 1.13.0, a teardown_file that fails behind tests that passed: JUnit beside TAP.
#
# Guessed: each formatter has a failure of the teardown, and both tests as passed. Seen: so it is in TAP, "not ok 3
# teardown_file failed". In JUnit the failure takes the place of the last test: b, which passed, is the one that failed,
# nothing has the name of the teardown, and there are two test cases where the suite says tests="3". A setup_file that
# fails is not blamed on a test: it is a test case of a suite that is called setup_suite.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --no-package-lock --loglevel=error bats@1.13.0 >/dev/null
cat >x.bats <<'BATS'
@test "a" { true; }
@test "b" { true; }
teardown_file() { false; }
BATS
cat >y.bats <<'BATS'
setup_file() { false; }
@test "c" { true; }
BATS
bats() { bash node_modules/bats/bin/bats "$@"; }
{
  bats --version
  for form in tap junit; do
    code=0
    bats --formatter $form x.bats >out || code=$?
    echo "$form: exit code $code"
    grep -oE '^(not )?ok.*|tests="[0-9]*" failures="[0-9]*"|<testcase [^/>]*name="[^"]*"|<failure.*file x.bats' out
  done
  echo "setup_file:"
  bats --formatter junit y.bats >out || true
  grep -oE '<testsuite name="[^"]*"|<testcase [^/>]*name="[^"]*"' out
} | tee seen.txt
diff - seen.txt <<'SEEN'
Bats 1.13.0
tap: exit code 1
ok 1 a
ok 2 b
not ok 3 teardown_file failed
junit: exit code 1
tests="3" failures="1"
<testcase classname="x.bats" name="a"
<testcase classname="x.bats" name="b"
<failure type="failure">(from function `teardown_file&#39; in test file x.bats
setup_file:
<testsuite name="y.bats"
<testsuite name="setup_suite"
<testcase classname="setup_suite" name="setup_file failed"
SEEN
