package looks

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/stats"
)

// In many sessions somebody asks twenty times how a candidate compares with a baseline that was recorded once: whether
// it is not worse, where it is worse by all of delta, and whether it is better, where nothing has changed. The
// candidate is recorded anew for each look, or its recording grows. With the parts of the ledger a false yes is heard
// in at most alpha of the sessions, by an exact binomial test; with all of alpha at each look in far more, so that this
// could fail.
func TestSessionsOfComparisons(t *testing.T) {
	sessions := thorough.Draws(200, 2000)
	const alpha, looks, delta, rate = 0.05, 20, 0.1, 0.9
	for _, question := range []struct {
		name      string
		candidate float64 // its rate
		p         func(baseline, candidate stats.Counts) (float64, error)
	}{
		// The tests that compare decides by.
		{"not worse", rate - delta, func(baseline, candidate stats.Counts) (float64, error) {
			return stats.NonInferiority(t.Context(), baseline, candidate, delta)
		}},
		{"better", rate, func(baseline, candidate stats.Counts) (float64, error) {
			return stats.Boschloo(t.Context(), candidate, baseline) // the baseline is worse
		}},
	} {
		known := map[[2]stats.Counts]float64{}
		says := func(baseline, candidate stats.Counts, level float64) bool {
			key := [2]stats.Counts{baseline, candidate}
			p, is := known[key]
			if !is {
				var err error
				if p, err = question.p(baseline, candidate); err != nil {
					t.Fatal(err)
				}
				known[key] = p
			}
			return p <= level
		}
		falseYes := func(grows, parts bool) (said int) {
			random := rand.New(rand.NewPCG(13, 17))
			record := func(n int, rate float64, counts *stats.Counts) {
				for range n {
					counts.Trials++
					if random.Float64() < rate {
						counts.Passes++
					}
				}
			}
			for range sessions {
				var earlier []Spending
				var baseline, candidate stats.Counts
				record(60, rate, &baseline)
				for look := range looks {
					trials := 40
					if grows {
						trials = 6
					} else {
						candidate = stats.Counts{}
					}
					record(trials, question.candidate, &candidate)
					level := alpha
					if parts {
						s := Spending{Evidence: strconv.Itoa(look)}
						share, known, err := next(earlier, s)
						if err != nil || known {
							t.Fatal(share, known, err)
						}
						s.Share = share
						earlier = append(earlier, s)
						level = alpha / float64(share.Of)
					}
					if says(baseline, candidate, level) {
						said++
						break
					}
				}
			}
			return said
		}
		for _, grows := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, grows %v", question.name, grows), func(t *testing.T) {
				with, without := falseYes(grows, true), falseYes(grows, false)
				t.Logf("%d of %d sessions heard a false yes, %d where each look had all of the level", with, sessions, without)
				chance := dist.Binomial{N: sessions, P: alpha}
				if p := chance.Survival(with - 1); p < 0.001 {
					t.Errorf("%d of %d sessions heard a false yes, which at a chance of %v has a probability of %v", with, sessions,
						alpha, p)
				}
				// What shows that the looks must be counted: few sessions show it only beside those that count them.
				if p := chance.Survival(without - 1); p > 0.001 && thorough.Asked() || without <= with {
					t.Errorf("%d of %d sessions heard a false yes although no look was counted: this test shows nothing", without,
						sessions)
				}
			})
		}
	}
}
