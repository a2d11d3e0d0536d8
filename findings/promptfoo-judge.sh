#!/usr/bin/env bash
# promptfoo 0.123.1, llm-rubric: answers of the model that judges which lack a part, and a judge that is down.
#
# Guessed: an answer without a verdict is an error, and so is no answer. Seen: {"reason": "..."} alone passes with a score
# of 1, and where "pass" is missing or null, a score of 0 passes too. A judge that is down, or says no JSON, fails the
# agent: the run ends with failures and 0 errors. Only graderError, in the result of the assertion, tells them apart.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' >package.json
npm install --no-audit --no-fund --no-package-lock --loglevel=error promptfoo@0.123.1 node@26.10.0 >/dev/null # it needs node 22
cat >judge.js <<'JS'
const answers = ['{"pass":true,"score":1}', '{"pass":false,"score":0}', '{"reason":"none"}', '{"reason":"none","score":0}',
  '{"pass":null,"score":0}', 'It is polite.']
module.exports = class {
  id() { return 'judge' }
  async callApi(prompt) {
    const output = answers[/answer number (\d)/.exec(prompt)[1]]
    return output ? { output } : { error: 'the model is overloaded' }
  }
}
JS
cat >agent.js <<'JS'
module.exports = class {
  id() { return 'agent' }
  async callApi(prompt) { return { output: prompt } }
}
JS
cat >promptfooconfig.yaml <<'YAML'
prompts: ['{{says}}']
providers: ['file://agent.js']
defaultTest: {options: {provider: 'file://judge.js'}, assert: [{type: llm-rubric, value: polite}]}
tests:
  - vars: {says: answer number 0}
  - vars: {says: answer number 1}
  - vars: {says: answer number 2}
  - vars: {says: answer number 3}
  - vars: {says: answer number 4}
  - vars: {says: answer number 5}
  - vars: {says: answer number 6}
YAML
export PROMPTFOO_CONFIG_DIR=$folder/home PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1
PATH=$folder/node_modules/.bin:$PATH timeout 120 promptfoo eval --no-cache --no-table -j 1 -o out.json >out.txt 2>&1 || true
python3 - <<'PY' | tee seen
import json
results = json.load(open("out.json"))["results"]
for r in results["results"]:
    parts = r["gradingResult"]["componentResults"]
    lost = any((p.get("metadata") or {}).get("graderError") for p in parts)
    print(r["vars"]["says"], "->", "pass" if r["success"] else "fail", r["score"], "graderError" if lost else "")
print({k: results["stats"][k] for k in ("successes", "failures", "errors")})
PY

diff - seen <<'SEEN' || { echo "promptfoo does something else now"; exit 1; }
answer number 0 -> pass 1 
answer number 1 -> fail 0 
answer number 2 -> pass 1 
answer number 3 -> pass 0 
answer number 4 -> pass 0 
answer number 5 -> fail 0 graderError
answer number 6 -> fail 0 graderError
{'successes': 4, 'failures': 3, 'errors': 0}
SEEN
