package report

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/race"
)

// builders build the documents of all kinds of results, those of [verify.Kinds]. A new kind has a row here.
var builders = []builder{
	builderOf(buildRun, nil),
	builderOf(buildGate, func(g *gate.Result) bool {
		over, _ := g.Over()
		return over != nil
	}),
	builderOf(buildThreshold, nil),
	builderOf(buildMean, nil),
	builderOf(buildComparison, nil),
	builderOf(buildEnds, nil),
	builderOf(buildAnytime, nil),
	builderOf(buildProxy, nil),
	builderOf(buildSequential, nil),
	builderOf(buildBehaviour, func(r *behaviour.Result) bool { return r.Behaviour != nil }),
	builderOf(buildPlan, nil),
	builderOf(buildAgainst, nil),
	builderOf(buildSizes, nil),
	builderOf(buildBehaviourPlan, nil),
	builderOf(buildSuitePlan, nil),
	builderOf(buildForecast, nil),
	builderOf(buildHistory, nil),
	builderOf(buildMutation, nil),
	builderOf(buildChecks, nil),
	builderOf(buildRace, func(r *race.Result) bool { return r.Run != nil }),
	builderOf(buildRank, nil),
	builderOf(buildRelations, nil),
	builderOf(buildImprovement, nil),
	builderOf(buildContract, nil),
	builderOf(buildCoverage, nil),
}

// builder fills the document of a result, if that is of its kind.
type builder func(d *document.Document, result verdict.Result) (is bool, err error)

// builderOf is the builder of a type of results; holds reports whether there is anything to show, and nil is for
// results that always have something.
func builderOf[R any, P interface {
	*R
	verdict.Result
}](build func(*document.Document, *R), holds func(*R) bool) builder {
	return func(d *document.Document, result verdict.Result) (bool, error) {
		r, is := result.(P)
		switch {
		case !is:
			return false, nil
		// An interface that holds a nil pointer is not nil.
		case r == nil, holds != nil && !holds(r):
			return true, errNoResult
		}
		build(d, r)
		return true, nil
	}
}

// newDocument builds the document of a result of any kind.
func newDocument(result verdict.Result, detail document.Detail) (*document.Document, error) {
	if result == nil {
		return nil, errNoResult
	}
	d := &document.Document{Detail: detail}
	for _, b := range builders {
		switch is, err := b(d, result); {
		case err != nil:
			return nil, err
		case is:
			if d.Subject == "verdict" {
				d.Heading = safe.Text(detail.Subject)
			}
			return d, nil
		}
	}
	return nil, fmt.Errorf("there is no report of a %T", result)
}
