package benchmarks

import (
	"regexp"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// Who&When collects conversations of several agents that failed, with the agent and the step
// that people say made them fail, one a file:
//
//	{"is_correct":false,"question":"...","question_ID":"4d51...","level":"2","ground_truth":"8",
//	 "history":[{"content":"...","role":"assistant","name":"Excel_Expert"},
//	   {"content":"exitcode: 0 (execution succeeded)\nCode output: 4","role":"user","name":"Computer_terminal"}],
//	 "mistake_agent":"Excel_Expert","mistake_step":"0","mistake_reason":"..."}
//
// Those made by hand, of Magentic-One, have is_corrected, and roles such as Orchestrator (thought)
// and Orchestrator (-> WebSurfer).
func showsWhoAndWhen(s *record.Shape) bool { return isWhoAndWhen(s.First()) }

func isWhoAndWhen(n record.Node) bool {
	if n.Has("mistake_agent", "mistake_step") {
		return true
	}
	return n.At("history").First().Has("content", "role") && n.Has("question") &&
		(n.Has("question_ID") || n.Has("is_correct") || n.Has("is_corrected"))
}

// WhoAndWhen decodes the failures that Who&When collects.
var WhoAndWhen = record.Decoder{Shows: showsWhoAndWhen, Read: readWhoAndWhen}

// readWhoAndWhen makes a trial of each conversation.
func readWhoAndWhen(in *record.Input) error {
	return in.Records(func(n record.Node, line int) error {
		if !isWhoAndWhen(n) {
			in.Notes.Skip(record.NoResults)
			return nil
		}
		t := record.NewTrace(in, line)
		t.LastTextIsOutput = true
		t.Scenario = record.ValidText(strings.TrimSpace(n.Either("question_ID", "question_id").Text()))
		if question := strings.Join(strings.Fields(n.At("question").Words()), " "); t.Scenario == "" {
			t.Scenario = record.ValidText(shortName(question, question))
		}
		t.SetTags("", n, "level", "ground_truth", "mistake_agent", "mistake_step", "mistake_reason", "mistake_type")
		t.SetInput(n.At("question"))
		messages := n.At("history").List()
		for i, m := range messages {
			addWhoAndWhen(t, m, at(messages, i+1))
		}
		switch verdict := n.Either("is_correct", "is_corrected").Truth(); {
		case verdict.Value:
			t.Outcome = trial.Pass
		case verdict.Known || n.At("mistake_agent").Text() != "":
			t.Outcome = trial.Fail
			t.Error = record.NewCause("mistake", n.At("mistake_reason").Text())
		}
		return in.EmitTrace(t)
	})
}

// terminals are the names of agents that only run the code of others.
var terminals = lazy.Regexp(`(?i)^computer_?terminal$`)

// handedTo is how a role says to whom an agent speaks.
var handedTo = lazy.Regexp(`^(.*) \(-> (.*)\)$`)

// exitCodes are how the output of code begins, and how it says that it failed.
var exitCodes = []func() *regexp.Regexp{
	lazy.Regexp(`^exitcode: (-?[0-9]*[1-9][0-9]*)\b`),
	lazy.Regexp(`exited with Unix exit code:? (-?[0-9]*[1-9][0-9]*)\b`),
}

// addWhoAndWhen takes in a message of an agent. One that is handed to another agent is a call,
// and what that one says the result; so is what a terminal prints.
func addWhoAndWhen(t *record.Trace, m, next record.Node) {
	speaker, text := whoSpeaks(m), m.At("content").Speech()
	to := handedTo().FindStringSubmatch(speaker)
	isTerminal := terminals().MatchString(speaker)
	switch {
	case speaker == "human" || speaker == "user":
		t.SetInput(m.At("content"))
		return
	case to != nil:
		t.AddAnswer(record.Answer{CallsTools: true})
		t.AddCall(record.Call{Tool: to[2], Arguments: record.Node{Value: map[string]any{"message": text}}})
		return
	}
	var step *trial.Step
	if speaker != "" {
		step = t.TakeCall("", speaker)
	}
	switch {
	case step != nil:
	case isTerminal:
		step = t.AddEndedCall(record.Call{Tool: speaker})
	default:
		callsTools := strings.HasSuffix(speaker, "(thought)") || terminals().MatchString(whoSpeaks(next))
		t.AddAnswer(record.Answer{Text: text, CallsTools: callsTools})
		return
	}
	step.Output = m.At("content").Output()
	for _, failed := range exitCodes {
		if code := failed().FindStringSubmatch(text); code != nil && isTerminal {
			step.Error = "exit code " + code[1]
		}
	}
}

// whoSpeaks is the name of the agent of a message, which is the role in those of Magentic-One.
func whoSpeaks(m record.Node) string {
	if name := m.At("name").Text(); name != "" {
		return name
	}
	return m.At("role").Text()
}
