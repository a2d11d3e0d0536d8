package postgres_test

import (
	"cmp"
	"crypto/md5"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tribunal-dev/tribunal/cmd/internal/warehouse/rows"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// readTrials reads the text of a recording as any command does.
func readTrials(t *testing.T, format string, lines []string, o ingest.Options) (list []*trial.Trial) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trials.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	if o.From, err = ingest.ParseFormat(format); err != nil {
		t.Fatal(err)
	}
	o.AllVariants = true
	for x, err := range ingest.Open([]string{file}, o).Trials(t.Context()) {
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		list = append(list, x.Clone())
	}
	// The order of the rows, so that what is drawn is drawn alike.
	digest := func(x *trial.Trial) string { return fmt.Sprintf("%x", md5.Sum([]byte(x.Input.Text()))) }
	slices.SortStableFunc(list, func(a, b *trial.Trial) int {
		return cmp.Or(strings.Compare(a.Scenario, b.Scenario), strings.Compare(digest(a), digest(b)))
	})
	return list
}

// judgedAlike compares verdicts and numbers of rows with those of the trials themselves.
func judgedAlike(t *testing.T, random *rand.Rand, all *rows.Rows, trials map[string][]*trial.Trial) {
	t.Helper()
	var ofTrials, ofRows [2]*recording.Recording
	for i, variant := range []string{"base", "next"} {
		var tallies verdict.Tallies
		ofTrials[i] = &recording.Recording{Name: variant}
		for _, x := range trials[variant] {
			tallies.Add(x)
			ofTrials[i].Add(x)
		}
		list, err := all.Tallies(variant)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(list, func(a, b verdict.Tally) int { return strings.Compare(a.Scenario, b.Scenario) })
		for _, by := range []verdict.Grouping{verdict.BySuite, verdict.ByScenario} {
			o := verdict.ThresholdOptions{Threshold: 0.3 + 0.6*random.Float64(), By: by}
			want, err := verdict.JudgeThreshold(t.Context(), tallies.List(), o)
			if err != nil {
				t.Fatal(err)
			}
			have, err := verdict.JudgeThreshold(t.Context(), list, o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(want, have, numbers); diff != "" {
				t.Fatalf("the verdict on %s (+ of rows):\n%s", variant, diff)
			}
		}
		r, err := all.Recording(variant)
		if err != nil {
			t.Fatal(err)
		}
		groups := slices.Clone(r.Groups())
		slices.SortStableFunc(groups, func(a, b recording.Group) int { return strings.Compare(a.Scenario, b.Scenario) })
		if ofRows[i], err = recording.OfGroups(variant, groups); err != nil {
			t.Fatal(err)
		}
		sumsAlike(t, ofRows[i], trials[variant])
	}
	o := compare.Options{Delta: 0.2, Seed: 1, BehaviourBeside: len(ofRows[0].Columns()) > 0}
	want, err := compare.Judge(t.Context(), ofTrials[0], ofTrials[1], o)
	if err != nil {
		t.Fatal(err)
	}
	have, err := compare.Judge(t.Context(), ofRows[0], ofRows[1], o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, have, comparedNumbers); diff != "" {
		t.Fatalf("the comparison (+ of rows):\n%s", diff)
	}
	if n := len(have.Metrics); n != 6 && n != 0 { // none where a side has no outcome
		t.Errorf("%d metrics", len(have.Metrics))
	}
}

// sumsAlike compares the sums of measures of behaviour with the columns of fingerprints.
func sumsAlike(t *testing.T, r *recording.Recording, trials []*trial.Trial) {
	t.Helper()
	var s fingerprint.Sample
	for _, x := range trials {
		s.Add(x)
	}
	v := fingerprint.NewVocabulary(&s)
	sums, squares := map[string]float64{}, map[string]float64{}
	for _, vector := range v.Vectors(&s) {
		for i, c := range v.Columns() {
			sums[c.Name] += vector.Values[i].Value
			squares[c.Name] += vector.Values[i].Value * vector.Values[i].Value
		}
	}
	have := map[string][2]float64{}
	for _, g := range r.Groups() {
		for name, m := range g.Columns {
			have[name] = [2]float64{have[name][0] + m.Sum, have[name][1] + m.Squares}
		}
	}
	for name, m := range have {
		want, there := sums[name]
		if !there { // a tool that is too rare for a column of its own
			continue
		}
		if math.Abs(m[0]-want) > 1e-9*(1+want) || math.Abs(m[1]-squares[name]) > 1e-9*(1+squares[name]) {
			t.Errorf("%s of %s: %v, and the fingerprints have %v and %v", name, r.Name, m, want, squares[name])
		}
	}
	if len(have) == 0 && s.Len() > 0 {
		t.Error("there are no measures of behaviour")
	}
}

// numbers of which sums in another order are.
var numbers = gocmp.Options{
	cmpopts.EquateApprox(1e-9, 1e-12), cmpopts.EquateEmpty(),
	cmpopts.IgnoreFields(verdict.ThresholdResult{}, "Usage"), cmpopts.IgnoreFields(compare.Side{}, "Usage"), // by model
}

// comparedNumbers leave out what single trials tell and rows do not.
var comparedNumbers = append(numbers,
	cmpopts.IgnoreFields(compare.Result{}, "Trials", "Groups", "Examples", "Warnings", "Seed", "Columns"),
	cmpopts.IgnoreFields(compare.Flip{}, "Trial", "BaselineSteps", "CandidateSteps", "BaselineOutput", "CandidateOutput"),
	cmpopts.IgnoreFields(compare.FlipTable{}, "ByInput", "SameInput", "OtherInput"),
	cmpopts.IgnoreFields(compare.Metric{}, "Test", "Draws", "P", "PAdjusted", "Changed"),
	cmpopts.IgnoreFields(compare.MeanChange{}, "Method", "Low", "High"),
	cmpopts.IgnoreFields(compare.Summary{}, "Median"),
)
