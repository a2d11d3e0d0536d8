package agents

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/trial"
)

// showsClaudeStream looks for the events of a run. The lines of a session file are
// much alike, and name their parent.
// A run of version 2.1 looks like this:
//
//	{"type":"system","subtype":"init","session_id":"s-1","model":"opus","claude_code_version":"2.1.0"}
//	{"type":"assistant","message":{"id":"m-1","content":[...]},"parent_tool_use_id":null,"session_id":"s-1"}
//	{"type":"result","subtype":"success","total_cost_usd":0.75,"num_turns":3,"usage":{},"modelUsage":{}}
func showsClaudeStream(s *record.Shape) bool {
	if s.Any(func(n record.Node) bool {
		return n.At("type").Text() == "tool_call" || n.Has("sessionId") || n.Has("parentUuid")
	}) {
		return false // of another program, or a session file
	}
	return s.Any(func(n record.Node) bool {
		switch n.At("type").Text() {
		case "system":
			return n.At("subtype").Text() == "init" && n.At("session_id").IsText()
		case "assistant", "user":
			return n.At("message").IsObject() && (n.Has("parent_tool_use_id") || n.At("session_id").IsText())
		// The result alone, as --output-format json prints it. The cost has had other names, and
		// num_turns and duration_api_ms are Claude Code's own.
		case "result":
			return n.At("total_cost_usd").Exists() || n.At("subtype").IsText() &&
				(n.Has("num_turns") || n.Has("duration_api_ms"))
		}
		return false
	})
}

// claudeStream reads the events of the runs in a file.
type claudeStream struct {
	in   *record.Input
	runs []*claudeRun // that may go on, in the order of their beginnings
	cut  int          // runs without a result
}

// claudeRun is the trial of a session. It may have several results, one for each
// prompt that the session was given.
type claudeRun struct {
	*transcript.Anthropic
	session string // "" if unknown
	first   string // id of the first message: a session that is resumed goes on in another file under its own id
	isOver  bool   // it has a result
	isKnown bool   // steps are recorded, not only the result
	model   string // that was asked for
	// failure is that of the last message of the agent itself; its Kind is "" after one that
	// went well.
	failure transcript.APIFailure
	// total sums cost and tokens of the session, which restart when the program does.
	total claudeTotal
	turns record.Usage // of results that give no tokens of the session as a whole
}

// ClaudeStream decodes Claude Code, --output-format stream-json or json.
var ClaudeStream = record.Decoder{Shows: showsClaudeStream, Read: readClaudeStream}

// readClaudeStream makes a trial of each session. The program may write the events
// as lines or as an array, or the results alone.
func readClaudeStream(in *record.Input) error {
	s := &claudeStream{in: in}
	if err := in.Records(s.event); err != nil {
		return err
	}
	for _, r := range s.runs {
		if err := s.end(r); err != nil {
			return err
		}
	}
	if s.cut > 0 {
		in.Notes.Remark(fmt.Sprintf("runs without a result: %d; were they stopped?", s.cut))
	}
	return nil
}

// event takes in an event. Types that are known and hold nothing of a trial are passed over
// without a note: a log is full of them.
func (s *claudeStream) event(n record.Node, line int) error {
	kind := n.At("type").Text()
	switch kind {
	case "assistant", "user", "result":
	case "system":
		// Hooks, compactions and states of tasks are of type system, too.
		if n.At("subtype").Text() != "init" {
			return nil
		}
	case "stream_event", "rate_limit_event", "tool_progress", "tool_use_summary", "prompt_suggestion", "auth_status",
		"keep_alive", "control_request", "control_response", "control_cancel_request":
		return nil
	default:
		s.in.Notes.Skip(record.UnknownEvent)
		return nil
	}
	r, err := s.run(n.At("session_id").Text(), line)
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
		// An event without a session continues the run that is open; the first that has one
		// names the run.
		if !r.isOver && (session == "" || r.session == "") {
			if session != "" {
				r.session = session
			}
			return r, nil
		}
	}
	// A run with a result is handed out as soon as another begins. Before, the same session may
	// go on: each prompt that it is given has a result of its own.
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
	r := &claudeRun{Anthropic: transcript.NewAnthropic(s.in, line), session: session}
	s.runs = append(open, r)
	return r, nil
}

// event takes in an event of the run.
func (r *claudeRun) event(kind string, n record.Node) {
	r.isKnown = r.isKnown || kind != "result"
	p := transcript.MessagePart{Depth: r.depth(n.At("parent_tool_use_id"))}
	switch kind {
	case "system":
		r.SetTags("", n, "session_id", "cwd", "permissionMode", "claude_code_version", "output_style")
		r.model = n.At("model").Text()
	// Where the API failed Claude Code writes a message of its own, with the kind of the error
	// beside it. One of a sub-agent is the sub-agent's trouble.
	case "assistant":
		m := n.At("message")
		if r.first == "" {
			r.first = m.At("id").Text()
		}
		if p.Depth == 0 {
			text, _ := m.At("content").BlockText()
			r.failure = transcript.APIFailure{Kind: n.At("error").Text(), Text: text}
		}
		if m.At("model").Text() != syntheticModel {
			p.Final = m.At("stop_reason").IsText() // before, the usage is that of the beginning
			r.Message(m, p)
		}
	// isSynthetic marks what the program says in the user's place.
	case "user":
		r.Results(n.At("message"), n.At("tool_use_result"), p, !n.At("isSynthetic").IsTrue())
	case "result":
		r.complete(n)
	}
}

// syntheticModel is what Claude Code names as the model of a message of its own.
const syntheticModel = "<synthetic>"

// depth is how deep the agent is whose sub-agent was started by the call.
func (r *claudeRun) depth(parent record.Node) int {
	if !parent.IsText() {
		return 0
	}
	// A call that is not known has depth 0: then the sub-agent is one of the agent itself.
	return r.Calls[parent.Text()].Depth + 1
}

// complete reads a result. Costs and the usage of the models are those of the
// session so far, the plain usage and the duration those of the last prompt.
func (r *claudeRun) complete(n record.Node) {
	r.isOver = true
	r.SetTags("", n, "session_id", "subtype", "stop_reason", "num_turns")
	record.Add(&r.DurationSeconds, n.At("duration_ms").Millis())
	// As the duration, of the last prompt.
	if turns := n.At("num_turns").Index(); turns.Known {
		r.Turns = trial.Some(min(r.Turns.Value, math.MaxInt-turns.Value) + turns.Value)
	}
	models := n.At("modelUsage")
	r.total.read(models, n.Either("total_cost_usd", "total_cost", "cost_usd").Amount())
	turn := transcript.AnthropicUsage(n.At("usage"))
	r.turns.Add(turn)
	if r.model == "" {
		r.model = record.MostUsed(models, "outputTokens")
	}
	r.judge(n)
	// The output is that of the last result. The text of a failed one is its message.
	r.Output = nil
	if structured := n.At("structured_output"); structured.Exists() {
		r.Output = structured.Raw()
	} else if n.At("result").IsText() && r.Error == nil {
		r.Output = trial.RawString(n.At("result").Text())
	}
}

// judge notes what a result says went wrong. It never says that the task was done.
func (r *claudeRun) judge(n record.Node) {
	r.Outcome, r.Error = trial.Unjudged, nil
	// Either tells of a failure: is_error, or the subtype.
	subtype := n.At("subtype").Text()
	isFailed := strings.HasPrefix(subtype, "error_")
	if !n.At("is_error").IsTrue() && !isFailed && !isRefused(n) {
		return
	}
	message := n.At("result").Text()
	if texts, _ := n.At("errors").BlockText(); message == "" {
		message = texts
	}
	f := transcript.APIFailure{Kind: r.failure.Kind, Text: message}
	if f.Kind == "" && isFailed {
		f.Kind = subtype
	}
	switch subtype {
	// What the user set as a limit was reached: the trial has no verdict, and nothing broke.
	case "error_max_turns", "error_max_budget_usd", "error_max_structured_output_retries": // the agent's own doing
		r.Error = record.NewCause(subtype, message)
	default:
		f.Set(&r.Trial)
	}
}

// claudeTotal is what a session took so far, in all and by model.
type claudeTotal struct {
	record.RunningTotal
	models []claudeModel
}

// claudeModel is what a model of a session took so far.
type claudeModel struct {
	name string
	record.RunningTotal
}

// read takes in modelUsage, which counts all models with their cached tokens, also those that only write titles and
// summaries; the plain usage beside it is of the last prompt. Results of one session repeat the sums so far, those of a
// restarted one begin again.
func (c *claudeTotal) read(models record.Node, cost trial.Optional[float64]) {
	total := record.Usage{}
	var uses []record.Usage
	for _, m := range models.Members() {
		// The input tokens have no cached ones.
		u := record.Usage{
			Input: record.Plus(
				m.At("inputTokens").Count(), m.At("cacheReadInputTokens").Count(), m.At("cacheCreationInputTokens").Count(),
			),
			Output: m.At("outputTokens").Count(), Cost: m.At("costUSD").Amount(),
			Cached: m.At("cacheReadInputTokens").Count(), Writes: m.At("cacheCreationInputTokens").Count(),
		}
		uses = append(uses, u)
		total.Add(u)
	}
	total.Cost = cost
	if c.Read(total) {
		for i := range c.models {
			c.models[i].Restart()
		}
	}
	for name := range models.Members() {
		i := slices.IndexFunc(c.models, func(m claudeModel) bool { return m.name == name })
		if i < 0 {
			i = len(c.models)
			c.models = append(c.models, claudeModel{name: name})
		}
		c.models[i].Read(uses[0])
		uses = uses[1:]
	}
}

// shareOut gives a trial what each model took, where there were several.
func (c *claudeTotal) shareOut(t *record.Trace) {
	if len(c.models) < 2 {
		return
	}
	for i := range c.models {
		u := c.models[i].Sum()
		t.ModelUsage = append(t.ModelUsage, trial.ModelUse{
			Model: c.models[i].name, CostUSD: u.Cost, InputTokens: u.Input, OutputTokens: u.Output,
			CachedTokens: u.Cached, CacheWrites: u.Writes,
		})
	}
}

// isRefused reports whether a result is one of Qwen Code 0.24, which ends in success although the API refused a
// request: its stats alone count that, and the text is the error.
func isRefused(n record.Node) bool {
	if !strings.HasPrefix(n.At("result").Text(), "[API Error: ") {
		return false
	}
	for _, m := range n.At("stats", "models").Members() {
		if m.At("api", "totalErrors").Number().Value > 0 {
			return true
		}
	}
	return false
}

// end hands out the trial of a run.
func (s *claudeStream) end(r *claudeRun) error {
	if !r.isOver {
		s.cut++
		// Stopped after a failure of the API: that is why, most likely.
		if r.failure.Kind != "" {
			r.failure.Set(&r.Trial)
		}
		r.CutOff()
	}
	if r.Model == "" {
		r.Model = r.model
	}
	u := r.total.Sum()
	// Versions without modelUsage give the usage of each prompt alone.
	if !u.Input.Known {
		u.TakeTokens(r.turns)
	}
	// Version 2.1.197 ends in success, and counts nothing, where the server cut the last answer off.
	if steps := r.StepUsage(); r.isOver && u.Input.Known && u.Input.Value+u.Output.Value == 0 && steps.Input.Value > 0 {
		u = record.Usage{}
		if r.Error == nil {
			r.Error = record.NewCause("cut off", "the answer was cut off")
		}
	}
	if r.AddTotals(u); u.HasTokens() {
		r.total.shareOut(r.Trace)
	}
	t := r.Anthropic.End()
	t.ID = strings.TrimSuffix(r.session+" "+r.first, " ")
	// A result without events says nothing of the steps, not that there were none.
	if !r.isKnown {
		t.Steps = nil
	}
	// num_turns counts calls of tools; where the answers themselves are there, they are the turns.
	answers := func(s trial.Step) bool { return s.Action == trial.Reason || s.Action == trial.Respond }
	if slices.ContainsFunc(t.Steps, answers) {
		t.Turns = trial.Optional[int]{}
	}
	return s.in.EmitTrace(t)
}
