#!/usr/bin/env bash
# ai 7.0.173 with @ai-sdk/openai 4.0.118, streamText with a tool and several steps: answers that ended at their token
# limit while they called it, and streams that broke off in good order.
#
# Guessed: a call that is complete runs, one that is cut off does not and ends the loop. Seen: the other way around. The
# complete call does not run and the loop ends, without an error and without text. The cut one is answered to the model
# as invalid, and a second step is asked for and paid: the loop goes on where the answer was worse. A stream that breaks off is
# no error either: onError is not called, and finishReason is "interrupted".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --no-package-lock --loglevel=error ai@7.0.173 @ai-sdk/openai@4.0.118 zod@4.6.7 >/dev/null
cat >ask.mjs <<'JS'
import { createOpenAI } from '@ai-sdk/openai'
import * as ai from 'ai'
const chunk = (delta, finish_reason = null) => `data: ${JSON.stringify({
  id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }]
})}\n\n`
const call = (args, finish) => chunk({ role: 'assistant', tool_calls: [
  { index: 0, id: 'c1', type: 'function', function: { name: 'pay', arguments: args } }
] }) + chunk({}, finish) + 'data: [DONE]\n\n'
const answer = chunk({ role: 'assistant', content: 'paid' }) + chunk({}, 'stop') + 'data: [DONE]\n\n'
const ask = async (name, first) => {
  const said = [first, answer]
  const fetch = async () => new Response(said.shift(), { headers: { 'content-type': 'text/event-stream' } })
  const ran = []
  let error = 'none'
  const result = ai.streamText({
    model: createOpenAI({ apiKey: 'x', fetch }).chat('m'), prompt: 'x', maxRetries: 0, onError: e => { error = e.error.message },
    stopWhen: (ai.isStepCount ?? ai.stepCountIs)(3),
    tools: { pay: ai.tool({
      inputSchema: ai.jsonSchema({ type: 'object', properties: { usd: { type: 'integer' }, to: { type: 'string' } } }),
      execute: async given => { ran.push(JSON.stringify(given)); return 'done' }
    }) }
  })
  const ends = (await result.steps).map(s => s.finishReason)
  console.log(`${name}: ran ${ran.join() || 'nothing'}, steps ${ends.join()}, text "${await result.text}", error ${error}`)
}
await ask('complete call', call('{"usd":7}', 'tool_calls'))
await ask('complete call, token limit', call('{"usd":7}', 'length'))
await ask('cut call, token limit', call('{"usd":7,"to":"ann', 'length'))
await ask('text, broken off', chunk({ role: 'assistant', content: 'half' }))
JS
node ask.mjs | tee seen

diff - seen <<'SEEN' || { echo "the SDK does something else now"; exit 1; }
complete call: ran {"usd":7}, steps tool-calls,stop, text "paid", error none
complete call, token limit: ran nothing, steps length, text "", error none
cut call, token limit: ran nothing, steps length,stop, text "paid", error none
text, broken off: ran nothing, steps interrupted, text "half", error none
SEEN
