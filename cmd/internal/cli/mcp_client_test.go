package cli

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/built"
)

const typescriptClient = `
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
const client = new Client({ name: 'test', version: '1' })
await client.connect(new StdioClientTransport({
  command: process.env.TRIBUNAL, args: ['mcp', '--allow-run', '--max-trials', '100'],
}))
console.log('tools', (await client.listTools()).tools.map((t) => t.name).sort().join(' '))
const verdict = await client.callTool({ name: 'verdict', arguments: { recording: 'a.csv', threshold: 0.5 } })
console.log('verdict', verdict.structuredContent.verdict, verdict.content[0].text.split('.')[0], verdict.isError ?? false)
const wrong = await client.callTool({ name: 'verdict', arguments: { recording: '../a.csv', threshold: 0.5 } })
console.log('wrong', wrong.isError, wrong.content[0].text)
let heard = 0
const run = await client.callTool({ name: 'run', arguments: {} }, undefined, { onprogress: () => heard++ })
console.log('run', run.structuredContent.verdict, heard > 0)
const method = await client.readResource({ uri: 'tribunal://methods/behaviour' })
console.log('method', method.contents[0].text.split('\n')[0])
console.log('templates', (await client.listResourceTemplates()).resourceTemplates.length)
await client.close()
console.log('closed')
`

// TestTypeScriptClient asks by the official client that others wrote.
func TestTypeScriptClient(t *testing.T) {
	modules := os.Getenv("TRIBUNAL_TEST_NODE_MODULES")
	if _, err := os.Stat(filepath.Join(modules, "@modelcontextprotocol", "sdk")); modules == "" || err != nil {
		t.Skip("the official TypeScript client is not installed")
	}
	folder := t.TempDir()
	writeFile(t, filepath.Join(folder, "a.csv"), recordingHead+recordingOf(rand.New(rand.NewPCG(1, 2)), 200, 0.9))
	writeFile(t, filepath.Join(folder, "client.mjs"), typescriptClient)
	suiteOfAgents(t, folder, "echo pass")
	if err := os.Symlink(modules, filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "node", "client.mjs")
	command.Dir = folder
	command.Env = append(os.Environ(), "TRIBUNAL="+built.Tribunal(t))
	out, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	for _, want := range []string{
		"tools check compare explain gate plan ratchet_try run verdict\n", "verdict pass PASS false\n",
		"wrong true \"../a.csv\" is outside",
		"run pass true\n", "method ## Behaviour\n", "templates 3\n", "closed\n",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("nothing says %q", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
}
