package planning

import (
	"context"
	"strconv"

	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/prices"
)

// ListPrices lists what the tokens of models cost.
func ListPrices(ctx context.Context, a *world.World, p evidence.Pricing, t *deliver.Target) error {
	to, err := t.File(ctx, a, []string{p.File})
	if err != nil {
		return err
	}
	if err := p.Load(nil); err != nil {
		return err
	}
	return t.Show(ctx, a, to, listPrices(p.Table))
}

// priceRow is a row of the list as JSON. Rates are in US dollars for a million tokens.
type priceRow struct {
	Model      string    `json:"model"`
	Aliases    []string  `json:"aliases,omitempty"`
	Provider   string    `json:"provider,omitempty"`
	Input      float64   `json:"input"`
	Cached     *float64  `json:"cached"`      // null: as input
	CacheWrite *float64  `json:"cache_write"` // null: as input
	Output     float64   `json:"output"`
	Long       *longRate `json:"long,omitempty"`
	Highest    bool      `json:"highest,omitempty"`
	Date       string    `json:"date,omitempty"`
	Source     string    `json:"source,omitempty"`
}

// longRate are the rates of long requests.
type longRate struct {
	Above      int64    `json:"above"` // input tokens of a request
	Input      float64  `json:"input"`
	Cached     *float64 `json:"cached"`
	CacheWrite *float64 `json:"cache_write"`
	Output     float64  `json:"output"`
}

// priceTable is the list as JSON.
type priceTable struct {
	Schema string     `json:"schema"`
	Digest string     `json:"digest"`
	Date   string     `json:"date"`
	Source string     `json:"source"`
	Prices []priceRow `json:"prices"`
}

func priceList(t *prices.Table) priceTable {
	list := priceTable{Schema: "tribunal/prices/v1", Digest: t.Digest(), Date: t.Date(), Source: t.Source}
	for _, r := range t.Rows() {
		row := priceRow{
			Model: r.Model, Aliases: r.Aliases, Provider: r.Provider,
			Input: r.Rates.Input, Cached: orNull(r.Rates.Cached), CacheWrite: orNull(r.Rates.CacheWrite),
			Output: r.Rates.Output, Highest: r.Highest, Date: r.Date, Source: r.Source,
		}
		if r.Above > 0 {
			row.Long = &longRate{r.Above, r.Long.Input, orNull(r.Long.Cached), orNull(r.Long.CacheWrite), r.Long.Output}
		}
		list.Prices = append(list.Prices, row)
	}
	return list
}

// orNull is nil for what is unknown.
func orNull(x trial.Optional[float64]) *float64 {
	if !x.Known {
		return nil
	}
	return &x.Value
}

// listPrices is the table for people.
func listPrices(p *prices.Table) *report.Document {
	d := new(report.Document).Listing("tribunal/prices/v1", "prices", priceList(p))
	t := d.NewTable("Prices", "model", ">input", ">cached", ">cache write", ">output", ">above", "as of").
		Names(12, "model").Dropping("as of", "cache write", "above")
	for _, r := range p.Rows() {
		long := ""
		if r.Above > 0 {
			long = strconv.FormatInt(r.Above, 10)
		}
		output := rate(r.Rates.Output)
		if r.Highest {
			output += "*"
		}
		t.Add(r.Model, rate(r.Rates.Input), rateOr(r.Rates.Cached), rateOr(r.Rates.CacheWrite), output, long, r.Date)
	}
	d.Below(t, "US dollars for a million tokens; %s, %s", prose.Count(len(t.Rows), "model"), p.Source)
	d.Below(t, "above: requests with more input tokens have other rates; *: the highest of several hours or days")
	d.FactLine("digest", p.Digest())
	return d
}

// rate writes a rate as short as it is.
func rate(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// rateOr writes a rate; nothing for one that is that of input.
func rateOr(x trial.Optional[float64]) string {
	if !x.Known {
		return ""
	}
	return rate(x.Value)
}
