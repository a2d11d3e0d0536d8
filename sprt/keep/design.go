package keep

import "context"

// Design is a test of one challenger. [New] makes it, and its methods do not change it.
type Design struct {
	question Question
	pairs    int     // most pairs
	keep     []int   // by the pairs that differ, the fewest mended that are kept; more than all where none are enough
	revert   [][]int // by all pairs and those that broke, the most mended that are reverted; -1 where none are few enough
	risk     float64
}

// New plans a test: of at most MaxPairs, or as many as the power takes where that is 0, with which it keeps the gain
// where the sides are independent and the champion has the rate that is expected. The error is a [QuestionError], or
// that of the context.
func New(ctx context.Context, q Question) (*Design, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	q = q.Complete()
	d := &Design{question: q, pairs: q.MaxPairs}
	switch {
	case d.pairs > 0:
	case q.Odds > 0:
		d.pairs = MostPairs
	default:
		d.pairs = q.pairsFor()
	}
	if q.Odds == 0 {
		if ok, err := d.bySigns(ctx); ok || err != nil {
			return d, err
		}
	}
	d.byOdds()
	return d, nil
}

// Question is what the design answers, with its defaults and the pairs that it has.
func (d *Design) Question() Question {
	q := d.question
	q.MaxPairs = d.pairs
	return q
}

// MaxPairs is the number of pairs after which it ends in any case.
func (d *Design) MaxPairs() int { return d.pairs }

// Risk is the chance that a challenger is kept whose pairs that differ are as likely to mend as to break: the largest
// there is, exact, and at most Question.Alpha.
func (d *Design) Risk() float64 { return d.risk }

// Decide says what the design makes of pairs of which so many broke and so many were mended. They must have been
// [Open] until the last of them.
func (d *Design) Decide(pairs, broke, mended int) Decision {
	differ, last := broke+mended, len(d.keep)-1
	switch {
	case pairs < 1 || broke < 0 || mended < 0 || differ > pairs:
		return Open
	case differ <= last && mended >= d.keep[differ]:
		return Keep
	case differ > last, mended <= d.revert[min(pairs, d.pairs)][broke], differ == last && d.question.Odds > 0:
		return Revert
	case pairs >= d.pairs, differ == last:
		return Undecided
	}
	return Open
}
