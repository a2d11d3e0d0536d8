package keep

import "context"

// Characteristics are what a design does of a challenger.
type Characteristics struct {
	Keep      float64 `json:"keep"`      // chance that it is kept
	Revert    float64 `json:"revert"`    // chance that it is reverted
	Undecided float64 `json:"undecided"` // chance that the pairs are used up before
	Pairs     float64 `json:"pairs"`     // expected number of pairs
}

// negligible is the chance of a state that is not followed any further: all of them together are below 1e-9.
const negligible = 1e-18

// At computes what the design does where pairs end by these rates, independently of each other: the sum over all states
// (pairs, broke, mended) that a test can come to. The error is that of the context, or of rates that are none.
func (d *Design) At(ctx context.Context, r Rates) (c Characteristics, err error) {
	if !(r.Broke >= 0 && r.Mended >= 0 && r.Broke+r.Mended <= 1) {
		return c, &QuestionError{"rates", "must be shares of the pairs"}
	}
	side := len(d.keep)
	now, next := make([]float64, side*side), make([]float64, side*side)
	now[0] = 1
	most := 0 // broke or mended, so far
	reach := func(pairs, broke, mended int, p float64) {
		if p == 0 {
			return
		}
		switch d.Decide(pairs, broke, mended) {
		case Keep:
			c.Keep += p
		case Revert:
			c.Revert += p
		case Undecided:
			c.Undecided += p
		default:
			next[broke*side+mended] += p
		}
	}
	for pairs := 1; pairs <= d.pairs; pairs++ {
		if err := ctx.Err(); err != nil {
			return Characteristics{}, err
		}
		for broke := 0; broke <= most; broke++ {
			row := now[broke*side : broke*side+most+1]
			for mended, p := range row {
				if p < negligible {
					continue
				}
				c.Pairs += p
				reach(pairs, broke, mended, p*(1-r.Broke-r.Mended))
				reach(pairs, broke+1, mended, p*r.Broke)
				reach(pairs, broke, mended+1, p*r.Mended)
			}
			clear(row)
		}
		most = min(most+1, side-1)
		now, next = next, now
	}
	return c, nil
}
