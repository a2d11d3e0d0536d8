#!/usr/bin/env bash
# deno 2.9.6, deno test --retry with --junit-path: a test that passes at its second try.
#
# Guessed: JUnit has the last try alone, as of other runners. Seen: so it is for a test without steps, of whose first try
# there is no sign. Of a test with steps the steps of all tries are in the report, under the same names, and the failed
# step of the first try is a failure: exit code 0, "0 failed", and failures="1". With repeats, of which every one must
# pass, a repetition that fails is tried again too, and the test passes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' >package.json
npm install --no-audit --no-fund --save-exact deno@2.9.6 >npm.log 2>&1 || { cat npm.log; exit 1; }
cat >x_test.ts <<'TS'
let flaky = 0, repeated = 0, stepped = 0
Deno.test("flaky", () => { if (flaky++ === 0) throw new Error("first") })
Deno.test({ name: "repeated", repeats: 2, fn() { if (++repeated === 2) throw new Error("second") } })
Deno.test("stepped", async t => {
  const tried = stepped++
  await t.step("one", () => {})
  await t.step("two", () => { if (tried === 0) throw new Error("two") })
})
TS
{
  npx deno --version | grep -o 'deno [0-9.]*'
  code=0
  NO_COLOR=1 npx deno test --no-check --retry=2 --junit-path=report.xml >out.txt 2>&1 || code=$?
  echo "exit code $code, $(grep -o '3 passed ([0-9]* steps) | 0 failed | 3 flaky' out.txt)"
  grep -oE '<testsuites name="deno test" tests="[0-9]*" failures="[0-9]*"|<testcase name="[^"]*"|<failure' report.xml
} | tee seen.txt
diff - seen.txt <<'SEEN'
deno 2.9.6
exit code 0, 3 passed (2 steps) | 0 failed | 3 flaky
<testsuites name="deno test" tests="7" failures="1"
<testcase name="flaky"
<testcase name="repeated"
<testcase name="stepped"
<testcase name="stepped &gt; one"
<testcase name="stepped &gt; two"
<failure
<testcase name="stepped &gt; one"
<testcase name="stepped &gt; two"
SEEN
