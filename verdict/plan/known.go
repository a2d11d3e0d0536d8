package plan

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/sprt"
)

// knownDesigns are the optimal designs of the tests that are asked for most, which [sprt.Optimal]
// found: the search takes longer than many a test. A line has threshold, delta, alpha, beta and
// the number of trials, then after how many trials with how many failures the test passes, and
// then at how many it fails: N*F is N numbers of trials with the count F, and "." is no count.
//
//go:embed known.txt
var knownDesigns string

// known returns the design that a search would find under complete options, where it is remembered.
func (o Options) known() (sprt.Design, bool) {
	if o.Kind != sprt.OptimalKind || !o.Weighting.IsStable() || o.Group > 1 {
		return sprt.Design{}, false
	}
	_, line, found := strings.Cut(knownDesigns, "\n"+knownKey(o.Hypotheses, o.MaxTrials))
	if !found {
		return sprt.Design{}, false
	}
	line, _, _ = strings.Cut(line, "\n")
	passes, fails, _ := strings.Cut(line, "|")
	d := sprt.Design{Kind: sprt.OptimalKind, Hypotheses: o.Hypotheses, Boundaries: sprt.Boundaries{
		PassAtOrBelow: counts(passes, -1), FailAtOrAbove: counts(fails, sprt.Never),
	}}
	return d, d.Boundaries.MaxTrials() == o.MaxTrials && d.Boundaries.Validate() == nil
}

// knownKey is what a line begins with.
func knownKey(h sprt.Hypotheses, trials int) string {
	return fmt.Sprintf("%v %v %v %v %d: ", h.Threshold, h.Delta, h.Alpha, h.Beta, trials)
}

// counts reads N*F N*F ...; nil where it cannot.
func counts(text string, none int) (list []int) {
	for part := range strings.FieldsSeq(text) {
		times, word, _ := strings.Cut(part, "*")
		n, err := strconv.Atoi(times)
		if err != nil {
			return nil
		}
		count := none
		if word != "." {
			if count, err = strconv.Atoi(word); err != nil {
				return nil
			}
		}
		for range n {
			list = append(list, count)
		}
	}
	return list
}
