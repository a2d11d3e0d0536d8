package ingest

import (
	"fmt"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

func showsGeminiCLI(s *shape) bool {
	return s.any(func(n node) bool {
		switch n.at("type").text() {
		case "init":
			return n.has("session_id", "model", "timestamp")
		case "tool_use":
			return n.has("tool_name", "tool_id")
		case "result":
			return n.at("status").isText() && n.at("stats").has("input_tokens", "tool_calls")
		}
		return false
	})
}

// geminiCLI reads the runs of a file, one after the other.
type geminiCLI struct {
	in  *input
	run *geminiRun // nil before the first
}

type geminiRun struct {
	*trace
	answer int                  // the step of the answer that is being given, -1 if none
	calls  map[string]time.Time // when they were made
	model  string               // that was asked for
	isOver bool                 // it has a result
}

// readGeminiCLI makes a trial of each run.
func readGeminiCLI(in *input) error {
	g := &geminiCLI{in: in}
	if err := in.records(g.event); err != nil {
		return err
	}
	return g.end()
}

func (g *geminiCLI) event(n node, line int) error {
	kind := n.at("type").text()
	switch kind {
	case "init", "message", "tool_use", "tool_result", "error", "result":
	default:
		g.in.notes.skip(unknownEvent)
		return nil
	}
	if g.run == nil || g.run.isOver || kind == "init" {
		if err := g.end(); err != nil {
			return err
		}
		g.run = &geminiRun{trace: newTrace(g.in, line), answer: -1, calls: map[string]time.Time{}}
	}
	r := g.run
	r.addTime(n.at("timestamp").time())
	switch kind {
	case "init":
		r.model = n.at("model").text()
		r.setTags("", n, "session_id", "model")
	case "message":
		r.message(n, g.in.notes)
	case "tool_use":
		r.reply()
		r.Steps[r.answer].Action = trial.Reason
		id := n.at("tool_id").text()
		r.calls[id] = n.at("timestamp").time()
		r.addCall(toolCall{id, n.at("tool_name").text(), n.at("parameters")})
	case "tool_result":
		r.toolResult(n, g.in.notes)
	case "error":
		if n.at("severity").text() != "error" {
			g.in.notes.pass(warning)
			break
		}
		r.Error = newCause("", n.at("message").text())
	case "result":
		r.complete(n)
	}
	return nil
}

// reply opens an answer of the model: its text comes first, then its calls, and
// after their results another answer.
func (r *geminiRun) reply() {
	if r.answer < 0 {
		r.addAnswer(answer{})
		r.answer = len(r.Steps) - 1
	}
}

func (r *geminiRun) message(n node, notes *notes) {
	text := n.at("content").text()
	switch n.at("role").text() {
	case "user":
		r.answer = -1
		if r.Input == nil {
			r.Input = trial.RawString(text)
		}
	case "assistant":
		if r.answer >= 0 && !n.at("delta").isTrue() {
			r.answer = -1 // a whole one
		}
		r.reply()
		s := &r.Steps[r.answer]
		s.Output = trial.RawString(s.Output.Text() + text)
	default:
		notes.skip(unknownRole)
	}
}

func (r *geminiRun) toolResult(n node, notes *notes) {
	r.answer = -1
	id := n.at("tool_id").text()
	s := r.setResult(id, "", n.at("output"))
	if s == nil {
		return
	}
	if n.at("status").text() == "error" {
		s.Error = stepError(n.at("error", "message").text())
	}
	s.DurationSeconds = secondsBetween(r.calls[id], n.at("timestamp").time())
}

// complete reads the result of a run.
func (r *geminiRun) complete(n node) {
	r.isOver = true
	r.setTags("", n, "status")
	stats := n.at("stats")
	r.InputTokens, r.OutputTokens = stats.at("input_tokens").count(), stats.at("output_tokens").count()
	r.DurationSeconds = stats.at("duration_ms").millis()
	if models := stats.at("models"); !models.at(r.model).exists() {
		if model := mostUsed(models, "output_tokens"); model != "" {
			r.model = model // what was asked for left the choice to the program
		}
	}
	if n.at("status").text() != "error" {
		return
	}
	kind, message := n.at("error", "type").text(), n.at("error", "message").text()
	switch kind {
	case "FatalTurnLimitedError", "FatalCancellationError": // the agent's own doing, or a person's
		r.Error = newCause(kind, message)
	default:
		r.setInfrastructureError(kind, message)
	}
}

// end hands out the trial of the run.
func (g *geminiCLI) end() error {
	r := g.run
	if r == nil {
		return nil
	}
	if !r.isOver {
		g.in.notes.remark(fmt.Sprintf("the run that begins in line %d has no result; was the program stopped?", r.Place.Line))
	}
	r.Model = r.model
	for i := len(r.Steps) - 1; i >= 0 && r.Output == nil; i-- {
		if r.Steps[i].Action != trial.CallTool {
			r.Output = r.Steps[i].Output
			break
		}
	}
	return g.in.emitTrace(r.trace)
}
