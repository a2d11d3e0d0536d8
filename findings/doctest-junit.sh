#!/usr/bin/env bash
# doctest 2.4.9, -r=junit: tests with decorators, beside what the console says of them.
#
# Guessed: the report fails what fails the run. Seen: it knows no decorator, and is wrong both ways. A test that may
# fail, one that should fail and did, and one that warned have passed, and are failures in JUnit. A test that should
# have failed, and one that took longer than its time, have failed, and stand there as passed. Of a program with those
# two alone the exit code is 1, and the report has failures="0".
set -euo pipefail
command -v g++ >/dev/null || { echo "this needs g++"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download doctest-dev=2.4.9~ds-1 >apt.log 2>&1 || { cat apt.log; exit 1; }
dpkg-deb -x doctest-dev_*.deb .
cat >x.cc <<'CC'
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <chrono>
#include <doctest/doctest.h>
#include <thread>
TEST_CASE("may fail" * doctest::may_fail()) { CHECK(false); }
TEST_CASE("should fail and fails" * doctest::should_fail()) { CHECK(false); }
TEST_CASE("warns") { WARN(false); }
TEST_CASE("should fail and passes" * doctest::should_fail()) { CHECK(true); }
TEST_CASE("too slow" * doctest::timeout(.01)) { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }
CC
g++ -I usr/include -o x x.cc
{
  for only in "may fail,should fail and fails,warns" "should fail and passes,too slow"; do
    code=0
    ./x -r=junit -tc="$only" >report.xml || code=$?
    echo "exit code $code"
    grep -oE 'failures="[0-9]*"|<testcase [^>]*name="[^"]*"|<failure' report.xml
    ./x -nc -tc="$only" | grep '^\[doctest\] test cases' || true
  done
} | tee seen
diff - seen <<'SEEN' || { echo "doctest does something else now"; exit 1; }
exit code 0
failures="3"
<testcase classname="x.cc" name="may fail"
<failure
<testcase classname="x.cc" name="should fail and fails"
<failure
<testcase classname="x.cc" name="warns"
<failure
[doctest] test cases: 3 | 3 passed | 0 failed | 2 skipped
exit code 1
failures="0"
<testcase classname="x.cc" name="should fail and passes"
<testcase classname="x.cc" name="too slow"
[doctest] test cases: 2 | 0 passed | 2 failed | 3 skipped
SEEN
