#!/usr/bin/env bash
# Playwright 1.65.1, vitest 5.1.2, mocha 12.0.3, with retries: a test that fails, and skips itself when it is tried again.
#
# Guessed: it failed, or at least each runner says that it was skipped. Seen: its body never passed, and no build is red.
# Playwright calls it flaky, ends with 0, and has it in JUnit as a test that passed, without <skipped>, though its JSON
# has failed,skipped. vitest and mocha call it skipped, also in JUnit, and the failure of the first try is gone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' >package.json
npm install --no-audit --no-fund --save-exact @playwright/test@1.65.1 vitest@5.1.2 mocha@12.0.3 >npm.log 2>&1 ||
  { cat npm.log; exit 1; }
mkdir p v m
cat >p/x.spec.js <<'JS'
const { test } = require('@playwright/test')
test('tired', ({}, i) => { test.skip(i.retry === 1); throw new Error('first') })
JS
cat >v/x.test.js <<'JS'
import { test } from 'vitest'
let tried = 0
test('tired', ({ skip }) => { if (tried++ === 0) throw new Error('first'); skip() })
JS
cat >m/x.js <<'JS'
let tried = 0
it('tired', function () { if (tried++ === 0) throw new Error('first'); this.skip() })
JS
said() { # RUNNER CODE REPORT
  echo "$1: exit code $2, skipped $(grep -c '<skipped' "$3" || true), failed $(grep -cE '<(failure|error)' "$3" || true)"
}
{
  npx playwright --version
  code=0; npx playwright test -c p --retries=2 --reporter=junit >p.xml || code=$?
  said playwright $code p.xml
  npx playwright test -c p --retries=2 --reporter=json >p.json || true
  node -e '
    const r = JSON.parse(require("fs").readFileSync("p.json")), t = r.suites[0].specs[0]
    console.log(t.ok, t.tests[0].status, t.tests[0].results.map(x => x.status).join())'
  npx vitest --version | cut -d' ' -f1
  code=0; npx vitest run v --retry=2 --reporter=junit --outputFile=v.xml >/dev/null 2>&1 || code=$?
  said vitest $code v.xml
  npx mocha --version
  code=0; npx mocha m --retries 2 --reporter xunit >m.xml || code=$?
  said mocha $code m.xml
} | tee seen.txt
diff - seen.txt <<'SEEN'
Version 1.65.1
playwright: exit code 0, skipped 0, failed 0
true flaky failed,skipped
vitest/5.1.2
vitest: exit code 0, skipped 1, failed 0
12.0.3
mocha: exit code 0, skipped 1, failed 0
SEEN
