package stats

import (
	"context"
	"math"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/enum"
)

// Test is a one-sided test of two pass rates, H0: the candidate's rate is at least
// the baseline's, against H1: it is lower. It is a value that knows its name, what
// it assumes, its p-value and its critical region: whoever judges, plans or reports
// goes over [Tests] and asks, and names no test. The zero value is Boschloo's.
type Test uint8

// The tests that somebody asks for by name. Others are in the table alone.
const (
	BoschlooTest   Test = iota // see [Boschloo]
	FisherTest                 // see [FisherLess]
	ZTest                      // see [ZPooled]
	McNemarTest                // see [McNemarLess]; needs pairs
	StratifiedTest             // see [ClusteredExact]; within strata, where the table has any
)

// tests is the table of all tests by their value: a new one is a row here.
var tests = [...]testRow{
	BoschlooTest: {
		name: "boschloo", title: "Boschloo's exact unconditional test",
		assumes: "independent trials", exact: true,
		p: independent(Boschloo), region: boschlooRegion,
	},
	FisherTest: {
		name: "fisher", title: "Fisher's exact test",
		assumes: "independent trials", exact: true,
		p: independent(fisherLess), region: fisherRegion,
	},
	ZTest: {
		name: "z", title: "pooled z test",
		assumes: "independent trials, and many of them",
		p:       zTest, region: zRegion,
	},
	McNemarTest: {
		name: "mcnemar", title: "exact McNemar test",
		assumes: "trials in pairs", exact: true, paired: true,
		p: mcnemarTest, pairedRegion: mcnemarRegion,
	},
	StratifiedTest: {
		name: "stratified", title: "exact test within scenarios or inputs",
		assumes: "independent trials within a scenario or input", exact: true, stratified: true,
		p: stratifiedTest, region: fisherRegion,
	},
}

// pValue computes the result of a test. The end of the context ends it.
type pValue func(context.Context, Table) (TestResult, error)

// testRow is what there is to know of a test.
type testRow struct {
	name    string
	title   string
	assumes string
	exact   bool // its level is never above alpha
	paired  bool // it looks at the flip table, not at the counts
	// It looks at the strata, where the table has any.
	stratified bool

	p pValue

	// region and pairedRegion find the critical region faster than by asking p along
	// its edge, which is what is done where they are nil.
	region       func(ctx context.Context, baselineTrials, candidateTrials int, alpha float64) (*staircase, error)
	pairedRegion func(pairs int, alpha float64) (mostMended []int)
}

// Tests returns all tests, in the order in which they are shown.
func Tests() []Test {
	list := make([]Test, len(tests))
	for i := range list {
		list[i] = Test(i)
	}
	return list
}

// row returns what is known of the test: nothing of a value that is none.
func (t Test) row() testRow {
	if int(t) < len(tests) {
		return tests[t]
	}
	return testRow{}
}

// Validate returns an [ArgumentError] unless the test is one of [Tests].
func (t Test) Validate() error {
	if int(t) >= len(tests) {
		return argument.Wrong("test", uint8(t), "is not a known test")
	}
	return nil
}

// Title returns what a reader calls the test, such as "Fisher's exact test".
func (t Test) Title() string { return t.row().title }

// Assumes says what the test takes for granted, such as "independent trials".
func (t Test) Assumes() string { return t.row().assumes }

// Exact reports whether the level holds in samples of any size: under H0 a p-value
// of at most alpha has at most probability alpha. An approximate test exceeds alpha
// in small samples, and near rates of 0 and 1.
func (t Test) Exact() bool { return t.row().exact }

// Paired reports whether the test needs trials in pairs: [Table.Pairs] must be there,
// and the region is that of [Test.PairedRegion].
func (t Test) Paired() bool { return t.row().paired }

// Stratified reports whether the test compares within [Table.Strata] and [Table.Clusters]: its level holds
// however their rates and their shares of the two sides differ. Without any it is a test of the counts, and
// its region is that of a single stratum.
func (t Test) Stratified() bool { return t.row().stratified }

// Table is what a test of two rates looks at. Trials without an outcome are in none
// of its numbers.
type Table struct {
	Baseline  Counts // what the candidate is compared with
	Candidate Counts // what may be worse
	// Pairs are the same trials by scenario and input; nil where they cannot be paired.
	Pairs *Pairs
	// Strata are the groups of like trials, such as scenarios; nil where there is one alone.
	Strata []Stratum
	// Clusters are the strata whose inputs differ on the two sides and have several trials each.
	Clusters []ClusterStratum
}

// Drop returns the observed fall of the pass rate, baseline minus candidate: that of
// the pairs where there are any. It is NaN without trials on a side.
func (t Table) Drop() float64 {
	if t.Pairs != nil {
		return float64(t.Pairs.Broke-t.Pairs.Mended) / float64(t.Pairs.Total())
	}
	return t.Baseline.Rate() - t.Candidate.Rate()
}

// TestResult is what a test says of a table.
type TestResult struct {
	P float64 // one-sided p-value against "the candidate's rate is lower"
	// Figures are what else the test computes, such as a statistic or the p-value of
	// another form of the test; none of them decides.
	Figures []Figure
}

// Figure returns the further figure of the name; NaN where the test has none.
func (r TestResult) Figure(name string) float64 {
	for _, f := range r.Figures {
		if f.Name == name {
			return f.Value
		}
	}
	return math.NaN()
}

// Figure is a number that a test computes beside its p-value: a statistic, or the
// p-value of another form of the test, whose name starts with "p_" or ends with "_p".
type Figure struct {
	Name  string  // in JSON, such as "z", "p_two_sided" or "mid_p"
	Value float64 // a statistic is positive if the candidate did worse
}

// IsP reports whether the figure is a p-value, by its name; otherwise it is a statistic.
func (f Figure) IsP() bool { return strings.HasPrefix(f.Name, "p_") || strings.HasSuffix(f.Name, "_p") }

// Title returns the name as a reader has it: "z", "two-sided p", "mid-p".
func (f Figure) Title() string {
	if form, ok := strings.CutPrefix(f.Name, "p_"); ok {
		return strings.ReplaceAll(form, "_", "-") + " p"
	}
	return strings.ReplaceAll(f.Name, "_", "-")
}

// P returns the result of the test. It returns an [ArgumentError] where a side has no
// trials, or the test needs pairs and the table has none, and the cause of the context's
// end: an exact test of a million trials a side takes seconds.
func (t Test) P(ctx context.Context, table Table) (TestResult, error) {
	if err := t.Validate(); err != nil {
		return TestResult{}, err
	}
	row := t.row()
	if row.paired && table.Pairs == nil {
		return TestResult{}, argument.Wrong("test", row.name, "needs trials that are paired")
	}
	return row.p(ctx, table)
}

// independent makes a row's p of a test of the counts that has no further figures.
func independent(test func(ctx context.Context, baseline, candidate Counts) (float64, error)) pValue {
	return func(ctx context.Context, table Table) (TestResult, error) {
		p, err := test(ctx, table.Baseline, table.Candidate)
		return TestResult{P: p}, err
	}
}

// testNames are those of the table.
var testNames = enum.Of[Test]("test", namesOf(tests[:])...)

func namesOf(rows []testRow) (names []string) {
	for _, row := range rows {
		names = append(names, row.name)
	}
	return names
}

// String returns the name that options and JSON use, such as "boschloo".
func (t Test) String() string { return testNames.String(t) }

// MarshalText returns the name; a test that is none of [Tests] is refused.
func (t Test) MarshalText() ([]byte, error) { return testNames.MarshalText(t) }

// UnmarshalText sets the test from its name.
func (t *Test) UnmarshalText(text []byte) error { return testNames.UnmarshalText(text, t) }
