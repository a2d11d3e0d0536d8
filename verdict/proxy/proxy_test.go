package proxy

import (
	"errors"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/stats/controlvariate"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// record makes a recording of scenarios, each with the outcomes of its trials from 0 on: P, F, E for an error and . for
// no trial.
func record(t *testing.T, name string, usd float64, letters ...string) *recording.Recording {
	t.Helper()
	r := &recording.Recording{Name: name}
	for s, outcomes := range letters {
		for i, o := range outcomes {
			one := trial.Trial{Scenario: string(rune('a' + s)), Index: trial.Some(i)}
			switch o {
			case 'P':
				one.Outcome = trial.Pass
			case 'F':
				one.Outcome = trial.Fail
			case 'E':
				one.Outcome = trial.Error
			default:
				continue
			}
			if usd > 0 {
				one.CostUSD = trial.Some(usd)
			}
			r.Add(&one)
		}
	}
	return r
}

func TestMatch(t *testing.T) {
	m, err := Match(record(t, "large", 0.5, "PPFFE.P", "PF", "", "P"), record(t, "mini", 0.1, "PFPFPF.PF", ".P", "F"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Scenario{
		{"a", controlvariate.Sample{BothPass: 1, TargetOnly: 1, ProxyOnly: 1, BothFail: 1, Further: 3, FurtherPasses: 1}},
		{"b", controlvariate.Sample{ProxyOnly: 1}},
		{"c", controlvariate.Sample{Further: 1}},
	}
	if len(m.Scenarios) != len(want) {
		t.Fatalf("%+v", m.Scenarios)
	}
	for i := range want {
		if m.Scenarios[i] != want[i] {
			t.Errorf("%+v, want %+v", m.Scenarios[i], want[i])
		}
	}
	// The proxy did not try a#6, b#0 and d#0.
	if m.Unpaired != 3 || m.Errors != 1 || math.Abs(m.CostUSD[0]-0.5) > 1e-12 ||
		math.Abs(m.CostUSD[1]-0.1) > 1e-12 {
		t.Errorf("%d unpaired, %d errors, %v", m.Unpaired, m.Errors, m.CostUSD)
	}
}

func TestMatchRefuses(t *testing.T) {
	ok := record(t, "ok", 0, "PF")
	bare, twice := &recording.Recording{}, record(t, "twice", 0, "PF")
	bare.Add(&trial.Trial{Scenario: "a", Outcome: trial.Pass})
	twice.Add(&trial.Trial{Scenario: "a", Index: trial.Some(1), Outcome: trial.Pass})
	for _, c := range []struct {
		with *recording.Recording
		want error
	}{{bare, ErrNoNumber}, {twice, ErrTwice}, {record(t, "other", 0, "", "PF"), ErrNoPairs}} {
		if _, err := Match(ok, c.with); !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
}

// TestAnswers has one table of φ 0.6, 40 pass and 40 fail, and prices on both sides of what pays.
func TestAnswers(t *testing.T) {
	repeat := func(n int) (target, proxy string) {
		for range n {
			target, proxy = target+"PPPPPFFFFF", proxy+"PPPPFFFFFP"
		}
		return target, proxy
	}
	target, cheap := repeat(8)
	m, err := Match(record(t, "large", 0, target), record(t, "mini", 0, cheap))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		price float64
		want  Answer
	}{{0.001, Pays}, {0.1, NotShown}, {0.3, No}} {
		p, err := For(m, Options{TargetUSD: 1, ProxyUSD: c.price})
		if err != nil {
			t.Fatal(err)
		}
		if p.Rho == nil || math.Abs(*p.Rho-0.6) > 1e-12 || p.Answer != c.want {
			t.Errorf("price %v: %v, want %v; %+v", c.price, p.Answer, c.want, p)
		}
	}
	if _, err := For(m, Options{TargetUSD: 1}); !errors.Is(err, ErrNoPrice) {
		t.Error(err)
	}
	flat, err := Match(record(t, "large", 1, "PPP"), record(t, "mini", 1, "PFP"))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := For(flat, Options{}); err != nil || p.Answer != unknown || p.Rho != nil {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestScenariosThatVary has one pair of each scenario: they are one stratum.
func TestScenariosThatVary(t *testing.T) {
	m, err := Match(record(t, "large", 1, "P", "P", "F", "F"), record(t, "mini", 1, "P", "P", "F", "F", "P"))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := For(m, Options{}); err != nil || p.Rho == nil || *p.Rho != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	c, err := Judge(t.Context(), m, m, Question{})
	if err != nil || len(c.Strata) != 1 || c.Result.Difference != 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestJudge(t *testing.T) {
	side := func(letters ...string) *MatchedTrials {
		m, err := Match(record(t, "large", 0, letters[0]), record(t, "mini", 0, letters[1]))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	good := side("PPPPPPPPPPPPPPPPPPPF", "PPPPPPPPPPPPPPPPPPFFPPPPPPPPPPPPPPPPPPPP")
	bad := side("PPFFFFFFFFFFFFFFFFFF", "PPFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF")
	for _, c := range []struct {
		candidate *MatchedTrials
		want      verdict.Verdict
	}{{bad, verdict.Fail}, {good, verdict.Inconclusive}} {
		by := controlvariate.Stouffer
		r, err := Judge(t.Context(), good, c.candidate, Question{Seed: 1, Combination: &by})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != c.want || r.ExitCode != c.want.ExitCode() || r.Combined == nil || len(r.Reasons) != 1 {
			t.Errorf("%+v, want %v", r, c.want)
		}
	}
	for want, with := range map[error]*MatchedTrials{
		ErrErrors: side("PE", "PP"), ErrUnpaired: side("PPP", "PP"), controlvariate.ErrTooFewPairs: side("P", "PP"),
	} {
		if _, err := Judge(t.Context(), good, with, Question{}); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	elsewhere, err := Match(record(t, "large", 0, "", "PF"), record(t, "mini", 0, "", "PF"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Judge(t.Context(), good, elsewhere, Question{}); !errors.Is(err, ErrApart) {
		t.Error(err)
	}
}
