package change

import (
	"context"
	"math"
	"slices"
)

// ruledOut is how many places in a row must be ruled out before no further ones are looked at. It is chosen.
const ruledOut = 5

// places returns the first and the last place of the change that are not ruled out: those for which the best place
// explains the trials better than they do by more than in all but a share Alpha of the orders within both sides.
func (t *stretch) places(ctx context.Context) (earliest, latest int, err error) {
	gains := map[int]float64{}
	var all []int
	t.gains(t.observed, func(at int, gain float64) {
		gains[at] = gain
		all = append(all, at)
	})
	best := slices.Index(all, t.best)
	outwards := func(step int) (last int, err error) {
		last = t.best
		for i, out := best+step, 0; i >= 0 && i < len(all) && out < ruledOut; i += step {
			inside, err := t.possible(ctx, all[i], t.gain-gains[all[i]])
			if err != nil {
				return 0, err
			}
			if !inside {
				out++
				continue
			}
			last, out = all[i], 0
		}
		return last, nil
	}
	if earliest, err = outwards(-1); err != nil {
		return 0, 0, err
	}
	latest, err = outwards(1)
	return earliest, latest, err
}

// possible tests H0: the trials are exchangeable on either side of a place. Lost is what the place explains worse
// than the best.
func (t *stretch) possible(ctx context.Context, place int, lost float64) (bool, error) {
	left, right := t.orders(t.from, place), t.orders(place, t.to)
	joined := &order{sums: make([]float64, t.to-t.from), sizes: make([]int, t.to-t.from)}
	cut := place - t.from
	p, err := t.exceeded(ctx, t.options.Alpha, func() bool {
		l, r := left(), right()
		copy(joined.sums, l.sums)
		copy(joined.sums[cut:], r.sums)
		copy(joined.sizes, l.sizes)
		copy(joined.sizes[cut:], r.sizes)
		at, most := math.Inf(-1), math.Inf(-1)
		t.gains(joined, func(i int, gain float64) {
			most = max(most, gain)
			if i == place {
				at = gain
			}
		})
		return most-at >= lost*(1-1e-9)
	})
	return p > t.options.Alpha, err
}
