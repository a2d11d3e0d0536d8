package agents

import (
	"fmt"
	"time"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// showsGeminiCLI knows the events of gemini --output-format stream-json:
//
//	{"type":"init","timestamp":"...","session_id":"g-1","model":"auto"}
//	{"type":"message","timestamp":"...","role":"assistant","content":"I will ","delta":true}
//	{"type":"tool_use","timestamp":"...","tool_name":"read_file","tool_id":"t-1","parameters":{"path":"NEWS"}}
//	{"type":"result","timestamp":"...","status":"success","stats":{"input_tokens":1000,"tool_calls":1}}
//
// Other programs have events of these types, but none with these members. What it prints with
// --output-format json is read, too.
func showsGeminiCLI(s *record.Shape) bool {
	return s.Any(func(n record.Node) bool {
		if isGeminiOutput(n) {
			return true
		}
		switch n.At("type").Text() {
		case "init":
			return n.Has("session_id", "model", "timestamp")
		case "tool_use":
			return n.Has("tool_name", "tool_id")
		case "result":
			return n.At("status").IsText() && n.At("stats").Has("input_tokens", "tool_calls")
		}
		return false
	})
}

// geminiCLI reads the runs of a file, one after the other.
type geminiCLI struct {
	in  *record.Input
	run *geminiRun // nil before the first
}

// geminiRun is the trial of one run of the program, from its init to its result.
type geminiRun struct {
	*record.Trace
	answer int                  // the step of the answer that is being given, -1 if none
	calls  map[string]time.Time // when they were made
	model  string               // that was asked for
	isOver bool                 // it has a result
}

// GeminiCLI decodes gemini --output-format stream-json and json.
var GeminiCLI = record.Decoder{Shows: showsGeminiCLI, Read: readGeminiCLI}

// readGeminiCLI makes a trial of each run.
func readGeminiCLI(in *record.Input) error {
	g := &geminiCLI{in: in}
	if err := in.Records(g.event); err != nil {
		return err
	}
	return g.end()
}

// event takes in an event. Any known one after a result belongs to another run, whose init
// is lost.
func (g *geminiCLI) event(n record.Node, line int) error {
	if isGeminiOutput(n) {
		if err := g.end(); err != nil {
			return err
		}
		g.run = nil
		return g.output(n, line)
	}
	kind := n.At("type").Text()
	switch kind {
	// Checked first, so that an unknown event opens no trial.
	case "init", "message", "tool_use", "tool_result", "error", "result":
	default:
		g.in.Notes.Skip(record.UnknownEvent)
		return nil
	}
	if g.run == nil || g.run.isOver || kind == "init" {
		if err := g.end(); err != nil {
			return err
		}
		g.run = &geminiRun{Trace: record.NewTrace(g.in, line), answer: -1, calls: map[string]time.Time{}}
	}
	r := g.run
	r.AddTime(n.At("timestamp").Time())
	switch kind {
	case "init":
		r.model = n.At("model").Text()
		r.SetTags("", n, "session_id", "model")
		r.ID = n.At("session_id").Text()
	case "message":
		r.message(n, g.in.Notes)
	case "tool_use":
		// An answer may call tools without a word: then its first call opens it.
		r.openAnswer()
		r.Steps[r.answer].Action = trial.Reason
		id := n.At("tool_id").Text()
		r.calls[id] = n.At("timestamp").Time()
		r.AddCall(record.Call{ID: id, Tool: n.At("tool_name").Text(), Arguments: n.At("parameters")})
	case "tool_result":
		r.toolResult(n, g.in.Notes)
	// Those of severity warning are about the program. An error need not end the run: whether
	// it did is for the result to say.
	case "error":
		if n.At("severity").Text() != "error" {
			g.in.Notes.Pass(record.Warning)
			break
		}
		r.Error = record.NewCause("", n.At("message").Text())
	case "result":
		r.complete(n)
	}
	return nil
}

// openAnswer opens an answer of the model: its text comes first, then its calls, and
// after their results another answer.
func (r *geminiRun) openAnswer() {
	if r.answer < 0 {
		r.AddAnswer(record.Answer{})
		r.answer = len(r.Steps) - 1
	}
}

// message takes in a message of either side, whole or a piece of it.
func (r *geminiRun) message(n record.Node, notes *record.Notes) {
	text := n.At("content").Text()
	switch n.At("role").Text() {
	case "user":
		r.answer = -1
		if r.Input == nil {
			r.Input = trial.RawString(text)
		}
	case "assistant":
		// Deltas are pieces of one answer; a message without the mark is all of one.
		if r.answer >= 0 && !n.At("delta").IsTrue() {
			r.answer = -1 // a whole one
		}
		r.openAnswer()
		s := &r.Steps[r.answer]
		s.Output = trial.RawString(s.Output.Text() + text)
	default:
		notes.Skip(record.UnknownRole)
	}
}

// toolResult completes a call. What the model says next is another answer.
func (r *geminiRun) toolResult(n record.Node, notes *record.Notes) {
	r.answer = -1
	id := n.At("tool_id").Text()
	s := r.SetResult(id, "", n.At("output"))
	if s == nil {
		return
	}
	if n.At("status").Text() == "error" {
		s.Error = record.StepError(n.At("error", "message").Text())
	}
	s.DurationSeconds = record.SecondsBetween(r.calls[id], n.At("timestamp").Time())
}

// complete reads the result of a run.
func (r *geminiRun) complete(n record.Node) {
	r.isOver = true
	r.SetTags("", n, "status")
	// The stats count cached tokens in the input.
	stats := n.At("stats")
	u := record.Usage{
		Input: stats.At("input_tokens").Count(), Output: stats.At("output_tokens").Count(),
		Cached: stats.At("cached").Count(),
	}
	// Thoughts are in the total alone (version 0.61).
	if total := stats.At("total_tokens").Count(); u.Input.Known && u.Output.Known &&
		total.Value > u.Input.Value+u.Output.Value {
		u.Output.Value = total.Value - u.Input.Value
	}
	r.SetTokens(u)
	r.DurationSeconds = stats.At("duration_ms").Millis()
	// Asked for "auto", the program chooses by itself and uses several models; the one that
	// wrote most is the one that answered.
	if models := stats.At("models"); !models.At(r.model).Exists() {
		if model := record.MostUsed(models, "output_tokens"); model != "" {
			r.model = model // what was asked for left the choice to the program
		}
	}
	if n.At("status").Text() == "error" {
		geminiFailure(r.Trace, n.At("error"))
	}
}

// geminiFailure reads what ended a run.
func geminiFailure(t *record.Trace, failure record.Node) {
	kind, message := failure.At("type").Text(), failure.At("message").Text()
	switch kind {
	// The types are the names of the program's exceptions.
	case "FatalTurnLimitedError", "FatalCancellationError": // the agent's own doing, or a person's
		t.Error = record.NewCause(kind, message)
	default:
		t.SetInfrastructureError(kind, message)
	}
}

// end hands out the trial of the run.
func (g *geminiCLI) end() error {
	r := g.run
	if r == nil {
		return nil
	}
	if !r.isOver {
		g.in.Notes.Remark(fmt.Sprintf("the run that begins in line %d has no result; was the program stopped?",
			r.Place.Line))
		r.CutOff()
	}
	r.Model = r.model
	// A run that was stopped may end in an answer that calls tools: its text is what there is.
	for i := len(r.Steps) - 1; i >= 0 && r.Output == nil; i-- {
		if r.Steps[i].Action != trial.CallTool {
			r.Output = r.Steps[i].Output
			break
		}
	}
	return g.in.EmitTrace(r.Trace)
}
