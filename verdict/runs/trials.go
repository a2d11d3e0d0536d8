package runs

import (
	"cmp"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
	"github.com/tribunal-dev/tribunal/trial/usage"
)

// Trial is one trial of a run that ended. Texts that the agent wrote are cut,
// and a result lists the trials that did not pass first, as far as there is room.
type Trial struct {
	Test string `json:"test"` // name
	// In the launch order of its test, in rounds the round; 0 is the first.
	Position int    `json:"position"`
	Baseline bool   `json:"baseline,omitempty"` // of the baseline's side, in rounds
	Scenario string `json:"scenario"`           // name
	Trial    int    `json:"trial"`              // its number within the scenario
	Outcome  string `json:"outcome"`            // pass, fail or error
	Judged   bool   `json:"judged"`             // it takes part in the decision
	// Of all its attempts; nil where it is not known.
	CostUSD *float64 `json:"cost_usd"`
	// What the cost rests on: empty where it was recorded, else "estimated" or "at-most".
	CostBasis    string   `json:"cost_basis,omitempty"`
	Duration     *float64 `json:"duration_s"`              // seconds; nil where it is not known
	InputTokens  *int64   `json:"input_tokens,omitempty"`  // nil where it is not known
	OutputTokens *int64   `json:"output_tokens,omitempty"` // nil where it is not known
	// What it took of each model; nil where it tells nothing, and in results of earlier versions.
	Models []usage.Share `json:"models,omitempty"`
	// What a guard kept from being done in it; nil where none stood before it.
	Guardrails *guardrails.Trial `json:"guardrails,omitempty"`
	Axes       *score.Trial      `json:"score,omitempty"` // its points and the evidence; nil where it was not scored
	Text       string            `json:"text,omitempty"`  // why it did not pass
	// What each evaluator found, where the trial did not pass, and how many there was no room for.
	Evaluators        []oracle.Result      `json:"evaluators,omitempty"`
	EvaluatorsOmitted int                  `json:"evaluators_omitted,omitempty"`
	Process           *journal.Process     `json:"process,omitempty"`       // how its program ended; nil where nothing is to tell
	Limits            []oracle.LimitResult `json:"limits,omitempty"`        // what became of each
	Input             string               `json:"input,omitempty"`         // the beginning of it
	Output            string               `json:"output,omitempty"`        // the beginning of it
	Steps             []Step               `json:"steps,omitempty"`         // the first ones
	StepsOmitted      int                  `json:"steps_omitted,omitempty"` // for which there was no room
}

// Step is one step of a [Trial].
type Step struct {
	Action    string `json:"action"`              // what was done
	Tool      string `json:"tool,omitempty"`      // that was called
	Arguments string `json:"arguments,omitempty"` // the beginning of them
	Output    string `json:"output,omitempty"`    // the beginning of it
	Error     string `json:"error,omitempty"`     // the beginning of it; empty without one
	// What the step took, each nil where it is not known.
	Duration     *float64 `json:"duration_s,omitempty"` // seconds
	CostUSD      *float64 `json:"cost_usd,omitempty"`
	InputTokens  *int64   `json:"input_tokens,omitempty"`
	OutputTokens *int64   `json:"output_tokens,omitempty"`
	// What was done to it on the wire, such as "fault: rate-limit".
	Events []string `json:"events,omitempty"`
}

// How much of its trials a result holds. The numbers are chosen: a result is read by
// people and kept by CI, so its list stays at a few megabytes, however much the agent writes.
const (
	mostTrials      = 2000
	mostTrialBytes  = 2_500_000 // of texts in all
	mostSteps       = 30        // of a trial: the first ones
	mostStepBytes   = 200       // of one text of a step
	mostOutputBytes = 600       // of input, output and reason of a trial
)

// place is where a trial stands in the evidence: the index of its test, its position in
// launch order, and its rank among the trials of that test that passed, or did not.
type place struct {
	test, position, rank int
	trial                TrialEvidence
}

// addTrials lists the trials that ended: those that did not pass first, and of each
// test the first ones before any test's later ones. What there is no room for is
// counted.
func (r *Result) addTrials(e Evidence) {
	var open, passed []place
	for i, t := range e.Tests {
		ranks := [2]int{}
		for position, x := range t.gathered().Trials {
			list, rank := &open, &ranks[1]
			switch o, ended := x.outcome(); {
			case !ended:
				continue
			case o == trial.Pass:
				list, rank = &passed, &ranks[0]
			}
			if *rank < mostTrials {
				*list = append(*list, place{i, position, *rank, x})
			} else {
				r.TrialsOmitted++ // so many of its own come before it
			}
			*rank++
		}
	}
	// By rank first: every test has its first failures listed before any has its later ones.
	fair := func(a, b place) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.test, b.test)) }
	slices.SortFunc(open, fair)
	slices.SortFunc(passed, fair)
	room := mostTrialBytes
	for _, list := range [][]place{open, passed} {
		from := len(r.Trials)
		for _, p := range list {
			if len(r.Trials) >= mostTrials || room <= 0 {
				r.TrialsOmitted++
				continue
			}
			x := p.trial.unpacked()
			position, ofBaseline := p.position, false
			if e.Tests[p.test].inRounds() {
				position, ofBaseline = p.position/2, p.position%2 == baseline.BaselineSide
			}
			record := runTrial(e.Tests[p.test].Name, position, position < r.Tests[p.test].Trials, x)
			record.Baseline = ofBaseline
			room -= record.size()
			r.Trials = append(r.Trials, record)
		}
		// Chosen by rank, but listed by test and launch order, as a person looks for them.
		at := map[string]int{}
		for i, t := range e.Tests {
			at[t.Name] = i
		}
		slices.SortFunc(r.Trials[from:], func(a, b Trial) int {
			return cmp.Or(cmp.Compare(at[a.Test], at[b.Test]), cmp.Compare(a.Position, b.Position),
				compareSides(a.Baseline, b.Baseline))
		})
	}
}

// compareSides has the baseline first.
func compareSides(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// runTrial is what a result lists of a trial. Texts of the agent are cut to their
// beginnings; the reason is that of a trial that did not pass.
func runTrial(test string, position int, judged bool, x TrialEvidence) Trial {
	t := x.Trial
	judgement, _ := oracle.Recorded(t)
	r := Trial{
		Test: test, Position: position, Scenario: x.Scenario, Trial: x.Number, Outcome: t.Outcome.String(),
		Judged:  judged,
		CostUSD: known(x.CostUSD), CostBasis: string(x.basis()), Duration: known(t.DurationSeconds),
		InputTokens:  known(t.InputTokens),
		OutputTokens: known(t.OutputTokens), Models: x.usage().Shares(), Guardrails: guardrails.Of(t),
		Axes:   score.Recorded(t),
		Limits: judgement.Limits, Input: phrase.Excerpt(t.Input.Text(), mostOutputBytes),
		Output: phrase.Excerpt(t.Output.Text(), mostOutputBytes), Process: x.Process,
	}
	if t.Outcome != trial.Pass {
		r.Text = phrase.Excerpt(failureText(x, judgement), mostOutputBytes)
		r.Evaluators, r.EvaluatorsOmitted = evaluatorsOf(judgement)
	}
	r.StepsOmitted = max(0, len(t.Steps)-mostSteps) + x.MoreSteps
	for _, s := range t.Steps[:min(len(t.Steps), mostSteps)] {
		r.Steps = append(r.Steps, Step{
			Action: phrase.Excerpt(string(s.Action), mostStepBytes), Tool: phrase.Excerpt(s.Tool, mostStepBytes),
			Arguments: phrase.Excerpt(string(s.Arguments), mostStepBytes),
			Output:    phrase.Excerpt(s.Output.Text(), mostStepBytes), Error: phrase.Excerpt(s.Error,
				mostStepBytes),
			Duration: known(s.DurationSeconds), CostUSD: known(s.CostUSD), InputTokens: known(s.InputTokens),
			OutputTokens: known(s.OutputTokens), Events: eventsOf(&s),
		})
	}
	return r
}

// eventsOf are the first events of a step.
func eventsOf(s *trial.Step) (events []string) {
	const most = 20
	all := s.Events()
	for _, e := range all[:min(len(all), most)] {
		events = append(events, phrase.Excerpt(e, mostStepBytes))
	}
	return events
}

// basis is that of the cost; of one that is not known there is none.
func (x TrialEvidence) basis() trial.CostBasis {
	if !x.CostUSD.Known {
		return trial.RecordedCost
	}
	return x.Trial.CostBasis
}

// Brief returns a trial with what a result says of it, how many steps it had beyond the first ones, which are kept, and
// what it took of each model: a result of it is the same, and it takes some kilobytes whatever the agent wrote.
func Brief(t *trial.Trial) (brief *trial.Trial, moreSteps int, took usage.Trial) {
	took = usage.Of(t)
	text := func(r trial.Raw, most int) trial.Raw {
		if r == nil {
			return nil
		}
		return trial.RawString(phrase.Excerpt(r.Text(), most))
	}
	b := *t
	b.Input, b.Output, b.Tags, b.Extra, b.Steps = text(t.Input, mostOutputBytes), text(t.Output, mostOutputBytes), nil,
		nil, nil
	if t.Error != nil {
		b.Error = &trial.Cause{Origin: t.Error.Origin, Type: phrase.Excerpt(t.Error.Type, mostStepBytes),
			Message: phrase.Excerpt(t.Error.Message, mostOutputBytes)}
	}
	for _, s := range t.Steps[:min(len(t.Steps), mostSteps)] {
		step := trial.Step{
			// Arguments are shown as they are written, and cut they are no JSON any more.
			Action: trial.Action(phrase.Excerpt(string(s.Action), mostStepBytes)), Tool: phrase.Excerpt(s.Tool, mostStepBytes),
			Arguments: trial.Raw(phrase.Excerpt(string(s.Arguments), mostStepBytes)), Output: text(s.Output, mostStepBytes),
			Error:           phrase.Excerpt(s.Error, mostStepBytes),
			DurationSeconds: s.DurationSeconds, CostUSD: s.CostUSD,
			InputTokens: s.InputTokens, OutputTokens: s.OutputTokens,
		}
		step.AddEvents(eventsOf(&s)...)
		b.Steps = append(b.Steps, step)
	}
	guardrails.Of(t).Record(&b)
	score.Recorded(t).Record(&b)
	if judgement, ok := oracle.Recorded(t); ok {
		if err := judgement.Record(&b); err != nil {
			return t, 0, took
		}
	}
	return &b, len(t.Steps) - len(b.Steps), took
}

// size is about how many bytes the trial takes in a document: its texts, and a frame for
// names and numbers around each part. It need only keep the order of magnitude.
func (r Trial) size() int {
	const frame = 120
	n := frame + len(r.Test) + len(r.Scenario) + len(r.Text) + len(r.Input) + len(r.Output)
	if r.Process != nil {
		n += frame + len(r.Process.Stderr)
	}
	n += resultsSize(r.Evaluators, frame)
	for _, s := range r.Models {
		n += frame + len(s.Model)
	}
	if r.Guardrails != nil {
		for _, f := range r.Guardrails.Clauses {
			n += frame + len(f.Contract) + len(f.Clause) + len(f.Example)
		}
	}
	n += r.Axes.Size(frame)
	for _, s := range r.Steps {
		n += frame + len(s.Action) + len(s.Tool) + len(s.Arguments) + len(s.Output) + len(s.Error)
	}
	return n
}

// resultsSize is about how many bytes results take, with a frame for each.
func resultsSize(results []oracle.Result, frame int) (n int) {
	for _, r := range results {
		n += frame + len(r.Evaluator) + len(r.Text) + len(r.Judge) + resultsSize(r.Parts, frame)
	}
	return n
}

// known turns an unknown value into null in JSON.
func known[T any](o trial.Optional[T]) *T {
	if !o.Known {
		return nil
	}
	return new(o.Value)
}
