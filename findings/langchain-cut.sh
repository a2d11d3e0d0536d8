#!/usr/bin/env bash
# @langchain/openai 1.6.0 and @langchain/anthropic 1.5.11 (JavaScript), streams: a call whose arguments were cut off at
# the token limit, and the usage of an answer.
#
# Guessed: invalid_tool_calls, for the arguments do not parse; and the usage that the provider tells at the end. Seen:
# {"to":"ann@ex is closed to the valid call {"to":"ann@ex"}, half an address, with nothing in invalid_tool_calls; the reason
# of the end alone tells. And Anthropic's output tokens, which count from the beginning in each event, are added up: the 1
# of message_start and the 7 of message_delta are 8.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --no-package-lock --loglevel=error \
  @langchain/openai@1.6.0 @langchain/anthropic@1.5.11 @langchain/core@1.4.0 >/dev/null
cat >ask.mjs <<'JS'
import { createServer } from 'node:http'
import { ChatAnthropic } from '@langchain/anthropic'
import { ChatOpenAI } from '@langchain/openai'
const cut = '{"to":"ann@ex'
const data = o => `data: ${JSON.stringify(o)}\n\n`
const chunk = (delta, finish_reason = null) => data({
  id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }]
})
const call = { index: 0, id: 'c1', type: 'function', function: { name: 'mail', arguments: cut } }
const chat = chunk({ role: 'assistant', tool_calls: [call] }) + chunk({}, 'length') +
  data({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [],
    usage: { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107 } }) + 'data: [DONE]\n\n'
const event = (type, o) => `event: ${type}\n` + data({ type, ...o })
const begun = {
  id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, stop_sequence: null,
  usage: { input_tokens: 100, output_tokens: 1 }
}
const messages = event('message_start', { message: begun }) +
  event('content_block_start', { index: 0, content_block: { type: 'tool_use', id: 't', name: 'mail', input: {} } }) +
  event('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: cut } }) +
  event('content_block_stop', { index: 0 }) +
  event('message_delta', { delta: { stop_reason: 'max_tokens', stop_sequence: null }, usage: { output_tokens: 7 } }) +
  event('message_stop', {})
const server = createServer((asked, answer) => asked.resume().on('end', () => {
  answer.writeHead(200, { 'content-type': 'text/event-stream' }).end(asked.url.includes('messages') ? messages : chat)
}))
await new Promise(done => server.listen(0, '127.0.0.1', done))
const url = `http://127.0.0.1:${server.address().port}`
for (const model of [
  new ChatOpenAI({ model: 'm', apiKey: 'x', maxRetries: 0, configuration: { baseURL: `${url}/v1` } }),
  new ChatAnthropic({ model: 'm', apiKey: 'x', maxRetries: 0, anthropicApiUrl: url }),
]) {
  let said
  for await (const part of await model.stream('x')) said = said ? said.concat(part) : part
  const { input_tokens, output_tokens } = said.usage_metadata
  console.log(`${model.constructor.name}: calls ${JSON.stringify(said.tool_calls.map(c => c.args))}, invalid ` +
    `${said.invalid_tool_calls.length}, ${input_tokens} in, ${output_tokens} out`)
}
server.close()
JS
node ask.mjs | tee seen

diff - seen <<'SEEN' || { echo "they do something else now"; exit 1; }
ChatOpenAI: calls [{"to":"ann@ex"}], invalid 0, 100 in, 7 out
ChatAnthropic: calls [{"to":"ann@ex"}], invalid 0, 100 in, 8 out
SEEN
