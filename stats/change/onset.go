package change

import (
	"encoding/json"
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
)

// recentTrials is how many of the last trials are kept to say when a change came. It is chosen: an alarm nearly always
// comes sooner after the change.
const recentTrials = 512

// Onset says when a change came, by the number of the first trial after it, counted from 0 since the detector began.
type Onset struct {
	// Estimate is the trial from which on the likelihood ratio of the mixture to no change is largest.
	Estimate int
	// Latest is a bound: the change came after it with a probability of at most alpha, false alarms aside. It comes of
	// the trials before the change alone, which show none, and so holds whatever the trials after it do. It is the
	// last trial where these do not say more.
	Latest int
}

// trialRing is the last trials of a detector.
type trialRing struct {
	values []float64 // a ring
	count  int       // of all trials
}

func (r *trialRing) add(x float64) {
	if len(r.values) < recentTrials {
		r.values = append(r.values, x)
	} else {
		r.values[r.count%recentTrials] = x
	}
	r.count++
}

// back returns the value that came so many trials before the last.
func (r *trialRing) back(n int) float64 { return r.values[(r.count-1-n)%recentTrials] }

// onset finds the change that ratios, one for each value and part of the mixture, speak for.
func (r *trialRing) onset(alpha float64, parts int, ratio func(value float64, part int) float64) (Onset, error) {
	if !(alpha > 0 && alpha < 1) {
		return Onset{}, argument.Wrong("alpha", alpha, "must lie strictly between 0 and 1")
	}
	if r.count == 0 {
		return Onset{}, argument.Wrong("trials", 0, "must be at least 1")
	}
	// logs[i] has the ratios of the trial i before the last.
	logs := make([][]float64, len(r.values))
	for i := range logs {
		logs[i] = make([]float64, parts)
		for k := range logs[i] {
			logs[i][k] = math.Log(ratio(r.back(i), k))
		}
	}
	best := 0
	most := math.Inf(-1)
	since(logs, parts, func(n int, log float64) {
		if log > most {
			best, most = n, log
		}
	})
	found := Onset{Estimate: r.count - 1 - best, Latest: r.count - 1}
	// The change came at a trial only if those before it, up to it, show none: for a fixed trial the mean of ratios over
	// all starts, with weights that add up to 1, has an expectation of at most 1, and reaches 1/alpha with a probability
	// of at most alpha (Markov).
	for n := 1; n < len(logs) && spread(logs[n:], parts) >= -math.Log(alpha); n++ {
		found.Latest--
	}
	return found, nil
}

// since calls visit with the logarithm of the mean over the parts of the ratio of the trials from the n-th before the
// last on.
func since(logs [][]float64, parts int, visit func(n int, log float64)) {
	sums := make([]float64, parts)
	for n, row := range logs {
		for k := range sums {
			sums[k] += row[k]
		}
		visit(n, logMean(sums))
	}
}

// spread is the logarithm of the mean over starts, which weigh as one over the number of trials since.
func spread(logs [][]float64, parts int) float64 {
	terms, weights := make([]float64, 0, len(logs)), 0.0
	since(logs, parts, func(n int, log float64) {
		terms = append(terms, log-math.Log(float64(n+1)))
		weights += 1 / float64(n+1)
	})
	return logMean(terms) + math.Log(float64(len(terms))) - math.Log(weights)
}

// logMean is the logarithm of the mean of exponentials.
func logMean(logs []float64) float64 {
	most := math.Inf(-1)
	for _, x := range logs {
		most = max(most, x)
	}
	if math.IsInf(most, -1) {
		return most
	}
	sum := 0.0
	for _, x := range logs {
		sum += math.Exp(x - most)
	}
	return most + math.Log(sum/float64(len(logs)))
}

// recentState is what the last trials are stored as: the oldest first.
type recentState struct {
	Count  int       `json:"count"`
	Values []float64 `json:"values"`
}

// MarshalJSON writes the values, the oldest first.
func (r trialRing) MarshalJSON() ([]byte, error) {
	s := recentState{Count: r.count, Values: make([]float64, len(r.values))}
	for i := range s.Values {
		s.Values[i] = r.back(len(s.Values) - 1 - i)
	}
	return json.Marshal(s)
}

// UnmarshalJSON reads what MarshalJSON wrote, and refuses what it cannot have written.
func (r *trialRing) UnmarshalJSON(text []byte) error {
	var s recentState
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	if s.Count < 0 || s.Count > math.MaxInt-recentTrials || len(s.Values) != min(s.Count, recentTrials) {
		return errState
	}
	*r = trialRing{count: s.Count - len(s.Values)}
	r.values = make([]float64, len(s.Values))
	for _, x := range s.Values {
		if !(x >= 0 && x <= 1) {
			return errState
		}
		r.values[r.count%recentTrials] = x
		r.count++
	}
	return nil
}
