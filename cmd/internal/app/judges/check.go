package judges

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/labels"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
)

// Check says what a judge is worth, by the sheet that a person labelled, with intervals whose error is alpha, and how
// far a second person agrees: sheets are one or two.
func Check(ctx context.Context, a *world.World, sheets []string, alpha float64, result *deliver.Target) error {
	sheet := sheets[0]
	to, err := result.File(ctx, a, append(sheets[:len(sheets):len(sheets)], evidence.KeyOf(sheet)))
	if err != nil {
		return err
	}
	labelled, err := evidence.ReadLabels(ctx, sheet)
	if err != nil {
		return err
	}
	worth, err := labelled.Worth(ctx, alpha)
	if err != nil {
		return err
	}
	if len(sheets) > 1 {
		second, err := evidence.ReadLabelsOf(&labelled.Key, sheets[1])
		if err != nil {
			return err
		}
		if worth.Second, err = labelled.Raters(second, alpha); err != nil {
			return err
		}
	}
	return result.Show(ctx, a, to, worthDocument(worth))
}

// worthDocument is the shares as a table, and what else is known in lines.
func worthDocument(x *labels.Worth) *report.Document {
	n := x.Labels
	all := n.PassPass + n.PassFail + n.FailPass + n.FailFail
	d := new(report.Document).Listing(x.Schema, "judge", x)
	d.Headline = fmt.Sprintf("%s of %s: the judge passes %s of them, and about %s truly pass", prose.Count(all, "label"),
		prose.Count(x.Judged, "judged trial"), phrase.Percent(x.Rate.Judge), phrase.Percent(x.Rate.True))
	d.Break()
	t := d.NewTable("Shares", "of the judge", ">share", phrase.Percent(x.Level)+" interval", "which is").
		Dropping("which is")
	for _, row := range []struct {
		name  string
		share labels.Share
		about string
	}{
		{"sensitivity", x.Sensitivity, "good answers that it passes"},
		{"specificity", x.Specificity, "bad answers that it fails"},
		{"PPV", x.PPV, fmt.Sprintf("its passes that are right: %d of %d", n.PassPass, n.PassPass+n.PassFail)},
		{"NPV", x.NPV, fmt.Sprintf("its failures that are right: %d of %d", n.FailFail, n.FailPass+n.FailFail)},
	} {
		value := "unknown"
		if row.share.Value != nil {
			value = phrase.Percent(*row.share.Value)
		}
		t.Add(row.name, value, limits(row.share.Interval), row.about)
	}
	d.Break()
	worthFacts(d, x)
	return d
}

// limits are those of an interval.
func limits(i labels.Interval) string { return phrase.Percent(i.Low) + " to " + phrase.Percent(i.High) }

// worthFacts are the lines below the table.
func worthFacts(d *report.Document, x *labels.Worth) {
	add := d.Linef
	add("true rate", "%s guaranteed, %s approximate", limits(x.Rate.Certified), limits(x.Rate.Calibrated))
	beyond := func(v *float64) string {
		if v == nil {
			return "unknown"
		}
		return fmt.Sprintf("%.2f", *v)
	}
	add("agreement", "kappa %s, Krippendorff's alpha %s: 1 is all, 0 what chance would have", beyond(x.Kappa),
		beyond(x.Alpha))
	if s := x.Second; s != nil {
		add("two people", "agree on %d of %s, kappa %s; by the second about %s truly pass", s.Agree,
			prose.Count(s.Labels, "label"), beyond(s.Kappa), phrase.Percent(s.True))
		if len(s.Differ) > 0 {
			add("", "they differ on %s: agree on these rows, and decide by that sheet", prose.Some(s.Differ, 10))
		}
	}
	switch r := x.Repeats; r.Answers {
	case 0:
		add("repeats", "no answer was judged twice")
	default:
		add("repeats", "of %s that it judged twice or more it both passed and failed %d",
			prose.Count(r.Answers, "answer"), r.Flipped)
	}
	add("length", "%s", biasText(x.Length, "longer", "shorter"))
	add("order", "%s", biasText(x.Order, "later", "earlier"))
	if x.More.Labels == 0 {
		add("more", "every judged trial has a label")
		return
	}
	add("more", "with %d labels and the same shares: %s guaranteed, %s approximate", x.More.Labels,
		limits(x.More.Certified),
		limits(x.More.Calibrated))
}

// biasText says how often the judge passes two kinds of answers that people label alike.
func biasText(b labels.Bias, kind, other string) string {
	if !b.Known {
		return "the labels do not tell"
	}
	share := func(p labels.Passes) string {
		return fmt.Sprintf("%d of %d good and %d of %d bad", p.OfPasses.Passed, p.OfPasses.Labels, p.OfFails.Passed,
			p.OfFails.Labels)
	}
	found := "no difference is shown"
	if b.P <= 0.05 {
		found = "they differ"
	}
	return fmt.Sprintf("it passes %s of the %s answers on the sheet, %s of the %s: %s (p %.2g)", share(b.Of[1]), kind,
		share(b.Of[0]), other, found, b.P)
}
