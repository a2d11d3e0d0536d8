package runner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

var extended = sprt.Hypotheses{Threshold: .9, Delta: .1, Alpha: .05, Beta: .1}

func wald(t testing.TB, trials int) sprt.Design {
	t.Helper()
	d, err := sprt.Wald(extended, trials)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// sevenths is an agent one of whose seven trials fails: that is where Wald's test of
// 0.9 against 0.8 does not decide. A scenario called steady always passes. Each record
// has a number that no other has, so that a trial that is run again shows.
func sevenths() AgentFunc {
	var count atomic.Int64
	return func(_ context.Context, r Request) Attempt {
		t := &trial.Trial{Outcome: trial.Pass, InputTokens: trial.Some(count.Add(1))}
		if r.Trial%7 == 3 && r.Scenario != "steady" {
			t.Outcome = trial.Fail
		}
		return Attempt{Trial: t}
	}
}

// extendable returns options of a test that uses up its trials, and of one that does
// not, after their first session.
func extendable(t *testing.T, d sprt.Design) (Options, *Result) {
	t.Helper()
	o := options(d, sevenths(), "open", "steady")
	o.Concurrency, o.Journal = 3, filepath.Join(t.TempDir(), "journal")
	first := mustRun(t, o)
	if open, steady := first.Tests[0], first.Tests[1]; open.Outcome != sprt.Inconclusive ||
		open.Trials != d.Boundaries.MaxTrials() || steady.Outcome != sprt.Pass || first.StoppedBy != runs.StoppedByMaxTrials {
		t.Fatalf("%v\n%+v\n%+v", first.StoppedBy, open, steady)
	}
	o.Resume = true
	return o, first
}

// records are the trials of a test as they were first recorded.
func records(r *Result, test string) (list []trial.Trial) {
	for _, record := range r.Trials {
		if record.Test == test && record.Trial != nil {
			list = append(list, trial.Trial{Scenario: record.Scenario, Index: trial.Some(record.Number),
				Outcome: record.Trial.Outcome, InputTokens: record.Trial.InputTokens})
		}
	}
	return list
}

func TestExtend(t *testing.T) {
	o, before := extendable(t, wald(t, 30))
	for _, c := range []struct{ more, trials int }{{20, 50}, {1, 51}, {9, 60}} {
		o.Extend = c.more
		r := mustRun(t, o)
		open := r.Tests[0]
		if open.Outcome != sprt.Inconclusive || open.Trials != c.trials || open.Design.Boundaries.MaxTrials() != c.trials ||
			open.Digest != wald(t, c.trials).Digest() {
			t.Errorf("extended by %d: %+v", c.more, open)
		}
		if r.Resumed != len(before.Trials) {
			t.Errorf("extended by %d: %d trials of earlier sessions, want %d", c.more, r.Resumed, len(before.Trials))
		}
		old, all := records(before, "open"), records(r, "open")
		if diff := cmp.Diff(old, all[:len(old)]); diff != "" || len(all) != c.trials {
			t.Errorf("extended by %d: %d trials, and of the old ones (-before +after):\n%s", c.more, len(all), diff)
		}
		// Who has decided is left alone.
		if diff := cmp.Diff(before.Tests[1], r.Tests[1]); diff != "" {
			t.Errorf("extended by %d:\n%s", c.more, diff)
		}
		before = r
	}
	direct := o
	direct.Tests = append([]Test(nil), o.Tests...)
	direct.Tests[0].Design = wald(t, 60)
	direct.Journal, direct.Resume, direct.Extend = "", false, 0
	if diff := cmp.Diff(summary(mustRun(t, direct)), summary(before)); diff != "" {
		t.Errorf("extended to 60 is not 60 at once (-at once +extended):\n%s", diff)
	}
	// Without more it is as it was.
	o.Extend = 0
	if diff := cmp.Diff(summary(before), summary(mustRun(t, o))); diff != "" {
		t.Errorf("looked at again:\n%s", diff)
	}
}

func TestNothingToExtend(t *testing.T) {
	d := wald(t, 60)
	o := options(d, sevenths(), "steady")
	o.Journal = filepath.Join(t.TempDir(), "journal")
	mustRun(t, o)
	o.Resume, o.Extend = true, 10
	if r, err := Run(context.Background(), o); !errors.Is(err, errNothingToExtend) || r != nil {
		t.Errorf("%v, %+v", err, r)
	}
	// One that is under way has trials left: it is continued.
	o, _ = extendable(t, wald(t, 30))
	o.Extend, o.Budget.MaxTrials = 20, 58
	if r := mustRun(t, o); r.StoppedBy != runs.StoppedByBudget || r.Tests[0].Outcome != sprt.Undecided {
		t.Fatalf("%+v", r.Tests[0])
	}
	o.Budget = Budget{}
	if _, err := Run(context.Background(), o); !errors.Is(err, errNothingToExtend) {
		t.Errorf("%v", err)
	}
	o.Extend = 0
	if r := mustRun(t, o); r.Tests[0].Trials != 50 || r.Tests[0].Outcome != sprt.Inconclusive {
		t.Errorf("%+v", r.Tests[0])
	}
	o.Resume, o.Extend = false, 5
	var option *OptionError
	if _, err := Run(context.Background(), o); !errors.As(err, &option) || option.Argument != "extend" {
		t.Errorf("%v", err)
	}
}

// A design that has spent its errors is not extended, and neither is any other then.
func TestDesignsThatCannotBeExtended(t *testing.T) {
	optimal, err := sprt.Optimal(context.Background(), extended, sprt.OptimalOptions{MaxTrials: 30})
	if err != nil {
		t.Fatal(err)
	}
	fixed, err := sprt.Fixed(extended, 40)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind    sprt.Kind
		designs []sprt.Design
	}{
		{sprt.OptimalKind, []sprt.Design{optimal.Design}},
		{sprt.FixedKind, []sprt.Design{fixed}},
		{sprt.OptimalKind, []sprt.Design{wald(t, 30), optimal.Design}},
	} {
		o := options(c.designs[0], sevenths(), letters(len(c.designs))...)
		for i, d := range c.designs {
			o.Tests[i].Design = d
		}
		o.Journal = filepath.Join(t.TempDir(), "journal")
		first := mustRun(t, o)
		for _, test := range first.Tests {
			if test.Outcome != sprt.Inconclusive {
				t.Fatalf("%v: %+v", c.kind, test)
			}
		}
		before, err := os.ReadFile(o.Journal)
		if err != nil {
			t.Fatal(err)
		}
		o.Resume, o.Extend = true, 20
		r, err := Run(context.Background(), o)
		if err == nil || !strings.Contains(err.Error(), "a test of the kind "+c.kind.String()+" cannot go on") || r != nil {
			t.Errorf("%v: %v, %+v", c.kind, err, r)
		}
		after, err := os.ReadFile(o.Journal)
		if err != nil {
			t.Fatal(err)
		}
		if string(after) != string(before) {
			t.Errorf("%v: the refused extension is in the journal: %q", c.kind, after[len(before):])
		}
		o.Extend = 0
		if diff := cmp.Diff(summary(first), summary(mustRun(t, o))); diff != "" {
			t.Errorf("%v: after the refusal:\n%s", c.kind, diff)
		}
	}
}

// Cut after any line, or within one, the journal of a test that was extended twice
// leads to the end of the whole one. Where a trial was running at the cut, it is an error.
func TestExtendedJournalsGoOn(t *testing.T) {
	o, _ := extendable(t, wald(t, 30))
	for _, more := range []int{8, 5} {
		o.Extend = more
		mustRun(t, o)
	}
	o.Extend = 0
	want := summary(mustRun(t, o))
	text, err := os.ReadFile(o.Journal)
	if err != nil {
		t.Fatal(err)
	}
	last := strings.LastIndex(string(text), `{"extended":`)
	first := strings.Index(string(text), `{"extended":`)
	if first < 0 || first == last {
		t.Fatal("the journal does not hold two extensions")
	}
	o.Journal = filepath.Join(t.TempDir(), "journal")
	length, cuts, running := first, 0, 0
	number, every := 0, thorough.Draws(4, 1)
	for line := range strings.Lines(string(text[first:])) {
		if number++; number%every != 0 && !strings.HasPrefix(line, `{"extended":`) {
			length += len(line)
			continue
		}
		for _, cut := range []int{length + len(line), length + len(line) - 1, length + len(line)/2} {
			if err := os.WriteFile(o.Journal, text[:cut], 0o600); err != nil {
				t.Fatal(err)
			}
			for _, at := range []int{first, last} { // the extensions that it lost are made again
				if o.Extend = 0; cut < at+strings.IndexByte(string(text[at:]), '\n')+1 {
					o.Extend = map[bool]int{true: 8, false: 5}[at == first]
				}
				mustRun(t, o)
			}
			o.Extend = 0
			r := mustRun(t, o)
			if r.Lost > 0 {
				running++
				errs := 0
				for _, x := range r.Trials {
					if x.Trial.Outcome == trial.Error {
						errs++
					}
				}
				if errs != r.Lost {
					t.Errorf("cut after %d bytes: %d errors, %d lost", cut, errs, r.Lost)
				}
			} else if diff := cmp.Diff(want, summary(r)); diff != "" {
				t.Fatalf("cut after %d bytes (-want +got):\n%s", cut, diff)
			}
			cuts++
		}
		length += len(line)
	}
	if least := thorough.Draws(3, 13); cuts < 3*least || running < least || cuts-running < least {
		t.Errorf("only %d cuts, %d of them while a trial ran", cuts, running)
	}
}
