package rows

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// mostName bounds the name of a variant, a scenario, an input or a measure, in bytes. Chosen.
const mostName = 64 << 10

// cells are the values of a row by column, in small letters: databases change those of names. A value that is absent or
// null is "".
type cells map[string]string

// required are the columns without which there is nothing to judge.
func required() []string { return []string{"scenario", "passes", "fails"} }

// row makes a row of its cells.
func (c cells) row() (r Row, err error) {
	r.Variant, r.Scenario, r.Input = c["variant"], c["scenario"], c["input"]
	for _, name := range []string{"variant", "scenario", "input"} {
		if len(c[name]) > mostName {
			return r, fmt.Errorf("%s is longer than %s", name, prose.ByteCount(mostName))
		}
	}
	if r.Scenario == "" {
		return r, fmt.Errorf("scenario is missing: every row needs the name of what was tried")
	}
	n := 0
	for _, field := range []struct {
		name string
		into *int
	}{
		{"passes", &r.Passes}, {"fails", &r.Fails}, {"errors", &r.Errors}, {"unjudged", &r.Unjudged}, {"n", &n},
		{"cost_usd_passes", &r.PaidPasses},
	} {
		if *field.into, err = count(field.name, c[field.name]); err != nil {
			return r, err
		}
	}
	if sum := r.Trials() + r.Unjudged; c["n"] != "" && n != sum {
		return r, fmt.Errorf("n is %d, and passes, fails, errors and unjudged add up to %d", n, sum)
	}
	for name := range recording.AllMetrics() {
		m, err := c.moments(name.String())
		if err != nil {
			return r, err
		}
		if m.N == 0 {
			continue
		}
		if r.Metrics == nil {
			r.Metrics = map[recording.MetricName]sample.Moments{}
		}
		r.Metrics[name] = m
	}
	if err := c.columns(&r); err != nil {
		return r, err
	}
	r.Sample = strings.Fields(c["sample_trace_ids"])
	return r, nil
}

// columns reads the further measures: m1_name, m1_n, m1_sum and m1_sum2, and so on.
func (c cells) columns(r *Row) error {
	for i := 1; i <= recording.MostColumns; i++ {
		as := fmt.Sprintf("m%d", i)
		name, there := c[as+"_name"]
		if !there {
			return nil
		}
		m, err := c.moments(as)
		if err != nil {
			return err
		}
		if m.N == 0 {
			continue
		}
		switch _, twice := r.Columns[name]; {
		case name == "" || len(name) > mostName:
			return fmt.Errorf("%s_name is no name of a measure", as)
		case twice:
			return fmt.Errorf("%s_name %s is given twice", as, prose.Quote(name))
		case r.Columns == nil:
			r.Columns = map[string]sample.Moments{}
		}
		r.Columns[name] = m
	}
	return nil
}

// moments reads the number, the sum and the sum of squares of a measure.
func (c cells) moments(name string) (m sample.Moments, err error) {
	if m.N, err = count(name+"_n", c[name+"_n"]); err != nil || m.N == 0 {
		return m, err
	}
	if m.Sum, err = number(name+"_sum", c[name+"_sum"]); err != nil {
		return m, err
	}
	if m.Squares, err = number(name+"_sum2", c[name+"_sum2"]); err != nil {
		return m, err
	}
	if m.Validate() != nil {
		return m, fmt.Errorf("%s_n, %[1]s_sum and %[1]s_sum2 are %d, %v and %v, and no values have those", name, m.N, m.Sum,
			m.Squares)
	}
	return m, nil
}

// count reads a number of trials; an empty one is 0. Databases write one as 12, 12.0 or 1.2E1.
func count(name, text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 0 {
		return n, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x <= math.MaxInt32) || x != math.Trunc(x) {
		return 0, fmt.Errorf("%s %s is no number of trials", name, prose.Quote(text))
	}
	return int(x), nil
}

// number reads a sum.
func number(name, text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%s %s is no number", name, prose.Quote(text))
	}
	return x, nil
}

// checkHeader refuses columns without what is needed, and a column that is there twice.
func checkHeader(names []string) error {
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] && name != "" {
			return fmt.Errorf("the column %s is given twice", prose.Quote(name))
		}
		seen[name] = true
	}
	var missing []string
	for _, name := range required() {
		if !slices.Contains(names, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("there is no column %s", prose.Or(missing))
	}
	return nil
}
