package running

import (
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/suite"
)

// A run is continued by the command that began it, with what chooses its trials.
func TestInterruptedRunNamesItsCommand(t *testing.T) {
	s := &suite.Suite{File: "shop.yaml"}
	for _, c := range []struct {
		run  run
		want string
	}{
		{run{}, "tribunal run shop.yaml --resume"},
		{run{gated: true}, "tribunal gate shop.yaml --resume"},
		{run{Request: Request{Tests: Tests{Record: 20}}}, "tribunal run shop.yaml --record 20 --resume"},
		{run{Request: Request{Tests: Tests{Baseline: "a b.json"}}}, "tribunal run shop.yaml --baseline 'a b.json' --resume"},
		{run{Request: Request{Output: "base.json", Store: app.StoreChoice{Name: "runs.db"},
			Given: value.GivenOptions{"store": "--store"}}},
			"tribunal run shop.yaml --output base.json --store runs.db --resume"},
		{run{Hooks: Hooks{Command: "run mutants"}}, "tribunal run mutants --resume, and the same arguments"},
	} {
		if got := c.run.resumption(s); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
