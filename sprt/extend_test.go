package sprt

import (
	"strings"
	"testing"
)

// What an extended test has judged stays judged: it stops where the short one stops.
func TestExtend(t *testing.T) {
	h := Hypotheses{Threshold: .9, Delta: .1, Alpha: .05, Beta: .1}
	short, err := Wald(h, 60)
	if err != nil {
		t.Fatal(err)
	}
	long, err := short.Extend(140)
	if err != nil {
		t.Fatal(err)
	}
	if long.Boundaries.MaxTrials() != 200 || long.Digest() == short.Digest() {
		t.Errorf("%d trials", long.Boundaries.MaxTrials())
	}
	a, _ := short.Boundaries.Characteristics(.85)
	b, _ := long.Boundaries.Characteristics(.85)
	if !(b.Inconclusive < a.Inconclusive && b.Pass > a.Pass && b.Fail > a.Fail) {
		t.Errorf("%+v, extended %+v", a, b)
	}
	if exact, err := long.Errors(); err != nil || !exact.Within(h) {
		t.Errorf("%+v, %v", exact, err)
	}
}

func TestExtendRefuses(t *testing.T) {
	h := Hypotheses{Threshold: .9, Delta: .1, Alpha: .05, Beta: .1}
	optimal, err := Optimal(t.Context(), h, OptimalOptions{MaxTrials: 120})
	if err != nil {
		t.Fatal(err)
	}
	fixed, err := Fixed(h, 50)
	if err != nil {
		t.Fatal(err)
	}
	// Wald's test without a limit really has beta 0.1006 here (reference/sequential.json).
	exceeding, err := Wald(Hypotheses{Threshold: .99, Delta: .04, Alpha: .05, Beta: .1}, 100)
	if err != nil {
		t.Fatal(err)
	}
	other := exceeding
	other.Boundaries = open(100)
	for name, c := range map[string]struct {
		design Design
		more   int
	}{
		"optimal": {optimal.Design, 50}, "fixed": {fixed, 50}, "exceeding": {exceeding, 5000}, "none": {exceeding, 0},
		"other": {other, 10},
	} {
		if _, err := c.design.Extend(c.more); err == nil || !strings.Contains(err.Error(), "cannot go on to") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
