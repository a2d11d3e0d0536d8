// Package bench measures what the methods of this module promise, by simulation:
// how often they err on systems that are known, beside other methods.
//
// The functions whose names begin with Behaviour measure the comparisons of package
// fingerprint: [BehaviourFalseAlarms] on systems that did not change, and
// [BehaviourPower] on systems that did.
//
//	alarms, err := bench.BehaviourFalseAlarms(ctx, bench.BehaviourHalves(agent, 20, 20), bench.BehaviourOptions{})
//	fmt.Println(alarms.Default, alarms.Hotelling) // shares of the splits in which a change was found
//
// A result depends on its options and seed alone, not on the number of processors.
package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/tribunal-dev/tribunal/fingerprint"
)

// DefaultBehaviourRuns is the value of BehaviourOptions.Runs that says nothing.
const DefaultBehaviourRuns = 2000

// BehaviourOptions says how comparisons are measured.
type BehaviourOptions struct {
	Runs int    // comparisons; 0 is [DefaultBehaviourRuns]
	Seed uint64 // of the trials, the splits and the relabelings

	// Compare are the options of the comparisons. Their test and seed are not used.
	Compare fingerprint.Options
}

func (o BehaviourOptions) withDefaults() (BehaviourOptions, error) {
	if o.Runs == 0 {
		o.Runs = DefaultBehaviourRuns
	}
	if o.Runs < 0 {
		return o, fmt.Errorf("runs %d must not be negative", o.Runs)
	}
	if o.Compare.Alpha == 0 {
		o.Compare.Alpha = 0.05
	}
	return o, nil
}

// BehaviourRate counts in how many runs a test found a change.
type BehaviourRate struct {
	Found   int
	Refused int // runs with too few trials for the test, or none that vary: it found nothing
	Runs    int
}

// Share returns the share of the runs in which a change was found; 0 without runs.
func (r BehaviourRate) Share() float64 { return float64(r.Found) / float64(max(r.Runs, 1)) }

// Within reports whether the share is at most p plus three of the standard errors
// that a probability of p would have.
func (r BehaviourRate) Within(p float64) bool {
	return r.Share() <= p+3*math.Sqrt(p*(1-p)/float64(max(r.Runs, 1)))
}

// String returns the share in percent: "4.9 %".
func (r BehaviourRate) String() string {
	if r.Runs > 0 && r.Refused == r.Runs {
		return "refused"
	}
	return fmt.Sprintf("%.1f %%", 100*r.Share())
}

// add counts a run.
func (r *BehaviourRate) add(f finding) {
	r.Runs++
	if f.found {
		r.Found++
	}
	if f.refused {
		r.Refused++
	}
}

// finding is what a test said of two samples.
type finding struct{ found, refused bool }

// findingOf tells the findings of a comparison from its failures: samples that a test
// cannot be computed for are a finding of nothing.
func findingOf(c *fingerprint.Comparison, err error) (finding, error) {
	switch {
	case err == nil:
		return finding{found: c.Changed}, nil
	case errors.Is(err, fingerprint.ErrTooFewTrials), errors.Is(err, fingerprint.ErrSingular):
		return finding{refused: true}, nil
	}
	return finding{}, err
}

// repeat calls run for every number below runs, several at once.
func repeat(ctx context.Context, runs int, run func(i int) error) error {
	var next atomic.Int64
	var workers sync.WaitGroup
	failures := make([]error, max(runtime.GOMAXPROCS(0), 1))
	for k := range failures {
		workers.Go(func() {
			for failures[k] == nil && ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= runs {
					return
				}
				failures[k] = run(i)
			}
		})
	}
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.Join(failures...)
}

// behaviourStream returns the random numbers of a run. PCG generators whose seeds are
// near each other begin alike, so the seeds are scrambled.
func behaviourStream(seed, run uint64) *rand.Rand {
	first := splitMix64(seed)
	return rand.New(rand.NewPCG(first, splitMix64(first^splitMix64(run))))
}

// splitMix64 is one step of the generator of Steele, Lea and Flood (2014).
func splitMix64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
