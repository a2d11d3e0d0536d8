package sampled

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Difference is between a trial of the sample and the one that was read.
type Difference struct {
	Place trial.Place // of the trial that was read; without a file where it was not
	Text  string      // such as `trial 12 of "refund": the outcome is fail, and it was judged as pass`
}

// Differences compares a side with the trials that [Side.Again] drew. They come in the order of the files, those that
// were not read last.
func (s *Sample) Differences(side *Side, again *Drawing) ([]Difference, error) {
	judged, err := s.drawn(side)
	if err != nil {
		return nil, err
	}
	again.cut()
	var list []Difference
	read := again.kept
	for len(judged) > 0 || len(read) > 0 {
		switch {
		case len(read) == 0 || len(judged) > 0 && judged[0].rank < read[0].rank:
			list = append(list, Difference{Text: judged[0].name() + " was judged, and is not there"})
			judged = judged[1:]
		case len(judged) == 0 || read[0].rank < judged[0].rank:
			list = append(list, Difference{read[0].place, read[0].name() + " was not judged"})
			read = read[1:]
		default:
			if text := judged[0].differs(&read[0]); text != "" {
				list = append(list, Difference{read[0].place, fmt.Sprintf("%s: %s", read[0].name(), text)})
			}
			judged, read = judged[1:], read[1:]
		}
	}
	slices.SortStableFunc(list, func(a, b Difference) int {
		switch {
		case a.Place.File == b.Place.File:
			return cmp.Compare(a.Place.Line, b.Place.Line)
		case a.Place.File == "":
			return 1
		case b.Place.File == "":
			return -1
		}
		return 0
	})
	return list, nil
}

// differs says what of a trial is not as it was judged; "" where nothing is.
func (d *drawnTrial) differs(read *drawnTrial) string {
	if d.outcome != read.outcome {
		return fmt.Sprintf("the outcome is %s, and it was judged as %s", read.outcome, d.outcome)
	}
	for name := range recording.AllMetrics() {
		before, told := d.metrics[name]
		now, still := read.metrics[name]
		// An estimate follows from a table of prices.
		if name == recording.CostMetric && (d.basis != trial.RecordedCost || read.basis != trial.RecordedCost) &&
			told == still {
			continue
		}
		if told != still || before != now {
			return fmt.Sprintf("%s is %s, and %s was judged", name, amount(now, still), amount(before, told))
		}
	}
	if d.digest != read.digest {
		return "outcome and metrics are those that were judged, and what it did or said is not"
	}
	return ""
}

func amount(x float64, known bool) string {
	if !known {
		return "unknown"
	}
	return fmt.Sprint(x)
}

// Kept is how many trials the sample has.
func (s *Side) Kept() int { return len(s.Outcomes) }
