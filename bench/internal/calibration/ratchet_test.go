package calibration

import (
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt/keep"
)

func TestRatchetKeepsItsErrors(t *testing.T) {
	r, err := calibrate(t.Context(), Options{Short: true, Seed: 1}, []group{{"ratchet", calibrateRatchet}})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		t.Logf("%s, %s: %s %.4f", row.Decision, row.Setting, row.Error, row.Rate)
	}
	if !r.Holds || len(r.Rows) != 10 {
		t.Errorf("%d rows, and all hold: %v", len(r.Rows), r.Holds)
	}
}

// What a tracker of the best believes after twenty rounds of twenty trials that change nothing: the largest of 21
// binomial shares, which is .149 above the rate by the binomial distribution.
func TestTrackersBelieveTooMuch(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 2))
	kept, sum := 0, 0.0
	const sessions = 4000
	for range sessions {
		if tracked(random, 0) {
			kept++
		}
		best := 0
		for range ratchetRounds + 1 {
			passes := 0
			for range 20 {
				if random.Float64() < keep.DefaultRate {
					passes++
				}
			}
			best = max(best, passes)
		}
		sum += float64(best) / 20
	}
	share, over := float64(kept)/sessions, sum/sessions-keep.DefaultRate
	t.Logf("%.3f of sessions keep something, and believe a rate that is %.3f too high", share, over)
	if share < .89 || share > .93 || over < .14 || over > .16 {
		t.Error("a tracker does other than is said of it")
	}
}
