package runner

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/nodeserver"
	"github.com/tribunal-dev/tribunal/trial"
)

// The server of aimock speaks the forms of both providers, as others have read their references. Now and then it
// refuses a request.
const aimockServer = `
import { LLMock } from '@copilotkit/aimock'
const mock = new LLMock({ port: 0, strict: true })
let asked = 0
mock.on({ predicate: () => asked++ % 15 === 2 }, { error: { message: 'slow down' }, status: 429 })
mock.on({ userMessage: 'break' }, { error: { message: 'no such model' }, status: 400 })
mock.on({ hasToolResult: false, userMessage: 'order 7', systemMessage: 'a shop' },
  { toolCalls: [{ name: 'look_up', arguments: '{"id": 7}' }] })
mock.on({ systemMessage: 'You judge', userMessage: '"output":"It is on its way."' },
  { content: '{"reason": "it tells where", "level": "good"}' })
mock.on({ hasToolResult: true, toolResultContains: 'on its way' }, { content: 'It is on its way.' })
await mock.start()
console.log(mock.url)
process.stdin.on('end', () => process.exit(0)).resume()
`

// TestModelsOfOthers asks a server that others wrote.
func TestModelsOfOthers(t *testing.T) {
	modules := os.Getenv("TRIBUNAL_TEST_NODE_MODULES")
	if _, err := os.Stat(filepath.Join(modules, "@copilotkit", "aimock")); modules == "" || err != nil {
		t.Skip("aimock is not installed")
	}
	folder := t.TempDir()
	if err := nodeserver.Fill(folder, modules, map[string]string{"server.mjs": aimockServer}); err != nil {
		t.Fatal(err)
	}
	url, stop, err := nodeserver.Start(folder, "server.mjs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stop() })
	for provider, base := range map[string]string{"openai": url + "/v1", "anthropic": url} {
		t.Run(provider, func(t *testing.T) {
			s := parse(t, `
version: 1
name: aimock
agent:
  model:
    provider: `+provider+`
    name: m
    url: `+base+`
    system: You work for a shop.
    prompt: "Where is {input}?"
    tools:
      - name: look_up
        parameters: {type: object, required: [id]}
        results: [{when: {id: 7}, result: {status: on its way}}]
  retries: {infrastructure: 20, backoff: 1ms}
test: {threshold: 0.8, delta: 0.4, alpha: 0.1, beta: 0.1}
limits: {max_turns: 2, max_cost_usd: none}
scenarios:
  - name: order
    input: order 7
    trials: 6
    evaluate:
      - contains: on its way
      - must-call: look_up
      - model: {provider: `+provider+`, name: m, url: `+base+`, prompt: Is it good?, levels: [bad, good], cache: false}
  - {name: break, input: break, trials: 3, evaluate: [contains: x]}
`)
			o, err := Prepare(context.Background(), s, s.Scenarios, PrepareOptions{})
			if err != nil {
				t.Fatal(err)
			}
			o.Journal = filepath.Join(t.TempDir(), "journal")
			r, err := Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			order, broken := r.Tests[0], r.Tests[1]
			if order.Trials != 6 || order.Failures != 0 || order.Errors != 0 || broken.Errors != 3 {
				t.Errorf("%+v\n%+v\n%s", order, broken, content(t, o.Journal))
			}
			for _, record := range r.Trials {
				x := record.Trial
				told := x.Turns.Value == 2 && x.ToolCalls.Value == 1 && x.InputTokens.Known && len(x.Steps) == 3
				if x.Outcome == trial.Pass && !told {
					t.Errorf("%+v", x)
				}
			}
			if journal := content(t, o.Journal); !strings.Contains(journal, "400 Bad Request: no such model") {
				t.Error(journal)
			}
		})
	}
}
