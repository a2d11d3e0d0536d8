#!/usr/bin/env bash
# Playwright 1.65.1, --retries with --fail-on-flaky-tests: what the reports say of the run that it fails.
#
# Guessed: a failure in JUnit, an unexpected test in JSON. Seen: exit code 1, and JUnit with no failure, no error and no
# other sign of the first try but an attachment; JSON counts no unexpected test, has "ok": true, and tells of it by
# "flaky" alone. In a serial group a test behind the one that is tried again ran once, passed, and has two results:
# skipped, passed. A report that says all is well belongs to a build that is red.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' >package.json
npm install --no-audit --no-fund --save-exact @playwright/test@1.65.1 >npm.log 2>&1 || { cat npm.log; exit 1; }
cat >x.spec.js <<'JS'
const {test, expect} = require('@playwright/test')
test('flaky', ({}, i) => { expect(i.retry).toBe(1) })
test.describe.serial('group', () => {
  test('first', ({}, i) => { expect(i.retry).toBe(1) })
  test('second', () => {})
})
JS
run() {
  code=0
  npx playwright test --retries=2 --fail-on-flaky-tests --reporter="$1" >"$1.txt" || code=$?
  echo "$1: exit code $code"
}
{
  npx playwright --version
  run junit
  grep -o '<testsuites.*errors="[0-9]*"' junit.txt | sed 's/ id="" name=""//'
  grep -cE '<(failure|error|flakyFailure|rerunFailure)' junit.txt || true
  run json
  node -e '
    const r = JSON.parse(require("fs").readFileSync("json.txt"))
    console.log(`expected ${r.stats.expected}, unexpected ${r.stats.unexpected}, flaky ${r.stats.flaky}`)
    const walk = s => {
      for (const x of s.specs) console.log(x.title, x.ok, x.tests[0].status, x.tests[0].results.map(y => y.status).join())
      for (const y of s.suites || []) walk(y)
    }
    r.suites.forEach(walk)'
} | tee seen.txt
diff - seen.txt <<'SEEN'
Version 1.65.1
junit: exit code 1
<testsuites tests="3" failures="0" skipped="0" errors="0"
0
json: exit code 1
expected 1, unexpected 0, flaky 2
flaky true flaky failed,passed
first true flaky failed,passed
second true expected skipped,passed
SEEN
