#!/usr/bin/env bash
# @strands-agents/sdk 1.19.0 (JavaScript) with its OpenAIModel by chat completions: what a model says before it calls a tool.
#
# Guessed: the text and the call are one message, as the model wrote them. Seen: the message has the call alone. What the
# model said is in no message of the agent, and the next request tells the model that it said "". Text without a call is
# kept. An agent that announces, explains or plans before it acts loses its plan, and logs made of its messages do not
# have it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --no-package-lock --loglevel=error \
  @strands-agents/sdk@1.19.0 openai@6.49.0 zod@4.6.7 node@26.10.0 >/dev/null # it needs node 22 or later
cat >ask.mjs <<'JS'
import { Agent, tool } from '@strands-agents/sdk'
import { OpenAIModel } from '@strands-agents/sdk/models/openai'
import { z } from 'zod'
const chunk = (delta, finish_reason = null) => `data: ${JSON.stringify({
  id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }]
})}\n\n`
const call = { index: 0, id: 'c1', type: 'function', function: { name: 'pay', arguments: '{"usd":7}' } }
const answers = [
  chunk({ role: 'assistant', content: 'I pay ' }) + chunk({ content: 'seven.' }) + chunk({ tool_calls: [call] }) +
    chunk({}, 'tool_calls') + 'data: [DONE]\n\n',
  chunk({ role: 'assistant', content: 'It is paid.' }) + chunk({}, 'stop') + 'data: [DONE]\n\n',
]
let asked
const fetch = async (_, { body }) => {
  asked = JSON.parse(body).messages
  return new Response(answers.shift(), { headers: { 'content-type': 'text/event-stream' } })
}
const pay = tool({
  name: 'pay', description: 'pays', inputSchema: z.object({ usd: z.number() }), callback: ({ usd }) => `${usd} paid`
})
const model = new OpenAIModel({ modelId: 'm', api: 'chat', apiKey: 'x', clientConfig: { fetch, maxRetries: 0 } })
const agent = new Agent({ model, tools: [pay], printer: false })
await agent.invoke('pay seven')
for (const { role, content } of JSON.parse(JSON.stringify(agent.messages))) {
  console.log(`${role}: ${content.map(part => part.text ?? Object.keys(part)[0]).join()}`)
}
const { content, tool_calls } = asked.find(m => m.role === 'assistant')
console.log(`what the model is told of its first answer: ${JSON.stringify(content)}, ${tool_calls.length} call`)
JS
node_modules/.bin/node ask.mjs | tee seen

diff - seen <<'SEEN' || { echo "the SDK does something else now"; exit 1; }
user: pay seven
assistant: toolUse
user: toolResult
assistant: It is paid.
what the model is told of its first answer: "", 1 call
SEEN
