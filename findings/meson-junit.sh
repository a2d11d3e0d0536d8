#!/usr/bin/env bash
# Meson 1.0.1, meson test: the JUnit report that it always writes, meson-logs/testlog.junit.xml.
#
# Guessed: what fails the run is a failure or an error there. Seen: four tests end with exit code 1 each, and with
# reports of passes alone: one that was stopped for its time, one that should fail and passed, and two by TAP, of
# which one ended with exit code 1 behind its tests, and one before its plan was done. Only testlog.json has them. And
# --repeat=9 ends with the first failure: a test that failed once of two has two test cases, not nine.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download meson=1.0.1-5 ninja-build >apt.log 2>&1 || { cat apt.log; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" .; done
export PYTHONPATH=$folder/usr/lib/python3/dist-packages PATH=$folder/usr/bin:$PATH NINJA=$folder/usr/bin/ninja
meson() { python3 "$folder/usr/bin/meson" "$@"; }
mkdir x
cat >x/meson.build <<'MESON'
project('x')
sh = find_program('sh')
test('slow', sh, args: ['-c', 'sleep 9'], timeout: 1)
test('should fail', sh, args: ['-c', 'exit 0'], should_fail: true)
test('tap, exit code', sh, args: ['-c', 'echo 1..1; echo ok 1 - a; exit 1'], protocol: 'tap')
test('tap, plan', sh, args: ['-c', 'echo 1..2; echo ok 1 - a'], protocol: 'tap')
test('flaky', sh, args: ['-c', 'test ! -e flag || exit 1; touch flag'], is_parallel: false)
MESON
{
  meson --version
  meson setup x/build x >setup.txt || cat setup.txt
  for test in slow "should fail" "tap, exit code" "tap, plan"; do
    code=0
    meson test -C x/build "$test" >out.txt 2>&1 || code=$?
    echo "$test: exit code $code, $(grep -oE '"result": "[A-Z]*"' x/build/meson-logs/testlog.json)"
    grep -oE '<testsuites [^>]*>|<testcase name="[^"]*"|<(failure|error|skipped)' x/build/meson-logs/testlog.junit.xml
  done
  meson test -C x/build --repeat=9 flaky >out.txt 2>&1 || true
  grep -oE '<testsuites [^>]*>|<testcase name="[^"]*"|<(failure|error|skipped)' x/build/meson-logs/testlog.junit.xml
} | tee seen
diff - seen <<'SEEN' || { echo "Meson does something else now"; exit 1; }
1.0.1
slow: exit code 1, "result": "TIMEOUT"
<testsuites tests="1" errors="0" failures="0">
<testcase name="slow"
should fail: exit code 1, "result": "UNEXPECTEDPASS"
<testsuites tests="1" errors="0" failures="0">
<testcase name="should fail"
tap, exit code: exit code 1, "result": "ERROR"
<testsuites tests="1" errors="0" failures="0">
<testcase name="1 - a"
tap, plan: exit code 1, "result": "ERROR"
<testsuites tests="1" errors="0" failures="0">
<testcase name="1 - a"
<testsuites tests="2" errors="0" failures="1">
<testcase name="flaky"
<testcase name="flaky"
<failure
SEEN
