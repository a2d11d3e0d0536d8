package runs

import (
	"testing"

	"github.com/tribunal-dev/tribunal/verdict"
)

// A test that fails each time is broken, one that does either is flaky whatever is asked, and of what is not decided
// nothing is said but that.
func TestStates(t *testing.T) {
	for _, c := range []struct {
		passes, fails, errors int
		verdict               verdict.Verdict
		want                  State
	}{
		{0, 4, 0, verdict.Fail, Broken},
		{0, 4, 1, verdict.Fail, Broken},
		{52, 13, 0, verdict.Fail, Flaky},
		{99, 1, 0, verdict.Pass, Flaky},
		{15, 0, 0, verdict.Pass, Sound},
		{1, 0, 0, verdict.Inconclusive, ""},
		{0, 1, 0, verdict.Inconclusive, ""},
		{15, 0, 1, verdict.Pass, ""},
		{0, 0, 9, verdict.Inconclusive, ""},
	} {
		x := Test{Verdict: c.verdict, Passes: c.passes, Fails: c.fails, Errors: c.errors}
		if got := x.state(); got != c.want {
			t.Errorf("%+v is %q, want %q", c, got, c.want)
		}
	}
}
