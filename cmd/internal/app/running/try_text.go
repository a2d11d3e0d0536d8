package running

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
)

// How much of what an agent wrote the text shows; --json has all of it. Both are chosen: a traceback and a long
// answer fit, and what a person will scroll through.
const (
	mostLines = 60
	mostSteps = 40
)

// triedMargin is that of values beside their labels, the longest of which is "in a report".
const triedMargin = 13

// stepMargin is that of steps beside their numbers.
const stepMargin = 6

// TriedPage writes the text of a trial.
type TriedPage struct {
	Text   bytes.Buffer
	Screen world.Screen
}

// writeTried prints a trial as text. All of it may come from elsewhere: nothing is printed that a terminal acts on.
func writeTried(a *world.World, t *runner.TryResult, budget suite.Budget) error {
	p := &TriedPage{Screen: world.NewScreen(a.Out.Stream, a.Env, a.TerminalWidth)}
	r := t.Trial
	p.Linef("%s  %s, seed %d", p.Paint(r.Outcome, strings.ToUpper(r.Outcome.String())),
		prose.Printable(Numbered(r.Scenario, r.Variant, r.Index.Value)), t.Seed)
	p.Linef("")
	p.started(t)
	if t.Process != nil {
		p.left(t)
	}
	if t.ReadAs != "" {
		p.read(t)
	}
	p.Judged(t)
	p.bounded(t, budget)
	p.Linef("")
	p.Labelled("in a report", reportLine(t))
	_, err := io.Copy(a.Out, &p.Text)
	return err
}

// Linef writes a line.
func (p *TriedPage) Linef(format string, values ...any) { fmt.Fprintf(&p.Text, format+"\n", values...) }

// Labelled writes a value beside its label, on as many lines as it takes.
func (p *TriedPage) Labelled(label, value string) {
	for _, line := range table.Wrap(prose.Printable(value), max(20, p.Screen.Width-triedMargin)) {
		p.Linef("%-*s%s", triedMargin, label, line)
		label = ""
	}
}

// started is what was run, and with what.
func (p *TriedPage) started(t *runner.TryResult) {
	if t.Address != "" {
		p.Linef("%-*s%s", triedMargin, "asked", prose.Printable(t.Address))
		p.Linef("%-*s%s", triedMargin, "input", prose.Printable(t.Request))
		if t.Sent != t.Request {
			p.Linef("%-*s%s", triedMargin, "sent", prose.Printable(t.Sent))
		}
		p.block("answer", t.Came)
		return
	}
	words := make([]string, len(t.Command))
	for i, word := range t.Command {
		words[i] = problem.ShellWord(word)
	}
	// Lines that are not broken can be copied.
	p.Linef("%-*s%s", triedMargin, "command", prose.Printable(strings.Join(words, " ")))
	p.Linef("%-*s%s", triedMargin, "in", prose.Printable(t.Dir))
	p.Linef("%-*s%s", triedMargin, "input", prose.Printable(t.Request))
}

// left is what the program left, and how it ended.
func (p *TriedPage) left(t *runner.TryResult) {
	end := fmt.Sprintf("exit code %d", t.Process.ExitCode)
	if t.Session && t.Process.ExitCode == 0 {
		end = "answered with a line"
	}
	switch {
	case t.Process.TimedOut:
		end = "ended by its timeout"
	case t.Process.Signal != "":
		end = "ended by a signal: " + t.Process.Signal
	}
	p.Labelled("ended", fmt.Sprintf("%s, after %.3g s", end, t.Process.Duration.Seconds()))
	p.block("standard output", string(t.Process.Stdout))
	p.block("standard error", t.Process.Stderr)
	if t.File != "" {
		p.block("output file "+t.File, t.Written)
	}
}

// block shows a text, line by line behind a bar: a line that begins with it is no command of a build server.
func (p *TriedPage) block(name, text string) {
	bar := "│"
	if p.Screen.Ascii {
		bar = "|"
	}
	if strings.TrimSpace(text) == "" {
		p.Linef("\n%s: nothing", prose.Printable(name))
		return
	}
	p.Linef("\n%s", prose.Printable(name))
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	shown := lines[:min(len(lines), mostLines)]
	for _, line := range shown {
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\t", "    ")
		p.Linef("  %s %s", bar, prose.PrintableUpTo(line, 2000))
	}
	if more := len(lines) - len(shown); more > 0 {
		p.Linef("  %s and %s; --json has all", bar, prose.Count(more, "more line"))
	}
}

// read is what was read of the output.
func (p *TriedPage) read(t *runner.TryResult) {
	p.Linef("")
	form := t.ReadAs
	switch form {
	case runner.ReadByPaths:
		form = "the paths of http.response"
	case runner.ReadOfModel:
		form = "the answer of a model"
	case ingest.Trials.String(), suite.OutputTrial:
		form = "a trial record"
	case suite.OutputText:
		if isUnreadRecord(t.Trial) {
			form = "text, for " + unreadRecord
		}
	}
	p.Labelled("read as", form)
	p.Recorded(t.Trial, t.Scripted)
}

// unreadRecord says why a record is taken for text, and what reads it.
const unreadRecord = "a key is not known; agent: {output: trial} passes it over and reads a trial record"

// isUnreadRecord reports whether the output of a trial is a record with a key that is not known: it is text where
// nothing says that it is a record.
func isUnreadRecord(t *trial.Trial) bool {
	text := []byte(t.Output.Text())
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte{'{'}) {
		return false
	}
	var members map[string]json.RawMessage
	_, record, _ := ingest.ReadOne(text, ingest.Auto, t.Scenario)
	return json.Unmarshal(text, &members) == nil && members["output"] != nil && !record
}

// tellOfUnreadRecord notes once that a record of the agent was taken for text.
func tellOfUnreadRecord(a *world.World, s *suite.Suite, found *runner.Result) {
	if found == nil || s.Agent.Output != suite.OutputAuto {
		return
	}
	for _, record := range found.Trials {
		if t := record.Trial; t != nil && isUnreadRecord(t) {
			a.Notice("note", "%s: what the agent printed was read as text, for %s",
				Numbered(t.Scenario, t.Variant, t.Index.Value), unreadRecord)
			return
		}
	}
}

// Recorded is what the record of a trial says; scripted says that its cost was not paid.
func (p *TriedPage) Recorded(r *trial.Trial, scripted bool) {
	if len(r.Output) > 0 {
		p.Labelled("output", prose.PrintableUpTo(r.Output.Text(), 400))
	}
	usage := oracle.UsageOf(r)
	unknown := "not recorded"
	cost, tokens, turns := unknown, unknown, unknown
	if usage.CostUSD.Known {
		cost = "$" + strconv.FormatFloat(usage.CostUSD.Value, 'g', 6, 64)
		switch r.CostBasis {
		case trial.EstimatedCost:
			cost += ", estimated from its tokens"
		case trial.CostAtMost:
			cost += " at most, estimated from its tokens"
		}
		if scripted {
			cost += "; nothing was paid: a script answered"
		}
	}
	if in, out := r.TotalInputTokens(), r.TotalOutputTokens(); in.Known || out.Known {
		tokens = fmt.Sprintf("%s in, %s out", known(in, unknown), known(out, unknown))
	}
	if usage.Turns.Known {
		turns = strconv.Itoa(usage.Turns.Value)
	}
	p.Labelled("cost", cost)
	p.Labelled("tokens", tokens)
	p.Labelled("turns", turns)
	p.guarded(r)
	if r.Steps == nil {
		p.Labelled("steps", unknown)
		return
	}
	p.Labelled("steps", strconv.Itoa(len(r.Steps)))
	for i, s := range r.Steps[:min(len(r.Steps), mostSteps)] {
		label := strconv.Itoa(i + 1)
		for _, line := range table.Wrap(stepText(s), max(20, p.Screen.Width-stepMargin)) {
			p.Linef("%4s  %s", label, line)
			label = ""
		}
	}
	if more := len(r.Steps) - mostSteps; more > 0 {
		p.Linef("      and %s; --json has all", prose.Count(more, "more step"))
	}
}

// guarded is what a guard kept from being done, by the clauses of contracts; nothing where none stood before the trial.
func (p *TriedPage) guarded(r *trial.Trial) {
	found := guardrails.Of(r)
	if found == nil {
		return
	}
	if len(found.Clauses) == 0 {
		p.Labelled("guardrails", "nothing denied")
	}
	for i, f := range found.Clauses {
		label, what := "guardrails", prose.Count(f.Denied, "call")+" denied"
		switch {
		case f.Killed > 0 && f.Denied > 0:
			what += ", and killed at one"
		case f.Killed > 0:
			what = "killed at a call"
		}
		if i > 0 {
			label = ""
		}
		p.Labelled(label, fmt.Sprintf("%s by %s of %s: %s", what, prose.Excerpt(f.Clause), prose.Excerpt(f.Contract),
			f.Example))
	}
}

// known writes a number, or that there is none.
func known(n trial.Optional[int64], none string) string {
	if !n.Known {
		return none
	}
	return strconv.FormatInt(n.Value, 10)
}

// stepText is a step on one line.
func stepText(s trial.Step) string {
	text := StepName(s) + StepDetails(s)
	for _, e := range s.Events() {
		text += " [" + prose.Excerpt(e) + "]"
	}
	return text
}

// StepName is what a step did.
func StepName(s trial.Step) string {
	return strings.TrimSpace(prose.Excerpt(string(s.Action)) + " " + prose.Excerpt(s.Tool))
}

// StepDetails are what went in and came out of a step, behind its name.
func StepDetails(s trial.Step) (text string) {
	if len(s.Arguments) > 0 {
		text += " " + prose.Excerpt(string(s.Arguments))
	}
	if len(s.Output) > 0 {
		text += " -> " + prose.Excerpt(s.Output.Text())
	}
	if s.Error != "" {
		text += " failed: " + prose.Excerpt(s.Error)
	}
	return text
}

// Judged is what each evaluator and each limit makes of the trial.
func (p *TriedPage) Judged(t *runner.TryResult) {
	p.Linef("")
	j := t.Judgement
	if j == nil {
		p.Linef("nothing was judged")
		return
	}
	if len(j.Results) == 0 {
		p.Linef("evaluators: none, the outcome is the one that the agent recorded")
	} else {
		p.Linef("evaluators")
		p.results(j.Results, "  ")
	}
	if len(j.Limits) == 0 {
		p.Linef("limits: none")
	} else {
		p.Linef("limits")
	}
	for _, l := range j.Limits {
		p.Linef("  %s %s", p.mark(l.Outcome), l)
	}
	p.points(score.Recorded(t.Trial))
}

// points are what the trial has on each axis, with the evidence.
func (p *TriedPage) points(t *score.Trial) {
	if t == nil {
		return
	}
	p.Linef("points")
	amount := func(x *float64, most float64) string {
		if x == nil {
			return "not known"
		}
		return phrase.Number(*x) + " of " + phrase.Number(most)
	}
	for _, a := range t.Axes {
		text := ""
		if a.Text != "" {
			text = ": " + prose.Excerpt(a.Text)
		}
		p.Linef("  %s, %s%s", a.Name, amount(a.Points, a.Max), text)
		for _, part := range a.Parts {
			p.Linef("    %s, %s: %s", prose.Excerpt(part.Name), amount(part.Level, part.Max), prose.Excerpt(part.Text))
		}
	}
}

// bounded says what of a budget a trial does not tell: a run ends there.
func (p *TriedPage) bounded(t *runner.TryResult, b suite.Budget) {
	if t.Trial.Outcome == trial.Error && t.Judgement == nil {
		return // it broke off
	}
	var lines []string
	if usage := oracle.UsageOf(t.Trial); b.MaxCostUSD.Known && !usage.CostUSD.Known && !b.PricePerTrial.Known {
		lines = append(lines, `max_cost_usd: not recorded, and a run would end for that; `+
			`"cost_usd" in the trial record tells it, price_per_trial under budget stands for it, and without max_cost_usd under budget it is not asked`)
	}
	if b.MaxTokens.Known && !(t.Trial.TotalInputTokens().Known && t.Trial.TotalOutputTokens().Known) {
		lines = append(lines, `max_tokens: not recorded, and a run would end for that; `+
			`"input_tokens" and "output_tokens" in the trial record tell it`)
	}
	if len(lines) > 0 {
		p.Linef("budget")
	}
	for _, line := range lines {
		p.Linef("  %s %s", p.mark(trial.Error), line)
	}
}

// results are lines of evaluators, with those of their parts below them.
func (p *TriedPage) results(results []oracle.Result, indent string) {
	for _, r := range results {
		score := ""
		if r.Score.Known {
			score = ", score " + strconv.FormatFloat(r.Score.Value, 'g', 4, 64)
		}
		start := fmt.Sprintf("%s%s %s%s: ", indent, p.mark(r.Outcome), prose.Excerpt(r.Evaluator), score)
		blank := indent + "    "
		for i, line := range table.Wrap(prose.PrintableUpTo(r.Text, 2000), max(20, p.Screen.Width-len(blank)-24)) {
			if i > 0 {
				start = blank
			}
			p.Linef("%s%s", start, line)
		}
		if r.Usage != nil {
			p.Linef("%s%s", blank, usageText(*r.Usage))
		}
		p.results(r.Parts, indent+"    ")
	}
}

// usageText is what an answer of a model that judges took.
func usageText(u oracle.JudgeUsage) string {
	text := "asked " + prose.Excerpt(cmp.Or(u.Model, "a model"))
	if u.FromCache {
		return text + " before: its answer was kept"
	}
	if u.InputTokens.Known || u.OutputTokens.Known {
		text += fmt.Sprintf(", %s tokens in, %s out", known(u.InputTokens, "?"), known(u.OutputTokens, "?"))
	}
	if u.CostUSD.Known {
		text += ", $" + strconv.FormatFloat(u.CostUSD.Value, 'g', 6, 64)
	}
	return text
}

// mark is the sign of an outcome, in its colour. It is never colour alone.
func (p *TriedPage) mark(o trial.Outcome) string {
	marks := map[trial.Outcome]string{trial.Pass: "✓", trial.Fail: "✗"}
	if p.Screen.Ascii {
		marks = map[trial.Outcome]string{trial.Pass: "+", trial.Fail: "x"}
	}
	sign, ok := marks[o]
	if !ok {
		sign = "?"
	}
	return p.Paint(o, sign)
}

// Paint gives a text the colour of an outcome.
func (p *TriedPage) Paint(o trial.Outcome, text string) string {
	if !p.Screen.Color {
		return text
	}
	colours := map[trial.Outcome]string{trial.Pass: "\x1b[1;32m", trial.Fail: "\x1b[1;31m"}
	colour, ok := colours[o]
	if !ok {
		colour = "\x1b[1;33m"
	}
	return colour + text + "\x1b[0m"
}

// reportLine is what a report says of the trial: nothing but the outcome of a pass, and else the reasons.
func reportLine(t *runner.TryResult) string {
	line := fmt.Sprintf("%s: %s", t.Trial.Outcome, Numbered(t.Trial.Scenario, "", t.Trial.Index.Value))
	if t.Why == "" {
		return line
	}
	return line + ": " + t.Why
}
