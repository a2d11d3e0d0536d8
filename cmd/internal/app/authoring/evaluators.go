package authoring

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/suite"
)

// evaluatorsSchema names the JSON form of the list.
const evaluatorsSchema = "tribunal/evaluators/v1"

// Evaluators says what evaluators are like: those that are named in words, and all of them, without names, as a table.
func Evaluators(a *world.World, names []string, asJSON bool) error {
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
	switch {
	case asJSON:
		return report.JSON(a.Out, struct {
			Schema     string       `json:"schema"`
			Evaluators []suite.Kind `json:"evaluators"`
		}{evaluatorsSchema, kinds})
	case len(names) == 0:
		return writeKinds(a.Out, kinds)
	}
	return describeKinds(a.Out, kinds)
}

// writeKinds is a table of them.
func writeKinds(w io.Writer, kinds []suite.Kind) error {
	t := table.Table{Width: world.DefaultWidth, Ellipsis: "..."}
	for _, header := range []string{"evaluator", "deterministic", "portable", "no reference", "cost", "when", "score"} {
		t.Columns = append(t.Columns, table.Column{Header: header})
	}
	for _, k := range kinds {
		t.Rows = append(t.Rows, []string{
			k.Name, string(k.Deterministic), string(k.Portable), string(k.ReferenceFree), string(k.Cost), whenOf(k),
			string(k.Score),
		})
	}
	lines, err := t.Lines()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}

// whenOf says which trials it can judge.
func whenOf(k suite.Kind) string {
	if k.Recorded {
		return "any"
	}
	return "live"
}

// describeKinds says of each what the table says, in words.
func describeKinds(w io.Writer, kinds []suite.Kind) error {
	said := map[suite.Answer]string{
		suite.Yes: "yes", suite.No: "no", suite.ByParts: "as its parts are",
		suite.Depends: "depends on the program or model that is asked",
	}
	costs := map[suite.Cost]string{
		suite.NoCost: "nothing", suite.ProcessCost: "a program that is started for each trial",
		suite.ModelCost: "a model that is asked for each trial", suite.PartsCost: "what its parts take",
	}
	for i, k := range kinds {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		recorded := "live and recorded trials, from " + k.From
		if !k.Recorded {
			recorded = "live trials alone: " + k.From
		}
		for _, line := range [][2]string{
			{k.Name, k.About},
			{"  deterministic", said[k.Deterministic]},
			{"  portable", said[k.Portable]},
			{"  no reference", said[k.ReferenceFree]},
			{"  cost", costs[k.Cost]},
			{"  when", recorded},
			{"  score", string(k.Score)},
		} {
			start := fmt.Sprintf("%-17s", line[0])
			for _, text := range table.Wrap(line[1], world.DefaultWidth-len(start)) {
				if _, err := fmt.Fprintln(w, start+text); err != nil {
					return err
				}
				start = strings.Repeat(" ", len(start))
			}
		}
	}
	return nil
}
