// A client that others wrote asks the servers of a configuration file, and prints every message that it sent and got.
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CreateMessageRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [file, name, calls] = process.argv.slice(2);
const server = JSON.parse(readFileSync(file, "utf8")).mcpServers[name];
const transport = server.url
  ? new StreamableHTTPClientTransport(new URL(server.url))
  : new StdioClientTransport({ ...server, stderr: "ignore" });
const client = new Client({ name: "test", version: "1" }, { capabilities: { sampling: {} } });
client.setRequestHandler(CreateMessageRequestSchema, async () => ({
  model: "m", role: "assistant", content: { type: "text", text: "sampled" },
}));
const sent = [], got = [];
const send = transport.send.bind(transport);
transport.send = (message, options) => { sent.push(message); return send(message, options); };
await client.connect(transport);
const hear = transport.onmessage;
transport.onmessage = (message, extra) => { got.push(message); hear(message, extra); };

const { tools } = await client.listTools();
const results = [];
for (const call of JSON.parse(calls)) {
  try {
    results.push(await client.callTool(call));
  } catch (e) {
    results.push({ thrown: e.message });
  }
}
const others = [];
if (client.getServerCapabilities().prompts) others.push(await client.listPrompts());
if (client.getServerCapabilities().resources) others.push(await client.listResources());
await client.close();
// Notifications come when they like, and numbers of sessions differ.
const plain = (all) => all.filter((m) => m.id !== undefined);
console.log(JSON.stringify({ tools: tools.map((t) => t.name), results, others, sent: plain(sent), got: plain(got) }));
process.exit(0);
