package verdict

import (
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
)

// Three tries at 10 % each have a false Pass with 1 - 0.9^3 = 27.1 %: at most the sum, 30 %.
func TestRisksOfAllLooks(t *testing.T) {
	try := Look{Verdict: Fail, FalsePass: .1, FalseFail: .05}
	l := NewLooks([]Look{try, try}, 0, Risk{FalsePass: .1, FalseFail: .05})
	refdata.Near(t, "false pass", l.FalsePass, .3, 1e-12)
	refdata.Near(t, "false fail", l.FalseFail, .15, 1e-12)
	if l.Number != 3 || !l.Open() || len(l.Warnings()) != 1 || l.Warnings()[0].Code != warnLooks {
		t.Errorf("%+v, warnings %v", l, l.Warnings())
	}
	many := NewLooks(make([]Look, 0), 0, Risk{FalsePass: .1})
	if many.Open() || len(many.Warnings()) != 0 {
		t.Errorf("a first look is open: %+v", many)
	}
	for range 20 {
		l = NewLooks(append(l.Earlier, try), 0, Risk{FalsePass: .1})
	}
	if l.FalsePass != 1 {
		t.Errorf("a chance of %v", l.FalsePass)
	}
}

// Looks are declared where all of them were, and as many.
func TestDeclaredLooks(t *testing.T) {
	for _, c := range []struct {
		earlier  []Look
		declared int
		open     bool
	}{
		{[]Look{{Declared: 3}}, 3, false},
		{[]Look{{Declared: 3}, {Declared: 3}}, 3, false},
		{[]Look{{Declared: 3}, {Declared: 3}, {Declared: 3}}, 3, true}, // a fourth
		{[]Look{{}}, 3, true},                                          // the first was not
		{[]Look{{Declared: 2}}, 3, true},                               // they were others
		{[]Look{{Declared: 3}}, 0, true},
		{nil, 0, false},
	} {
		if l := NewLooks(c.earlier, c.declared, Risk{}); l.Open() != c.open {
			t.Errorf("%+v, declared %d: open %v", c.earlier, c.declared, l.Open())
		}
	}
	if (*Looks)(nil).Open() || (*Looks)(nil).Text() != "" {
		t.Error("looks that are not counted are open")
	}
}
