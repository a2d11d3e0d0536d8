package benchmarks

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// Why a row did not succeed.
// failureReason is 0 where nothing failed.
const (
	promptfooAssertion = "1"
	promptfooError     = "2"
)

// row hands out the trial of a row.
// Latency is that of the whole row, and so of its only answer.
func (p *promptfoo) row(r promptfooRow) error {
	t := record.NewTrace(p.in, r.line)
	t.Scenario, t.Variant = p.test(r), p.variant(r)
	if eval := p.eval.At("evalId").OrElse(r.At("evalId")).Text(); eval != "" && r.Has("testIdx", "promptIdx") {
		t.ID = strings.Join([]string{eval, r.At("testIdx").Text(), r.At("promptIdx").Text()}, " ")
	}
	t.Model = providerModel(r.At("provider"))
	p.tags(t, r)
	p.judge(t, r)
	response := r.At("response")
	if response.At("cached").IsTrue() {
		p.in.Notes.Remark(
			"responses come from the cache: they repeat an earlier run and are no new trials; use --no-cache")
	}
	t.DurationSeconds = r.At("latencyMs").Millis()
	t.Input = r.At("prompt", "raw").Raw()
	if output := response.At("output"); output.Exists() {
		p.answer(t, r, output)
	} else {
		t.Steps = nil
	}
	return p.in.EmitTrace(t)
}

// answer makes steps of the response: what the provider did to give it is not
// recorded.
// The output may be calls of tools in the shape of OpenAI's, then it is no text.
func (p *promptfoo) answer(t *record.Trace, r promptfooRow, output record.Node) {
	used := r.At("response", "tokenUsage")
	cost := r.Either("cost").Amount()
	if !cost.Known {
		cost = r.At("response", "cost").Amount()
	}
	calls := output.Parsed().List()
	for i, c := range calls {
		if c.At("function", "name").Text() == "" {
			calls = calls[:i:i] // an answer of another kind
			break
		}
	}
	whole := output.Output()
	a := record.Answer{Usage: record.Usage{Input: used.At("prompt").Count(),
		Output: used.At("completion").Count(), Cost: cost}}
	for _, c := range calls {
		a.Calls = append(a.Calls, record.Call{ID: c.At("id").Text(), Tool: c.At("function", "name").Text(),
			Arguments: c.At("function", "arguments")})
	}
	if len(calls) == 0 {
		a.Text = whole.Text()
	}
	t.AddAnswer(a).DurationSeconds = t.DurationSeconds
	t.Output = whole
}

// judge sets the outcome. An error of the provider is no failure of an assertion.
// Before failureReason, an error of the provider had a message and no grading.
func (p *promptfoo) judge(t *record.Trace, r promptfooRow) {
	message := r.At("gradingResult", "reason").Text()
	if e := r.At("error").Text(); e != "" || message == "" {
		message = e
	}
	failed := r.At("response", "error").Text()
	reason := r.At("failureReason").Text()
	old := reason == "" && !r.At("gradingResult").Exists() && (failed != "" || message != "")
	success := r.At("success").Truth()
	switch {
	// A row that does not say whether it succeeded stays unjudged.
	case !success.Known:
	case success.Value:
		t.Outcome, t.Score = trial.Pass, r.At("score").Number()
	case reason == promptfooError || old:
		if message == "" {
			message = failed
		}
		t.SetInfrastructureError("error", message)
	case isUngraded(r):
		t.SetInfrastructureError("judge", message)
	default:
		t.Outcome, t.Score = trial.Fail, r.At("score").Number()
		if message != "" {
			t.Error = record.NewCause("", message)
			if reason == promptfooAssertion {
				t.Error.Type = "assertion"
			}
		}
	}
}

// isUngraded reports whether a row fails only as judges gave no verdict, which counts as a failed assertion there. That
// of a set of assertions is not one of its own.
func isUngraded(r promptfooRow) (ungraded bool) {
	for _, c := range r.At("gradingResult", "componentResults").List() {
		passed, metadata := c.At("pass").Truth(), c.At("metadata")
		switch {
		case metadata.At("graderError").IsTrue():
			ungraded = true
		case passed.Known && !passed.Value && !metadata.At("assertionSet").Exists():
			return false
		}
	}
	return ungraded
}

// tags keeps what tells evaluations, tests and prompts apart, and scores by name.
func (p *promptfoo) tags(t *record.Trace, r promptfooRow) {
	t.SetTag("evalId", p.eval.At("evalId"))
	t.SetTag("config.description", p.eval.At("config", "description"))
	t.SetTag("provider.id", r.At("provider").Either("id"))
	t.SetTag("testIdx", r.At("testIdx"))
	t.SetTag("promptIdx", r.At("promptIdx"))
	t.SetTag("vars", r.At("vars"))
	t.SetTag("testCase.metadata", r.At("testCase", "metadata"))
	t.SetTag("namedScores", r.At("namedScores"))
}

// providerModel returns the name of a provider that is a model, such as
// openai:gpt-5. Programs and addresses are none.
// A provider's id begins with who runs it, "openai:chat:gpt-5" as well.
func providerModel(provider record.Node) string {
	id := provider.Text()
	if provider.IsObject() {
		id = provider.At("id").Text()
	}
	vendor, model, ok := strings.Cut(id, ":")
	switch vendor {
	case "file", "exec", "http", "https", "ws", "wss", "python", "javascript", "package", "webhook", "golang", "ruby":
		return ""
	}
	if !ok || model == "" || strings.HasPrefix(model, "//") {
		return ""
	}
	return record.ValidText(id)
}
