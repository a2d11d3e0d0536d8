package wiring

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/fault"
)

// wireSummary is what was seen on a wire, in all. What is not told is left out.
type wireSummary struct {
	what          string // that was ended, such as the program
	turns         int
	toolCalls     int
	tools         map[string]int // calls of each
	models        map[string]int // turns of each
	record        *trial.Trial
	faults        map[string]int
	client        map[string]int // what it did wrong after them
	void          string         // why it shows nothing
	refused       int            // requests that no model answered
	unanswered    string         // why the last of them
	left          int            // answers that were not waited for
	notUnderstood int            // requests, or answers, that passed unread
	stopped       string         // the limit that was reached, or the act that ended the program
	broken        string         // the limit that it is above
	unsure        string         // one that it is not known to have kept
	why           string         // what that act says
	guarded       bool           // a guard stood on the way
	denied        []wire.Event   // what it kept from being done
}

// mostDenied bounds what is shown of what was denied.
const mostDenied = 8

// summaryOf sums up.
func summaryOf(t *trial.Trial, seen *wire.Traffic) wireSummary {
	s := wireSummary{
		what: "the program", tools: map[string]int{}, models: map[string]int{}, record: t,
		notUnderstood: seen.NotUnderstood(),
		stopped:       seen.Stopped, broken: seen.Broken, unsure: seen.Unsure, void: seen.Void,
		faults: map[string]int{}, client: map[string]int{}, why: seen.Why(), guarded: seen.Guarded,
	}
	for _, e := range seen.Events {
		switch e.Act {
		case fault.Name:
			s.faults[e.Name]++
		case fault.Client:
			s.client[e.Name]++
		case wire.GuardAct:
			s.denied = append(s.denied, e)
		}
	}
	for i := range seen.Exchanges {
		switch e := &seen.Exchanges[i]; {
		case !e.Turn():
			s.refused++
			if e.Status == 0 { // the server gave none
				s.unanswered = e.Problem
			}
		case e.Left():
			s.left++
		}
	}
	for i := range t.Steps {
		switch step := &t.Steps[i]; step.Action {
		case trial.CallTool:
			s.toolCalls++
			s.tools[step.Tool]++
		case trial.Reason, trial.Respond:
			s.turns++
			s.models[step.Model]++
		}
	}
	return s
}

// missing is what would tell whether a limit was kept.
func (s wireSummary) missing() string {
	switch {
	case s.unsure == wire.MaxTokens:
		return "answers do not tell their tokens"
	case s.record.CostUSD.Known:
		return "answers do not tell what came from a cache"
	}
	return "answers do not tell their tokens, or have no price (--prices)"
}

// text is the summary for a person: a line of what was seen, and lines of what there is to know besides.
func (s wireSummary) text() string {
	parts := []string{prose.Count(s.turns, "turn")}
	if s.toolCalls > 0 {
		parts = append(parts, prose.Count(s.toolCalls, "call")+" of "+countedNames(s.tools))
	}
	t := s.record
	switch {
	case t.InputTokens.Known && t.OutputTokens.Known:
		parts = append(parts, fmt.Sprintf("%d tokens in, %d out", t.InputTokens.Value, t.OutputTokens.Value))
	case t.TokensAtLeast.Known:
		parts = append(parts, fmt.Sprintf("at least %d tokens", t.TokensAtLeast.Value))
	case s.turns > 0:
		parts = append(parts, "tokens unknown")
	}
	usd := func(x float64) string { return "$" + strconv.FormatFloat(x, 'g', 4, 64) }
	cost := usd(t.CostUSD.Value)
	switch {
	case !t.CostUSD.Known && t.CostAtLeast.Known:
		parts = append(parts, "at least "+usd(t.CostAtLeast.Value))
	case !t.CostUSD.Known && s.turns > 0:
		parts = append(parts, "cost not known")
	case t.CostBasis == trial.CostAtMost:
		parts = append(parts, "at most "+cost)
	case t.CostUSD.Known:
		parts = append(parts, cost)
	}
	var text strings.Builder
	line := func(format string, arguments ...any) { fmt.Fprintf(&text, "wire: "+format+"\n", arguments...) }
	line("%s", strings.Join(parts, "; "))
	if len(s.models) > 1 {
		line("turns by model: %s", countedNames(s.models))
	}
	if s.refused > 0 {
		text := prose.Count(s.refused, "request") + " without an answer"
		if s.unanswered != "" {
			text += "; the last: " + prose.Printable(s.unanswered)
		}
		line("%s", text)
	}
	if s.notUnderstood > 0 {
		line("%s passed unread", prose.Count(s.notUnderstood, "request"))
	}
	if len(s.faults) > 0 {
		line("faults: %s", countedNames(s.faults))
	}
	if len(s.client) > 0 {
		line("the client did after them what it should not: %s", countedNames(s.client))
	}
	if s.void != "" {
		line("%s", s.void)
	}
	if s.guarded && len(s.denied) == 0 {
		line("the guard denied nothing")
	}
	for _, e := range s.denied[:min(len(s.denied), mostDenied)] {
		line("denied by %s: %s", prose.Excerpt(e.Name), e.Detail)
	}
	if more := len(s.denied) - mostDenied; more > 0 {
		line("denied: %d more", more)
	}
	if s.left > 0 {
		line("the program did not wait for %s", prose.Count(s.left, "answer"))
	}
	s.end(line)
	if s.turns == 0 && s.refused == 0 && s.notUnderstood == 0 && s.toolCalls == 0 && len(s.denied) == 0 {
		line("no request was made: does the client read its address from OPENAI_BASE_URL or the like? docs/wire.md has " +
			"a line for those that do not")
	}
	return text.String()
}

// end is how it ended, in lines.
func (s wireSummary) end(line func(format string, arguments ...any)) {
	switch {
	case s.stopped == "" && s.broken != "":
		line("%s ended above %s", s.what, s.broken)
	case s.unsure != "":
		line("it is not known whether %s kept %s: %s", s.what, s.unsure, s.missing())
	}
	switch {
	case s.stopped == "":
	case s.stopped == wire.Guardrail:
		line("%s was ended by the guard", s.what)
	case !wire.IsLimit(s.stopped):
		line("%s was ended by %s: %s", s.what, s.stopped, s.why)
	default:
		line("%s was ended by %s, before a request beyond it", s.what, s.stopped)
	}
}

// countedNames are names with how often each stands, in the order of the alphabet: "look_up (3), pay".
func countedNames(counts map[string]int) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		word := prose.Excerpt(name)
		if n := counts[name]; n > 1 {
			word += fmt.Sprintf(" (%d)", n)
		}
		words = append(words, word)
	}
	return prose.Some(words, 8)
}
