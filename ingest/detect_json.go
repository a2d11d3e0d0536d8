package ingest

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/format/testreports"
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// detectJSON tells the formats of JSON apart by what the first objects hold.
func detectJSON(text []byte) (Format, error) {
	names, whole := record.MemberNames(text)
	isTrial := slices.ContainsFunc(names, isTrialField)
	if format := shown(record.ShapeOf(text)); format != Auto && !isTrial {
		return format, nil
	}
	switch {
	case testreports.IsGoTest(names):
		return "gotest", nil
	case isTrial || !whole || len(names) == 0:
		return Trials, nil // what is cut or broken is for the reader to describe
	}
	if strings.HasPrefix(record.ShapeOf(text).First().At("schema").Text(), "tribunal/") {
		return Auto, &trial.FileError{
			Problem: "is a saved result, not a recording",
			Advice:  "report, verify, compare and forecast read results; the trials are in the journal of the run beside it",
		}
	}
	for i := range names {
		names[i] = prose.Excerpt(names[i])
	}
	if len(names) > 5 {
		names = append(names[:5:5], "…")
	}
	return Auto, &trial.FileError{
		Problem: "is JSON of no format known: its first object has the fields " + strings.Join(names, ", "),
		Advice:  "a trial needs scenario and outcome; From names another format",
		About:   "From",
	}
}

// shown returns the format that the shape shows, Auto if none.
func shown(s *record.Shape) Format {
	for _, f := range formats {
		if f.decoder.Shows != nil && f.decoder.Shows(s) {
			return f.name
		}
	}
	return Auto
}

// isTrialField reports whether a name, in any case, is one that a trial must have
// and few other things do.
func isTrialField(name string) bool {
	return strings.EqualFold(name, "scenario") || strings.EqualFold(name, "outcome")
}
