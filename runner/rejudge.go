package runner

import (
	"context"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
)

// Bench judges trials that were recorded, by the evaluators, limits and judges of a suite. It starts no agent.
type Bench struct {
	scenarios map[string]suite.Scenario
	judges    map[string]string
	axes      score.Axes
}

// NewBench returns what judges trials of the scenarios. The error is that of a judge that
// cannot be started.
func NewBench(s *suite.Suite, scenarios []suite.Scenario) (*Bench, error) {
	if err := s.JudgesStartable(scenarios); err != nil {
		return nil, err
	}
	b := &Bench{scenarios: map[string]suite.Scenario{}, judges: s.Judges(scenarios), axes: s.Score}
	for _, c := range scenarios {
		b.scenarios[c.Name] = c
	}
	return b, nil
}

// Knows reports whether trials of the scenario are judged.
func (b *Bench) Knows(scenario string) bool {
	_, known := b.scenarios[scenario]
	return known
}

// Judge gives a trial the judgement of its scenario in place of what it had, and reports whether it did: not where the
// scenario is not known, and where the trial ended in an error that was none of judging, nor the end that the scenario
// expects. Such a trial stays as it is. It may be called from several goroutines at once, of different trials.
func (b *Bench) Judge(ctx context.Context, t *trial.Trial) (judged bool, err error) {
	c, known := b.scenarios[t.Scenario]
	if !known || !c.Expect.Admits(t) {
		return false, nil
	}
	if judgingFailed(t) {
		t.Outcome, t.Error = trial.Unjudged, nil
	}
	evidence := oracle.Evidence{Trial: t}
	j := c.Judge(ctx, evidence)
	j.Judge = b.judges[t.Scenario]
	if err := j.Record(t); err != nil {
		return true, err
	}
	scored(ctx, b.axes, evidence, j, "", "")
	return true, nil
}

// judgingFailed reports whether a trial ended in an error of an earlier judging, which says nothing of the trial.
func judgingFailed(t *trial.Trial) bool {
	return t.Outcome == trial.Error && t.Error != nil && t.Error.Origin == oracle.JudgeOrigin
}
