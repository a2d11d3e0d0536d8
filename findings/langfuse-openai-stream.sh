#!/usr/bin/env bash
# @langfuse/openai 5.11.1 with openai 7.59.0 (JavaScript), observeOpenAI: what is recorded of streams.
#
# Guessed: what the client got. Seen: two calls side by side are one, with the name of the second and the arguments of
# both in a row; two choices are one text. A stream in which the server tells an error, and one that the caller
# leaves, are not recorded. And what the observed client returns is another thing: create() has no withResponse(), and
# chat.completions.stream() no finalChatCompletion(), so that code which ran fails.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --legacy-peer-deps --no-audit --no-fund --no-package-lock --loglevel=error @langfuse/openai@5.11.1 \
  @langfuse/tracing@5.11.1 @langfuse/core@5.11.1 @opentelemetry/sdk-trace-node@2.12.1 \
  @opentelemetry/sdk-trace-base@2.12.1 @opentelemetry/api@1.10.0 openai@7.59.0 >/dev/null
cat >ask.cjs <<'JS'
const { observeOpenAI } = require('@langfuse/openai')
const { InMemorySpanExporter, SimpleSpanProcessor } = require('@opentelemetry/sdk-trace-base')
const { NodeTracerProvider } = require('@opentelemetry/sdk-trace-node')
const OpenAI = require('openai')
const memory = new InMemorySpanExporter()
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(memory)] }).register()
const data = x => `data: ${JSON.stringify(x)}\n\n`
const chunk = (delta, finish_reason = null, index = 0) =>
  data({ id: 'c', model: 'm', choices: [{ index, delta, finish_reason }] })
const call = (index, name, args) =>
  chunk({ tool_calls: [{ index, id: 'c' + index, type: 'function', function: { name, arguments: args } }] })
const done = 'data: [DONE]\n\n', stop = chunk({}, 'stop') + done
const question = { model: 'm', messages: [{ role: 'user', content: 'q' }], stream: true }
const read = async client => {
  for await (const _ of await client.chat.completions.create(question));
  return 'no error'
}
const ask = async (name, body, use = read) => {
  memory.reset()
  const answer = new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  const client = new OpenAI({ apiKey: 'x', maxRetries: 0, fetch: async () => answer })
  const ended = await use(observeOpenAI(client)).catch(e => e.constructor.name)
  await new Promise(wake => setTimeout(wake, 50))
  const spans = memory.getFinishedSpans().map(s => s.attributes['langfuse.observation.output'])
  console.log(`${name}: ${ended}, ${spans.join() || 'not recorded'}`)
}
const main = async () => {
  await ask('parallel calls', call(0, 'f', '{"a":1}') + call(1, 'g', '{"b":2}') + chunk({}, 'tool_calls') + done)
  await ask('two choices', chunk({ content: 'yes' }) + chunk({ content: 'no' }, null, 1) + stop)
  await ask('error in the stream', chunk({ content: 'half' }) + data({ error: { message: 'overloaded' } }))
  await ask('left by the caller', chunk({ content: 'a' }) + chunk({ content: 'b' }) + stop, async client => {
    for await (const _ of await client.chat.completions.create(question)) break
    return 'no error'
  })
  await ask('finalChatCompletion', chunk({ role: 'assistant', content: 'a' }) + stop, async client =>
    (await client.chat.completions.stream(question).finalChatCompletion()).choices[0].message.content)
  await ask('withResponse', chunk({ role: 'assistant', content: 'a' }) + stop, async client => {
    for await (const _ of (await client.chat.completions.create(question).withResponse()).data);
    return 'no error'
  })
}
main()
JS
node ask.cjs | tee seen
diff - seen <<'SEEN' || { echo "it does something else now"; exit 1; }
parallel calls: no error, {"tool_calls":[{"function":{"name":"g","arguments":"{\"a\":1}{\"b\":2}"}}]}
two choices: no error, yesno
error in the stream: APIError, not recorded
left by the caller: no error, not recorded
finalChatCompletion: TypeError, not recorded
withResponse: TypeError, not recorded
SEEN
