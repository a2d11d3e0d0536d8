package gate

import (
	"errors"
	"fmt"
	"time"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Asked is what a gate decided its rules by, beside the run, coverage and
// behaviour: [Options] in a form that is saved, from which it can be judged again.
type Asked struct {
	Alpha       float64                 `json:"alpha"`
	Beta        float64                 `json:"beta"`
	Delta       float64                 `json:"delta"`
	Correction  multiplicity.Correction `json:"correction"`
	Floor       *SavedFloor             `json:"floor,omitempty"`  // of every scenario
	Floors      map[string]SavedFloor   `json:"floors,omitempty"` // by scenario
	MinCoverage *float64                `json:"min_coverage,omitempty"`
	Now         string                  `json:"now,omitempty"` // RFC 3339; the age of the baseline is that at this time
	Baseline    *SavedBaseline          `json:"baseline,omitempty"`
}

// SavedFloor is a [Floor].
type SavedFloor struct {
	MinPassRate float64 `json:"min_pass_rate"` // 0 is none
	Point       bool    `json:"point,omitempty"`
	AllTrials   bool    `json:"all_trials,omitempty"`
}

// SavedBaseline is a [BaselineRun].
type SavedBaseline struct {
	File    string         `json:"file"`
	MaxAge  string         `json:"max_age,omitempty"` // such as 720h0m0s
	Strict  bool           `json:"strict"`
	Problem string         `json:"problem,omitempty"` // why it could not be read
	Run     *BaselineTests `json:"run,omitempty"`
}

// BaselineTests is what a comparison needs of a baseline's run.
type BaselineTests struct {
	Suite    string          `json:"suite"`
	Digest   string          `json:"suite_digest"`
	Finished string          `json:"finished_at,omitempty"`
	Designs  []design.Design `json:"designs"` // each once
	Tests    []BaselineTest  `json:"scenarios"`
}

// BaselineTest is a test of a baseline.
type BaselineTest struct {
	Name      string  `json:"name"`
	Threshold float64 `json:"threshold"`
	Delta     float64 `json:"delta"`
	Alpha     float64 `json:"alpha"`
	Beta      float64 `json:"beta"`
	Design    string  `json:"design"`   // its digest
	Outcomes  string  `json:"outcomes"` // of the judged trials
}

func (o Options) asked() *Asked {
	a := &Asked{Alpha: o.Alpha, Beta: o.Beta, Delta: o.Delta, Correction: o.Correction, MinCoverage: o.Minimum}
	if o.Floor != (Floor{}) {
		a.Floor = &SavedFloor{o.Floor.Rate, o.Floor.Point, o.Floor.AllTrials}
	}
	for name, f := range o.Floors {
		if f == (Floor{}) {
			continue
		}
		if a.Floors == nil {
			a.Floors = map[string]SavedFloor{}
		}
		a.Floors[name] = SavedFloor{f.Rate, f.Point, f.AllTrials}
	}
	if !o.Now.IsZero() {
		a.Now = o.Now.UTC().Format(time.RFC3339Nano)
	}
	if o.Baseline != nil {
		a.Baseline = o.Baseline.saved()
	}
	return a
}

func (b *BaselineRun) saved() *SavedBaseline {
	s := &SavedBaseline{File: b.File, Strict: b.Strict}
	if b.MaxAge > 0 {
		s.MaxAge = b.MaxAge.String()
	}
	if b.Err != nil {
		s.Problem = b.Err.Error()
	}
	if r := b.Result; r != nil {
		s.Run = &BaselineTests{Suite: r.Suite, Digest: r.Digest, Finished: r.Finished, Designs: []design.Design{}, Tests: []BaselineTest{}}
		known := map[string]bool{}
		for _, t := range r.Tests {
			if !known[t.Design.Digest] {
				known[t.Design.Digest] = true
				s.Run.Designs = append(s.Run.Designs, t.Design)
			}
			s.Run.Tests = append(s.Run.Tests, BaselineTest{t.Name, t.Threshold, t.Delta, t.Alpha, t.Beta, t.Design.Digest, t.Outcomes[:min(max(t.Trials, 0), len(t.Outcomes))]})
		}
	}
	return s
}

// options is the reverse of asked. A baseline that is comparable with the run is judged
// again from its outcomes.
func (a *Asked) options(run *runs.Result) (Options, error) {
	o := Options{Alpha: a.Alpha, Beta: a.Beta, Delta: a.Delta, Correction: a.Correction, Minimum: a.MinCoverage, Floors: map[string]Floor{}}
	if a.Floor != nil {
		o.Floor = a.Floor.floor()
	}
	for name, f := range a.Floors {
		o.Floors[name] = f.floor()
	}
	var err error
	if a.Now != "" {
		if o.Now, err = time.Parse(time.RFC3339Nano, a.Now); err != nil {
			return o, &verdict.DifferenceError{Path: "now", Have: fmt.Sprintf("%q", a.Now), Want: "a time"}
		}
	}
	if a.Baseline != nil {
		if o.Baseline, err = a.Baseline.run(run, o.Now); err != nil {
			return o, recheck.Within("baseline", err)
		}
	}
	return o, nil
}

func (f SavedFloor) floor() Floor { return Floor{f.MinPassRate, f.Point, f.AllTrials} }

func (s *SavedBaseline) run(with *runs.Result, now time.Time) (*BaselineRun, error) {
	b := &BaselineRun{File: s.File, Strict: s.Strict}
	if s.MaxAge != "" {
		var err error
		if b.MaxAge, err = time.ParseDuration(s.MaxAge); err != nil || b.MaxAge <= 0 {
			return nil, &verdict.DifferenceError{Path: "max_age", Have: fmt.Sprintf("%q", s.MaxAge), Want: "a duration"}
		}
	}
	if s.Problem != "" {
		b.Err = errors.New(s.Problem)
	}
	if s.Run == nil {
		return b, nil
	}
	b.Result = &runs.Result{Suite: s.Run.Suite, Digest: s.Run.Digest, Finished: s.Run.Finished}
	for _, t := range s.Run.Tests {
		b.Result.Tests = append(b.Result.Tests, runs.Test{Name: t.Name})
	}
	if b.incomparable(with, now) != "" {
		return b, nil // its outcomes say nothing
	}
	var err error
	b.Result.Tests, err = s.Run.judge()
	return b, recheck.Within("run", err)
}

func (r *BaselineTests) judge() ([]runs.Test, error) {
	designs := map[string]design.Design{}
	for _, d := range r.Designs {
		designs[d.Digest] = d
	}
	var tests []runs.Test
	for i, t := range r.Tests {
		saved := runs.Test{Name: t.Name, Threshold: t.Threshold, Delta: t.Delta, Alpha: t.Alpha, Beta: t.Beta, Design: designs[t.Design], Outcomes: t.Outcomes}
		path := fmt.Sprintf("scenarios[%d]", i)
		if _, known := designs[t.Design]; !known {
			return nil, &verdict.DifferenceError{Path: path + ".design", Have: t.Design, Want: "the digest of a design that is there"}
		}
		e, err := saved.Evidence(i)
		if err != nil {
			return nil, err
		}
		judged, err := runs.JudgeTest(e, runs.Evidence{})
		if err != nil {
			return nil, err
		}
		if judged.Trials != len(t.Outcomes) {
			return nil, &verdict.DifferenceError{Path: path + ".outcomes", Have: prose.Count(len(t.Outcomes), "trial"), Want: fmt.Sprintf("%d that were judged", judged.Trials)}
		}
		// The errors and the size of a design follow from its boundaries.
		have, want := saved.Design, judged.Design
		if err := new(recheck.Walk).Compare(&have, &want); err != nil {
			return nil, recheck.Within(path+".design", err)
		}
		tests = append(tests, judged)
	}
	return tests, nil
}
