#!/usr/bin/env bash
# Catch2 2.13.10, -r junit: which tests are in the report, and how many it counts.
#
# Guessed: each test, as on the console. Seen: one without an assertion of Catch2, such as one that calls functions
# which throw where they fail, is in the report when it fails, and nowhere when it passes: its pass rate is 0,
# whatever it does. tests="7" counts assertions, of five test cases. A test tagged [!shouldfail] that passes fails the
# run, is counted by failures="1", and stands in the report as passed: no test case has that failure.
set -euo pipefail
command -v g++ >/dev/null || { echo "this needs g++"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download catch2=2.13.10-1 >apt.log 2>&1 || { cat apt.log; exit 1; }
dpkg-deb -x catch2_*.deb .
cat >x.cc <<'CC'
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <stdexcept>
static void demand(bool ok) { if (!ok) throw std::runtime_error("no"); }
TEST_CASE("demands") { demand(true); }
TEST_CASE("demands, fails") { demand(false); }
TEST_CASE("sections") { SECTION("checks") { CHECK(true); } SECTION("demands") { demand(true); } }
TEST_CASE("rows") { int i = GENERATE(1, 2, 3); CHECK(i == 1); }
TEST_CASE("should fail", "[!shouldfail]") { CHECK(true); }
CC
g++ -I usr/include -o x x.cc
{
  code=0
  ./x -r junit >report.xml || code=$?
  echo "exit code $code"
  grep -oE '<testsuite .*tests="[0-9]*"|<testcase [^>]*name="[^"]*"|<failure|<error' report.xml
  ./x "should fail" -r junit >report.xml && code=0 || code=$?
  echo "should fail alone: exit code $code"
  grep -oE '<testsuite .*tests="[0-9]*"|<testcase [^>]*name="[^"]*"|<failure|<error' report.xml
} | tee seen
diff - seen <<'SEEN' || { echo "Catch2 does something else now"; exit 1; }
exit code 4
<testsuite name="x" errors="1" failures="3" tests="7"
<testcase classname="x.global" name="demands, fails"
<error
<testcase classname="x.global" name="sections/checks"
<testcase classname="x.global" name="rows"
<failure
<failure
<testcase classname="x.global" name="should fail"
should fail alone: exit code 1
<testsuite name="x" errors="0" failures="1" tests="2"
<testcase classname="x.global" name="should fail"
SEEN
