#!/usr/bin/env bash
# vitest 4.1.12, --bail=1: what is reported of a test that was not run, because one before it failed.
#
# Guessed: each reporter says that it was skipped. Seen: three reporters give three answers. JUnit has it as a test case
# that passed, with time="0", and counts none as skipped; TAP has it as "not ok"; JSON has it as pending. A whole file
# that was not run has "passed" in JSON and "not ok" in TAP. Who counts passes in JUnit counts tests that never ran.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true, "type": "module"}' >package.json
npm install --no-audit --no-fund --save-exact vitest@4.1.12 >npm.log 2>&1 || { cat npm.log; exit 1; }
for name in a b; do
  cat >$name.test.js <<'JS'
import {it, expect} from 'vitest'
it('one', () => {})
it('two', () => { expect(1).toBe(2) })
it('three', () => {})
JS
done
seen() { npx vitest run --bail=1 --no-file-parallelism --reporter="$1" 2>/dev/null || true; }
{
  npx vitest --version | cut -d' ' -f1
  echo "junit:"
  seen junit | grep -A1 'name="three"' | sed 's/^ *//'
  seen junit | grep -o '<testsuites.*failures="[0-9]*"'
  echo "tap-flat:"
  seen tap-flat | grep -E '^(not )?ok' | sed 's/ #.*//'
  echo "json:"
  seen json | node -e '
    for (const f of JSON.parse(require("fs").readFileSync(0)).testResults) {
      console.log(f.name.split("/").pop(), f.status)
      for (const t of f.assertionResults) console.log(" ", t.title, t.status)
    }'
} | tee seen.txt
diff - seen.txt <<'SEEN'
vitest/4.1.12
junit:
<testcase classname="a.test.js" name="three" time="0">
</testcase>
<testsuites name="vitest tests" tests="3" failures="1"
tap-flat:
ok 1 - a.test.js > one
not ok 2 - a.test.js > two
not ok 3 - a.test.js > three
not ok 4 - b.test.js
json:
a.test.js failed
  one passed
  two failed
  three pending
b.test.js passed
SEEN
