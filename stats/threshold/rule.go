// Package threshold judges a pass rate against a threshold by an interval at a fixed
// number of trials, and says what that rule is worth: its exact risks, and how many
// trials it takes to decide.
//
//	rule := threshold.Rule{Method: stats.WilsonInterval, Alpha: 0.05, Threshold: 0.9}
//	cutoffs, err := rule.Cutoffs(100) // from how many passes of 100 on it passes
//	risks, err := rule.Risks(100)
package threshold

import (
	"math"
	"sort"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/stats"
)

// Rule judges a pass rate against a threshold by an interval at the
// two-sided level 1-Alpha: it passes if the lower limit is at least Threshold,
// fails if the upper limit is below it, and decides nothing otherwise.
type Rule struct {
	Method    stats.IntervalMethod // how the interval is computed; Wilson's by default
	Alpha     float64              // two-sided error of the interval, strictly between 0 and 1
	Threshold float64              // the least pass rate that is enough, strictly between 0 and 1
	// Guarded has Clopper and Pearson's interval decide, in place of Method's, at every number of trials at which a
	// risk of Method is above Alpha; see [Rule.At].
	Guarded bool
	// Limits computes the interval in place of Method, at the error Alpha; nil is Method. Both
	// limits must rise with the passes.
	Limits func(c stats.Counts, alpha float64) (stats.Interval, error)
	// Side says on which side of the threshold the Limits lie: 1 above, -1 below, 0 on both; it
	// takes less time than they do. It is needed with Limits.
	Side func(c stats.Counts, alpha, threshold float64) int
}

// At returns the rule that decides at so many trials: a Guarded one is that of its Method, or of Clopper and
// Pearson's interval, which errs with half of Alpha at most where rates are equal.
func (r Rule) At(trials int) Rule {
	if r.Guarded && r.Limits == nil {
		r, _ = r.guarded(trials)
	}
	return r
}

// guarded returns the rule that decides at so many trials in the place of a Guarded one, and its cutoffs.
func (r Rule) guarded(trials int) (Rule, Cutoffs) {
	r.Guarded = false
	c := r.cutoffs(trials)
	if r.Method == stats.ClopperPearsonInterval || // nothing else would take its place
		max(atLeast(trials, c.Pass, r.Threshold), AtMost(trials, c.Fail, r.Threshold)) <= r.Alpha {
		return r, c
	}
	r.Method = stats.ClopperPearsonInterval
	return r, r.cutoffs(trials)
}

// Decide returns 1 where the interval lies at or above the threshold, -1 where it lies below, and
// else 0.
func (r Rule) Decide(c stats.Counts) int {
	if r.Limits != nil {
		return r.Side(c, r.Alpha, r.Threshold)
	}
	interval, err := r.At(c.Trials).Method.Interval(c, r.Alpha)
	switch {
	case err != nil:
		return 0 // decides nothing
	case interval.Low >= r.Threshold:
		return 1
	case interval.High < r.Threshold:
		return -1
	}
	return 0
}

// Interval is the interval of the rate that the rule judges by.
func (r Rule) Interval(c stats.Counts) (stats.Interval, error) {
	if r.Limits != nil {
		return r.Limits(c, r.Alpha)
	}
	return r.At(c.Trials).Method.Interval(c, r.Alpha)
}

// Validate returns an [stats.ArgumentError] unless Alpha and Threshold lie strictly
// between 0 and 1.
func (r Rule) Validate() error {
	if err := argument.OpenUnit("alpha", r.Alpha); err != nil {
		return err
	}
	return argument.OpenUnit("threshold", r.Threshold)
}

// Cutoffs are what a rule comes down to at a number of trials. Between them it decides
// nothing.
type Cutoffs struct {
	Trials int // the number of trials that they are for
	Pass   int // the fewest passes that pass; Trials+1 where no outcome does
	Fail   int // the most passes that fail; -1 where no outcome does
}

// Cutoffs returns the rule's cutoffs at so many trials.
func (r Rule) Cutoffs(trials int) (Cutoffs, error) {
	if err := r.Validate(); err != nil {
		return Cutoffs{}, err
	}
	if err := checkTrials(stats.Counts{Trials: trials}); err != nil {
		return Cutoffs{}, err
	}
	return r.cutoffs(trials), nil
}

// cutoffs searches from where the normal distribution has them: both limits of every interval rise with the passes.
func (r Rule) cutoffs(trials int) Cutoffs {
	if r.Guarded && r.Limits == nil {
		_, c := r.guarded(trials)
		return c
	}
	side := func(passes int) int { return r.Decide(stats.Counts{Passes: passes, Trials: trials}) }
	passes := func(k int) bool { return side(k) > 0 }
	stays := func(k int) bool { return side(k) >= 0 } // does not fail
	if r.Method == stats.ClopperPearsonInterval && r.Limits == nil {
		passes, stays = r.byTails(trials, passes, stays)
	}
	mean := float64(trials) * r.Threshold
	away := -dist.NormalQuantile(r.Alpha/2) * math.Sqrt(mean*(1-r.Threshold))
	return Cutoffs{
		Trials: trials,
		Pass:   firstFrom(int(mean+away)+1, trials+1, passes),
		Fail:   firstFrom(int(mean-away), trials+1, stays) - 1,
	}
}

// byTails decides as Clopper and Pearson's interval does, which lies above the threshold where the passes' tail at the
// threshold is at most half of Alpha. A tail takes far less time than a limit, a quantile: limits decide only where a
// tail is so near that rounding could make the cutoffs differ from the decisions.
func (r Rule) byTails(trials int, passes, stays func(k int) bool) (passesByTail, staysByTail func(k int) bool) {
	atThreshold, level := dist.Binomial{N: trials, P: r.Threshold}, r.Alpha/2
	near := func(tail float64) bool { return math.Abs(tail-level) <= tailsAgree*level }
	passesByTail = func(k int) bool {
		if tail := atThreshold.Survival(k - 1); !near(tail) {
			return tail <= level
		}
		return passes(k)
	}
	staysByTail = func(k int) bool {
		if tail := atThreshold.CDF(k); !near(tail) {
			return tail >= level
		}
		return stays(k)
	}
	return passesByTail, staysByTail
}

// firstFrom is [sort.Search] that begins at a guess: steps that double lead to where f changes.
func firstFrom(guess, n int, f func(k int) bool) int {
	between := func(fails, holds int) int {
		return fails + 1 + sort.Search(holds-fails-1, func(i int) bool { return f(fails + 1 + i) })
	}
	at := min(max(guess, 0), n)
	if at < n && !f(at) {
		for step := 1; ; step *= 2 {
			next := min(at+step, n)
			if next == n || f(next) {
				return between(at, next)
			}
			at = next
		}
	}
	for step := 1; at > 0; step *= 2 {
		next := max(at-step, 0)
		if !f(next) {
			return between(next, at)
		}
		at = next
	}
	return 0
}

// tailsAgree is how far a tail must be from the level, as a share of it, for the limit to decide alike. Both are
// computed to some 1e-12, and of the error of a limit a tail shows sqrt(trials) times as much.
const tailsAgree = 1e-6

// Risks are the error probabilities of a rule at a number of trials, however the rates of the
// trials differ.
type Risks struct {
	FalsePass float64 // the largest P(Pass) over mean rates below the threshold
	FalseFail float64 // the largest P(Fail) over mean rates at or above it
}

// Risks returns the rule's largest risks at so many trials, over all independent trials
// whose mean rate is on that side of the threshold. Both probabilities
// are monotone in every rate, so both maxima are taken where the mean is the threshold.
func (r Rule) Risks(trials int) (Risks, error) {
	c, err := r.Cutoffs(trials)
	if err != nil {
		return Risks{}, err
	}
	return Risks{
		FalsePass: atLeast(trials, c.Pass, r.Threshold),
		FalseFail: AtMost(trials, c.Fail, r.Threshold),
	}, nil
}

// LeastTrialsToPass returns the smallest number of trials at which passing all of
// them passes the rule, and false if more than [stats.MaxTrials] would be needed.
func (r Rule) LeastTrialsToPass() (int, bool) {
	return r.leastTrials(func(r Rule, n int) bool {
		return r.Decide(stats.Counts{Passes: n, Trials: n}) > 0
	})
}

// leastTrials searches by bisection, as an interval of one method that reaches it does so with more trials too. A
// guarded rule, which may change its method from one number of trials to the next, reaches it where the first of both
// methods does or a little later: from there on its numbers are tried one by one.
func (r Rule) leastTrials(reached func(r Rule, n int) bool) (int, bool) {
	least := func(r Rule) int {
		return 1 + sort.Search(stats.MaxTrials, func(i int) bool { return reached(r, i+1) })
	}
	if !r.Guarded || r.Limits != nil {
		n := least(r)
		return n, n <= stats.MaxTrials
	}
	one := r
	one.Guarded = false
	n := least(one)
	one.Method = stats.ClopperPearsonInterval
	for n = min(n, least(one)); n <= stats.MaxTrials && !reached(r, n); n++ {
	}
	return n, n <= stats.MaxTrials
}

// decisionChance is the probability that the rule decides after so many more trials, if the observed rate is the true
// one.
func (r Rule) decisionChance(observed stats.Counts, more int, fails func(stats.Counts) bool) float64 {
	c := r.cutoffs(observed.Trials + more)
	if fails != nil {
		stands := func(k int) bool { return fails(stats.Counts{Passes: k, Trials: c.Trials}) }
		c.Fail = firstFrom(c.Fail, c.Fail+1, func(k int) bool { return !stands(k) }) - 1
	}
	future := dist.Binomial{N: more, P: observed.Rate()}
	return min(max(future.Survival(c.Pass-observed.Passes-1)+future.CDF(c.Fail-observed.Passes), 0), 1)
}

// MoreTrials is an answer to "what would it take".
type MoreTrials struct {
	Trials int     // further trials
	Chance float64 // probability of a decision after them, if the observed rate is the true one
}

// maxMoreTrials is where the search for more trials ends: no one runs more, and
// beyond it the observed rate is the threshold for all practical purposes.
const maxMoreTrials = 1_000_000

// MoreTrials returns a number of further trials after which the rule decides with
// at least the given chance if the observed rate is the true one; false if a
// million do not suffice, or nothing was observed. The chance is a saw-tooth in
// the number of trials; the answer is the smallest number up to a hundred, and
// within a few percent of it beyond.
//
// A Fail of the rule stands where fails holds, such as after a correction for several rates; nil: always. Where it
// does not hold, it must not hold of more passes either.
//
// It plans a new look at the pooled trials. Looking again and again until a
// decision comes is another rule, with larger risks.
func (r Rule) MoreTrials(observed stats.Counts, chance float64, fails func(stats.Counts) bool) (MoreTrials, bool) {
	if r.Validate() != nil || checkTrials(observed) != nil || !(chance > 0 && chance < 1) {
		return MoreTrials{}, false
	}
	chanceOf := func(more int) float64 { return r.decisionChance(observed, more, fails) }
	if chanceOf(maxMoreTrials) < chance {
		return MoreTrials{}, false
	}
	last := 0
	for more := 1; more <= maxMoreTrials; more += max(1, more/50) {
		if chanceOf(more) >= chance {
			return firstOf(chanceOf, chance, last+1, more), true
		}
		last = more
	}
	return firstOf(chanceOf, chance, last+1, maxMoreTrials), true
}

// firstOf returns the first number from low to high that reaches the chance; high does. Of more than a hundred numbers
// it is one of the first: halves are left out by their middle, so that no more than a hundred are tried one by one.
func firstOf(chanceOf func(more int) float64, chance float64, low, high int) MoreTrials {
	for high-low > 100 {
		if middle := low + (high-low)/2; chanceOf(middle) >= chance {
			high = middle
		} else {
			low = middle + 1
		}
	}
	for more := low; more < high; more++ {
		if p := chanceOf(more); p >= chance {
			return MoreTrials{more, p}
		}
	}
	return MoreTrials{high, chanceOf(high)}
}

// checkTrials returns an error unless the counts are valid and hold a trial.
func checkTrials(c stats.Counts) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if c.Trials == 0 {
		return argument.Wrong("trials", 0, "must be at least 1")
	}
	return nil
}
