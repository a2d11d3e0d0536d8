#!/usr/bin/env bash
# autoevals 0.0.132: which answers its scorers without a model take for equal, or for a little alike.
#
# Guessed: an object with its keys in another order is an exact match, "true" is not one of true; of JSON, true and false
# are not alike at all, and a key that is missing is not alike a null. Seen: ExactMatch compares texts, so that the order
# of keys makes it 0, and "true" and true, or "1" and 1, are a match. JSONDiff compares all but numbers as texts: false
# for true scores 0.2, the text "1" for the number 1 a third, and a missing key the same as null.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true, "type": "module"}' >package.json
npm install --no-audit --no-fund --save-exact autoevals@0.0.132 >npm.log 2>&1 || { cat npm.log; exit 1; }
cat >score.js <<'JS'
import { ExactMatch, JSONDiff } from 'autoevals'

const show = async (scorer, output, expected) => {
  const { name, score } = await scorer({ output, expected })
  console.log(name, JSON.stringify(output), 'for', JSON.stringify(expected), 'scores', Math.round(score * 1e4) / 1e4)
}
await show(ExactMatch, { a: 1, b: 2 }, { b: 2, a: 1 })
await show(ExactMatch, 'true', true)
await show(ExactMatch, '1', 1)
await show(JSONDiff, { a: 1, b: 2 }, { b: 2, a: 1 })
await show(JSONDiff, { approved: false }, { approved: true })
await show(JSONDiff, { amount: '1' }, { amount: 1 })
await show(JSONDiff, {}, { reason: null })
JS
node score.js | tee seen.txt
diff - seen.txt <<'SEEN'
ExactMatch {"a":1,"b":2} for {"b":2,"a":1} scores 0
ExactMatch "true" for true scores 1
ExactMatch "1" for 1 scores 1
JSONDiff {"a":1,"b":2} for {"b":2,"a":1} scores 1
JSONDiff {"approved":false} for {"approved":true} scores 0.2
JSONDiff {"amount":"1"} for {"amount":1} scores 0.3333
JSONDiff {} for {"reason":null} scores 1
SEEN
