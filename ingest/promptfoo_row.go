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
	t.DurationSeconds = r.at("latencyMs").amount()
	if t.DurationSeconds.Known {
		t.DurationSeconds.Value /= 1000
	}
	t.Input = r.at("prompt", "raw").raw()
	if output := response.at("output"); output.exists() {
		p.answer(t, r, output)
	} else {
		t.Steps = nil
	}
	return p.in.trial(t)
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
	t.Output = returned(output)
	text := ""
	if len(calls) == 0 {
		text = t.Output.Text()
	}
	step := t.answer(text, len(calls) > 0, usage{used.at("prompt").count(), used.at("completion").count(), cost})
	step.DurationSeconds = t.DurationSeconds
	for _, c := range calls {
		t.call(c.at("id").text(), c.at("function", "name").text(), c.at("function", "arguments"))
	}
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
		t.fail("error", message)
	default:
		t.Outcome, t.Score = trial.Fail, r.at("score").number()
		if message != "" {
			t.Error = &trial.Cause{Message: validText(cut(message))}
			if reason == promptfooAssertion {
				t.Error.Type = "assertion"
			}
		}
	}
}

func (p *promptfoo) tags(t *trace, r promptfooRow) {
	t.tagTree("evalId", p.eval.at("evalId"))
	t.tagTree("config.description", p.eval.at("config", "description"))
	t.tagTree("provider.id", r.at("provider").either("id"))
	t.tagTree("testIdx", r.at("testIdx"))
	t.tagTree("promptIdx", r.at("promptIdx"))
	t.tagTree("vars", r.at("vars"))
	t.tagTree("testCase.metadata", r.at("testCase", "metadata"))
	t.tagTree("namedScores", r.at("namedScores"))
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
