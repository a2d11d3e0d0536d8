package report

import (
	"slices"
	"testing"

	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// One interrupt leaves the same warning with several tests: it is said once, with their names.
func TestSameWarningsStandOnce(t *testing.T) {
	warned := func(name string, texts ...string) (test runs.Test) {
		test.Name = name
		for _, text := range texts {
			test.Warnings = append(test.Warnings, verdict.WarnErrors.Warning("%s", text))
		}
		return test
	}
	d := new(document.Document)
	runWarnings(d, &runs.Result{Tests: []runs.Test{warned("slow", "2 trials ended in an error"),
		warned("bad", "2 trials ended in an error", "the rate is low"), warned("good")}}, false)
	want := []string{"slow, bad: 2 trials ended in an error", "bad: the rate is low"}
	if !slices.Equal(d.Notes, want) {
		t.Errorf("%q", d.Notes)
	}
	// Of errors the number is that of all, whatever each test has.
	const said = " ended in an error: Pass or Fail is said only where it holds whether "
	errors := func(name string, n int, text string) runs.Test {
		test := warned(name, text+" would have passed or failed")
		test.Errors = n
		return test
	}
	d = new(document.Document)
	runWarnings(d, &runs.Result{Tests: []runs.Test{
		errors("slow", 1, "1 trial"+said+"it"), errors("bad", 3, "3 trials"+said+"they"),
	}}, false)
	want = []string{"slow, bad: 4 trials" + said + "they would have passed or failed"}
	if !slices.Equal(d.Notes, want) {
		t.Errorf("%q", d.Notes)
	}
	d = new(document.Document)
	recorded := func(name string) runs.Test {
		test := warned(name, "5 trials ended in an error: they count both ways")
		test.Errors = 5
		return test
	}
	runWarnings(d, &runs.Result{Tests: []runs.Test{recorded("slow"), recorded("bad")}}, false)
	if want = []string{"slow, bad: 10 trials ended in an error: they count both ways"}; !slices.Equal(d.Notes, want) {
		t.Errorf("%q", d.Notes)
	}
	alone := new(document.Document)
	runWarnings(alone, &runs.Result{Tests: []runs.Test{warned("slow", "2 trials ended in an error")}}, false)
	if !slices.Equal(alone.Notes, []string{"2 trials ended in an error"}) {
		t.Errorf("%q", alone.Notes)
	}
}

// A rate that is not known has its reason: with errors it is somewhere between theirs as failures and as passes.
func TestRatesThatAreNotKnown(t *testing.T) {
	for want, side := range map[string]runs.Side{
		"no trials": {}, "all errors": {Trials: 2, Errors: 2}, "25%-75%": {Trials: 4, Passes: 1, Fails: 1, Errors: 2},
	} {
		test := runs.Test{Standing: stratified.Open.String(), Trials: side.Trials, Passes: side.Passes, Fails: side.Fails,
			Errors: side.Errors}
		if got := runRow(&document.Table{}, &runs.Result{}, &test).Cells[7].Text; got != want {
			t.Errorf("%+v: %q, not %q", side, got, want)
		}
	}
}
