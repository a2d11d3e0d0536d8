#!/usr/bin/env bash
# openai 7.59.0 (JavaScript), streams that end early or fail: responses.stream() beside chat.completions.stream().
#
# Guessed: both are an error where the final answer is asked for. Seen: chat completions are. finalResponse() returns
# what has come so far as the final answer, with status "in_progress" and no usage, where the server ended the stream in
# good order before response.completed; and after response.failed one with status "failed", empty text and the server's
# error as a field. No exception says so. Who reads output_text and no status takes half an answer for the whole, and
# carries out a call whose answer was never completed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --no-package-lock --loglevel=error openai@7.59.0 >/dev/null
cat >ask.mjs <<'JS'
import OpenAI from 'openai'
const events = list => list.map(e => `event: ${e.type}\ndata: ${JSON.stringify({ sequence_number: 1, ...e })}\n\n`).join('')
const response = (status, more) => ({
  id: 'r', object: 'response', created_at: 1, model: 'm', status, output: [], tools: [], error: null, usage: null, ...more
})
const part = { item_id: 'i', output_index: 0 }
const text = { type: 'output_text', text: '', annotations: [] }
const message = { id: 'i', type: 'message', role: 'assistant', status: 'in_progress', content: [] }
const call = { id: 'i', type: 'function_call', status: 'completed', call_id: 'c', name: 'pay', arguments: '{"usd":7}' }
const begun = { type: 'response.created', response: response('in_progress') }
const half = [
  begun, { type: 'response.output_item.added', output_index: 0, item: message },
  { type: 'response.content_part.added', ...part, content_index: 0, part: text },
  { type: 'response.output_text.delta', ...part, content_index: 0, delta: 'half' },
]
const error = { code: 'server_error', message: 'the server is busy' }
const streams = {
  'ends early, text': half,
  'ends early, call': [
    begun, { type: 'response.output_item.added', output_index: 0, item: { ...call, status: 'in_progress', arguments: '' } },
    { type: 'response.function_call_arguments.delta', ...part, delta: call.arguments },
    { type: 'response.output_item.done', output_index: 0, item: call },
  ],
  'fails': [...half, { type: 'response.failed', response: response('failed', { error }) }],
  'error event': [...half, { type: 'error', ...error, param: null }],
}
const ask = async (name, body, final) => {
  const fetch = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  console.log(`${name}: ` + await final(new OpenAI({ apiKey: 'x', maxRetries: 0, fetch })).catch(e => `an error, ${e.message}`))
}
for (const [name, list] of Object.entries(streams)) {
  await ask(`responses, ${name}`, events(list), async client => {
    const { status, output, output_text, usage } = await client.responses.stream({ model: 'm', input: 'x' }).finalResponse()
    return `status ${status}, text ${JSON.stringify(output_text)}, calls ${output.filter(o => o.arguments).length}, usage ${usage}`
  })
}
const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
const delta = { role: 'assistant', content: 'half' }
const chat = `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`
await ask('chat, ends early, text', chat, async client => {
  const asked = { model: 'm', messages: [{ role: 'user', content: 'x' }] }
  return (await client.chat.completions.stream(asked).finalChatCompletion()).choices[0].message.content
})
JS
node ask.mjs | tee seen

diff - seen <<'SEEN' || { echo "the client does something else now"; exit 1; }
responses, ends early, text: status in_progress, text "half", calls 0, usage null
responses, ends early, call: status in_progress, text "", calls 1, usage null
responses, fails: status failed, text "", calls 0, usage null
responses, error event: an error, the server is busy
chat, ends early, text: an error, missing finish_reason for choice 0
SEEN
