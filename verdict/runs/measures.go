package runs

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/mark"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Measures is what trials of a test tell beside their outcomes. A result that has no
// room for all of its trials holds it, so that nothing that follows from them is lost.
// A series has a number for each mark of the test's outcomes.
type Measures struct {
	// By its place among the members, of a test of several.
	Scenario trial.Series `json:"scenario,omitempty"`
	// Of the trial in its scenario, where it is not its position.
	Number       trial.Series    `json:"number,omitempty"`
	CostUSD      trial.Series    `json:"cost_usd,omitempty"`      // of all attempts of a trial
	CostBasis    trial.Series    `json:"cost_basis,omitempty"`    // 1 of an estimate, 2 of an upper bound
	Duration     trial.Series    `json:"duration_s,omitempty"`    // seconds, of the trial
	InputTokens  trial.Series    `json:"input_tokens,omitempty"`  // of the trial
	OutputTokens trial.Series    `json:"output_tokens,omitempty"` // of the trial
	Limits       []LimitMeasures `json:"limits,omitempty"`        // of the judged trials
}

// LimitMeasures is what the judged trials of a test say of a limit.
type LimitMeasures struct {
	Name     string       `json:"name"`               // of the limit
	Max      trial.Series `json:"max"`                // by trial
	Actual   trial.Series `json:"actual,omitempty"`   // by trial, where it is known
	Severity string       `json:"severity,omitempty"` // warn, or nothing
	// P, F, E where the actual value is not known, and . where the trial has no such limit.
	Outcomes string `json:"outcomes"`
}

// mostMeasuredTrials is how many trials of a run are measured, some 50 bytes each: about
// ten megabytes of JSON at the most. Beyond it a result keeps outcomes alone.
const mostMeasuredTrials = 200_000

// AddMeasures measures the tests of a run, if its trials are not too many. [Judge] calls it
// where the list of trials has no room for all of them.
func (r *Result) AddMeasures(e Evidence) {
	n := 0
	for i := range r.Tests {
		n += len(r.Tests[i].Outcomes)
		n += len(r.Tests[i].besideOutcomes())
	}
	if n > mostMeasuredTrials {
		return
	}
	for i, t := range e.Tests {
		r.Tests[i].Measures = t.side(false).measures(r.Tests[i].Trials)
		if t.inRounds() {
			*r.Tests[i].besideMeasures() = t.side(true).measures(r.Tests[i].Trials)
		}
	}
}

// measures gathers the numbers of all trials of a test into series; judged is how many of
// them take part in the decision. It is nil where it cannot hold what the trials say: for
// a number of tokens beyond what a float64 holds exactly, and a limit that is there twice.
func (t TestEvidence) measures(judged int) *Measures {
	t = t.gathered()
	m := &Measures{}
	at := map[string]int{}
	for i, name := range t.Scenarios {
		at[name] = i
	}
	exact, positions := true, true
	var limits [][]byte // the outcomes of m.Limits
	tokens := func(n trial.Optional[int64]) trial.Optional[float64] {
		x := trial.Optional[float64]{Value: float64(n.Value), Known: n.Known}
		exact = exact && int64(x.Value) == n.Value
		return x
	}
	for i, x := range t.Trials {
		positions = positions && (x.Trial == nil && x.Kept == nil || x.Number == i)
	}
	// A trial that did not end has a place in every series, without a number; a series that knows no number is nil.
	put := func(to *trial.Series, i int, x trial.Optional[float64]) {
		if x.Known && *to == nil {
			*to = make(trial.Series, len(t.Trials))
		}
		if x.Known {
			(*to)[i] = x
		}
	}
	for i, x := range t.all {
		if x.Trial == nil {
			continue
		}
		// What says nothing is left out: the member of a test of one, and numbers that are the positions.
		if len(t.Scenarios) > 1 {
			put(&m.Scenario, i, trial.Some(float64(at[x.Scenario])))
		}
		if !positions {
			put(&m.Number, i, trial.Some(float64(x.Number)))
		}
		put(&m.CostUSD, i, x.CostUSD)
		put(&m.CostBasis, i, recording.BasisNumber(x.basis()))
		put(&m.Duration, i, x.Trial.DurationSeconds)
		put(&m.InputTokens, i, tokens(x.Trial.InputTokens))
		put(&m.OutputTokens, i, tokens(x.Trial.OutputTokens))
		if i < judged && !m.limits(x.Trial, i, judged, &limits) {
			return nil
		}
	}
	for i := range m.Limits {
		m.Limits[i].Actual, m.Limits[i].Outcomes = m.Limits[i].Actual.Anything(), string(limits[i])
	}
	if !exact {
		return nil
	}
	return m
}

// limits notes the limits of a trial, their outcomes apart; false says that it has one
// twice.
func (m *Measures) limits(t *trial.Trial, position, judged int, outcomes *[][]byte) bool {
	judgement, _ := oracle.Recorded(t)
	seen := map[string]bool{}
	for _, limit := range judgement.Limits {
		if seen[limit.Name] {
			return false
		}
		seen[limit.Name] = true
		// A limit that comes up for the first time was not there in the trials before: their
		// places stay unknown, and '.' among the outcomes.
		severity := oracle.SeverityOf(limit.Warn)
		at := slices.IndexFunc(m.Limits, func(l LimitMeasures) bool {
			return l.Name == limit.Name && l.Severity == severity
		})
		if at < 0 {
			at = len(m.Limits)
			m.Limits = append(m.Limits, LimitMeasures{
				Name: limit.Name, Severity: severity,
				Max: make(trial.Series, judged), Actual: make(trial.Series, judged),
			})
			*outcomes = append(*outcomes, bytes.Repeat([]byte{'.'}, judged))
		}
		(*outcomes)[at][position] = mark.Of(limit.Outcome)
		m.Limits[at].Max[position], m.Limits[at].Actual[position] = trial.Some(limit.Max), limit.Actual
	}
	return true
}

// into is the way back from measures: it gives the trials of the evidence, which have
// nothing but their outcomes, what the series say of them. A series of another length than
// the test's outcomes is a [verdict.DifferenceError].
func (m *Measures) into(t *TestEvidence, judged int) error {
	n := len(t.Trials)
	for name, s := range map[string]trial.Series{
		"scenario": m.Scenario, "number": m.Number, "cost_usd": m.CostUSD,
		"cost_basis": m.CostBasis,
		"duration_s": m.Duration, "input_tokens": m.InputTokens, "output_tokens": m.OutputTokens,
	} {
		if len(s) != 0 && len(s) != n {
			return &verdict.DifferenceError{Path: name, Have: prose.Count(len(s), "trial"), Want: fmt.Sprint(n)}
		}
	}
	for _, l := range m.Limits {
		if len(l.Max) != judged || len(l.Outcomes) != judged || len(l.Actual) != 0 && len(l.Actual) != judged {
			return &verdict.DifferenceError{Path: "limits", Have: fmt.Sprintf("of %d, %d and %d trials",
				len(l.Max), len(l.Actual), len(l.Outcomes)), Want: fmt.Sprint(judged)}
		}
	}
	for i := range t.Trials {
		if t.Trials[i].Trial == nil {
			continue
		}
		if err := m.intoTrial(t, i, judged); err != nil {
			return err
		}
	}
	return nil
}

// intoTrial is into for one trial that ended, the one at position i.
func (m *Measures) intoTrial(t *TestEvidence, i, judged int) error {
	x := &t.Trials[i]
	at := func(s trial.Series) (v trial.Optional[float64]) {
		// A series that was left out knows nothing.
		if i < len(s) {
			v = s[i]
		}
		return v
	}
	if m.Scenario != nil {
		scenario, ok := m.Scenario.Whole(i, len(t.Scenarios)-1)
		if !ok {
			return &verdict.DifferenceError{Path: "scenario", Have: fmt.Sprintf("of trial %d none", i),
				Want: "the place of a member"}
		}
		x.Scenario = t.Scenarios[scenario]
		x.Trial.Scenario = x.Scenario
	}
	if number := at(m.Number); number.Known {
		x.Number = int(number.Value)
	}
	x.CostUSD, x.Trial.DurationSeconds = at(m.CostUSD), at(m.Duration)
	var ok bool
	if x.Trial.CostBasis, ok = recording.BasisOf(at(m.CostBasis)); !ok {
		return &verdict.DifferenceError{Path: "cost_basis", Have: fmt.Sprint(at(m.CostBasis).Value), Want: "1 or 2"}
	}
	for s, to := range map[*trial.Series]*trial.Optional[int64]{&m.InputTokens: &x.Trial.InputTokens,
		&m.OutputTokens: &x.Trial.OutputTokens} {
		if tokens := at(*s); tokens.Known {
			*to = trial.Some(int64(tokens.Value))
		}
	}
	// Limits are kept of the judged trials alone.
	if i >= judged {
		return nil
	}
	var limits []oracle.LimitResult
	for _, l := range m.Limits {
		if l.Outcomes[i] == '.' {
			continue
		}
		outcome, ok := mark.Outcome(l.Outcomes[i])
		if !ok || !l.Max[i].Known {
			return &verdict.DifferenceError{Path: "limits", Have: fmt.Sprintf("%q of trial %d", l.Outcomes[i],
				i), Want: "P, F, E or ., and the limit"}
		}
		limits = append(limits, oracle.LimitResult{Name: l.Name, Max: l.Max[i].Value, Actual: at(l.Actual),
			Outcome: outcome, Warn: l.Severity != ""})
	}
	if len(limits) == 0 {
		return nil
	}
	// Judge reads limits from the record in the trial, so that is where they go.
	return oracle.Judgement{Outcome: x.Trial.Outcome, Limits: limits}.Record(x.Trial)
}
