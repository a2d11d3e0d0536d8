#!/usr/bin/env bash
# evalite 0.19.0 with vitest 5.1.2: what the results that --outputPath writes say of an eval whose tasks throw.
#
# Guessed: a task that threw has a score of 0, as its result says (averageScore 0, no scores), and so lowers the average
# of the eval. Seen: the average leaves it out. With three of four tasks that threw it is 1. The exit code is 1, and the
# eval has the status "fail", so that only who reads the average is told that all is well.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true, "type": "module"}' >package.json
install() { npm install --no-audit --no-fund --no-package-lock --loglevel=error "$@" >/dev/null; }
install --ignore-scripts evalite@0.19.0 vitest@5.1.2 # SQLite is not needed, and would be compiled
install node@24.21.0                              # it needs node 22 or later
cat >evalite.config.ts <<'TS'
import { defineConfig } from 'evalite/config'
import { createInMemoryStorage } from 'evalite/in-memory-storage'
export default defineConfig({ storage: () => createInMemoryStorage() })
TS
cat >x.eval.ts <<'TS'
import { evalite } from 'evalite'
evalite('orders', {
  data: ['a', 'b', 'c', 'd'].map(input => ({ input, expected: input })),
  task: async input => { if (input !== 'a') throw new Error('the model is down'); return input },
  scorers: [{ name: 'same', scorer: ({ output, expected }) => (output === expected ? 1 : 0) }]
})
TS
code=0
PATH=$folder/node_modules/.bin:$PATH evalite run --outputPath out.json >out.txt 2>&1 || code=$?
{
  echo "exit code $code"
  python3 - <<'PY'
import json
e = json.load(open("out.json"))["evals"][0]
print("eval", e["status"], e["averageScore"])
print("results", *(f"{r['status']} {r['averageScore']} {len(r['scores'])}," for r in e["results"]))
PY
} | tee seen

diff - seen <<'SEEN' || { echo "evalite does something else now"; exit 1; }
exit code 1
eval fail 1
results success 1 1, fail 0 0, fail 0 0, fail 0 0,
SEEN
