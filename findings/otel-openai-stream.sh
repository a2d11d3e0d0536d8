#!/usr/bin/env bash
# @opentelemetry/instrumentation-openai 0.22.0 with openai 6.49.0 (JavaScript): spans of streams that do not end well.
#
# Guessed: each call is a span, and one that failed has the status of an error. Seen: so it is for a refused request.
# A stream in which the server tells an error, and one that the caller leaves, are no span at all. One that ends early
# is a span without an error, with an empty list of finish reasons and no tokens. And chat.completions.parse(), which
# works without the instrumentation, fails with it for any answer, and its span tells of success.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --legacy-peer-deps --no-audit --no-fund --no-package-lock --loglevel=error \
  @opentelemetry/instrumentation-openai@0.22.0 \
  @opentelemetry/instrumentation@0.300.0 @opentelemetry/sdk-trace-node@2.12.1 @opentelemetry/sdk-trace-base@2.12.1 \
  @opentelemetry/api@1.10.0 openai@6.49.0 >/dev/null
cat >ask.cjs <<'JS'
const { registerInstrumentations } = require('@opentelemetry/instrumentation')
const { OpenAIInstrumentation } = require('@opentelemetry/instrumentation-openai')
const { InMemorySpanExporter, SimpleSpanProcessor } = require('@opentelemetry/sdk-trace-base')
const { NodeTracerProvider } = require('@opentelemetry/sdk-trace-node')
const memory = new InMemorySpanExporter()
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(memory)] }).register()
if (!process.env.PLAIN) registerInstrumentations({ instrumentations: [new OpenAIInstrumentation()] })
const OpenAI = require('openai')
const data = x => `data: ${JSON.stringify(x)}\n\n`
const chunk = (delta, finish_reason = null) =>
  data({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason }] })
const tokens = data({ id: 'c', model: 'm', choices: [], usage: { prompt_tokens: 100, completion_tokens: 20 } })
const text = chunk({ role: 'assistant', content: 'half' }), done = 'data: [DONE]\n\n'
const sse = body => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
const json = (body, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
const question = { model: 'm', messages: [{ role: 'user', content: 'q' }] }
const read = async client => {
  for await (const _ of await client.chat.completions.create({ ...question, stream: true }));
  return 'no error'
}
const ask = async (name, answer, use) => {
  memory.reset()
  const client = new OpenAI({ apiKey: 'x', maxRetries: 0, fetch: async () => answer })
  const ended = await use(client).catch(e => e.constructor.name)
  await new Promise(wake => setTimeout(wake, 50))
  const spans = memory.getFinishedSpans().map(s => `status ${s.status.code}, ` +
    `reasons ${JSON.stringify(s.attributes['gen_ai.response.finish_reasons'])}, ` +
    `tokens ${s.attributes['gen_ai.usage.output_tokens']}`)
  console.log(`${name}: ${ended}, ${spans.join() || 'no span'}`)
}
const main = async () => {
  await ask('whole stream', sse(text + chunk({}, 'stop') + tokens + done), read)
  await ask('refused', json({ error: { message: 'no' } }, 400), read)
  await ask('error in the stream', sse(text + data({ error: { message: 'overloaded' } })), read)
  await ask('left by the caller', sse(text + text + chunk({}, 'stop') + done), async client => {
    for await (const _ of await client.chat.completions.create({ ...question, stream: true })) break
    return 'no error'
  })
  await ask('ends early', sse(text), read)
  const message = { role: 'assistant', content: 'hi' }
  const answer = { id: 'c', model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }] }
  await ask('parse', json(answer), client => client.chat.completions.parse(question).then(() => 'no error'))
}
main()
JS
{
  node ask.cjs
  PLAIN=yes node ask.cjs | sed -n 's/^parse/parse without it/p'
} | tee seen
diff - seen <<'SEEN' || { echo "the instrumentation does something else now"; exit 1; }
whole stream: no error, status 0, reasons ["stop"], tokens 20
refused: BadRequestError, status 2, reasons undefined, tokens undefined
error in the stream: APIError, no span
left by the caller: no error, no span
ends early: no error, status 0, reasons [], tokens undefined
parse: TypeError, status 0, reasons ["stop"], tokens undefined
parse without it: no error, no span
SEEN
