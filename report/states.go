package report

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// statesText says how many tests of a test runner are broken, flaky and sound, with the names of those that are not
// sound; "" is of what has no states.
func statesText(r *runs.Result) string {
	names := map[runs.State][]string{}
	for i := range r.Tests {
		t := &r.Tests[i]
		names[t.State] = append(names[t.State], t.Name)
	}
	var list []string
	for _, state := range runs.States() {
		switch n := len(names[state]); {
		case n > 0 && state == runs.Sound:
			list = append(list, fmt.Sprintf("%d %s", n, state))
		case n > 0:
			list = append(list, fmt.Sprintf("%d %s (%s)", n, state, someNames(names[state])))
		}
	}
	return strings.Join(list, ", ")
}
