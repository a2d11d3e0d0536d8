#!/usr/bin/env bash
# vitest-evals 0.16.1 (vitest 4.1.12): what becomes of a score that is not a number, such as the mean of no items.
#
# Guessed: it is below every threshold, as a matcher of the package has it too. Seen: of a judge of the suite, which is
# asked by itself after each run, the test passes at a threshold of 0.6 and at the one of 1 that is the default. The same
# judge and threshold in expect(...).toSatisfyJudge fail ("Score: NaN below threshold"). A score of 2 passes in both, and
# one of null counts as 0. A test that never calls run passes, and no judge is asked.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true, "type": "module"}' >package.json
npm install --no-audit --no-fund --save-exact vitest@4.1.12 vitest-evals@0.16.1 >npm.log 2>&1 || { cat npm.log; exit 1; }
cat >score.test.js <<'JS'
import { expect } from 'vitest'
import { createHarness, describeEval } from 'vitest-evals'

const said = [{ type: 'message', role: 'user', content: 'hi' }, { type: 'message', role: 'assistant', content: 'ho' }]
const harness = createHarness({ name: 'agent', run: async () => ({ output: 'ho', events: said }) })
const judge = score => ({ name: 'judge', assess: async () => ({ score, metadata: {} }) })
const mean = list => list.reduce((sum, x) => sum + x, 0) / list.length

for (const [name, score] of [['mean of no items', mean([])], ['0.1', 0.1], ['2', 2], ['null', null]]) {
  describeEval(`${name}, by a judge of the suite`, { harness, judges: [judge(score)] }, it => {
    it('at 1', async ({ run }) => { await run('hi') })
  })
  describeEval(`${name}, by a judge of the suite`, { harness, judges: [judge(score)], judgeThreshold: 0.6 }, it => {
    it('at 0.6', async ({ run }) => { await run('hi') })
  })
  describeEval(`${name}, by a matcher`, { harness }, it => {
    it('at 0.6', async ({ run }) => { await expect(await run('hi')).toSatisfyJudge(judge(score), { threshold: 0.6 }) })
  })
}
describeEval('no run', { harness, judges: [judge(0)] }, it => { it('at 1', () => {}) })
JS
{
  npx vitest run --reporter=json --outputFile=report.json >run.log 2>&1 || true
  node -e '
    for (const file of JSON.parse(require("fs").readFileSync("report.json")).testResults)
      for (const t of file.assertionResults) console.log(t.status, t.fullName)'
} | tee seen.txt
diff - seen.txt <<'SEEN'
passed mean of no items, by a judge of the suite at 1
passed mean of no items, by a judge of the suite at 0.6
failed mean of no items, by a matcher at 0.6
failed 0.1, by a judge of the suite at 1
failed 0.1, by a judge of the suite at 0.6
failed 0.1, by a matcher at 0.6
passed 2, by a judge of the suite at 1
passed 2, by a judge of the suite at 0.6
passed 2, by a matcher at 0.6
failed null, by a judge of the suite at 1
failed null, by a judge of the suite at 0.6
failed null, by a matcher at 0.6
passed no run at 1
SEEN
