package history

import (
	"math"
	"time"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/stats"
)

// Metric is what of a run a history is of. The zero value is the pass rate.
type Metric uint8

// The metrics.
const (
	Rate     Metric = iota // passes among the trials that passed or failed
	Cost                   // US dollars of a trial, in the mean
	Turns                  // of a trial, in the mean
	Duration               // of a trial in seconds, in the mean
	Tokens                 // of a trial, in and out, in the mean
	Distance               // of the behaviour from that of the first run, or of a baseline
)

var metrics = enum.Of[Metric]("metric", "rate", "cost", "turns", "duration", "tokens", "distance")

// String returns the name, such as "rate".
func (m Metric) String() string { return metrics.String(m) }

// MarshalText writes the name.
func (m Metric) MarshalText() ([]byte, error) { return metrics.MarshalText(m) }

// UnmarshalText reads the name.
func (m *Metric) UnmarshalText(text []byte) error { return metrics.UnmarshalText(text, m) }

// Metrics are all of them.
func Metrics() []Metric { return []Metric{Rate, Cost, Turns, Duration, Tokens, Distance} }

// Point is a run, or several that follow each other, with what of it the history is of.
type Point struct {
	From  time.Time `json:"from,omitzero"`  // when the first of its runs started; absent where it is not known
	Until time.Time `json:"until,omitzero"` // when the last one started; absent of a single run
	Runs  int       `json:"runs"`           // at least 1
	// Of the last of its runs; "" is not known.
	Run    string `json:"run,omitempty"`
	Commit string `json:"commit,omitempty"`
	Branch string `json:"branch,omitempty"`
	Task   string `json:"task,omitempty"`  // digest of what was asked and how it was judged
	Agent  string `json:"agent,omitempty"` // digest of what was tested

	Passes   int `json:"passes"`
	Failures int `json:"failures"`
	Errors   int `json:"errors"` // trials that are neither, and do not count

	Sum      *Sum     `json:"sum,omitempty"`      // of the metric; nil of rates and distances
	Distance *float64 `json:"distance,omitempty"` // of the behaviour; nil of other metrics, and where it is not known

	// Value is the metric, and Low and High the limits of its interval at the result's level; nil where it is not known,
	// as
	// of a run without trials. There is no interval of a distance.
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// Sum is what the values of trials add up to.
type Sum struct {
	Known   int     `json:"known"`   // trials that tell the value
	Total   float64 `json:"total"`   // of the values
	Squares float64 `json:"squares"` // of their squares
}

// counts are those of the trials that count.
func (p *Point) counts() stats.Counts {
	return stats.Counts{Passes: p.Passes, Trials: p.Passes + p.Failures}
}

// estimate fills in the value and its interval: Wilson's of a rate, and Student's of a mean.
func (p *Point) estimate(m Metric, alpha float64) {
	p.Value, p.Low, p.High = nil, nil, nil
	switch {
	case m == Distance:
		p.Value = p.Distance
	case m != Rate:
		p.mean(alpha)
	case p.counts().Trials > 0:
		p.Value = new(p.counts().Rate())
		if i, err := stats.Wilson(p.counts(), alpha); err == nil {
			p.Low, p.High = &i.Low, &i.High
		}
	}
}

// mean is estimate of a mean.
func (p *Point) mean(alpha float64) {
	s := p.Sum
	if s == nil || s.Known < 1 {
		return
	}
	n := float64(s.Known)
	mean := s.Total / n
	p.Value = &mean
	if variance := (s.Squares - s.Total*mean) / (n - 1); s.Known > 1 && variance > 0 {
		half := dist.StudentTUpperQuantile(alpha/2, n-1) * math.Sqrt(variance/n)
		p.Low, p.High = new(mean-half), new(mean+half)
	}
}
