package ingest

import (
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// Why a row did not succeed.
const (
	promptfooAssertion = "1"
	promptfooError     = "2"
)

// row hands out the trial of a row.
func (p *promptfoo) row(r promptfooRow) error {
	t := newTrace(p.in, r.line)
	t.Scenario, t.Variant = p.test(r), p.variant(r)
	t.Model = providerModel(r.at("provider"))
	p.tags(t, r)
	p.judge(t, r)
	response := r.at("response")
	if response.at("cached").isTrue() {
		p.in.notes.remark("responses come from the cache: they repeat an earlier run and are no new trials; use --no-cache")
	}
	t.DurationSeconds = r.at("latencyMs").millis()
	t.Input = r.at("prompt", "raw").raw()
	if output := response.at("output"); output.exists() {
		p.answer(t, r, output)
	} else {
		t.Steps = nil
	}
	return p.in.emitTrace(t)
}

// answer makes steps of the response: what the provider did to give it is not
// recorded.
func (p *promptfoo) answer(t *trace, r promptfooRow, output node) {
	used := r.at("response", "tokenUsage")
	cost := r.either("cost").amount()
	if !cost.Known {
		cost = r.at("response", "cost").amount()
	}
	calls := output.parsed().list()
	for i, c := range calls {
		if c.at("function", "name").text() == "" {
			calls = calls[:i:i] // an answer of another kind
			break
		}
	}
	whole := output.output()
	a := answer{usage: usage{used.at("prompt").count(), used.at("completion").count(), cost}}
	for _, c := range calls {
		a.calls = append(a.calls, toolCall{c.at("id").text(), c.at("function", "name").text(), c.at("function", "arguments")})
	}
	if len(calls) == 0 {
		a.text = whole.Text()
	}
	t.addAnswer(a).DurationSeconds = t.DurationSeconds
	t.Output = whole
}

// judge sets the outcome. An error of the provider is no failure of an assertion.
func (p *promptfoo) judge(t *trace, r promptfooRow) {
	message := r.at("gradingResult", "reason").text()
	if e := r.at("error").text(); e != "" || message == "" {
		message = e
	}
	failed := r.at("response", "error").text()
	reason := r.at("failureReason").text()
	old := reason == "" && !r.at("gradingResult").exists() && (failed != "" || message != "")
	success := r.at("success").truth()
	switch {
	case !success.Known:
	case success.Value:
		t.Outcome, t.Score = trial.Pass, r.at("score").number()
	case reason == promptfooError || old:
		if message == "" {
			message = failed
		}
		t.setInfrastructureError("error", message)
	default:
		t.Outcome, t.Score = trial.Fail, r.at("score").number()
		if message != "" {
			t.Error = newCause("", message)
			if reason == promptfooAssertion {
				t.Error.Type = "assertion"
			}
		}
	}
}

func (p *promptfoo) tags(t *trace, r promptfooRow) {
	t.setTag("evalId", p.eval.at("evalId"))
	t.setTag("config.description", p.eval.at("config", "description"))
	t.setTag("provider.id", r.at("provider").either("id"))
	t.setTag("testIdx", r.at("testIdx"))
	t.setTag("promptIdx", r.at("promptIdx"))
	t.setTag("vars", r.at("vars"))
	t.setTag("testCase.metadata", r.at("testCase", "metadata"))
	t.setTag("namedScores", r.at("namedScores"))
}

// providerModel returns the name of a provider that is a model, such as
// openai:gpt-5. Programs and addresses are none.
func providerModel(provider node) string {
	id := provider.text()
	if provider.isObject() {
		id = provider.at("id").text()
	}
	vendor, model, ok := strings.Cut(id, ":")
	switch vendor {
	case "file", "exec", "http", "https", "ws", "wss", "python", "javascript", "package", "webhook", "golang", "ruby":
		return ""
	}
	if !ok || model == "" || strings.HasPrefix(model, "//") {
		return ""
	}
	return validText(id)
}
