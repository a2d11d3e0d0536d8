package keep

import "fmt"

// What holds where a [Question] says 0. All are chosen: level and power are the usual ones, and ten points are what an
// edit of a prompt has to bring to be worth its keeping.
const (
	DefaultAlpha = 0.05
	DefaultGain  = 0.10
	DefaultRate  = 0.80
	DefaultPower = 0.80
)

// The smallest gain that is looked for, and the most pairs of one decision. Both are chosen: what is computed of a
// design takes a fraction of a second then.
const (
	leastGain = 0.02
	MostPairs = 600
)

// Question is what is asked of a challenger. Its zero value is that of the constants.
type Question struct {
	// Alpha bounds the chance that a challenger is kept that is no better than the current version.
	Alpha float64 `json:"alpha"`
	Gain  float64 `json:"gain"` // the smallest gain of the pass rate that is to be found
	Rate  float64 `json:"rate"` // of the champion, as it is expected: it sets lengths, and no error
	// Power is the chance that such a gain is kept. With less it is lost sooner, and so is what changes nothing.
	Power float64 `json:"power"`
	// Odds is how many times as likely as the gain no gain at all must be for a challenger to be reverted, above 1, in
	// results of earlier versions, whose design was another one; 0 in others.
	Odds float64 `json:"odds,omitempty"`
	// MaxPairs ends the test undecided; 0 is as many as the power takes, at most [MostPairs].
	MaxPairs int `json:"max_pairs"`
}

// Complete returns the question with its defaults.
func (q Question) Complete() Question {
	for _, part := range []struct {
		x     *float64
		usual float64
	}{
		{&q.Alpha, DefaultAlpha}, {&q.Gain, DefaultGain}, {&q.Rate, DefaultRate}, {&q.Power, DefaultPower},
	} {
		if *part.x == 0 {
			*part.x = part.usual
		}
	}
	return q
}

// QuestionError says which part of a question cannot be asked.
type QuestionError struct {
	Option  string // such as "gain"
	Problem string // such as "must lie strictly between 0 and 1"
}

// Error names the option.
func (e *QuestionError) Error() string { return e.Option + " " + e.Problem }

// mostOdds is chosen: beyond it hardly anything is reverted.
const mostOdds = 1e6

// Check refuses what cannot be asked, by a [QuestionError]. Parts that are 0 have their defaults.
func (q Question) Check() error {
	q = q.Complete()
	for _, part := range []struct {
		name string
		x    float64
	}{{"alpha", q.Alpha}, {"gain", q.Gain}, {"rate", q.Rate}, {"power", q.Power}} {
		if !(part.x > 0 && part.x < 1) {
			return &QuestionError{part.name, fmt.Sprintf("must lie strictly between 0 and 1, not at %v", part.x)}
		}
	}
	const slack = 1e-9 // 0.8 + 0.2 may be a little above 1
	switch {
	case q.Gain < leastGain:
		return &QuestionError{"gain", fmt.Sprintf("must be at least %v, not %v", leastGain, q.Gain)}
	case q.Rate+q.Gain > 1+slack:
		return &QuestionError{"gain", fmt.Sprintf("must leave room: a current version that passes %v cannot gain %v", q.Rate,
			q.Gain)}
	case q.Odds != 0 && !(q.Odds > 1 && q.Odds <= mostOdds):
		return &QuestionError{"odds", fmt.Sprintf("must lie above 1 and be at most %v, not %v", float64(mostOdds), q.Odds)}
	case q.MaxPairs < 0 || q.MaxPairs > MostPairs:
		return &QuestionError{"max_pairs", fmt.Sprintf("must be at most %d, not %d", MostPairs, q.MaxPairs)}
	}
	return nil
}

// Rates say how pairs end: the shares of them that break, and that are mended. The others end alike.
type Rates struct {
	Broke  float64 // the champion alone passes
	Mended float64 // the challenger alone passes
}

// Apart are the rates of pairs whose sides are independent of each other, from the pass rates of both.
func Apart(champion, challenger float64) Rates {
	return Rates{Broke: champion * (1 - challenger), Mended: (1 - champion) * challenger}
}
