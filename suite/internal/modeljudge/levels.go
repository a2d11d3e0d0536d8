package modeljudge

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// Level is one of the words that a judge may say.
type Level struct {
	Name  string  // on one line; it differs from those of the others
	Score float64 // in [0,1]
}

// DefaultLevels are those of a judge that names none.
func DefaultLevels() []Level { return []Level{{"fail", 0}, {"pass", 1}} }

// Spaced are levels from the worst to the best, whose scores lie apart evenly, from 0 to 1.
func Spaced(names ...string) []Level {
	levels := make([]Level, len(names))
	for i, name := range names {
		levels[i] = Level{Name: name, Score: float64(i) / float64(max(1, len(names)-1))}
	}
	return levels
}

// maxLevels is chosen: nobody tells more of them apart.
const maxLevels = 20

// checkLevels refuses levels that tell nothing apart.
func checkLevels(levels []Level) error {
	refuse := func(value, problem string) error {
		return &oracle.OptionError{Option: "levels", Value: value, Problem: problem}
	}
	if len(levels) < 2 || len(levels) > maxLevels {
		return refuse("", fmt.Sprintf("must be from 2 to %d", maxLevels))
	}
	seen := map[string]bool{}
	scores := map[float64]bool{}
	for _, l := range levels {
		switch {
		case l.Name == "" || strings.ContainsAny(l.Name, "\r\n"):
			return refuse(l.Name, "must be words on one line")
		case seen[l.Name]:
			return refuse(l.Name, "is given twice")
		case !(l.Score >= 0 && l.Score <= 1):
			return refuse(l.Name, "must have a score from 0 to 1")
		}
		seen[l.Name], scores[l.Score] = true, true
	}
	if len(scores) == 1 {
		return refuse("", "all have the same score")
	}
	return nil
}

// answerSchema is that of an answer. The reason comes first: a model that gives it first says the level by it.
func answerSchema(levels []Level) trial.Raw {
	names := make([]string, len(levels))
	for i, l := range levels {
		names[i] = l.Name
	}
	words, err := json.Marshal(names)
	if err != nil {
		return nil // not reached: they are texts
	}
	return trial.Raw(`{"type":"object","additionalProperties":false,"required":["reason","level"],"properties":{` +
		`"reason":{"type":"string"},"level":{"type":"string","enum":` + string(words) + `}}}`)
}
