package labels

import (
	"context"
	"slices"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/twophase"
)

// WorthSchema names the JSON form of a [Worth].
const WorthSchema = "tribunal/judge-check/v1"

// Worth is what a judge is worth, as labels of some of the trials that it judged show it.
type Worth struct {
	Schema      string  `json:"schema"`
	Sheet       string  `json:"sheet"` // digest of the key
	Level       float64 `json:"level"` // confidence of every interval
	Judged      int     `json:"judged"`
	Passed      int     `json:"passed"` // by the judge
	Labels      Counts  `json:"labels"` // all, by the judge's verdict and the label
	Rate        Rates   `json:"rate"`
	Sensitivity Share   `json:"sensitivity"` // of true passes, those that it passes
	Specificity Share   `json:"specificity"` // of true failures, those that it fails
	PPV         Share   `json:"ppv"`         // of what it passes, the true passes
	NPV         Share   `json:"npv"`         // of what it fails, the true failures
	// Agreement beyond chance of judge and person over all judged trials: a label stands for as many trials as there
	// are
	// of its kind. Null where one of them says the same of every trial.
	Kappa   *float64        `json:"kappa"`
	Alpha   *float64        `json:"krippendorff_alpha"`
	Repeats Repeats         `json:"repeats"`
	Length  Bias            `json:"length"` // answers longer than the median of the sheet, against the others
	Order   Bias            `json:"order"`  // the second half of the recording, against the first
	More    LabelProjection `json:"more"`
	Second  *Raters         `json:"second,omitempty"` // nil where one person labelled the sheet
}

// Counts are labels by the verdict of the judge and the label.
type Counts struct {
	PassPass int `json:"pass_pass"` // both pass it
	PassFail int `json:"pass_fail"` // the judge passes what the person fails
	FailPass int `json:"fail_pass"` // the judge fails what the person passes
	FailFail int `json:"fail_fail"` // both fail it
}

// Rates are the pass rate by the judge, and the true one.
type Rates struct {
	Judge      float64  `json:"judge"`
	True       float64  `json:"true"` // estimate
	Certified  Interval `json:"certified"`
	Calibrated Interval `json:"calibrated"`
}

// Interval has its limits, from 0 to 1.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Share is a share with its exact interval; Value is null where it is one of nothing.
type Share struct {
	Value    *float64 `json:"value"`
	Interval Interval `json:"interval"`
}

// Bias compares how often the judge passes two kinds of trials that people label alike.
type Bias struct {
	// Trials of either kind, by the label: how many the judge passes.
	Of    [2]Passes `json:"of"`
	P     float64   `json:"p"`     // two-sided p-value of H0: the judge passes both alike
	Known bool      `json:"known"` // there are labels to tell it from
}

// Passes are labels of one kind that the judge passes, of those that the person passed, and of those that she failed.
type Passes struct {
	OfPasses LabelTally `json:"of_passes"`
	OfFails  LabelTally `json:"of_fails"`
}

// LabelTally are labels, and how many of their trials the judge passes.
type LabelTally struct {
	Passed int `json:"passed"`
	Labels int `json:"labels"`
}

func (c LabelTally) counts() stats.Counts { return stats.Counts{Passes: c.Passed, Trials: c.Labels} }

// LabelProjection is what is expected of further labels, with the shares that there are so far.
type LabelProjection struct {
	Labels     int      `json:"labels"` // in all; 0 where every trial has one
	Certified  Interval `json:"certified"`
	Calibrated Interval `json:"calibrated"`
}

// moreLabels is how many further labels [LabelProjection] is about.
const moreLabels = 10

// Worth returns what the judge is worth, with intervals at the two-sided level 1-alpha.
func (l *LabelledSheet) Worth(ctx context.Context, alpha float64) (*Worth, error) {
	w, err := l.shares(alpha)
	if err != nil {
		return nil, err
	}
	s := l.Sample()
	if w.Rate.Certified, w.Rate.Calibrated, err = intervals(ctx, s, alpha); err != nil {
		return nil, err
	}
	if w.Length, err = l.bias(ctx, l.longer()); err != nil {
		return nil, err
	}
	if w.Order, err = l.bias(ctx, func(r Row) bool { return 2*r.Position >= l.Key.Judged }); err != nil {
		return nil, err
	}
	if more := s.With(moreLabels); more.Labels() > s.Labels() {
		w.More.Labels = more.Labels()
		w.More.Certified, w.More.Calibrated, err = intervals(ctx, more, alpha)
	}
	return w, err
}

// shares is the part of what a judge is worth that is a share of labels, or follows from such.
func (l *LabelledSheet) shares(alpha float64) (*Worth, error) {
	s := l.Sample()
	judge, err := s.Worth(alpha)
	if err != nil {
		return nil, err
	}
	w := &Worth{
		Schema: WorthSchema, Sheet: l.Key.Digest, Level: 1 - alpha, Judged: s.Judged, Passed: s.Passed,
		Labels:      Counts{s.OfPassed.Passes, s.OfPassed.Fails(), s.OfFailed.Passes, s.OfFailed.Fails()},
		Sensitivity: share(judge.Sensitivity), Specificity: share(judge.Specificity), PPV: share(judge.PPV),
		NPV: share(judge.NPV), Repeats: l.Key.Repeats,
	}
	w.Rate.Judge, w.Rate.True = float64(s.Passed)/float64(s.Judged), s.Rate()
	w.agree(s)
	return w, nil
}

// intervals are those of both methods.
func intervals(ctx context.Context, s twophase.Sample, alpha float64) (certified, calibrated Interval, err error) {
	for _, m := range []struct {
		method twophase.Method
		to     *Interval
	}{{twophase.Certified, &certified}, {twophase.Calibrated, &calibrated}} {
		i, err := m.method.Interval(ctx, s, alpha)
		if err != nil {
			return certified, calibrated, err
		}
		*m.to = Interval{i.Low, i.High}
	}
	return certified, calibrated, nil
}

func share(x twophase.Share) Share {
	s := Share{Interval: Interval{x.Interval.Low, x.Interval.High}}
	if x.Known {
		s.Value = &x.Value
	}
	return s
}

// agree sets how far judge and person agree beyond chance.
func (w *Worth) agree(s twophase.Sample) {
	table := s.Table()
	if k, known := kappa([][]float64{table[0][:], table[1][:]}); known {
		w.Kappa = &k
	}
	// A unit for each cell, with the two ratings, that stands for as many trials as the cell.
	var units [][]int
	var weights []float64
	for judge := range table {
		for person := range table[judge] {
			units = append(units, []int{judge, person})
			weights = append(weights, table[judge][person]*float64(s.Judged))
		}
	}
	if a, known := alpha(units, weights, 2); known {
		w.Alpha = &a
	}
}

// longer tells the answers that are longer than the median of the sheet.
func (l *LabelledSheet) longer() func(Row) bool {
	var lengths []int
	for _, r := range l.Key.Rows {
		lengths = append(lengths, r.Length)
	}
	slices.Sort(lengths)
	return func(r Row) bool { return r.Length > lengths[(len(lengths)-1)/2] }
}

// bias compares the judge's verdicts on trials of a kind and on others, among those with the same label. Trials were
// drawn by the judge's verdict, which changes its shares of passes and no ratio of odds: given how many of each
// label the
// judge passes, which of them are of the kind has the hypergeometric distribution where there is no bias.
func (l *LabelledSheet) bias(ctx context.Context, kind func(Row) bool) (b Bias, err error) {
	for i, r := range l.Key.Rows {
		which := 0
		if kind(r) {
			which = 1
		}
		counts := &b.Of[which].OfFails
		if l.Labels[i] {
			counts = &b.Of[which].OfPasses
		}
		if counts.Labels++; r.Passed {
			counts.Passed++
		}
	}
	found, err := stats.StratifiedExact(ctx, []stats.Stratum{
		{Baseline: b.Of[0].OfPasses.counts(), Candidate: b.Of[1].OfPasses.counts()},
		{Baseline: b.Of[0].OfFails.counts(), Candidate: b.Of[1].OfFails.counts()},
	})
	b.P, b.Known = found.PTwoSided, found.Informative > 0
	return b, err
}
