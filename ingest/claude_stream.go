package ingest

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// showsClaudeStream looks for the events of a run. The lines of a session file are
// much alike, and name their parent.
func showsClaudeStream(s *shape) bool {
	if s.any(func(n node) bool {
		return n.at("type").text() == "tool_call" || n.has("sessionId") || n.has("parentUuid")
	}) {
		return false // of another program, or a session file
	}
	return s.any(func(n node) bool {
		switch n.at("type").text() {
		case "system":
			return n.at("subtype").text() == "init" && n.at("session_id").isText()
		case "assistant", "user":
			return n.at("message").isObject() && (n.has("parent_tool_use_id") || n.at("session_id").isText())
		case "result":
			return n.at("total_cost_usd").exists() || n.at("subtype").isText() && (n.has("num_turns") || n.has("duration_api_ms"))
		}
		return false
	})
}

// claudeStream reads the events of the runs in a file.
type claudeStream struct {
	in   *input
	runs []*claudeRun // that may go on, in the order of their beginnings
	cut  int          // runs without a result
}

// claudeRun is the trial of a session. It may have several results, one for each
// prompt that the session was given.
type claudeRun struct {
	*anthropicTrace
	session string // "" if unknown
	isOver  bool   // it has a result
	isKnown bool   // steps are recorded, not only the result
	model   string // that was asked for
	failure apiFailure
	total   runningTotal
	turns   usage // of results that give no tokens of the session as a whole
}

// readClaudeStream makes a trial of each session. The program may write the events
// as lines or as an array, or the results alone.
func readClaudeStream(in *input) error {
	s := &claudeStream{in: in}
	if err := in.records(s.event); err != nil {
		return err
	}
	for _, r := range s.runs {
		if err := s.end(r); err != nil {
			return err
		}
	}
	if s.cut > 0 {
		in.notes.remark(fmt.Sprintf("runs without a result: %d; were they stopped?", s.cut))
	}
	return nil
}

func (s *claudeStream) event(n node, line int) error {
	kind := n.at("type").text()
	switch kind {
	case "assistant", "user", "result":
	case "system":
		if n.at("subtype").text() != "init" {
			return nil
		}
	case "stream_event", "rate_limit_event", "tool_progress", "tool_use_summary", "prompt_suggestion", "auth_status",
		"keep_alive", "control_request", "control_response", "control_cancel_request":
		return nil
	default:
		s.in.notes.skip(unknownEvent)
		return nil
	}
	r, err := s.run(n.at("session_id").text(), line)
	if err != nil {
		return err
	}
	r.event(kind, n)
	return nil
}

// run returns the run that an event belongs to. Runs that were written to a file at
// once may alternate; an event that names no session belongs to the last one.
func (s *claudeStream) run(session string, line int) (*claudeRun, error) {
	for _, r := range s.runs {
		if session != "" && r.session == session {
			return r, nil
		}
	}
	if len(s.runs) > 0 {
		r := s.runs[len(s.runs)-1]
		if !r.isOver && (session == "" || r.session == "") {
			if session != "" {
				r.session = session
			}
			return r, nil
		}
	}
	var open []*claudeRun
	for _, r := range s.runs {
		if !r.isOver {
			open = append(open, r)
			continue
		}
		if err := s.end(r); err != nil {
			return nil, err
		}
	}
	r := &claudeRun{anthropicTrace: newAnthropicTrace(s.in, line), session: session}
	s.runs = append(open, r)
	return r, nil
}

func (r *claudeRun) event(kind string, n node) {
	r.isKnown = r.isKnown || kind != "result"
	p := messagePart{depth: r.depth(n.at("parent_tool_use_id"))}
	switch kind {
	case "system":
		r.setTags("", n, "session_id", "cwd", "permissionMode", "claude_code_version", "output_style")
		r.model = n.at("model").text()
	case "assistant":
		m := n.at("message")
		if p.depth == 0 {
			text, _ := m.at("content").blockText()
			r.failure = apiFailure{n.at("error").text(), text}
		}
		if m.at("model").text() != syntheticModel {
			p.final = m.at("stop_reason").isText() // before, the usage is that of the beginning
			r.message(m, p)
		}
	case "user":
		r.results(n.at("message"), n.at("tool_use_result"), p, !n.at("isSynthetic").isTrue())
	case "result":
		r.complete(n)
	}
}

// syntheticModel is what Claude Code names as the model of a message of its own.
const syntheticModel = "<synthetic>"

// depth is how deep the agent is whose sub-agent was started by the call.
func (r *claudeRun) depth(parent node) int {
	if !parent.isText() {
		return 0
	}
	return r.calls[parent.text()].depth + 1
}

// complete reads a result. Costs and the usage of the models are those of the
// session so far, the plain usage and the duration those of the last prompt.
func (r *claudeRun) complete(n node) {
	r.isOver = true
	r.setTags("", n, "session_id", "subtype", "stop_reason", "num_turns")
	add(&r.DurationSeconds, n.at("duration_ms").millis())
	models := n.at("modelUsage")
	u := usage{cost: n.either("total_cost_usd", "total_cost", "cost_usd").amount()}
	for _, m := range models.members() {
		add(&u.input, plus(m.at("inputTokens").count(), m.at("cacheReadInputTokens").count(), m.at("cacheCreationInputTokens").count()))
		add(&u.output, m.at("outputTokens").count())
	}
	r.total.read(u)
	turn := anthropicUsage(n.at("usage"))
	add(&r.turns.input, turn.input)
	add(&r.turns.output, turn.output)
	if r.model == "" {
		r.model = mostUsed(models, "outputTokens")
	}
	r.judge(n)
	r.Output = nil
	if structured := n.at("structured_output"); structured.exists() {
		r.Output = structured.raw()
	} else if n.at("result").isText() && r.Error == nil {
		r.Output = trial.RawString(n.at("result").text())
	}
}

// judge notes what a result says went wrong. It never says that the task was done.
func (r *claudeRun) judge(n node) {
	r.Outcome, r.Error = trial.Unjudged, nil
	subtype := n.at("subtype").text()
	isFailed := strings.HasPrefix(subtype, "error_")
	if !n.at("is_error").isTrue() && !isFailed {
		return
	}
	message := n.at("result").text()
	if texts, _ := n.at("errors").blockText(); message == "" {
		message = texts
	}
	f := apiFailure{r.failure.kind, message}
	if f.kind == "" && isFailed {
		f.kind = subtype
	}
	switch subtype {
	case "error_max_turns", "error_max_budget_usd", "error_max_structured_output_retries": // the agent's own doing
		r.Error = newCause(subtype, message)
	default:
		f.set(&r.Trial)
	}
}

// end hands out the trial of a run.
func (s *claudeStream) end(r *claudeRun) error {
	if !r.isOver {
		s.cut++
		if r.failure.kind != "" {
			r.failure.set(&r.Trial)
		}
	}
	if r.Model == "" {
		r.Model = r.model
	}
	u := r.total.sum()
	if !u.input.Known {
		u.input, u.output = r.turns.input, r.turns.output
	}
	r.addTotals(u)
	t := r.anthropicTrace.end()
	if !r.isKnown {
		t.Steps = nil
	}
	return s.in.emitTrace(t)
}
