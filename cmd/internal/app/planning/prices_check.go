package planning

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/prices"
)

// CheckPricesRequest asks which models of recordings are priced.
type CheckPricesRequest struct {
	Names   []string // of recordings, or a suite: those of its last run
	Reading evidence.ReadOptions
	Variant string // "" is all of them
	To      deliver.Target
}

// CheckPrices says of each model which row of the table prices it, and how well.
func CheckPrices(ctx context.Context, a *world.World, r CheckPricesRequest) error {
	if len(r.Names) == 0 {
		return problem.Usage("such as tribunal plan prices check trials.jsonl", "there is nothing to check: no file is named")
	}
	s, files, err := pricedFiles(a, r.Names)
	if err != nil {
		return err
	}
	if err := evidence.CheckNames(files, r.Reading.Duplicates); err != nil {
		return err
	}
	to, err := r.To.Open(ctx, a, files, &r.Reading)
	if err != nil {
		return err
	}
	if err := r.Reading.Pricing.Load(s); err != nil {
		return err
	}
	o := r.Reading.Options(r.Variant, trial.BasicFields|trial.StepFields)
	o.Unjudged, o.VariantEachFile, o.Prices = true, true, nil
	found := newPriceCheck(r.Reading.Pricing.Table, a.Now())
	if err := evidence.Read(ctx, a, files, o, evidence.Counted, found.add); err != nil {
		return evidence.Naming("variant", err)
	}
	d := found.document()
	if found.unpriced() {
		d.ExitCode = 1
	}
	if err := r.To.Show(ctx, a, to, d); err != nil {
		return err
	}
	return problem.VerdictError(d.ExitCode)
}

// pricedFiles are the recordings that are named: those of the last run of a suite, or the files themselves.
func pricedFiles(a *world.World, args []string) (*suite.Suite, []string, error) {
	name := args[0]
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		if _, err := os.Stat(filepath.Join(name, "tribunal.yaml")); err == nil {
			name = filepath.Join(name, "tribunal.yaml")
		}
	}
	if end := filepath.Ext(name); len(args) > 1 || end != ".yaml" && end != ".yml" {
		return nil, args, nil
	}
	s, err := suitefile.Load(a, []string{name})
	if err != nil {
		return nil, nil, err
	}
	journal := app.FilesOf(s, false).Journal
	if _, err := os.Stat(journal); err != nil {
		wrong := "the suite has no run whose trials could be checked: " + prose.FileName(journal) + " does not exist"
		return nil, nil, problem.BadInput(wrong, "run it, or name recordings")
	}
	return s, []string{journal}, nil
}

// priceCheck is what is found of recordings.
type priceCheck struct {
	table  *prices.Table
	now    time.Time
	models map[string]*pricedModel
	trials int
	whys   map[string]int // trials that have no estimate, by why
	all    priceComparison
}

// pricedModel is what is found of a model.
type pricedModel struct {
	row    prices.Row
	match  prices.Match
	priced bool

	requests      int // or trials, where requests are not told one by one
	input, output int64
	compared      priceComparison // trials of this model alone
}

// priceComparison are trials whose cost was recorded and is estimated.
type priceComparison struct {
	trials, atMost      int
	recorded, estimated float64
}

func newPriceCheck(t *prices.Table, now time.Time) *priceCheck {
	return &priceCheck{table: t, now: now, models: map[string]*pricedModel{}, whys: map[string]int{}}
}

// add takes in a trial.
func (c *priceCheck) add(t *trial.Trial) {
	c.trials++
	uses, _ := prices.UsesOf(t)
	for _, u := range uses {
		m := c.models[u.Model]
		if m == nil {
			m = &pricedModel{}
			m.row, m.match, m.priced = c.table.Find(u.Model)
			c.models[u.Model] = m
		}
		m.requests++
		m.input, m.output = trial.Plus(m.input, u.Input), trial.Plus(m.output, u.Output)
	}
	e, why := c.table.Estimate(t)
	if why != "" {
		c.whys[why]++
		return
	}
	cost := t.TotalCostUSD()
	if !cost.Known || t.CostBasis != trial.RecordedCost {
		return
	}
	c.all.add(cost.Value, e)
	only := uses[0].Model
	if !slices.ContainsFunc(uses, func(u prices.Use) bool { return u.Model != only }) {
		c.models[only].compared.add(cost.Value, e)
	}
}

func (c *priceComparison) add(recorded float64, e prices.Estimate) {
	c.trials++
	c.recorded += recorded
	c.estimated += e.USD
	if e.AtMost {
		c.atMost++
	}
}

// excess is how much larger the estimates are than what was recorded, as a share of that; false where nothing was.
func (c priceComparison) excess() (float64, bool) {
	if c.trials == 0 || c.recorded == 0 {
		return 0, false
	}
	return c.estimated/c.recorded - 1, true
}

// unpriced reports whether a model has no price.
func (c *priceCheck) unpriced() bool {
	for _, m := range c.models {
		if !m.priced {
			return true
		}
	}
	return false
}

// names are those of the models, those without a price first.
func (c *priceCheck) names() []string {
	names := slices.Collect(maps.Keys(c.models))
	slices.SortFunc(names, func(a, b string) int {
		rank := func(name string) int {
			if c.models[name].priced {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	return names
}

// age is how many days ago the date of a row was; false where it has none.
func (c *priceCheck) age(r prices.Row) (int, bool) {
	day, err := time.Parse(time.DateOnly, r.Date)
	if err != nil {
		return 0, false
	}
	return max(0, int(c.now.UTC().Sub(day).Hours()/24)), true
}

// document is the check for people.
func (c *priceCheck) document() *report.Document {
	d := new(report.Document).Listing("tribunal/prices-check/v1", "prices of recordings", c.value())
	t := d.NewTable("Models", "model", "priced as", ">age", ">tokens", ">trials", ">recorded", ">estimate").
		Names(20, "model").Names(10, "priced as").Dropping("trials")
	for _, name := range c.names() {
		m := c.models[name]
		as, age := "unknown", ""
		if m.priced {
			as = m.row.Model
			if m.match == prices.ExactMatch {
				as = "its name"
			}
			if days, known := c.age(m.row); known {
				age = strconv.Itoa(days) + " d"
			}
		}
		trials, recorded, estimate := m.compared.columns()
		t.Add(name, as, age, trial.Plus(m.input, m.output), trials, recorded, estimate)
	}
	for _, why := range slices.Sorted(maps.Keys(c.whys)) {
		d.Below(t, "no estimate of %s: %s", prose.Count(c.whys[why], "trial"), why)
	}
	if x := c.all; x.trials > 0 {
		line := fmt.Sprintf("%s of known cost: %s recorded, %s estimated", prose.Count(x.trials, "trial"),
			deliver.DollarText(x.recorded), deliver.DollarText(x.estimated))
		if share, known := x.excess(); known {
			line += " (" + shareText(share) + ")"
		}
		if x.atMost > 0 {
			line += fmt.Sprintf("; %d of the estimates are upper bounds", x.atMost)
		}
		d.Below(t, "%s", line)
	}
	d.Below(t, "%s of %s; prices: %s, as of %s", prose.Count(len(c.models), "model"), prose.Count(c.trials, "trial"),
		c.table.Source, cmp.Or(c.table.Date(), "no day"))
	return d
}

// columns are the trials that are compared, with both costs.
func (c priceComparison) columns() (trials, recorded, estimate string) {
	if c.trials == 0 {
		return "", "", ""
	}
	estimate = deliver.DollarText(c.estimated)
	if share, known := c.excess(); known {
		estimate += " " + shareText(share)
	}
	return strconv.Itoa(c.trials), deliver.DollarText(c.recorded), estimate
}

// shareText writes a difference as a share, such as "+31 %".
func shareText(x float64) string {
	if percent := math.Round(100 * x); percent != 0 {
		return fmt.Sprintf("%+.0f %%", percent)
	}
	return "0 %" // and not -0 %
}

// checkedModel is a model of a check as JSON.
type checkedModel struct {
	Model    string  `json:"model"`
	Priced   bool    `json:"priced"`
	Row      string  `json:"row,omitempty"`   // the model of the row
	Match    string  `json:"match,omitempty"` // exact, dated or prefix
	Date     string  `json:"date,omitempty"`
	AgeDays  *int    `json:"age_days,omitempty"`
	Source   string  `json:"source,omitempty"`
	Requests int     `json:"requests"`
	Input    int64   `json:"input_tokens"`
	Output   int64   `json:"output_tokens"`
	Trials   int     `json:"trials_with_both"` // of this model alone, that tell their cost and are priced
	Recorded float64 `json:"recorded_usd"`     // of these
	Estimate float64 `json:"estimated_usd"`    // of these
	AtMost   int     `json:"at_most"`          // of these, whose estimate is an upper bound
}

// value is the check as JSON.
func (c *priceCheck) value() any {
	models := []checkedModel{}
	for _, name := range c.names() {
		m := c.models[name]
		x := checkedModel{
			Model: name, Priced: m.priced, Row: m.row.Model, Match: string(m.match),
			Date: m.row.Date, Source: m.row.Source, Requests: m.requests, Input: m.input, Output: m.output,
			Trials: m.compared.trials, Recorded: m.compared.recorded, Estimate: m.compared.estimated,
			AtMost: m.compared.atMost,
		}
		if days, known := c.age(m.row); known && m.priced {
			x.AgeDays = &days
		}
		models = append(models, x)
	}
	return struct {
		Schema     string         `json:"schema"`
		Digest     string         `json:"digest"`
		Date       string         `json:"date"`
		Source     string         `json:"source"`
		Trials     int            `json:"trials"`
		NoEstimate map[string]int `json:"no_estimate"` // trials, by why
		Models     []checkedModel `json:"models"`
		Both       int            `json:"trials_with_both"` // that tell their cost and are priced
		Recorded   float64        `json:"recorded_usd"`     // of these
		Estimated  float64        `json:"estimated_usd"`    // of these
		AtMost     int            `json:"at_most"`          // of these, whose estimate is an upper bound
	}{
		"tribunal/prices-check/v1", c.table.Digest(), c.table.Date(), c.table.Source, c.trials, c.whys, models,
		c.all.trials, c.all.recorded, c.all.estimated, c.all.atMost,
	}
}
