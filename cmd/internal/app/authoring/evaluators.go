package authoring

import (
	"context"
	"slices"

	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/suite"
)

// evaluatorsSchema names the JSON form of the list.
const evaluatorsSchema = "tribunal/evaluators/v1"

// Evaluators says what evaluators are like: those that are named in words, and all of them, without names, as a table.
func Evaluators(ctx context.Context, a *world.World, names []string, t *deliver.Target) error {
	to, err := t.File(ctx, a, nil)
	if err != nil {
		return err
	}
	kinds := suite.Kinds()
	if len(names) > 0 {
		var chosen []suite.Kind
		for _, name := range names {
			i := slices.IndexFunc(kinds, func(k suite.Kind) bool { return k.Name == name })
			if i < 0 {
				var known []string
				for _, k := range kinds {
					known = append(known, k.Name)
				}
				return problem.Usage(prose.DidYouMean(name, known), "there is no evaluator %q", name)
			}
			chosen = append(chosen, kinds[i])
		}
		kinds = chosen
	}
	d := new(report.Document).Listing(evaluatorsSchema, "evaluators", struct {
		Schema     string       `json:"schema"`
		Evaluators []suite.Kind `json:"evaluators"`
	}{evaluatorsSchema, kinds})
	if len(names) > 0 {
		describeKinds(d, kinds)
	} else {
		listKinds(d, kinds)
	}
	return t.Show(ctx, a, to, d)
}

// listKinds is a table of them.
func listKinds(d *report.Document, kinds []suite.Kind) {
	t := d.NewTable("Evaluators", "evaluator", "deterministic", "portable", "no reference", "cost", "when", "score")
	for _, k := range kinds {
		t.Add(k.Name, k.Deterministic, k.Portable, k.ReferenceFree, k.Cost, whenOf(k), k.Score)
	}
}

// whenOf says which trials it can judge.
func whenOf(k suite.Kind) string {
	if k.Recorded {
		return "any"
	}
	return "live"
}

// describeKinds says of each what the table says, in words.
func describeKinds(d *report.Document, kinds []suite.Kind) {
	said := map[suite.Answer]string{
		suite.Yes: "yes", suite.No: "no", suite.ByParts: "as its parts are",
		suite.Depends: "depends on the program or model that is called",
	}
	costs := map[suite.Cost]string{
		suite.NoCost: "nothing", suite.ProcessCost: "a program that is started for each trial",
		suite.ModelCost: "a model that is called for each trial", suite.PartsCost: "what its parts take",
	}
	for _, k := range kinds {
		recorded := "live and recorded trials, from " + k.From
		if !k.Recorded {
			recorded = "live trials alone: " + k.From
		}
		d.Break()
		d.Line(k.Name, k.About)
		d.Line("  deterministic", said[k.Deterministic])
		d.Line("  portable", said[k.Portable])
		d.Line("  no reference", said[k.ReferenceFree])
		d.Line("  cost", costs[k.Cost])
		d.Line("  when", recorded)
		d.Line("  score", string(k.Score))
	}
}
