#!/usr/bin/env bash
# node 26.10.0, --test-rerun-failures with --test-reporter=junit: the report of the second run.
#
# Guessed: tests that passed before are skipped, as they do not run again. Seen: they stand in the report as passed, with
# the duration of the run before, and nothing tells them from tests that ran. A test with expectFailure that failed as it
# should is not run again either, and the empty body in its place is an unexpected success: the second run fails a test
# that the first run passed. A todo below a parent that passed, which fails in the first report, passes in the second.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' >package.json
npm install --no-audit --no-fund --save-exact node@26.10.0 >npm.log 2>&1 || { cat npm.log; exit 1; }
cat >x.test.mjs <<'JS'
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
const ran = name => appendFileSync('ran', ` ${name}`)
test('steady', () => { ran('steady') })
test('flaky', () => { ran('flaky'); if (!existsSync('tried')) { writeFileSync('tried', ''); throw new Error('first') } })
test('known bug', { expectFailure: true }, () => { ran('known bug'); throw new Error('the bug') })
test('parent', async t => { await t.test('later', { todo: true }, () => { ran('later'); throw new Error('todo') }) })
JS
{
  node_modules/.bin/node --version
  for run in first second; do
    code=0
    : >ran
    node_modules/.bin/node --test --test-rerun-failures=state.json --test-reporter=junit x.test.mjs >report.xml || code=$?
    echo "$run: exit code $code, ran$(cat ran)"
    grep -oE '<testcase name="[^"]*"|<failure type="[^"]*" message="[^"]*"|<skipped type="[^"]*"' report.xml
  done
} | tee seen.txt
diff - seen.txt <<'SEEN'
v26.10.0
first: exit code 1, ran steady flaky known bug later
<testcase name="steady"
<testcase name="flaky"
<failure type="testCodeFailure" message="first"
<testcase name="known bug"
<testcase name="later"
<skipped type="todo"
<failure type="testCodeFailure" message="todo"
second: exit code 1, ran flaky
<testcase name="steady"
<testcase name="flaky"
<testcase name="known bug"
<failure type="expectedFailure" message="test was expected to fail but passed"
<testcase name="later"
SEEN
