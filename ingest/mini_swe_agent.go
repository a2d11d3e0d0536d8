package ingest

import (
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// mini-swe-agent writes {info, messages, trajectory_format}. Its one tool is a shell.
// Whether it succeeded is said elsewhere.
func showsMiniSWEAgent(s *shape) bool {
	n := s.first()
	return !s.array && (strings.HasPrefix(n.at("trajectory_format").text(), "mini-swe-agent") ||
		n.at("info").has("mini_version") || n.at("info").has("exit_status", "submission", "model_stats") && n.at("messages").isList())
}

func readMiniSWEAgent(in *input) error {
	document, err := in.document()
	if err != nil {
		return err
	}
	if !document.at("messages").isList() {
		return &trial.FileError{File: in.file, Problem: "holds no messages", Advice: "is it a trajectory of mini-swe-agent?"}
	}
	t := newTrace(in, 1)
	t.Scenario = validText(document.at("instance_id").text())
	info := document.at("info")
	t.lastTextIsOutput = true
	m := &miniSWEAgent{in: in, t: t}
	for _, message := range document.at("messages").list() {
		m.message(message)
	}
	if t.Model == "" {
		t.Model = validText(info.at("config", "model", "model_name").text())
	}
	t.CostUSD = info.at("model_stats").either("instance_cost", "cost").amount()
	if patch := info.at("submission").text(); patch != "" {
		t.Output = trial.RawString(patch)
	}
	status := info.at("exit_status")
	t.setTag("info.exit_status", status)
	t.setTag("info.mini_version", info.at("mini_version"))
	if miniInfrastructure().MatchString(status.text()) {
		t.setInfrastructureError(status.text(), "")
	}
	return in.emitTrace(t)
}

// miniInfrastructure are the exceptions of providers and environments that end a run
// under their names.
var miniInfrastructure = lazy.Regexp(`^(RateLimit|API|APIConnection|Authentication|PermissionDenied|InternalServer|ServiceUnavailable|BadGateway|CalledProcess)Error$|^Timeout$|^APITimeoutError$`)

type miniSWEAgent struct {
	in *input
	t  *trace
}

func (a *miniSWEAgent) message(m node) {
	extra := m.at("extra")
	a.t.addTime(extra.at("timestamp").orElse(m.at("timestamp")).time())
	content := m.at("content")
	switch role := m.at("role").text(); {
	case role == "assistant":
		a.answer(m, extra)
	case role == "system" || role == "exit" || extra.has("exit_status"):
	case role == "tool" || extra.has("returncode") || returnCode().MatchString(content.text()):
		a.result(m, extra)
	case role == "user":
		if a.t.Input == nil && len(a.t.Steps) == 0 {
			a.t.Input = rawText(content.speech())
		}
	default:
		a.in.notes.skip(unknownRole)
	}
}

// action is the one command in an answer of versions that do not list them.
var action = lazy.Regexp("(?s)```(?:mswea_bash_command|bash|sh)\\s*\\n(.*?)\\n```")

// answer adds an answer of the model, and its commands.
func (a *miniSWEAgent) answer(m, extra node) {
	actions := extra.at("actions").list()
	if !extra.at("actions").isList() {
		if found := action().FindAllStringSubmatch(m.at("content").text(), 2); len(found) == 1 {
			actions = []node{{map[string]any{"command": strings.TrimSpace(found[0][1])}}}
		}
	}
	response := extra.at("response")
	spent := chatUsage(response.at("usage"))
	spent.cost = extra.at("cost").amount()
	a.t.addAnswer(answer{
		text: m.at("content").speech(), model: response.at("model").text(), callsTools: len(actions) > 0, usage: spent,
	})
	for _, c := range actions {
		command := c.at("command")
		if c.isText() {
			command = c
		}
		a.t.addCall(toolCall{c.at("tool_call_id").text(), "bash", node{map[string]any{"command": command.value}}})
	}
}

// returnCode is how an observation begins.
var returnCode = lazy.Regexp(`^<returncode>(-?\d{1,9})</returncode>`)

// result completes the command that an observation belongs to.
func (a *miniSWEAgent) result(m, extra node) {
	s := a.t.setResult(m.at("tool_call_id").text(), "", extra.at("raw_output").orElse(m.at("content")))
	if s == nil {
		return
	}
	code := extra.at("returncode").text()
	if found := returnCode().FindStringSubmatch(m.at("content").text()); code == "" && found != nil {
		code = found[1]
	}
	if n, err := strconv.Atoi(code); err == nil && n != 0 {
		s.Error = "exit code " + code
	}
}
