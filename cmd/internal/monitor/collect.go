package monitor

import (
	"strings"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/trial"
)

// allTrials is the name of the only stream of [Options].By "suite".
const allTrials = "all"

// streamOf returns the stream that a trial belongs to. Trials without the tag are one of their own.
func (o Options) streamOf(t *trial.Trial) string {
	switch tag, isTag := strings.CutPrefix(o.By, "tag:"); {
	case o.By == "suite":
		return allTrials
	case isTag:
		value, _ := t.Tag(tag)
		return value
	}
	return t.Scenario
}

// Take takes a trial of a recorded baseline in. Trials that ended in an error count for nothing.
func (b *Baseline) Take(o Options, t *trial.Trial) {
	if t.Outcome == trial.Error {
		return
	}
	if b.Streams == nil {
		b.Streams = map[string]*PastTrials{}
	}
	name := o.streamOf(t)
	s := b.Streams[name]
	if s == nil {
		s = &PastTrials{Values: map[Measure][]float64{}, Sample: &fingerprint.Sample{}}
		b.Streams[name] = s
	}
	switch t.Outcome {
	case trial.Pass:
		s.Counts.Passes++
		s.Counts.Trials++
	case trial.Fail:
		s.Counts.Trials++
	}
	for _, m := range o.Watch {
		if x, known := m.value(t); known {
			s.Values[m] = append(s.Values[m], x)
		}
	}
	r := reduced(t)
	if s.Sample.Len() < comparedTrials {
		s.Sample.Add(r)
	}
	s.halve(r)
}

// comparedTrials is how many trials of a baseline the fingerprints of others are compared with. It is chosen: it takes
// some seconds with many more.
const comparedTrials = 1000

// halve keeps every second trial for the centre of distances, and the others to rank later trials among: were they the
// same, trials would be nearer to their own centre than later ones, and these not exchangeable with them.
func (s *PastTrials) halve(r *trial.Trial) {
	if r.Steps == nil {
		return
	}
	if s.first == nil {
		s.first = &fingerprint.Sample{}
	}
	if s.odd = !s.odd; s.odd {
		s.first.Add(r)
	} else {
		s.second = append(s.second, r)
	}
}

// distances makes the centre of the first half, and the distances of the other.
func (s *PastTrials) distances() (*centre, []float64) {
	if s.centre != nil || s.first == nil || s.first.Len() < fewestCentre {
		return s.centre, s.learned
	}
	s.centre = newCentre(s.first)
	for _, t := range s.second {
		if d, known := s.centre.distance(t); known {
			s.learned = append(s.learned, d)
		}
	}
	s.second = nil
	return s.centre, s.learned
}

// fewestCentre is how many trials a centre takes. It is chosen.
const fewestCentre = 10
