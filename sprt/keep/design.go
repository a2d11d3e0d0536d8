package keep

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
)

// Design is a test of one challenger. [New] makes it, and its methods do not change it.
type Design struct {
	question Question
	pairs    int     // most pairs
	keep     []int   // see boundary
	revert   [][]int // see futility
	risk     float64
}

// New plans a test: the shortest of its form that keeps the gain with the power that is asked for, where the sides are
// independent and the champion has the rate that is expected; the longest that may be, where none has the power. The
// error is a [QuestionError], or that of the context.
func New(ctx context.Context, q Question) (*Design, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	q = q.Complete()
	if q.MaxPairs > 0 {
		return of(q, q.MaxPairs), nil
	}
	// The power rises with the pairs, but for the steps of a boundary of whole numbers: the fewest pairs may be a few
	// less.
	low, high := 1, min(2*fixedPairs(q), MostPairs)
	for {
		enough, err := powerful(ctx, of(q, high))
		switch {
		case err != nil:
			return nil, err
		case enough:
			return shortest(ctx, q, low, high)
		case high == MostPairs:
			return of(q, MostPairs), nil
		}
		low, high = high, min(2*high, MostPairs)
	}
}

// shortest returns the test with the fewest pairs that has the power, of which the longest has.
func shortest(ctx context.Context, q Question, low, high int) (*Design, error) {
	for low < high {
		middle := (low + high) / 2
		enough, err := powerful(ctx, of(q, middle))
		if err != nil {
			return nil, err
		}
		if enough {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return of(q, high), nil
}

// powerful reports whether a design keeps the gain often enough.
func powerful(ctx context.Context, d *Design) (bool, error) {
	c, err := d.At(ctx, Apart(d.question.Rate, d.question.Rate+d.question.Gain))
	return c.Keep >= d.question.Power, err
}

// fixedPairs is the fixed sample of McNemar's test (Miettinen 1968, Biometrics 24:339).
func fixedPairs(q Question) int {
	r := Apart(q.Rate, q.Rate+q.Gain)
	differ := r.Broke + r.Mended
	root := dist.NormalUpperQuantile(q.Alpha)*math.Sqrt(differ) +
		dist.NormalUpperQuantile(1-q.Power)*math.Sqrt(math.Max(0, differ-q.Gain*q.Gain))
	return min(int(math.Ceil(root*root/(q.Gain*q.Gain))), MostPairs)
}

// of is the test of at most so many pairs.
func of(q Question, pairs int) *Design {
	r := Apart(q.Rate, q.Rate+q.Gain)
	differ := r.Broke + r.Mended
	expected := float64(pairs) * differ
	// Two standard deviations more than are expected of the gain.
	most := max(1, min(pairs, int(math.Ceil(expected+2*math.Sqrt(expected*(1-differ))))))
	d := &Design{question: q, pairs: pairs}
	d.keep, d.risk = boundary(most, q.Alpha)
	d.revert = futility(pairs, most, q)
	return d
}

// Question is what the design answers, with its defaults and the pairs that it has.
func (d *Design) Question() Question {
	q := d.question
	q.MaxPairs = d.pairs
	return q
}

// MaxPairs is the number of pairs after which it ends in any case.
func (d *Design) MaxPairs() int { return d.pairs }

// Risk is the chance that a challenger is kept whose pairs that differ are as likely to mend as to break, if nothing
// but the boundary ended the test: the largest there is, exact, and at most Question.Alpha.
func (d *Design) Risk() float64 { return d.risk }

// Decide says what the design makes of pairs of which so many broke and so many were mended. They must have been
// [Open] until the last of them.
func (d *Design) Decide(pairs, broke, mended int) Decision {
	differ := broke + mended
	switch {
	case pairs < 1 || broke < 0 || mended < 0 || differ > pairs:
		return Open
	case differ < len(d.keep) && mended >= d.keep[differ]:
		return Keep
	// No more pairs that differ may count, or a gain is out of sight.
	case differ >= len(d.keep)-1, mended <= d.revert[min(pairs, d.pairs)][broke]:
		return Revert
	case pairs >= d.pairs:
		return Undecided
	}
	return Open
}
