#!/usr/bin/env bash
# @openai/agents 0.20.0 (JavaScript), streamed: a call of a tool in an answer that did not end well, by the two models of
# the SDK, OpenAIChatCompletionsModel and OpenAIResponsesModel.
#
# Guessed: one SDK, one rule: such an answer is an error, and the tool is not run. Seen: so it is with the Responses API.
# With chat completions the reason of the end is not looked at: the tool runs where the answer ended at its token limit,
# where a content filter ended it, and where the stream broke off in good order without any reason, and the run goes on
# to its final output. Where the arguments are cut off, they do not parse, and the model is asked again.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --no-package-lock --loglevel=error @openai/agents@0.20.0 openai@7.59.0 zod@4.6.7 >/dev/null
cat >ask.mjs <<'JS'
import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, run, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
setTracingDisabled(true)
const chunk = (delta, finish_reason = null) => `data: ${JSON.stringify({
  id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }]
})}\n\n`
const chat = (args, finish) => chunk({ role: 'assistant', tool_calls: [
  { index: 0, id: 'c1', type: 'function', function: { name: 'pay', arguments: args } }
] }) + (finish ? chunk({}, finish) + 'data: [DONE]\n\n' : '')
const answer = chunk({ role: 'assistant', content: 'paid' }) + chunk({}, 'stop') + 'data: [DONE]\n\n'
const event = e => `event: ${e.type}\ndata: ${JSON.stringify({ sequence_number: 1, ...e })}\n\n`
const response = more => ({
  id: 'r', object: 'response', created_at: 1, model: 'm', output: [], tools: [], error: null,
  usage: { input_tokens: 9, output_tokens: 7, total_tokens: 16 }, ...more
})
const item = { id: 'i', type: 'function_call', status: 'completed', call_id: 'c1', name: 'pay', arguments: '{"usd":7}' }
const responses = event({ type: 'response.created', response: response({ status: 'in_progress' }) }) +
  event({ type: 'response.output_item.done', output_index: 0, item })
const incomplete = { status: 'incomplete', output: [item], incomplete_details: { reason: 'max_output_tokens' } }
const ask = async (name, Model, first) => {
  const said = [first, answer]
  const fetch = async () => new Response(said.shift(), { headers: { 'content-type': 'text/event-stream' } })
  const ran = []
  const pay = tool({
    name: 'pay', description: 'pays', strict: false,
    parameters: { type: 'object', properties: { usd: { type: 'integer' } }, required: [], additionalProperties: true },
    execute: async given => { ran.push(JSON.stringify(given)); return 'done' }
  })
  const model = new Model(new OpenAI({ apiKey: 'x', maxRetries: 0, fetch }), 'm')
  const ended = await run(new Agent({ name: 'a', model, tools: [pay] }), 'x', { stream: true }).then(async result => {
    for await (const _ of result);
    await result.completed
    return `output ${result.finalOutput}`
  }).catch(e => `${e.constructor.name}`)
  console.log(`${name}: ran ${ran.join() || 'nothing'}, ${ended}`)
}
await ask('chat, token limit', OpenAIChatCompletionsModel, chat('{"usd":7}', 'length'))
await ask('chat, content filter', OpenAIChatCompletionsModel, chat('{"usd":7}', 'content_filter'))
await ask('chat, broken off', OpenAIChatCompletionsModel, chat('{"usd":7}'))
await ask('chat, token limit, cut arguments', OpenAIChatCompletionsModel, chat('{"usd":7', 'length'))
await ask('responses, token limit', OpenAIResponsesModel,
  responses + event({ type: 'response.incomplete', response: response(incomplete) }))
await ask('responses, broken off', OpenAIResponsesModel, responses)
JS
node ask.mjs 2>/dev/null | tee seen

diff - seen <<'SEEN' || { echo "the SDK does something else now"; exit 1; }
chat, token limit: ran {"usd":7}, output paid
chat, content filter: ran {"usd":7}, output paid
chat, broken off: ran {"usd":7}, output paid
chat, token limit, cut arguments: ran nothing, output paid
responses, token limit: ran nothing, ModelBehaviorError
responses, broken off: ran nothing, ModelBehaviorError
SEEN
