#!/usr/bin/env bash
# GoogleTest 1.12.1, --gtest_output: failures outside of tests, in XML and in JSON.
#
# Guessed: a failure beside the tests, or one of each of them. Seen: one of TearDownTestSuite is in neither report:
# exit code 1, and failures="0". One of SetUpTestSuite is not either, and the tests behind it are skipped, as if they
# had asked for it. One of the environment for all tests (AddGlobalTestEnvironment) is a test without a name, and the
# JSON with it is no JSON: a comma is missing before it.
set -euo pipefail
command -v g++ >/dev/null || { echo "this needs g++"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download libgtest-dev=1.12.1-0.2 >apt.log 2>&1 || { cat apt.log; exit 1; }
dpkg-deb -x libgtest-dev_*.deb .
cat >x.cc <<'CC'
#include <cstdlib>
#include <gtest/gtest.h>
struct Torn : testing::Test { static void TearDownTestSuite() { ADD_FAILURE() << "left open"; } };
TEST_F(Torn, One) {}
struct Broken : testing::Test { static void SetUpTestSuite() { ADD_FAILURE() << "no database"; } };
TEST_F(Broken, One) {}
struct Around : testing::Environment { void TearDown() override { if (getenv("AROUND")) ADD_FAILURE() << "no"; } };
TEST(Around, One) {}
auto* around = testing::AddGlobalTestEnvironment(new Around);
CC
g++ -I usr/include -o x x.cc usr/lib/*/libgtest.a usr/lib/*/libgtest_main.a -lpthread
{
  for only in Torn Broken Around; do
    [ $only != Around ] || export AROUND=yes
    code=0
    ./x --gtest_filter="$only.*" --gtest_output=xml:report.xml >out.txt || code=$?
    ./x --gtest_filter="$only.*" --gtest_output=json:report.json >out.txt || true
    echo "$only: exit code $code"
    grep -oE '<testsuites [^>]*failures="[0-9]*"|<testcase name="[^"]*"|result="[^"]*"|<(failure|skipped)' report.xml
    python3 -c 'import json; print("json: failures", json.load(open("report.json"))["failures"])' 2>&1 | tail -n 1 || true
  done
} | tee seen
diff - seen <<'SEEN' || { echo "GoogleTest does something else now"; exit 1; }
Torn: exit code 1
<testsuites tests="1" failures="0"
<testcase name="One"
result="completed"
json: failures 0
Broken: exit code 1
<testsuites tests="1" failures="0"
<testcase name="One"
result="skipped"
<skipped
json: failures 0
Around: exit code 1
<testsuites tests="1" failures="0"
<testcase name="One"
result="completed"
<testcase name=""
result="completed"
<failure
json.decoder.JSONDecodeError: Expecting ',' delimiter: line 30 column 10 (char 625)
SEEN
