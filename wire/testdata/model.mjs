// A server that others wrote stands for all models.
import { LLMock } from '@copilotkit/aimock'
const mock = new LLMock({ port: 0 })
mock.on({ hasToolResult: true }, { content: 'It is on its way.' })
mock.on({ hasToolResult: false, userMessage: 'order 7' }, { toolCalls: [{ name: 'look_up', arguments: '{"id": 7}' }] })
await mock.start()
console.log(mock.url)
process.stdin.on('end', () => process.exit(0)).resume()
