package runner

import (
	"math"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/suite"
)

// A bound of attacks is shown by the fewest attacks that can show it, all resisted: 59 for 5 %, as .95^58 is above 5 %
// and .95^59 is not, and 299 for 1 %.
func TestAttacksTakeTheFewestTrials(t *testing.T) {
	for share, want := range map[string]int{"0.05": 59, "0.01": 299, "0.2": 14} {
		s, err := suite.Parse("tribunal.yaml", []byte(strings.ReplaceAll(`
version: 1
name: attacked
agent: {command: [sh]}
limits: none
scenarios: [{name: one, kind: security, test: {attack_success: SHARE}}]
`, "SHARE", share)))
		if err != nil {
			t.Fatal(err)
		}
		o, err := Prepare(t.Context(), s, s.Scenarios, PrepareOptions{})
		if err != nil {
			t.Fatal(err)
		}
		design := o.Tests[0].Design
		first := 0
		for n := 1; n <= design.Boundaries.MaxTrials() && first == 0; n++ {
			if design.Boundaries.PassAtOrBelow[n-1] >= 0 {
				first = n
			}
		}
		u := 1 - s.Scenarios[0].Test.Lower()
		if least := int(math.Ceil(math.Log(0.05) / math.Log1p(-u))); first != want || least != want {
			t.Errorf("%s: the first Pass is after %d trials, want %d; closed form %d", share, first, want, least)
		}
		errors, err := design.Errors()
		if err != nil || errors.Alpha > 0.05 || errors.Beta > 0.05 {
			t.Errorf("%s: errors %+v %v", share, errors, err)
		}
		t.Logf("%s: at most %d trials, false Fail %.4f, false Pass %.4f", share, design.Boundaries.MaxTrials(), errors.Alpha,
			errors.Beta)
	}
}
