package gate

import (
	"context"
	"fmt"
	"time"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// BaselineRun is a saved run to compare with.
type BaselineRun struct {
	File   string `json:"file"`              // that was named, or the name of a baseline
	MaxAge Age    `json:"max_age,omitempty"` // 0 is any
	// Strict is asked by [firstEdition] alone: whether a drop that is neither shown nor excluded
	// keeps the gate from deploying. Nil in later ones; see Options.AllowUndecided.
	Strict *bool `json:"strict,omitempty"`
	// Of a baseline with a name: its revision, from 1, and its runs; absent of a file.
	Revision int            `json:"revision,omitempty"`
	Runs     []string       `json:"runs,omitempty"`
	Problem  string         `json:"problem,omitempty"` // why it could not be read; empty where it was
	Run      *BaselineTests `json:"run,omitempty"`     // nil where it could not be read
}

// Age is how old something may be; in JSON such as "720h0m0s".
type Age time.Duration

// MarshalText writes the duration.
func (a Age) MarshalText() ([]byte, error) { return []byte(time.Duration(a).String()), nil }

// UnmarshalText reads a positive duration.
func (a *Age) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return err
	}
	// An age of 0 would mean "any" in BaselineRun, which is said by leaving it out.
	if d <= 0 {
		return fmt.Errorf("%v is no age", d)
	}
	*a = Age(d)
	return nil
}

// BaselineTests is what a comparison needs of a baseline's run. The tests are judged again
// from it.
type BaselineTests struct {
	Suite    string          `json:"suite"`                 // name
	Digest   string          `json:"suite_digest"`          // of the suite
	Task     *runs.Task      `json:"task,omitempty"`        // nil where it is not known
	Settings []string        `json:"settings,omitempty"`    // of the agent and its tests
	Finished string          `json:"finished_at,omitempty"` // RFC 3339
	Designs  []design.Design `json:"designs"`               // each once
	Tests    []BaselineTest  `json:"scenarios"`             // in the order of the run
}

// BaselineTest is a test of a baseline.
type BaselineTest struct {
	Name      string  `json:"name"`      // of the test
	Threshold float64 `json:"threshold"` // pass rate, from 0 to 1, like delta
	Delta     float64 `json:"delta"`
	Alpha     float64 `json:"alpha"`    // bounds the chance of a false Fail, from 0 to 1
	Beta      float64 `json:"beta"`     // bounds the chance of a false Pass, from 0 to 1
	Design    string  `json:"design"`   // its digest; empty where how its trials were sampled is not known
	Outcomes  string  `json:"outcomes"` // of the judged trials: P, F, E
	// Why nothing can be compared with it, where there is no design; "": a test against another baseline stopped it.
	Why string `json:"why,omitempty"`
}

// TestsOf takes what a comparison needs from the result of a run; nil of nil.
func TestsOf(r *runs.Result) *BaselineTests {
	if r == nil {
		return nil
	}
	b := &BaselineTests{
		Suite:    r.Suite,
		Digest:   r.Digest,
		Task:     r.Task,
		Settings: r.Settings,
		Finished: r.Finished,
		Designs:  []design.Design{},
		Tests:    []BaselineTest{},
	}
	// Many tests share a design, and its boundaries are long: each is held once.
	known := map[string]bool{}
	for _, t := range r.Tests {
		// A test against a baseline of its own was stopped by that too.
		if t.Regression != nil || t.Standing != "" {
			b.Tests = append(b.Tests, BaselineTest{Name: t.Name})
			continue
		}
		if !known[t.Design.Digest] {
			known[t.Design.Digest] = true
			b.Designs = append(b.Designs, t.Design)
		}
		// Judged trials come first; the count comes from a document, so it is held to the length.
		judged := t.Outcomes[:min(max(t.Trials, 0), len(t.Outcomes))]
		b.Tests = append(b.Tests, BaselineTest{Name: t.Name, Threshold: t.Threshold, Delta: t.Delta, Alpha: t.Alpha,
			Beta: t.Beta, Design: t.Design.Digest, Outcomes: judged})
	}
	return b
}

// judgeOne judges a test by itself.
func judgeOne(e runs.TestEvidence) (runs.Test, error) {
	r, err := runs.Judge(context.Background(), runs.Evidence{Tests: []runs.TestEvidence{e}})
	if err != nil {
		return runs.Test{}, err
	}
	return r.Tests[0], nil
}

// judge judges the tests again from their outcomes.
// It trusts nothing but outcomes and boundaries, so that a saved verdict that was changed
// cannot make or hide a regression. A [verdict.DifferenceError] says what does not fit.
func (r *BaselineTests) judge() ([]runs.Test, error) {
	designs := map[string]design.Design{}
	for _, d := range r.Designs {
		designs[d.Digest] = d
	}
	var tests []runs.Test
	for i, t := range r.Tests {
		if t.Design == "" {
			tests = append(tests, runs.Test{Name: t.Name})
			continue
		}
		saved := runs.Test{
			Name:      t.Name,
			Threshold: t.Threshold,
			Delta:     t.Delta,
			Alpha:     t.Alpha,
			Beta:      t.Beta,
			Design:    designs[t.Design],
			Outcomes:  t.Outcomes,
		}
		path := fmt.Sprintf("scenarios[%d]", i)
		if _, known := designs[t.Design]; !known {
			return nil, &verdict.DifferenceError{Path: path + ".design", Have: t.Design,
				Want: "the digest of a design that is there"}
		}
		// Evidence checks the boundaries against the digest.
		e, err := saved.Evidence(i)
		if err != nil {
			return nil, err
		}
		judged, err := judgeOne(e)
		if err != nil {
			return nil, err
		}
		// TestsOf kept the judged trials alone, so the test must use up all of them.
		if judged.Trials != len(t.Outcomes) {
			return nil, &verdict.DifferenceError{Path: path + ".outcomes", Have: prose.Count(len(t.Outcomes),
				"trial"), Want: fmt.Sprintf("%d that were judged", judged.Trials)}
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
