// Clients that others wrote ask a server that others wrote, straight or over the wire, and print what they had: for each
// conversation a line with texts, calls of tools, why an answer ended, and the usage that they tell. Each loads its own
// client alone. It is offered two tools; with "custom" as the third word a custom tool too, where there are such.
import { createInterface } from 'node:readline'

const parameters = { type: 'object', properties: { id: { type: 'integer' } } }
const question = 'where is order 7?'
const names = ['look_up', 'forget']
const custom = process.argv[4] === 'custom' ? [{ type: 'custom', name: 'run' }] : []
const print = (name, turns) => console.log(JSON.stringify({ name, turns }))

async function openaiChat(stream) {
  const { default: OpenAI } = await import('openai')
  const client = new OpenAI({ maxRetries: 3 })
  const messages = [{ role: 'user', content: question }]
  const tools = names.map(name => ({ type: 'function', function: { name, parameters } }))
  const turns = []
  for (let turn = 0; turn < 2; turn++) {
    const asked = { model: 'gpt-5', messages, tools }
    let answer
    if (stream) {
      const parts = client.chat.completions.stream({ ...asked, stream_options: { include_usage: true } })
      answer = await parts.finalChatCompletion()
    } else answer = await client.chat.completions.create(asked)
    const said = answer.choices[0].message
    messages.push(said)
    const calls = (said.tool_calls ?? []).map(c => ({ name: c.function.name, arguments: JSON.parse(c.function.arguments) }))
    for (const c of said.tool_calls ?? []) messages.push({ role: 'tool', tool_call_id: c.id, content: 'on its way' })
    const usage = answer.usage
    turns.push({
      text: said.content ?? '', calls, finish: answer.choices[0].finish_reason,
      input: usage?.prompt_tokens, output: usage?.completion_tokens, cached: usage?.prompt_tokens_details?.cached_tokens,
      reasoning: usage?.completion_tokens_details?.reasoning_tokens
    })
  }
  print(`openai chat ${stream ? 'streamed' : 'whole'}`, turns)
}

async function openaiResponses(stream) {
  const { default: OpenAI } = await import('openai')
  const client = new OpenAI({ maxRetries: 3 })
  const input = [{ role: 'user', content: question }]
  const tools = [...names.map(name => ({ type: 'function', name, parameters, strict: false })), ...custom]
  const turns = []
  for (let turn = 0; turn < 2; turn++) {
    const asked = { model: 'gpt-5', input, tools }
    const answer = stream ? await client.responses.stream(asked).finalResponse() : await client.responses.create(asked)
    const called = answer.output.filter(o => o.type === 'function_call' || o.type === 'custom_tool_call')
    const text = answer.output.filter(o => o.type === 'message').flatMap(o => o.content).map(c => c.text).join('')
    for (const c of called) {
      input.push(c, { type: `${c.type}_output`, call_id: c.call_id, output: 'on its way' })
    }
    const calls = called.map(c => ({ name: c.name, arguments: c.type === 'function_call' ? JSON.parse(c.arguments) : c.input }))
    const usage = answer.usage
    turns.push({
      text, calls, finish: answer.incomplete_details?.reason ?? answer.status,
      input: usage?.input_tokens, output: usage?.output_tokens, cached: usage?.input_tokens_details?.cached_tokens,
      reasoning: usage?.output_tokens_details?.reasoning_tokens
    })
  }
  print(`openai responses ${stream ? 'streamed' : 'whole'}`, turns)
}

async function anthropic(stream) {
  const { default: Anthropic } = await import('@anthropic-ai/sdk')
  const client = new Anthropic({ maxRetries: 3 })
  const messages = [{ role: 'user', content: question }]
  const tools = names.map(name => ({ name, input_schema: parameters }))
  const turns = []
  for (let turn = 0; turn < 2; turn++) {
    const asked = { model: 'claude-sonnet-4-5', max_tokens: 100, messages, tools }
    const answer = stream ? await client.messages.stream(asked).finalMessage() : await client.messages.create(asked)
    messages.push({ role: 'assistant', content: answer.content })
    const called = answer.content.filter(b => b.type === 'tool_use')
    if (called.length) {
      const content = called.map(c => ({ type: 'tool_result', tool_use_id: c.id, content: 'on its way' }))
      messages.push({ role: 'user', content })
    }
    const text = answer.content.filter(b => b.type === 'text').map(b => b.text).join('')
    const calls = called.map(c => ({ name: c.name, arguments: c.input }))
    const { input_tokens: input, output_tokens: output, cache_read_input_tokens: cached } = answer.usage
    turns.push({ text, calls, finish: answer.stop_reason, input, output, cached })
  }
  print(`anthropic ${stream ? 'streamed' : 'whole'}`, turns)
}

async function gemini(stream) {
  const { GoogleGenAI } = await import('@google/genai')
  const client = new GoogleGenAI({ apiKey: 'x', httpOptions: { baseUrl: process.env.GOOGLE_GEMINI_BASE_URL } })
  const contents = [{ role: 'user', parts: [{ text: question }] }]
  const config = { tools: [{ functionDeclarations: names.map(name => ({ name, parametersJsonSchema: parameters })) }] }
  const turns = []
  for (let turn = 0; turn < 2; turn++) {
    const asked = { model: 'gemini-2.5-flash', contents, config }
    const parts = []
    let usage, finish
    const take = answer => {
      finish = answer.candidates?.[0]?.finishReason ?? finish
      parts.push(...(answer.candidates?.[0]?.content?.parts ?? []))
      usage = answer.usageMetadata ?? usage
    }
    if (stream) for await (const part of await client.models.generateContentStream(asked)) take(part)
    else take(await client.models.generateContent(asked))
    contents.push({ role: 'model', parts })
    const called = parts.filter(p => p.functionCall).map(p => p.functionCall)
    if (called.length) {
      const results = called.map(c => ({ functionResponse: { id: c.id, name: c.name, response: { output: 'on its way' } } }))
      contents.push({ role: 'user', parts: results })
    }
    const text = parts.map(p => p.text ?? '').join('')
    const calls = called.map(c => ({ name: c.name, arguments: c.args }))
    turns.push({
      text, calls, finish, input: usage?.promptTokenCount, output: usage?.candidatesTokenCount,
      cached: usage?.cachedContentTokenCount, reasoning: usage?.thoughtsTokenCount
    })
  }
  print(`gemini ${stream ? 'streamed' : 'whole'}`, turns)
}

async function ollama(stream) {
  const { Ollama } = await import('ollama')
  const client = new Ollama({ host: process.env.OLLAMA_HOST })
  const messages = [{ role: 'user', content: question }]
  const tools = names.map(name => ({ type: 'function', function: { name, description: 'x', parameters } }))
  const turns = []
  for (let turn = 0; turn < 2; turn++) {
    const said = { role: 'assistant', content: '', tool_calls: [] }
    let last
    const take = part => {
      said.content += part.message.content ?? ''
      said.tool_calls.push(...(part.message.tool_calls ?? []))
      last = part
    }
    if (stream) for await (const part of await client.chat({ model: 'llama3', messages, tools, stream: true })) take(part)
    else take(await client.chat({ model: 'llama3', messages, tools }))
    messages.push(said)
    for (const c of said.tool_calls) messages.push({ role: 'tool', tool_name: c.function.name, content: 'on its way' })
    const calls = said.tool_calls.map(c => ({ name: c.function.name, arguments: c.function.arguments }))
    turns.push({ text: said.content, calls, finish: last.done_reason, input: last.prompt_eval_count, output: last.eval_count })
  }
  print(`ollama ${stream ? 'streamed' : 'whole'}`, turns)
}

// The AI SDK goes on by itself with what tools answer. Each of its providers finds its server in another way.
const aiSDK = (name, model) => async stream => {
  const { generateText, streamText, tool, jsonSchema, stepCountIs } = await import('ai')
  const execute = async () => 'on its way'
  const tools = Object.fromEntries(names.map(n => [n, tool({ inputSchema: jsonSchema(parameters), execute })]))
  const asked = { model: await model(), prompt: question, tools, stopWhen: stepCountIs(2), maxRetries: 3 }
  const steps = stream ? await streamText(asked).steps : (await generateText(asked)).steps
  print(`${name} ${stream ? 'streamed' : 'whole'}`, steps.map(s => ({
    text: s.text, calls: s.toolCalls.map(c => ({ name: c.toolName, arguments: c.input })), finish: s.finishReason,
    input: s.usage.inputTokens, output: s.usage.outputTokens, cached: s.usage.inputTokenDetails?.cacheReadTokens,
    reasoning: s.usage.outputTokenDetails?.reasoningTokens
  })))
}
const aiOpenAI = aiSDK('ai openai', async () => (await import('@ai-sdk/openai')).openai('gpt-5'))
const aiOpenAIChat = aiSDK('ai openai chat', async () => (await import('@ai-sdk/openai')).openai.chat('gpt-5'))
const aiAnthropic = aiSDK('ai anthropic', async () =>
  (await import('@ai-sdk/anthropic')).anthropic('claude-sonnet-4-5'))
// These three read no variable.
const aiCompatible = aiSDK('ai compatible', async () => {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  return createOpenAICompatible({
    name: 'own', baseURL: process.env.OPENAI_BASE_URL, apiKey: 'x', includeUsage: true
  })('gpt-5')
})
const aiGoogle = aiSDK('ai google', async () => (await import('@ai-sdk/google')).createGoogleGenerativeAI({
  baseURL: `${process.env.GOOGLE_GEMINI_BASE_URL}/v1beta`, apiKey: 'x'
})('gemini-2.5-flash'))
const aiMistral = aiSDK('ai mistral', async () => (await import('@ai-sdk/mistral')).createMistral({
  baseURL: process.env.OPENAI_BASE_URL, apiKey: 'x'
})('mistral-large-latest'))

async function langchain(stream) {
  const { ChatOpenAI } = await import('@langchain/openai')
  const { HumanMessage, ToolMessage } = await import('@langchain/core/messages')
  const tools = names.map(name => ({ type: 'function', function: { name, parameters } }))
  const model = new ChatOpenAI({ model: 'gpt-4o', maxRetries: 3 }).bindTools(tools)
  const messages = [new HumanMessage(question)]
  const turns = []
  for (let turn = 0; turn < 2; turn++) {
    let said
    if (stream) for await (const part of await model.stream(messages)) said = said ? said.concat(part) : part
    else said = await model.invoke(messages)
    messages.push(said, ...said.tool_calls.map(c => new ToolMessage({ tool_call_id: c.id, content: 'on its way' })))
    const usage = said.usage_metadata
    turns.push({
      text: said.content, calls: said.tool_calls.map(c => ({ name: c.name, arguments: c.args })),
      finish: said.response_metadata.finish_reason, input: usage?.input_tokens, output: usage?.output_tokens
    })
  }
  print(`langchain ${stream ? 'streamed' : 'whole'}`, turns)
}

async function openaiAgents(stream) {
  const { Agent, run, tool, setTracingDisabled } = await import('@openai/agents')
  setTracingDisabled(true)
  const schema = { ...parameters, required: ['id'], additionalProperties: false }
  const execute = async () => 'on its way'
  const tools = names.map(name => tool({ name, description: 'x', parameters: schema, strict: true, execute }))
  const result = await run(new Agent({ name: 'orders', model: 'gpt-5', tools }), question, { maxTurns: 3, stream })
  if (stream) await result.completed
  print(`openai agents ${stream ? 'streamed' : 'whole'}`, result.rawResponses.map(r => ({
    text: r.output.filter(o => o.type === 'message').flatMap(o => o.content).map(c => c.text).join(''),
    calls: r.output.filter(o => o.type === 'function_call')
      .map(o => ({ name: o.name, arguments: JSON.parse(o.arguments) })),
    input: r.usage.inputTokens, output: r.usage.outputTokens
  })))
}

const ways = {
  openaiChat, openaiResponses, anthropic, gemini, ollama, aiOpenAI, aiOpenAIChat, aiAnthropic, aiCompatible, aiGoogle,
  aiMistral, langchain, openaiAgents
}
const converse = () => ways[process.argv[2]](process.argv[3] === 'streamed')
if (process.argv[4] === 'again') { // once for each line, which has the variables that clients read
  for await (const line of createInterface({ input: process.stdin })) {
    Object.assign(process.env, JSON.parse(line))
    await converse()
  }
} else await converse()
