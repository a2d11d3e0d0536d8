#!/usr/bin/env bash
# vitest 5.1.2, --merge-reports: reports of two runs of the same tests, one that failed and one that passed.
#
# Guessed: a failure, or both results. Seen: the run that began last is there twice, and the other is gone: exit code 0,
# four tests of two files, all passed, with the same durations to the nanosecond. Where the failure is the last run, it
# is there twice. Reports of shards, which have no test in common, merge as they should.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true, "type": "module"}' >package.json
npm install --no-audit --no-fund --no-package-lock --loglevel=error vitest@5.1.2 >/dev/null
cat >x.test.js <<'JS'
import { expect, test } from 'vitest'
test('flips', () => { expect(process.env.FAILS).not.toBe('yes') })
test('steady', () => {})
JS
{
  npx vitest --version | grep -o 'vitest/[0-9.]*'
  for order in "yes no" "no yes"; do
    rm -rf blobs
    for fails in $order; do
      FAILS=$fails npx vitest run --reporter=blob --outputFile="blobs/$fails.json" >out.txt 2>&1 || true
    done
    code=0
    npx vitest run --merge-reports=blobs --reporter=json --outputFile=report.json >out.txt 2>&1 || code=$?
    echo "fails: $order: exit code $code"
    node -e '
      const files = JSON.parse(require("fs").readFileSync("report.json")).testResults.map(f => f.assertionResults)
      for (const tests of files) console.log(" ", tests.map(t => `${t.title} ${t.status}`).join(", "))
      console.log("  same durations:", files[0].every((t, i) => t.duration === files[1][i].duration))'
  done
} | tee seen.txt
diff - seen.txt <<'SEEN'
vitest/5.1.2
fails: yes no: exit code 0
  flips passed, steady passed
  flips passed, steady passed
  same durations: true
fails: no yes: exit code 1
  flips failed, steady passed
  flips failed, steady passed
  same durations: true
SEEN
