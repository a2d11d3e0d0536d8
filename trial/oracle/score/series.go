package score

import (
	"bytes"
	"fmt"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
)

// Series is what trials have on one axis.
type Series struct {
	Name string `json:"name"`           // of the axis
	From Source `json:"from,omitempty"` // "" of one with parts
	// Digest of what the suite says of the axis: points of equal ones can be compared. "mixed" where trials differ in it.
	Digest string  `json:"digest,omitempty"`
	Max    float64 `json:"max"` // points of a share of 1
	// Mean of the points that are known, gated ones as 0; nil where none is.
	Mean *float64 `json:"mean"`
	// Interval of the mean, at level 0.95 and whatever the distribution is; nil with fewer than two known points.
	Interval *Interval `json:"interval,omitempty"`
	Known    int       `json:"known"`             // trials whose points are known
	Gated    int       `json:"gated,omitempty"`   // of them, those whose condition did not hold
	Unknown  int       `json:"unknown,omitempty"` // trials that ended, and could not be scored
	// Points of each trial by the mark of its test's outcomes; - is not known.
	Points trial.Series `json:"points"`
	// Marks of the same trials: S scored, G gated, U unknown, and . where the trial did not end or was not scored.
	Marks string `json:"marks"`
}

// mixed is the digest of trials that were scored in several ways.
const mixed = "mixed"

// Interval holds the mean with the probability of its level.
type Interval struct {
	Level float64 `json:"level"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// level is that of the intervals of means.
const level = 0.95

// SeriesOf gathers what trials have on the axes, in the order of the first that was scored; nil of trials of which none
// was. A trial that did not end is nil.
func SeriesOf(trials []*trial.Trial) ([]Series, error) {
	var list []Series
	var marks [][]byte
	at := map[string]int{}
	for i, t := range trials {
		if t == nil {
			continue
		}
		found := Recorded(t)
		if found == nil {
			continue
		}
		for _, a := range found.Axes {
			j, known := at[a.Name]
			if !known {
				j = len(list)
				at[a.Name] = j
				list = append(list, Series{Name: a.Name, From: a.From, Digest: a.Digest, Max: a.Max,
					Points: make(trial.Series, len(trials))})
				marks = append(marks, dots(len(trials)))
			}
			list[j].Max = max(list[j].Max, a.Max)
			if list[j].Digest != a.Digest {
				list[j].Digest = mixed
			}
			marks[j][i] = 'U'
			if a.Points != nil {
				marks[j][i] = 'S'
				list[j].Points[i] = trial.Some(*a.Points)
			}
			if a.Gated {
				marks[j][i] = 'G'
			}
		}
	}
	for j := range list {
		list[j].Marks = string(marks[j])
		if err := list[j].sum(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// dots are marks of trials that were not scored.
func dots(n int) []byte { return bytes.Repeat([]byte{'.'}, n) }

// sum counts what the marks say, and takes the mean.
func (s *Series) sum() error {
	var known []float64
	s.Known, s.Gated, s.Unknown, s.Mean, s.Interval = 0, 0, 0, nil, nil
	for i, x := range s.Points {
		switch s.Marks[i] {
		case 'G':
			s.Gated++
		case 'U':
			s.Unknown++
		}
		if x.Known {
			known = append(known, x.Value)
		}
	}
	s.Known = len(known)
	if s.Known == 0 {
		return nil
	}
	total := 0.0
	for _, x := range known {
		total += x
	}
	s.Mean = new(total / float64(s.Known))
	if s.Known < 2 {
		return nil
	}
	i, err := stats.BoundedMean(known, 0, s.Max, 1-level)
	if err != nil {
		return err
	}
	s.Interval = &Interval{level, i.Low, i.High}
	return nil
}

// TrialOf is what the series say of one trial, without evidence; nil where it was not scored. The error says what does
// not fit.
func TrialOf(list []Series, i int) (*Trial, error) {
	t := &Trial{}
	for _, s := range list {
		if i >= len(s.Marks) || i >= len(s.Points) {
			return nil, fmt.Errorf("the axis %.80q has %d marks and %d points, and there is a trial %d", s.Name, len(s.Marks),
				len(s.Points), i)
		}
		f := AxisResult{Name: s.Name, From: s.From, Digest: s.Digest, Max: s.Max}
		x := s.Points[i]
		switch s.Marks[i] {
		case '.':
			continue
		case 'G':
			f.Gated = true
		case 'S', 'U':
		default:
			return nil, fmt.Errorf("the axis %.80q has the mark %q", s.Name, s.Marks[i])
		}
		if x.Known != (s.Marks[i] != 'U') {
			return nil, fmt.Errorf("the axis %.80q has the mark %q, and points that do not fit it", s.Name, s.Marks[i])
		}
		if x.Known {
			f.Points = new(x.Value)
		}
		t.Axes = append(t.Axes, f)
	}
	if len(t.Axes) == 0 {
		return nil, nil
	}
	if problem := t.Problem(); problem != "" {
		return nil, fmt.Errorf("a trial has %s", problem)
	}
	return t, nil
}
