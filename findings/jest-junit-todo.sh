#!/usr/bin/env bash
# jest-junit 17.0.0 with jest 30.5.2: tests that are to be written, and files that do not load.
#
# Guessed: test.todo is skipped, as test.skip is. Seen: it is a test case that passed, which skipped="1" does not
# count. Of forty tests that are planned forty pass, and tests="2" has one less than its test cases. A file that does
# not load is no test case at all: its tests are gone, the exit code is 1, and failures="0" errors="0".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true, "jest": {"reporters": ["jest-junit"]}}' >package.json
npm install --no-audit --no-fund --no-package-lock --loglevel=error jest@30.5.2 jest-junit@17.0.0 >/dev/null
cat >a.test.js <<'JS'
test('passes', () => {})
test.skip('skipped', () => {})
test.todo('to do')
JS
echo "require('./gone')" >b.test.js
echo "test('lost', () => {})" >>b.test.js
{
  npx jest --version
  code=0
  npx jest >out.txt 2>&1 || code=$?
  echo "exit code $code"
  grep -oE '<testsuites [^>]*errors="[0-9]*"|skipped="[0-9]*"|<testcase [^>]*name="[^"]*"|<(failure|skipped)' junit.xml
} | tee seen.txt
diff - seen.txt <<'SEEN'
30.5.2
exit code 1
<testsuites name="jest tests" tests="2" failures="0" errors="0"
skipped="1"
<testcase classname=" passes" name=" passes"
<testcase classname=" skipped" name=" skipped"
<skipped
<testcase classname=" to do" name=" to do"
SEEN
