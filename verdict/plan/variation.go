package plan

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/stats/intraclass"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
)

// variationSeed is that of the samples of scenarios, so that two plans from the same trials are the same.
const variationSeed = 1

// variationOf is how alike the trials of scenarios are; nil where that cannot be told.
func variationOf(groups []intraclass.Group) *intraclass.Variation {
	if v := intraclass.Of(groups, verdict.DefaultAlpha, variationSeed); v != nil && v.Correlation != nil {
		return v
	}
	return nil
}

// groupsOf are what a variation was computed from.
func groupsOf(v *intraclass.Variation) []intraclass.Group {
	if v == nil {
		return nil
	}
	return v.Groups
}

// checkScenarios refuses scenarios whose trials are not those of the baseline: trials without an outcome are in none.
func checkScenarios(v *intraclass.Variation, b design.RecordedBaseline) error {
	if v == nil {
		return nil
	}
	passes, trials := 0, 0
	for _, g := range v.Groups {
		passes += g.Passes * g.Scenarios
		trials += g.Trials * g.Scenarios
	}
	if passes == b.Passes-b.Errors && trials == b.Trials-b.Errors {
		return nil
	}
	return &verdict.DifferenceError{Path: "variation.groups", Have: fmt.Sprintf("%d of %d", passes, trials),
		Want: fmt.Sprintf("%d of %d", b.Passes-b.Errors, b.Trials-b.Errors)}
}
