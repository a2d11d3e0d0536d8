// An agent whose tools are those of servers of the Model Context Protocol: it asks a model, calls what the model calls,
// and prints what it said and what that took.
//
// node agent.mjs TASK SERVER...: the server, a command, is started in the working directory.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import OpenAI from 'openai'

const [task, command, ...args] = process.argv.slice(2)
const server = new Client({ name: 'agent', version: '1' })
await server.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }))
const { tools } = await server.listTools()
const offered = tools.map(t => ({
  type: 'function',
  function: { name: t.name, description: t.description, parameters: t.inputSchema },
}))

const model = new OpenAI() // which reads OPENAI_BASE_URL and OPENAI_API_KEY
const messages = [{ role: 'user', content: task }]
const took = { turns: 0, tool_calls: 0, input_tokens: 0, cached_tokens: 0, output_tokens: 0 }
let said
do {
  const answer = await model.chat.completions.create({ model: process.env.MODEL ?? 'gpt-5-mini', messages, tools: offered })
  took.turns++
  took.input_tokens += answer.usage.prompt_tokens
  took.cached_tokens += answer.usage.prompt_tokens_details?.cached_tokens ?? 0
  took.output_tokens += answer.usage.completion_tokens
  said = answer.choices[0].message
  messages.push(said)
  for (const call of said.tool_calls ?? []) {
    took.tool_calls++
    const { content } = await server.callTool({ name: call.function.name, arguments: JSON.parse(call.function.arguments) })
    const text = content.filter(part => part.type === 'text').map(part => part.text).join('')
    messages.push({ role: 'tool', tool_call_id: call.id, content: text })
  }
} while (said.tool_calls?.length)
await server.close()
console.log(JSON.stringify({ result: said.content, ...took }))
