package ingest

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/format/testreports"
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// detectJSON tells the formats of JSON apart by what the first objects hold.
func detectJSON(text []byte) (Format, error) {
	if err := ourJSON(text); err != nil {
		return Auto, err
	}
	names, whole := record.MemberNames(text)
	isTrial := slices.ContainsFunc(names, isTrialField)
	shape := record.ShapeOf(text)
	if !isTrial {
		if format := shown(shape); format != Auto {
			return format, nil
		}
	}
	kind := record.FirstValue(text)
	switch {
	case testreports.IsGoTest(names):
		return "gotest", nil
	case isTrial && whole && isDataSet(shape):
		return Auto, &trial.FileError{Problem: dataSet,
			Advice: "record what the agent answers, with an outcome for each; From trials reads it all the same", About: "From"}
	case isTrial, kind == "", kind == "an object" && !whole:
		return Trials, nil // what is cut or broken is for the reader to describe
	case kind != "an object":
		return Auto, unknownJSON("it holds " + kind + ", where a record would be an object")
	}
	return Auto, otherJSON(shape, names)
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
