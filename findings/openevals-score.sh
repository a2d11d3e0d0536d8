#!/usr/bin/env bash
# openevals 0.2.2 with openai 6.49.0 (JavaScript), createLLMAsJudge: answers of the model that are not what the schema
# of the judge asks for, as of servers that do not enforce it.
#
# Guessed: an error, for the judge sends its schema along (strict, "score": boolean, or one of the choices). Seen: it
# reads JSON and looks no further. The score is what the model wrote: the text "false", which is true for who tests it,
# 5 where true or false was asked for, a choice that is none, or nothing at all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true, "type": "module"}' >package.json
npm install --no-audit --no-fund --no-package-lock --loglevel=error openevals@0.2.2 openai@6.49.0 >/dev/null
cat >judge.js <<'JS'
import http from 'node:http'
import OpenAI from 'openai'
import { createLLMAsJudge } from 'openevals'
let answer
const server = http.createServer((request, response) => request.resume().on('end', () => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model: 'm',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: answer } }] }))
}))
await new Promise(done => server.listen(0, '127.0.0.1', done))
const judge = new OpenAI({ apiKey: 'none', baseURL: `http://127.0.0.1:${server.address().port}/v1`, maxRetries: 0 })
for (const [asked, options] of [['boolean', {}], ['choices 0, 0.5, 1', { choices: [0, 0.5, 1] }]]) {
  const ask = createLLMAsJudge({ prompt: 'Is {outputs} polite?', judge, model: 'm', ...options })
  for (const score of ['true', '"false"', '5', undefined]) {
    answer = `{"reasoning": "none"${score ? `, "score": ${score}` : ''}}`
    const said = await ask({ inputs: 'in', outputs: 'out' }).then(r => JSON.stringify(r.score), () => 'an error')
    console.log(`${asked}, answer ${score}: ${said}`)
  }
}
server.close()
JS
timeout 60 node judge.js 2>errors | tee seen || { cat errors; exit 1; }

diff - seen <<'SEEN' || { echo "openevals does something else now"; exit 1; }
boolean, answer true: true
boolean, answer "false": "false"
boolean, answer 5: 5
boolean, answer undefined: undefined
choices 0, 0.5, 1, answer true: true
choices 0, 0.5, 1, answer "false": "false"
choices 0, 0.5, 1, answer 5: 5
choices 0, 0.5, 1, answer undefined: undefined
SEEN
