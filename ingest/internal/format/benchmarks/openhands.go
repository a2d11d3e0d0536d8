package benchmarks

import (
	"slices"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// OpenHands writes the events of a conversation as a list, {"trajectory":[...]} or one a line:
//
//	[{"id":5,"timestamp":"...","source":"agent","action":"run","args":{"command":"ls"},"tool_call_metadata":{...}},
//	 {"id":6,"timestamp":"...","source":"agent","cause":5,"observation":"run","content":"a.py","extras":{...}}]
//
// Its evaluations write an instance a line, with the events as history, which before 2024-10 is
// one of pairs; whether it was solved is added by the benchmark's own evaluation:
//
//	{"instance_id":"django-1","test_result":{"git_patch":"...","report":{"resolved":true}},"instruction":"...",
//	 "metadata":{"agent_class":"CodeActAgent","llm_config":{"model":"..."}},"history":[...],
//	 "metrics":{"accumulated_cost":0.1},"error":null}
//
// The resolver of issues writes {"issue":{...},"history":[...],"success":true}. The events of the
// software-agent-sdk, of version 1, have a kind (openhands_sdk.go).
func showsOpenHands(s *record.Shape) bool {
	n := s.First()
	if isOpenHandsRun(n) {
		return true
	}
	if events := n.At("trajectory"); !s.Array && isOpenHandsEvent(events.First()) {
		return true
	}
	// One event of its own is a file of the program's store, and no conversation.
	return (s.Array || len(s.Objects) > 1) && isOpenHandsEvent(n)
}

// isOpenHandsRun reports whether n is an instance of an evaluation, or an issue that was
// resolved.
func isOpenHandsRun(n record.Node) bool {
	if n.Has("issue", "history") && (n.Has("issue_type") || n.Has("git_patch")) {
		return true
	}
	return n.Has("instance_id") && n.At("test_result").IsObject() &&
		(n.Has("history") || n.Has("metrics") || n.Has("metadata") || n.Has("instruction"))
}

// isOpenHandsEvent reports whether n is an event of either version.
func isOpenHandsEvent(n record.Node) bool {
	if !slices.Contains([]string{"user", "agent", "environment", "hook"}, n.At("source").Text()) {
		return false
	}
	return n.At("action").IsText() && n.At("args").IsObject() ||
		n.At("observation").IsText() && (n.Has("extras") || n.Has("content")) || isSDKEvent(n)
}

// OpenHands decodes OpenHands trajectories and outputs of its evaluations.
var OpenHands = record.Decoder{Shows: showsOpenHands, Read: readOpenHands}

// readOpenHands makes a trial of each conversation.
func readOpenHands(in *record.Input) error {
	events := record.Group{Read: func(events []record.Node, line int) error {
		o := newOpenHands(in, line)
		o.events(events)
		return o.end()
	}}
	return events.ReadValues(in, func(n record.Node, line int) error {
		switch {
		case n.Has("action") || n.Has("observation") || isSDKEvent(n):
			events.Add(n, line)
		case n.At("trajectory").IsList():
			o := newOpenHands(in, line)
			o.events(n.At("trajectory").List())
			return o.end()
		case isOpenHandsRun(n) || n.At("history").IsList():
			return readOpenHandsRun(in, n, line)
		default:
			in.Notes.Skip(record.NoResults)
		}
		return nil
	})
}

// readOpenHandsRun makes the trial of an instance of an evaluation.
func readOpenHandsRun(in *record.Input, n record.Node, line int) error {
	o := newOpenHands(in, line)
	t := o.Trace
	t.Scenario = record.ValidText(n.At("instance_id").Text())
	if issue := n.At("issue"); t.Scenario == "" && issue.Has("number") {
		name := issue.At("owner").Text() + "/" + issue.At("repo").Text() + "#" + issue.At("number").Text()
		t.Scenario = record.ValidText(name)
	}
	metadata := n.At("metadata")
	t.Model = record.ValidText(metadata.Either("llm_config", "llm").At("model").Text())
	t.SetTags("metadata", metadata, "agent_class", "dataset", "data_split", "max_iterations", "git_commit")
	t.SetTag("attempt", n.At("attempt"))
	t.SetInput(n.At("instruction"))
	if n.Has("history") {
		o.events(n.At("history").List())
	} else {
		t.Steps = nil // an output without them
	}
	o.totals(n.At("metrics"))
	result := n.At("test_result")
	// What was submitted is the output, and not the last words of the model.
	if patch := result.At("git_patch").OrElse(n.At("git_patch")); patch.Words() != "" {
		t.Output = patch.Raw()
	}
	if message := n.At("error"); message.ErrorText() != "" {
		openHandsFailure(t, "error", message.ErrorText())
	}
	if t.Outcome == trial.Error {
		return o.end()
	}
	judgeOpenHands(t, n)
	return o.end()
}

// judgeOpenHands reads what the evaluation of a benchmark says. Each of the many benchmarks
// that OpenHands runs has its own words for it.
func judgeOpenHands(t *record.Trace, n record.Node) {
	result := n.At("test_result")
	if result.At("report", "error_eval").IsTrue() {
		t.SetInfrastructureError("error_eval", "the evaluation failed")
		return
	}
	for _, said := range []record.Node{result.At("report"), result.At("result"), result, n} {
		for _, word := range []string{"resolved", "success", "correct", "passed", "result", "score"} {
			if verdict := oneOrZero(said.At(word)); verdict.Known {
				t.Outcome = trial.Fail
				if verdict.Value {
					t.Outcome = trial.Pass
				}
				return
			}
		}
	}
	t.Score = result.Either("score", "reward").Number()
}

// oneOrZero is the truth of true and false, and of 1 and 0.
func oneOrZero(n record.Node) trial.Optional[bool] {
	if x := n.Number(); x.Known && (x.Value == 0 || x.Value == 1) {
		return trial.Some(x.Value == 1)
	}
	return n.Truth()
}

// ownFailure is how errors read that are the agent's doing: it got stuck, or used up what it had.
var ownFailure = lazy.Regexp(`(?i)stuck in a? ?loop|AgentStuckInLoop|maximum (?:iteration|budget)|max_iterations|` +
	`MaxIterationsReached|budget (?:limit|exceeded)|StuckDetected|context window|ContextWindowExceed`)

// openHandsFailure reads what ended a conversation.
func openHandsFailure(t *record.Trace, kind, message string) {
	if ownFailure().MatchString(kind + " " + message) {
		t.Error = record.NewCause(kind, message)
		return
	}
	t.SetInfrastructureError(kind, message)
}

// openHands puts the events of a conversation together.
type openHands struct {
	*record.Trace
	in        *record.Input
	responses map[string]bool // of the model, that have their step
	depth     int             // of the agent that acts: 1 while another one was asked to
	cost      trial.Optional[float64]
	usage     record.Node // of all so far
}

func newOpenHands(in *record.Input, line int) *openHands {
	t := record.NewTrace(in, line)
	t.LastTextIsOutput = true
	return &openHands{Trace: t, in: in, responses: map[string]bool{}}
}

// end hands out the trial.
func (o *openHands) end() error {
	if !o.CostUSD.Known {
		o.CostUSD = o.cost
	}
	if !o.InputTokens.Known {
		o.totals(record.Node{Value: map[string]any{"accumulated_token_usage": o.usage.Value}})
	}
	return o.in.EmitTrace(o.Trace)
}

// totals reads what the conversation took. Where nobody counted tokens they are 0 here.
func (o *openHands) totals(metrics record.Node) {
	if cost := metrics.At("accumulated_cost").Amount(); cost.Known {
		o.CostUSD = cost
	}
	used := metrics.At("accumulated_token_usage")
	input, output := used.At("prompt_tokens").Count(), used.At("completion_tokens").Count()
	if input.Value+output.Value > 0 {
		o.SetTokens(record.Usage{
			Input: input, Output: output,
			Cached: used.At("cache_read_tokens").Count(), Writes: used.At("cache_write_tokens").Count(),
		})
	}
}

// events takes in the events of a conversation, alone or in pairs.
func (o *openHands) events(events []record.Node) {
	for _, e := range events {
		switch {
		case e.IsList():
			o.events(e.List())
		case isSDKEvent(e):
			o.sdkEvent(e)
		case e.At("action").IsText():
			o.AddTime(e.At("timestamp").Time())
			o.action(e)
		case e.At("observation").IsText():
			o.AddTime(e.At("timestamp").Time())
			o.observation(e)
		case e.Length() > 0:
			o.Notes.Skip(record.UnknownEvent)
		}
	}
}

// goesOn takes back what ended the conversation before.
func (o *openHands) goesOn() { o.Outcome, o.Error = trial.Unjudged, nil }

// respond adds an answer that calls no tool.
func (o *openHands) respond(a record.Answer) {
	o.goesOn()
	a.Depth = o.depth
	o.AddAnswer(a)
}
