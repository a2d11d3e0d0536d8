package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/report/chart"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict/compare"
)

// addPosterior says what priors and trials together say of the drop, and whether the verdict follows from it.
func addPosterior(d *document.Document, r *compare.Result) {
	p := r.Posterior
	if p == nil {
		return
	}
	d.Break()
	part, decides := "beside the verdict and no part of it", "It stands beside the verdict and decides nothing."
	if r.Rule == compare.BayesRule {
		part, decides = "which decides the verdict", "It decides the verdict."
	}
	text := "Bayesian, " + part + ": " + priorText(p)
	if len(r.Scenarios) > 1 || r.Pairs != nil || r.Strata != nil {
		text += "; the trials of a side are taken as alike, which those of several scenarios or inputs are not"
	}
	d.Line("posterior", text)
	expected := "a drop of " + phrase.Points(p.Mean)
	if p.Mean < 0 {
		expected = "a rise of " + phrase.Points(-p.Mean)
	}
	low, _, _ := strings.Cut(phrase.Points(p.Interval.Low), " ")
	d.Line("drop", fmt.Sprintf("%s is expected; with probability %s it is a drop between %s and %s (equal tails)",
		expected, figure.Level(p.Interval.Level), low, phrase.Points(p.Interval.High)))
	d.Line("probability", fmt.Sprintf("%s that the rate dropped, %s that it dropped by more than %s",
		phrase.Chance(p.Dropped), phrase.Chance(p.Beyond), phrase.Points(r.Delta)))
	d.Parts = append(d.Parts, &document.Histogram{
		Low: p.Bins.Low, High: p.Bins.High, Shares: p.Bins.Shares, From: p.Interval.Low, To: p.Interval.High,
		Marks: []float64{0, r.Delta}, Name: "drop", Inner: figure.Level(p.Interval.Level),
	})
	d.Pictures = append(d.Pictures, document.Picture{
		ID: "posterior", Title: "The drop, as a degree of belief",
		Text: "What the priors and the trials together say of the drop. " + decides,
		Draw: func(w io.Writer) error { return chart.Drop(w, p, r.Delta) },
	})
}

// priorText names the priors.
func priorText(p *compare.Posterior) string {
	rateText := func(b compare.BetaRate) string {
		return fmt.Sprintf("Beta(%s, %s)", phrase.Number(b.PriorA), phrase.Number(b.PriorB))
	}
	baseline, candidate := rateText(p.Baseline), rateText(p.Candidate)
	switch {
	case p.Source != "":
		return fmt.Sprintf("prior %s of the baseline's rate, from %s, and %s of the candidate's", baseline,
			safe.Name(p.Source), candidate)
	case baseline == candidate:
		return fmt.Sprintf("prior %s of both rates", baseline)
	}
	return fmt.Sprintf("prior %s of the baseline's rate and %s of the candidate's", baseline, candidate)
}
