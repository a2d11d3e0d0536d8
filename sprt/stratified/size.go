package stratified

import (
	"context"
	"slices"
)

// Size is what a question takes: a row for each case of rates, or, of a stored baseline, for each number of its trials.
type Size struct {
	Question Question `json:"question"`
	Rate     float64  `json:"rate"` // of scenarios of which one is broken, or of a stored baseline
	// FalseFail and FalsePass bound the errors, for every vector of rates; 0 of a stored baseline, whose are those that
	// were asked for.
	FalseFail float64 `json:"false_fail,omitempty"`
	FalsePass float64 `json:"false_pass,omitempty"`
	MaxTrials int     `json:"max_trials,omitempty"` // of all sides
	Cases     []Case  `json:"cases,omitempty"`
	// Repetitions and Seed are those of cases that are simulated.
	Repetitions int         `json:"repetitions,omitempty"`
	Seed        uint64      `json:"seed,omitempty"`
	Recorded    []Recording `json:"recorded,omitempty"`
}

// Case has the chances where scenarios pass at some rates.
type Case struct {
	Rate     float64  `json:"rate"`               // of each scenario
	Broken   *float64 `json:"broken,omitempty"`   // the rate of one that has another; nil: none has
	Baseline *float64 `json:"baseline,omitempty"` // of each scenario of the baseline; nil: there is none
	Pass     float64  `json:"pass"`
	Fail     float64  `json:"fail"`
	// Trials are expected, of all sides. Where the case is exact it is at most so many: a round may be cut short.
	Trials float64 `json:"trials"`
	Exact  bool    `json:"exact"` // to 10⁻⁴; else it is simulated
}

// What is looked at; chosen.
const (
	goodRate                = 0.97 // of scenarios of which one is broken, and of a baseline
	leastStored, mostStored = 3, 15
	seed                    = 1
)

// SizeFor says what a question takes. Of a stored baseline it says what each number of its trials is good for where all
// scenarios pass at a rate, which is not looked at else. Its errors are those of [New] and [Recorded].
func SizeFor(ctx context.Context, q Question, rate float64) (*Size, error) {
	s := &Size{Rate: goodRate}
	if q.Sides == Stored {
		q.MaxRounds, s.Rate = mostStored, rate
		return s, s.store(ctx, q)
	}
	return s, s.cases(ctx, q)
}

// store fills in what baselines are good for.
func (s *Size) store(ctx context.Context, q Question) error {
	list, err := Recorded(ctx, q, s.Rate)
	if err != nil {
		return err
	}
	s.Question, s.Recorded = q.complete(), list[leastStored-1:]
	return nil
}

// cases fills in the chances.
func (s *Size) cases(ctx context.Context, q Question) error {
	d, err := New(ctx, q)
	if err != nil {
		return err
	}
	s.Question = d.Question()
	promise := d.Promise()
	s.FalseFail, s.FalsePass, s.MaxTrials = promise.FalseFail, promise.FalsePass, d.MostTrials()
	q = s.Question
	beside := q.Sides != Threshold
	usual := []float64{1, 0.99, goodRate, 0.95, q.Threshold, q.Lower()}
	slices.SortFunc(usual, func(a, b float64) int { return int((b - a) * 1e6) })
	for _, rate := range slices.Compact(usual) {
		c := Case{Rate: rate}
		if beside {
			c.Baseline = &rate
		}
		s.Cases = append(s.Cases, c)
	}
	good := goodRate
	broken := []Case{{Rate: good, Broken: &q.Floor.To}, {Rate: good, Broken: new(float64)}}
	if beside {
		// What has collapsed is measured from the baseline.
		lost := good - (1 - q.Floor.To)
		broken[0].Broken = &lost
		broken[0].Baseline, broken[1].Baseline = &good, &good
		s.Cases = append(s.Cases, Case{Rate: good - q.Delta, Baseline: &good})
	}
	s.Cases = append(s.Cases, broken...)
	// As many as take a few seconds: a repetition takes the longer the more scenarios there are.
	repetitions := min(max(40_000/q.Scenarios, 200), 2000)
	for i := range s.Cases {
		c := &s.Cases[i]
		if err := c.look(ctx, d, repetitions); err != nil {
			return err
		}
		if !c.Exact {
			s.Repetitions, s.Seed = repetitions, seed
		}
	}
	return nil
}

// look fills in the chances. They are exact against a threshold where hardly any scenario can seem to have collapsed:
// then the mean decides alone.
func (c *Case) look(ctx context.Context, d *Design, repetitions int) error {
	q := d.Question()
	candidate := everywhere(q, c.Rate)
	if c.Broken != nil {
		candidate[0] = *c.Broken
	}
	var baseline []float64
	if c.Baseline != nil {
		baseline = everywhere(q, *c.Baseline)
	} else if x, ok := d.At(candidate, nil); ok {
		stopped := 0.0
		for _, clears := range x.Clears {
			stopped += 1 - clears
		}
		if stopped <= 1e-4 {
			c.Pass, c.Fail, c.Trials, c.Exact = x.MeanPasses, x.MeanFails, x.Trials, true
			return nil
		}
	}
	x, err := d.Simulate(ctx, candidate, baseline, repetitions, seed)
	c.Pass, c.Fail, c.Trials = x.Pass, x.Fail, x.Trials
	return err
}

// everywhere is a rate for each scenario.
func everywhere(q Question, rate float64) []float64 {
	return slices.Repeat([]float64{rate}, q.Scenarios)
}

// Enough is how many rounds of a recorded baseline make a Pass likely where nothing changed and all scenarios pass at a
// rate; 0 where no number that is looked at does.
func (q Question) Enough(rate float64) int {
	// Chosen: the chance of a Pass, and about the most pairs that are looked at, which takes a moment.
	const likely, most = 0.9, 256
	q.Sides, q.MaxRounds = SideBySide, 1 // the mean passes as beside a recorded one, and what collapses is found sooner
	d, err := New(context.Background(), q)
	if err != nil || !(rate > d.question.Delta && rate <= 1) {
		return 0
	}
	same := everywhere(q, rate)
	for rounds := 1; rounds*q.Round() < 2*most; rounds *= 2 {
		d.question.MaxRounds = rounds
		_, by := d.atPairs(d.mean.(*pairRule), same, same)
		if i := slices.IndexFunc(by, func(e ends) bool { return e.passes >= likely }); i >= 0 {
			return i + 1
		}
	}
	return 0
}
