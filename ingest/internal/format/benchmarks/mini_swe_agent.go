package benchmarks

import (
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// mini-swe-agent writes {info, messages, trajectory_format}. Its one tool is a shell.
// Whether it succeeded is said elsewhere.
//
//	{"info":{"exit_status":"Submitted","submission":"diff --git ...","model_stats":{"instance_cost":0.1}},
//	 "messages":[{"role":"assistant","content":"...","extra":{"actions":[{"command":"ls"}],"cost":0.01}}],
//	 "trajectory_format":"mini-swe-agent-1.1"}
//
// Older files have no trajectory_format, and commands only in the text of the answer.
func showsMiniSWEAgent(s *record.Shape) bool {
	n := s.First()
	return !s.Array && (strings.HasPrefix(n.At("trajectory_format").Text(), "mini-swe-agent") ||
		n.At("info").Has("mini_version") || n.At("info").Has("exit_status", "submission", "model_stats") &&
		n.At("messages").IsList())
}

// MiniSWEAgent decodes mini-swe-agent trajectories.
var MiniSWEAgent = record.Decoder{Shows: showsMiniSWEAgent, Read: readMiniSWEAgent}

// readMiniSWEAgent makes one unjudged trial of the file.
func readMiniSWEAgent(in *record.Input) error {
	document, err := in.Document()
	if err != nil {
		return err
	}
	if !document.At("messages").IsList() {
		return &trial.FileError{File: in.File, Problem: "holds no messages",
			Advice: "is it a trajectory of mini-swe-agent?"}
	}
	t := record.NewTrace(in, 1)
	t.Scenario = record.ValidText(document.At("instance_id").Text())
	info := document.At("info")
	t.LastTextIsOutput = true
	m := &miniSWEAgent{in: in, t: t}
	for _, message := range document.At("messages").List() {
		m.message(message)
	}
	if t.Model == "" {
		t.Model = record.ValidText(info.At("config", "model", "model_name").Text())
	}
	t.CostUSD = info.At("model_stats").Either("instance_cost", "cost").Amount()
	// What was submitted is the output, and not the last words of the model.
	if patch := info.At("submission").Text(); patch != "" {
		t.Output = trial.RawString(patch)
	}
	status := info.At("exit_status")
	t.SetTag("info.exit_status", status)
	t.SetTag("info.mini_version", info.At("mini_version"))
	// The exit status is the name of the exception that ended the run.
	if miniInfrastructure().MatchString(status.Text()) {
		t.SetInfrastructureError(status.Text(), "")
	}
	return in.EmitTrace(t)
}

// miniInfrastructure are the exceptions of providers and environments that end a run
// under their names.
var miniInfrastructure = lazy.Regexp(`^(RateLimit|API|APIConnection|Authentication|PermissionDenied|` +
	`InternalServer|ServiceUnavailable|BadGateway|CalledProcess)Error$|^Timeout$|^APITimeoutError$`)

// miniSWEAgent puts the messages of a trajectory together.
type miniSWEAgent struct {
	in *record.Input
	t  *record.Trace
}

// message takes in a message. An observation has the role tool where the model calls tools,
// and the role user where commands stand in its text: then the return code tells it from
// what a user says.
func (a *miniSWEAgent) message(m record.Node) {
	extra := m.At("extra")
	a.t.AddTime(extra.At("timestamp").OrElse(m.At("timestamp")).Time())
	content := m.At("content")
	switch role := m.At("role").Text(); {
	case role == "assistant":
		a.answer(m, extra)
	case role == "system" || role == "exit" || extra.Has("exit_status"):
	case role == "tool" || extra.Has("returncode") || returnCode().MatchString(content.Text()):
		a.result(m, extra)
	case role == "user":
		if a.t.Input == nil && len(a.t.Steps) == 0 {
			a.t.Input = record.RawText(content.Speech())
		}
	default:
		a.in.Notes.Skip(record.UnknownRole)
	}
}

// action is the one command in an answer of versions that do not list them.
var action = lazy.Regexp("(?s)```(?:mswea_bash_command|bash|sh)\\s*\\n(.*?)\\n```")

// answer adds an answer of the model, and its commands.
func (a *miniSWEAgent) answer(m, extra record.Node) {
	actions := extra.At("actions").List()
	// With two blocks of code, or none, the program ran nothing and asked again.
	if !extra.At("actions").IsList() {
		if found := action().FindAllStringSubmatch(m.At("content").Text(), 2); len(found) == 1 {
			actions = []record.Node{{Value: map[string]any{"command": strings.TrimSpace(found[0][1])}}}
		}
	}
	// The response of the model's API, as the library that called it keeps it.
	response := extra.At("response")
	spent := transcript.Usage(response.At("usage"))
	spent.Cost = extra.At("cost").Amount()
	a.t.AddAnswer(record.Answer{
		Text: m.At("content").Speech(), Model: response.At("model").Text(), CallsTools: len(actions) > 0, Usage: spent,
	})
	for _, c := range actions {
		command := c.At("command")
		if c.IsText() {
			command = c
		}
		a.t.AddCall(record.Call{ID: c.At("tool_call_id").Text(), Tool: "bash",
			Arguments: record.Node{Value: map[string]any{"command": command.Value}}})
	}
}

// returnCode is how an observation begins.
var returnCode = lazy.Regexp(`^<returncode>(-?\d{1,9})</returncode>`)

// result completes the command that an observation belongs to.
func (a *miniSWEAgent) result(m, extra record.Node) {
	s := a.t.SetResult(m.At("tool_call_id").Text(), "", extra.At("raw_output").OrElse(m.At("content")))
	if s == nil {
		return
	}
	// Newer versions have the code apart from the text. The digits are at most nine, so that
	// it fits an int.
	code := extra.At("returncode").Text()
	if found := returnCode().FindStringSubmatch(m.At("content").Text()); code == "" && found != nil {
		code = found[1]
	}
	if n, err := strconv.Atoi(code); err == nil && n != 0 {
		s.Error = "exit code " + code
	}
}
