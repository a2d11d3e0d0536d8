package planning

import (
	"strconv"

	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/prices"
)

// ListPrices lists what the tokens of models cost.
func ListPrices(a *world.World, p evidence.Pricing, asJSON bool) error {
	if err := p.Load(nil); err != nil {
		return err
	}
	if asJSON {
		return report.JSON(a.Out, priceList(p.Table))
	}
	return listPrices(a, p.Table)
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

// listPrices prints the table.
func listPrices(a *world.World, t *prices.Table) error {
	page := table.Table{Columns: []table.Column{
		{Header: "model", Least: 12}, {Header: "input", Align: table.Right}, {Header: "cached", Align: table.Right},
		{Header: "cache write", Align: table.Right, Drop: 2}, {Header: "output", Align: table.Right},
		{Header: "above", Align: table.Right, Drop: 1}, {Header: "as of", Drop: 3},
	}}
	for _, r := range t.Rows() {
		long := ""
		if r.Above > 0 {
			long = strconv.FormatInt(r.Above, 10)
		}
		output := rate(r.Rates.Output)
		if r.Highest {
			output += "*"
		}
		page.Rows = append(page.Rows, []string{
			prose.Printable(r.Model), rate(r.Rates.Input), rateOr(r.Rates.Cached), rateOr(r.Rates.CacheWrite), output,
			long, r.Date,
		})
	}
	return deliver.PrintTable(a, page,
		"US dollars for a million tokens; "+prose.Count(len(page.Rows), "model")+", "+prose.Printable(t.Source),
		"above: requests with more input tokens have other rates; *: the highest of several hours or days",
		"digest "+t.Digest())
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
