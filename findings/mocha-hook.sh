#!/usr/bin/env bash
# mocha 12.0.3, --reporter json: which tests are in the report when a hook before one of them fails.
#
# Guessed: the test whose hook failed is a failure, and those behind it are pending. Seen: neither is anywhere in the
# report. The failure has the name of the hook, stats.tests counts only tests that ran, all of them are in passes, and
# tests, passes and failures do not add up: 2 tests, 2 passes, 2 failures, nothing pending. A hook after all tests fails
# beside a test that passed in the same way. Who reads tests by their names sees nothing but passes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' >package.json
npm install --no-audit --no-fund --save-exact mocha@12.0.3 >npm.log 2>&1 || { cat npm.log; exit 1; }
mkdir test
cat >test/x.js <<'JS'
describe('before', () => {
  let n = 0
  beforeEach(() => { if (++n === 2) throw new Error('no') })
  it('one', () => {})
  it('two', () => {})
  it('three', () => {})
})
describe('after', () => {
  after(() => { throw new Error('no') })
  it('four', () => {})
})
JS
{
  npx mocha --version
  code=0
  npx mocha --reporter json >report.json || code=$?
  echo "exit code $code"
  node -e '
    const r = JSON.parse(require("fs").readFileSync("report.json")), s = r.stats
    console.log(`tests ${s.tests}, passes ${s.passes}, failures ${s.failures}, pending ${s.pending}`)
    for (const list of ["tests", "passes", "failures", "pending"])
      console.log(list + ":", r[list].map(t => t.fullTitle).join(" | "))'
} | tee seen.txt
diff - seen.txt <<'SEEN'
12.0.3
exit code 2
tests 2, passes 2, failures 2, pending 0
tests: before one | after four
passes: before one | after four
failures: before "before each" hook for "two" | after "after all" hook for "four"
pending: 
SEEN
