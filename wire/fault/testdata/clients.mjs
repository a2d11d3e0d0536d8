// A client that others wrote asks a server that others wrote, once for each line that it reads: where, how often it may
// ask again (-1: as it does by default), and whether the answer is to come in parts. It prints what it had: the answer,
// or the class and the status of its error.
import { createInterface } from 'node:readline'

const parameters = { type: 'object', properties: { id: { type: 'integer' } } }
const question = 'where is order 7?'
const patience = { timeout: 400 } // milliseconds, of those that are not to be answered
const retries = n => (n < 0 ? {} : { maxRetries: n })

async function openaiChat({ base, retry, stream, brief }) {
  const { default: OpenAI } = await import('openai')
  const client = new OpenAI({ apiKey: 'x', baseURL: base + '/openai/v1', ...retries(retry), ...(brief ? patience : {}) })
  const asked = {
    model: 'gpt-5', messages: [{ role: 'user', content: question }],
    tools: [{ type: 'function', function: { name: 'look_up', parameters } }]
  }
  const answer = stream
    ? await client.chat.completions.stream(asked).finalChatCompletion()
    : await client.chat.completions.create(asked)
  const { message, finish_reason } = answer.choices[0]
  const calls = (message.tool_calls ?? []).map(c => ({ name: c.function.name, arguments: c.function.arguments }))
  return { model: answer.model, finish: finish_reason, text: message.content, refusal: message.refusal, calls }
}

async function openaiResponses({ base, retry, stream, brief }) {
  const { default: OpenAI } = await import('openai')
  const client = new OpenAI({ apiKey: 'x', baseURL: base + '/openai/v1', ...retries(retry), ...(brief ? patience : {}) })
  const asked = { model: 'gpt-5', input: question, tools: [{ type: 'function', name: 'look_up', parameters, strict: false }] }
  const answer = stream ? await client.responses.stream(asked).finalResponse() : await client.responses.create(asked)
  const calls = answer.output.filter(o => o.type === 'function_call').map(c => ({ name: c.name, arguments: c.arguments }))
  const refusal = answer.output.flatMap(o => o.content ?? []).find(c => c.type === 'refusal')?.refusal
  const finish = answer.incomplete_details?.reason ?? answer.status
  return { model: answer.model, finish, text: answer.output_text, refusal, calls }
}

async function anthropic({ base, retry, stream, brief }) {
  const { default: Anthropic } = await import('@anthropic-ai/sdk')
  const client = new Anthropic({ apiKey: 'x', baseURL: base + '/anthropic', ...retries(retry), ...(brief ? patience : {}) })
  const asked = {
    model: 'claude-test', max_tokens: 100, messages: [{ role: 'user', content: question }],
    tools: [{ name: 'look_up', input_schema: parameters }]
  }
  const answer = stream ? await client.messages.stream(asked).finalMessage() : await client.messages.create(asked)
  const calls = answer.content.filter(b => b.type === 'tool_use').map(c => ({ name: c.name, arguments: c.input }))
  const text = answer.content.filter(b => b.type === 'text').map(b => b.text).join('')
  return { model: answer.model, finish: answer.stop_reason, text, calls }
}

async function gemini({ base, retry, stream, brief }) {
  const { GoogleGenAI } = await import('@google/genai')
  const httpOptions = { baseUrl: base + '/gemini' }
  if (retry >= 0) httpOptions.retryOptions = { attempts: retry + 1 }
  if (brief) httpOptions.timeout = patience.timeout
  const client = new GoogleGenAI({ apiKey: 'x', httpOptions })
  const asked = {
    model: 'gemini-2.5-flash', contents: [{ role: 'user', parts: [{ text: question }] }],
    config: { tools: [{ functionDeclarations: [{ name: 'look_up', parametersJsonSchema: parameters }] }] }
  }
  const had = { text: '', calls: [] }
  const take = answer => {
    had.model = answer.modelVersion ?? had.model
    const candidate = answer.candidates[0]
    had.finish = candidate.finishReason ?? had.finish
    for (const p of candidate.content?.parts ?? []) {
      had.text += p.text ?? ''
      if (p.functionCall) had.calls.push({ name: p.functionCall.name, arguments: p.functionCall.args })
    }
  }
  if (stream) for await (const part of await client.models.generateContentStream(asked)) take(part)
  else take(await client.models.generateContent(asked))
  return had
}

async function ollama({ base, stream, brief }) {
  const { Ollama } = await import('ollama')
  const waits = (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(patience.timeout) })
  const client = new Ollama({ host: base + '/ollama', ...(brief ? { fetch: waits } : {}) })
  const tools = [{ type: 'function', function: { name: 'look_up', description: 'x', parameters } }]
  const asked = { model: 'llama3', messages: [{ role: 'user', content: question }], tools }
  const had = { text: '', calls: [] }
  const take = part => {
    had.model = part.model
    had.text += part.message.content ?? ''
    for (const c of part.message.tool_calls ?? []) had.calls.push({ name: c.function.name, arguments: c.function.arguments })
    had.finish = part.done_reason ?? had.finish
  }
  if (stream) for await (const part of await client.chat({ ...asked, stream: true })) take(part)
  else take(await client.chat(asked))
  return had
}

const client = { openaiChat, openaiResponses, anthropic, gemini, ollama }[process.argv[2]]
for await (const line of createInterface({ input: process.stdin })) {
  let had
  try {
    had = await client(JSON.parse(line))
    if (had.text === null || had.text === undefined) had.text = ''
    if (!had.refusal) delete had.refusal
  } catch (e) {
    had = { class: e.constructor.name, status: e.status ?? e.status_code ?? e.code ?? 0, name: e.name }
    if (!Number.isInteger(had.status)) had.status = 0
  }
  console.log(JSON.stringify(had))
}
process.exit(0)
