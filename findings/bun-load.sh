#!/usr/bin/env bash
# bun 1.4.5, bun test --reporter=junit: tests that could not begin.
#
# Guessed: a file that does not load is an error in the report, and tests behind a beforeAll that fails are failures
# or skipped. Seen: of a file that does not load nothing is there: exit code 1, "1 fail" and "1 error" on the console,
# and failures="0" with the tests of the other files. Of tests behind a beforeAll that failed nothing is there either,
# but one test case, "(unnamed)". Who counts the tests of this report counts fewer, not more failures.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' >package.json
npm install --no-audit --no-fund --save-exact bun@1.4.5 >npm.log 2>&1 || { cat npm.log; exit 1; }
cat >a.test.js <<'JS'
import { test } from 'bun:test'
test('a', () => {})
JS
cat >b.test.js <<'JS'
import { test } from 'bun:test'
import { gone } from './gone.js'
test('b', () => {})
JS
cat >c.test.js <<'JS'
import { beforeAll, describe, test } from 'bun:test'
describe('group', () => {
  beforeAll(() => { throw new Error('no') })
  test('c', () => {})
  test('d', () => {})
})
JS
{
  npx bun --version
  for file in b c; do
    code=0
    npx bun test a.test.js $file.test.js --reporter=junit --reporter-outfile=report.xml >out.txt 2>&1 || code=$?
    echo "exit code $code:" $(grep -oE '^ [0-9]+ (pass|fail|error)$' out.txt)
    grep -oE '<testsuites [^>]*failures="[0-9]*"|<testcase name="[^"]*"|<failure|<error' report.xml
  done
} | tee seen.txt
diff - seen.txt <<'SEEN'
1.4.5
exit code 1: 1 pass 1 fail 1 error
<testsuites name="bun test" tests="1" assertions="0" failures="0"
<testcase name="a"
exit code 1: 1 pass 1 fail
<testsuites name="bun test" tests="2" assertions="0" failures="1"
<testcase name="a"
<testcase name="(unnamed)"
<failure
SEEN
